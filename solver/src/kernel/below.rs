//! The tables below: what a capture leads to, as the same two bit sets, in the layout of the table being solved.
//!
//! A piece that is taken leaves the others on their squares. Its side is to move then, so of each table below only that
//! side is needed. The sets hold what is known at the ply the sweep has reached, and are brought up to the next one by
//! comparing codes.

use super::isa::{Bytes, Isa, PortableBytes};
use super::problem::{NOWHERE, Problem};
use super::word::Word;
use crate::solved::Solved;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::Squares;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::{NoMove, Piece};
use dsq_tables::value::Value;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the values of smaller classes come from: every class that a capture leads to, solved.
pub type Solution<'a> = dyn Fn(&Class) -> Option<Arc<Solved>> + Sync + 'a;

/// How many words share a set of the codes that occur in them.
const SPAN: usize = 64;

/// The positions after the piece of one slot was taken, that side to move.
#[derive(Debug)]
pub struct Below<W> {
    /// The slots that choose the group, with the number of groups between two places.
    pub strides: Vec<(usize, usize)>,
    /// Words in a group: one for each lane, or a single one where the lane or the inner piece was taken.
    pub width: usize,
    /// Lost for the side to move at the ply that was reached.
    pub lost: Vec<W>,
    /// Not won for the side to move at the ply that was reached.
    pub not_won: Vec<W>,
    /// A byte for every bit of every word: the code of its value.
    codes: Vec<u8>,
    /// For each [`SPAN`] words the codes that occur in them, as bits.
    occurring: Vec<[u64; 4]>,
    /// Codes from the escape on, with word and bit, by code.
    long: Vec<(u32, u32, u8)>,
    /// By group: whether something changed at the last ply.
    pub dirty: Vec<bool>,
    last_ply: usize,
}

impl<W: Word> Below<W> {
    /// The group of a placement of the outer pieces; the victim's square does not count.
    #[inline(always)]
    pub fn group(&self, problem: &Problem<W>, squares: &[u8; 8]) -> usize {
        let place = |slot: usize| problem.slots[slot].full_place[usize::from(squares[slot])] as usize;
        self.strides.iter().map(|&(slot, stride)| place(slot) * stride).sum()
    }

    /// The last ply at which something is decided.
    pub fn last_ply(&self) -> usize {
        self.last_ply
    }

    /// Brings the sets to the end of `ply`.
    pub fn advance(&mut self, ply: usize, isa: Isa) {
        self.dirty.fill(false);
        match u8::try_from(ply + 1) {
            Ok(code) if code != ESCAPE => match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => {
                    // SAFETY: the kernel uses only instructions that it has asked the machine for.
                    let bytes = unsafe { super::isa::Avx512Bytes::new() };
                    self.advance_short(bytes, ply, code);
                }
                _ => self.advance_short(PortableBytes, ply, code),
            },
            _ => {
                let code = ply as u32 + 1;
                let first = self.long.partition_point(|&(other, _, _)| other < code);
                let last = self.long.partition_point(|&(other, _, _)| other <= code);
                for place in first..last {
                    let (_, word, bit) = self.long[place];
                    self.decide(word as usize, W::bit(bit.into()), ply);
                }
            }
        }
    }

    fn advance_short(&mut self, bytes: impl Bytes, ply: usize, code: u8) {
        let (part, bit) = (usize::from(code) / 64, code % 64);
        for span in 0..self.occurring.len() {
            if self.occurring[span][part] >> bit & 1 == 0 {
                continue;
            }
            for word in span * SPAN..((span + 1) * SPAN).min(self.lost.len()) {
                let bits = bytes.equal(&self.codes[word * W::BITS..][..W::BITS], code);
                if !W::is_zero(bits) {
                    self.decide(word, bits, ply);
                }
            }
        }
    }

    fn decide(&mut self, word: usize, bits: W, ply: usize) {
        if ply % 2 == 1 {
            self.not_won[word] &= !bits;
        } else {
            self.lost[word] |= bits;
        }
        self.dirty[word / self.width] = true;
    }

    /// Collects the positions below a class in which the piece of `victim` was taken.
    ///
    /// None if a table that is needed is not there.
    pub fn new(
        catalog: &Catalog,
        problem: &Problem<W>,
        material: Material,
        victim: usize,
        solved: &Solution<'_>,
        parallel: bool,
    ) -> Option<Below<W>> {
        let taken = problem.slots[victim].piece;
        let rest: Vec<usize> = (0..problem.slots.len()).filter(|&slot| slot != victim).collect();
        let (_, before) = rest.split_last()?;
        let with_lanes = victim < problem.outers;
        let choosing = if with_lanes { &before[..before.len() - 1] } else { before };
        let mut strides = Vec::new();
        let mut groups = 1;
        for &slot in choosing.iter().rev() {
            strides.push((slot, groups));
            groups *= problem.slots[slot].full_count;
        }
        let width = if with_lanes { problem.lanes } else { 1 };
        let words = groups * width;
        let mut below = Below {
            strides,
            width,
            lost: vec![W::ZERO; words],
            not_won: vec![W::ZERO; words],
            codes: vec![0; words * W::BITS],
            occurring: vec![[0; 4]; words.div_ceil(SPAN)],
            long: Vec::new(),
            dirty: vec![false; groups],
            last_ply: 0,
        };
        let source = Source::new(catalog, problem, material.without(taken), taken.side, &rest, solved)?;
        let filler =
            Filler { problem, source, strides: &below.strides, width, rest: &rest, before, choosing, with_lanes };
        let fill = |(number, span): (usize, Span<'_, W>)| filler.fill(number * SPAN, span);
        let filled: Vec<Filled> = if parallel {
            let spans = below.not_won.par_chunks_mut(SPAN).zip(below.codes.par_chunks_mut(SPAN * W::BITS));
            let spans = spans.zip(&mut below.occurring);
            spans.map(|((legal, codes), occurring)| Span { legal, codes, occurring }).enumerate().map(fill).collect()
        } else {
            let spans = below.not_won.chunks_mut(SPAN).zip(below.codes.chunks_mut(SPAN * W::BITS));
            let spans = spans.zip(&mut below.occurring);
            spans.map(|((legal, codes), occurring)| Span { legal, codes, occurring }).enumerate().map(fill).collect()
        };
        for mut filled in filled {
            below.last_ply = below.last_ply.max(filled.highest.saturating_sub(1) as usize);
            below.long.append(&mut filled.long);
        }
        below.long.sort_unstable();
        Some(below)
    }
}

