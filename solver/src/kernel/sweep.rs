//! One pass over the rows of a set: which positions are decided at this ply.
//!
//! What decides them is not here: the [`Formula`] is an argument, see `induction`.

use super::layout::{Word, rows_of_a_task};
use super::pre::{Buffers, Pre};
use super::simd::{Bytes, Instructions, Work};
use super::state::{Code, Distances, Layer, Part, Record};
use rayon::prelude::*;
use std::io;

/// A pass over the rows of one side to move.
pub struct Sweep<'a, W> {
    /// The positions with a move into the set that is read.
    pub pre: Pre<'a, W>,
    /// The code of what is decided.
    pub code: Code,
    pub instructions: Instructions,
    /// The least number of tasks that one thread takes.
    pub grain: usize,
}

/// What decides the positions of a row.
pub trait Formula<W>: Sync {
    /// From the words of a row in the set that is written, and the positions `pre` of the row with a move into the set that is read:
    /// turns `pre` into the positions that are decided now and enters them into `set`. False if there are none.
    ///
    /// Mark it `#[inline(always)]`, see [`Work::run`].
    fn decide(&self, row: usize, set: &mut [W], pre: &mut [W]) -> bool;
}

/// Where the codes of a task go.
enum Output<'a> {
    Cells(&'a mut [u8]),
    Record,
    Nowhere,
}

/// What a task found.
#[derive(Default)]
struct Found {
    changed: bool,
    /// Cells whose byte is the escape, with their code.
    exceptions: Vec<(u64, u32)>,
    record: Record,
}

impl<W: Word> Sweep<'_, W> {
    /// Finds what is decided at this ply, enters it into `set`, flags the rows that changed, and notes the distances. True if there is
    /// anything.
    pub fn run(
        &self,
        set: &mut Layer<W>,
        distances: Option<&mut Distances>,
        formula: &impl Formula<W>,
    ) -> io::Result<bool> {
        let layout = self.pre.mover.layout;
        let run =
            |part: Part<'_, W>, output: Output<'_>| self.instructions.run(Task { sweep: self, part, output, formula });
        match distances {
            None => {
                let tasks = set.all_rows().tasks(rows_of_a_task(layout, false)).with_min_len(self.grain);
                let found: Vec<Found> = tasks.map(|part| run(part, Output::Nowhere)).collect();
                Ok(found.iter().any(|found| found.changed))
            }
            Some(Distances::Memory { codes, exceptions }) => {
                let rows = rows_of_a_task(layout, false);
                let codes = codes.par_chunks_mut(rows * layout.lanes * W::BITS);
                let tasks = set.all_rows().tasks(rows).zip(codes).with_min_len(self.grain);
                let found: Vec<Found> = tasks.map(|(part, codes)| run(part, Output::Cells(codes))).collect();
                let changed = found.iter().any(|found| found.changed);
                exceptions.extend(found.into_iter().flat_map(|found| found.exceptions));
                Ok(changed)
            }
            Some(Distances::Disk(file)) => {
                let mut changed = false;
                for (slice, part) in set.slices(layout.slice_rows()).enumerate() {
                    let tasks = part.tasks(rows_of_a_task(layout, true)).enumerate().with_min_len(self.grain);
                    let frame = |(task, part)| run(part, Output::Record).record.frame(task);
                    let frames: Vec<Vec<u8>> = tasks.map(frame).collect::<io::Result<_>>()?;
                    changed |= frames.iter().any(|frame| !frame.is_empty());
                    file.append(slice, self.code.code, &frames)?;
                }
                Ok(changed)
            }
        }
    }
}

/// Some rows of a pass.
struct Task<'a, W, F> {
    sweep: &'a Sweep<'a, W>,
    part: Part<'a, W>,
    output: Output<'a>,
    formula: &'a F,
}

impl<W: Word, F: Formula<W>> Work for Task<'_, W, F> {
    type Output = Found;

    #[inline(always)]
    fn run(mut self, bytes: impl Bytes) -> Found {
        let Sweep { pre, code, .. } = self.sweep;
        let lanes = pre.mover.layout.lanes;
        let mut found = Found::default();
        let (mut buffers, mut words) = (Buffers::default(), W::EMPTY_ROW);
        let words = &mut words.as_mut()[..lanes];
        let rows = self.part.words.chunks_exact_mut(lanes).zip(self.part.dirty.iter_mut());
        for (i, (set, dirty)) in rows.enumerate() {
            let row = self.part.first_row + i;
            *dirty = pre.row(row, &mut buffers, words) && self.formula.decide(row, set, words);
            if !*dirty {
                continue;
            }
            found.changed = true;
            let codes = match &mut self.output {
                Output::Cells(codes) => codes,
                Output::Record => {
                    found.record.row(i, words);
                    continue;
                }
                Output::Nowhere => continue,
            };
            for (lane, &new) in words.iter().enumerate().filter(|(_, new)| !new.is_zero()) {
                bytes.store(&mut codes[(i * lanes + lane) * W::BITS..][..W::BITS], new, code.byte);
                if code.escaped {
                    let first = ((row * lanes + lane) * W::BITS) as u64;
                    new.for_each_bit(|bit| found.exceptions.push((first + bit as u64, code.code)));
                }
            }
        }
        found
    }
}
