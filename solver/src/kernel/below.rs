//! The tables below: what a capture leads to, as the same two bit sets, in the layout of the table being solved.
//!
//! A piece that is taken leaves the others on their squares. Its side is to move then, so of each table below only that
//! side is needed. The sets hold what is known at the ply the sweep has reached, and are brought up to the next one by
//! comparing codes: those of the words, laid out once, or, where there is no memory for that, those of the table itself
//! (`below/source.rs`).

mod source;

use self::source::Source;
use super::isa::{Bytes, Isa, PortableBytes};
use super::measure::Measure;
use super::numbers::Numbers;
use super::problem::Problem;
use super::word::Word;
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::material::Material;
use dsq_tables::rules::Piece;
use dsq_tables::value::Wdl;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the values of smaller classes come from: of every class that a capture leads to, with one side to move.
pub type Solution<'a> = dyn Fn(&Arc<Class>, Side) -> Option<Arc<SideCodes>> + Sync + 'a;

/// How many words share a set of the codes that occur in them, where a group is a single word.
const SPAN: usize = 64;

/// The positions after the piece of one slot was taken, that side to move.
#[derive(Debug)]
pub struct Below<W> {
    places: Places<W>,
    /// Lost for the side to move at the ply that was reached.
    pub lost: Vec<W>,
    /// Not won for the side to move at the ply that was reached.
    pub not_won: Vec<W>,
    codes: Codes,
    /// For each span of words the codes that occur in them, as bits.
    occurring: Vec<[u64; 4]>,
    /// By group: whether something changed at the last ply.
    pub dirty: Vec<bool>,
    last_ply: usize,
}

/// What the words stand for.
#[derive(Debug)]
struct Places<W> {
    /// The slots of the pieces that are left; the last one is the word.
    rest: Vec<usize>,
    /// How many of these choose the group; the one between, if any, is the lane.
    choosing: usize,
    /// The numbers of the groups.
    numbers: Numbers<W>,
    /// Words in a group: one for each lane, or a single one where the lane or the inner piece was taken.
    width: usize,
    /// Words in a span.
    span: usize,
}

/// The values that the sets follow.
#[derive(Debug)]
enum Codes {
    /// Laid out as the words are.
    Cells {
        /// A byte for every bit of every word.
        cells: Vec<u8>,
        /// Codes from the escape on, with word and bit, by code.
        long: Vec<(u32, u32, u8)>,
    },
    /// As they are in the table.
    Table(Source),
    /// As they are in the table; all are entered after ply 0, however far away the end is.
    AtOnce(Measure, Source),
    /// All have been entered.
    Entered,
}

impl<W: Word> Below<W> {
    /// The group of a placement of the outer pieces; the victim's square does not count.
    #[inline(always)]
    pub fn group(&self, squares: &[u8; 8]) -> usize {
        self.places.group(squares)
    }

