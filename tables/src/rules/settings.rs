//! The settings of a rule set: every row in which the rules people play differ.
//!
//! A setting is a key and a value, the same in a rule file and on the command line. Keys that speak of animals are made
//! from the names of the animals of the rule set, so that no animal is special here.

use super::RuleError;
use super::keys::{Key, SETTINGS, Setting, SettingInfo};
use super::spec::AnimalSpec;
use super::words::{JUMP_STOPS, JUMPS, NO_MOVES, OWN_DEN, SHORE, TAKES, TRAPS, Written, word};
use crate::format::MAX_QUIET_LIMIT;
use std::collections::BTreeMap;

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

impl Settings {
    /// Changes one setting. `animals` are those of the rule set; settings of one animal alone are kept there.
    ///
    /// # Errors
    /// [`RuleError::SettingValue`].
    pub(super) fn set(
        &mut self,
        animals: &mut [AnimalSpec],
        key: &Key,
        written: &Written<'_>,
    ) -> Result<(), RuleError> {
        let [first, second] = key.animals;
        // Asked for by the settings of pairs alone.
        let letter = |index: usize| animals.get(index).map(|animal| animal.letter).unwrap_or_default();
        let pair = (letter(first), letter(second));
        match key.setting {
            Setting::Ranks => self.ranks = written.ranks(animals)?,
            Setting::Swimmers => self.swimmers = written.letters(written.value, animals)?,
            Setting::Takes => self.pairs.entry(pair).or_default().takes = Some(written.choice(&TAKES)?),
            Setting::TakesTrapped => self.pairs.entry(pair).or_default().takes_trapped = Some(written.boolean()?),
            Setting::TakesFromWater => self.pairs.entry(pair).or_default().from_water = Some(written.boolean()?),
            Setting::TakesIntoWater => self.pairs.entry(pair).or_default().into_water = Some(written.boolean()?),
            Setting::ShoreCaptures => self.shore_captures = written.choice(&SHORE)?,
            Setting::Jumps => animals[first].jumps = written.jumps()?,
            Setting::JumpStoppedBy => {
                self.jump_stopped_by = written.choice(&JUMP_STOPS)?;
                // "For all": an earlier word on one animal no longer counts.
                animals.iter_mut().for_each(|animal| animal.jump_stopped_by = None);
            }
            Setting::AnimalJumpStoppedBy => animals[first].jump_stopped_by = Some(written.choice(&JUMP_STOPS)?),
            Setting::Traps => self.traps = written.choice(&TRAPS)?,
            Setting::TrapImmune => self.trap_immune = written.letters(written.value, animals)?,
            Setting::TrapBarred => {
                let own = written.value.strip_prefix("own:");
                let letters = written.letters(own.unwrap_or(written.value), animals)?;
                self.trap_barred = TrapBar { own_only: own.is_some() && !letters.is_empty(), animals: letters };
            }
            Setting::TrappedCanCapture => self.trapped_can_capture = written.boolean()?,
            Setting::OwnDen => self.own_den = written.choice(&OWN_DEN)?,
            Setting::NoMove => self.no_move = written.choice(&NO_MOVES)?,
            Setting::EliminationWins => self.elimination_wins = written.boolean()?,
            Setting::DrawAfterQuietPlies => {
                let plies = written.value.parse().ok().filter(|&plies: &u32| plies <= MAX_QUIET_LIMIT);
                self.draw_after_quiet_plies =
                    plies.ok_or_else(|| written.refuse("it is a number of plies up to 1000000000, 0 for none"))?;
            }
        }
        Ok(())
    }

    /// Every setting as key and value, in an order that never changes; what [`RuleSpec::set`](super::RuleSpec::set) reads.
    #[must_use]
    pub fn to_pairs(&self, animals: &[AnimalSpec]) -> Vec<(String, String)> {
        let name = |letter: char| {
            animals.iter().find(|animal| animal.letter == letter).map_or_else(String::new, |animal| animal.name.clone())
        };
        let letters = |letters: &[char]| letters.iter().collect::<String>();
        let ranks = || {
            let group = |group: &Vec<char>| match group.as_slice() {
                [letter] => letter.to_string(),
                tied => format!("({})", letters(tied)),
            };
            self.ranks.iter().map(group).collect::<Vec<String>>().join(" ")
        };
        let mut pairs = Vec::new();
        for setting in SETTINGS.iter().map(SettingInfo::setting) {
            let value = match setting {
                Setting::Ranks => ranks(),
                Setting::Swimmers => letters(&self.swimmers),
                // Here, pair by pair, and not below.
                Setting::Takes => {
                    for (&(attacker, victim), rule) in &self.pairs {
                        let said = [
                            (Setting::Takes, rule.takes.map(|takes| word(&TAKES, takes))),
                            (Setting::TakesTrapped, rule.takes_trapped.map(|takes| takes.to_string())),
                            (Setting::TakesFromWater, rule.from_water.map(|takes| takes.to_string())),
                            (Setting::TakesIntoWater, rule.into_water.map(|takes| takes.to_string())),
                        ];
                        let key = |setting: Setting| setting.key(&name(attacker), &name(victim));
                        pairs.extend(said.into_iter().filter_map(|(setting, value)| Some((key(setting), value?))));
                    }
                    continue;
                }
                Setting::TakesTrapped | Setting::TakesFromWater | Setting::TakesIntoWater => continue,
                Setting::ShoreCaptures => word(&SHORE, self.shore_captures),
                Setting::Jumps => {
                    pairs
                        .extend(animals.iter().map(|animal| (setting.key(&animal.name, ""), animal.jumps.to_string())));
                    continue;
                }
                Setting::JumpStoppedBy => word(&JUMP_STOPS, self.jump_stopped_by),
                Setting::AnimalJumpStoppedBy => {
                    let said = |animal: &AnimalSpec| {
                        animal.jump_stopped_by.map(|stop| (setting.key(&animal.name, ""), word(&JUMP_STOPS, stop)))
                    };
                    pairs.extend(animals.iter().filter_map(said));
                    continue;
                }
                Setting::Traps => word(&TRAPS, self.traps),
                Setting::TrapImmune => letters(&self.trap_immune),
                Setting::TrapBarred => {
                    let own = if self.trap_barred.own_only { "own:" } else { "" };
                    format!("{own}{}", letters(&self.trap_barred.animals))
                }
                Setting::TrappedCanCapture => self.trapped_can_capture.to_string(),
                Setting::OwnDen => word(&OWN_DEN, self.own_den),
                Setting::NoMove => word(&NO_MOVES, self.no_move),
                Setting::EliminationWins => self.elimination_wins.to_string(),
                Setting::DrawAfterQuietPlies => self.draw_after_quiet_plies.to_string(),
            };
            pairs.push((setting.key("", ""), value));
        }
        pairs
    }
}

impl std::fmt::Display for JumpLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&word(&JUMPS, (self.along_ranks, self.along_files)))?;
        match self.longest {
            Some(span) => write!(f, ":{span}"),
            None => Ok(()),
        }
    }
}
