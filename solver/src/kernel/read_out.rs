//! From the layout of the sweep to the order of the index.

use super::isa::{Bytes, Isa, PortableBytes};
use super::problem::Problem;
use super::word::Word;
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::{Index, Squares};
use dsq_tables::material::MAX_PIECES;
use rayon::prelude::*;
use std::ops::Range;

/// What is read out: the distances of one side to move.
#[derive(Clone, Copy)]
pub struct Cells<'a, W> {
    /// A byte for every bit of every word from the cell `first_cell` on; only those of decided positions mean anything.
    pub codes: &'a [u8],
    pub first_cell: usize,
    /// Cells whose code is the escape, with their code, ascending.
    pub exceptions: &'a [(u64, u32)],
    /// The positions lost, and those not won.
    pub lost: &'a [W],
    pub not_won: &'a [W],
}

/// The codes of one side to move in the order of their numbers, for the squares `firsts` (by place) of the first piece. The
/// buffer has their length and may hold anything.
pub fn values<W: Word>(
    problem: &Problem<W>,
    index: &Index,
    cells: Cells<'_, W>,
    firsts: Range<usize>,
    mut buffer: Vec<u8>,
    isa: Isa,
    parallel: bool,
) -> SideCodes {
    // Holes are not written to.
    if !index.is_dense() {
        buffer.fill(0);
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => {
            // SAFETY: the kernel uses only instructions that it has asked the machine for.
            let bytes = unsafe { super::isa::Avx512Bytes::new() };
            values_with(bytes, problem, index, cells, firsts, buffer, parallel)
        }
        _ => values_with(PortableBytes, problem, index, cells, firsts, buffer, parallel),
    }
}

fn values_with<W: Word>(
    mover: impl Bytes,
    problem: &Problem<W>,
    index: &Index,
    cells: Cells<'_, W>,
    firsts: Range<usize>,
    mut bytes: Vec<u8>,
    parallel: bool,
) -> SideCodes {
    let run = index.numbers_of_first_square() as usize;
    let squares: Vec<Square> = index.domain(0).squares().collect();
    let work = |(task, out): (usize, &mut [u8])| {
        let mut writer = Writer {
            mover,
            problem,
            index,
            cells,
            squares: [Square::new(0); MAX_PIECES],
            row: 0,
            out,
            at: 0,
            first_number: ((firsts.start + task) * run) as u64,
            long: Vec::new(),
        };
        writer.squares[0] = squares[firsts.start + task];
        writer.fill(1);
        writer.long
    };
    let long: Vec<Vec<(u64, u32)>> = if parallel {
        bytes.par_chunks_mut(run).enumerate().map(work).collect()
    } else {
        bytes.chunks_mut(run).enumerate().map(work).collect()
    };
    SideCodes::new(bytes, long.concat())
}

struct Writer<'a, W, B> {
    mover: B,
    problem: &'a Problem<W>,
    index: &'a Index,
    cells: Cells<'a, W>,
    squares: Squares,
    /// The row of the outer pieces.
    row: usize,
    out: &'a mut [u8],
    at: usize,
    first_number: u64,
    long: Vec<(u64, u32)>,
}

impl<W: Word, B: Bytes> Writer<'_, W, B> {
    /// Writes everything with the slots below `slot` placed.
    fn fill(&mut self, slot: usize) {
        let problem = self.problem;
        if slot == problem.lane() {
            self.row = problem.row(&self.squares.map(Square::number));
        }
        let free = self.index.free(slot, &self.squares);
        if slot == problem.inner() {
            self.word(free);
        } else {
            for square in free.squares() {
                if !self.index.is_dense() && self.squares[..slot].contains(&square) {
                    // All numbers of a hole are holes.
                    self.at += self.index.numbers_after(slot) as usize;
                    continue;
                }
                self.squares[slot] = square;
                self.fill(slot + 1);
            }
        }
    }

    /// Writes the squares of the inner piece.
    fn word(&mut self, free: Bitboard) {
        let problem = self.problem;
        let word = self.row * problem.lanes + self.squares[problem.lane()].index();
        let known = self.cells.lost[word] | !self.cells.not_won[word];
        let first = word * W::BITS;
        if !self.index.is_dense() {
            return self.word_with_holes(first, free, known);
        }
        let cells = &self.cells.codes[first - self.cells.first_cell..][..W::BITS];
        let (out, bits) = (&mut self.out[self.at..], W::from_set(free));
        let count = match out.len() >= W::BITS {
            true => self.mover.gather(cells, bits, known, out),
            false => PortableBytes.gather(cells, bits, known, out),
        };
        if !self.cells.exceptions.is_empty() {
            for (place, square) in (self.at..).zip(free.squares()) {
                if self.out[place] == ESCAPE {
                    self.out[place] = self.long_code(place, first + square.index());
                }
            }
        }
        self.at += count;
    }

    /// The same where some squares are taken by other pieces. A number without a position repeats the code before it, which
    /// costs nothing when compressed.
    fn word_with_holes(&mut self, first: usize, free: Bitboard, known: W) {
        for square in free.squares() {
            let hole = self.squares[..self.problem.inner()].contains(&square);
            let unknown = (known & W::of(square)).is_zero();
            let byte = match self.cells.codes[first + square.index() - self.cells.first_cell] {
                _ if hole => self.at.checked_sub(1).map_or(0, |before| self.out[before]),
                _ if unknown => 0,
                ESCAPE => self.long_code(self.at, first + square.index()),
                byte => byte,
            };
            self.out[self.at] = if hole && byte == ESCAPE { 0 } else { byte };
            self.at += 1;
        }
    }

    /// Notes the code of a cell that is an exception; returns its byte.
    fn long_code(&mut self, place: usize, cell: usize) -> u8 {
        let found = self.cells.exceptions.binary_search_by_key(&(cell as u64), |&(cell, _)| cell);
        let code = found.map_or(0, |found| self.cells.exceptions[found].1);
        match u8::try_from(code) {
            Ok(short) if short != ESCAPE => short,
            _ => {
                self.long.push((self.first_number + place as u64, code));
                ESCAPE
            }
        }
    }
}

/// How many positions there are in a set, mirror images counted.
pub fn weighted_count<W: Word>(problem: &Problem<W>, set: &[W]) -> u64 {
    let mut squares = [0; 8];
    let weighted = |(row, words): (usize, &[W])| {
        if !problem.outer_squares(row, &mut squares) {
            return 0;
        }
        let on_axis = problem.mirrored[usize::from(squares[0])] == squares[0];
        let mut count = 0;
        words.iter().for_each(|word| word.for_each_bit(|_| count += 1));
        if problem.mirror && !on_axis { 2 * count } else { count }
    };
    set.chunks_exact(problem.lanes).enumerate().map(weighted).sum()
}
