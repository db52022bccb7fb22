//! The values of the positions after a capture, as the smaller table has them.

use crate::kernel::layout::{Layout, Placement, Word};
use crate::kernel::measure::{Goal, Measure};
use crate::kernel::options::Solution;
use crate::solved::SideCodes;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::index::Squares;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::{NoMove, Piece};
use rayon::prelude::*;
use std::sync::Arc;

/// Codes that are compared before any is looked at.
const PART: usize = 64;
/// Codes that one task looks through.
const CHUNK: usize = 1 << 16;
/// Tasks whose finds wait to be entered.
const BATCH: usize = 64;

/// Codes of the positions after a capture: those of their class or, with no piece left, what the rules say.
#[derive(Debug)]
pub enum Values {
    /// The side to move has no piece left: all positions have this code.
    Eliminated(u32),
    /// The values of a class with one side to move, and the way to them.
    Table(Table),
}

/// The values of a class with one side to move, and the way to them.
#[derive(Debug)]
pub struct Table {
    class: Arc<Class>,
    codes: Arc<SideCodes>,
    /// For each slot of the class: the slot of its piece in the class that is solved.
    pieces: Vec<usize>,
    /// For each square here, the square in the class.
    map: Box<[Square; 128]>,
    /// For each square in the class, the square here.
    inverse: Box<[Square; 128]>,
}

impl Values {
    /// The values after a capture that leaves `material`, with the side `turn` to move; none if they are not given.
    pub fn new<W: Word>(
        catalog: &Catalog,
        layout: &Layout<W>,
        (material, turn): (Material, Side),
        rest: &[usize],
        measure: Measure,
        solution: &Solution<'_>,
    ) -> Option<Values> {
        if !material.has_both_sides() {
            let draw = !catalog.rules().elimination_wins() && catalog.rules().no_move() == NoMove::Draw;
            let code = if draw { Measure::DRAW } else { measure.code(Goal::Losses, 0) };
            return Some(Values::Eliminated(code));
        }
        let member = catalog.member(material)?;
        let route = member.route(turn);
        let class = member.class().clone();
        let codes = solution(&class, route.side())?;
        let slot_of = |piece: &Piece| rest.iter().copied().find(|&slot| layout.slots[slot].piece == *piece);
        let pieces: Vec<usize> = route.pieces().iter().map(slot_of).collect::<Option<_>>()?;
        let (mut map, mut inverse) = (Box::new([Square::new(0); 128]), Box::new([Square::new(0); 128]));
        for square in layout.board.all().squares() {
            let image = route.square(square);
            map[square.index()] = image;
            inverse[image.index()] = square;
        }
        Some(Values::Table(Table { class, codes, pieces, map, inverse }))
    }

    /// The highest code.
    pub fn highest(&self) -> u32 {
        match self {
            Values::Eliminated(code) => *code,
            Values::Table(Table { codes, .. }) => {
                let long = codes.exceptions().iter().map(|&(_, code)| code).max().unwrap_or(0);
                let short = codes.bytes().par_iter().copied().filter(|&byte| byte != ESCAPE).max().unwrap_or(0);
                long.max(short.into())
            }
        }
    }

    /// Calls `visit` with the code for every square of `legal` that the last piece of `rest` can stand on. The other pieces
    /// stand on `squares`.
    pub fn codes(&self, rest: &[usize], squares: &mut Placement, legal: Bitboard, mut visit: impl FnMut(Square, u32)) {
        match (self, rest.last()) {
            (Values::Eliminated(code), _) => legal.squares().for_each(|square| visit(square, *code)),
            (Values::Table(table), Some(&word)) => table.codes(word, squares, legal, visit),
            (Values::Table(_), None) => {}
        }
    }
}

impl Table {
    /// Where the pieces of the class stand if those here stand on `squares`.
    #[inline(always)]
    fn placed(&self, squares: &Placement) -> Squares {
        let mut placed: Squares = [Square::new(0); MAX_PIECES];
        for (square, &piece) in placed.iter_mut().zip(&self.pieces) {
            *square = self.map[usize::from(squares[piece])];
        }
        placed
    }

    /// The codes for the squares of `legal` that the piece of the slot `word` can stand on.
    fn codes(&self, word: usize, squares: &mut Placement, legal: Bitboard, mut visit: impl FnMut(Square, u32)) {
        let (index, codes) = (self.class.index(), &self.codes);
        if self.pieces.last() == Some(&word) {
            // The usual case: the word runs along the numbers of the table.
            let run = index.run(&self.placed(squares));
            let mirrored = |square: Square| if run.mirrored { index.mirror(square) } else { square };
            for (number, square) in (run.first..).zip(run.squares.squares()) {
                let square = self.inverse[mirrored(square).index()];
                if legal.contains(square) {
                    visit(square, codes.code(number));
                }
            }
        } else {
            for square in legal.squares() {
                squares[word] = square.number();
                visit(square, codes.code(index.number(&self.placed(squares))));
            }
        }
    }

    /// Calls `visit` with the squares, by slot, of every position with a code.
    ///
    /// The codes are looked through in parallel, what is found is visited by one thread.
    pub fn each_with<T: Send>(
        &self,
        code: u32,
        grain: usize,
        place: impl Fn(&Placement) -> T + Sync,
        visit: impl FnMut(T),
    ) {
        let Some(byte) = u8::try_from(code).ok().filter(|&byte| byte != ESCAPE) else {
            let mut found = Vec::new();
            for &(number, _) in self.codes.exceptions().iter().filter(|&&(_, other)| other == code) {
                self.place_both_images(number, &place, &mut found);
            }
            return found.into_iter().for_each(visit);
        };
        let look = |(chunk, bytes): (usize, &[u8])| {
            let mut found = Vec::new();
            for (part, bytes) in bytes.chunks(PART).enumerate() {
                // Without a way out of the loop, so that it becomes vector instructions: most parts have none of a code.
                if bytes.iter().fold(false, |any, &other| any | (other == byte)) {
                    let first = (chunk * CHUNK + part * PART) as u64;
                    for (number, _) in (first..).zip(bytes).filter(|(_, other)| **other == byte) {
                        self.place_both_images(number, &place, &mut found);
                    }
                }
            }
            found
        };
        let mut visit = visit;
        // What is found is visited batch by batch, so that it never takes much memory.
        for (batch, bytes) in self.codes.bytes().chunks(BATCH * CHUNK).enumerate() {
            let chunks = bytes.par_chunks(CHUNK).enumerate().with_min_len(grain);
            let found: Vec<Vec<T>> = chunks.map(|(chunk, bytes)| look((batch * BATCH + chunk, bytes))).collect();
            found.into_iter().flatten().for_each(&mut visit);
        }
    }

    /// Adds the places of a position with a number and of its mirror image.
    #[inline(always)]
    fn place_both_images<T>(&self, number: u64, place: &impl Fn(&Placement) -> T, found: &mut Vec<T>) {
        let index = self.class.index();
        let Some(placed) = index.squares(number) else { return };
        let mut slots = Placement::default();
        let mut add = |image: &dyn Fn(Square) -> Square| {
            for (&slot, &square) in self.pieces.iter().zip(&placed) {
                slots[slot] = self.inverse[image(square).index()].number();
            }
            found.push(place(&slots));
        };
        add(&|square| square);
        if index.weight(&placed) == 2 {
            add(&|square| index.mirror(square));
        }
    }
}
