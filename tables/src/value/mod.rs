//! Values of positions, and how the tables of each metric hold them.
//!
//! | type | in tables of | what it is |
//! | --- | --- | --- |
//! | [`Value`] | DTW | win, draw or loss with the distance to the end of the game |
//! | [`Wdl`] | WDL | win, draw or loss |
//! | [`Dtc`] | DTC | one of five outcomes, with the distance to the next capture or the end |
//!
//! All distances are in plies: single moves of one side. [`Metric`] names the kinds of tables and describes each of them;
//! [`TableValue`] is what their values have in common, so that one piece of code can work on tables of any metric.
//! [`Outcome`] is who wins, with or without a limit of plies without a capture, and [`Score`] an outcome with a distance.
//!
//! A new metric is one file here with its values ([`Coded`]), and an entry for it in `metric.rs`.

mod coded;
mod dtc;
mod dtw;
mod metric;
mod outcome;
mod wdl;

pub use coded::{Coded, Descriptor, Packing};
pub use dtc::Dtc;
pub use dtw::Value;
pub use metric::{Metric, TableValue, ValueVisitor};
pub use outcome::{Outcome, Score, Wdl};
