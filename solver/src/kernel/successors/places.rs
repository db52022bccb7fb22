//! Where the positions after a capture stand.

use crate::kernel::layout::{Layout, Numbers, Placement, Word};
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::rules::{Piece, Rules};

/// How many words make a span, where a group is a single word.
const SPAN: usize = 64;

/// What the words of the positions after a capture stand for.
///
/// Where an outer piece was taken they are rows as those of the class. Where the lane or the inner piece was taken, the outer pieces choose
/// a single word, which is that of the piece left over.
#[derive(Debug)]
pub struct Places<W> {
    /// The slots of the pieces that are left; the last one is the word.
    pub rest: Vec<usize>,
    /// How many of these choose the group; the one between, if any, is the lane.
    choosing: usize,
    /// The numbers of the groups.
    numbers: Numbers<W>,
    /// Words in a group: one for each lane, or a single one.
    pub width: usize,
    /// Words that are filled and looked through together: a group, or several where these are single words.
    pub span: usize,
}

impl<W: Word> Places<W> {
    /// The places of the positions after the piece of `victim` was taken.
    pub fn new(rules: &Rules, layout: &Layout<W>, victim: usize) -> Places<W> {
        let rest: Vec<usize> = (0..layout.slots.len()).filter(|&slot| slot != victim).collect();
        let with_lanes = victim < layout.outers;
        let choosing = rest.len() - if with_lanes { 2 } else { 1 };
        let pieces: Vec<Piece> = rest[..choosing].iter().map(|&slot| layout.slots[slot].piece).collect();
        let numbers = Numbers::new(rules, &pieces, false);
        let width = if with_lanes { layout.lanes } else { 1 };
        let span = if with_lanes { width } else { SPAN };
        Places { rest, choosing, numbers, width, span }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.numbers.size()
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.groups() * self.width
    }

    /// The group of a placement of the outer pieces; the victim's square does not count.
    #[inline(always)]
    pub fn group(&self, squares: &Placement) -> usize {
        self.numbers.number(self.rest[..self.choosing].iter().map(|&slot| squares[slot]))
    }

    /// The word and the bit of a position, `squares` those of all pieces by slot.
    #[inline(always)]
    pub fn cell(&self, layout: &Layout<W>, squares: &Placement) -> (usize, u8) {
        let lane = if self.width > 1 { squares[layout.lane()].into() } else { 0 };
        (self.group(squares) * self.width + lane, squares[self.word_slot()])
    }

    /// The slot of the piece that is the word.
    pub fn word_slot(&self) -> usize {
        self.rest[self.rest.len() - 1]
    }

    /// Places all pieces but the last in a word and returns the squares left to that one; none if two are on one square, or the
    /// lane is none.
    #[inline(always)]
    pub fn place(&self, layout: &Layout<W>, word: usize, squares: &mut Placement) -> Option<Bitboard> {
        let placed = self.numbers.squares(word / self.width)?;
        let mut taken = Bitboard::EMPTY;
        for (&slot, square) in self.rest[..self.choosing].iter().zip(placed) {
            squares[slot] = square.number();
            taken.insert(square);
        }
        if self.width > 1 {
            let lane = Square::new((word % self.width) as u8);
            if !layout.lane_domain.contains(lane) || taken.contains(lane) {
                return None;
            }
            squares[layout.lane()] = lane.number();
            taken.insert(lane);
        }
        Some(layout.slots[self.word_slot()].domain.without(taken))
    }
}
