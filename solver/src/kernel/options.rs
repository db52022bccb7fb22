//! What a class is solved with: options, where the values of smaller tables come from and where the values go, what can fail.

use super::measure::Measure;
use super::simd::Isa;
use crate::buffer_pool::BufferPool;
use crate::solved::SideCodes;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::ESCAPE;
use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Where the values of smaller classes come from: of every class that a capture leads to, with one side to move.
pub type Solution<'a> = dyn Fn(&Arc<Class>, Side) -> Option<Arc<SideCodes>> + Sync + 'a;

/// Takes the values of a class part by part: the side to move in the table, 0 or 1, and the codes of its next numbers.
pub type Taker<'a> = dyn FnMut(usize, SideCodes) -> io::Result<()> + 'a;

/// A part of the work on one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Collecting the positions that captures lead to, and their values.
    Successors,
    /// Listing what each row depends on.
    Dependencies,
    /// The plies.
    Plies,
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
    /// Keep less beside the sets, for more time: what the rows depend on is listed again at each ply, and the values of the
    /// smaller tables are read where they are instead of being laid out.
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

impl Options<'_> {
    /// The least number of items of a parallel loop that one thread takes: all of them if the class has one thread only.
    pub(super) fn grain(&self) -> usize {
        if self.parallel { 1 } else { usize::MAX }
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
