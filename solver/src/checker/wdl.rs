//! The check of a table without distances.

use super::count::compare_counts;
use super::moves::{best_of, without_move};
use super::options::{CheckObserver, CheckOptions};
use super::report::{Against, Report, SummaryFault};
use super::scan::{Judge, scan};
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::SideSummary;
use dsq_tables::index::Squares;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::table::Table;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::{TableValue, Wdl};
use std::sync::Arc;

/// Checks every value of the table without distances of a class, or a sample of them: against the table with distances if
/// that is there, else against the values after each move, for which the tables of all captures must be there, with distances
/// or without. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read; the first one in the order of the table.
pub fn check_wdl(
    tablebase: &Tablebase,
    class: &Arc<Class>,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<Report<Wdl>, TablebaseError> {
    let table = tablebase.table_with(class, Wdl::METRIC)?;
    let source = Wdl::METRIC.thinned_from().map(|source| tablebase.table_with(class, source));
    let distances = match source.transpose() {
        Err(TablebaseError::Missing { .. }) => None,
        distances => distances?,
    };
    let judge = ByDistancesOrMoves { tablebase, class, distances: distances.as_deref() };
    scan(tablebase.rules(), &table, &judge, options, observer)
}

struct ByDistancesOrMoves<'a> {
    tablebase: &'a Tablebase,
    class: &'a Class,
    distances: Option<&'a Table>,
}

impl Judge for ByDistancesOrMoves<'_> {
    type Value = Wdl;
    type Kept = ();

    fn kept(&self) {}

    fn distances(&self) -> Option<&Table> {
        self.distances
    }

    fn against(&self) -> Against {
        if self.distances.is_some() { Against::Distances } else { Against::Moves }
    }

    fn judge(
        &self,
        (): &mut (),
        side: Side,
        number: u64,
        by_distances: Option<Wdl>,
    ) -> Result<(Wdl, bool), TablebaseError> {
        if let Some(value) = by_distances {
            return Ok((value, false));
        }
        let rules = self.tablebase.rules();
        let no_move = without_move(rules);
        let Some(position) = self.class.position(side, number) else { return Ok((no_move, true)) };
        let best = best_of(rules, &position, |legal| self.value_after(&position, legal))?;
        Ok((best.unwrap_or(no_move), best.is_none()))
    }

    fn after(&self, (): &mut (), position: &Position, _: &Squares, legal: &LegalMove) -> Result<Wdl, TablebaseError> {
        self.value_after(position, legal)
    }

    /// Positions without a move are those of the table with distances, if that is there.
    fn compare_summary(
        &self,
        _: &Table,
        side: Side,
        stored: &SideSummary,
        counted: &mut SideSummary,
    ) -> Result<Vec<SummaryFault>, TablebaseError> {
        if let Some(distances) = self.distances.and_then(|table| table.summary().sides.get(side.index())) {
            counted.stalemates = distances.stalemates;
        }
        Ok(compare_counts::<Wdl>(side, stored, counted))
    }
}

impl ByDistancesOrMoves<'_> {
    /// The value of a move, for the side that makes it, from the table that has the position after it.
    fn value_after(&self, position: &Position, legal: &LegalMove) -> Result<Wdl, TablebaseError> {
        Ok(-self.tablebase.probe_wdl(&position.after(legal))?)
    }
}
