//! What a run says while it is at work, and what it did.

use super::plan::Plan;
use dsq_tables::class::Class;
use dsq_tables::value::Metric;
use std::sync::Arc;

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Tables made.
    pub made: usize,
    /// Tables that were there.
    pub kept: usize,
    /// Positions in the tables made: both sides to move, mirror images counted.
    pub positions: u64,
    /// Bytes of the tables made.
    pub bytes: u64,
}

/// A table that was made.
#[derive(Clone, Debug)]
pub struct TableReport {
    /// The class.
    pub class: Arc<Class>,
    /// What the table holds.
    pub metric: Metric,
    /// Positions on the full board, both sides to move.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Time from the start of the work on it to the named file, in seconds, that of the checker not counted.
    pub seconds: f64,
    /// Time of the checker, in seconds; 0 if it was not asked for.
    pub verify_seconds: f64,
    /// The longest win or loss in plies; 0 where it is not known.
    pub longest_plies: u32,
}

/// Watches a run, and can end it. Called from many threads.
pub trait Observer: Sync {
    /// The run begins.
    fn planned(&self, _plan: &Plan) {}
    /// A table is begun.
    fn table_started(&self, _class: &Class) {}
    /// A ply of a table is done.
    fn ply(&self, _class: &Class, _ply: u32) {}
    /// A table is done and has its name.
    fn table_finished(&self, _report: &TableReport) {}
    /// Something a user should know.
    fn note(&self, _text: &str) {}
    /// Whether to end the run. Tables that are done stay.
    fn stop(&self) -> bool {
        false
    }
}

/// Reports nothing and never ends the run.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {}
