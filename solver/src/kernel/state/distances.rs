//! The distances found so far with one side to move.

use super::spill::{Frame, Spill};
use crate::kernel::layout::{Layout, Word, rows_of_a_task};
use dsq_tables::format::ESCAPE;
use rayon::prelude::*;
use std::io;

/// The codes of what is decided with one side to move.
///
/// A *cell* is a bit of a word of the sets; cells are numbered through all words.
#[derive(Debug)]
pub enum Distances {
    /// In memory.
    Memory {
        /// A byte for every cell: the code of the distance, once the position is decided.
        codes: Vec<u8>,
        /// Cells whose byte is the escape, with their code.
        exceptions: Vec<(u64, u32)>,
    },
    /// In a file.
    Disk(Spill),
}

/// A code and how it is written down.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    pub code: u32,
    /// The byte in the cells.
    pub byte: u8,
    /// Whether that is the escape, so that the cells are exceptions.
    pub escaped: bool,
}

impl Code {
    /// Codes from `escape_from` on are exceptions.
    pub fn new(code: u32, escape_from: u32) -> Code {
        let escaped = code >= escape_from;
        Code { code, byte: if escaped { ESCAPE } else { code as u8 }, escaped }
    }
}

/// Reads the distances of a slice back into their cells. Returns the cells whose byte is the escape with their code, ascending.
pub fn read_slice<W: Word>(
    file: &mut Spill,
    slice: usize,
    layout: &Layout<W>,
    escape_from: u32,
    codes: &mut [u8],
) -> io::Result<Vec<(u64, u32)>> {
    let task_cells = rows_of_a_task(layout, true) * layout.lanes * W::BITS;
    let first_cell = slice * layout.slice_rows() * layout.lanes * W::BITS;
    let mut exceptions = Vec::new();
    file.read_slice(slice, |code, frames| {
        let code = Code::new(code, escape_from);
        let mut by_task: Vec<Option<Frame>> = Vec::new();
        for frame in frames {
            by_task.resize_with(frame.task.max(by_task.len()), || None);
            by_task.push(Some(frame));
        }
        let store = |(frame, cells): (Option<Frame>, &mut [u8])| match frame {
            Some(frame) => store_frame(&frame, layout, code, first_cell + frame.task * task_cells, cells),
            None => Ok(Vec::new()),
        };
        let tasks = codes.par_chunks_mut(task_cells);
        let found: Vec<Vec<(u64, u32)>> = by_task.into_par_iter().zip(tasks).map(store).collect::<io::Result<_>>()?;
        exceptions.extend(found.into_iter().flatten());
        Ok(())
    })?;
    exceptions.sort_unstable();
    Ok(exceptions)
}

/// Stores a code in the cells of what a frame has, which are those of a task from `first_cell` on. Returns them if they are
/// exceptions.
fn store_frame<W: Word>(
    frame: &Frame,
    layout: &Layout<W>,
    code: Code,
    first_cell: usize,
    cells: &mut [u8],
) -> io::Result<Vec<(u64, u32)>> {
    let mut exceptions = Vec::new();
    frame.words(layout.lanes, |row, lane, word: W| {
        let first = (row * layout.lanes + lane) * W::BITS;
        let cells = cells.get_mut(first..first + W::BITS).unwrap_or_default();
        word.for_each_bit(|bit| {
            if let Some(cell) = cells.get_mut(bit) {
                *cell = code.byte;
            }
            if code.escaped {
                exceptions.push(((first_cell + first + bit) as u64, code.code));
            }
        });
    })?;
    Ok(exceptions)
}
