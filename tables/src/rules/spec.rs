//! A rule set as it is written: the TOML file.

use super::settings::{JumpLimit, JumpStop, Settings};
use crate::board::{Board, Square};
use serde::Deserialize;

/// A rule set as it is written: name, board, animals, settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSpec {
    /// The name, which is also the name of the folder of its tables.
    pub name: String,
    /// One line on what it is and where it comes from.
    pub title: String,
    /// The board.
    pub board: Board,
    /// The animals in the order of the file.
    pub animals: Vec<AnimalSpec>,
    /// The settings.
    pub settings: Settings,
    /// The general form of capture rules: exceptions to everything else, the last one that fits counts.
    pub captures: Vec<CaptureSpec>,
}

/// An animal as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnimalSpec {
    /// Its upper-case letter.
    pub letter: char,
    /// Its name, lower case.
    pub name: String,
    /// Other upper-case letters that are read for it.
    pub aliases: Vec<char>,
    /// Other names that are read for it in settings.
    pub other_names: Vec<String>,
    /// Its steps for White as files to the right and ranks up; turned by 180 degrees for Black.
    pub steps: Vec<(i8, i8)>,
    /// Its jumps over water.
    pub jumps: JumpLimit,
    /// What stops its jumps, where that differs from the setting for all.
    pub jump_stopped_by: Option<JumpStop>,
    /// The start squares of White's and Black's animal; none where it is not in the first position.
    pub start: [Option<Square>; 2],
}

impl AnimalSpec {
    /// True if this is its name or another name read for it.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.other_names.iter().any(|other| other == name)
    }
}

/// An exception to the capture rules in its general form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureSpec {
    /// Letter of the attacker; none for all.
    pub attacker: Option<char>,
    /// Letter of the victim; none for all.
    pub victim: Option<char>,
    /// The terrain it is taken from.
    pub from: Terrain,
    /// The terrain it is taken on.
    pub to: Terrain,
    /// Whether the capture is allowed.
    pub allowed: bool,
}

/// The kind of a square in a capture rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terrain {
    /// Every square.
    #[default]
    Any,
    /// Not water.
    Land,
    /// Water.
    Water,
    /// A trap of either side.
    Trap,
}

pub(super) const ORTHOGONAL: [(i8, i8); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// The steps that have a name.
pub(super) fn steps_of(word: &str) -> Option<Vec<(i8, i8)>> {
    match word {
        "orthogonal" => Some(ORTHOGONAL.to_vec()),
        "king" => Some(ORTHOGONAL.iter().chain(&DIAGONAL).copied().collect()),
        "silver" => Some(std::iter::once((0, 1)).chain(DIAGONAL).collect()),
        _ => None,
    }
}
