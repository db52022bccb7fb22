//! What a run of the generator would do: tables, sizes, memory, time.
//!
//! How the work on each table is kept, in memory or in files, is decided here and nowhere else; see [`Workspace`].

mod estimate;
mod planned;
mod speed;
mod wanted;
mod workspace;

pub use planned::PlannedTable;
pub(super) use planned::full_positions;
pub use workspace::Workspace;
pub(super) use workspace::{Limits, solved_as};

use super::error::GenerateError;
use super::request::Request;
use crate::kernel::Storage;
use crate::write::Encoding;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Metric;
use estimate::Estimate;
use speed::{TYPICAL_SPEED, measured_speed};
use std::collections::HashSet;
use std::sync::Arc;
use wanted::wanted;
use workspace::Workspaces;

/// What a run would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All tables, each after those that it is made from.
    pub tables: Vec<PlannedTable>,
    /// About the most memory that is needed at one time, in bytes.
    pub memory_bytes: u64,
    /// About the size of the tables that are still to be made, in bytes.
    pub disk_bytes: u64,
    /// About the size of the files that tables whose distances do not fit in memory need while they are made, in bytes.
    pub work_bytes: u64,
    /// What the run may use.
    pub(super) limits: Limits,
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

    /// The table of a class, as it was planned. One that the plan does not have, because what it is for was thought to be there
    /// and whole, is planned now.
    pub(super) fn table(&self, tablebase: &Tablebase, class: &Arc<Class>, metric: Metric) -> PlannedTable {
        let is_it = |table: &&PlannedTable| table.metric == metric && table.class.material() == class.material();
        self.tables.iter().find(is_it).cloned().unwrap_or_else(|| {
            let workspace = self.limits.workspace(tablebase.catalog(), class, solved_as(metric));
            PlannedTable::new(tablebase, class.clone(), metric, workspace)
        })
    }
}

/// What a run would do. Nothing is written.
///
/// # Errors
/// [`GenerateError::TooLarge`] if a table that is still to be made does not fit in memory.
pub fn plan(catalog: &Arc<Catalog>, request: &Request) -> Result<Plan, GenerateError> {
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), 0);
    let limits = Limits::of(request);
    let mut workspaces = Workspaces::new(catalog, limits);
    let mut estimate = Estimate::new(catalog, limits, request.verify, request.encoding);
    let mut tables: Vec<PlannedTable> = Vec::new();
    let mut planned: HashSet<(Material, Metric)> = HashSet::new();
    let mut most_pieces = 0;
    for (class, metric) in wanted(catalog, request, &tablebase, &mut workspaces) {
        let workspace = workspaces.of(&class, metric);
        let table = PlannedTable::new(&tablebase, class, metric, workspace);
        let class = &table.class;
        let there =
            |source| planned.contains(&(class.material(), source)) || tablebase.path_with(class, source).is_file();
        let thinned = metric.thinned_from().is_some_and(there);
        estimate.begin_level(table.pieces());
        if !table.present {
            if !thinned && workspace.memory_bytes > limits.memory {
                return Err(too_large(catalog, &table, limits));
            }
            most_pieces = table.pieces();
            estimate.add(&table, thinned);
        }
        planned.insert((class.material(), metric));
        tables.push(table);
    }
    let memory_bytes = estimate.memory_bytes();
    let Estimate { disk_bytes, work_bytes, work, .. } = estimate;
    Ok(Plan { tables, memory_bytes, disk_bytes, work_bytes, limits, work, most_pieces })
}

fn too_large(catalog: &Catalog, table: &PlannedTable, limits: Limits) -> GenerateError {
    let fits = |class: &Arc<Class>| limits.needed(catalog, class, table.metric, Storage::Lean) <= limits.memory;
    let fitting = (2..table.pieces()).rev().find(|&pieces| catalog.classes(pieces).iter().all(fits));
    GenerateError::TooLarge {
        class: table.class.name().to_owned(),
        needed: table.workspace.memory_bytes,
        limit: limits.memory,
        fits: fitting.map(|pieces| format!("all tables of {pieces} pieces would fit")),
    }
}
