//! The values of one side to move, as they will be in a table.

use dsq_tables::board::Side;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::ESCAPE;
use dsq_tables::table::Table;
use dsq_tables::value::Value;
use rayon::prelude::*;

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

    /// How many bytes of memory they take.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.exceptions.len() * 16) as u64
    }

    /// Gives back the memory that is not used.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// The buffer of the bytes, to be used again.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Each byte, to be changed in place; none becomes the escape or ceases to be it.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The distance to win of a number.
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

#[cfg(test)]
mod tests {
    use super::*;

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
