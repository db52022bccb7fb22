//! The answer of `list` for people.

use super::columns::{Align, Columns};
use super::records::{List, ListedTable, TableStatus};
use super::words;
use crate::number::{bytes, count, grouped, whole};
use crate::terms::metric_heading;
use std::io::{self, Write};

/// How many characters of names stand in a line.
const WIDTH: usize = 90;

/// Prints what is there, what cannot be used and what is missing.
pub fn print(out: &mut dyn Write, list: &List) -> io::Result<()> {
    let with = |status: TableStatus| list.tables.iter().filter(move |table| table.status == status);
    writeln!(
        out,
        "{} ({}): {}, {}; missing up to {} pieces: {}",
        list.folder,
        list.rules,
        count(list.present, "table"),
        bytes(list.bytes),
        list.pieces,
        grouped(list.missing)
    )?;
    if list.present > 0 {
        print_tables(out, with(TableStatus::Present))?;
    }
    for (metric, tables) in &list.others.0 {
        let usable: Vec<&ListedTable> = tables.iter().filter(|table| table.status == TableStatus::Present).collect();
        if !usable.is_empty() {
            let size = usable.iter().filter_map(|table| table.bytes).sum();
            writeln!(out, "\n{}: {}, {}", metric_heading(*metric), count(whole(usable.len()), "table"), bytes(size))?;
            print_tables(out, usable.into_iter())?;
        }
    }
    for group in &list.foreign {
        writeln!(out, "\n{}", words::foreign(group))?;
    }
    for (status, name) in [(TableStatus::Damaged, "damaged"), (TableStatus::Foreign, "foreign")] {
        // Those of other rules are reported together.
        let others = list.others.all().filter(|table| table.status == status);
        for ListedTable { class, error, .. } in with(status).chain(others).filter(|table| table.made_for.is_none()) {
            writeln!(out, "\n{name}: {class}: {}", error.as_deref().unwrap_or_default())?;
        }
    }
    let pieces = 2..=usize::from(list.pieces);
    for pieces in pieces {
        let missing = with(TableStatus::Missing).filter(|table| table.pieces == pieces);
        let names: Vec<&str> = missing.map(|table| table.class.as_str()).collect();
        if !names.is_empty() {
            writeln!(out, "\nmissing, {pieces} pieces:")?;
            print_names(out, &names)?;
        }
    }
    Ok(())
}

fn print_tables<'a>(out: &mut dyn Write, tables: impl Iterator<Item = &'a ListedTable>) -> io::Result<()> {
    let headings = ["table", "pieces", "materials", "stored positions", "bytes"];
    let align = |heading: &'static str| (heading, if heading == "table" { Align::Left } else { Align::Right });
    let mut columns = Columns::new(&headings.map(align));
    for table in tables {
        columns.row([
            table.class.clone(),
            table.pieces.to_string(),
            table.materials.to_string(),
            grouped(table.positions),
            grouped(table.bytes.unwrap_or(0)),
        ]);
    }
    writeln!(out)?;
    columns.print(out)
}

fn print_names(out: &mut dyn Write, names: &[&str]) -> io::Result<()> {
    let mut line = String::new();
    for name in names {
        if line.len() + name.len() > WIDTH {
            writeln!(out, " {line}")?;
            line.clear();
        }
        line.push(' ');
        line.push_str(name);
    }
    writeln!(out, " {line}")
}
