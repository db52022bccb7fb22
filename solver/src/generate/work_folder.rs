//! The folder for the files of a table while it is made: distances that do not fit in memory, and checkpoints.

use super::error::GenerateError;
use super::plan::solved_as;
use super::request::SpillRequest;
use dsq_tables::class::Class;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Metric;
use std::fs;
use std::path::PathBuf;

/// The folder for the files of a table while it is made.
pub fn work_folder(tablebase: &Tablebase, spill: &SpillRequest, class: &Class, metric: Metric) -> PathBuf {
    let rules = tablebase.rules();
    let folder = match &spill.folder {
        Some(folder) => folder.join(rules.folder_name()),
        None => tablebase.rules_folder().join(".work"),
    };
    let metric = solved_as(metric);
    if metric == Metric::default() {
        folder.join(class.name())
    } else {
        folder.join(format!("{}.{}{}", class.name(), metric.name(), metric.limit(rules).unwrap_or(0)))
    }
}

/// Removes the files of the work on a table that is done, and the folder around them if nothing else is in it.
pub fn clear_work_folder(
    tablebase: &Tablebase,
    spill: &SpillRequest,
    class: &Class,
    metric: Metric,
) -> Result<(), GenerateError> {
    let path = work_folder(tablebase, spill, class, metric);
    if path.is_dir() {
        fs::remove_dir_all(&path).map_err(|cause| GenerateError::Io { path: path.clone(), action: "remove", cause })?;
    }
    // Other classes may still have theirs; then it stays.
    let _ = path.parent().map(fs::remove_dir);
    Ok(())
}
