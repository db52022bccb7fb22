//! The settings of a rule set: every row in which the rules people play differ.
//!
//! A setting is a key and a value, the same in a rule file and on the command line. Keys that speak of animals are made
//! from the names of the animals of the rule set, so that no animal is special here.

use std::collections::BTreeMap;

/// Greatest limit of plies without a capture; far past any distance that a table can hold.
pub const MAX_QUIET_LIMIT: u32 = 1_000_000_000;

/// Whether one animal takes another where neither is weakened by a trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Not at all (`false`, `never`).
    Never,
    /// From land to land (`land`).
    Land,
    /// From land to land and from water to water (`true`).
    Same,
    /// Also across the shore, both ways (`always`).
    Always,
}

/// What differs from rank order for one attacker and one victim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairRule {
    /// Whether it takes a free victim; by rank if not said.
    pub takes: Option<Takes>,
    /// Whether it takes a victim that a trap weakens; yes if not said.
    pub takes_trapped: Option<bool>,
    /// Whether it takes from water to land.
    pub from_water: Option<bool>,
    /// Whether it takes from land into water.
    pub into_water: Option<bool>,
}

/// Which pieces on the squares in between stop a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JumpStop {
    /// Any piece.
    #[default]
    Any,
    /// Only a piece of the other side.
    Enemy,
    /// None.
    None,
}

/// Which jumps an animal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JumpLimit {
    /// Sideways, along a rank.
    pub along_ranks: bool,
    /// Lengthwise, along a file.
    pub along_files: bool,
    /// The most squares that can be jumped over; no limit if not said.
    pub longest: Option<u8>,
}

/// Whom a trap weakens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Traps {
    /// A piece in a trap of the other side.
    #[default]
    Intruders,
    /// Every piece in any trap.
    Universal,
    /// Nobody.
    None,
}

/// Animals that may not enter traps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrapBar {
    /// The letters of the animals.
    pub animals: Vec<char>,
    /// Only the traps of their own side are closed to them.
    pub own_only: bool,
}

/// The result for a side that has no legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NoMove {
    /// It has lost.
    #[default]
    Loss,
    /// The game is drawn.
    Draw,
}

/// All settings of a rule set, resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Letters from weak to strong; letters of one group are equal.
    pub ranks: Vec<Vec<char>>,
    /// Letters of the animals that enter the water.
    pub swimmers: Vec<char>,
    /// Exceptions to rank order: letters of attacker and victim.
    pub pairs: BTreeMap<(char, char), PairRule>,
    /// Whether captures across the shore are allowed where no pair says otherwise.
    pub shore_captures: bool,
    /// What stops a jump.
    pub jump_stopped_by: JumpStop,
    /// Whom traps weaken.
    pub traps: Traps,
    /// Letters of the animals that traps do not weaken.
    pub trap_immune: Vec<char>,
    /// Who may not enter traps.
    pub trap_barred: TrapBar,
    /// Whether a weakened piece can capture.
    pub trapped_can_capture: bool,
    /// Whether a piece may enter its own den (and then not capture out of it).
    pub own_den: bool,
    /// The result of a side without a move.
    pub no_move: NoMove,
    /// Whether a side without pieces has lost.
    pub elimination_wins: bool,
    /// A draw after so many plies without a capture; 0 for no such rule. Not part of distance to win.
    pub draw_after_quiet_plies: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            ranks: Vec::new(),
            swimmers: Vec::new(),
            pairs: BTreeMap::new(),
            shore_captures: false,
            jump_stopped_by: JumpStop::default(),
            traps: Traps::default(),
            trap_immune: Vec::new(),
            trap_barred: TrapBar::default(),
            trapped_can_capture: true,
            own_den: false,
            no_move: NoMove::default(),
            elimination_wins: true,
            draw_after_quiet_plies: 0,
        }
    }
}
