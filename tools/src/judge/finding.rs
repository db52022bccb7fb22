//! A move that is worth reporting, and where it comes from.

use super::dialect::Dialect;
use super::verdict::Verdict;
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::sync::Arc;

/// Where moves come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A game record.
    Record,
    /// An engine at work.
    Engine,
}

impl Source {
    /// The word for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Source::Record => "record",
            Source::Engine => "engine",
        }
    }
}

/// A move that is worth telling about.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Where it was played, as `game 3, ply 12`.
    pub place: String,
    /// Who played it: the side, and the name if there is one.
    pub player: String,
    /// The rule set.
    pub rules: Arc<Rules>,
    /// The position before it.
    pub position: Position,
    /// The move.
    pub squares: Move,
    /// The move as it was written, if that is not our way.
    pub written: Option<String>,
    /// Where it comes from.
    pub source: Source,
    /// How the other program writes, if that is not our way.
    pub theirs: Option<Arc<Dialect>>,
    /// What it is worth.
    pub verdict: Verdict,
    /// What else is to be known.
    pub notes: Vec<String>,
}
