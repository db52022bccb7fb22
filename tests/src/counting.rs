//! Classes solved by the solver that carries the count of quiet plies.

use dsq_solver::reference::counting::{Counted, solve_counting};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use std::collections::HashMap;
use std::sync::Arc;

/// Solves classes and everything below them under a limit.
///
/// # Panics
/// If a class is too large for that.
#[must_use]
pub fn solve_all(catalog: &Catalog, classes: &[Arc<Class>], limit: u32) -> HashMap<Material, Counted> {
    let mut solved: HashMap<Material, Counted> = HashMap::new();
    for class in catalog.closure(classes.iter().cloned()) {
        let below = |position: &Position| {
            let member = catalog.member(Material::of(position)).unwrap();
            let route = member.route(position.turn());
            let number = member.class().index().number(&route.squares(position).unwrap());
            solved[&member.class().material()].wdl(route.side(), number, 0)
        };
        let counted = solve_counting(catalog, &class, limit, &below).unwrap();
        solved.insert(class.material(), counted);
    }
    solved
}
