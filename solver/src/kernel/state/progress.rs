//! How far the plies have got, and checkpoints to go on from after a run was ended.

use super::checkpoint::{self, Purpose};
use super::distances::Distances;
use super::sets::Sets;
use super::spill::{Chunk, Spill};
use crate::kernel::layout::{Layout, Word};
use crate::kernel::options::{Options, SpillTo};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The least time between two checkpoints.
const LEAST_BETWEEN: Duration = Duration::from_secs(60);
/// A checkpoint takes at most one part of so many of the time.
const CHECKPOINT_PART: u32 = 50;

/// What is known between two plies.
pub struct State<W> {
    pub sets: Sets<W>,
    /// For each side to move.
    pub distances: Vec<Distances>,
    /// How many plies are done: 0, 1, 2 and so on up to one less.
    pub plies: u32,
    /// How many of the last of them changed nothing.
    pub idle: u32,
}

/// Where checkpoints go and when they are due.
pub struct Checkpoints<'a> {
    /// None if everything stays in memory.
    to: Option<SpillTo<'a>>,
    purpose: Purpose,
    /// When the last one was written, and how long that took.
    last: (Instant, Duration),
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of a class.
    pub fn new(catalog: &Catalog, class: &Class, options: &Options<'a>) -> Checkpoints<'a> {
        let metric = options.measure.metric();
        let purpose = Purpose {
            fingerprint: metric.fingerprint(catalog.rules()),
            class: format!("{}.{}", class.name(), metric.name()),
        };
        // A class of two pieces has no outer piece and so no slices; it never needs files.
        let to = options.spill.filter(|_| class.index().pieces().count() > 2);
        Checkpoints { to, purpose, last: (Instant::now(), Duration::ZERO) }
    }

    /// The state before the first ply, or the one that a checkpoint holds, of these sides to move.
    pub fn begin<W: Word>(&self, layout: &Layout<W>, sides: &[Side], options: &Options<'_>) -> io::Result<State<W>> {
        if let Some(to) = self.to {
            std::fs::create_dir_all(to.folder)?;
            if let Some(state) = self.resume(to, layout, sides) {
                return Ok(state);
            }
        }
        let distances = sides.iter().map(|&side| {
            Ok(match self.to {
                Some(to) => Distances::Disk(Spill::open(&spill_path(to, side), Vec::new())?),
                None => {
                    let codes = options.pool.take(layout.rows * layout.lanes * W::BITS);
                    Distances::Memory { codes, exceptions: Vec::new() }
                }
            })
        });
        Ok(State {
            distances: distances.collect::<io::Result<_>>()?,
            sets: Sets::new(layout, sides.len(), options.grain()),
            plies: 0,
            idle: 0,
        })
    }

    /// The state that a checkpoint holds, if there is one that is whole and its files have what it says.
    fn resume<W: Word>(&self, to: SpillTo<'_>, layout: &Layout<W>, sides: &[Side]) -> Option<State<W>> {
        let shape = (layout.rows, layout.lanes);
        let saved = checkpoint::read(&to.folder.join("checkpoint"), &self.purpose, shape)?;
        if saved.sets.lost.len() != sides.len() {
            return None;
        }
        let open = |(&side, chunks): (&Side, Vec<Chunk>)| Spill::open(&spill_path(to, side), chunks);
        let files = sides.iter().zip(saved.chunks).map(open);
        let distances = files.map(|file| file.map(Distances::Disk)).collect::<io::Result<_>>().ok()?;
        let (plies, idle) = (saved.plies.try_into().ok()?, saved.idle.try_into().ok()?);
        Some(State { sets: saved.sets, distances, plies, idle })
    }

    /// Writes a checkpoint between two plies, if distances go to files and it is due, or if the run is about to stop.
    pub fn save<W: Word>(&mut self, state: &State<W>, stop: bool) -> io::Result<()> {
        let Some(to) = self.to else { return Ok(()) };
        let (saved, took) = self.last;
        let least = to.every.unwrap_or(LEAST_BETWEEN.max(took * CHECKPOINT_PART));
        if !stop && saved.elapsed() < least {
            return Ok(());
        }
        let start = Instant::now();
        let mut chunks = Vec::new();
        for distances in &state.distances {
            let Distances::Disk(file) = distances else { return Ok(()) };
            // What the checkpoint relies on is on the disk before it is.
            file.sync()?;
            chunks.push(file.chunks());
        }
        let done = (state.plies.into(), state.idle.into());
        checkpoint::write(&to.folder.join("checkpoint"), &self.purpose, done, &state.sets, &chunks)?;
        self.last = (Instant::now(), start.elapsed());
        Ok(())
    }
}

fn spill_path(to: SpillTo<'_>, side: Side) -> PathBuf {
    to.folder.join(format!("{}.spill", side.name()))
}
