//! The check of a table without distances.

use super::outcome::add_counts;
use super::{CheckObserver, CheckOptions, SummaryFault};
use crate::wdl::Distances;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::{Metric, SideSummary};
use dsq_tables::rules::NoMove;
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Wdl;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WdlFault {
    /// The position, of the material that represents the class.
    pub fen: String,
    /// The side to move in the table.
    pub side: Side,
    /// The number in the table.
    pub number: u64,
    /// The value in the table.
    pub found: Wdl,
    /// What it should be.
    pub expected: Wdl,
    /// The first move with that value, as `a3a4`; none if there is no such move.
    pub decided_by: Option<String>,
}

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
    let total = class.index().size().saturating_mul(class.sides() as u64);
    let sample = options.sample.filter(|sample| sample.positions < total);
    let stopped = AtomicBool::new(false);
    let check = Check { tablebase, class, table: &table, distances: distances.as_deref(), options };
    let blocks = table.blocks_per_side();
    let part = |block: u64| {
        if observer.stop() {
            stopped.store(true, Ordering::Relaxed);
        }
        if stopped.load(Ordering::Relaxed) {
            return Ok(Part::default());
        }
        let (side, block) = (Side::BOTH[(block / blocks) as usize], block % blocks);
        let first = block * table.block_len();
        let numbers = first..(first + table.block_len()).min(class.index().size());
        let offset = side.index() as u64 * class.index().size();
        let mut part = Part::default();
        match sample {
            None => check.numbers(side, block, numbers.clone(), numbers, &mut part)?,
            Some(sample) => {
                let within = offset + numbers.start..offset + numbers.end;
                let chosen: Vec<u64> = sample.numbers(total, within).map(|number| number - offset).collect();
                if !chosen.is_empty() {
                    check.numbers(side, block, numbers, chosen.into_iter(), &mut part)?;
                }
            }
        }
        observer.advanced(part.positions);
        Ok(part)
    };
    let parts: Vec<Result<Part, TablebaseError>> =
        (0..blocks * class.sides() as u64).into_par_iter().map(part).collect();
    let mut sum = Part::default();
    for part in parts {
        sum.add(part?);
    }
    sum.faults.truncate(options.max_faults);
    let stopped = stopped.into_inner();
    let whole = sample.is_none() && !stopped;
    Ok(WdlReport {
        against: if distances.is_some() { Against::Distances } else { Against::Moves },
        positions: sum.positions,
        wrong: sum.wrong,
        faults: sum.faults,
        summary_faults: if whole { check.summary_faults(&sum.counts) } else { Vec::new() },
        stopped,
    })
}

/// What was found in a part of the table.
#[derive(Default)]
struct Part {
    positions: u64,
    wrong: u64,
    faults: Vec<WdlFault>,
    counts: [SideSummary; 2],
}

impl Part {
    fn add(&mut self, other: Part) {
        self.positions += other.positions;
        self.wrong += other.wrong;
        self.faults.extend(other.faults);
        add_counts(&mut self.counts, other.counts);
    }
}

struct Check<'a> {
    tablebase: &'a Tablebase,
    class: &'a Class,
    table: &'a Table,
    distances: Option<&'a Table>,
    options: &'a CheckOptions,
}

impl Check<'_> {
    /// Checks some numbers of a block, which holds those of `held`.
    fn numbers(
        &self,
        side: Side,
        block: u64,
        held: Range<u64>,
        chosen: impl Iterator<Item = u64>,
        part: &mut Part,
    ) -> Result<(), TablebaseError> {
        let (mut found, mut none) = (Vec::new(), Vec::new());
        self.table.append_block(side, block, &mut found, &mut none)?;
        let expected = self.distances.map(|table| Distances::Table(table).codes(side, held.clone())).transpose()?;
        let index = self.class.index();
        // All positions with one square of the first piece weigh the same.
        let run = index.numbers_of_first_square().max(1);
        let mut known: Option<(u64, u64)> = None;
        for number in chosen {
            let place = (number - held.start) as usize;
            let value = Wdl::from_code(found.get(place).copied().unwrap_or_default().into());
            let weight = match known {
                Some((first, weight)) if index.is_dense() && number / run == first => weight,
                _ => index.weight_at(number),
            };
            known = Some((number / run, weight));
            if weight == 0 {
                continue;
            }
            let (right, stuck) = match &expected {
                Some(codes) => (Wdl::from_code(codes.get(place).copied().unwrap_or_default().into()), false),
                None => self.by_moves(side, number)?,
            };
            part.positions += 1;
            let counts = &mut part.counts[side.index()];
            counts.positions += weight;
            counts.stalemates += if stuck { weight } else { 0 };
            *match value {
                Wdl::Win => &mut counts.won,
                Wdl::Draw => &mut counts.drawn,
                Wdl::Loss => &mut counts.lost,
            } += weight;
            if value != right {
                part.wrong += 1;
                if part.faults.len() < self.options.max_faults {
                    part.faults.push(self.fault(side, number, value, right));
                }
            }
        }
        Ok(())
    }

    /// The value by the moves, and whether there is none.
    fn by_moves(&self, side: Side, number: u64) -> Result<(Wdl, bool), TablebaseError> {
        let stuck = if self.tablebase.rules().no_move() == NoMove::Loss { Wdl::Loss } else { Wdl::Draw };
        let Some(position) = self.class.position(side, number) else { return Ok((stuck, true)) };
        let (mut best, mut failed) = (None, None);
        position.for_each_move(self.tablebase.rules(), |legal| {
            if best != Some(Wdl::Win) && failed.is_none() {
                match self.tablebase.probe_wdl(&position.after(&legal)) {
                    Ok(value) => best = best.max(Some(value.before_move())),
                    Err(error) => failed = Some(error),
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok((best.unwrap_or(stuck), best.is_none())),
        }
    }

    fn fault(&self, side: Side, number: u64, found: Wdl, expected: Wdl) -> WdlFault {
        let rules = self.tablebase.rules();
        let Some(position) = self.class.position(side, number) else {
            return WdlFault { fen: String::new(), side, number, found, expected, decided_by: None };
        };
        // Only to help whoever reads it: a move that cannot be looked up is left out.
        let has_it = |legal: &dsq_tables::moves::LegalMove| {
            let value = self.tablebase.probe_wdl(&position.after(legal));
            value.is_ok_and(|value| value.before_move() == expected)
        };
        let decided_by = position.legal_moves(rules).into_iter().find(has_it);
        let decided_by = decided_by.map(|legal| legal.squares.to_text(rules.board()));
        WdlFault { fen: position.to_fen(rules), side, number, found, expected, decided_by }
    }

    /// Compares the summary in the table with what its values give; positions without a move are those of the table with
    /// distances, if that is there.
    fn summary_faults(&self, counts: &[SideSummary; 2]) -> Vec<SummaryFault> {
        let mut faults = Vec::new();
        for ((side, stored), counted) in Side::BOTH.into_iter().zip(&self.table.summary().sides).zip(counts) {
            let distances = self.distances.and_then(|table| table.summary().sides.get(side.index()));
            for (field, found, expected) in [
                ("positions", stored.positions, counted.positions),
                ("won", stored.won, counted.won),
                ("drawn", stored.drawn, counted.drawn),
                ("lost", stored.lost, counted.lost),
                ("stalemates", stored.stalemates, distances.map_or(counted.stalemates, |side| side.stalemates)),
            ] {
                if found != expected {
                    let (found, expected) = (found.to_string(), expected.to_string());
                    faults.push(SummaryFault { side, field, found, expected });
                }
            }
        }
        faults
    }
}
