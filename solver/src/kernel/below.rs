//! The tables below: what a capture leads to, as the same two bit sets, in the layout of the table being solved.
//!
//! A piece that is taken leaves the others on their squares. Its side is to move then, so of each table below only that
//! side is needed. The sets hold what is known at the ply the sweep has reached; the positions decided at a later ply wait
//! in the list of that ply.

use super::problem::{NOWHERE, Problem};
use super::word::Word;
use crate::solved::Solved;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::index::Squares;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::{NoMove, Piece};
use dsq_tables::value::Value;
use std::sync::Arc;

/// Where the values of smaller classes come from: every class that a capture leads to, solved.
pub type Solution<'a> = dyn Fn(&Class) -> Option<Arc<Solved>> + Sync + 'a;

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
    /// By ply: the words with the bits that are decided there.
    events: Vec<Vec<(u32, W)>>,
    /// By group: whether something changed at the last ply.
    pub dirty: Vec<bool>,
    dirty_groups: Vec<u32>,
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
        self.events.len().saturating_sub(1)
    }

    /// Brings the sets to the end of `ply`.
    pub fn advance(&mut self, ply: usize) {
        for group in self.dirty_groups.drain(..) {
            self.dirty[group as usize] = false;
        }
        let Some(events) = self.events.get_mut(ply) else { return };
        for (index, bits) in std::mem::take(events) {
            let index = index as usize;
            if ply % 2 == 1 {
                self.not_won[index] &= !bits;
            } else {
                self.lost[index] |= bits;
            }
            let group = index / self.width;
            if !std::mem::replace(&mut self.dirty[group], true) {
                self.dirty_groups.push(group as u32);
            }
        }
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
    ) -> Option<Below<W>> {
        let taken = problem.slots[victim].piece;
        let rest: Vec<usize> = (0..problem.slots.len()).filter(|&slot| slot != victim).collect();
        let (&word, before) = rest.split_last()?;
        let with_lanes = victim < problem.outers;
        let choosing = if with_lanes { &before[..before.len() - 1] } else { before };
        let mut strides = Vec::new();
        let mut groups = 1;
        for &slot in choosing.iter().rev() {
            strides.push((slot, groups));
            groups *= problem.slots[slot].full_count;
        }
        let width = if with_lanes { problem.lanes } else { 1 };
        let mut below = Below {
            strides,
            width,
            lost: vec![W::ZERO; groups * width],
            not_won: vec![W::ZERO; groups * width],
            events: Vec::new(),
            dirty: vec![false; groups],
            dirty_groups: Vec::new(),
        };
        let source = Source::new(catalog, problem, material.without(taken), taken.side, &rest, solved)?;
        let mut squares = [0u8; 8];
        for group in 0..groups {
            for &(slot, stride) in &below.strides {
                let place = group / stride % problem.slots[slot].full_count;
                squares[slot] = nth(problem.slots[slot].domain, place);
            }
            if (0..choosing.len()).any(|i| choosing[..i].iter().any(|&slot| squares[slot] == squares[choosing[i]])) {
                continue;
            }
            for lane in 0..width {
                if with_lanes {
                    let own = problem.slots[problem.lane()].full_place[lane];
                    let clash = choosing.iter().any(|&slot| usize::from(squares[slot]) == lane);
                    if lane >= usize::from(problem.board.squares()) || own == NOWHERE || clash {
                        continue;
                    }
                    squares[problem.lane()] = lane as u8;
                }
                let index = group * width + lane;
                let legal = below.fill(index, &source, &rest, &mut squares, problem.slots[word].domain, before);
                below.not_won[index] = legal;
            }
        }
        Some(below)
    }

    /// Reads one word: enters what is decided into the lists of the plies and returns the legal squares.
    fn fill(
        &mut self,
        index: usize,
        source: &Source,
        rest: &[usize],
        squares: &mut [u8; 8],
        domain: Bitboard,
        before: &[usize],
    ) -> W {
        let taken: Bitboard = before.iter().map(|&slot| Square::new(squares[slot])).collect();
        let legal = domain.without(taken);
        // The plies of one word are few; a word seldom has more than a dozen.
        let mut plies: Vec<(u32, W)> = Vec::new();
        source.values(rest, squares, legal, |square, value| {
            if let Some(ply) = value.plies() {
                match plies.iter_mut().find(|(other, _)| *other == ply) {
                    Some((_, bits)) => *bits |= W::of(square),
                    None => plies.push((ply, W::of(square))),
                }
            }
        });
        for (ply, bits) in plies {
            let ply = ply as usize;
            if self.events.len() <= ply {
                self.events.resize_with(ply + 1, Vec::new);
            }
            // There are fewer than 2^32 words below a table that fits in memory.
            self.events[ply].push((index as u32, bits));
        }
        W::from_set(legal)
    }
}

fn nth(set: Bitboard, place: usize) -> u8 {
    set.squares().nth(place).map_or(0, Square::number)
}

/// Values of the positions below, from the table of their class or, with no piece left, from the rules.
enum Source {
    /// The side to move has no piece left.
    Eliminated(Value),
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
            return Some(Source::Eliminated(if draw { Value::Draw } else { Value::Loss(0) }));
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

    /// Calls `visit` with the value for every square of `legal` that the last piece of `rest` can stand on. The other
    /// pieces stand on `squares`.
    fn values(&self, rest: &[usize], squares: &mut [u8; 8], legal: Bitboard, mut visit: impl FnMut(Square, Value)) {
        match self {
            Source::Eliminated(value) => legal.squares().for_each(|square| visit(square, *value)),
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
                            visit(square, codes.value(number));
                        }
                    }
                } else {
                    for square in legal.squares() {
                        squares[word] = square.number();
                        for (slot, &piece) in placed.iter_mut().zip(pieces) {
                            *slot = map[usize::from(squares[piece])];
                        }
                        visit(square, codes.value(index.number(&placed)));
                    }
                }
            }
        }
    }
}
