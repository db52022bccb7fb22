//! A solved class in memory, as it will stand in its table.

use crate::arena::Arena;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::{ESCAPE, Longest, Metric, SideSummary, Summary};
use dsq_tables::index::Index;
use dsq_tables::table::Table;
use dsq_tables::tablebase::TablebaseError;
use dsq_tables::value::Dtc;
use dsq_tables::value::{Value, Wdl};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The values of the positions with one side to move, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SideCodes {
    bytes: Vec<u8>,
    /// Numbers and codes of the positions whose byte is the escape, ascending.
    exceptions: Vec<(u64, u32)>,
}

impl SideCodes {
    /// From bytes and the codes of those that are the escape, by ascending number.
    #[must_use]
    pub fn new(bytes: Vec<u8>, exceptions: Vec<(u64, u32)>) -> SideCodes {
        SideCodes { bytes, exceptions }
    }

    /// From codes (see [`Value::code`]).
    #[must_use]
    pub fn from_codes(codes: &[u32]) -> SideCodes {
        let byte = |&code: &u32| u8::try_from(code).unwrap_or(ESCAPE);
        let long = (0u64..).zip(codes).filter(|(_, code)| **code >= ESCAPE.into());
        SideCodes { bytes: codes.iter().map(byte).collect(), exceptions: long.map(|(n, code)| (n, *code)).collect() }
    }

    /// Reads the values of a table with one side to move into memory.
    ///
    /// # Errors
    /// [`TablebaseError`]: the table is damaged.
    pub fn read(table: &Table, side: Side) -> Result<SideCodes, TablebaseError> {
        let mut bytes = vec![0; table.class().index().size() as usize];
        let read = |(block, bytes): (usize, &mut [u8])| {
            let (mut codes, mut exceptions) = (Vec::with_capacity(bytes.len()), Vec::new());
            table.append_block(side, block as u64, &mut codes, &mut exceptions)?;
            for (byte, code) in bytes.iter_mut().zip(codes) {
                *byte = code;
            }
            Ok(exceptions)
        };
        let blocks = bytes.par_chunks_mut(table.block_len() as usize).enumerate();
        let exceptions = blocks.map(read).collect::<Result<Vec<_>, TablebaseError>>()?.concat();
        Ok(SideCodes { bytes, exceptions })
    }

    /// Adds the values of the next numbers; their exceptions have the numbers of the whole.
    pub fn append(&mut self, mut next: SideCodes) {
        self.bytes.append(&mut next.bytes);
        self.exceptions.append(&mut next.exceptions);
    }

    /// Tells wins that a limit makes draws, and losses, from other draws, in distances to conversion: these are the numbers from
    /// `first` on of a class with this index, and `known` has who wins without the limit, as [`Wdl::code`] has it. False if
    /// the two contradict each other: what is won or lost under the limit is so without it, and if there is none (`limited` is
    /// false) the two agree.
    #[must_use]
    pub fn tell_spoilt(&mut self, index: &Index, first: u64, known: &[u8], limited: bool) -> bool {
        let (draw, spoilt, saved) = (Dtc::Draw.code() as u8, Dtc::SpoiltWin.code() as u8, Dtc::SavedLoss.code() as u8);
        let (win, loss) = (Wdl::Win.code(), Wdl::Loss.code());
        // What stands where there is no position means nothing.
        let exists = |place: usize| index.is_dense() || index.weight_at(first + place as u64) > 0;
        let mut agree = self.bytes.len() == known.len();
        for (place, (byte, &known)) in self.bytes.iter_mut().zip(known).enumerate() {
            match *byte {
                ESCAPE => {}
                0 if limited && known == win => *byte = spoilt,
                0 if limited && known == loss => *byte = saved,
                code => {
                    let here = if code == draw { Wdl::Draw.code() } else { win - (code & 1) };
                    agree &= here == known || !exists(place);
                }
            }
        }
        let long = |&(number, code): &(u64, u32)| {
            let place = (number - first) as usize;
            known.get(place).is_some_and(|&known| Metric::Dtc.wdl(code).code() == known || !exists(place))
        };
        agree && self.exceptions.iter().all(long)
    }

    /// Takes the values from a place on away; `number` is that of the first of them.
    #[must_use]
    pub fn split_off(&mut self, place: usize, number: u64) -> SideCodes {
        let exceptions = self.exceptions.split_off(self.exceptions.partition_point(|&(other, _)| other < number));
        SideCodes { bytes: self.bytes.split_off(place), exceptions }
    }

    /// One byte for each number: the code, or the escape.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Numbers and codes of the positions whose byte is the escape, ascending.
    #[must_use]
    pub fn exceptions(&self) -> &[(u64, u32)] {
        &self.exceptions
    }

    /// The codes of the exceptions in a range of numbers, in order.
    #[must_use]
    pub fn exceptions_in(&self, numbers: std::ops::Range<u64>) -> Vec<u32> {
        let first = self.exceptions.partition_point(|&(number, _)| number < numbers.start);
        let inside = self.exceptions[first..].iter().take_while(|&&(number, _)| number < numbers.end);
        inside.map(|&(_, code)| code).collect()
    }

