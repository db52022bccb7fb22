//! `list`: which tables are there and which are missing.

use crate::cli::List as Args;
use crate::context::Context;
use crate::error::{Code, Failure, say};
use crate::output::number::{count, whole};
use crate::output::records::{List, ListedTable, TableStatus};
use crate::output::{json, list as text};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::tablebase::{DEFAULT_CACHE_BYTES, Tablebase, TablebaseError};
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

/// Tables up to so many pieces are missed even where there are none.
const AT_LEAST: usize = 3;

/// Lists the tables.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let catalog = Arc::new(Catalog::new(context.rules()?));
    let tables = Tablebase::at(context.folder(), catalog, DEFAULT_CACHE_BYTES);
    let list = list(&tables, args.pieces.map(usize::from));
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

fn list(tables: &Tablebase, pieces: Option<usize>) -> List {
    let present = present(tables);
    let most = present.iter().map(|class| class.material().count()).max().unwrap_or(0);
    let pieces = pieces.unwrap_or(most.max(AT_LEAST));
    let mut classes = present;
    let known: HashSet<Material> = classes.iter().map(|class| class.material()).collect();
    for count in 2..=pieces.min(MAX_PIECES) {
        let missing = tables.catalog().classes(count).into_iter();
        classes.extend(missing.filter(|class| !known.contains(&class.material())));
    }
    classes.sort_by_key(|class| (class.material().count(), class.name().to_owned()));
    let listed: Vec<ListedTable> = classes.iter().map(|class| look_at(tables, class)).collect();
    let with = |statuses: &[TableStatus]| listed.iter().filter(|table| statuses.contains(&table.status)).count();
    List {
        rules: tables.rules().name().to_owned(),
        folder: tables.rules_folder().display().to_string(),
        pieces: u8::try_from(pieces).unwrap_or(u8::MAX),
        present: whole(with(&[TableStatus::Present])),
        missing: whole(with(&[TableStatus::Missing])),
        unusable: whole(with(&[TableStatus::Damaged, TableStatus::Foreign])),
        bytes: listed.iter().filter_map(|table| table.bytes).sum(),
        tables: listed,
    }
}

/// The classes for which there is a file.
pub fn present(tables: &Tablebase) -> Vec<Arc<Class>> {
    let class_of = |name: &String| {
        let material = Material::parse(tables.rules(), name).ok()?;
        let member = tables.catalog().member(material)?;
        // A file that has the name of another member is never read.
        (member.class().name() == name).then(|| member.class().clone())
    };
    tables.files().iter().filter_map(class_of).collect()
}

fn look_at(tables: &Tablebase, class: &Arc<Class>) -> ListedTable {
    let (status, bytes, error) = match tables.table(class) {
        Ok(table) => (TableStatus::Present, Some(table.len_bytes()), None),
        Err(error) if error.is_missing() => (TableStatus::Missing, None, None),
        Err(error) => (status_of(&error), None, Some(error.to_string())),
    };
    let positions = class.index().size().saturating_mul(whole(class.sides()));
    ListedTable {
        class: class.name().to_owned(),
        pieces: class.material().count(),
        materials: class.members(),
        status,
        bytes,
        positions,
        error,
    }
}

fn status_of(error: &TablebaseError) -> TableStatus {
    use dsq_tables::format::ErrorKind;
    match error {
        TablebaseError::OtherRules { .. } | TablebaseError::OtherTable { .. } => TableStatus::Foreign,
        TablebaseError::File(error) => match error.kind() {
            ErrorKind::OtherVersion | ErrorKind::Unsupported | ErrorKind::NotATable => TableStatus::Foreign,
            _ => TableStatus::Damaged,
        },
        _ => TableStatus::Damaged,
    }
}
