//! The set of squares of one piece as one machine word.

use dsq_tables::board::{Bitboard, Square};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A word with a bit for every square: `u64` for boards of up to 64 squares, `u128` for larger ones.
pub trait Word:
    Copy
    + Eq
    + Send
    + Sync
    + std::fmt::Debug
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + 'static
{
    /// How many bits it has.
    const BITS: usize;
    /// No bit.
    const ZERO: Self;
    /// Every bit.
    const ALL: Self;

    /// The squares of a set that fit.
    fn from_set(set: Bitboard) -> Self;
    /// The word with one bit.
    fn bit(square: usize) -> Self;
    /// Moves every bit up (or down, if negative); what leaves the word is lost.
    fn shifted(self, by: i32) -> Self;
    /// True if a bit is set.
    /// The number of the lowest set bit; only for words that are not zero.
    fn lowest(self) -> usize;
    /// All ones if the bit is set, else zero.
    fn spread(self, square: usize) -> Self;

    /// The 64 bits from bit 64 * `half` on.
    fn half(self, half: usize) -> u64;

    /// The word with these 64 bits from bit 64 * `half` on.
    fn from_half(half: usize, bits: u64) -> Self;

    /// Appends the word as little-endian bytes.
    fn append_to(self, bytes: &mut Vec<u8>);

    /// Takes a word of little-endian bytes from the front.
    fn take_from(bytes: &mut &[u8]) -> Option<Self>;

    /// The word of one square.
    fn of(square: Square) -> Self {
        Self::bit(square.index())
    }

    /// True if no bit is set.
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// The numbers of the set bits, ascending.
    #[inline(always)]
    fn for_each_bit(mut self, mut visit: impl FnMut(usize)) {
        while !self.is_zero() {
            let bit = self.lowest();
            visit(bit);
            self &= !Self::bit(bit);
        }
    }
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const BITS: usize = <$type>::BITS as usize;
            const ZERO: Self = 0;
            const ALL: Self = <$type>::MAX;

            #[inline(always)]
            fn from_set(set: Bitboard) -> Self {
                // Squares beyond the word do not exist on the boards it is used for.
                set.bits() as $type
            }
            #[inline(always)]
            fn bit(square: usize) -> Self {
                1 << square
            }
            #[inline(always)]
            fn shifted(self, by: i32) -> Self {
                if by >= 0 { self << by } else { self >> -by }
            }
            #[inline(always)]
            fn lowest(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline(always)]
            fn half(self, half: usize) -> u64 {
                (self >> (64 * half)) as u64
            }
            #[inline(always)]
            fn from_half(half: usize, bits: u64) -> Self {
                <$type>::from(bits) << (64 * half)
            }
            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn take_from(bytes: &mut &[u8]) -> Option<Self> {
                let (word, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(<$type>::from_le_bytes(*word))
            }
            #[inline(always)]
            fn spread(self, square: usize) -> Self {
                (0 as $type).wrapping_sub(self >> square & 1)
            }
        }
    };
}

word!(u64);
word!(u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_behave_alike() {
        let bits = 0x0123_4567_89ab_cdef_u64;
        for by in [-9, -1, 0, 1, 7] {
            let wide = u128::from(bits).shifted(by);
            assert_eq!(wide as u64, bits.shifted(by));
        }
        for square in 0..64 {
            assert_eq!(bits.spread(square) != 0, bits >> square & 1 != 0);
            assert_eq!(bits.spread(square) != 0, u128::from(bits).spread(square) != 0);
        }
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        bits.for_each_bit(|bit| narrow.push(bit));
        u128::from(bits).for_each_bit(|bit| wide.push(bit));
        assert_eq!(narrow, wide);
    }
}
