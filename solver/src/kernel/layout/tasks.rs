//! How the rows are divided among tasks.

use super::rows::Layout;
use super::word::Word;

/// The bytes of a set that a task should at least work on where its rows go to a file, so that they compress well.
const TASK_BYTES: usize = 16 << 10;

/// How many rows one task takes: those that differ only in the last outer piece, or in the last two or three where rows are
/// short. The rows of a single outer piece are split up as well, one by one where each is a slice of its own.
pub fn rows_of_a_task<W: Word>(layout: &Layout<W>, spilled: bool) -> usize {
    match layout.outers {
        0 => 1,
        1 if spilled => 1,
        1 => layout.rows.div_ceil(8).max(1),
        outers => {
            let enough = |rows: &usize| rows * layout.lanes * W::BITS / 8 >= TASK_BYTES;
            let sizes = (0..outers - 1).rev().map(|slot| layout.rows_after(slot));
            // A record has two bytes for the number of a row.
            let mut sizes = sizes.take_while(|&rows| rows <= 1 << 16);
            let least = sizes.next().unwrap_or(1);
            if !spilled || enough(&least) { least } else { sizes.find(enough).unwrap_or(least) }
        }
    }
}