    /// Words in a group.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.places.width
    }

    /// The last ply at which something is decided.
    pub fn last_ply(&self) -> usize {
        self.last_ply
    }

    /// Brings the sets to the end of `ply`.
    pub fn advance(&mut self, problem: &Problem<W>, ply: usize, isa: Isa, parallel: bool) {
        if let Codes::AtOnce(..) | Codes::Entered = &self.codes {
            return self.enter_all(problem, parallel);
        }
        self.dirty.fill(false);
        let code = Measure::Win.code(ply as u32);
        let byte = u8::try_from(code).unwrap_or(ESCAPE);
        if byte == ESCAPE
            && let Codes::Cells { long, .. } = &self.codes
        {
            let first = long.partition_point(|&(other, _, _)| other < code);
            let last = long.partition_point(|&(other, _, _)| other <= code);
            for &(_, word, bit) in &long[first..last] {
                let (word, bits) = (word as usize, W::bit(bit.into()));
                decide(ply, &mut self.lost[word], &mut self.not_won[word], bits);
                self.dirty[word / self.places.width] = true;
            }
            return;
        }
        if let Codes::Table(_) = &self.codes {
            return self.follow_table(problem, ply, parallel);
        }
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                // SAFETY: the kernel uses only instructions that it has asked the machine for.
                let bytes = unsafe { super::isa::Avx512Bytes::new() };
                self.follow_cells(bytes, ply, byte);
            }
            _ => self.follow_cells(PortableBytes, ply, byte),
        }
    }

    /// Enters what is decided below, if that was not done before.
    fn enter_all(&mut self, problem: &Problem<W>, parallel: bool) {
        let Codes::AtOnce(measure, source) = &self.codes else { return };
        let (places, span) = (&self.places, self.places.span);
        let fill = |(number, (lost, not_won)): (usize, (&mut [W], &mut [W]))| {
            places.fill_decided(problem, source, *measure, number, lost, not_won);
        };
        if parallel {
            let spans = self.lost.par_chunks_mut(span).zip(self.not_won.par_chunks_mut(span));
            spans.enumerate().for_each(fill);
        } else {
            self.lost.chunks_mut(span).zip(self.not_won.chunks_mut(span)).enumerate().for_each(fill);
        }
        self.codes = Codes::Entered;
    }

    fn follow_cells(&mut self, bytes: impl Bytes, ply: usize, byte: u8) {
        let Codes::Cells { cells, .. } = &self.codes else { return };
        let Places { span, width, .. } = self.places;
        let (part, bit) = (usize::from(byte) / 64, byte % 64);
        for (number, occurring) in self.occurring.iter().enumerate() {
            if occurring[part] >> bit & 1 == 0 {
                continue;
            }
            for word in number * span..((number + 1) * span).min(self.lost.len()) {
                let bits: W = bytes.equal(&cells[word * W::BITS..][..W::BITS], byte);
                if !bits.is_zero() {
                    decide(ply, &mut self.lost[word], &mut self.not_won[word], bits);
                    self.dirty[word / width] = true;
                }
            }
        }
    }

    fn follow_table(&mut self, problem: &Problem<W>, ply: usize, parallel: bool) {
        let Codes::Table(source) = &self.codes else { return };
        let (places, code) = (&self.places, Measure::Win.code(ply as u32));
        let words = self.lost.len();
        let (lost, not_won, dirty) = (&mut self.lost, &mut self.not_won, &mut self.dirty);
        let mut enter = |word: usize, bits: W| {
            decide(ply, &mut lost[word], &mut not_won[word], bits);
            dirty[word / places.width] = true;
        };
        if let Source::Eliminated(all) = source {
            let mut squares = [0; 8];
            let words = if *all == code { words } else { 0 };
            for word in 0..words {
                if let Some(free) = places.place(problem, word, &mut squares) {
                    enter(word, W::from_set(free));
                }
            }
            return;
        }
        let cell = |squares: &[u8; 8]| {
            let lane = if places.width > 1 { squares[problem.lane()].into() } else { 0 };
            (places.group(squares) * places.width + lane, squares[places.rest[places.rest.len() - 1]])
        };
        source.each_with(code, parallel, cell, |word, bit| enter(word, W::bit(bit.into())));
    }

    /// Collects the positions below a class in which the piece of `victim` was taken. With `laid_out` their codes are laid out
    /// as the words are.
    ///
    /// None if a table that is needed is not there.
    pub fn new(
        catalog: &Catalog,
        problem: &Problem<W>,
        material: Material,
        victim: usize,
        solved: &Solution<'_>,
        (measure, (parallel, laid_out)): (Measure, (bool, bool)),
    ) -> Option<Below<W>> {
        let taken = problem.slots[victim].piece;
        let rest: Vec<usize> = (0..problem.slots.len()).filter(|&slot| slot != victim).collect();
        let with_lanes = victim < problem.outers;
        let choosing = rest.len() - if with_lanes { 2 } else { 1 };
        let pieces: Vec<Piece> = rest[..choosing].iter().map(|&slot| problem.slots[slot].piece).collect();
        let numbers = Numbers::new(catalog.rules(), &pieces, false);
        let groups = numbers.size();
        let width = if with_lanes { problem.lanes } else { 1 };
        let span = if with_lanes { width } else { SPAN };
        let source = Source::new(catalog, problem, (material.without(taken), taken.side), &rest, measure, solved)?;
        let places = Places { rest, choosing, numbers, width, span };
        let words = groups * width;
        let mut below = Below {
            lost: vec![W::ZERO; words],
            not_won: vec![W::ZERO; words],
            codes: Codes::Cells { cells: Vec::new(), long: Vec::new() },
            occurring: Vec::new(),
            dirty: vec![false; groups],
            last_ply: 0,
            places,
        };
        let places = &below.places;
        let filled: Vec<Filled> = if laid_out && !measure.is_conversion() {
            below.occurring = vec![[0; 4]; words.div_ceil(span)];
            let mut cells = vec![0; words * W::BITS];
            let fill = |(number, span): (usize, Span<'_, W>)| {
                let ((legal, occurring), cells) = span;
                places.fill(problem, &source, number, legal, occurring, cells)
            };
            let filled = if parallel {
                let spans = below.not_won.par_chunks_mut(span).zip(&mut below.occurring);
                spans.zip(cells.par_chunks_mut(span * W::BITS)).enumerate().map(fill).collect()
            } else {
                let spans = below.not_won.chunks_mut(span).zip(&mut below.occurring);
                spans.zip(cells.chunks_mut(span * W::BITS)).enumerate().map(fill).collect()
            };
            below.codes = Codes::Cells { cells, long: Vec::new() };
            filled
        } else {
            let fill = |(number, legal): (usize, &mut [W])| places.fill_legal(problem, number, legal);
            if parallel {
                below.not_won.par_chunks_mut(span).enumerate().for_each(fill);
            } else {
                below.not_won.chunks_mut(span).enumerate().for_each(fill);
            }
            let highest = if measure.is_conversion() { 0 } else { source.highest() };
            below.codes = if measure.is_conversion() { Codes::AtOnce(measure, source) } else { Codes::Table(source) };
            vec![Filled { highest, long: Vec::new() }]
        };
        for mut filled in filled {
            below.last_ply = below.last_ply.max(filled.highest.saturating_sub(1) as usize);
            if let Codes::Cells { long, .. } = &mut below.codes {
                long.append(&mut filled.long);
            }
        }
        if let Codes::Cells { long, .. } = &mut below.codes {
            long.sort_unstable();
        }
        Some(below)
    }
}

