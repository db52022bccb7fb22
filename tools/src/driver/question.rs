//! What an engine is asked, and what it answers.

use super::fault::Fault;
use std::time::Duration;

/// A position in the words of the engine: board, side to move, and the whole of both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// The board.
    pub board: String,
    /// The side to move.
    pub side: String,
    /// Both, with what else belongs to a position.
    pub position: String,
}

/// A position in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Where the game began.
    pub start: Words,
    /// The moves since then.
    pub moves: Vec<String>,
    /// The position to move in.
    pub now: Words,
    /// True if it does not continue the last one.
    pub new_game: bool,
}

/// How long an engine may think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Plies.
    pub depth: Option<u32>,
    /// Milliseconds.
    pub movetime: Option<u64>,
    /// Positions.
    pub nodes: Option<u64>,
    /// How long an answer is waited for.
    pub patience: Duration,
}

/// What an engine that has been asked for a move has said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The move, as it was said.
    pub text: String,
    /// How long it took.
    pub time: Duration,
}

/// Whether an engine answers `isready`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ready {
    /// It was not asked yet, or has broken down before it could answer.
    #[default]
    Unknown,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Why there is no move, with the last lines that were exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// What went wrong.
    pub fault: Fault,
    /// The last lines: `>` was said to the engine, `<` it has said, `!` it has said on standard error.
    pub tail: Vec<String>,
}

impl Failed {
    /// What went wrong and what the engine has said last, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        /// More lines than these are no longer one.
        const LAST: usize = 3;
        let said: Vec<&str> =
            self.tail.iter().filter_map(|line| line.strip_prefix(['<', '!'])).map(str::trim).collect();
        let (what, advice) = match &self.fault {
            Fault::Greeting { fault, instead } => (fault.to_string(), format!("; {instead}")),
            fault => (fault.to_string(), String::new()),
        };
        let last = match &said[said.len().saturating_sub(LAST)..] {
            [] => "it printed nothing".to_owned(),
            [line] => format!("its last line: {line}"),
            lines => format!("its last lines: {}", lines.join(" | ")),
        };
        format!("{what}; {last}{advice}")
    }
}
