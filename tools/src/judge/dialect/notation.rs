//! What is said about how another program writes: the `[notation]` part of a dialect file, and the options of that name.

use super::error::DialectError;
use super::view::Turn;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// Upper or lower case.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// Capital letters.
    Upper,
    /// Small letters.
    Lower,
}

/// How positions and moves are written. The default is our own way.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    default,
    expecting = "a table of fields, such as mirror = true"
)]
pub struct Notation {
    /// Letters of animals (by name) that differ from those of the rule set.
    pub letters: BTreeMap<String, char>,
    /// The case of the letters of White, who begins.
    pub first: Case,
    /// Whether left and right change places.
    pub mirror: bool,
    /// How the board is turned, after it was mirrored.
    pub turn: Turn,
    /// The names of the squares of the board as it is drawn, row by row from the top, with blanks between. None: files are
    /// letters from the left and ranks numbers from the bottom of the board as it is drawn.
    pub squares: Vec<String>,
    /// What stands between two ranks: `/`, or blanks. Both are read.
    pub between_ranks: Between,
    /// The words for White and Black to move; none for `w` and `b`, with `white`, `r`, `red` and `black` read as well.
    pub sides: Option<[String; 2]>,
    /// What is written after the side to move, as `- - 0 1`.
    pub tail: String,
    /// The case in which moves are written. Both are read.
    pub move_case: Case,
    /// What is written between the squares of a move that takes nothing. Nothing, `-` and `x` are read as well.
    pub quiet_sign: String,
    /// What is written between the squares of a capture.
    pub capture_sign: String,
}

impl Default for Notation {
    fn default() -> Notation {
        Notation {
            letters: BTreeMap::new(),
            first: Case::Upper,
            mirror: false,
            turn: Turn::None,
            squares: Vec::new(),
            between_ranks: Between::Slash,
            sides: None,
            tail: String::new(),
            move_case: Case::Lower,
            quiet_sign: String::new(),
            capture_sign: String::new(),
        }
    }
}

/// What stands between two ranks.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// A slash.
    #[serde(rename = "/")]
    Slash,
    /// A blank.
    #[serde(rename = " ")]
    Blank,
}

impl Notation {
    /// Checks what no rule set can make right.
    ///
    /// # Errors
    /// [`DialectError`]: words, signs or names of squares that cannot be.
    pub fn check(&self) -> Result<(), DialectError> {
        if let Some([white, black]) = &self.sides {
            let word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
            if !word(white) || !word(black) || white.eq_ignore_ascii_case(black) {
                return Err(DialectError::Sides(white.clone(), black.clone()));
            }
        }
        for (field, sign) in [("quiet-sign", &self.quiet_sign), ("capture-sign", &self.capture_sign)] {
            let odd = |c: char| c.is_whitespace() || c.is_alphanumeric() && !c.eq_ignore_ascii_case(&'x');
            if sign.contains(odd) {
                return Err(DialectError::Sign { field, sign: sign.clone() });
            }
        }
        let mut rows = HashMap::new();
        for (row, names) in self.squares.iter().enumerate() {
            for name in names.split_whitespace() {
                if let Some(first) = rows.insert(name.to_lowercase(), row) {
                    return Err(DialectError::Twice { name: name.to_owned(), first, row });
                }
            }
        }
        Ok(())
    }
}