    /// The code of a number (0, a draw, for a number that does not exist).
    #[must_use]
    #[inline]
    pub fn code(&self, number: u64) -> u32 {
        match self.bytes.get(number as usize) {
            None => 0,
            Some(&ESCAPE) => {
                let place = self.exceptions.binary_search_by_key(&number, |&(number, _)| number);
                place.map_or(0, |place| self.exceptions[place].1)
            }
            Some(&byte) => byte.into(),
        }
    }

    /// The value of a number.
    #[must_use]
    #[inline]
    pub fn value(&self, number: u64) -> Value {
        Value::from_code(self.code(number))
    }
}

/// Puts the values of the next numbers with the side to move 0 or 1 behind those that are there.
pub fn put_part(sides: &mut Vec<SideCodes>, side: usize, part: SideCodes) {
    match sides.get_mut(side) {
        Some(codes) => codes.append(part),
        None => sides.push(part),
    }
}

/// All values of a class.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The class.
    pub class: Arc<Class>,
    /// What its values are.
    pub metric: Metric,
    /// White to move, then, unless the class is symmetric, Black to move. Shared with whoever needs one side only.
    sides: Vec<Arc<SideCodes>>,
    summary: Summary,
}

impl Solved {
    /// The distances to win of a class. `drawn_stalemates` has for each side the number of positions that are drawn because there is no
    /// legal move, mirror images counted; those lost because of that are counted here.
    #[must_use]
    pub fn new(class: Arc<Class>, sides: Vec<SideCodes>, drawn_stalemates: &[u64]) -> Solved {
        Solved::with_metric(class, Metric::Dtw, sides, drawn_stalemates)
    }

    /// The same with values of another metric.
    #[must_use]
    pub fn with_metric(class: Arc<Class>, metric: Metric, sides: Vec<SideCodes>, drawn_stalemates: &[u64]) -> Solved {
        let summarise = |(number, side): (usize, &SideCodes)| {
            let mut counter = Counter::default();
            counter.add(class.index(), side);
            counter.summary(metric, drawn_stalemates.get(number).copied().unwrap_or_default())
        };
        let summary = Summary { sides: sides.iter().enumerate().map(summarise).collect() };
        Solved { class, metric, sides: sides.into_iter().map(Arc::new).collect(), summary }
    }

    /// Reads a table into memory.
    ///
    /// # Errors
    /// [`TablebaseError`]: the table is damaged.
    pub fn read(table: &Table) -> Result<Solved, TablebaseError> {
        let sides = Side::BOTH.into_iter().take(table.class().sides()).map(|side| SideCodes::read(table, side));
        let sides = sides.map(|side| side.map(Arc::new)).collect::<Result<_, _>>()?;
        let (class, metric) = (table.class().clone(), table.metric());
        Ok(Solved { class, metric, sides, summary: table.summary().clone() })
    }

    /// The values with one side to move; of a symmetric class always White's.
    #[must_use]
    pub fn side(&self, side: Side) -> &Arc<SideCodes> {
        &self.sides[side.index().min(self.sides.len() - 1)]
    }

    /// White's values, then, unless the class is symmetric, Black's.
    #[must_use]
    pub fn sides(&self) -> &[Arc<SideCodes>] {
        &self.sides
    }

    /// In buffers that are no larger than what they hold, to be kept.
    #[must_use]
    pub fn fitted(mut self) -> Solved {
        self.sides.iter_mut().filter_map(Arc::get_mut).for_each(|side| side.bytes.shrink_to_fit());
        self
    }

    /// Gives the buffers back to where they came from.
    pub fn recycle(self, arena: &Arena) {
        self.sides.into_iter().filter_map(Arc::into_inner).for_each(|side| arena.give(side.bytes));
    }

    /// How many bytes of memory it takes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.sides.iter().map(|side| (side.bytes.capacity() + side.exceptions.len() * 16) as u64).sum()
    }

    /// How many positions of each kind there are, mirror images counted.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// Counts the values of one side to move, part by part.
#[derive(Clone, Debug)]
pub struct Counter {
    /// By code below the escape: how many positions, mirror images counted, and the first number.
    short: Vec<(u64, Option<u64>)>,
    /// The same for longer codes.
    long: BTreeMap<u32, (u64, u64)>,
    next: u64,
}

impl Default for Counter {
    fn default() -> Self {
        Counter { short: vec![(0, None); 256], long: BTreeMap::new(), next: 0 }
    }
}

