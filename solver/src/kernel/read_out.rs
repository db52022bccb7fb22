//! From the layout of the sets to the order of the index.

use super::layout::{Layout, Placement, Word};
use super::options::{Options, SolveError, Taker};
use super::simd::{Bytes, Instructions, PortableBytes, Work};
use super::state::{Distances, Layer, read_slice};
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::{Index, Squares};
use dsq_tables::material::MAX_PIECES;
use rayon::prelude::*;
use std::ops::Range;

/// What is decided with one side to move.
pub struct Decided<'a, W> {
    pub layout: &'a Layout<W>,
    pub index: &'a Index,
    pub lost: &'a Layer<W>,
    pub not_won: &'a Layer<W>,
}

/// Distances of one side to move.
#[derive(Clone, Copy)]
struct Cells<'a> {
    /// A byte for every bit of every word from the cell `first` on; only those of decided positions mean anything.
    codes: &'a [u8],
    first: usize,
    /// Cells whose byte is the escape, with their code, ascending.
    exceptions: &'a [(u64, u32)],
}

impl<W: Word> Decided<'_, W> {
    /// Hands the values over, `side` in the table, and gives the memory of the distances back.
    pub fn hand_over(
        &self,
        side: usize,
        distances: Distances,
        (options, instructions): (&Options<'_>, Instructions),
        take: &mut Taker<'_>,
    ) -> Result<(), SolveError> {
        let (layout, index, pool, grain) = (self.layout, self.index, options.pool, options.grain());
        match distances {
            Distances::Memory { codes, mut exceptions } => {
                exceptions.sort_unstable();
                let cells = Cells { codes: &codes, first: 0, exceptions: &exceptions };
                let firsts = 0..index.domain(0).count() as usize;
                let buffer = pool.take(index.size() as usize);
                let values = self.values(cells, firsts, buffer, instructions, grain);
                pool.give(codes);
                take(side, values)?;
            }
            Distances::Disk(mut file) => {
                let slice_cells = layout.slice_rows() * layout.lanes * W::BITS;
                let mut codes = pool.take(slice_cells);
                for slice in 0..layout.slices() {
                    if (options.stop)() {
                        return Err(SolveError::Stopped);
                    }
                    let exceptions = read_slice(&mut file, slice, layout, options.escape_from, &mut codes)?;
                    let cells = Cells { codes: &codes, first: slice * slice_cells, exceptions: &exceptions };
                    let buffer = pool.take(index.numbers_of_first_square() as usize);
                    take(side, self.values(cells, slice..slice + 1, buffer, instructions, grain))?;
                }
                pool.give(codes);
            }
        }
        Ok(())
    }

    /// The codes in the order of their numbers, for the squares `firsts` (by place) of the first piece. The buffer has their
    /// length and may hold anything.
    fn values(
        &self,
        cells: Cells<'_>,
        firsts: Range<usize>,
        mut buffer: Vec<u8>,
        instructions: Instructions,
        grain: usize,
    ) -> SideCodes {
        // Holes are not written to.
        if !self.index.is_dense() {
            buffer.fill(0);
        }
        let run = self.index.numbers_of_first_square() as usize;
        let squares: Vec<Square> = self.index.domain(0).squares().collect();
        let tasks = buffer.par_chunks_mut(run).enumerate().with_min_len(grain);
        let exceptions: Vec<Vec<(u64, u32)>> = tasks
            .map(|(task, out)| {
                let mut placed = [Square::new(0); MAX_PIECES];
                placed[0] = squares[firsts.start + task];
                let first_number = ((firsts.start + task) * run) as u64;
                let (decided, squares, exceptions) = (self, placed, Vec::new());
                let mut writer = Writer { decided, cells, instructions, squares, out, at: 0, first_number, exceptions };
                writer.fill(1);
                writer.exceptions
            })
            .collect();
        SideCodes::new(buffer, exceptions.concat())
    }
}

/// Writes the codes for one square of the first piece.
struct Writer<'a, W> {
    decided: &'a Decided<'a, W>,
    cells: Cells<'a>,
    instructions: Instructions,
    /// Where the pieces that are placed stand.
    squares: Squares,
    out: &'a mut [u8],
    /// How many codes are written.
    at: usize,
    first_number: u64,
    /// Numbers whose byte is the escape, with their code.
    exceptions: Vec<(u64, u32)>,
}

