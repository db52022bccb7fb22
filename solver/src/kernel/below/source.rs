//! Where the values below come from.

use super::Solution;
use crate::kernel::measure::Measure;
use crate::kernel::problem::Problem;
use crate::kernel::word::Word;
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::Squares;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::{NoMove, Piece};
use dsq_tables::value::Value;
use rayon::prelude::*;
use std::sync::Arc;

/// Codes that are compared before any is looked at.
const PART: usize = 64;
/// Codes that one task looks through.
const CHUNK: usize = 1 << 16;
/// Tasks whose finds wait to be entered.
const BATCH: usize = 64;

/// Codes of the positions below, from the table of their class or, with no piece left, from the rules.
#[derive(Debug)]
pub enum Source {
    /// The side to move has no piece left.
    Eliminated(u32),
    /// The values of a class with one side to move, and the way to them.
    Table {
        class: Arc<Class>,
        codes: Arc<SideCodes>,
        pieces: Vec<usize>,
        map: Box<[Square; 128]>,
        inverse: Box<[Square; 128]>,
    },
}

impl Source {
    /// The values after a capture that leaves `material`, with the side `turn` to move; none if they are not there.
    pub fn new<W: Word>(
        catalog: &Catalog,
        problem: &Problem<W>,
        (material, turn): (Material, Side),
        rest: &[usize],
        measure: Measure,
        solved: &Solution<'_>,
    ) -> Option<Source> {
        if !material.has_both_sides() {
            let draw = !catalog.rules().elimination_wins() && catalog.rules().no_move() == NoMove::Draw;
            return Some(Source::Eliminated(if draw { Value::Draw.code() } else { measure.code(0) }));
        }
        let member = catalog.member(material)?;
        let route = member.route(turn);
        let class = member.class().clone();
        let codes = solved(&class, route.side())?;
        let slot_of = |piece: &Piece| rest.iter().copied().find(|&slot| problem.slots[slot].piece == *piece);
        let pieces: Vec<usize> = route.pieces().iter().map(slot_of).collect::<Option<_>>()?;
        let (mut map, mut inverse) = (Box::new([Square::new(0); 128]), Box::new([Square::new(0); 128]));
        for square in problem.board.all().squares() {
            let image = route.square(square);
            map[square.index()] = image;
            inverse[image.index()] = square;
        }
        Some(Source::Table { class, codes, pieces, map, inverse })
    }

    /// The highest code.
    pub fn highest(&self) -> u32 {
        match self {
            Source::Eliminated(code) => *code,
            Source::Table { codes, .. } => {
                let long = codes.exceptions().iter().map(|&(_, code)| code).max().unwrap_or(0);
                let short = codes.bytes().par_iter().copied().filter(|&byte| byte != ESCAPE).max().unwrap_or(0);
                long.max(short.into())
            }
        }
    }

    /// Calls `enter` with the place of every position with a code. `cell` says where the slots' squares put it.
    pub fn each_with(
        &self,
        code: u32,
        parallel: bool,
        cell: impl Fn(&[u8; 8]) -> (usize, u8) + Sync,
        mut enter: impl FnMut(usize, u8),
    ) {
        let Source::Table { class, codes, pieces, inverse, .. } = self else { return };
        let index = class.index();
        let visit = |number: u64, found: &mut Vec<(usize, u8)>| {
            let Some(placed) = index.squares(number) else { return };
            let mut slots = [0u8; 8];
            let mut add = |image: &dyn Fn(Square) -> Square| {
                for (&slot, &square) in pieces.iter().zip(&placed) {
                    slots[slot] = inverse[image(square).index()].number();
                }
                found.push(cell(&slots));
            };
            add(&|square| square);
            if index.weight(&placed) == 2 {
                add(&|square| index.mirror(square));
            }
        };
        let Some(byte) = u8::try_from(code).ok().filter(|&byte| byte != ESCAPE) else {
            let mut found = Vec::new();
            for &(number, _) in codes.exceptions().iter().filter(|&&(_, other)| other == code) {
                visit(number, &mut found);
            }
            return found.into_iter().for_each(|(word, bit)| enter(word, bit));
        };
        let look = |(chunk, bytes): (usize, &[u8])| {
            let mut found = Vec::new();
            for (part, bytes) in bytes.chunks(PART).enumerate() {
                // Without a way out of the loop, so that it becomes vector instructions: most parts have none of a code.
                if bytes.iter().fold(false, |any, &other| any | (other == byte)) {
                    let first = (chunk * CHUNK + part * PART) as u64;
                    for (number, _) in (first..).zip(bytes).filter(|(_, other)| **other == byte) {
                        visit(number, &mut found);
                    }
                }
            }
            found
        };
        // What is found is entered batch by batch, so that it never takes much memory.
        for (batch, bytes) in codes.bytes().chunks(BATCH * CHUNK).enumerate() {
            let chunks = |(chunk, bytes)| look((batch * BATCH + chunk, bytes));
            let found: Vec<Vec<(usize, u8)>> = if parallel {
                bytes.par_chunks(CHUNK).enumerate().map(chunks).collect()
            } else {
                bytes.chunks(CHUNK).enumerate().map(chunks).collect()
            };
            found.into_iter().flatten().for_each(|(word, bit)| enter(word, bit));
        }
    }

    /// Calls `visit` with the code for every square of `legal` that the last piece of `rest` can stand on. The other pieces
    /// stand on `squares`.
    pub fn codes(&self, rest: &[usize], squares: &mut [u8; 8], legal: Bitboard, mut visit: impl FnMut(Square, u32)) {
        match self {
            Source::Eliminated(code) => legal.squares().for_each(|square| visit(square, *code)),
            Source::Table { class, codes, pieces, map, inverse } => {
                let Some(&word) = rest.last() else { return };
                let index = class.index();
                let mut placed: Squares = [Square::new(0); MAX_PIECES];
                for (slot, &piece) in placed.iter_mut().zip(pieces) {
                    *slot = map[usize::from(squares[piece])];
                }
                let last = pieces.len() - 1;
                if pieces[last] == word {
                    // The usual case: the word runs along the numbers of the table.
                    let run = index.run(&placed);
                    let mirrored = |square: Square| if run.mirrored { index.mirror(square) } else { square };
                    for (number, square) in (run.first..).zip(run.squares.squares()) {
                        let square = inverse[mirrored(square).index()];
                        if legal.contains(square) {
                            visit(square, codes.code(number));
                        }
                    }
                } else {
                    for square in legal.squares() {
                        squares[word] = square.number();
                        for (slot, &piece) in placed.iter_mut().zip(pieces) {
                            *slot = map[usize::from(squares[piece])];
                        }
                        visit(square, codes.code(index.number(&placed)));
                    }
                }
            }
        }
    }
}
