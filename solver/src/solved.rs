//! A solved class in memory, as it will stand in its table.

use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::{ESCAPE, Longest, SideSummary, Summary};
use dsq_tables::table::Table;
use dsq_tables::tablebase::TablebaseError;
use dsq_tables::value::Value;
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

/// All values of a class.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The class.
    pub class: Arc<Class>,
    /// White to move, then, unless the class is symmetric, Black to move.
    sides: Vec<SideCodes>,
    /// For each of the sides: the positions without a legal move, mirror images counted.
    stalemates: Vec<u64>,
}

impl Solved {
    /// The values of a class with, for each side, the number of positions without a legal move.
    #[must_use]
    pub fn new(class: Arc<Class>, sides: Vec<SideCodes>, stalemates: Vec<u64>) -> Solved {
        Solved { class, sides, stalemates }
    }

    /// Reads a table into memory.
    ///
    /// # Errors
    /// [`TablebaseError`]: the table is damaged.
    pub fn read(table: &Table) -> Result<Solved, TablebaseError> {
        let mut sides = Vec::new();
        for side in [Side::White, Side::Black].into_iter().take(table.class().sides()) {
            let mut codes = SideCodes::default();
            for block in 0..table.blocks_per_side() {
                table.append_block(side, block, &mut codes.bytes, &mut codes.exceptions)?;
            }
            sides.push(codes);
        }
        let stalemates = table.summary().sides.iter().map(|side| side.stalemates).collect();
        Ok(Solved { class: table.class().clone(), sides, stalemates })
    }

    /// The values with one side to move; of a symmetric class always White's.
    #[must_use]
    pub fn side(&self, side: Side) -> &SideCodes {
        &self.sides[side.index().min(self.sides.len() - 1)]
    }

    /// White's values, then, unless the class is symmetric, Black's.
    #[must_use]
    pub fn sides(&self) -> &[SideCodes] {
        &self.sides
    }

    /// How many bytes of memory it takes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.sides.iter().map(|side| (side.bytes.len() + side.exceptions.len() * 16) as u64).sum()
    }

    /// Counts the values.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let index = self.class.index();
        let of_side = |(side, &stalemates): (&SideCodes, &u64)| {
            let mut summary = SideSummary { stalemates, ..SideSummary::default() };
            // All numbers of one square of the first piece weigh the same.
            let run = index.numbers_of_first_square();
            for first in (0..index.size()).step_by(run as usize) {
                let holes = !index.is_dense();
                let weight = if holes { 0 } else { index.weight_at(first) };
                count_run(&mut summary, index, side, first..(first + run).min(index.size()), weight);
            }
            summary
        };
        Summary { sides: self.sides.iter().zip(&self.stalemates).map(of_side).collect() }
    }
}

/// Counts the values of a range of numbers. A weight of 0 means that each number is to be looked at, since there are holes.
fn count_run(
    summary: &mut SideSummary,
    index: &dsq_tables::index::Index,
    side: &SideCodes,
    numbers: std::ops::Range<u64>,
    weight: u64,
) {
    let mut counts = [0u64; 256];
    let mut first_at = [None; 256];
    for (number, &byte) in (numbers.start..).zip(&side.bytes[numbers.start as usize..numbers.end as usize]) {
        let weight = if weight == 0 { index.weight_at(number) } else { weight };
        if weight > 0 {
            counts[usize::from(byte)] += weight;
            first_at[usize::from(byte)].get_or_insert(number);
            if byte == ESCAPE {
                // Counted one by one below, by their true codes.
                counts[usize::from(byte)] -= weight;
                note(summary, side.code(number), number, weight);
            }
        }
    }
    for code in 0..ESCAPE {
        if let Some(number) = first_at[usize::from(code)] {
            note(summary, code.into(), number, counts[usize::from(code)]);
        }
    }
}

/// Enters `count` positions with a code, of which `number` is the first, into a summary.
fn note(summary: &mut SideSummary, code: u32, number: u64, count: u64) {
    summary.positions += count;
    let value = Value::from_code(code);
    let longest = match value {
        Value::Draw => {
            summary.drawn += count;
            return;
        }
        Value::Win(_) => {
            summary.won += count;
            &mut summary.longest_win
        }
        Value::Loss(_) => {
            summary.lost += count;
            &mut summary.longest_loss
        }
    };
    let plies = value.plies().unwrap_or_default();
    if longest.is_none_or(|longest| longest.plies < plies || (longest.plies == plies && longest.position > number)) {
        *longest = Some(Longest { plies, position: number });
    }
}
