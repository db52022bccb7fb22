//! The records of JSON. Other programs rely on the names of the fields: more may be added, none renamed.

mod positions;
mod rules;
mod tables;
mod work;

pub use positions::{End, FromLine, Kind, Move, MoveNodes, MoveValue, Moves, NoAnswer, Perft, Probe};
pub use rules::{RuleSet, Setting};
pub use tables::{
    Counts, ForeignTables, List, ListedTable, MadeFor, MaterialStats, SideStats, TableStatus, TotalStats,
};
pub use work::{CountFault, Estimate, Fault, Generated, Verdict, Verified};
