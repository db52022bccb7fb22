//! What a run of the generator would do: tables, sizes, memory, time.

use crate::encode::Encoding;
use crate::generate::{GenerateError, LARGE, Request, SHELF_PART};
use crate::kernel::{self, Measure, Storage};
use crate::memory;
use crate::solved::Solved;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{Metric, compress_block};
use dsq_tables::material::Material;
use dsq_tables::tablebase::Tablebase;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a run would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All tables, those that others rest on first.
    pub tables: Vec<PlannedTable>,
    /// About the most memory that is needed at one time, in bytes.
    pub memory_bytes: u64,
    /// About the size of the tables that are still to be made, in bytes.
    pub disk_bytes: u64,
    /// About the size of the files that tables whose distances do not fit in memory need while they are made, in bytes.
    pub work_bytes: u64,
    /// The memory limit that all this goes by, in bytes.
    pub(crate) limit: u64,
    /// What they take to make, in positions of the class that the speed of a machine is measured with.
    work: f64,
    /// The most pieces of a table that is still to be made.
    most_pieces: usize,
}

impl Plan {
    /// About the time that the tables take, in seconds, on a machine like those this was written on. Costs nothing.
    #[must_use]
    pub fn guessed_seconds(&self) -> f64 {
        self.work / (TYPICAL_SPEED * rayon::current_num_threads() as f64)
    }

    /// About the time that the tables take, in seconds, at the speed that this machine has now. Takes the time of a class or
    /// two, which are solved for this and thrown away.
    #[must_use]
    pub fn measured_seconds(&self, catalog: &Arc<Catalog>, encoding: Encoding) -> f64 {
        if self.work == 0.0 { 0.0 } else { self.work / measured_speed(catalog, encoding, self.most_pieces) }
    }
}

/// A table of a plan.
#[derive(Clone, Debug)]
pub struct PlannedTable {
    /// The class.
    pub class: Arc<Class>,
    /// What the table holds.
    pub metric: Metric,
    /// Whether its file is there already. Whether that is whole is seen when the run begins.
    pub present: bool,
    /// Positions on the full board, both sides to move, mirror images counted.
    pub positions: u64,
    /// Positions that the file stores.
    pub stored: u64,
}

/// About how many bits a stored position takes in a table of 2, 3, … pieces; measured with `leiden`.
const BITS_PER_POSITION: [f64; 5] = [2.2, 0.93, 0.68, 0.565, 0.7];
/// The same of a table without distances; six pieces assumed.
const WDL_BITS_PER_POSITION: [f64; 5] = [0.66, 0.21, 0.165, 0.12, 0.1];
/// The same of distances to conversion; five and six pieces assumed.
const DTC_BITS_PER_POSITION: [f64; 5] = [2.2, 0.93, 0.68, 0.565, 0.7];
/// A table without distances is made from one with them so many times faster than a class is solved.
const THINNING_SPEED: u64 = 5;
/// What the files take in which distances are kept while a table is made; measured with six pieces.
const SPILLED_BITS_PER_POSITION: f64 = 5.5;
/// What a table takes beside its blocks, in bytes.
const BYTES_PER_TABLE: u64 = 350;
/// What the program takes beside its tables, in bytes.
const BYTES_OF_PROGRAM: u64 = 9 << 20;
/// Classes of this many pieces are solved at about the speed of the sample; with each piece more it falls by the next factor.
const SAMPLE_PIECES: usize = 4;
/// What is left of the speed of the sample on all threads in a run: files are written and flushed, threads wait for each other.
const WITH_FILES: f64 = 0.55;
/// The same of tables that are smaller than the sample.
const WITH_SMALL_FILES: f64 = 0.8;
/// Positions of the sample a second that one thread of a usual machine makes in a run.
const TYPICAL_SPEED: f64 = 150e6;
/// How many times slower a position becomes with one piece more.
const SLOWER_PER_PIECE: f64 = 1.1;
/// How many times slower it is if distances to win are read beside, to tell what a limit makes draws.
const SLOWER_TO_TELL: f64 = 1.4;
/// How many times slower it is if the distances are kept in files.
const SLOWER_IN_FILES: f64 = 3.5;
/// How many times slower again if little else than the sets is kept in memory.
const SLOWER_WHEN_LEAN: f64 = 2.0;

