//! Codes of the positions after a capture, laid out as the words of their sets are.

use super::places::Places;
use super::values::Values;
use crate::kernel::layout::{Layout, Placement, Word};
use crate::kernel::simd::{Bytes, Instructions, Work};
use dsq_tables::format::ESCAPE;
use rayon::prelude::*;
use std::marker::PhantomData;

/// A byte for every bit of every word.
#[derive(Debug)]
pub struct Cells {
    bytes: Vec<u8>,
    /// Codes from the escape on, with word and bit, by code.
    exceptions: Vec<(u32, u32, u8)>,
    /// For each span of words the codes that occur in them, as bits.
    occurring: Vec<[u64; 4]>,
}

/// What a task that fills a span found besides.
#[derive(Default)]
struct Filled {
    highest: u32,
    exceptions: Vec<(u32, u32, u8)>,
}

impl Cells {
    /// Lays out the values, and fills `legal` with the positions that exist. Also returns the highest code.
    pub fn lay_out<W: Word>(
        layout: &Layout<W>,
        places: &Places<W>,
        values: &Values,
        legal: &mut [W],
        grain: usize,
    ) -> (Cells, u32) {
        let span = places.span;
        let mut occurring = vec![[0; 4]; legal.len().div_ceil(span)];
        let mut bytes = vec![0; legal.len() * W::BITS];
        let spans = legal.par_chunks_mut(span).zip(&mut occurring).zip(bytes.par_chunks_mut(span * W::BITS));
        let filled: Vec<Filled> = spans
            .enumerate()
            .with_min_len(grain)
            .map(|(number, ((legal, occurring), bytes))| {
                fill_span(layout, places, values, number * span, (legal, occurring, bytes))
            })
            .collect();
        let highest = filled.iter().map(|filled| filled.highest).max().unwrap_or(0);
        let mut exceptions: Vec<_> = filled.into_iter().flat_map(|filled| filled.exceptions).collect();
        exceptions.sort_unstable();
        (Cells { bytes, exceptions, occurring }, highest)
    }

    /// Calls `visit` with every word that has a code somewhere, and the bits that have it.
    pub fn each_with<W: Word>(
        &self,
        code: u32,
        span: usize,
        instructions: Instructions,
        mut visit: impl FnMut(usize, W),
    ) {
        match u8::try_from(code) {
            Ok(byte) if byte != ESCAPE => {
                instructions.run(Find { cells: self, span, byte, visit, word: PhantomData });
            }
            _ => {
                let first = self.exceptions.partition_point(|&(other, _, _)| other < code);
                let here = self.exceptions[first..].iter().take_while(|&&(other, _, _)| other == code);
                here.for_each(|&(_, word, bit)| visit(word as usize, W::bit(bit.into())));
            }
        }
    }
}

/// Fills a span from a word on: the positions that exist, which codes there are, and the codes.
fn fill_span<W: Word>(
    layout: &Layout<W>,
    places: &Places<W>,
    values: &Values,
    first_word: usize,
    (legal, occurring, bytes): (&mut [W], &mut [u64; 4], &mut [u8]),
) -> Filled {
    let mut filled = Filled::default();
    let mut squares = Placement::default();
    for (i, legal) in legal.iter_mut().enumerate() {
        let word = first_word + i;
        let Some(free) = places.place(layout, word, &mut squares) else { continue };
        *legal = W::from_set(free);
        values.codes(&places.rest, &mut squares, free, |square, code| {
            filled.highest = filled.highest.max(code);
            let byte = u8::try_from(code).unwrap_or(ESCAPE);
            occurring[usize::from(byte) / 64] |= 1 << (byte % 64);
            bytes[i * W::BITS + square.index()] = byte;
            if byte == ESCAPE {
                filled.exceptions.push((code, word as u32, square.number()));
            }
        });
    }
    filled
}

/// A search for a byte that is no escape.
struct Find<'a, W, F> {
    cells: &'a Cells,
    span: usize,
    byte: u8,
    visit: F,
    word: PhantomData<W>,
}

impl<W: Word, F: FnMut(usize, W)> Work for Find<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, bytes: impl Bytes) {
        let Cells { bytes: cells, occurring, .. } = self.cells;
        let words = cells.len() / W::BITS;
        let (part, bit) = (usize::from(self.byte) / 64, self.byte % 64);
        for (number, _) in occurring.iter().enumerate().filter(|(_, codes)| codes[part] >> bit & 1 != 0) {
            for word in number * self.span..((number + 1) * self.span).min(words) {
                let bits: W = bytes.equal(&cells[word * W::BITS..][..W::BITS], self.byte);
                if !bits.is_zero() {
                    (self.visit)(word, bits);
                }
            }
        }
    }
}
