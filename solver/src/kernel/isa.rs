//! Which vector instructions the machine has, chosen when the program runs.
//!
//! The sweep is written once, as plain loops over words. It is compiled several times, with other instructions allowed
//! each time, and a test holds the results against each other bit for bit.

use super::word::Word;

/// A set of instructions the sweep is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// What every machine has.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with masked stores and compression of bytes (`avx512f`, `bw`, `vl`, `vbmi2`).
    Avx512,
}

impl Isa {
    /// The best that this machine has.
    #[must_use]
    pub fn best() -> Isa {
        Isa::all().last().copied().unwrap_or(Isa::Portable)
    }

    /// All that this machine has, the best last.
    #[must_use]
    pub fn all() -> Vec<Isa> {
        let mut all = vec![Isa::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt") {
                all.push(Isa::Avx2);
                if has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vbmi2") {
                    all.push(Isa::Avx512);
                }
            }
        }
        all
    }
}

/// What is written differently for some instructions: moving bytes under the bits of a word.
pub trait Bytes: Copy + Send + Sync {
    /// Writes `byte` to the cells of the set bits.
    fn store<W: Word>(self, cells: &mut [u8], bits: W, byte: u8);

    /// The bits of the cells that hold `byte`.
    fn equal<W: Word>(self, cells: &[u8], byte: u8) -> W;

    /// Puts the cells of the set bits into `out`, 0 for those that are not among `known`, and returns how many there were.
    /// `out` has room for [`Word::BITS`] bytes, also where fewer are kept.
    fn gather<W: Word>(self, cells: &[u8], bits: W, known: W, out: &mut [u8]) -> usize;
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
    fn gather<W: Word>(self, cells: &[u8], bits: W, known: W, out: &mut [u8]) -> usize {
        let mut count = 0;
        bits.for_each_bit(|bit| {
            out[count] = if (known & W::bit(bit)).is_zero() { 0 } else { cells[bit] };
            count += 1;
        });
        count
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::Avx512Bytes;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Bytes, Word};
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8_mask, _mm256_loadu_epi8, _mm256_mask_storeu_epi8, _mm256_maskz_compress_epi8,
        _mm256_maskz_loadu_epi8, _mm256_set1_epi8, _mm256_storeu_epi8, _mm512_cmpeq_epi8_mask, _mm512_loadu_epi8,
        _mm512_mask_storeu_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_set1_epi8,
        _mm512_storeu_epi8,
    };

    /// 64 cells at once, or 32 where a word has no more. Only made where the machine has the instructions.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx512Bytes(());

    impl Avx512Bytes {
        /// # Safety
        /// The machine must have `avx512f`, `avx512bw`, `avx512vl` and `avx512vbmi2`.
        pub unsafe fn new() -> Self {
            Avx512Bytes(())
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn store_64(cells: &mut [u8; 64], bits: u64, byte: u8) {
        // SAFETY: the 64 bytes written to are those of `cells`; nothing is asked of their alignment.
        unsafe { _mm512_mask_storeu_epi8(cells.as_mut_ptr().cast(), bits, _mm512_set1_epi8(byte.cast_signed())) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn equal_64(cells: &[u8; 64], byte: u8) -> u64 {
        // SAFETY: 64 bytes are read from `cells`; nothing is asked of their alignment.
        let cells = unsafe { _mm512_loadu_epi8(cells.as_ptr().cast()) };
        _mm512_cmpeq_epi8_mask(cells, _mm512_set1_epi8(byte.cast_signed()))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    #[inline]
    fn gather_64(cells: &[u8; 64], bits: u64, known: u64, out: &mut [u8; 64]) {
        // SAFETY: 64 bytes are read from `cells` and 64 written to `out`; nothing is asked of their alignment.
        unsafe {
            let packed = _mm512_maskz_compress_epi8(bits, _mm512_maskz_loadu_epi8(known, cells.as_ptr().cast()));
            _mm512_storeu_epi8(out.as_mut_ptr().cast(), packed);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    fn store_32(cells: &mut [u8; 32], bits: u32, byte: u8) {
        // SAFETY: the 32 bytes written to are those of `cells`; nothing is asked of their alignment.
        unsafe { _mm256_mask_storeu_epi8(cells.as_mut_ptr().cast(), bits, _mm256_set1_epi8(byte.cast_signed())) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    fn equal_32(cells: &[u8; 32], byte: u8) -> u32 {
        // SAFETY: 32 bytes are read from `cells`; nothing is asked of their alignment.
        let cells = unsafe { _mm256_loadu_epi8(cells.as_ptr().cast()) };
        _mm256_cmpeq_epi8_mask(cells, _mm256_set1_epi8(byte.cast_signed()))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2")]
    #[inline]
    fn gather_32(cells: &[u8; 32], bits: u32, known: u32, out: &mut [u8; 32]) {
        // SAFETY: 32 bytes are read from `cells` and 32 written to `out`; nothing is asked of their alignment.
        unsafe {
            let packed = _mm256_maskz_compress_epi8(bits, _mm256_maskz_loadu_epi8(known, cells.as_ptr().cast()));
            _mm256_storeu_epi8(out.as_mut_ptr().cast(), packed);
        }
    }

    impl Bytes for Avx512Bytes {
        #[inline(always)]
        fn store<W: Word>(self, cells: &mut [u8], bits: W, byte: u8) {
            if W::BITS == 32 {
                if let Ok(cells) = cells.try_into() {
                    // SAFETY: this value exists only where the machine has the instructions; see `new`.
                    unsafe { store_32(cells, bits.half(0) as u32, byte) }
                }
                return;
            }
            for (half, cells) in cells.chunks_exact_mut(64).enumerate() {
                if let Ok(cells) = cells.try_into() {
                    // SAFETY: this value exists only where the machine has the instructions; see `new`.
                    unsafe { store_64(cells, bits.half(half), byte) }
                }
            }
        }

        #[inline(always)]
        fn equal<W: Word>(self, cells: &[u8], byte: u8) -> W {
            if W::BITS == 32 {
                let Ok(cells) = cells.try_into() else { return W::ZERO };
                // SAFETY: this value exists only where the machine has the instructions; see `new`.
                return W::from_half(0, unsafe { equal_32(cells, byte) }.into());
            }
            let mut bits = W::ZERO;
            for (half, cells) in cells.chunks_exact(64).enumerate() {
                if let Ok(cells) = cells.try_into() {
                    // SAFETY: this value exists only where the machine has the instructions; see `new`.
                    bits |= W::from_half(half, unsafe { equal_64(cells, byte) });
                }
            }
            bits
        }

        #[inline(always)]
        fn gather<W: Word>(self, cells: &[u8], bits: W, known: W, out: &mut [u8]) -> usize {
            if W::BITS == 32 {
                if let (Ok(cells), Some(room)) = (cells.try_into(), out.first_chunk_mut()) {
                    let (bits, known) = (bits.half(0) as u32, known.half(0) as u32);
                    // SAFETY: this value exists only where the machine has the instructions; see `new`.
                    unsafe { gather_32(cells, bits, known, room) }
                }
                return bits.half(0).count_ones() as usize;
            }
            let mut count = 0;
            for (half, cells) in cells.chunks_exact(64).enumerate() {
                let bits = bits.half(half);
                let room = out[count..].first_chunk_mut();
                if let (Ok(cells), Some(room)) = (cells.try_into(), room) {
                    // SAFETY: this value exists only where the machine has the instructions; see `new`.
                    unsafe { gather_64(cells, bits, known.half(half), room) }
                }
                count += bits.count_ones() as usize;
            }
            count
        }
    }
}