/// What a run would do. Nothing is written.
///
/// # Errors
/// [`GenerateError::TooLarge`] if a table that is still to be made does not fit in memory.
pub fn plan(catalog: &Arc<Catalog>, request: &Request) -> Result<Plan, GenerateError> {
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), 0);
    let mut tables = Vec::new();
    let (mut memory_bytes, mut disk_bytes, mut work) = (0u64, 0u64, 0.0);
    // Values that the next tables rest on: those with as many pieces as the current ones, and with one less.
    let (mut level, mut shelf, mut shelf_below) = (0, 0u64, 0u64);
    let mut most_pieces = 0;
    // The values of the large table before, which are still being written.
    let mut unwritten = 0u64;
    let mut work_bytes = 0u64;
    let mut with_distances: HashSet<Material> = HashSet::new();
    let limit = limit_of(request);
    let threads = rayon::current_num_threads() as u64;
    let room = limit / SHELF_PART;
    let mut small = 0u64;
    for (class, metric) in wanted(catalog, request, &tablebase, limit) {
        let stored = class.index().size().saturating_mul(class.sides() as u64);
        let present = tablebase.path_with(&class, metric).is_file();
        let positions = full_positions(&class);
        let pieces = class.material().count();
        if pieces != level {
            (level, shelf_below, shelf, unwritten) = (pieces, shelf, 0, 0);
        }
        if metric == Metric::Dtw {
            with_distances.insert(class.material());
        }
        let thinned_out = metric == Metric::Wdl
            && (with_distances.contains(&class.material()) || tablebase.path_of(&class).is_file());
        if !present {
            most_pieces = pieces;
            disk_bytes += disk_of(stored, pieces, metric, request.encoding);
        }
        if !present && thinned_out {
            work += work_of(positions, pieces) / THINNING_SPEED as f64;
        } else if !present {
            let storage = storage_of(catalog, &class, metric, request, limit);
            let spilled = storage != Storage::Memory;
            let needed = memory_of(catalog, &class, metric, storage, limit);
            if needed > limit {
                return Err(too_large(catalog, &class, metric, needed, limit));
            }
            if spilled {
                let positions = class.index().size().saturating_mul(kernel::sides_kept(catalog, &class));
                work_bytes = work_bytes.max((positions as f64 * SPILLED_BITS_PER_POSITION / 8.0) as u64);
            }
            // The bytes of the side that is read out first take the place of its sets.
            let peak = if spilled { needed } else { needed.saturating_sub(class.index().size()) };
            // A lean one has all the memory for itself.
            let shelf_below = if storage == Storage::Lean { 0 } else { shelf_below };
            if stored < LARGE {
                small = small.max(needed);
            } else {
                let loaded = loaded_of(catalog, &class).min(room);
                let overlaps = !request.verify && needed.saturating_add(unwritten) <= limit - room;
                let peak = if overlaps { peak.saturating_add(unwritten) } else { peak };
                memory_bytes = memory_bytes.max(peak.saturating_add(shelf_below.min(room).saturating_sub(loaded)));
                // They are in the buffers that the distances were in.
                unwritten = if spilled { 0 } else { kernel::cells(catalog, &class) * class.sides() as u64 };
            }
            memory_bytes = memory_bytes.max(small.saturating_mul(threads).saturating_add(shelf_below.min(room)));
            shelf = shelf.saturating_add(stored);
            let slower = [1.0, SLOWER_IN_FILES, SLOWER_IN_FILES * SLOWER_WHEN_LEAN][storage as usize];
            let slower = slower * if metric == Metric::Dtc { SLOWER_TO_TELL } else { 1.0 };
            work += work_of(positions, pieces) * slower;
        }
        tables.push(PlannedTable { class, metric, present, positions, stored });
    }
    let memory_bytes = memory_bytes.saturating_add(BYTES_OF_PROGRAM);
    Ok(Plan { tables, memory_bytes, disk_bytes, work_bytes, limit, work, most_pieces })
}

/// The tables that are to be there in the end, those that others rest on first: as many pieces together, with distances first.
fn wanted(catalog: &Catalog, request: &Request, tablebase: &Tablebase, limit: u64) -> Vec<(Arc<Class>, Metric)> {
    let closure = catalog.closure(request.classes.iter().cloned());
    match request.metric {
        Metric::Wdl => {}
        // Who would win without a limit is in the distances to win, and whoever asks wants to know both.
        Metric::Dtc => {
            let both = |class: Arc<Class>| [(class.clone(), Metric::Dtw), (class, Metric::Dtc)];
            let mut tables: Vec<(Arc<Class>, Metric)> = closure.into_iter().flat_map(both).collect();
            tables.sort_by_key(|(class, metric)| (class.material().count(), *metric != Metric::Dtw));
            return tables;
        }
        metric => return closure.into_iter().map(|class| (class, metric)).collect(),
    }
    // What has to be solved needs the distances below it, and its own if it does not fit in memory.
    let mut with_distances: HashSet<Material> = HashSet::new();
    for class in closure.iter().rev() {
        let needed =
            with_distances.contains(&class.material()) || !tablebase.path_with(class, request.metric).is_file();
        if needed && !tablebase.path_of(class).is_file() {
            with_distances.extend(catalog.below(class).iter().map(|below| below.material()));
            if storage_of(catalog, class, Metric::Dtw, request, limit) != Storage::Memory {
                with_distances.insert(class.material());
            }
        }
    }
    let distances = closure.iter().filter(|class| with_distances.contains(&class.material()));
    let mut tables: Vec<(Arc<Class>, Metric)> = distances.map(|class| (class.clone(), Metric::Dtw)).collect();
    tables.extend(closure.iter().map(|class| (class.clone(), request.metric)));
    tables.sort_by_key(|(class, metric)| (class.material().count(), *metric != Metric::Dtw));
    tables
}

