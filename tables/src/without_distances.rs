//! Who wins, from distances to win: win, draw or loss without the number of plies.

use crate::board::Side;
use crate::error::TablebaseError;
use crate::format::ESCAPE;
use crate::table::Table;
use crate::value::Wdl;
use std::ops::Range;

impl Table {
    /// Who wins the positions with these numbers and one side to move, of a table of distances to win: a byte for each, the
    /// code of win, draw or loss (see [`Wdl::code`]).
    ///
    /// # Errors
    /// [`TablebaseError::File`]: the table is damaged.
    pub fn wdl_codes(&self, side: Side, numbers: Range<u64>) -> Result<Vec<u8>, TablebaseError> {
        let len = self.block_len();
        let (mut codes, mut exceptions) = (Vec::new(), Vec::new());
        let first = numbers.start / len;
        for block in first..numbers.end.div_ceil(len) {
            self.append_block(side, block, &mut codes, &mut exceptions)?;
        }
        drop_distances(&mut codes, exceptions.into_iter().map(|(_, code)| code));
        codes.truncate((numbers.end - first * len) as usize);
        codes.drain(..(numbers.start - first * len) as usize);
        Ok(codes)
    }
}

/// Takes the distances out of the codes of distances to win; `exceptions` has the codes of those that are the escape, in
/// order. What is left is the code of win, draw or loss (see [`Wdl::code`]).
pub fn drop_distances(codes: &mut [u8], mut exceptions: impl Iterator<Item = u32>) {
    for code in codes {
        *code = match *code {
            ESCAPE => Wdl::from_code(exceptions.next().unwrap_or_default()).code(),
            // Draws stay 0, odd codes are losses, the other ones wins.
            code => u8::from(code != 0) << (1 - (code & 1)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lose_their_distance_and_nothing_else() {
        let codes: Vec<u32> = (0..400).chain([70_000, 70_001]).collect();
        let (mut bytes, exceptions) = crate::format::split_codes(&codes);
        drop_distances(&mut bytes, exceptions.into_iter());
        assert!(bytes.into_iter().eq(codes.into_iter().map(|code| Wdl::from_code(code).code())));
    }
}
