//! The layout of the positions of a class in its bit sets.
//!
//! The pieces stand in the order of the index of the class. The last one (*inner*) is a word, one bit for each square. The
//! one before it (*lane*) numbers the words of a *row*, by its square. The others (*outer*) choose the row: rows are numbered as
//! the index numbers positions, without those in which two outer pieces would share a square.

use super::numbers::Numbers;
use super::word::Word;
use dsq_tables::board::{Bitboard, Board, Square, Symmetry};
use dsq_tables::class::Class;
use dsq_tables::material::MAX_PIECES;
use dsq_tables::rules::{Edge, Piece, Rules};

/// The squares of the outer pieces, by slot. What stands behind them means nothing.
pub type Placement = [u8; MAX_PIECES];

/// A piece of the class and its squares.
#[derive(Clone, Debug)]
pub struct Slot {
    pub piece: Piece,
    /// The squares it can stand on in the layout (of the first piece only the left half, where there is the mirror).
    pub part: Bitboard,
    /// All of its squares.
    pub domain: Bitboard,
    /// The slots whose pieces stop its jumps, one bit each.
    stoppers: u8,
}

impl Slot {
    /// True if the piece of another slot stops its jumps.
    #[inline(always)]
    pub fn is_stopped_by(&self, other: usize) -> bool {
        self.stoppers >> other & 1 != 0
    }
}

/// Where the positions of a class stand.
#[derive(Clone, Debug)]
pub struct Layout<W> {
    pub board: Board,
    pub slots: Vec<Slot>,
    /// How many of the slots are outer.
    pub outers: usize,
    /// The words of a row, a multiple of eight.
    pub lanes: usize,
    /// Rows in all.
    pub rows: usize,
    /// The numbers of the rows.
    numbers: Numbers<W>,
    /// True if the first piece stands on the left half only.
    pub mirror: bool,
    /// Where each square goes in the mirror.
    pub mirrored: [u8; 128],
    /// Groups of bits that move by the same distance in the mirror.
    mirror_groups: Vec<(i32, W)>,
    pub inner_domain: W,
    pub lane_domain: Bitboard,
}

/// The words of a row on a board, a multiple of eight.
pub fn lanes_of(board: &Board) -> usize {
    usize::from(board.squares()).next_multiple_of(8)
}

impl<W: Word> Layout<W> {
    /// The layout of a class.
    pub fn new(rules: &Rules, class: &Class) -> Self {
        let board = rules.board().clone();
        let pieces: Vec<Piece> = class.index().pieces().collect();
        let outers = pieces.len() - 2;
        let mirror = class.index().has_mirror() && outers > 0;
        let mut slots: Vec<Slot> = Vec::new();
        for (number, &piece) in pieces.iter().enumerate() {
            let movement = rules.movement(piece);
            let domain = movement.domain();
            let part = if mirror && number == 0 { domain & board.left_half() } else { domain };
            let stopped_by = movement.stopped_by();
            let stops = |other: &Piece| if other.side == piece.side { stopped_by.own } else { stopped_by.enemy };
            let stoppers = pieces.iter().enumerate().filter(|(i, other)| *i != number && stops(other));
            slots.push(Slot { piece, part, domain, stoppers: stoppers.fold(0, |set, (i, _)| set | 1 << i) });
        }
        let numbers = Numbers::new(rules, &pieces[..outers], mirror);
        let mut mirrored = [0; 128];
        let mut groups: Vec<(i32, Bitboard)> = Vec::new();
        for square in board.all().squares() {
            let image = board.map(Symmetry::Mirror, square);
            mirrored[square.index()] = image.number();
            add_to_group(&mut groups, i32::from(image.number()) - i32::from(square.number()), square);
        }
        let (lane, inner) = (&slots[outers], &slots[outers + 1]);
        Layout {
            lanes: lanes_of(&board),
            rows: numbers.size(),
            numbers,
            mirror,
            mirrored,
            mirror_groups: groups.into_iter().map(|(by, set)| (by, W::from_set(set))).collect(),
            inner_domain: W::from_set(inner.domain),
            lane_domain: lane.domain,
            outers,
            slots,
            board,
        }
    }

    /// The slot of the lane piece.
    pub fn lane(&self) -> usize {
        self.outers
    }

    /// The slot of the inner piece.
    pub fn inner(&self) -> usize {
        self.outers + 1
    }

    /// The outer pieces' squares in a row; false if two of them share one, and the row has no positions.
    #[inline]
    pub fn place_outers(&self, row: usize, squares: &mut Placement) -> bool {
        let Some(placed) = self.numbers.squares(row) else { return false };
        for (square, placed) in squares[..self.outers].iter_mut().zip(placed) {
            *square = placed.number();
        }
        true
    }

    /// The row of the outer pieces' squares, which differ; with the first piece on the right half, that of the mirror image.
    #[inline]
    pub fn row(&self, squares: &Placement) -> usize {
        let crossed = self.mirror && !self.slots[0].part.contains(Square::new(squares[0]));
        let squares = squares[..self.outers].iter();
        if crossed {
            self.numbers.number(squares.map(|&square| self.mirrored[usize::from(square)]))
        } else {
            self.numbers.number(squares.copied())
        }
    }

    /// How many rows share the squares of the outer pieces up to a slot.
    pub fn rows_after(&self, slot: usize) -> usize {
        self.numbers.after(slot)
    }

    /// How many rows have each square of the first outer piece; a single one where there is none.
    pub fn slice_rows(&self) -> usize {
        if self.outers == 0 { 1 } else { self.rows_after(0) }
    }

    /// How many squares the first outer piece has.
    pub fn slices(&self) -> usize {
        if self.outers == 0 { 1 } else { self.slots[0].part.count() as usize }
    }

    /// The legal squares of the inner piece for a lane of a row.
    #[inline(always)]
    pub fn legal_word(&self, squares: &Placement, lane: usize) -> W {
        if lane >= usize::from(self.board.squares()) || !self.lane_domain.contains(Square::new(lane as u8)) {
            return W::ZERO;
        }
        let mut word = self.inner_domain & !W::bit(lane);
        for &square in &squares[..self.outers] {
            if usize::from(square) == lane {
                return W::ZERO;
            }
            word &= !W::bit(square.into());
        }
        word
    }

    /// A word in the mirror.
    #[inline(always)]
    pub fn mirror_word(&self, word: W) -> W {
        let mut image = W::ZERO;
        for &(by, group) in &self.mirror_groups {
            image |= (word & group).shifted(by);
        }
        image
    }

    /// The squares a move of a slot's piece passes over on which the piece of another slot would stop it.
    pub fn stopping(&self, slot: usize, other: usize, edge: &Edge) -> Bitboard {
        if self.slots[slot].is_stopped_by(other) { edge.between & self.slots[other].domain } else { Bitboard::EMPTY }
    }

    /// True if an outer piece stops a jump of the piece of `slot` over the squares `between`.
    #[inline(always)]
    pub fn is_stopped(&self, slot: usize, between: Bitboard, squares: &Placement) -> bool {
        if between.is_empty() {
            return false;
        }
        let slot = &self.slots[slot];
        (0..self.outers).any(|other| slot.is_stopped_by(other) && between.contains(Square::new(squares[other])))
    }
}

/// Adds a square to the group of those that move by the same distance.
pub fn add_to_group(groups: &mut Vec<(i32, Bitboard)>, by: i32, from: Square) {
    match groups.iter_mut().find(|(other, _)| *other == by) {
        Some((_, set)) => set.insert(from),
        None => groups.push((by, from.bit())),
    }
}
