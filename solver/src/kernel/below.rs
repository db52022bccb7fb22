//! The tables below: what a capture leads to, as the same two bit sets, in the layout of the table being solved.
//!
//! A piece that is taken leaves the others on their squares. Its side is to move then, so of each table below only that
//! side is needed. The sets hold what is known at the ply the sweep has reached, and are brought up to the next one by
//! comparing codes: those of the words, laid out once, or, where there is no memory for that, those of the table itself.

use super::isa::{Bytes, Isa, PortableBytes};
use super::problem::{Problem, numbers_of};
use super::word::Word;
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::{Index, Squares};
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::{NoMove, Piece};
use dsq_tables::value::Value;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the values of smaller classes come from: of every class that a capture leads to, with one side to move.
pub type Solution<'a> = dyn Fn(&Arc<Class>, Side) -> Option<Arc<SideCodes>> + Sync + 'a;

/// How many words share a set of the codes that occur in them, where a group is a single word.
const SPAN: usize = 64;

/// The positions after the piece of one slot was taken, that side to move.
#[derive(Debug)]
pub struct Below<W> {
    places: Places,
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
struct Places {
    /// The slots of the pieces that are left; the last one is the word.
    rest: Vec<usize>,
    /// How many of these choose the group; the one between, if any, is the lane.
    choosing: usize,
    /// The numbers of the groups.
    numbers: Index,
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
}

impl<W: Word> Below<W> {
    /// The group of a placement of the outer pieces; the victim's square does not count.
    #[inline(always)]
    pub fn group(&self, squares: &[u8; 8]) -> usize {
        let Places { rest, choosing, numbers, .. } = &self.places;
        let mut placed: Squares = [Square::new(0); MAX_PIECES];
        for (place, &slot) in placed.iter_mut().zip(&rest[..*choosing]) {
            *place = Square::new(squares[slot]);
        }
        numbers.number(&placed) as usize
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
        self.dirty.fill(false);
        let code = ply as u32 + 1;
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
        let (places, codes) = (&self.places, &self.codes);
        let advance = |(number, span): (usize, Span<'_, W>)| {
            if span.occurring[usize::from(byte) / 64] >> (byte % 64) & 1 != 0 {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => {
                        // SAFETY: the kernel uses only instructions that it has asked the machine for.
                        let bytes = unsafe { super::isa::Avx512Bytes::new() };
                        places.advance(problem, codes, bytes, number, span, code);
                    }
                    _ => places.advance(problem, codes, PortableBytes, number, span, code),
                }
            }
        };
        let (width, span) = (places.width, places.span);
        // The cells are read fast, and all tables below are brought on side by side; their values only if this one is large.
        if parallel && matches!(codes, Codes::Table(_)) {
            let words = self.lost.par_chunks_mut(span).zip(self.not_won.par_chunks_mut(span));
            let spans = words.zip(self.dirty.par_chunks_mut(span / width)).zip(&self.occurring);
            let spans = spans.map(|(((lost, not_won), dirty), occurring)| Span { lost, not_won, dirty, occurring });
            spans.enumerate().for_each(advance);
        } else {
            let words = self.lost.chunks_mut(span).zip(self.not_won.chunks_mut(span));
            let spans = words.zip(self.dirty.chunks_mut(span / width)).zip(&self.occurring);
            let spans = spans.map(|(((lost, not_won), dirty), occurring)| Span { lost, not_won, dirty, occurring });
            spans.enumerate().for_each(advance);
        }
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
        (parallel, laid_out): (bool, bool),
    ) -> Option<Below<W>> {
        let taken = problem.slots[victim].piece;
        let rest: Vec<usize> = (0..problem.slots.len()).filter(|&slot| slot != victim).collect();
        let with_lanes = victim < problem.outers;
        let choosing = rest.len() - if with_lanes { 2 } else { 1 };
        let pieces: Vec<Piece> = rest[..choosing].iter().map(|&slot| problem.slots[slot].piece).collect();
        let numbers = numbers_of(catalog.rules(), &pieces);
        let groups = numbers.size() as usize;
        let width = if with_lanes { problem.lanes } else { 1 };
        let span = if with_lanes { width } else { SPAN };
        let source = Source::new(catalog, problem, material.without(taken), taken.side, &rest, solved)?;
        let places = Places { rest, choosing, numbers, width, span };
        let words = groups * width;
        let mut below = Below {
            lost: vec![W::ZERO; words],
            not_won: vec![W::ZERO; words],
            codes: Codes::Cells { cells: Vec::new(), long: Vec::new() },
            occurring: vec![[0; 4]; words.div_ceil(span)],
            dirty: vec![false; groups],
            last_ply: 0,
            places,
        };
        let places = &below.places;
        let mut cells = if laid_out { vec![0; words * W::BITS] } else { Vec::new() };
        let fill = |(number, (legal, occurring), cells): (usize, (&mut [W], &mut [u64; 4]), Option<&mut [u8]>)| {
            places.fill(problem, &source, number, legal, occurring, cells)
        };
        let filled: Vec<Filled> = match (parallel, laid_out) {
            (true, true) => {
                let spans = below.not_won.par_chunks_mut(span).zip(&mut below.occurring);
                let spans = spans.zip(cells.par_chunks_mut(span * W::BITS)).enumerate();
                spans.map(|(number, (words, cells))| fill((number, words, Some(cells)))).collect()
            }
            (true, false) => {
                let spans = below.not_won.par_chunks_mut(span).zip(&mut below.occurring).enumerate();
                spans.map(|(number, words)| fill((number, words, None))).collect()
            }
            (false, _) => {
                let spans = below.not_won.chunks_mut(span).zip(&mut below.occurring).enumerate();
                let mut cells = cells.chunks_mut(span * W::BITS);
                spans.map(|(number, words)| fill((number, words, cells.next()))).collect()
            }
        };
        let mut long = Vec::new();
        for mut filled in filled {
            below.last_ply = below.last_ply.max(filled.highest.saturating_sub(1) as usize);
            long.append(&mut filled.long);
        }
        long.sort_unstable();
        below.codes = if laid_out { Codes::Cells { cells, long } } else { Codes::Table(source) };
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

/// The words that one task brings on.
struct Span<'a, W> {
    lost: &'a mut [W],
    not_won: &'a mut [W],
    dirty: &'a mut [bool],
    occurring: &'a [u64; 4],
}

/// What a task found besides.
#[derive(Default)]
struct Filled {
    /// The highest code.
    highest: u32,
    /// Codes from the escape on, with word and bit.
    long: Vec<(u32, u32, u8)>,
}

impl Places {
    /// Brings a span on to the code of the next ply.
    #[inline(always)]
    fn advance<W: Word>(
        &self,
        problem: &Problem<W>,
        codes: &Codes,
        bytes: impl Bytes,
        number: usize,
        span: Span<'_, W>,
        code: u32,
    ) {
        let first = number * self.span;
        let mut squares = [0u8; 8];
        for (i, (lost, not_won)) in span.lost.iter_mut().zip(span.not_won).enumerate() {
            let bits = match codes {
                // Longer codes are in a list.
                Codes::Cells { cells, .. } => bytes.equal(&cells[(first + i) * W::BITS..][..W::BITS], code as u8),
                Codes::Table(source) => {
                    let mut bits = W::ZERO;
                    if let Some(free) = self.place(problem, first + i, &mut squares) {
                        source.codes(&self.rest, &mut squares, free, Some(code), |square, _| bits |= W::of(square));
                    }
                    bits
                }
            };
            if !bits.is_zero() {
                decide(code as usize - 1, lost, not_won, bits);
                span.dirty[i / self.width] = true;
            }
        }
    }

