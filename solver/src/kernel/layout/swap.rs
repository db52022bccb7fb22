//! Classes that are their own colour swap: what is known with White to move tells everything with Black to move.
//!
//! Of such a class only the sets with White to move are kept. A ply asks for White's moves into a set with Black to move, which
//! is the set with White to move seen with the colours swapped. So it is Black's moves into the set with White to move that
//! are looked for, in the position with the colours swapped, and what is found there is brought back. The lane and the inner
//! piece must be each other's counterpart: then a row goes to a row, and inside of it lanes and bits change places.

use super::rows::{Layout, Placement};
use super::word::{Word, transpose};
use dsq_tables::board::Square;
use dsq_tables::class::{Catalog, Class};

/// How the positions of a class change when the colours are swapped.
#[derive(Clone, Debug)]
pub struct Swap {
    /// For each slot the slot of its counterpart.
    counterpart: [usize; 8],
    /// For each square of a position with White to move where its piece stands once the colours are swapped.
    origin: [u8; 128],
    /// The same, mirrored.
    mirrored_origin: [u8; 128],
}

impl Swap {
    /// The swap of a class; none if it is not its own, or if a row does not go to a row.
    pub fn new<W: Word>(catalog: &Catalog, class: &Class, layout: &Layout<W>) -> Option<Swap> {
        let route = catalog.colour_swap(class)?;
        let mut counterpart = [0; 8];
        for (slot, &piece) in counterpart.iter_mut().zip(route.pieces()) {
            *slot = layout.slots.iter().position(|other| other.piece == piece)?;
        }
        if counterpart[layout.lane()] != layout.inner() || counterpart[layout.inner()] != layout.lane() {
            return None;
        }
        let (mut origin, mut mirrored_origin) = ([0; 128], [0; 128]);
        for square in layout.board.all().squares() {
            let to = route.square(square).index();
            origin[to] = square.number();
            mirrored_origin[to] = layout.mirrored[square.index()];
        }
        Some(Swap { counterpart, origin, mirrored_origin })
    }

    /// The outer pieces' squares once the colours are swapped, in a row of the layout; true if that took the mirror as well.
    #[inline]
    pub fn place_outers<W: Word>(&self, layout: &Layout<W>, squares: &Placement) -> (Placement, bool) {
        let mut swapped = Placement::default();
        for (slot, &square) in squares[..layout.outers].iter().enumerate() {
            swapped[self.counterpart[slot]] = self.origin[usize::from(square)];
        }
        let mirrored = layout.outers > 0 && !layout.slots[0].part.contains(Square::new(swapped[0]));
        if mirrored {
            swapped[..layout.outers].iter_mut().for_each(|square| *square = layout.mirrored[usize::from(*square)]);
        }
        (swapped, mirrored)
    }

    /// Swaps the colours back in the words of a row that were found with the colours swapped.
    #[inline(always)]
    pub fn swap_back<W: Word>(&self, mirrored: bool, squares: usize, found: &mut [W]) {
        let origin = if mirrored { &self.mirrored_origin } else { &self.origin };
        // The lane piece stands where the inner one came from, and the other way round.
        let mut turned = W::EMPTY_ROW;
        let turned = turned.as_mut();
        for (word, &from) in turned[..squares].iter_mut().zip(origin) {
            *word = found[usize::from(from)];
        }
        transpose(turned);
        for (word, &from) in found[..squares].iter_mut().zip(origin) {
            *word = turned[usize::from(from)];
        }
    }
}
