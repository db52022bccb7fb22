//! The bytes under a word, 64 at a time.

use super::bytes::Bytes;
use crate::kernel::layout::Word;
use std::arch::x86_64::{
    _mm256_cmpeq_epi8_mask, _mm256_loadu_epi8, _mm256_mask_storeu_epi8, _mm256_maskz_compress_epi8,
    _mm256_maskz_loadu_epi8, _mm256_set1_epi8, _mm256_storeu_epi8, _mm512_cmpeq_epi8_mask, _mm512_loadu_epi8,
    _mm512_mask_storeu_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_set1_epi8, _mm512_storeu_epi8,
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
fn pack_64(cells: &[u8; 64], bits: u64, known: u64, out: &mut [u8; 64]) {
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
fn pack_32(cells: &[u8; 32], bits: u32, known: u32, out: &mut [u8; 32]) {
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
    fn pack<W: Word>(self, cells: &[u8], bits: W, known: W, out: &mut [u8]) -> usize {
        if W::BITS == 32 {
            if let (Ok(cells), Some(room)) = (cells.try_into(), out.first_chunk_mut()) {
                let (bits, known) = (bits.half(0) as u32, known.half(0) as u32);
                // SAFETY: this value exists only where the machine has the instructions; see `new`.
                unsafe { pack_32(cells, bits, known, room) }
            }
            return bits.half(0).count_ones() as usize;
        }
        let mut count = 0;
        for (half, cells) in cells.chunks_exact(64).enumerate() {
            let bits = bits.half(half);
            let room = out[count..].first_chunk_mut();
            if let (Ok(cells), Some(room)) = (cells.try_into(), room) {
                // SAFETY: this value exists only where the machine has the instructions; see `new`.
                unsafe { pack_64(cells, bits, known.half(half), room) }
            }
            count += bits.count_ones() as usize;
        }
        count
    }
}
