//! From the layout of the sweep to the order of the index.

use super::problem::Problem;
use super::word::Word;
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::{Index, Squares};
use dsq_tables::material::MAX_PIECES;
use rayon::prelude::*;

/// The codes of one side to move in the order of their numbers. `exceptions` are cells and codes, ascending by cell.
pub fn side<W: Word>(
    problem: &Problem<W>,
    index: &Index,
    codes: &[u8],
    exceptions: &[(u64, u32)],
    parallel: bool,
) -> SideCodes {
    let mut bytes = vec![0u8; index.size() as usize];
    let run = index.numbers_of_first_square() as usize;
    let firsts: Vec<Square> = index.domain(0).squares().collect();
    let work = |(task, out): (usize, &mut [u8])| {
        let mut writer = Writer {
            problem,
            index,
            codes,
            exceptions,
            squares: [Square::new(0); MAX_PIECES],
            out,
            at: 0,
            first_number: (task * run) as u64,
            long: Vec::new(),
        };
        writer.squares[0] = firsts[task];
        writer.fill(1, 0);
        writer.long
    };
    let long: Vec<Vec<(u64, u32)>> = if parallel {
        bytes.par_chunks_mut(run).enumerate().map(work).collect()
    } else {
        bytes.chunks_mut(run).enumerate().map(work).collect()
    };
    SideCodes::new(bytes, long.concat())
}

struct Writer<'a, W> {
    problem: &'a Problem<W>,
    index: &'a Index,
    codes: &'a [u8],
    exceptions: &'a [(u64, u32)],
    squares: Squares,
    out: &'a mut [u8],
    at: usize,
    first_number: u64,
    long: Vec<(u64, u32)>,
}

impl<W: Word> Writer<'_, W> {
    /// Writes everything with the slots below `slot` placed; `row` is the part of the row they make, before the last of
    /// them is added.
    fn fill(&mut self, slot: usize, row: usize) {
        let problem = self.problem;
        let placed = slot - 1;
        let square = self.squares[placed];
        let row = match problem.strides.get(placed) {
            Some(stride) => row + problem.slots[placed].place[square.index()] as usize * stride,
            None => row,
        };
        let free = self.index.free(slot, &self.squares);
        if slot == problem.inner() {
            self.word(row, square, free);
        } else {
            for square in free.squares() {
                self.squares[slot] = square;
                self.fill(slot + 1, row);
            }
        }
    }

    /// Writes the squares of the inner piece.
    fn word(&mut self, row: usize, lane: Square, free: Bitboard) {
        let problem = self.problem;
        let first = (row * problem.lanes + lane.index()) * W::BITS;
        let cells = &self.codes[first..][..W::BITS];
        for square in free.squares() {
            // A number without a position repeats the code before it, which costs nothing when compressed.
            let mut byte = cells[square.index()];
            if !self.index.is_dense() && self.squares[..problem.inner()].contains(&square) {
                byte = self.at.checked_sub(1).map_or(0, |before| self.out[before]);
                if byte == ESCAPE {
                    byte = 0;
                }
            } else if byte == ESCAPE {
                let cell = (first + square.index()) as u64;
                let place = self.exceptions.binary_search_by_key(&cell, |&(cell, _)| cell);
                let code = place.map_or(0, |place| self.exceptions[place].1);
                match u8::try_from(code) {
                    Ok(short) if short != ESCAPE => byte = short,
                    _ => self.long.push((self.first_number + self.at as u64, code)),
                }
            }
            self.out[self.at] = byte;
            self.at += 1;
        }
    }
}

/// How many positions have no legal move, mirror images counted: those of the given set, or else those lost in 0 plies.
pub fn stalemates<W: Word>(problem: &Problem<W>, codes: &[u8], stuck: Option<&Vec<W>>) -> u64 {
    let board = &problem.board;
    let mut count = 0;
    let mut squares = [0; 8];
    let weight = |squares: &[u8; 8]| {
        let on_axis = |square: u8| problem.mirrored[usize::from(square)] == square;
        if problem.mirror && !on_axis(squares[0]) { 2 } else { 1 }
    };
    debug_assert!(usize::from(board.squares()) <= problem.lanes);
    for row in 0..problem.rows {
        problem.outer_squares(row, &mut squares);
        let weight = weight(&squares);
        let here: u64 = match stuck {
            None => {
                let cells = &codes[row * problem.lanes * W::BITS..][..problem.lanes * W::BITS];
                cells.iter().filter(|&&code| code == 1).count() as u64
            }
            Some(stuck) if stuck.is_empty() => 0,
            Some(stuck) => {
                let mut bits = 0;
                for word in &stuck[row * problem.lanes..][..problem.lanes] {
                    word.for_each_bit(|_| bits += 1);
                }
                bits
            }
        };
        count += here * weight;
    }
    count
}