    /// Fills a span: the legal squares, the codes, and which codes there are.
    fn fill<W: Word>(
        &self,
        problem: &Problem<W>,
        source: &Source,
        number: usize,
        legal: &mut [W],
        occurring: &mut [u64; 4],
        mut cells: Option<&mut [u8]>,
    ) -> Filled {
        let mut filled = Filled::default();
        let mut squares = [0u8; 8];
        for (i, legal) in legal.iter_mut().enumerate() {
            let word = number * self.span + i;
            let Some(free) = self.place(problem, word, &mut squares) else { continue };
            *legal = W::from_set(free);
            source.codes(&self.rest, &mut squares, free, None, |square, code| {
                filled.highest = filled.highest.max(code);
                let byte = u8::try_from(code).unwrap_or(ESCAPE);
                occurring[usize::from(byte) / 64] |= 1 << (byte % 64);
                if let Some(cells) = &mut cells {
                    cells[i * W::BITS + square.index()] = byte;
                    if byte == ESCAPE {
                        filled.long.push((code, word as u32, square.number()));
                    }
                }
            });
        }
        filled
    }

    /// Places all pieces but the last in a word and returns the squares left to that one; none if two are on one square, or the
    /// lane is none.
    #[inline(always)]
    fn place<W: Word>(&self, problem: &Problem<W>, word: usize, squares: &mut [u8; 8]) -> Option<Bitboard> {
        let placed = self.numbers.squares((word / self.width) as u64)?;
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

/// Codes of the positions below, from the table of their class or, with no piece left, from the rules.
#[derive(Debug)]
enum Source {
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

    /// Calls `visit` with the code for every square of `legal` that the last piece of `rest` can stand on, or only for those
    /// with the code `wanted`. The other pieces stand on `squares`.
    #[inline(always)]
    fn codes(
        &self,
        rest: &[usize],
        squares: &mut [u8; 8],
        legal: Bitboard,
        wanted: Option<u32>,
        mut visit: impl FnMut(Square, u32),
    ) {
        let mut visit = |square: Square, code: u32| {
            if wanted.is_none_or(|wanted| wanted == code) {
                visit(square, code);
            }
        };
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
                    if let Some(wanted) = wanted {
                        // Most runs have none of a code.
                        let byte = u8::try_from(wanted).unwrap_or(ESCAPE);
                        let bytes = codes.bytes().get(run.first as usize..).unwrap_or_default();
                        if !bytes.iter().take(run.squares.count() as usize).any(|&other| other == byte) {
                            return;
                        }
                    }
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
