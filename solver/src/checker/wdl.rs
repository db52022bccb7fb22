//! The check of a table without distances.

use super::values::{Judge, ValueFault, check_values, differences};
use super::{CheckObserver, CheckOptions, SummaryFault};
use crate::wdl::Distances;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::{Metric, SideSummary};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::NoMove;
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Wdl;
use std::ops::Range;
use std::sync::Arc;

/// What a check of a table without distances found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WdlReport {
    /// What the values were held against.
    pub against: Against,
    /// How many positions were checked; of two mirror images that share a number only one is.
    pub positions: u64,
    /// How many of them have a wrong value.
    pub wrong: u64,
    /// The first wrong values in the order of the table, at most [`CheckOptions::max_faults`].
    pub faults: Vec<WdlFault>,
    /// Where the summary in the table is wrong; not looked at in a sample.
    pub summary_faults: Vec<SummaryFault>,
    /// True if the observer ended the check early. Then only a part was checked.
    pub stopped: bool,
}

impl WdlReport {
    /// True if nothing wrong was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong == 0 && self.summary_faults.is_empty()
    }
}

/// What the values of a table without distances are held against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Against {
    /// The table with the distances of the same class. If that one is right, so is this one.
    Distances,
    /// The values after each legal move: a win has a move to a loss of the other side, a loss has only moves to wins, all
    /// others are draws. That is necessary and not enough: without distances, positions that are draws can be called wins
    /// and losses that lead to each other for ever, and the other way round.
    Moves,
}

/// A wrong value in a table without distances.
pub type WdlFault = ValueFault<Wdl>;

/// Checks every value of the table without distances of a class, or a sample of them: against the table with distances if
/// that is there, else against the values after each move, for which the tables of all captures must be there, with distances
/// or without. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read.
pub fn check_wdl_table(
    tablebase: &Tablebase,
    class: &Arc<Class>,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<WdlReport, TablebaseError> {
    let table = tablebase.table_with(class, Metric::Wdl)?;
    let distances = match tablebase.table(class) {
        Ok(distances) => Some(distances),
        Err(TablebaseError::Missing { .. }) => None,
        Err(error) => return Err(error),
    };
    let judge = ByMoves { tablebase, class, distances: distances.as_deref() };
    let found = check_values(tablebase.rules(), &table, &judge, options, observer)?;
    Ok(WdlReport {
        against: if distances.is_some() { Against::Distances } else { Against::Moves },
        positions: found.positions,
        wrong: found.wrong,
        summary_faults: if found.whole { judge.summary_faults(&table, &found.counts) } else { Vec::new() },
        faults: found.faults,
        stopped: found.stopped,
    })
}

struct ByMoves<'a> {
    tablebase: &'a Tablebase,
    class: &'a Class,
    distances: Option<&'a Table>,
}

impl Judge for ByMoves<'_> {
    type Value = Wdl;
    /// The values by the table with distances, if that is there.
    type Known = Option<Vec<u8>>;

    fn value(code: u32) -> Wdl {
        Wdl::from_code(code)
    }

    fn count(counts: &mut SideSummary, value: Wdl, _: u64, positions: u64) {
        *match value {
            Wdl::Win => &mut counts.won,
            Wdl::Draw => &mut counts.drawn,
            Wdl::Loss => &mut counts.lost,
        } += positions;
    }

    fn known(&self, side: Side, numbers: Range<u64>) -> Result<Option<Vec<u8>>, TablebaseError> {
        self.distances.map(|table| Distances::Table(table).codes(side, numbers)).transpose()
    }

    fn judge(
        &self,
        known: &mut Option<Vec<u8>>,
        place: usize,
        side: Side,
        number: u64,
    ) -> Result<(Wdl, bool), TablebaseError> {
        match known {
            Some(codes) => Ok((Wdl::from_code(codes.get(place).copied().unwrap_or_default().into()), false)),
            None => self.by_moves(side, number),
        }
    }

    fn after(&self, position: &Position, legal: &LegalMove) -> Result<Wdl, TablebaseError> {
        Ok(self.tablebase.probe_wdl(&position.after(legal))?.before_move())
    }
}

impl ByMoves<'_> {
    /// The value by the moves, and whether there is none.
    fn by_moves(&self, side: Side, number: u64) -> Result<(Wdl, bool), TablebaseError> {
        let stuck = if self.tablebase.rules().no_move() == NoMove::Loss { Wdl::Loss } else { Wdl::Draw };
        let Some(position) = self.class.position(side, number) else { return Ok((stuck, true)) };
        let (mut best, mut failed) = (None, None);
        position.for_each_move(self.tablebase.rules(), |legal| {
            if best != Some(Wdl::Win) && failed.is_none() {
                match self.after(&position, &legal) {
                    Ok(value) => best = best.max(Some(value)),
                    Err(error) => failed = Some(error),
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok((best.unwrap_or(stuck), best.is_none())),
        }
    }

    /// Compares the summary in the table with what its values give; positions without a move are those of the table with
    /// distances, if that is there.
    fn summary_faults(&self, table: &Table, counts: &[SideSummary; 2]) -> Vec<SummaryFault> {
        let mut faults = Vec::new();
        for ((side, stored), counted) in Side::BOTH.into_iter().zip(&table.summary().sides).zip(counts) {
            let distances = self.distances.and_then(|table| table.summary().sides.get(side.index()));
            let figures = [
                ("positions", stored.positions, counted.positions),
                ("won", stored.won, counted.won),
                ("drawn", stored.drawn, counted.drawn),
                ("lost", stored.lost, counted.lost),
                ("stalemates", stored.stalemates, distances.map_or(counted.stalemates, |side| side.stalemates)),
            ];
            differences(side, &figures, &mut faults);
        }
        faults
    }
}
