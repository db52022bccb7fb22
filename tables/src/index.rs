//! Position to number and back, for the positions of one class and one side to move.
//!
//! The pieces are put in an order in which their domains grow, the strong ones first; the last piece runs fastest. A
//! piece counts the squares of its domain below its own that no earlier piece occupies. Where the domains are nested (land
//! inside land and water) every number is a legal placement and every legal placement has a number. Where an earlier
//! domain is not inside a later one (say, each side may enter its own den), its squares are not left out, and some numbers
//! stand for two pieces on one square; those have no position.
//!
//! Where the class has the left-right mirror, the first piece stands on the left half (the middle file included), and a
//! position with that piece on the right half is looked up mirrored. Positions with it on the middle file are stored with
//! both their images.

use crate::board::{Bitboard, Square, Symmetry};
use crate::material::{MAX_PIECES, Material};
use crate::rules::{Piece, Rules};

#[derive(Clone, Debug)]
struct Slot {
    piece: Piece,
    /// The squares of the piece; of the first one those of the left half only, where there is the mirror.
    domain: Bitboard,
    /// The earlier slots whose squares are left out when this one counts, as bits.
    left_out: u8,
    /// How many numbers this slot has.
    radix: u64,
    /// The squares of the domain, ascending.
    squares: Vec<Square>,
    /// How many squares of the domain come before each square.
    before: [u8; 128],
}

impl Slot {
    /// How many squares of the domain that no earlier piece occupies come before the square of this slot, the `i`-th.
    #[inline]
    fn count_before(&self, i: usize, squares: &Squares) -> u64 {
        let mut count = self.before[squares[i].index()];
        for (j, square) in squares[..i].iter().enumerate() {
            count -= u8::from(self.left_out >> j & 1 != 0 && *square < squares[i]);
        }
        count.into()
    }

    /// The square with so many squares of the domain before it that no earlier piece occupies.
    #[inline]
    fn nth_free(&self, i: usize, squares: &Squares, place: u32) -> Option<Square> {
        let mut taken = [u8::MAX; MAX_PIECES];
        let mut count = 0;
        for (j, square) in squares[..i].iter().enumerate() {
            if self.left_out >> j & 1 != 0 {
                // Sorted in: each square taken before the one we look for moves it on by one.
                let mut at = count;
                while at > 0 && taken[at - 1] > self.before[square.index()] {
                    taken[at] = taken[at - 1];
                    at -= 1;
                }
                taken[at] = self.before[square.index()];
                count += 1;
            }
        }
        let mut place = place as usize;
        for &taken in &taken[..count] {
            place += usize::from(usize::from(taken) <= place);
        }
        self.squares.get(place).copied()
    }
}

/// The numbering of the positions of one class, for each side to move.
#[derive(Clone, Debug)]
pub struct Index {
    slots: Vec<Slot>,
    mirror: Option<[u8; 128]>,
    /// The squares on the middle file.
    axis: Bitboard,
    size: u64,
    dense: bool,
}

/// The squares of the pieces of an [`Index`], in its order. Only as many as there are pieces count.
pub type Squares = [Square; MAX_PIECES];

/// The numbers that differ only in the square of the last piece: consecutive ones.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The first number.
    pub first: u64,
    /// The squares of the last piece, one for each number, ascending.
    pub squares: Bitboard,
    /// True if the squares are those of the mirror image.
    pub mirrored: bool,
}

impl Index {
    /// The numbering of a material; `mirror` tells whether the mirror image of a position has the same value.
    ///
    /// # Panics
    /// If the material has more than [`MAX_PIECES`] pieces.
    #[must_use]
    pub fn new(rules: &Rules, material: Material, mirror: bool) -> Index {
        assert!(material.count() <= MAX_PIECES, "too many pieces for an index");
        let board = rules.board();
        let mut pieces: Vec<Piece> = material.pieces().collect();
        pieces.sort_by_key(|piece| {
            (rules.movement(*piece).domain().count(), std::cmp::Reverse(piece.animal), piece.side)
        });
        let mut slots: Vec<Slot> = Vec::new();
        let (mut size, mut dense) = (1u64, true);
        for piece in pieces {
            let mut domain = rules.movement(piece).domain();
            if mirror && slots.is_empty() {
                domain &= board.left_half();
            }
            let inside = |slot: &Slot| slot.domain.is_subset(domain);
            let left_out =
                slots.iter().enumerate().filter(|(_, slot)| inside(slot)).fold(0, |set, (i, _)| set | 1u8 << i);
            dense &= slots.iter().all(|slot| inside(slot) || !slot.domain.intersects(domain));
            let radix = u64::from(domain.count().saturating_sub(left_out.count_ones()));
            size = size.saturating_mul(radix);
            let squares: Vec<Square> = domain.squares().collect();
            let mut before = [0; 128];
            for square in board.all().squares() {
                // At most 127 squares come before another.
                before[square.index()] = domain.rank_of(square) as u8;
            }
            slots.push(Slot { piece, domain, left_out, radix, squares, before });
        }
        let mut table = [0; 128];
        for square in board.all().squares() {
            table[square.index()] = board.map(Symmetry::Mirror, square).number();
        }
        let axis = board.all().squares().filter(|&square| board.map(Symmetry::Mirror, square) == square).collect();
        Index { slots, mirror: mirror.then_some(table), axis, size, dense }
    }

