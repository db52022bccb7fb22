//! Bytes under the bits of a word: a byte for every square of the piece that is the word.

use crate::kernel::layout::Word;

/// What is written differently for some instructions: moving bytes under the bits of a word.
pub trait Bytes: Copy + Send + Sync {
    /// Writes `byte` to the cells of the set bits.
    fn store<W: Word>(self, cells: &mut [u8], bits: W, byte: u8);

    /// The bits of the cells that hold `byte`.
    fn equal<W: Word>(self, cells: &[u8], byte: u8) -> W;

    /// Puts the cells of the set bits into `out`, 0 for those that are not among `known`, and returns how many there were.
    /// `out` has room for [`Word::BITS`] bytes, also where fewer are kept.
    fn pack<W: Word>(self, cells: &[u8], bits: W, known: W, out: &mut [u8]) -> usize;
}

/// One bit after the other.
#[derive(Clone, Copy, Debug)]
pub struct PortableBytes;

impl Bytes for PortableBytes {
    #[inline(always)]
    fn store<W: Word>(self, cells: &mut [u8], bits: W, byte: u8) {
        bits.for_each_bit(|bit| cells[bit] = byte);
    }

    #[inline(always)]
    fn equal<W: Word>(self, cells: &[u8], byte: u8) -> W {
        let mut bits = W::ZERO;
        for (half, cells) in cells.chunks(64).enumerate() {
            let found = cells.iter().enumerate().fold(0u64, |bits, (i, &cell)| bits | u64::from(cell == byte) << i);
            bits |= W::from_half(half, found);
        }
        bits
    }

    #[inline(always)]
    fn pack<W: Word>(self, cells: &[u8], bits: W, known: W, out: &mut [u8]) -> usize {
        let mut count = 0;
        bits.for_each_bit(|bit| {
            out[count] = if (known & W::bit(bit)).is_zero() { 0 } else { cells[bit] };
            count += 1;
        });
        count
    }
}
