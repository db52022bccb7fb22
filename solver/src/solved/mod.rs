//! A solved class in memory, as it will be in its table.

mod codes;
mod counter;
mod limit;

pub use codes::{SideCodes, put_part};
pub use counter::Counter;

use crate::buffer_pool::BufferPool;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::Summary;
use dsq_tables::table::Table;
use dsq_tables::value::Metric;
use std::sync::Arc;

/// All values of a class.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The class.
    pub class: Arc<Class>,
    /// What its values are.
    pub metric: Metric,
    /// White to move, then, unless the class is symmetric, Black to move. Shared with whoever needs one side only.
    sides: Vec<Arc<SideCodes>>,
    summary: Summary,
}

impl Solved {
    /// The distances to win of a class. `drawn_stalemates` has for each side the number of positions that are drawn because there is no
    /// legal move, mirror images counted; those lost because of that are counted here.
    #[must_use]
    pub fn new(class: Arc<Class>, sides: Vec<SideCodes>, drawn_stalemates: &[u64]) -> Solved {
        Solved::with_metric(class, Metric::default(), sides, drawn_stalemates)
    }

    /// The same with values of another metric.
    #[must_use]
    pub fn with_metric(class: Arc<Class>, metric: Metric, sides: Vec<SideCodes>, drawn_stalemates: &[u64]) -> Solved {
        let summarise = |(number, side): (usize, &SideCodes)| {
            let mut counter = Counter::default();
            counter.add(class.index(), side);
            counter.summary(metric, drawn_stalemates.get(number).copied().unwrap_or_default())
        };
        let summary = Summary { sides: sides.iter().enumerate().map(summarise).collect() };
        Solved { class, metric, sides: sides.into_iter().map(Arc::new).collect(), summary }
    }

    /// Reads a table into memory.
    ///
    /// # Errors
    /// [`TablebaseError`]: the table is damaged.
    pub fn read(table: &Table) -> Result<Solved, TablebaseError> {
        let sides = Side::BOTH.into_iter().take(table.class().sides()).map(|side| SideCodes::read(table, side));
        let sides = sides.map(|side| side.map(Arc::new)).collect::<Result<_, _>>()?;
        let (class, metric) = (table.class().clone(), table.metric());
        Ok(Solved { class, metric, sides, summary: table.summary().clone() })
    }

    /// The values with one side to move; of a symmetric class always White's.
    #[must_use]
    pub fn side(&self, side: Side) -> &Arc<SideCodes> {
        &self.sides[side.index().min(self.sides.len() - 1)]
    }

    /// White's values, then, unless the class is symmetric, Black's.
    #[must_use]
    pub fn sides(&self) -> &[Arc<SideCodes>] {
        &self.sides
    }

    /// In buffers that are no larger than what they hold, to be kept.
    #[must_use]
    pub fn fitted(mut self) -> Solved {
        self.sides.iter_mut().filter_map(Arc::get_mut).for_each(|side| side.shrink());
        self
    }

    /// Gives the buffers back to where they came from.
    pub fn recycle(self, pool: &BufferPool) {
        self.sides.into_iter().filter_map(Arc::into_inner).for_each(|side| pool.give(side.into_bytes()));
    }

    /// How many bytes of memory it takes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.sides.iter().map(|side| side.memory()).sum()
    }

    /// How many positions of each kind there are, mirror images counted.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}
