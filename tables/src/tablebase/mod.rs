//! A folder of tables: probing.
//!
//! The tables of a rule set lie in `FOLDER/<rule set>/`, one file for each class and metric: `RL-E.dtw.dsq`.
//!
//! | for | call |
//! | --- | --- |
//! | a value in a search | [`Tablebase::probe`], [`probe_wdl`](Tablebase::probe_wdl), [`probe_dtc`](Tablebase::probe_dtc) |
//! | all that the tables know of a position and its moves | [`Tablebase::analyse`] |
//! | the same for many positions | [`Tablebase::analyse_many`] |
//! | the line of best play | [`Tablebase::line`] |

mod analysis;
mod line;
mod probe;
mod store;
#[cfg(test)]
mod tests;

pub use crate::error::TablebaseError;
pub use analysis::{AnalysedMove, Analysis, MoveValue};
pub use line::{Line, LineEnd};
pub use probe::Probe;
pub use store::{DEFAULT_CACHE_BYTES, Tablebase, TablebaseOptions};
