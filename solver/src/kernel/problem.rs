//! A class to be solved: its layout, and how the pieces move in it.

use super::layout::{Layout, Swap, Word};
use super::pre::{Captures, DenEntries, Mover, Moves};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use std::sync::Arc;

/// A class, compiled. Nothing of it changes while it is solved.
pub struct Problem<'a, W> {
    pub catalog: &'a Catalog,
    pub class: Arc<Class>,
    pub layout: Layout<W>,
    /// If only White's sets are kept: how the colours are swapped.
    swap: Option<Swap>,
    /// By side that moves.
    moves: [Moves<W>; 2],
    captures: [Vec<Captures<W>>; 2],
    den: [DenEntries; 2],
}

impl<'a, W: Word> Problem<'a, W> {
    /// Compiles a class.
    pub fn new(catalog: &'a Catalog, class: &Arc<Class>) -> Self {
        let rules = catalog.rules();
        let layout = Layout::new(rules, class);
        let moves = Side::BOTH.map(|side| Moves::new(rules, &layout, side));
        Problem {
            catalog,
            class: class.clone(),
            swap: Swap::new(catalog, class, &layout),
            captures: [0, 1].map(|side| Captures::all(rules, &layout, &moves[side])),
            den: Side::BOTH.map(|side| DenEntries::new(rules, &layout, side)),
            moves,
            layout,
        }
    }

    /// The sides to move whose sets are kept. A *side* of the sets is its place in here.
    pub fn sides(&self) -> &'static [Side] {
        if self.swap.is_some() { &[Side::White] } else { &Side::BOTH }
    }

    /// The side of the sets that moves from a side lead to.
    pub fn other(&self, side: usize) -> usize {
        if self.swap.is_some() { side } else { 1 - side }
    }

    /// Who moves in the positions of a side of the sets. Where only White's are kept, it is Black who moves into them.
    pub fn mover(&self, side: usize) -> Mover<'_, W> {
        let mover = if self.swap.is_some() { Side::Black.index() } else { side };
        Mover {
            rules: self.catalog.rules(),
            layout: &self.layout,
            moves: &self.moves[mover],
            captures: &self.captures[mover],
            den: &self.den[mover],
            swap: self.swap.as_ref(),
        }
    }

    /// The slots of the pieces that can be taken.
    pub fn victims(&self) -> Vec<usize> {
        let movers = (0..self.sides().len()).map(|side| self.mover(side).captures);
        movers.flatten().map(|captures| captures.victim).collect()
    }
}
