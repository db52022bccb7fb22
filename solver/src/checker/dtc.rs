//! The check of a table of distances to conversion.
//!
//! Every distance must follow from the values after each legal move: that of a win from the soonest conversion that wins, that
//! of a loss from the latest. Only one assignment of distances fulfils that everywhere, as a quiet move leads to a distance
//! that is one ply less, a capture to a table below, and no distance is past the limit. What has none is divided by the
//! table of distances to win into cursed wins, blessed losses and draws.

use super::blocks::{Blocks, SharedBlocks};
use super::count::compare_counts;
use super::moves::Moves;
use super::options::{CheckObserver, CheckOptions};
use super::report::{Report, SummaryFault};
use super::scan::{Judge, scan};
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{Longest, SideSummary};
use dsq_tables::index::Squares;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::table::Table;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::{Dtc, TableValue, Wdl};
use std::sync::Arc;

/// Checks every value of the table of distances to conversion of a class, or a sample of them, against the values after each
/// move. The tables of all captures must be there, and, under a limit, the table of distances to win of the class, which is
/// taken to be right. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read; the first one in the order of the table.
pub fn check_dtc(
    tablebase: &Tablebase,
    class: &Arc<Class>,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<Report<Dtc>, TablebaseError> {
    let table = tablebase.table_with(class, Dtc::METRIC)?;
    let without_limit = Dtc::METRIC.needs_under_limit().filter(|_| Dtc::METRIC.limit(tablebase.rules()).is_some());
    let distances = without_limit.map(|metric| tablebase.table_with(class, metric)).transpose()?;
    let moves = Moves::new(tablebase, class)?;
    let shared = SharedBlocks::new(&moves.tables, options.shared_bytes);
    let judge = ByMoves { moves: &moves, shared: &shared, distances: distances.as_deref() };
    scan(moves.rules, &table, &judge, options, observer)
}

struct ByMoves<'a> {
    moves: &'a Moves<'a, Dtc>,
    shared: &'a SharedBlocks<'a>,
    /// The distances to win; only where there is a limit.
    distances: Option<&'a Table>,
}

impl<'a> Judge for ByMoves<'a> {
    type Value = Dtc;
    type Kept = Blocks<'a>;

    fn kept(&self) -> Blocks<'a> {
        Blocks::new(self.shared)
    }

    fn distances(&self) -> Option<&Table> {
        self.distances
    }

    fn judge(
        &self,
        blocks: &mut Blocks<'a>,
        side: Side,
        number: u64,
        without_limit: Option<Wdl>,
    ) -> Result<(Dtc, bool), TablebaseError> {
        let (value, no_move) = self.moves.judge(blocks, side, number)?;
        let Some(without_limit) = without_limit else { return Ok((value, no_move)) };
        let right = match value {
            Dtc::Win(_) | Dtc::Loss(_) => value,
            Dtc::SpoiltWin | Dtc::Draw | Dtc::SavedLoss => match without_limit {
                Wdl::Win => Dtc::SpoiltWin,
                Wdl::Draw => Dtc::Draw,
                Wdl::Loss => Dtc::SavedLoss,
            },
        };
        Ok((right, no_move))
    }

    fn after(
        &self,
        blocks: &mut Blocks<'a>,
        position: &Position,
        squares: &Squares,
        legal: &LegalMove,
    ) -> Result<Dtc, TablebaseError> {
        self.moves.after(blocks, position, squares, legal)
    }

    fn compare_summary(
        &self,
        _: &Table,
        side: Side,
        stored: &SideSummary,
        counted: &mut SideSummary,
    ) -> Result<Vec<SummaryFault>, TablebaseError> {
        let mut faults = compare_counts::<Dtc>(side, stored, counted);
        let text = |longest: Option<Longest>| match longest {
            None => "none".to_owned(),
            Some(Longest { plies, position }) => format!("{plies} plies at number {position}"),
        };
        for (field, found, expected) in [
            ("the longest win", stored.longest_win, counted.longest_win),
            ("the longest loss", stored.longest_loss, counted.longest_loss),
        ] {
            if found != expected {
                faults.push(SummaryFault { side, field, found: text(found), expected: text(expected) });
            }
        }
        Ok(faults)
    }
}
