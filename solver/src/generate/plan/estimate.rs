//! What the tables of a plan take: memory, room on disk, time.

use super::planned::PlannedTable;
use super::speed::{SLOWER_IN_FILES, SLOWER_UNDER_LIMIT, SLOWER_WHEN_LEAN, THINNING_SPEED, work_of};
use super::workspace::{Limits, values_below};
use crate::kernel::{self, Storage};
use crate::write::Encoding;
use dsq_tables::class::Catalog;
use dsq_tables::value::Metric;

/// What the files take in which distances are kept while a table is made; measured with six pieces.
const SPILLED_BITS_PER_POSITION: f64 = 5.5;
/// What a table takes beside its blocks, in bytes.
const BYTES_PER_TABLE: u64 = 350;
/// What the program takes beside its tables, in bytes.
const BYTES_OF_PROGRAM: u64 = 9 << 20;

/// What the tables of a plan take, added up one table after the other in the order of the plan.
pub struct Estimate<'a> {
    catalog: &'a Catalog,
    limits: Limits,
    /// Whether each table is checked before the next one is begun.
    verify: bool,
    encoding: Encoding,
    /// The most memory at one time, in bytes.
    memory_bytes: u64,
    /// The tables, in bytes.
    pub disk_bytes: u64,
    /// The files in which the distances of a table are kept while it is made, in bytes.
    pub work_bytes: u64,
    /// The time, in positions of the class that the speed of a machine is measured with.
    pub work: f64,
    /// The pieces of the current tables, and the values that are kept of these and of those with one piece less, in bytes.
    level: usize,
    kept: u64,
    kept_below: u64,
    /// The values of the large table before, which are still being written, in bytes.
    unwritten: u64,
    /// The most that a table needs which is solved side by side with others, in bytes.
    small: u64,
}

impl<'a> Estimate<'a> {
    /// Of no tables.
    pub fn new(catalog: &'a Catalog, limits: Limits, verify: bool, encoding: Encoding) -> Estimate<'a> {
        Estimate {
            catalog,
            limits,
            verify,
            encoding,
            memory_bytes: 0,
            disk_bytes: 0,
            work_bytes: 0,
            work: 0.0,
            level: 0,
            kept: 0,
            kept_below: 0,
            unwritten: 0,
            small: 0,
        }
    }

    /// Adds a table that is still to be made, by solving its class or, if `thinned`, from the distances in another table.
    pub fn add(&mut self, table: &PlannedTable, thinned: bool) {
        self.disk_bytes += disk_of(table.stored, table.pieces(), table.metric, self.encoding);
        let work = work_of(table.positions, table.pieces());
        if thinned {
            self.work += work / THINNING_SPEED;
            return;
        }
        self.add_memory(table);
        let slower = match table.workspace.storage {
            Storage::Memory => 1.0,
            Storage::Files => SLOWER_IN_FILES,
            Storage::Lean => SLOWER_IN_FILES * SLOWER_WHEN_LEAN,
        };
        self.work += work * slower * if table.metric.needs_under_limit().is_some() { SLOWER_UNDER_LIMIT } else { 1.0 };
    }

    /// Begins the tables with so many pieces, if they are not begun.
    pub fn begin_level(&mut self, pieces: usize) {
        if pieces != self.level {
            (self.level, self.kept_below, self.kept, self.unwritten) = (pieces, self.kept, 0, 0);
        }
    }

    fn add_memory(&mut self, table: &PlannedTable) {
        let (class, needed, storage) = (&table.class, table.workspace.memory_bytes, table.workspace.storage);
        let in_files = storage != Storage::Memory;
        if in_files {
            let positions = class.index().size().saturating_mul(kernel::sides_kept(self.catalog, class));
            self.work_bytes = self.work_bytes.max((positions as f64 * SPILLED_BITS_PER_POSITION / 8.0) as u64);
        }
        // A lean one has all the memory for itself.
        let kept_below = if storage == Storage::Lean { 0 } else { self.kept_below };
        let kept_below = kept_below.min(self.limits.cache());
        if table.is_large() {
            // The bytes of the side that is read out first take the place of its sets.
            let peak = if in_files { needed } else { needed.saturating_sub(class.index().size()) };
            let loaded = values_below(self.catalog, class).min(self.limits.cache());
            let overlaps = !self.verify && needed.saturating_add(self.unwritten) <= self.limits.work();
            let peak = if overlaps { peak.saturating_add(self.unwritten) } else { peak };
            self.memory_bytes = self.memory_bytes.max(peak.saturating_add(kept_below.saturating_sub(loaded)));
            // They are in the buffers that the distances were in.
            self.unwritten = if in_files { 0 } else { kernel::cells(self.catalog, class) * class.sides() as u64 };
        } else {
            self.small = self.small.max(needed);
        }
        let side_by_side = self.small.saturating_mul(rayon::current_num_threads() as u64);
        self.memory_bytes = self.memory_bytes.max(side_by_side.saturating_add(kept_below));
        self.kept = self.kept.saturating_add(table.stored);
    }

    /// The most memory at one time, in bytes, with the program itself.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes.saturating_add(BYTES_OF_PROGRAM)
    }
}

/// The figure of a number of pieces.
fn by_pieces(figures: [f64; 5], pieces: usize) -> f64 {
    figures[pieces.clamp(2, 6) - 2]
}

fn disk_of(stored: u64, pieces: usize, metric: Metric, encoding: Encoding) -> u64 {
    // Measured with five pieces; the default is 1.
    let part = match encoding {
        Encoding::SERVER => 1.12,
        Encoding::ARCHIVE => 0.89,
        _ => 1.0,
    };
    (stored as f64 * by_pieces(metric.descriptor().bits_per_position, pieces) * part / 8.0) as u64 + BYTES_PER_TABLE
}
