//! The records of JSON. Other programs rely on the names of the fields: more may be added, none renamed.

mod check;
mod engine;
mod metric;
mod positions;
mod rules;
mod ruling;
mod tables;
mod work;

pub use check::{CheckSummary, GameSummary, MoveVerdict};
pub use engine::{EngineGame, EngineMove, EngineSummary};
pub use positions::{End, FromLine, Kind, Move, MoveNodes, MoveValue, Moves, NoAnswer, Perft, Probe, UNKNOWN};
pub use rules::{RuleSet, Setting};
pub use ruling::Ruling;
pub use tables::{
    Counts, ForeignTables, List, ListedTable, MadeFor, MaterialStats, OtherTables, SideStats, TableStatus, TotalStats,
};
pub use work::{CountFault, Estimate, Fault, Generated, Verdict, Verified};
