//! The plies of one class, from the end of the game backwards.

use super::below::Solution;
use super::isa::Isa;
use super::run::Run;
use crate::arena::Arena;
use crate::solved::{SideCodes, Solved};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// A part of the work on one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Laying out the values that captures lead to.
    Below,
    /// Listing what each row depends on.
    Links,
    /// The plies.
    Sweep,
    /// Putting the distances into the order of the index.
    ReadOut,
}

/// How to solve.
pub struct Options<'a> {
    /// Use all threads of the pool for this one class.
    pub parallel: bool,
    /// Codes from this one on go to the list of exceptions: 255, lower only to test that.
    pub escape_from: u32,
    /// The instructions to use; those that the machine has not are replaced by portable ones.
    pub isa: Isa,
    /// Where large buffers come from.
    pub arena: &'a Arena,
    /// Where the distances go if they are not to stay in memory, and checkpoints with them.
    pub spill: Option<SpillTo<'a>>,
    /// Called after each ply.
    pub on_ply: &'a (dyn Fn(u32) + Sync),
    /// Called with the last ply of a run that was ended, before this one goes on from its checkpoint.
    pub on_resume: &'a (dyn Fn(u32) + Sync),
    /// Called after each phase with the time it took.
    pub on_phase: &'a (dyn Fn(Phase, Duration) + Sync),
    /// Asked after each ply; the run ends if it says so.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// A folder for the files of one class that is too large for the memory. A run that was ended goes on from the checkpoint
/// that it finds there. The files are removed when the class is solved.
#[derive(Clone, Copy, Debug)]
pub struct SpillTo<'a> {
    /// The folder; made if it is not there.
    pub folder: &'a Path,
    /// How often a checkpoint is written; so that it takes at most a fiftieth of the time if not given.
    pub every: Option<Duration>,
}

/// Shared by all who bring none of their own.
static NO_ARENA: LazyLock<Arena> = LazyLock::new(Arena::new);

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            parallel: true,
            escape_from: ESCAPE.into(),
            isa: Isa::best(),
            arena: &NO_ARENA,
            spill: None,
            on_ply: &|_| {},
            on_resume: &|_| {},
            on_phase: &|_, _| {},
            stop: &|| false,
        }
    }
}

/// Why a class was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// Asked to stop.
    #[error("stopped")]
    Stopped,
    /// A table that a capture leads to was not given.
    #[error("class {class} needs a smaller table that is not there")]
    MissingBelow {
        /// The class.
        class: String,
    },
    /// A file beside the table cannot be written or read, or whoever takes the values cannot keep them.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Solves a class, given the classes that captures lead to.
///
/// # Errors
/// [`SolveError::Stopped`] if told to stop, [`SolveError::MissingBelow`] if a class below is not given,
/// [`SolveError::Io`] if a spill file fails.
pub fn solve(
    catalog: &Catalog,
    class: &Arc<Class>,
    below: &Solution<'_>,
    options: &Options<'_>,
) -> Result<Solved, SolveError> {
    let mut sides: Vec<SideCodes> = Vec::new();
    let drawn = solve_into(catalog, class, below, options, &mut |side, part| {
        match sides.get_mut(side) {
            Some(codes) => codes.append(part),
            None => sides.push(part),
        }
        Ok(())
    })?;
    Ok(Solved::new(class.clone(), sides, &drawn))
}

/// Takes the values of a class part by part: the side to move in the table, 0 or 1, and the codes of its next numbers.
pub type Taker<'a> = dyn FnMut(usize, SideCodes) -> io::Result<()> + 'a;

/// Solves a class and hands the values over part by part, first all of White to move, so that they need not be in memory
/// together. Returns for each side the number of positions that are drawn because there is no legal move.
///
/// # Errors
/// As [`solve`], and what `take` returns.
pub fn solve_into(
    catalog: &Catalog,
    class: &Arc<Class>,
    below: &Solution<'_>,
    options: &Options<'_>,
    take: &mut Taker<'_>,
) -> Result<Vec<u64>, SolveError> {
    if catalog.rules().board().squares() <= 64 {
        Run::<u64>::new(catalog, class, below, options)?.run(take)
    } else {
        Run::<u128>::new(catalog, class, below, options)?.run(take)
    }
}

/// How many bytes the distances of a class take for one side to move while it is solved.
#[must_use]
pub fn cells(catalog: &Catalog, class: &Class) -> u64 {
    let squares = u64::from(catalog.rules().board().squares());
    let outers = class.index().pieces().count().saturating_sub(2);
    let bits = if squares <= 64 { 64 } else { 128 };
    let words = squares.next_multiple_of(8).saturating_mul(bits);
    (0..outers).fold(words, |cells, slot| cells.saturating_mul(u64::from(class.index().domain(slot).count())))
}

/// About how many bytes [`solve`] needs for a class, the tables below not counted; with the distances on the disk if
/// `spilled`.
#[must_use]
pub fn memory_needed(catalog: &Catalog, class: &Class, spilled: bool) -> u64 {
    let rules = catalog.rules();
    let squares = u64::from(rules.board().squares());
    let bits: u64 = if squares <= 64 { 64 } else { 128 };
    let pieces: Vec<_> = class.index().pieces().collect();
    let count = |slot: usize| u64::from(rules.movement(pieces[slot]).domain().count());
    let outers = pieces.len() - 2;
    let (mut rows, mut full_rows) = (1u64, 1u64);
    for slot in 0..outers {
        rows = rows.saturating_mul(u64::from(class.index().domain(slot).count()));
        full_rows = full_rows.saturating_mul(count(slot));
    }
    let words = rows.saturating_mul(squares.next_multiple_of(8));
    // Per side: two sets, what each row depends on, then a byte for every bit and the bytes of the table: of a whole side,
    // or of one slice at a time.
    let sets = words.saturating_mul(bits / 8 * 2).saturating_add(rows.saturating_mul(LINK_BYTES));
    let distances = cells(catalog, class).saturating_add(class.index().size());
    let firsts = if outers > 0 { u64::from(class.index().domain(0).count()).max(1) } else { 1 };
    let held = if spilled { distances / firsts * 2 } else { distances.saturating_mul(2) };
    // Below: two sets and a byte for every bit.
    let below_words: u64 = (0..outers)
        .map(|slot| (full_rows / count(slot).max(1)).saturating_mul(squares.next_multiple_of(8)))
        .chain([full_rows, full_rows])
        .fold(0, u64::saturating_add);
    let below = below_words.saturating_mul(bits / 8 * 2 + bits + 1);
    // In files, the tables below are given back before a slice is read.
    let held = if spilled { held.max(below) } else { held.saturating_add(below) };
    sets.saturating_mul(2).saturating_add(held)
}

/// What a row's links take, in bytes: with six pieces up to 14.5 pairs of numbers, illegal rows counted.
const LINK_BYTES: u64 = 120;
