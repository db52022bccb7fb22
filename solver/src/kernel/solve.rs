//! The plies of one class, from the end of the game backwards.

use super::below::Solution;
use super::isa::Isa;
use super::measure::Measure;
use super::numbers::{count_of, rows_of};
use super::run::Run;
use crate::buffer_pool::BufferPool;
use crate::solved::{SideCodes, Solved, put_part};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::rules::{Piece, Rules};
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
    /// What the distances count.
    pub measure: Measure,
    /// Use all threads of the pool for this one class.
    pub parallel: bool,
    /// Codes from this one on go to the list of exceptions: 255, lower only to test that.
    pub escape_from: u32,
    /// The instructions to use; those that the machine has not are replaced by portable ones.
    pub isa: Isa,
    /// Where large buffers come from.
    pub pool: &'a BufferPool,
    /// Where the distances go if they are not to stay in memory, and checkpoints with them.
    pub spill: Option<SpillTo<'a>>,
    /// Keep less beside the sets, for more time: what the rows depend on is listed again at each ply, and the values below are
    /// read where they are instead of being laid out.
    pub lean: bool,
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
static NO_POOL: LazyLock<BufferPool> = LazyLock::new(BufferPool::new);

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            measure: Measure::Win,
            parallel: true,
            escape_from: ESCAPE.into(),
            isa: Isa::best(),
            pool: &NO_POOL,
            spill: None,
            lean: false,
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
        put_part(&mut sides, side, part);
        Ok(())
    })?;
    Ok(Solved::with_metric(class.clone(), options.measure.metric(), sides, &drawn))
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
    match bits_of(catalog.rules()) {
        32 => Run::<u32>::new(catalog, class, below, options)?.run(take),
        64 => Run::<u64>::new(catalog, class, below, options)?.run(take),
        _ => Run::<u128>::new(catalog, class, below, options)?.run(take),
    }
}

/// How the work on a class is kept: the less memory, the more time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Storage {
    /// Everything in memory.
    Memory,
    /// The distances in files, see [`Options::spill`].
    Files,
    /// The distances in files, and as little as possible beside the sets, see [`Options::lean`].
    Lean,
}

/// The bits of a word that has one for each square.
fn bits_of(rules: &Rules) -> u64 {
    match rules.board().squares() {
        0..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}

/// The words of a row.
fn lanes_of(rules: &Rules) -> u64 {
    u64::from(rules.board().squares()).next_multiple_of(8)
}

/// How many bytes the distances of a class take for one side to move while it is solved.
#[must_use]
pub fn cells(catalog: &Catalog, class: &Class) -> u64 {
    let rules = catalog.rules();
    let rows = rows_of(rules, class);
    rows.saturating_mul(lanes_of(rules)).saturating_mul(bits_of(rules))
}

/// For how many sides to move the sets of a class are kept while it is solved.
#[must_use]
pub fn sides_kept(catalog: &Catalog, class: &Class) -> u64 {
    let pieces: Vec<Piece> = class.index().pieces().collect();
    let last = pieces.len() - 2;
    // A row goes to a row if the last two pieces are each other's counterpart; see `Swap`.
    let one = catalog.colour_swap(class).is_some_and(|route| route.pieces()[last] == pieces[last + 1]);
    if one { 1 } else { 2 }
}

/// About how many bytes [`solve`] needs for a class. The tables below are not counted unless they are read where they are.
#[must_use]
pub fn memory_needed(catalog: &Catalog, class: &Class, measure: Measure, storage: Storage) -> u64 {
    let rules = catalog.rules();
    let (bits, lanes) = (bits_of(rules), lanes_of(rules));
    let pieces: Vec<Piece> = class.index().pieces().collect();
    let outers = pieces.len() - 2;
    let rows = rows_of(rules, class);
    let sides = sides_kept(catalog, class);
    let lean = storage == Storage::Lean;
    // Per side: two sets, or three, what each row depends on, then a byte for every bit and the bytes of the table: of a whole side, or of
    // one slice at a time.
    let kept = if measure.is_conversion() { 3 } else { 2 };
    let sets = rows.saturating_mul(lanes * bits / 8 * kept + if lean { 0 } else { LINK_BYTES });
    let (distances, values) = (cells(catalog, class), class.index().size());
    let firsts = if outers > 0 { u64::from(class.index().domain(0).count()).max(1) } else { 1 };
    let held = match storage {
        Storage::Memory => distances.saturating_add(values).saturating_mul(sides),
        // The bytes of a slice, and its values three times: as they are read out, put behind what was left over, and cut.
        Storage::Files | Storage::Lean => (distances / firsts).saturating_add((values / firsts).saturating_mul(3)),
    };
    // Below: two sets, and a byte for every bit or the values as they are in their table. With one side's sets only its pieces
    // are taken.
    let victims = (0..pieces.len()).filter(|&victim| sides == 2 || pieces[victim].side == Side::White);
    let below = victims.fold(0u64, |sum, victim| {
        let choosing: Vec<Piece> = (0..outers).filter(|&slot| slot != victim).map(|slot| pieces[slot]).collect();
        let groups = count_of(rules, &choosing);
        let words = groups.saturating_mul(if victim < outers { lanes } else { 1 });
        let values = match catalog.member(class.material().without(pieces[victim])) {
            Some(member) if lean => member.class().index().size(),
            _ if lean => 0,
            _ => words.saturating_mul(bits + 1),
        };
        // Two flags for each group.
        sum.saturating_add(words.saturating_mul(bits / 8 * 2).saturating_add(values).saturating_add(groups * 2))
    });
    // In files, the tables below are given back before a slice is read.
    let held = if storage == Storage::Memory { held.saturating_add(below) } else { held.max(below) };
    sets.saturating_mul(sides).saturating_add(held)
}

/// What a row's links take, in bytes: with six pieces up to 14.5 pairs of numbers, and where they begin.
const LINK_BYTES: u64 = 130;
