//! Proves tables right, without any solver.
//!
//! A table is right if every value in it follows from the values of the positions after each legal move: it must be the
//! best of them, seen from the other side and one ply further away; a position without a move has the value of the rule
//! set. Only one assignment of values fulfils that everywhere: a win or loss has a child that is nearer to the end by one
//! ply, down to positions that are over, and no draw has a child that its side would rather go to. So if the tables below
//! are right, this one is.
//!
//! Distances to conversion are checked in the same way; see [`check_dtc_table`]. Tables without distances can be held against those with them; see [`check_wdl_table`].
//!
//! The checker goes forwards. Most positions are found right many at a time, by comparing whole lines of positions with
//! those that they lead to; every other one is judged by its legal moves (those of [`dsq_tables::moves`]) alone, so no
//! fault is reported that these do not show. The result does not depend on the number of threads.

mod dtc;
mod held;
mod keys;
mod lines;
mod outcome;
mod plan;
mod sample;
#[cfg(test)]
mod tests;
mod values;
mod wdl;

pub use dtc::{DtcFault, DtcReport, check_dtc_table};
pub use sample::Sample;
pub use values::ValueFault;
pub use wdl::{Against, WdlFault, WdlReport, check_wdl_table};

use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::{Metric, Summary};
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Value;
use held::{Held, Shared};
use outcome::Merged;
use plan::Plan;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many bytes of decoded values the threads of a check share by default.
pub const DEFAULT_SHARED_BYTES: u64 = 2 << 30;

/// How a table is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Checks only some positions; none means all of them, and the summary of the table as well.
    pub sample: Option<Sample>,
    /// How many wrong values are reported one by one; all are counted.
    pub max_faults: usize,
    /// How many bytes of decoded values may be kept in memory until the check ends, for all threads together; each thread
    /// has 64 MiB more. It has no influence on what is found.
    pub shared_bytes: u64,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { sample: None, max_faults: 10, shared_bytes: DEFAULT_SHARED_BYTES }
    }
}

/// Watches a check and can end it.
pub trait CheckObserver: Sync {
    /// So many more positions are checked.
    fn advanced(&self, _positions: u64) {}

    /// True if the check shall end early.
    fn stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl CheckObserver for () {}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckReport {
    /// How many positions were checked; of two mirror images that share a number only one is.
    pub positions: u64,
    /// How many of them have a wrong value.
    pub wrong: u64,
    /// The first wrong values in the order of the table, at most [`CheckOptions::max_faults`].
    pub faults: Vec<Fault>,
    /// The counts of the whole table by its values, mirror images counted; none after a sample or an early end.
    pub summary: Option<Summary>,
    /// Where the summary in the table differs from that; wrong as well.
    pub summary_faults: Vec<SummaryFault>,
    /// True if the observer ended the check early. Then only a part was checked.
    pub stopped: bool,
}

impl CheckReport {
    /// True if nothing wrong was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong == 0 && self.summary_faults.is_empty()
    }
}

/// A position whose value does not follow from its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The position, of the material that represents the class.
    pub fen: String,
    /// The side to move in the table.
    pub side: Side,
    /// The number in the table.
    pub number: u64,
    /// The value in the table.
    pub found: Value,
    /// The value that follows from the moves.
    pub expected: Value,
    /// The first move with that value, as `a3a4`; none if there is no legal move.
    pub decided_by: Option<String>,
}

/// A difference between the summary in a table and the values in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SummaryFault {
    /// The side to move.
    pub side: Side,
    /// Which figure.
    pub field: &'static str,
    /// The figure in the summary.
    pub found: String,
    /// The figure that the values give.
    pub expected: String,
}

/// Checks every value of the table of a class, or a sample of them, against the values of its children. The tables of all
/// captures must be there. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read; the first one in the order of the table.
pub fn check_table(
    tablebase: &Tablebase,
    class: &Class,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<CheckReport, TablebaseError> {
    let plan = Plan::new(tablebase, class, Metric::Dtw, options.max_faults)?;
    let total = class.index().size().saturating_mul(plan.sides);
    let sample = options.sample.filter(|sample| sample.positions < total);
    let (next, ended, stopped) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let merged = Mutex::new(Merged::default());
    let shared = Shared::new(&plan.tables, options.shared_bytes);
    let work = || {
        let mut held = Held::new(&shared);
        // A block that is taken is also finished: all blocks before a damaged one are, and the first damage is found.
        while !ended.load(Ordering::Relaxed) {
            if observer.stop() {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= plan.blocks {
                return;
            }
            let outcome = plan.check_block(&mut held, block, sample);
            let mut merged = merged.lock().unwrap_or_else(PoisonError::into_inner);
            match outcome {
                Ok(outcome) => {
                    let positions = outcome.positions;
                    merged.add(outcome, options.max_faults);
                    drop(merged);
                    observer.advanced(positions);
                }
                Err(error) => {
                    merged.fail(block, error);
                    ended.store(true, Ordering::Relaxed);
                }
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| work());
        }
    });

    let merged = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = merged.error {
        return Err(error);
    }
    let mut held = Held::new(&shared);
    let faults = merged.outcome.faults.iter().map(|wrong| plan.describe(&mut held, wrong));
    let faults = faults.collect::<Result<_, _>>()?;
    let stopped = stopped.into_inner();
    let complete = sample.is_none() && !stopped;
    let summary = complete.then(|| Summary { sides: merged.outcome.counts[..class.sides()].to_vec() });
    let summary_faults = summary.as_ref().map_or(Ok(Vec::new()), |summary| plan.compare_summary(summary))?;
    let outcome = merged.outcome;
    Ok(CheckReport { positions: outcome.positions, wrong: outcome.wrong, faults, summary, summary_faults, stopped })
}