/// Enters what is decided at a ply.
#[inline(always)]
fn decide<W: Word>(ply: usize, lost: &mut W, not_won: &mut W, bits: W) {
    if ply % 2 == 1 {
        *not_won &= !bits;
    } else {
        *lost |= bits;
    }
}

/// What a task fills: words, the codes that occur in them, and a byte for every bit.
type Span<'a, W> = ((&'a mut [W], &'a mut [u64; 4]), &'a mut [u8]);

/// What a task found besides.
#[derive(Default)]
struct Filled {
    /// The highest code.
    highest: u32,
    /// Codes from the escape on, with word and bit.
    long: Vec<(u32, u32, u8)>,
}

impl<W: Word> Places<W> {
    /// The group of a placement of the outer pieces.
    #[inline(always)]
    fn group(&self, squares: &[u8; 8]) -> usize {
        self.numbers.number(self.rest[..self.choosing].iter().map(|&slot| squares[slot]))
    }

    /// Fills a span with the legal squares.
    fn fill_legal(&self, problem: &Problem<W>, number: usize, legal: &mut [W]) {
        let mut squares = [0u8; 8];
        for (i, legal) in legal.iter_mut().enumerate() {
            let free = self.place(problem, number * self.span + i, &mut squares);
            *legal = free.map_or(W::ZERO, W::from_set);
        }
    }

    /// Enters what is decided in a span.
    fn fill_decided(
        &self,
        problem: &Problem<W>,
        source: &Source,
        measure: Measure,
        number: usize,
        lost: &mut [W],
        not_won: &mut [W],
    ) {
        let mut squares = [0u8; 8];
        for (i, (lost, not_won)) in lost.iter_mut().zip(not_won).enumerate() {
            let Some(free) = self.place(problem, number * self.span + i, &mut squares) else { continue };
            source.codes(&self.rest, &mut squares, free, |square, code| match measure.decided(code) {
                Wdl::Win => *not_won &= !W::of(square),
                Wdl::Draw => {}
                Wdl::Loss => *lost |= W::of(square),
            });
        }
    }

    /// Fills a span: the legal squares, the codes, and which codes there are.
    fn fill(
        &self,
        problem: &Problem<W>,
        source: &Source,
        number: usize,
        legal: &mut [W],
        occurring: &mut [u64; 4],
        cells: &mut [u8],
    ) -> Filled {
        let mut filled = Filled::default();
        let mut squares = [0u8; 8];
        for (i, legal) in legal.iter_mut().enumerate() {
            let word = number * self.span + i;
            let Some(free) = self.place(problem, word, &mut squares) else { continue };
            *legal = W::from_set(free);
            source.codes(&self.rest, &mut squares, free, |square, code| {
                filled.highest = filled.highest.max(code);
                let byte = u8::try_from(code).unwrap_or(ESCAPE);
                occurring[usize::from(byte) / 64] |= 1 << (byte % 64);
                cells[i * W::BITS + square.index()] = byte;
                if byte == ESCAPE {
                    filled.long.push((code, word as u32, square.number()));
                }
            });
        }
        filled
    }

    /// Places all pieces but the last in a word and returns the squares left to that one; none if two are on one square, or the
    /// lane is none.
    #[inline(always)]
    fn place(&self, problem: &Problem<W>, word: usize, squares: &mut [u8; 8]) -> Option<Bitboard> {
        let placed = self.numbers.squares(word / self.width)?;
        let mut taken = Bitboard::EMPTY;
        for (&slot, square) in self.rest[..self.choosing].iter().zip(placed) {
            squares[slot] = square.number();
            taken.insert(square);
        }
        let last = self.rest[self.rest.len() - 1];
        if self.width > 1 {
            let lane = Square::new((word % self.width) as u8);
            if !problem.lane_domain.contains(lane) || taken.contains(lane) {
                return None;
            }
            squares[problem.lane()] = lane.number();
            taken.insert(lane);
        }
        Some(problem.slots[last].domain.without(taken))
    }
}
