//! Which tables are there, and in what state.

use crate::number::whole;
use crate::output::records::TableStatus;
use dsq_tables::class::Class;
use dsq_tables::material::Material;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Metric;
use std::sync::Arc;

/// The classes for which there is a file of a metric.
pub fn present(tables: &Tablebase, metric: Metric) -> Vec<Arc<Class>> {
    let class_of = |name: &String| {
        let material = Material::parse(tables.rules(), name).ok()?;
        let member = tables.catalog().member(material)?;
        // A file that has the name of another member is never read.
        (member.class().name() == name).then(|| member.class().clone())
    };
    tables.files_of(metric).iter().filter_map(class_of).collect()
}

/// The order of tables: those first on which others rest, then small ones.
pub fn in_order(classes: &mut [Arc<Class>]) {
    classes.sort_by_key(|class| (class.material().count(), stored(class), class.name().to_owned()));
}

/// How many positions the file of a class holds.
pub fn stored(class: &Class) -> u64 {
    class.index().size().saturating_mul(whole(class.sides()))
}

/// What an error of opening a table says about it.
pub fn status_of(error: &TablebaseError) -> TableStatus {
    use dsq_tables::format::ErrorKind;
    match error {
        _ if error.is_missing() => TableStatus::Missing,
        TablebaseError::OtherRules { .. } | TablebaseError::OtherTable { .. } => TableStatus::Foreign,
        TablebaseError::File(error) => match error.kind() {
            ErrorKind::OtherVersion | ErrorKind::Unsupported | ErrorKind::NotATable => TableStatus::Foreign,
            _ => TableStatus::Damaged,
        },
        _ => TableStatus::Damaged,
    }
}
