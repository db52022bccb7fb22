//! What a run keeps in files: distances that do not fit in memory, and checkpoints.

use super::{Distances, Run, SideState};
use crate::kernel::checkpoint::{self, Purpose, Saved, SideRef};
use crate::kernel::rows::rows_of_a_task;
use crate::kernel::solve::SpillTo;
use crate::kernel::spill::{Frame, Spill};
use crate::kernel::word::Word;
use dsq_tables::board::Side;
use dsq_tables::format::ESCAPE;
use rayon::prelude::*;
use std::io;
use std::path::PathBuf;

impl<W: Word> Run<'_, W> {
    fn purpose(&self) -> Purpose {
        let (rules, metric) = (self.catalog.rules(), self.options.measure.metric());
        Purpose { fingerprint: metric.fingerprint(rules), class: format!("{}.{}", self.class.name(), metric.name()) }
    }

    pub(super) fn spill_path(&self, spill: SpillTo<'_>, side: Side) -> PathBuf {
        spill.folder.join(format!("{}.spill", side.name()))
    }

    /// The state that a checkpoint holds, if there is one that is whole and its files have what it says.
    pub(super) fn resume(&mut self, spill: SpillTo<'_>) -> Option<(Vec<SideState<W>>, usize, usize)> {
        let saved: Saved<W> = checkpoint::read(&spill.folder.join("checkpoint"), &self.purpose())?;
        let words = self.problem.rows * self.problem.lanes;
        if saved.sides.len() != self.states().len() {
            return None;
        }
        let mut states = Vec::new();
        for (&side, saved) in self.states().iter().zip(saved.sides) {
            let whole = saved.lost.len() == words && saved.not_won.len() == words;
            if !whole
                || saved.dirty.len() != self.problem.rows * self.options.measure.stages()
                || !(saved.stuck.is_empty() || saved.stuck.len() == words)
            {
                return None;
            }
            let file = Spill::open(&self.spill_path(spill, side), saved.chunks).ok()?;
            let (lost, not_won, stuck, dirty) = (saved.lost, saved.not_won, saved.stuck, saved.dirty);
            let (distances, lost_before) = (Distances::Disk(file), Vec::new());
            states.push(SideState { lost, not_won, stuck, dirty, distances, lost_before });
        }
        (0..=saved.ply as usize).for_each(|ply| self.advance_below(ply));
        Some((states, saved.ply as usize + 1, saved.idle as usize))
    }

    /// Writes a checkpoint after a ply.
    pub(super) fn save(&self, states: &[SideState<W>], ply: usize, idle: usize) -> io::Result<()> {
        let Some(spill) = self.spill() else { return Ok(()) };
        let mut refs = Vec::new();
        for state in states {
            let Distances::Disk(file) = &state.distances else { return Ok(()) };
            // What the checkpoint relies on is on the disk before it is.
            file.sync()?;
            refs.push(SideRef {
                lost: &state.lost,
                not_won: &state.not_won,
                stuck: &state.stuck,
                dirty: &state.dirty,
                chunks: file.chunks(),
            });
        }
        checkpoint::write(&spill.folder.join("checkpoint"), &self.purpose(), ply as u64, idle as u64, &refs)
    }

    /// Reads the distances of a slice back into their cells. Returns the cells whose code is an exception, ascending.
    pub(super) fn read_slice(&self, file: &mut Spill, slice: usize, codes: &mut [u8]) -> io::Result<Vec<(u64, u32)>> {
        let lanes = self.problem.lanes;
        let rows = rows_of_a_task(&self.problem, true);
        let first_cell = (slice * self.problem.slice_rows() * lanes * W::BITS) as u64;
        let mut exceptions = Vec::new();
        file.read_slice(slice, |stage, frames| {
            let code = self.options.measure.code(stage);
            let escaped = code >= self.options.escape_from;
            let byte = if escaped { ESCAPE } else { code as u8 };
            let mut by_task: Vec<Option<Frame>> = Vec::new();
            for frame in frames {
                by_task.resize_with(frame.task.max(by_task.len()), || None);
                by_task.push(Some(frame));
            }
            let store = |(frame, cells): (Option<Frame>, &mut [u8])| {
                let mut long = Vec::new();
                let Some(frame) = frame else { return Ok(long) };
                let task_cell = first_cell + (frame.task * rows * lanes * W::BITS) as u64;
                frame.words(lanes, |row, lane, word: W| {
                    let first = (row * lanes + lane) * W::BITS;
                    let cells = cells.get_mut(first..first + W::BITS).unwrap_or_default();
                    word.for_each_bit(|bit| {
                        if let Some(cell) = cells.get_mut(bit) {
                            *cell = byte;
                        }
                        if escaped {
                            long.push((task_cell + (first + bit) as u64, code));
                        }
                    });
                })?;
                Ok(long)
            };
            let tasks = codes.par_chunks_mut(rows * lanes * W::BITS);
            let found: Vec<Vec<(u64, u32)>> =
                by_task.into_par_iter().zip(tasks).map(store).collect::<io::Result<_>>()?;
            exceptions.extend(found.into_iter().flatten());
            Ok(())
        })?;
        exceptions.sort_unstable();
        Ok(exceptions)
    }
}
