//! What checks of values one by one have in common.

use super::outcome::add_counts;
use super::{CheckObserver, CheckOptions, SummaryFault};
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::SideSummary;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::table::Table;
use dsq_tables::tablebase::TablebaseError;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A value that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueFault<V> {
    /// The position, of the material that represents the class.
    pub fen: String,
    /// The side to move in the table.
    pub side: Side,
    /// The number in the table.
    pub number: u64,
    /// The value in the table.
    pub found: V,
    /// What it should be.
    pub expected: V,
    /// The first move with that value, as `a3a4`; none if there is no such move.
    pub decided_by: Option<String>,
}

/// Says what the values of a table should be.
pub(super) trait Judge: Sync {
    /// A value.
    type Value: Copy + Eq + Send;
    /// What is looked up for a block before its positions are judged.
    type Known;

    /// The value of a code.
    fn value(code: u32) -> Self::Value;

    /// Counts the positions of a number, which have a value.
    fn count(counts: &mut SideSummary, value: Self::Value, number: u64, positions: u64);

    /// What is known about the numbers of a block.
    fn known(&self, side: Side, numbers: Range<u64>) -> Result<Self::Known, TablebaseError>;

    /// The right value of the position with a number, which is at a place among those that are known, and whether it has no
    /// legal move as far as that was looked at.
    fn judge(
        &self,
        known: &mut Self::Known,
        place: usize,
        side: Side,
        number: u64,
    ) -> Result<(Self::Value, bool), TablebaseError>;

    /// The value of a move, for the side that makes it.
    fn after(&self, position: &Position, legal: &LegalMove) -> Result<Self::Value, TablebaseError>;
}

/// What was found in a table.
pub(super) struct Found<V> {
    pub positions: u64,
    pub wrong: u64,
    pub faults: Vec<ValueFault<V>>,
    pub counts: [SideSummary; 2],
    pub stopped: bool,
    /// Whether all positions were checked.
    pub whole: bool,
}

impl<V> Default for Found<V> {
    fn default() -> Self {
        Found { positions: 0, wrong: 0, faults: Vec::new(), counts: Default::default(), stopped: false, whole: false }
    }
}

/// Checks every value of a table, or a sample of them. Works on the threads of the current rayon pool.
pub(super) fn check_values<J: Judge>(
    rules: &Rules,
    table: &Table,
    judge: &J,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<Found<J::Value>, TablebaseError> {
    let class = table.class();
    let total = class.index().size().saturating_mul(class.sides() as u64);
    let sample = options.sample.filter(|sample| sample.positions < total);
    let stopped = AtomicBool::new(false);
    let check = Check { rules, class, table, judge, options };
    let blocks = table.blocks_per_side();
    let part = |block: u64| {
        if observer.stop() {
            stopped.store(true, Ordering::Relaxed);
        }
        if stopped.load(Ordering::Relaxed) {
            return Ok(Found::default());
        }
        let (side, block) = (Side::BOTH[(block / blocks) as usize], block % blocks);
        let first = block * table.block_len();
        let numbers = first..(first + table.block_len()).min(class.index().size());
        let offset = side.index() as u64 * class.index().size();
        let mut part = Found::default();
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
    let parts: Vec<Result<Found<J::Value>, TablebaseError>> =
        (0..blocks * class.sides() as u64).into_par_iter().map(part).collect();
    let mut sum = Found::default();
    for part in parts {
        let part = part?;
        sum.positions += part.positions;
        sum.wrong += part.wrong;
        sum.faults.extend(part.faults);
        add_counts(&mut sum.counts, part.counts);
    }
    sum.faults.truncate(options.max_faults);
    sum.stopped = stopped.into_inner();
    sum.whole = sample.is_none() && !sum.stopped;
    Ok(sum)
}

struct Check<'a, J> {
    rules: &'a Rules,
    class: &'a Class,
    table: &'a Table,
    judge: &'a J,
    options: &'a CheckOptions,
}

impl<J: Judge> Check<'_, J> {
    /// Checks some numbers of a block, which holds those of `held`.
    fn numbers(
        &self,
        side: Side,
        block: u64,
        held: Range<u64>,
        chosen: impl Iterator<Item = u64>,
        part: &mut Found<J::Value>,
    ) -> Result<(), TablebaseError> {
        let found = self.table.decode_block(side, block)?;
        let mut known = self.judge.known(side, held.clone())?;
        let index = self.class.index();
        // All positions with one square of the first piece weigh the same.
        let run = index.numbers_of_first_square().max(1);
        let mut weighed: Option<(u64, u64)> = None;
        for number in chosen {
            let place = (number - held.start) as usize;
            let value = J::value(found.get(place).copied().unwrap_or_default());
            let weight = match weighed {
                Some((first, weight)) if index.is_dense() && number / run == first => weight,
                _ => index.weight_at(number),
            };
            weighed = Some((number / run, weight));
            if weight == 0 {
                continue;
            }
            let (right, stuck) = self.judge.judge(&mut known, place, side, number)?;
            part.positions += 1;
            let counts = &mut part.counts[side.index()];
            counts.positions += weight;
            counts.stalemates += if stuck { weight } else { 0 };
            J::count(counts, value, number, weight);
            if value != right {
                part.wrong += 1;
                if part.faults.len() < self.options.max_faults {
                    part.faults.push(self.fault(side, number, value, right));
                }
            }
        }
        Ok(())
    }

    fn fault(&self, side: Side, number: u64, found: J::Value, expected: J::Value) -> ValueFault<J::Value> {
        let Some(position) = self.class.position(side, number) else {
            return ValueFault { fen: String::new(), side, number, found, expected, decided_by: None };
        };
        // Only to help whoever reads it: a move that cannot be looked up is left out.
        let has_it = |legal: &LegalMove| self.judge.after(&position, legal).is_ok_and(|value| value == expected);
        let decided_by = position.legal_moves(self.rules).into_iter().find(has_it);
        let decided_by = decided_by.map(|legal| legal.squares.to_text(self.rules.board()));
        ValueFault { fen: position.to_fen(self.rules), side, number, found, expected, decided_by }
    }
}

/// Figures of a summary that differ: by their names, what is stored and what it should be.
pub(super) fn differences(side: Side, figures: &[(&'static str, u64, u64)], faults: &mut Vec<SummaryFault>) {
    for &(field, found, expected) in figures.iter().filter(|(_, found, expected)| found != expected) {
        faults.push(SummaryFault { side, field, found: found.to_string(), expected: expected.to_string() });
    }
}