impl Counter {
    /// Counts the values of the next numbers. All parts but the last hold whole squares of the first piece, or all numbers
    /// of one.
    pub fn add(&mut self, index: &Index, part: &SideCodes) {
        // All numbers with one square of the first piece weigh the same.
        let run = index.numbers_of_first_square().max(1);
        let start = self.next;
        let mut runs: Vec<(u64, &[u8])> = Vec::new();
        let mut rest = part.bytes.as_slice();
        let mut first = start;
        while !rest.is_empty() {
            let (bytes, after) = rest.split_at(rest.len().min((run - first % run) as usize));
            runs.push((first, bytes));
            first += bytes.len() as u64;
            rest = after;
        }
        self.next = first;
        let count = |&(first, bytes): &(u64, &[u8])| {
            if index.is_dense() {
                let weight = index.weight_at(first);
                return histogram(bytes).map(|count| count * weight);
            }
            let mut counts = [0u64; 256];
            for (number, &byte) in (first..).zip(bytes) {
                counts[usize::from(byte)] += index.weight_at(number);
            }
            counts
        };
        let counted: Vec<[u64; 256]> = runs.par_iter().map(count).collect();
        // The first of a code is in the first run that has it.
        let new: Vec<(u8, u64, &[u8])> = (0..ESCAPE)
            .filter(|&code| self.short[usize::from(code)].1.is_none())
            .filter_map(|code| {
                let run = counted.iter().position(|counts| counts[usize::from(code)] > 0)?;
                Some((code, runs[run].0, runs[run].1))
            })
            .collect();
        let find = |&(code, first, bytes): &(u8, u64, &[u8])| {
            let here =
                |&(number, &byte): &(u64, &u8)| byte == code && (index.is_dense() || index.weight_at(number) > 0);
            let found = (first..).zip(bytes).find(here)?;
            Some((code, found.0))
        };
        for (code, number) in new.par_iter().filter_map(find).collect::<Vec<_>>() {
            self.short[usize::from(code)].1 = Some(number);
        }
        for counts in counted {
            self.short.iter_mut().zip(counts).for_each(|(sum, count)| sum.0 += count);
        }
        for &(number, code) in &part.exceptions {
            self.long.entry(code).or_insert((0, number)).0 += index.weight_at(number);
        }
    }

    /// What was counted, of a metric. `drawn_stalemates` positions are drawn because there is no legal move; those lost because of that
    /// are known by their code.
    #[must_use]
    pub fn summary(&self, metric: Metric, drawn_stalemates: u64) -> SideSummary {
        let lost_at_once = if metric == Metric::Dtc { Dtc::Loss(0).code() } else { Value::Loss(0).code() };
        let stalemates = self.short[lost_at_once as usize].0 + drawn_stalemates;
        let mut summary = SideSummary { stalemates, ..SideSummary::default() };
        for (code, &(count, first)) in (0..u32::from(ESCAPE)).zip(&self.short) {
            add(&mut summary, metric, code, count, first.unwrap_or_default());
        }
        for (&code, &(count, first)) in &self.long {
            add(&mut summary, metric, code, count, first);
        }
        summary
    }
}

/// How often each byte occurs.
fn histogram(bytes: &[u8]) -> [u64; 256] {
    // Four counters for each byte, so that runs of the same byte do not wait for each other.
    let mut counters = [[0u32; 256]; 4];
    let mut counts = [0u64; 256];
    for part in bytes.chunks(1 << 30) {
        let mut quads = part.chunks_exact(4);
        for quad in &mut quads {
            for (counter, &byte) in counters.iter_mut().zip(quad) {
                counter[usize::from(byte)] += 1;
            }
        }
        quads.remainder().iter().for_each(|&byte| counters[0][usize::from(byte)] += 1);
        for counter in &mut counters {
            counts.iter_mut().zip(counter).for_each(|(count, found)| *count += u64::from(std::mem::take(found)));
        }
    }
    counts
}

/// Enters positions with a code of a metric, of which `number` is the first, into a summary.
fn add(summary: &mut SideSummary, metric: Metric, code: u32, count: u64, number: u64) {
    if count == 0 {
        return;
    }
    summary.positions += count;
    let value = match metric {
        Metric::Dtc => Dtc::from_code(code),
        _ => Value::from_code(code).into(),
    };
    let (sum, longest) = match value {
        Dtc::Win(_) => (&mut summary.won, Some(&mut summary.longest_win)),
        Dtc::SpoiltWin => (&mut summary.spoilt_wins, None),
        Dtc::Draw => (&mut summary.drawn, None),
        Dtc::SavedLoss => (&mut summary.saved_losses, None),
        Dtc::Loss(_) => (&mut summary.lost, Some(&mut summary.longest_loss)),
    };
    *sum += count;
    if let (Some(longest), Some(plies)) = (longest, value.plies())
        && longest.is_none_or(|longest| longest.plies < plies)
    {
        *longest = Some(Longest { plies, position: number });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_every_byte() {
        let bytes: Vec<u8> = (0..1003u32).map(|n| (n * n % 251) as u8).collect();
        let counts = histogram(&bytes);
        for byte in 0..=255u8 {
            let expected = bytes.iter().filter(|&&other| other == byte).count() as u64;
            assert_eq!(counts[usize::from(byte)], expected);
        }
    }

    #[test]
    fn long_codes_are_found_among_the_exceptions() {
        let codes = [0, 254, 255, 7, 70_000, 1];
        let side = SideCodes::from_codes(&codes);
        assert_eq!(side.bytes(), [0, 254, 255, 7, 255, 1]);
        for (number, &code) in (0..).zip(&codes) {
            assert_eq!(side.code(number), code);
        }
        assert_eq!(side.exceptions_in(0..3), [255]);
        assert_eq!(side.exceptions_in(3..6), [70_000]);
    }
}
