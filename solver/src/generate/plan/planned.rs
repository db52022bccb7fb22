//! A table of a plan.

use super::workspace::Workspace;
use dsq_tables::class::Class;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Metric;
use std::sync::Arc;

/// From so many stored positions on, all threads work on one table.
const LARGE: u64 = 30_000_000;

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
    /// Where the work on it is kept, should it have to be solved.
    pub workspace: Workspace,
}

impl PlannedTable {
    /// The table of a class in the folder of a tablebase.
    pub(crate) fn new(tablebase: &Tablebase, class: Arc<Class>, metric: Metric, workspace: Workspace) -> PlannedTable {
        PlannedTable {
            metric,
            present: tablebase.path_with(&class, metric).is_file(),
            positions: full_positions(&class),
            stored: class.index().size().saturating_mul(class.sides() as u64),
            workspace,
            class,
        }
    }

    /// Whether all threads work on it, so that large tables are made one after the other.
    pub(crate) fn is_large(&self) -> bool {
        self.stored >= LARGE
    }

    /// How many pieces the class has.
    pub(crate) fn pieces(&self) -> usize {
        self.class.material().count()
    }
}

/// Positions of a class on the full board, both sides to move.
pub fn full_positions(class: &Class) -> u64 {
    let index = class.index();
    let run = index.numbers_of_first_square().max(1);
    let one_side: u64 = if index.is_dense() {
        (0..index.size()).step_by(run as usize).map(|first| index.weight_at(first) * run).sum()
    } else {
        index.size().saturating_mul(if index.has_mirror() { 2 } else { 1 })
    };
    one_side.saturating_mul(2)
}
