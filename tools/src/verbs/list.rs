//! `list`: which tables are there and which are missing.

use super::stock::{self, in_order, present, status_of, stored};
use crate::context::Context;
use crate::error::{Code, Failure, say};
use crate::number::{count, whole};
use crate::output::records::{ForeignTables, List, ListedTable, MadeFor, OtherTables, TableStatus};
use crate::output::{json, list as text};
use crate::terms::{METRICS, main_metric};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::tablebase::{DEFAULT_CACHE_BYTES, Tablebase};
use dsq_tables::value::Metric;
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

/// Tables up to so many pieces are listed as missing even where there are none.
const AT_LEAST: usize = 3;

/// What is asked.
pub struct Request {
    /// Up to how many pieces what is missing is named; none for the most that a table has, at least [`AT_LEAST`].
    pub pieces: Option<u8>,
}

/// Prints the list.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let catalog = Arc::new(Catalog::new(context.rules()?));
    let tables = Tablebase::at(context.folder(), catalog, DEFAULT_CACHE_BYTES);
    let list = list(&tables, request);
    if context.json() {
        json(out, &list)?;
    } else {
        text::print(out, &list)?;
    }
    if list.unusable > 0 {
        out.flush()?;
        say(format_args!("{} cannot be used", count(list.unusable, "table")));
        return Ok(Code::Damaged);
    }
    Ok(Code::Done)
}

/// Which tables are there and which are missing.
pub fn list(tables: &Tablebase, request: &Request) -> List {
    let present = present(tables, main_metric());
    let most = present.iter().map(|class| class.material().count()).max().unwrap_or(0);
    let pieces = request.pieces.map_or(most.max(AT_LEAST), usize::from);
    let mut classes = present;
    let known: HashSet<Material> = classes.iter().map(|class| class.material()).collect();
    for count in 2..=pieces.min(MAX_PIECES) {
        let missing = tables.catalog().classes(count).into_iter();
        classes.extend(missing.filter(|class| !known.contains(&class.material())));
    }
    in_order(&mut classes);
    let listed: Vec<ListedTable> = classes.iter().map(|class| look_at(tables, class, main_metric())).collect();
    let others = METRICS.into_iter().filter(|&metric| metric != main_metric()).map(|metric| {
        let mut classes = stock::present(tables, metric);
        in_order(&mut classes);
        (metric, classes.iter().map(|class| look_at(tables, class, metric)).collect())
    });
    let others = OtherTables(others.collect());
    let all = || listed.iter().chain(others.all());
    let unusable = all().filter(|table| matches!(table.status, TableStatus::Damaged | TableStatus::Foreign)).count();
    List {
        rules: tables.rules().name().to_owned(),
        folder: tables.rules_folder().display().to_string(),
        pieces: u8::try_from(pieces).unwrap_or(u8::MAX),
        present: whole(listed.iter().filter(|table| is_usable(table)).count()),
        missing: whole(listed.iter().filter(|table| table.pieces <= pieces && !is_usable(table)).count()),
        unusable: whole(unusable),
        foreign: groups(all()),
        bytes: listed.iter().filter_map(|table| table.bytes).sum(),
        tables: listed,
        others,
    }
}

fn is_usable(table: &ListedTable) -> bool {
    table.status == TableStatus::Present
}

fn groups<'a>(listed: impl Iterator<Item = &'a ListedTable>) -> Vec<ForeignTables> {
    let mut groups = Vec::new();
    for made_for in listed.filter_map(|table| table.made_for.as_ref()) {
        ForeignTables::add(&mut groups, made_for);
    }
    groups
}

fn look_at(tables: &Tablebase, class: &Arc<Class>, metric: Metric) -> ListedTable {
    let (status, bytes, error) = match tables.table_with(class, metric) {
        Ok(table) => (TableStatus::Present, Some(table.len_bytes()), None),
        Err(error) => (status_of(&error), None, Some(error)),
    };
    ListedTable {
        class: class.name().to_owned(),
        pieces: class.material().count(),
        materials: class.members(),
        status,
        bytes,
        positions: stored(class),
        made_for: error.as_ref().and_then(MadeFor::of),
        error: error.filter(|error| !error.is_missing()).map(|error| error.to_string()),
    }
}
