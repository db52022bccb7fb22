//! The walk over the positions of a table, the same for every metric.

use super::count::{Checked, Found, Merged, Wrong};
use super::options::{CheckObserver, CheckOptions};
use super::report::{Against, Fault, Report, SummaryFault};
use super::sample::Sample;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{SideSummary, Summary};
use dsq_tables::index::Squares;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::table::Table;
use dsq_tables::value::{Coded, TableValue, Wdl};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Says what the values of a table should be. One for each metric.
pub(super) trait Judge: Sync {
    /// A value.
    type Value: TableValue;
    /// What a thread keeps from one position to the next.
    type Kept;

    /// What a thread begins with.
    fn kept(&self) -> Self::Kept;

    /// The table of distances to win of the same class, if who wins by it is to be known for each position.
    fn distances(&self) -> Option<&Table>;

    /// What the values are compared with.
    fn against(&self) -> Against {
        Against::Moves
    }

    /// The right value of a position, and whether it has no legal move as far as that was looked at. `by_distances` is who
    /// wins by the table of distances, if there is one.
    fn judge(
        &self,
        kept: &mut Self::Kept,
        side: Side,
        number: u64,
        by_distances: Option<Wdl>,
    ) -> Result<(Self::Value, bool), TablebaseError>;

    /// The value of a move, for the side that makes it, from the position with these squares.
    fn after(
        &self,
        kept: &mut Self::Kept,
        position: &Position,
        squares: &Squares,
        legal: &LegalMove,
    ) -> Result<Self::Value, TablebaseError>;

    /// Checks consecutive numbers many at a time. False if that is not possible; then they are judged one by one.
    fn check_many(
        &self,
        _kept: &mut Self::Kept,
        _found: &mut Found<Self::Value>,
        _side: Side,
        _numbers: Range<u64>,
        _max_faults: usize,
    ) -> Result<bool, TablebaseError> {
        Ok(false)
    }

    /// Compares the summary in the table for one side to move with the counts of its values, which can be completed first by
    /// what is not in them.
    fn compare_summary(
        &self,
        table: &Table,
        side: Side,
        stored: &SideSummary,
        counted: &mut SideSummary,
    ) -> Result<Vec<SummaryFault>, TablebaseError>;
}

/// The check of a table.
pub(super) struct Scan<'a, J> {
    rules: &'a Rules,
    class: &'a Class,
    table: &'a Table,
    judge: &'a J,
    max_faults: usize,
    /// All blocks: those with White to move, then those with Black to move.
    pub(super) blocks: u64,
}

