//! Which draws are cursed wins and blessed losses: by the table of the class without the limit.

use super::error::GenerateError;
use crate::solved::{SideCodes, Solved};
use crate::write::Distances;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::table::Table;
use std::sync::Arc;

/// Who wins the positions of a class without a limit.
pub enum WithoutLimit {
    /// By distances in memory.
    Solved(Arc<Solved>),
    /// By a table of distances.
    Table(Arc<Table>),
}

/// Marks the draws by the limit in values that come part by part.
pub struct DrawsByLimit<'a> {
    class: &'a Class,
    /// None if the values do not depend on a limit.
    without_limit: Option<WithoutLimit>,
    /// Whether the rules have a limit. If not, the values are only compared.
    limited: bool,
    /// The side to move of the part before, and the number after its last.
    next: (usize, u64),
}

impl DrawsByLimit<'_> {
    /// For the values of a class, none of which came yet.
    pub fn new(class: &Class, without_limit: Option<WithoutLimit>, limited: bool) -> DrawsByLimit<'_> {
        DrawsByLimit { class, without_limit, limited, next: (0, 0) }
    }

    /// Marks those in the next values with a side to move, 0 or 1.
    pub fn mark(&mut self, side: usize, part: &mut SideCodes) -> Result<(), GenerateError> {
        let first = if self.next.0 == side { self.next.1 } else { 0 };
        let end = first + part.bytes().len() as u64;
        self.next = (side, end);
        let distances = match &self.without_limit {
            None => return Ok(()),
            Some(WithoutLimit::Solved(solved)) => Distances::Solved(solved),
            Some(WithoutLimit::Table(table)) => Distances::Table(table),
        };
        let known = distances.codes(Side::BOTH[side], first..end)?;
        if part.mark_draws_by_limit(self.class.index(), first, &known, self.limited) {
            return Ok(());
        }
        Err(GenerateError::Contradiction { class: self.class.name().to_owned() })
    }
}
