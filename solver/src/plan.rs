//! What a run of the generator would do: tables, sizes, memory, time.

use crate::generate::{GenerateError, LARGE, Request};
use crate::kernel;
use crate::memory;
use crate::solved::Solved;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::Metric;
use dsq_tables::material::Material;
use dsq_tables::tablebase::Tablebase;
use std::collections::{HashMap, HashSet};
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
    /// About the time that is needed for them, in seconds.
    pub seconds: f64,
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

/// About how many bits a stored position takes in a table.
const BITS_PER_POSITION: f64 = 0.62;
/// The same of a table without distances.
const WDL_BITS_PER_POSITION: f64 = 0.2;
/// A table without distances is made from one with them so many times faster than a class is solved.
const THINNING_SPEED: u64 = 2;
/// What a table takes beside its blocks, in bytes.
const BYTES_PER_TABLE: u64 = 600;

/// What a run would do. Nothing is written.
///
/// # Errors
/// [`GenerateError::TooLarge`] if a table that is still to be made does not fit in memory.
pub fn plan(catalog: &Arc<Catalog>, request: &Request) -> Result<Plan, GenerateError> {
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), 0);
    let mut tables = Vec::new();
    let (mut memory_bytes, mut disk_bytes, mut work) = (0u64, 0u64, 0u64);
    let limit = limit_of(request);
    let threads = rayon::current_num_threads() as u64;
    let mut small = 0u64;
    for (class, metric) in wanted(catalog, request, &tablebase) {
        let stored = class.index().size().saturating_mul(class.sides() as u64);
        let present = tablebase.path_with(&class, metric).is_file();
        let positions = full_positions(&class);
        let thinned_out = metric == Metric::Wdl && tablebase.path_of(&class).is_file();
        if !present && thinned_out {
            disk_bytes += (stored as f64 * WDL_BITS_PER_POSITION / 8.0) as u64 + BYTES_PER_TABLE;
            work = work.saturating_add(positions / THINNING_SPEED);
        } else if !present {
            let needed = memory_of(catalog, &class);
            if needed > limit {
                return Err(too_large(catalog, &class, needed, limit));
            }
            if stored < LARGE {
                small = small.max(needed);
            }
            memory_bytes = memory_bytes.max(needed);
            let bits = if metric == Metric::Wdl { WDL_BITS_PER_POSITION } else { BITS_PER_POSITION };
            disk_bytes += (stored as f64 * bits / 8.0) as u64 + BYTES_PER_TABLE;
            work = work.saturating_add(positions);
        }
        tables.push(PlannedTable { class, metric, present, positions, stored });
    }
    let memory_bytes = memory_bytes.max(small.saturating_mul(threads));
    let seconds = if work == 0 { 0.0 } else { work as f64 / measured_speed(catalog) };
    Ok(Plan { tables, memory_bytes, disk_bytes, seconds })
}

/// The tables that are to be there in the end, those that others rest on first: as many pieces together, with distances first.
fn wanted(catalog: &Catalog, request: &Request, tablebase: &Tablebase) -> Vec<(Arc<Class>, Metric)> {
    let closure = catalog.closure(request.classes.iter().cloned());
    if request.metric == Metric::Dtw {
        return closure.into_iter().map(|class| (class, Metric::Dtw)).collect();
    }
    // What has to be solved needs the distances below it.
    let mut with_distances: HashSet<Material> = HashSet::new();
    for class in closure.iter().rev() {
        let needed =
            with_distances.contains(&class.material()) || !tablebase.path_with(class, request.metric).is_file();
        if needed && !tablebase.path_of(class).is_file() {
            with_distances.extend(catalog.below(class).iter().map(|below| below.material()));
        }
    }
    let distances = closure.iter().filter(|class| with_distances.contains(&class.material()));
    let mut tables: Vec<(Arc<Class>, Metric)> = distances.map(|class| (class.clone(), Metric::Dtw)).collect();
    tables.extend(closure.iter().map(|class| (class.clone(), request.metric)));
    tables.sort_by_key(|(class, metric)| (class.material().count(), *metric != Metric::Dtw));
    tables
}

/// The memory limit in bytes.
pub(crate) fn limit_of(request: &Request) -> u64 {
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

/// What solving a class needs: its sets, the tables below it, and its values in the end.
fn memory_of(catalog: &Catalog, class: &Class) -> u64 {
    let below = catalog.below(class);
    let loaded: u64 = below.iter().map(|class| class.index().size() * class.sides() as u64).sum();
    kernel::memory_needed(catalog, class).saturating_add(loaded)
}

fn too_large(catalog: &Catalog, class: &Class, needed: u64, limit: u64) -> GenerateError {
    let fitting = (2..class.material().count())
        .rev()
        .find(|&pieces| catalog.classes(pieces).iter().all(|class| memory_of(catalog, class) <= limit));
    GenerateError::TooLarge {
        class: class.name().to_owned(),
        needed,
        limit,
        fits: fitting.map(|pieces| format!("all tables of {pieces} pieces would fit")),
    }
}

/// Positions a second that this machine solves now, measured on the smallest classes.
fn measured_speed(catalog: &Catalog) -> f64 {
    let done: Mutex<HashMap<Material, Arc<Solved>>> = Mutex::default();
    let below = |class: &Class| done.lock().unwrap_or_else(PoisonError::into_inner).get(&class.material()).cloned();
    let mut measured = (0, 0.0);
    let sample = catalog.classes(3).into_iter().max_by_key(|class| class.index().size());
    for class in catalog.closure(sample) {
        let start = Instant::now();
        let options = kernel::Options { parallel: false, ..kernel::Options::default() };
        let Ok(solved) = kernel::solve(catalog, &class, &below, &options) else { continue };
        measured = (full_positions(&class), start.elapsed().as_secs_f64());
        done.lock().unwrap_or_else(PoisonError::into_inner).insert(class.material(), Arc::new(solved));
    }
    let (positions, seconds) = measured;
    let threads = rayon::current_num_threads() as f64;
    (positions as f64 / f64::max(seconds, 1e-6) * threads).max(1e6)
}
