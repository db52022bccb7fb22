//! What an engine is asked, and what it did: games, and the single moves of an examination.

use crate::judge::verdict::{Kind, Outcome, Verdict};
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use std::time::Duration;

/// What an engine is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One move in each position.
    Examination,
    /// A game from each position against perfect play.
    PlayOut,
}

impl Mode {
    /// The word of JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Examination => "examination",
            Mode::PlayOut => "play-out",
        }
    }
}

/// A game, or the one move of an examination.
#[derive(Clone, PartialEq, Debug)]
pub struct Game {
    /// Its number, from 1: that of the position it begins with.
    pub number: usize,
    /// Where it begins, with the engine to move.
    pub start: Position,
    /// What the engine did, in its turns.
    pub turns: Vec<Turn>,
    /// How it ended; none for an examination.
    pub end: Option<End>,
    /// How many plies were played.
    pub plies: u32,
}

/// What the engine did when it was to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Turn {
    /// The number of the move in the game, from 1; both sides counted.
    pub ply: u32,
    /// The position before it.
    pub position: Position,
    /// What it did.
    pub response: Response,
    /// How long it took.
    pub time: Duration,
}

/// A move, or what came instead.
#[derive(Clone, PartialEq, Debug)]
pub enum Response {
    /// A move, legal or not.
    Move {
        /// The move.
        squares: Move,
        /// How the engine said it, if not in our way.
        written: Option<String>,
        /// What it is worth.
        verdict: Box<Verdict>,
        /// The last lines that were exchanged, if it is illegal.
        tail: Vec<String>,
    },
    /// No move.
    Failure {
        /// The word of JSON.
        kind: &'static str,
        /// What went wrong, in words.
        words: String,
        /// The value of the position for the engine, if the tables have it.
        before: Option<Outcome>,
        /// The last lines that were exchanged.
        tail: Vec<String>,
    },
}

impl Turn {
    /// True if a value was thrown away, the move is illegal, or there is none.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        match &self.response {
            Response::Move { verdict, .. } => verdict.kind.is_fault(),
            Response::Failure { .. } => true,
        }
    }
}

/// How a game ended, for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The engine has won.
    Won,
    /// The engine has lost.
    Lost,
    /// Drawn: the same position three times, the limit of plies without a capture, or no move where that is a draw.
    Drawn,
    /// Neither side had won when the limit of plies was reached.
    Unfinished,
    /// The engine made no legal move.
    Forfeit,
    /// A position outside of the tables was reached.
    LeftTables,
}

impl End {
    /// The word of JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            End::Won => "won",
            End::Lost => "lost",
            End::Drawn => "drawn",
            End::Unfinished => "unfinished",
            End::Forfeit => "forfeit",
            End::LeftTables => "left-tables",
        }
    }
}

impl Game {
    /// True if the engine never threw a win away, and did not win all the same: it went round in circles.
    #[must_use]
    pub fn is_win_not_taken(&self) -> bool {
        let still_won = self.turns.last().is_some_and(|turn| match &turn.response {
            Response::Move { verdict, .. } => matches!(verdict.kind, Kind::Best | Kind::Slower) && verdict.is_winning(),
            Response::Failure { .. } => false,
        });
        still_won && matches!(self.end, Some(End::Drawn | End::Unfinished))
    }
}