/// The memory limit in bytes.
fn limit_of(request: &Request) -> u64 {
    request.memory.or_else(memory::default_limit).unwrap_or(u64::MAX)
}

/// Positions of a class on the full board, both sides to move.
pub(crate) fn full_positions(class: &Class) -> u64 {
    let index = class.index();
    let run = index.numbers_of_first_square().max(1);
    let one_side: u64 = if index.is_dense() {
        (0..index.size()).step_by(run as usize).map(|first| index.weight_at(first) * run).sum()
    } else {
        index.size().saturating_mul(if index.has_mirror() { 2 } else { 1 })
    };
    one_side.saturating_mul(2)
}

/// Whether the file systems have room for the tables that are still to be made, and for the files of the work on them.
///
/// # Errors
/// [`GenerateError::NoRoom`] if one has not. Where the system does not say, it is tried.
pub(crate) fn check_room(plan: &Plan, folder: &Path, work_folder: Option<&Path>) -> Result<(), GenerateError> {
    match work_folder {
        Some(work_folder) => {
            has_room(folder, plan.disk_bytes)?;
            has_room(work_folder, plan.work_bytes)
        }
        None => has_room(folder, plan.disk_bytes.saturating_add(plan.work_bytes)),
    }
}

fn has_room(folder: &Path, needed: u64) -> Result<(), GenerateError> {
    match free_space(folder) {
        Some(free) if free < needed => Err(GenerateError::NoRoom { folder: folder.to_owned(), needed, free }),
        _ => Ok(()),
    }
}

/// How many bytes are free for this user in a folder, or in the one that it will be made in; none if the system does not say.
#[must_use]
pub fn free_space(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let existing = existing.into_iter().find(|path| path.is_dir())?;
    match fs4::available_space(existing) {
        // A file system without any space is none for files; making the folder will say so.
        Ok(0) if fs4::total_space(existing).is_ok_and(|total| total == 0) => None,
        free => free.ok(),
    }
}

/// The figure of a number of pieces.
fn by_pieces(figures: [f64; 5], pieces: usize) -> f64 {
    figures[pieces.clamp(2, 6) - 2]
}

fn disk_of(stored: u64, pieces: usize, metric: Metric, encoding: Encoding) -> u64 {
    let bits = match metric {
        Metric::Wdl => WDL_BITS_PER_POSITION,
        Metric::Dtc => DTC_BITS_PER_POSITION,
        _ => BITS_PER_POSITION,
    };
    // Measured with five pieces; the default is 1.
    let part = match encoding {
        Encoding::SERVER => 1.12,
        Encoding::ARCHIVE => 0.89,
        _ => 1.0,
    };
    (stored as f64 * by_pieces(bits, pieces) * part / 8.0) as u64 + BYTES_PER_TABLE
}

/// How long a class takes, in positions of the sample.
fn work_of(positions: u64, pieces: usize) -> f64 {
    let more = pieces.saturating_sub(SAMPLE_PIECES) as i32;
    positions as f64 * SLOWER_PER_PIECE.powi(more)
}

/// The values of the tables below a class.
fn loaded_of(catalog: &Catalog, class: &Class) -> u64 {
    catalog.below(class).iter().map(|class| class.index().size() * class.sides() as u64).sum()
}

/// What solving a class needs: its sets, the tables below it, and its values in the end. Of the values below no more are kept
/// than the shelf takes; they are in their place before the sets are made.
pub(crate) fn memory_of(catalog: &Catalog, class: &Class, metric: Metric, storage: Storage, limit: u64) -> u64 {
    let needed = kernel::memory_needed(catalog, class, Measure::of(metric, catalog.rules()), storage);
    // Read where they are, they are counted there.
    let loaded = if storage == Storage::Lean { 0 } else { loaded_of(catalog, class).min(limit / SHELF_PART) };
    needed.saturating_add(loaded)
}

/// How the work on a class is kept: with the distances in files if that is asked for or they do not fit in memory, and lean if
/// it does not fit otherwise.
pub(crate) fn storage_of(catalog: &Catalog, class: &Class, metric: Metric, request: &Request, limit: u64) -> Storage {
    let first = if request.spill.always { Storage::Files } else { Storage::Memory };
    let fits = |storage: &Storage| *storage >= first && memory_of(catalog, class, metric, *storage, limit) <= limit;
    [Storage::Memory, Storage::Files].into_iter().find(fits).unwrap_or(Storage::Lean)
}

fn too_large(catalog: &Catalog, class: &Class, metric: Metric, needed: u64, limit: u64) -> GenerateError {
    let fitting = (2..class.material().count()).rev().find(|&pieces| {
        catalog.classes(pieces).iter().all(|class| memory_of(catalog, class, metric, Storage::Lean, limit) <= limit)
    });
    GenerateError::TooLarge {
        class: class.name().to_owned(),
        needed,
        limit,
        fits: fitting.map(|pieces| format!("all tables of {pieces} pieces would fit")),
    }
}

/// Positions a second that this machine makes now, solved and compressed; measured on one class, of four pieces if there are
/// tables of so many to make.
fn measured_speed(catalog: &Catalog, encoding: Encoding, pieces: usize) -> f64 {
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
