//! Proves tables right, without any solver.
//!
//! A table is right if every value in it follows from the values of the positions after each legal move: it must be the
//! best of them, seen from the other side and one ply further away; a position without a move has the value of the rule
//! set. Only one assignment of values fulfils that everywhere: a win or loss has a child that is nearer to the end by one
//! ply, down to positions that are over, and no draw has a child that its side would rather go to. So if the tables below
//! are right, this one is.
//!
//! Distances to conversion are checked in the same way, see [`check_dtc`]. Tables without distances are compared with those
//! that have them, see [`check_wdl`].
//!
//! The checker goes forwards. Most positions of a table of distances to win are found right many at a time, by comparing whole
//! lines of positions with those that they lead to; every other one is judged only by its legal moves (those of
//! [`dsq_tables::moves`]), so no fault is reported that these do not show. The result does not depend on the number of threads.
//!
//! | file | does |
//! | --- | --- |
//! | `dtw`, `wdl`, `dtc` | say what the values of a table of that metric should be |
//! | `scan` | the walk over the positions of a table, the same for all |
//! | `moves` | what the moves from a position lead to, in the tables of a metric |
//! | `lines`, `line_map`, `keys` | many distances to win at a time |
//! | `blocks` | decoded blocks of the tables, shared by all threads |
//! | `count` | what was found, added up |
//! | `options`, `sample`, `report` | what is asked and what comes out |

mod blocks;
mod count;
mod dtc;
mod dtw;
mod keys;
mod line_map;
mod lines;
mod moves;
mod options;
mod report;
mod sample;
mod scan;
#[cfg(test)]
mod tests;
mod wdl;

pub use dtc::check_dtc;
pub use dtw::check_dtw;
pub use options::{CheckObserver, CheckOptions, DEFAULT_SHARED_BYTES};
pub use report::{Against, Fault, Report, SummaryFault};
pub use sample::Sample;
pub use wdl::check_wdl;

use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::{Metric, Score};
use std::sync::Arc;

/// Checks every value of the table of a class and metric, or a sample of them. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read; the first one in the order of the table.
pub fn check_table(
    tablebase: &Tablebase,
    class: &Arc<Class>,
    metric: Metric,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<Report<Score>, TablebaseError> {
    Ok(match metric {
        Metric::Dtw => check_dtw(tablebase, class, options, observer)?.into_scores(),
        Metric::Wdl => check_wdl(tablebase, class, options, observer)?.into_scores(),
        Metric::Dtc => check_dtc(tablebase, class, options, observer)?.into_scores(),
    })
}
