//! One ply of a run: its stages, row by row.

use super::{Distances, Run, SideState};
use crate::kernel::rows::{Part, Stage, Task, rows_of_a_task};
use crate::kernel::word::Word;
use rayon::prelude::*;
use std::io;

impl<W: Word> Run<'_, W> {
    /// One later ply for both sides to move.
    pub(super) fn ply(&self, states: &mut [SideState<W>], ply: u32) -> io::Result<bool> {
        let rows = self.problem.rows;
        let first = ply == 1;
        if !self.options.measure.is_conversion() {
            let flags: Vec<Vec<bool>> = states.iter().map(|state| self.flags(&state.dirty)).collect();
            return self.stage(states, Stage { number: ply, first }, &flags);
        }
        // What the losses of this ply must not see are its wins, so they come first; what the wins must not see are its losses.
        for state in &mut *states {
            if first || state.lost_before.is_empty() {
                state.lost_before.clone_from(&state.lost);
                continue;
            }
            let lanes = self.problem.lanes;
            let parts = state.lost_before.chunks_exact_mut(lanes).zip(state.lost.chunks_exact(lanes));
            for ((before, now), _) in parts.zip(&state.dirty[..rows]).filter(|(_, dirty)| **dirty) {
                before.copy_from_slice(now);
            }
        }
        let lost: Vec<Vec<bool>> = states.iter().map(|state| self.flags(&state.dirty[..rows])).collect();
        let not_won: Vec<Vec<bool>> = states.iter().map(|state| self.flags(&state.dirty[rows..])).collect();
        let losses = self.stage(states, Stage { number: 2 * ply, first }, &not_won)?;
        let wins = self.stage(states, Stage { number: 2 * ply + 1, first }, &lost)?;
        Ok(losses || wins)
    }

    /// One stage of a ply for both sides to move. Odd stages read what is lost and write what is won, even stages the reverse,
    /// so neither side sees what the other one writes. `flags` has for each state what changed in the set that is read.
    fn stage(&self, states: &mut [SideState<W>], stage: Stage, flags: &[Vec<bool>]) -> io::Result<bool> {
        let odd = stage.number % 2 == 1;
        let conversion = self.options.measure.is_conversion();
        let mut any = false;
        // The sets that are read are not those that are written.
        let replace = |state: &mut SideState<W>, set: Vec<W>| match (odd, conversion) {
            (false, _) => std::mem::replace(&mut state.not_won, set),
            (true, false) => std::mem::replace(&mut state.lost, set),
            (true, true) => std::mem::replace(&mut state.lost_before, set),
        };
        let reads: Vec<Vec<W>> = states.iter_mut().map(|state| replace(state, Vec::new())).collect();
        for (number, state) in states.iter_mut().enumerate() {
            let (_, target) = self.moves_of(number);
            let task = Task {
                sweep: &self.sweep(number, &reads[target], &flags[target], odd),
                links: &self.links[number],
                stage,
                code: self.options.measure.code(stage.number),
                own: &reads[number],
                stuck: &state.stuck,
                escape_from: self.options.escape_from,
                isa: self.isa,
            };
            let set = if odd { &mut state.not_won } else { &mut state.lost };
            let first_row = if odd && conversion { self.problem.rows } else { 0 };
            let dirty = &mut state.dirty[first_row..][..self.problem.rows];
            any |= self.sweep_side(&task, set, &mut state.distances, dirty)?;
        }
        for (state, set) in states.iter_mut().zip(reads) {
            replace(state, set);
        }
        Ok(any)
    }

    /// One ply of one side to move, row by row.
    fn sweep_side(
        &self,
        task: &Task<'_, W>,
        set: &mut [W],
        distances: &mut Distances,
        dirty: &mut [bool],
    ) -> io::Result<bool> {
        let lanes = self.problem.lanes;
        let file = match distances {
            Distances::Disk(file) => file,
            Distances::Memory { codes, exceptions } => {
                let rows = rows_of_a_task(&self.problem, false);
                let parts = Parts { set, codes: Some(codes), dirty };
                let found = self.each_part(rows, parts, |number, part| task.sweep(number * rows, part));
                let changed = found.iter().any(|found| found.changed);
                exceptions.extend(found.into_iter().flat_map(|found| found.exceptions));
                return Ok(changed);
            }
        };
        let (slice_rows, rows) = (self.problem.slice_rows(), rows_of_a_task(&self.problem, true));
        let mut changed = false;
        for (slice, (set, dirty)) in set.chunks_mut(slice_rows * lanes).zip(dirty.chunks_mut(slice_rows)).enumerate() {
            let first = slice * slice_rows;
            let parts = Parts { set, codes: None, dirty };
            let frames = self.each_part(rows, parts, |number, part| {
                let found = task.sweep(first + number * rows, part);
                found.record.frame(number)
            });
            let frames = frames.into_iter().collect::<io::Result<Vec<_>>>()?;
            changed |= frames.iter().any(|frame| !frame.is_empty());
            file.append(slice, task.stage.number as usize, &frames)?;
        }
        Ok(changed)
    }

    /// Calls `work` with the number of each task and what it writes, in parallel if that is asked for; the results in order.
    fn each_part<T: Send>(
        &self,
        rows: usize,
        all: Parts<'_, W>,
        work: impl Fn(usize, Part<'_, W>) -> T + Sync,
    ) -> Vec<T> {
        let lanes = self.problem.lanes;
        let (words, cells) = (rows * lanes, rows * lanes * W::BITS);
        let Parts { set, codes, dirty } = all;
        let count = dirty.len().div_ceil(rows);
        let mut codes: Vec<Option<&mut [u8]>> = match codes {
            Some(codes) => codes.chunks_mut(cells).map(Some).collect(),
            None => (0..count).map(|_| None).collect(),
        };
        if self.options.parallel {
            set.par_chunks_mut(words)
                .zip(dirty.par_chunks_mut(rows))
                .zip(codes.par_iter_mut())
                .enumerate()
                .map(|(number, ((set, dirty), codes))| work(number, Part { set, codes: codes.take(), dirty }))
                .collect()
        } else {
            set.chunks_mut(words)
                .zip(dirty.chunks_mut(rows))
                .zip(codes.iter_mut())
                .enumerate()
                .map(|(number, ((set, dirty), codes))| work(number, Part { set, codes: codes.take(), dirty }))
                .collect()
        }
    }
}

/// What all tasks of one ply and side write together.
struct Parts<'a, W> {
    set: &'a mut [W],
    codes: Option<&'a mut [u8]>,
    dirty: &'a mut [bool],
}
