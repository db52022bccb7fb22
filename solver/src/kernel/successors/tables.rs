//! The capture successors of a class, for each piece that can be taken.

use super::after_capture::AfterCapture;
use crate::kernel::layout::{Layout, Word};
use crate::kernel::measure::{Goal, Measure};
use crate::kernel::options::{Options, Solution, SolveError};
use crate::kernel::simd::Instructions;
use dsq_tables::class::{Catalog, Class};
use rayon::prelude::*;
use std::io;

/// The positions after all captures.
#[derive(Debug)]
pub struct Successors<W> {
    /// By slot of the piece that was taken.
    tables: Vec<Option<AfterCapture<W>>>,
}

impl<W: Word> Successors<W> {
    /// The positions after the pieces of `victims`, which are slots, were taken. Nothing of them is decided yet.
    ///
    /// # Errors
    /// [`SolveError::MissingBelow`] if a table that is needed is not given.
    pub fn new(
        catalog: &Catalog,
        class: &Class,
        layout: &Layout<W>,
        victims: &[usize],
        solution: &Solution<'_>,
        options: &Options<'_>,
    ) -> Result<Successors<W>, SolveError> {
        let missing = || SolveError::MissingBelow { class: class.name().to_owned() };
        let mut tables: Vec<Option<AfterCapture<W>>> = Vec::new();
        let mut sources = layout.rows;
        for slot in 0..layout.slots.len() {
            let taken = victims.contains(&slot).then(|| {
                let material = class.material().without(layout.slots[slot].piece);
                AfterCapture::new(catalog, layout, (slot, material), sources, solution, options).ok_or_else(missing)
            });
            let table = taken.transpose()?;
            sources += table.as_ref().map_or(0, |table| table.dirty.len());
            tables.push(table);
        }
        // A dependency has 32 bits for the number of its source.
        if u32::try_from(sources).is_err() {
            return Err(SolveError::Io(io::Error::other("the class has more rows than the solver can number")));
        }
        Ok(Successors { tables })
    }

    /// The positions after the piece of a slot was taken.
    #[inline(always)]
    pub fn after(&self, victim: usize) -> Option<&AfterCapture<W>> {
        self.tables[victim].as_ref()
    }

    /// The words of a source after the piece of `victim` was taken, of the set that a goal asks for.
    #[inline(always)]
    pub fn words(&self, victim: usize, source: u32, goal: Goal) -> &[W] {
        self.after(victim).map_or(&[], |table| table.words(source, goal))
    }

    /// What changed at the last ply, by source: first the rows of the class, as `rows` says.
    pub fn changed(&self, rows: &[bool]) -> Vec<bool> {
        let groups = self.tables.iter().flatten().map(|table| table.dirty.as_slice());
        std::iter::once(rows).chain(groups).collect::<Vec<_>>().concat()
    }

    /// The last ply at which something is decided.
    pub fn last_ply(&self) -> u32 {
        self.tables.iter().flatten().map(|table| table.last_ply).max().unwrap_or(0)
    }

    /// Brings all sets to the end of a ply.
    pub fn advance(
        &mut self,
        measure: Measure,
        layout: &Layout<W>,
        ply: u32,
        instructions: Instructions,
        grain: usize,
    ) {
        self.tables.par_iter_mut().with_min_len(grain).for_each(|table| {
            if let Some(table) = table {
                table.advance(measure, layout, ply, instructions, grain);
            }
        });
    }
}