    /// How many numbers there are for each side to move.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many numbers share the squares of the pieces up to a slot.
    #[must_use]
    pub fn numbers_after(&self, slot: usize) -> u64 {
        self.slots[slot + 1..].iter().map(|slot| slot.radix).product()
    }

    /// True if every number stands for a legal placement.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.dense
    }

    /// True if the left-right mirror is used.
    #[must_use]
    pub fn has_mirror(&self) -> bool {
        self.mirror.is_some()
    }

    /// The pieces in the order of the numbering, the slowest first.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = Piece> + '_ {
        self.slots.iter().map(|slot| slot.piece)
    }

    /// The squares on which the piece of a slot is counted (of the first one only the left half, where there is the mirror).
    #[must_use]
    pub fn domain(&self, slot: usize) -> Bitboard {
        self.slots[slot].domain
    }

    /// The number of a placement. The squares are those of legal positions, in the order of [`Index::pieces`].
    #[must_use]
    #[inline]
    pub fn number(&self, squares: &Squares) -> u64 {
        let mut squares = *squares;
        let count = self.slots.len();
        if self.has_mirror() && !self.slots[0].domain.contains(squares[0]) {
            for square in &mut squares[..count] {
                *square = self.mirror(*square);
            }
        }
        let mut number = 0;
        for (i, slot) in self.slots.iter().enumerate() {
            number = number * slot.radix + slot.count_before(i, &squares);
        }
        number
    }

    /// The squares of a number, in the order of [`Index::pieces`]; none if it stands for two pieces on one square or is
    /// not below [`Index::size`].
    #[must_use]
    pub fn squares(&self, number: u64) -> Option<Squares> {
        if number >= self.size {
            return None;
        }
        let mut digits = [0u32; MAX_PIECES];
        let mut rest = number;
        for (i, slot) in self.slots.iter().enumerate().rev() {
            // A radix is at most 128.
            digits[i] = (rest % slot.radix) as u32;
            rest /= slot.radix;
        }
        let mut squares = [Square::new(0); MAX_PIECES];
        let mut taken = Bitboard::EMPTY;
        for (i, slot) in self.slots.iter().enumerate() {
            let square = slot.nth_free(i, &squares, digits[i])?;
            if taken.contains(square) {
                return None;
            }
            taken.insert(square);
            squares[i] = square;
        }
        Some(squares)
    }

    /// The numbers that differ only in the square of the last piece. The squares are those of legal positions but for the
    /// last, which does not count.
    #[must_use]
    pub fn run(&self, squares: &Squares) -> Run {
        let mut squares = *squares;
        let last = self.slots.len() - 1;
        let mut mirrored = false;
        if self.has_mirror() && last > 0 && !self.slots[0].domain.contains(squares[0]) {
            mirrored = true;
            for square in &mut squares[..last] {
                *square = self.mirror(*square);
            }
        }
        let mut first = 0;
        for (i, slot) in self.slots[..last].iter().enumerate() {
            first = first * slot.radix + slot.count_before(i, &squares);
        }
        Run { first: first * self.slots[last].radix, squares: self.free(last, &squares), mirrored }
    }

    /// The squares that the piece of a slot counts when the earlier ones stand on `squares` (mirrored where needed).
    #[must_use]
    #[inline]
    pub fn free(&self, slot: usize, squares: &Squares) -> Bitboard {
        let Slot { domain, left_out, .. } = &self.slots[slot];
        let mut free = *domain;
        for (j, square) in squares[..slot].iter().enumerate() {
            if left_out >> j & 1 != 0 {
                free = free.without(square.bit());
            }
        }
        free
    }

    /// The mirror image of a square; the square itself where there is no mirror.
    #[must_use]
    #[inline]
    pub fn mirror(&self, square: Square) -> Square {
        self.mirror.map_or(square, |table| Square::new(table[square.index()]))
    }

    /// How many numbers share the square of the first piece.
    #[must_use]
    pub fn numbers_of_first_square(&self) -> u64 {
        self.size / self.slots[0].radix.max(1)
    }

    /// How many positions of the full board a number stands for: 2 for a position and its mirror image, 0 for a hole.
    #[must_use]
    pub fn weight_at(&self, number: u64) -> u64 {
        self.squares(number).map_or(0, |squares| self.weight(&squares))
    }

    /// How many positions of the full board a number stands for: 2 for a position and its mirror image, else 1.
    #[must_use]
    pub fn weight(&self, squares: &Squares) -> u64 {
        if self.has_mirror() && !self.axis.contains(squares[0]) { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn index(material: &str, mirror: bool) -> Index {
        let rules = Rules::load("classic").unwrap();
        Index::new(&rules, Material::parse(&rules, material).unwrap(), mirror)
    }

    #[test]
    fn it_is_a_bijection_on_all_placements() {
        for (material, full) in [("R-E", 49 * 60), ("R-R", 61 * 60), ("RL-E", 49 * 48 * 59), ("RC-R", 49 * 60 * 59)] {
            for mirror in [false, true] {
                let index = index(material, mirror);
                assert!(index.is_dense());
                let mut weights = 0;
                for number in 0..index.size() {
                    let squares = index.squares(number).unwrap();
                    assert_eq!(index.number(&squares), number);
                    weights += index.weight(&squares);
                }
                assert_eq!(weights, full, "{material} mirror {mirror}");
                assert_eq!(index.squares(index.size()), None);
            }
        }
    }

    #[test]
    fn a_mirrored_placement_has_the_same_number_off_the_axis() {
        let rules = Rules::load("classic").unwrap();
        let index = index("RL-E", true);
        for number in (0..index.size()).step_by(17) {
            let squares = index.squares(number).unwrap();
            let mirrored = squares.map(|square| rules.board().map(Symmetry::Mirror, square));
            let same = index.number(&mirrored) == number;
            assert_eq!(same, index.weight(&squares) == 2 || mirrored[..3] == squares[..3]);
        }
    }

    #[test]
    fn earlier_domains_that_overlap_leave_holes_below_holes() {
        // White's elephant may not enter White's traps, Black's not Black's, so neither domain holds the other.
        let rules = Rules::load_with("classic", [("trap-barred", "own:E")]).unwrap();
        for material in ["TE-E", "RE-E"] {
            let index = Index::new(&rules, Material::parse(&rules, material).unwrap(), true);
            assert!(!index.is_dense());
            let mut found = 0u64;
            for number in 0..index.size() {
                if let Some(squares) = index.squares(number) {
                    assert_eq!(index.number(&squares), number);
                    found += index.weight(&squares);
                }
            }
            let pieces: Vec<Piece> = index.pieces().collect();
            let domains: Vec<Bitboard> = pieces.iter().map(|&piece| rules.movement(piece).domain()).collect();
            let mut counted = 0u64;
            for one in domains[0].squares() {
                for two in domains[1].without(one.bit()).squares() {
                    counted += u64::from(domains[2].without(one.bit() | two.bit()).count());
                }
            }
            assert_eq!(found, counted, "{material}");
        }
    }

    #[test]
    fn domains_that_are_not_nested_leave_holes_and_nothing_else() {
        let rules = Rules::load_with("classic", [("own-den", "allowed")]).unwrap();
        let index = Index::new(&rules, Material::parse(&rules, "CL-E").unwrap(), true);
        let mut weights = 0;
        for number in 0..index.size() {
            if let Some(squares) = index.squares(number) {
                assert_eq!(index.number(&squares), number);
                weights += index.weight(&squares);
            }
        }
        // Two of one side on 50 squares each, one of the other with 49 squares in common: counted by hand.
        let pairs = 50 * 49;
        let with_den = 2 * 49;
        assert_eq!(weights, (pairs - with_den) * 48 + with_den * 49);
    }
}
