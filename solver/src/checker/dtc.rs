//! The check of a table of distances to conversion.
//!
//! Every distance must follow from the values after each legal move: that of a win from the soonest conversion that wins, that
//! of a loss from the latest. Only one assignment of distances fulfils that everywhere, as a quiet move leads to a distance
//! that is one ply less, a capture to a table below, and no distance is past the limit. What has none is told apart by the
//! table of distances to win: spoilt wins, saved losses and draws.

use super::held::{Held, Shared};
use super::outcome::lengthen;
use super::plan::{Child, Plan};
use super::values::{Judge, ValueFault, check_values, differences};
use super::{CheckObserver, CheckOptions, SummaryFault};
use crate::wdl::Distances;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::{Longest, Metric, SideSummary};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Dtc;
use dsq_tables::value::Wdl;
use std::ops::Range;
use std::sync::Arc;

/// What a check of a table of distances to conversion found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DtcReport {
    /// How many positions were checked; of two mirror images that share a number only one is.
    pub positions: u64,
    /// How many of them have a wrong value.
    pub wrong: u64,
    /// The first wrong values in the order of the table, at most [`CheckOptions::max_faults`].
    pub faults: Vec<DtcFault>,
    /// Where the summary in the table is wrong; not looked at in a sample.
    pub summary_faults: Vec<SummaryFault>,
    /// True if the observer ended the check early. Then only a part was checked.
    pub stopped: bool,
}

impl DtcReport {
    /// True if nothing wrong was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong == 0 && self.summary_faults.is_empty()
    }
}

/// A wrong value in a table of distances to conversion.
pub type DtcFault = ValueFault<Dtc>;

/// Checks every value of the table of distances to conversion of a class, or a sample of them. The tables of all captures must
/// be there, and, under a limit, the table of distances to win of the class, which is taken to be right. Works on the threads
/// of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read.
pub fn check_dtc_table(
    tablebase: &Tablebase,
    class: &Arc<Class>,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<DtcReport, TablebaseError> {
    let table = tablebase.table_with(class, Metric::Dtc)?;
    let limit = tablebase.rules().quiet_limit();
    let distances = limit.map(|_| tablebase.table(class)).transpose()?;
    let plan = Plan::new(tablebase, class, Metric::Dtc, options.max_faults)?;
    let shared = Shared::new(&plan.tables, options.shared_bytes);
    let judge = ByMoves { tablebase, plan: &plan, shared: &shared, limit, distances: distances.as_deref() };
    let found = check_values(tablebase.rules(), &table, &judge, options, observer)?;
    let summary_faults = if found.whole { ByMoves::summary_faults(&table, &found.counts) } else { Vec::new() };
    Ok(DtcReport {
        positions: found.positions,
        wrong: found.wrong,
        faults: found.faults,
        summary_faults,
        stopped: found.stopped,
    })
}

struct ByMoves<'a> {
    tablebase: &'a Tablebase,
    plan: &'a Plan<'a>,
    shared: &'a Shared<'a>,
    limit: Option<u32>,
    /// The distances to win; only where there is a limit.
    distances: Option<&'a Table>,
}

impl<'a> Judge for ByMoves<'a> {
    type Value = Dtc;
    /// Who wins without the limit, where there is one, and the blocks around.
    type Known = (Option<Vec<u8>>, Held<'a>);

    fn value(code: u32) -> Dtc {
        Dtc::from_code(code)
    }

    fn count(counts: &mut SideSummary, value: Dtc, number: u64, positions: u64) {
        let longest = |plies: u32| Some(Longest { plies, position: number });
        *match value {
            Dtc::Win(plies) => {
                lengthen(&mut counts.longest_win, longest(plies));
                &mut counts.won
            }
            Dtc::SpoiltWin => &mut counts.spoilt_wins,
            Dtc::Draw => &mut counts.drawn,
            Dtc::SavedLoss => &mut counts.saved_losses,
            Dtc::Loss(plies) => {
                lengthen(&mut counts.longest_loss, longest(plies));
                &mut counts.lost
            }
        } += positions;
    }

    fn known(&self, side: Side, numbers: Range<u64>) -> Result<Self::Known, TablebaseError> {
        let known = self.distances.map(|table| Distances::Table(table).codes(side, numbers)).transpose()?;
        Ok((known, Held::new(self.shared)))
    }

    fn judge(
        &self,
        (known, held): &mut Self::Known,
        place: usize,
        side: Side,
        number: u64,
    ) -> Result<(Dtc, bool), TablebaseError> {
        let (value, stuck) = self.by_moves(held, side, number)?;
        let Some(known) = known else { return Ok((value, stuck)) };
        let without = Wdl::from_code(known.get(place).copied().unwrap_or_default().into());
        let right = match value {
            Dtc::Win(_) | Dtc::Loss(_) => value,
            _ if without == Wdl::Win => Dtc::SpoiltWin,
            _ if without == Wdl::Loss => Dtc::SavedLoss,
            _ => Dtc::Draw,
        };
        Ok((right, stuck))
    }

    fn after(&self, position: &Position, legal: &LegalMove) -> Result<Dtc, TablebaseError> {
        let value = self.tablebase.probe_dtc(&position.after(legal))?;
        Ok(value.before_move(legal.capture.is_some(), self.limit))
    }
}

impl ByMoves<'_> {
    /// The value by the moves, and whether there is none.
    fn by_moves(&self, held: &mut Held<'_>, side: Side, number: u64) -> Result<(Dtc, bool), TablebaseError> {
        let rules = self.tablebase.rules();
        let stuck = self.plan.stuck.into();
        let class = self.plan.tables[0].class();
        let Some(squares) = class.index().squares(number) else { return Ok((stuck, true)) };
        let position = self.plan.position(&squares, side);
        let (mut best, mut failed) = (None, None);
        position.for_each_move(rules, |legal| {
            let child = match self.plan.child(held, &squares, &legal) {
                Ok(Child::Over) => Ok(Dtc::Loss(0)),
                Ok(Child::Eliminated) => Ok(self.plan.eliminated.into()),
                Ok(Child::Code(code)) => Ok(Dtc::from_code(code)),
                Ok(Child::Unforeseen) => self.tablebase.probe_dtc(&position.after(&legal)),
                Err(error) => Err(error),
            };
            match child {
                Ok(value) => best = best.max(Some(value.before_move(legal.capture.is_some(), self.limit))),
                Err(error) => failed = Some(error),
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok((best.unwrap_or(stuck), best.is_none())),
        }
    }

    /// Compares the summary in the table with what its values give.
    fn summary_faults(table: &Table, counts: &[SideSummary; 2]) -> Vec<SummaryFault> {
        let mut faults = Vec::new();
        for ((side, stored), counted) in Side::BOTH.into_iter().zip(&table.summary().sides).zip(counts) {
            let figures = [
                ("positions", stored.positions, counted.positions),
                ("won", stored.won, counted.won),
                ("spoilt wins", stored.spoilt_wins, counted.spoilt_wins),
                ("drawn", stored.drawn, counted.drawn),
                ("saved losses", stored.saved_losses, counted.saved_losses),
                ("lost", stored.lost, counted.lost),
                ("stalemates", stored.stalemates, counted.stalemates),
            ];
            differences(side, &figures, &mut faults);
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
        }
        faults
    }
}
