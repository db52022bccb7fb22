//! How long tables take: on usual machines, and on this one.

use super::planned::full_positions;
use crate::kernel;
use crate::solved::Solved;
use crate::write::Encoding;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::compress_block;
use dsq_tables::material::Material;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A table without distances is made from one with them so many times faster than a class is solved.
pub const THINNING_SPEED: f64 = 5.0;
/// Classes of this many pieces are solved at about the speed of the sample; with each piece more it falls by the next factor.
const SAMPLE_PIECES: usize = 4;
/// What is left of the speed of the sample on all threads in a run: files are written and flushed, threads wait for each other.
const WITH_FILES: f64 = 0.55;
/// The same of tables that are smaller than the sample.
const WITH_SMALL_FILES: f64 = 0.8;
/// Positions of the sample a second that one thread of a usual machine makes in a run.
pub const TYPICAL_SPEED: f64 = 150e6;
/// How many times slower a position becomes with one piece more.
const SLOWER_PER_PIECE: f64 = 1.1;
/// How many times slower it is if distances to win are read as well, to find out what a limit makes draws.
pub const SLOWER_UNDER_LIMIT: f64 = 1.4;
/// How many times slower it is if the distances are kept in files.
pub const SLOWER_IN_FILES: f64 = 3.5;
/// How many times slower again if little else than the sets is kept in memory.
pub const SLOWER_WHEN_LEAN: f64 = 2.0;

/// How long a class takes, in positions of the sample.
pub fn work_of(positions: u64, pieces: usize) -> f64 {
    let more = pieces.saturating_sub(SAMPLE_PIECES) as i32;
    positions as f64 * SLOWER_PER_PIECE.powi(more)
}

/// Positions a second that this machine makes now, solved and compressed; measured on one class, of four pieces if there are
/// tables of so many to make.
pub fn measured_speed(catalog: &Catalog, encoding: Encoding, pieces: usize) -> f64 {
    let done: Mutex<HashMap<Material, Arc<Solved>>> = Mutex::default();
    let below = |class: &Arc<Class>, side| {
        let done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.get(&class.material()).map(|solved: &Arc<Solved>| solved.side(side).clone())
    };
    let mut measured = (0, 0.0);
    let mut classes = catalog.classes(pieces.clamp(2, SAMPLE_PIECES));
    classes.sort_by_key(|class| (class.index().size(), class.name().to_owned()));
    let sample = classes.get(classes.len() / 2).cloned();
    for class in catalog.closure(sample) {
        let start = Instant::now();
        let options = kernel::Options { parallel: false, ..kernel::Options::default() };
        let Ok(solved) = kernel::solve(catalog, &class, &below, &options) else { continue };
        let solving = start.elapsed().as_secs_f64();
        measured = (full_positions(&class), solving + seconds_to_compress(&solved, encoding));
        done.lock().unwrap_or_else(PoisonError::into_inner).insert(class.material(), Arc::new(solved));
    }
    let (positions, seconds) = measured;
    let threads = rayon::current_num_threads() as f64;
    let factor = if pieces < SAMPLE_PIECES { WITH_SMALL_FILES } else { WITH_FILES };
    (positions as f64 / f64::max(seconds, 1e-6) * threads * factor).max(1e6)
}

/// About how long it takes to compress a class: a few of its blocks are.
fn seconds_to_compress(solved: &Solved, encoding: Encoding) -> f64 {
    let start = Instant::now();
    let (mut bytes, mut all) = (0, 0);
    for side in solved.sides() {
        let blocks = side.bytes().chunks(encoding.block_len.max(1) as usize);
        all += side.bytes().len();
        for (number, block) in blocks.enumerate().step_by(8) {
            // Exceptions are few and take no time.
            let exceptions = side.exceptions_in(block_range(number, encoding, block.len()));
            bytes += compress_block(block, &exceptions, encoding.level).map_or(0, |_| block.len());
        }
    }
    start.elapsed().as_secs_f64() * all as f64 / bytes.max(1) as f64
}

fn block_range(number: usize, encoding: Encoding, len: usize) -> std::ops::Range<u64> {
    let first = number as u64 * u64::from(encoding.block_len);
    first..first + len as u64
}