/// Checks every value of a table, or a sample of them. Works on the threads of the current rayon pool. The error is the first
/// one in the order of the table.
pub(super) fn scan<J: Judge>(
    rules: &Rules,
    table: &Table,
    judge: &J,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<Report<J::Value>, TablebaseError> {
    let scan = Scan::new(rules, table, judge, options.max_faults);
    let sample = options.sample.filter(|sample| sample.positions < scan.numbers());
    let stopped = AtomicBool::new(false);
    let merged = scan.check_blocks(sample, observer, &stopped);
    if let Some((_, error)) = merged.error {
        return Err(error);
    }
    let found = merged.found;
    let mut kept = judge.kept();
    let faults = found.faults.iter().map(|wrong| scan.describe(&mut kept, wrong)).collect();
    let stopped = stopped.into_inner();
    let (mut summary, mut summary_faults) = (None, Vec::new());
    if sample.is_none() && !stopped {
        let mut sides = found.counts[..scan.class.sides()].to_vec();
        for ((side, stored), counted) in Side::BOTH.into_iter().zip(&table.summary().sides).zip(&mut sides) {
            summary_faults.extend(judge.compare_summary(table, side, stored, counted)?);
        }
        summary = Some(Summary { sides });
    }
    Ok(Report {
        against: judge.against(),
        positions: found.positions,
        wrong: found.wrong,
        faults,
        summary,
        summary_faults,
        stopped,
    })
}

impl<'a, J: Judge> Scan<'a, J> {
    pub(super) fn new(rules: &'a Rules, table: &'a Table, judge: &'a J, max_faults: usize) -> Scan<'a, J> {
        let class: &Class = table.class();
        let blocks = table.blocks_per_side().saturating_mul(class.sides() as u64);
        Scan { rules, class, table, judge, max_faults, blocks }
    }

    /// How many numbers the table has, those of one side to move after those of the other.
    fn numbers(&self) -> u64 {
        self.class.index().size().saturating_mul(self.class.sides() as u64)
    }

    /// Checks the blocks in order on all threads, until there is an error or the observer ends it.
    fn check_blocks(
        &self,
        sample: Option<Sample>,
        observer: &dyn CheckObserver,
        stopped: &AtomicBool,
    ) -> Merged<J::Value> {
        let (next, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        let merged = Mutex::new(Merged::default());
        let work = || {
            let mut kept = self.judge.kept();
            // A block that is taken is also finished: all blocks before a damaged one are, and the first damage is found.
            while !ended.load(Ordering::Relaxed) {
                if observer.stop() {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= self.blocks {
                    return;
                }
                let found = self.check_block(&mut kept, block, sample);
                let mut merged = merged.lock().unwrap_or_else(PoisonError::into_inner);
                match found {
                    Ok(found) => {
                        let positions = found.positions;
                        merged.add(found, self.max_faults);
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
        merged.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks one block of the table, or the numbers of a sample that are in it.
    pub(super) fn check_block(
        &self,
        kept: &mut J::Kept,
        block: u64,
        sample: Option<Sample>,
    ) -> Result<Found<J::Value>, TablebaseError> {
        let per_side = self.table.blocks_per_side();
        let (side, block) = if block < per_side { (Side::White, block) } else { (Side::Black, block - per_side) };
        let size = self.class.index().size();
        let first = block.saturating_mul(self.table.block_len());
        let numbers = first..first.saturating_add(self.table.block_len()).min(size);
        let mut found = Found::default();
        match sample {
            None => {
                if !self.judge.check_many(kept, &mut found, side, numbers.clone(), self.max_faults)? {
                    self.check_each(kept, &mut found, (side, block), numbers.clone(), numbers)?;
                }
            }
            Some(sample) => {
                let before = if side == Side::White { 0 } else { size };
                let drawn = sample.numbers(self.numbers(), before + numbers.start..before + numbers.end);
                let mut drawn = drawn.map(|number| number - before).peekable();
                if drawn.peek().is_some() {
                    self.check_each(kept, &mut found, (side, block), numbers, drawn)?;
                }
            }
        }
        Ok(found)
    }

    /// Checks some of the numbers of a block one by one.
    fn check_each(
        &self,
        kept: &mut J::Kept,
        found: &mut Found<J::Value>,
        (side, block): (Side, u64),
        numbers: Range<u64>,
        chosen: impl Iterator<Item = u64>,
    ) -> Result<(), TablebaseError> {
        let codes = self.table.decode_block(side, block)?;
        let wdl = self.judge.distances().map(|table| table.wdl_codes(side, numbers.clone())).transpose()?;
        let index = self.class.index();
        // All positions with one square of the first piece weigh the same.
        let run = index.numbers_of_first_square().max(1);
        let mut weighed: Option<(u64, u64)> = None;
        for number in chosen {
            let weight = match weighed {
                Some((first, weight)) if index.is_dense() && number / run == first => weight,
                _ => index.weight_at(number),
            };
            weighed = Some((number / run, weight));
            if weight == 0 {
                continue;
            }
            let place = (number - numbers.start) as usize;
            let value = J::Value::from_code(codes.get(place).copied().unwrap_or_default());
            let by_distances =
                wdl.as_ref().map(|wdl| Wdl::from_code(wdl.get(place).copied().unwrap_or_default().into()));
            let right = self.judge.judge(kept, side, number, by_distances)?;
            found.enter(Checked { side, number, weight, found: value }, right, self.max_faults);
        }
        Ok(())
    }

    fn describe(&self, kept: &mut J::Kept, wrong: &Wrong<J::Value>) -> Fault<J::Value> {
        let Wrong { side, number, found, expected } = *wrong;
        let position = self.class.index().squares(number).zip(self.class.position(side, number));
        let Some((squares, position)) = position else {
            return Fault { fen: String::new(), side, number, found, expected, decided_by: None };
        };
        // Only to help whoever reads it: a move that cannot be looked up is left out.
        let mut has_it =
            |legal: &LegalMove| self.judge.after(kept, &position, &squares, legal).is_ok_and(|value| value == expected);
        let decided_by = position.legal_moves(self.rules).into_iter().find(|legal| has_it(legal));
        let decided_by = decided_by.map(|legal| legal.squares.to_text(self.rules.board()));
        Fault { fen: position.to_fen(self.rules), side, number, found, expected, decided_by }
    }
}
