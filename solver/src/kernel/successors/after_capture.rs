//! The positions after the piece of one slot was taken, that side to move.

use super::cells::Cells;
use super::places::Places;
use super::values::Values;
use crate::kernel::layout::{Layout, Placement, Word};
use crate::kernel::measure::{Goal, Measure};
use crate::kernel::options::{Options, Solution};
use crate::kernel::simd::Instructions;
use dsq_tables::class::Catalog;
use dsq_tables::material::Material;
use rayon::prelude::*;

/// The positions after the piece of one slot was taken, that side to move.
///
/// Their words come in *groups*, all with the same squares of the outer pieces: a row where an outer piece was taken, else a
/// single word.
#[derive(Debug)]
pub struct AfterCapture<W> {
    places: Places<W>,
    /// The number of the first group among the sources of the class.
    first_source: usize,
    /// Lost for the side to move, as far as is known at the ply that was reached.
    lost: Vec<W>,
    /// All positions, less those known to be won for the side to move.
    not_won: Vec<W>,
    codes: Codes,
    /// By group: whether it changed at the last ply.
    pub dirty: Vec<bool>,
    /// The last ply at which something is decided.
    pub last_ply: u32,
}

/// The codes that the sets follow.
#[derive(Debug)]
enum Codes {
    /// Laid out as the words are.
    Cells(Cells),
    /// As they are in the smaller table.
    Table(Values),
    /// As they are in the smaller table; all are entered after ply 0, however far away the end is.
    AtOnce(Values),
    /// All have been entered.
    Entered,
}

impl<W: Word> AfterCapture<W> {
    /// The positions after the piece of a slot was taken, which leaves some material. `first_source` is the number of the first
    /// group among the sources of the class.
    ///
    /// None if a table that is needed is not given.
    pub fn new(
        catalog: &Catalog,
        layout: &Layout<W>,
        (victim, material): (usize, Material),
        first_source: usize,
        solution: &Solution<'_>,
        options: &Options<'_>,
    ) -> Option<AfterCapture<W>> {
        let (measure, grain) = (options.measure, options.grain());
        let places = Places::new(catalog.rules(), layout, victim);
        let turn = layout.slots[victim].piece.side;
        let values = Values::new(catalog, layout, (material, turn), &places.rest, measure, solution)?;
        let mut not_won = vec![W::ZERO; places.words()];
        let (codes, highest) = if !measure.counts_past_captures() {
            (Codes::AtOnce(values), Measure::DRAW)
        } else if options.lean {
            let highest = values.highest();
            (Codes::Table(values), highest)
        } else {
            let (cells, highest) = Cells::lay_out(layout, &places, &values, &mut not_won, grain);
            (Codes::Cells(cells), highest)
        };
        if !matches!(codes, Codes::Cells(_)) {
            not_won.par_iter_mut().enumerate().with_min_len(grain.max(places.span)).for_each(|(word, legal)| {
                let free = places.place(layout, word, &mut Placement::default());
                *legal = free.map_or(W::ZERO, W::from_set);
            });
        }
        Some(AfterCapture {
            first_source,
            lost: vec![W::ZERO; not_won.len()],
            not_won,
            codes,
            dirty: vec![false; places.groups()],
            last_ply: measure.plies(highest),
            places,
        })
    }

    /// The source of a placement of the outer pieces; the victim's square does not count.
    #[inline(always)]
    pub fn source(&self, squares: &Placement) -> u32 {
        (self.first_source + self.places.group(squares)) as u32
    }

    /// The words of a source in the set that a goal asks for.
    #[inline(always)]
    pub fn words(&self, source: u32, goal: Goal) -> &[W] {
        let set = match goal {
            Goal::Wins => &self.lost,
            Goal::Losses => &self.not_won,
        };
        &set[(source as usize - self.first_source) * self.places.width..][..self.places.width]
    }

    /// Brings the sets to the end of a ply.
    pub fn advance(
        &mut self,
        measure: Measure,
        layout: &Layout<W>,
        ply: u32,
        instructions: Instructions,
        grain: usize,
    ) {
        let AfterCapture { places, lost, not_won, codes, dirty, .. } = self;
        match codes {
            Codes::Cells(_) | Codes::Table(_) => dirty.fill(false),
            // The next ply looks at everything anyway.
            Codes::AtOnce(values) => {
                enter_all(measure, layout, places, values, (lost, not_won), grain);
                *codes = Codes::Entered;
                return;
            }
            Codes::Entered => return,
        }
        for &goal in measure.goals(ply) {
            let code = measure.code(goal, ply);
            let mut enter = |word: usize, bits: W| {
                decide(goal, &mut lost[word], &mut not_won[word], bits);
                dirty[word / places.width] = true;
            };
            match codes {
                Codes::Cells(cells) => cells.each_with(code, places.span, instructions, enter),
                Codes::Table(Values::Table(table)) => {
                    let cell = |squares: &Placement| places.cell(layout, squares);
                    table.each_with(code, grain, cell, |(word, bit)| enter(word, W::bit(bit.into())));
                }
                Codes::Table(Values::Eliminated(all)) if *all == code => {
                    for word in 0..places.words() {
                        if let Some(free) = places.place(layout, word, &mut Placement::default()) {
                            enter(word, W::from_set(free));
                        }
                    }
                }
                Codes::Table(Values::Eliminated(_)) | Codes::AtOnce(_) | Codes::Entered => {}
            }
        }
    }
}

/// Enters everything that is decided.
fn enter_all<W: Word>(
    measure: Measure,
    layout: &Layout<W>,
    places: &Places<W>,
    values: &Values,
    (lost, not_won): (&mut [W], &mut [W]),
    grain: usize,
) {
    let words = lost.par_iter_mut().zip(not_won).enumerate().with_min_len(grain.max(places.span));
    words.for_each(|(word, (lost, not_won))| {
        let mut squares = Placement::default();
        let Some(free) = places.place(layout, word, &mut squares) else { return };
        values.codes(&places.rest, &mut squares, free, |square, code| {
            if let Some(goal) = measure.goal(code) {
                decide(goal, lost, not_won, W::of(square));
            }
        });
    });
}

/// Enters what is decided in a word.
#[inline(always)]
fn decide<W: Word>(goal: Goal, lost: &mut W, not_won: &mut W, bits: W) {
    match goal {
        Goal::Wins => *not_won &= !bits,
        Goal::Losses => *lost |= bits,
    }
}