impl<W: Word> Writer<'_, W> {
    /// Writes everything with the slots before `slot` placed.
    fn fill(&mut self, slot: usize) {
        let Decided { layout, index, .. } = self.decided;
        if slot >= layout.lane() {
            let row = layout.row(&self.squares.map(Square::number));
            // With two pieces the first one is the lane piece.
            let lane_is_placed = slot > layout.lane();
            let instructions = self.instructions;
            return instructions.run(WriteRow { writer: self, row, lane_is_placed });
        }
        for square in index.free(slot, &self.squares).squares() {
            if self.place(slot, square) {
                self.fill(slot + 1);
            }
        }
    }

    /// Places the piece of a slot. Where another piece stands already no number is a position, and all of them are passed over.
    #[inline(always)]
    fn place(&mut self, slot: usize, square: Square) -> bool {
        let index = self.decided.index;
        if !index.is_dense() && self.squares[..slot].contains(&square) {
            self.at += index.numbers_after(slot) as usize;
            return false;
        }
        self.squares[slot] = square;
        true
    }

    /// Writes the squares of the inner piece.
    #[inline(always)]
    fn word(&mut self, bytes: impl Bytes, row: usize) {
        let Decided { layout, index, lost, not_won } = self.decided;
        let free = index.free(layout.inner(), &self.squares);
        let lane = self.squares[layout.lane()].index();
        let known = lost.row(row)[lane] | !not_won.row(row)[lane];
        let first = (row * layout.lanes + lane) * W::BITS;
        if !index.is_dense() {
            return self.word_with_holes(first, free, known);
        }
        let cells = &self.cells.codes[first - self.cells.first..][..W::BITS];
        let (out, bits) = (&mut self.out[self.at..], W::from_set(free));
        let count = match out.len() >= W::BITS {
            true => bytes.pack(cells, bits, known, out),
            false => PortableBytes.pack(cells, bits, known, out),
        };
        if !self.cells.exceptions.is_empty() {
            for (place, square) in (self.at..).zip(free.squares()) {
                if self.out[place] == ESCAPE {
                    self.out[place] = self.exception(place, first + square.index());
                }
            }
        }
        self.at += count;
    }

    /// The same where some squares are taken by other pieces. A number without a position repeats the code before it, which
    /// costs nothing when compressed.
    fn word_with_holes(&mut self, first: usize, free: Bitboard, known: W) {
        for square in free.squares() {
            let hole = self.squares[..self.decided.layout.inner()].contains(&square);
            let unknown = (known & W::of(square)).is_zero();
            let byte = match self.cells.codes[first + square.index() - self.cells.first] {
                _ if hole => self.at.checked_sub(1).map_or(0, |before| self.out[before]),
                _ if unknown => 0,
                ESCAPE => self.exception(self.at, first + square.index()),
                byte => byte,
            };
            self.out[self.at] = if hole && byte == ESCAPE { 0 } else { byte };
            self.at += 1;
        }
    }

    /// Notes the code of a cell that is an exception; returns its byte.
    fn exception(&mut self, place: usize, cell: usize) -> u8 {
        let found = self.cells.exceptions.binary_search_by_key(&(cell as u64), |&(cell, _)| cell);
        let code = found.map_or(0, |found| self.cells.exceptions[found].1);
        match u8::try_from(code) {
            Ok(short) if short != ESCAPE => short,
            _ => {
                self.exceptions.push((self.first_number + place as u64, code));
                ESCAPE
            }
        }
    }
}

/// Writes the codes of a row.
struct WriteRow<'a, 'b, W> {
    writer: &'a mut Writer<'b, W>,
    row: usize,
    lane_is_placed: bool,
}

impl<W: Word> Work for WriteRow<'_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self, bytes: impl Bytes) {
        let WriteRow { writer, row, lane_is_placed } = self;
        let Decided { layout, index, .. } = writer.decided;
        if lane_is_placed {
            return writer.word(bytes, row);
        }
        for square in index.free(layout.lane(), &writer.squares).squares() {
            if writer.place(layout.lane(), square) {
                writer.word(bytes, row);
            }
        }
    }
}

/// How many positions there are in a set, mirror images counted.
pub fn weighted_count<W: Word>(layout: &Layout<W>, set: &Layer<W>) -> u64 {
    let mut squares = Placement::default();
    let weighted = |row: usize| {
        if !layout.place_outers(row, &mut squares) {
            return 0;
        }
        let on_axis = layout.mirrored[usize::from(squares[0])] == squares[0];
        let count: u64 = set.row(row).iter().map(|word| u64::from(word.count())).sum();
        if layout.mirror && !on_axis { 2 * count } else { count }
    };
    (0..set.rows()).map(weighted).sum()
}