/// The words that one task fills.
struct Span<'a, W> {
    legal: &'a mut [W],
    codes: &'a mut [u8],
    occurring: &'a mut [u64; 4],
}

/// What a task found besides.
#[derive(Default)]
struct Filled {
    /// The highest code.
    highest: u32,
    /// Codes from the escape on, with word and bit.
    long: Vec<(u32, u32, u8)>,
}

/// Reads the values below into their place.
struct Filler<'a, W> {
    problem: &'a Problem<W>,
    source: Source,
    strides: &'a [(usize, usize)],
    width: usize,
    /// All slots but that of the piece that was taken; all of these but the last; and those that choose the group.
    rest: &'a [usize],
    before: &'a [usize],
    choosing: &'a [usize],
    with_lanes: bool,
}

impl<W: Word> Filler<'_, W> {
    /// Fills some words from `first` on: the legal squares, the codes, and which codes there are.
    fn fill(&self, first: usize, span: Span<'_, W>) -> Filled {
        let mut filled = Filled::default();
        let mut squares = [0u8; 8];
        for (i, (legal, codes)) in span.legal.iter_mut().zip(span.codes.chunks_exact_mut(W::BITS)).enumerate() {
            let word = first + i;
            if !self.place(word, &mut squares) {
                continue;
            }
            let taken: Bitboard = self.before.iter().map(|&slot| Square::new(squares[slot])).collect();
            let last = self.rest[self.rest.len() - 1];
            let free = self.problem.slots[last].domain.without(taken);
            *legal = W::from_set(free);
            self.source.codes(self.rest, &mut squares, free, |square, code| {
                filled.highest = filled.highest.max(code);
                let byte = u8::try_from(code).unwrap_or(ESCAPE);
                codes[square.index()] = byte;
                span.occurring[usize::from(byte) / 64] |= 1 << (byte % 64);
                if byte == ESCAPE {
                    filled.long.push((code, word as u32, square.number()));
                }
            });
        }
        filled
    }

    /// The squares of all pieces but the last in a word; false if two are on one square, or the lane is none.
    fn place(&self, word: usize, squares: &mut [u8; 8]) -> bool {
        let problem = self.problem;
        let (group, lane) = (word / self.width, word % self.width);
        for &(slot, stride) in self.strides {
            let place = group / stride % problem.slots[slot].full_count;
            squares[slot] = problem.slots[slot].full_squares[place];
        }
        if self.with_lanes {
            if lane >= usize::from(problem.board.squares()) || problem.slots[problem.lane()].full_place[lane] == NOWHERE
            {
                return false;
            }
            squares[problem.lane()] = lane as u8;
        }
        let alone = |i: usize, slots: &[usize]| !slots[..i].iter().any(|&slot| squares[slot] == squares[slots[i]]);
        let slots = if self.with_lanes { self.before } else { self.choosing };
        (0..slots.len()).all(|i| alone(i, slots))
    }
}

/// Codes of the positions below, from the table of their class or, with no piece left, from the rules.
enum Source {
    /// The side to move has no piece left.
    Eliminated(u32),
    /// A solved class and the way into it.
    Table { solved: Arc<Solved>, side: Side, pieces: Vec<usize>, map: Box<[Square; 128]>, inverse: Box<[Square; 128]> },
}

impl Source {
    fn new<W: Word>(
        catalog: &Catalog,
        problem: &Problem<W>,
        material: Material,
        turn: Side,
        rest: &[usize],
        solved: &Solution<'_>,
    ) -> Option<Source> {
        if !material.has_both_sides() {
            let draw = !catalog.rules().elimination_wins() && catalog.rules().no_move() == NoMove::Draw;
            return Some(Source::Eliminated(if draw { Value::Draw } else { Value::Loss(0) }.code()));
        }
        let member = catalog.member(material)?;
        let route = member.route(turn);
        let solved = solved(member.class())?;
        let slot_of = |piece: &Piece| rest.iter().copied().find(|&slot| problem.slots[slot].piece == *piece);
        let pieces: Vec<usize> = route.pieces().iter().map(slot_of).collect::<Option<_>>()?;
        let (mut map, mut inverse) = (Box::new([Square::new(0); 128]), Box::new([Square::new(0); 128]));
        for square in problem.board.all().squares() {
            let image = route.square(square);
            map[square.index()] = image;
            inverse[image.index()] = square;
        }
        Some(Source::Table { solved, side: route.side(), pieces, map, inverse })
    }

    /// Calls `visit` with the code for every square of `legal` that the last piece of `rest` can stand on. The other
    /// pieces stand on `squares`.
    fn codes(&self, rest: &[usize], squares: &mut [u8; 8], legal: Bitboard, mut visit: impl FnMut(Square, u32)) {
        match self {
            Source::Eliminated(code) => legal.squares().for_each(|square| visit(square, *code)),
            Source::Table { solved, side, pieces, map, inverse } => {
                let Some(&word) = rest.last() else { return };
                let codes = solved.side(*side);
                let index = solved.class.index();
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
