//! Which tables a request needs.

use super::workspace::Workspaces;
use crate::generate::request::Request;
use crate::kernel::Storage;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Metric;
use std::collections::HashSet;
use std::sync::Arc;

/// A class and what its table is to hold.
type Wanted = (Arc<Class>, Metric);

/// The tables that are to be there in the end, each after those that it is made from: those with as many pieces together, and
/// of these the ones that others with as many pieces are made from first.
pub fn wanted(
    catalog: &Catalog,
    request: &Request,
    tablebase: &Tablebase,
    workspaces: &mut Workspaces<'_>,
) -> Vec<Wanted> {
    let closure = catalog.closure(request.classes.iter().cloned());
    let metric = request.metric;
    let mut tables: Vec<Wanted> = Vec::new();
    if let Some(source) = metric.thinned_from() {
        let needed = solved_first(catalog, &closure, tablebase, (metric, source), workspaces);
        let sources = closure.iter().filter(|class| needed.contains(&class.material()));
        tables.extend(sources.map(|class| (class.clone(), source)));
    } else if let Some(source) = metric.needs_under_limit() {
        // Without a limit it is not needed for the values, but compared with them.
        tables.extend(closure.iter().map(|class| (class.clone(), source)));
    }
    tables.extend(closure.into_iter().map(|class| (class, metric)));
    tables.sort_by_key(|(class, of)| (class.material().count(), *of == metric));
    tables
}

/// The classes that need a table of the metric that others are made from: what has to be solved needs those below it, and its
/// own if it does not fit in memory.
fn solved_first(
    catalog: &Catalog,
    closure: &[Arc<Class>],
    tablebase: &Tablebase,
    (metric, source): (Metric, Metric),
    workspaces: &mut Workspaces<'_>,
) -> HashSet<Material> {
    let mut needed: HashSet<Material> = HashSet::new();
    for class in closure.iter().rev() {
        let made = needed.contains(&class.material()) || !tablebase.path_with(class, metric).is_file();
        if made && !tablebase.path_with(class, source).is_file() {
            needed.extend(catalog.below(class).iter().map(|below| below.material()));
            if workspaces.of(class, source).storage != Storage::Memory {
                needed.insert(class.material());
            }
        }
    }
    needed
}
