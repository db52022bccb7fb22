//! The sets of a class, and what is in them before the first ply.

use super::layer::Layer;
use crate::kernel::layout::{Layout, Placement, Word};
use rayon::prelude::*;

/// The sets of positions of a class. Each has a layer for each side to move that is kept (see [`Problem::sides`]).
///
/// [`Problem::sides`]: crate::kernel::problem::Problem::sides
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sets<W> {
    /// Lost for the side to move, as far as is known.
    pub lost: Vec<Layer<W>>,
    /// All positions, less those known to be won for the side to move.
    pub not_won: Vec<Layer<W>>,
    /// `lost` as it was before the ply, where a ply finds both losses and wins; otherwise no layers.
    pub lost_before: Vec<Layer<W>>,
    /// Positions without a move, where that is a draw and there are any.
    pub stalemates: Vec<Option<Layer<W>>>,
}

impl<W: Word> Sets<W> {
    /// Nothing is decided.
    pub fn new(layout: &Layout<W>, sides: usize, grain: usize) -> Sets<W> {
        Sets {
            lost: (0..sides).map(|_| Layer::new(layout.rows, layout.lanes, W::ZERO)).collect(),
            not_won: (0..sides).map(|_| all_positions(layout, grain)).collect(),
            lost_before: Vec::new(),
            stalemates: vec![None; sides],
        }
    }

    /// Keeps what is lost now.
    pub fn keep_lost(&mut self) {
        if self.lost_before.is_empty() {
            self.lost_before = self.lost.clone();
        } else {
            self.lost_before.iter_mut().zip(&self.lost).for_each(|(before, lost)| before.follow(lost));
        }
    }
}

/// All positions that exist.
fn all_positions<W: Word>(layout: &Layout<W>, grain: usize) -> Layer<W> {
    let mut all = Layer::new(layout.rows, layout.lanes, W::ZERO);
    all.all_rows().tasks(1).with_min_len(grain).for_each(|part| {
        let mut squares = Placement::default();
        if layout.place_outers(part.first_row, &mut squares) {
            for (lane, word) in part.words.iter_mut().enumerate() {
                *word = layout.legal_word(&squares, lane);
            }
        }
    });
    all
}
