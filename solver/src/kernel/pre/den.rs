//! Entering the den, which ends the game.

use crate::kernel::layout::{Layout, Placement, Word};
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::rules::Rules;

/// How the pieces of a side enter the den.
#[derive(Clone, Debug)]
pub struct DenEntries {
    side: Side,
    /// The squares from which some piece of the side may enter at once.
    doors: Bitboard,
}

impl DenEntries {
    /// The den entries of a side in a class.
    pub fn new<W: Word>(rules: &Rules, layout: &Layout<W>, side: Side) -> DenEntries {
        let goal = rules.goal(side);
        let mut doors = Bitboard::EMPTY;
        for slot in layout.slots.iter().filter(|slot| slot.piece.side == side) {
            let movement = rules.movement(slot.piece);
            let enters = |from: &Square| movement.edges(*from).iter().any(|edge| goal.contains(edge.to));
            movement.domain().squares().filter(enters).for_each(|from| doors.insert(from));
        }
        DenEntries { side, doors }
    }

    /// Adds to `found` the positions of the row in which a piece can enter the den at once.
    pub fn add_to<W: Word>(&self, rules: &Rules, layout: &Layout<W>, squares: &Placement, found: &mut [W]) {
        for (number, slot) in layout.slots.iter().enumerate().filter(|(_, slot)| slot.piece.side == self.side) {
            let stands = if number < layout.outers { Square::new(squares[number]).bit() } else { slot.domain };
            for from in (stands & self.doors).squares() {
                self.add_entries_from(rules, layout, (number, from), squares, found);
            }
        }
    }

    /// The same of the piece of one slot on one square.
    fn add_entries_from<W: Word>(
        &self,
        rules: &Rules,
        layout: &Layout<W>,
        (slot, from): (usize, Square),
        squares: &Placement,
        found: &mut [W],
    ) {
        let goal = rules.goal(self.side);
        let piece = layout.slots[slot].piece;
        for edge in rules.movement(piece).edges(from).iter().filter(|edge| goal.contains(edge.to)) {
            let mut lanes = if slot == layout.lane() { from.bit() } else { layout.lane_domain };
            let mut word = if slot == layout.inner() { W::of(from) } else { W::ALL };
            for (other, facts) in layout.slots.iter().enumerate().filter(|(other, _)| *other != slot) {
                let stops = layout.slots[slot].is_stopped_by(other);
                let mut closed = if stops { edge.between } else { Bitboard::EMPTY };
                // An enemy may stand in the den where its own side lets it.
                let enemy = facts.piece.side != piece.side;
                if !enemy || !rules.captures(piece, facts.piece.animal, from).contains(edge.to) {
                    closed |= edge.to.bit();
                }
                if other == layout.inner() {
                    word &= !W::from_set(closed);
                } else if other == layout.lane() {
                    lanes = lanes.without(closed);
                } else if closed.contains(Square::new(squares[other])) {
                    word = W::ZERO;
                }
            }
            lanes.squares().for_each(|lane| found[lane.index()] |= word);
        }
    }
}
