//! The set of squares of one piece as one machine word.

use dsq_tables::board::{Bitboard, Board, Square};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// How many bits a word for the squares of a board has.
pub fn bits_of(board: &Board) -> u64 {
    match board.squares() {
        0..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}

/// A word with a bit for every square: `u32` for boards of up to 32 squares, `u64` up to 64, `u128` for larger ones.
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
    + BitXor<Output = Self>
    + Not<Output = Self>
    + 'static
{
    /// How many bits it has.
    const BITS: usize;
    /// No bit.
    const ZERO: Self;
    /// Every bit.
    const ALL: Self;

    /// The words of one row, as many as a word has bits. A board may use fewer of them.
    type Row: Copy + AsRef<[Self]> + AsMut<[Self]>;
    /// A row of zeros.
    const EMPTY_ROW: Self::Row;
    /// A row between two empty ones.
    type PaddedRow: Copy + AsRef<[Self]> + AsMut<[Self]>;
    /// Three empty rows.
    const EMPTY_PADDED_ROW: Self::PaddedRow;

    /// The squares of a set that fit.
    fn from_set(set: Bitboard) -> Self;
    /// The word with one bit.
    fn bit(square: usize) -> Self;
    /// Moves every bit up (or down, if negative); what leaves the word is lost.
    fn shifted(self, by: i32) -> Self;
    /// The number of the lowest set bit; only for words that are not zero.
    fn lowest(self) -> usize;
    /// How many bits are set.
    fn count(self) -> u32;
    /// All ones if the bit is set, else zero.
    fn spread(self, square: usize) -> Self;

    /// The 64 bits from bit 64 * `half` on; of a word that is shorter, all of it.
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
            type Row = [$type; <$type>::BITS as usize];
            const EMPTY_ROW: Self::Row = [0; <$type>::BITS as usize];
            type PaddedRow = [$type; 3 * <$type>::BITS as usize];
            const EMPTY_PADDED_ROW: Self::PaddedRow = [0; 3 * <$type>::BITS as usize];

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
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn half(self, half: usize) -> u64 {
                (self >> (64 * half)) as u64
            }
            #[inline(always)]
            fn from_half(half: usize, bits: u64) -> Self {
                (bits as $type) << (64 * half)
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

word!(u32);
word!(u64);
word!(u128);

/// Transposes a square matrix of as many words as a word has bits: bit `j` of word `i` changes places with bit `i` of word `j`.
///
/// Blocks of half the size are exchanged across the diagonal, then inside each quarter in the same way.
#[inline(always)]
pub fn transpose<W: Word>(matrix: &mut [W]) {
    let mut width = W::BITS / 2;
    // The bits of the left half of each block.
    let mut mask = W::ALL.shifted(-(width as i32));
    while width > 0 {
        for block in matrix[..W::BITS].chunks_exact_mut(2 * width) {
            let (upper, lower) = block.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let moved = (upper.shifted(-(width as i32)) ^ *lower) & mask;
                *lower = *lower ^ moved;
                *upper = *upper ^ moved.shifted(width as i32);
            }
        }
        width /= 2;
        mask = mask ^ mask.shifted(width as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_widths_behave_alike() {
        let bits = 0x0123_4567_89ab_cdef_u64;
        let short = bits as u32;
        for by in [-9, -1, 0, 1, 7] {
            assert_eq!(u128::from(bits).shifted(by) as u64, bits.shifted(by));
            assert_eq!(u64::from(short).shifted(by) as u32, short.shifted(by));
        }
        for square in 0..64 {
            assert_eq!(bits.spread(square) != 0, bits >> square & 1 != 0);
            assert_eq!(bits.spread(square) != 0, u128::from(bits).spread(square) != 0);
            if square < 32 {
                assert_eq!(bits.spread(square) != 0, short.spread(square) != 0);
            }
        }
        let (mut narrow, mut wide, mut shortest) = (Vec::new(), Vec::new(), Vec::new());
        bits.for_each_bit(|bit| narrow.push(bit));
        u128::from(bits).for_each_bit(|bit| wide.push(bit));
        short.for_each_bit(|bit| shortest.push(bit));
        assert_eq!(narrow, wide);
        assert!(narrow.starts_with(&shortest) && shortest.len() == short.count_ones() as usize);
        assert_eq!((short.half(0), u32::from_half(0, bits)), (u64::from(short), short));
    }

    fn assert_transposed<W: Word>(seed: u64) {
        let mut matrix: Vec<W> = (0..W::BITS as u64)
            .map(|row| {
                let bits = (row + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                W::from_half(0, bits) | W::from_half(W::BITS.div_ceil(64) - 1, bits.rotate_left(17))
            })
            .collect();
        let before = matrix.clone();
        transpose(&mut matrix);
        for (row, word) in matrix.iter().enumerate() {
            for (column, old) in before.iter().enumerate() {
                assert_eq!((*word & W::bit(column)).is_zero(), (*old & W::bit(row)).is_zero(), "{row} {column}");
            }
        }
    }

    #[test]
    fn a_matrix_is_transposed() {
        assert_transposed::<u32>(1);
        assert_transposed::<u64>(2);
        assert_transposed::<u128>(3);
    }
}
