//! Where the work on a table is kept: in memory or in files, and what it needs.

use crate::generate::machine;
use crate::generate::request::Request;
use crate::kernel::{self, Measure, Storage};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::value::Metric;
use std::collections::HashMap;

/// One part of so many of the memory keeps the values that the next tables need.
const CACHE_PART: u64 = 6;

/// Where the work on a table is kept. Decided once, when the table is planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workspace {
    /// In memory or in files.
    pub storage: Storage,
    /// About the memory that it needs, in bytes, with the values below it that are kept in memory.
    pub memory_bytes: u64,
}

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The memory limit, in bytes.
    pub memory: u64,
    /// Whether distances go to files even where they fit in memory.
    pub always_files: bool,
}

impl Limits {
    /// The limits of a request, or of the machine as it is now.
    pub fn of(request: &Request) -> Limits {
        let memory = request.memory.or_else(machine::default_memory_limit).unwrap_or(u64::MAX);
        Limits { memory, always_files: request.spill.always }
    }

    /// The memory for values that the next tables need, in bytes.
    pub fn cache(self) -> u64 {
        self.memory / CACHE_PART
    }

    /// The rest of the memory, in bytes.
    pub fn work(self) -> u64 {
        self.memory - self.cache()
    }

    /// Where the work on a table is kept: with the distances in files if that is asked for or they do not fit in memory, and
    /// lean if it does not fit otherwise.
    pub fn workspace(self, catalog: &Catalog, class: &Class, metric: Metric) -> Workspace {
        let first = if self.always_files { Storage::Files } else { Storage::Memory };
        let workspace = |storage| Workspace { storage, memory_bytes: self.needed(catalog, class, metric, storage) };
        [Storage::Memory, Storage::Files]
            .into_iter()
            .filter(|&storage| storage >= first)
            .map(workspace)
            .find(|workspace| workspace.memory_bytes <= self.memory)
            .unwrap_or_else(|| workspace(Storage::Lean))
    }

    /// What solving a class needs: its sets, the tables below it, and its values in the end. Of the values below no more
    /// are kept than there is room for in the cache; they are in their place before the sets are made.
    pub fn needed(self, catalog: &Catalog, class: &Class, metric: Metric, storage: Storage) -> u64 {
        let needed = kernel::memory_needed(catalog, class, Measure::of(metric, catalog.rules()), storage);
        // Read where they are, they are counted there.
        let loaded = if storage == Storage::Lean { 0 } else { values_below(catalog, class).min(self.cache()) };
        needed.saturating_add(loaded)
    }
}

/// The size of the values of all tables below a class, in bytes.
pub fn values_below(catalog: &Catalog, class: &Class) -> u64 {
    catalog.below(class).iter().map(|class| class.index().size() * class.sides() as u64).sum()
}

/// The metric that a class is solved with for a table of this one: tables without distances are made from those with them.
pub fn solved_as(metric: Metric) -> Metric {
    metric.thinned_from().unwrap_or(metric)
}

/// Where the work on each class is kept, as far as that was decided.
pub struct Workspaces<'a> {
    catalog: &'a Catalog,
    limits: Limits,
    decided: HashMap<(Material, Metric), Workspace>,
}

impl<'a> Workspaces<'a> {
    /// Nothing is decided yet.
    pub fn new(catalog: &'a Catalog, limits: Limits) -> Workspaces<'a> {
        Workspaces { catalog, limits, decided: HashMap::new() }
    }

    /// Where the work on a table is kept.
    pub fn of(&mut self, class: &Class, metric: Metric) -> Workspace {
        let metric = solved_as(metric);
        let decide = || self.limits.workspace(self.catalog, class, metric);
        *self.decided.entry((class.material(), metric)).or_insert_with(decide)
    }
}
