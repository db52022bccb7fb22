//! The side that moves, and how it sees a row.

use super::captures::Captures;
use super::den::DenEntries;
use super::moves::Moves;
use crate::kernel::layout::{Layout, Placement, Swap, Word};
use dsq_tables::rules::Rules;

/// The side that moves in the positions of a set.
#[derive(Clone, Copy, Debug)]
pub struct Mover<'a, W> {
    pub rules: &'a Rules,
    pub layout: &'a Layout<W>,
    pub moves: &'a Moves<W>,
    pub captures: &'a [Captures<W>],
    pub den: &'a DenEntries,
    /// The swap of the colours, if of both sides to move only White's sets are kept. Then the side that moves is Black, and a row
    /// of the result is what Black has in the row with the colours swapped, swapped back.
    pub swap: Option<&'a Swap>,
}

/// How the side that moves sees a row.
#[derive(Clone, Copy, Debug)]
pub struct Perspective {
    /// Whether the colours are swapped for that, and if so, whether that took the mirror as well.
    swapped: Option<bool>,
}

impl<W: Word> Mover<'_, W> {
    /// Where the side that moves sees the outer pieces of a row; none if the row has no positions.
    #[inline(always)]
    pub fn look_at(&self, row: usize, squares: &mut Placement) -> Option<Perspective> {
        if !self.layout.place_outers(row, squares) {
            return None;
        }
        let swapped = self.swap.map(|swap| {
            let (there, mirrored) = swap.place_outers(self.layout, squares);
            *squares = there;
            mirrored
        });
        Some(Perspective { swapped })
    }

    /// The row of the set of the other side that has the outer pieces of `row` on the same squares, which are `squares`.
    #[inline(always)]
    pub fn same_row(&self, row: usize, perspective: Perspective, squares: &Placement) -> usize {
        if perspective.swapped.is_some() { self.layout.row(squares) } else { row }
    }

    /// Brings what was found in a row into the order of the row.
    #[inline(always)]
    pub fn look_back(&self, perspective: Perspective, found: &mut [W]) {
        if let (Some(swap), Some(mirrored)) = (self.swap, perspective.swapped) {
            swap.swap_back(mirrored, self.layout.board.squares().into(), found);
        }
    }
}
