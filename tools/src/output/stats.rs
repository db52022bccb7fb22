//! The answer of `stats` for people.

use super::columns::{Align, Columns};
use super::number::{bytes, grouped};
use super::records::{Counts, MaterialStats, TotalStats};
use super::words::count;
use std::io::{self, Write};

/// Prints the counts of materials, a table for each.
pub fn print_materials(out: &mut dyn Write, materials: &[MaterialStats]) -> io::Result<()> {
    for (index, stats) in materials.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let MaterialStats { rules, material, class, metric, .. } = stats;
        let size = bytes(stats.bytes);
        writeln!(
            out,
            "{material} ({rules}): table {class}{}, {size}{}; mirror images count twice\n",
            of_metric(metric),
            bits(stats.bits_per_position)
        )?;
        let mut columns = counts_table("to move");
        for side in &stats.sides {
            columns.row(cells(side.side_to_move.to_owned(), &side.counts));
        }
        columns.print(out)?;
        for side in &stats.sides {
            print_longest(out, &format!("{} to move", side.side_to_move), &side.counts)?;
        }
    }
    Ok(())
}

/// Prints totals, a line for each number of pieces.
pub fn print_totals(out: &mut dyn Write, totals: &[TotalStats]) -> io::Result<()> {
    let Some(first) = totals.first() else { return Ok(()) };
    writeln!(out, "All ordered materials of {}, White to move; mirror images count twice.\n", first.rules)?;
    let mut columns = counts_table("pieces");
    for total in totals {
        columns.row(cells(total.pieces.to_string(), &total.counts));
    }
    columns.print(out)?;
    for total in totals {
        print_longest(out, &count(total.pieces.into(), "piece"), &total.counts)?;
    }
    writeln!(out)?;
    for total in totals {
        writeln!(
            out,
            "{}: {}, {}{}, {}{}",
            count(total.pieces.into(), "piece"),
            count(total.materials, "material"),
            count(total.classes, "class"),
            of_metric(total.metric),
            bytes(total.bytes),
            bits(total.bits_per_position)
        )?;
    }
    Ok(())
}

/// Words for tables without distances; the others need none.
fn of_metric(metric: &str) -> &'static str {
    if metric == "wdl" { " (win/draw/loss only)" } else { "" }
}

fn bits(bits: Option<f64>) -> String {
    bits.map(|bits| format!(", {bits:.3} bits per position")).unwrap_or_default()
}

fn counts_table(first: &str) -> Columns {
    Columns::new(&[
        (first, Align::Left),
        ("positions", Align::Right),
        ("won", Align::Right),
        ("drawn", Align::Right),
        ("lost", Align::Right),
        ("no move", Align::Right),
        ("longest win", Align::Right),
        ("longest loss", Align::Right),
    ])
}

fn cells(first: String, counts: &Counts) -> Vec<String> {
    let longest = |plies: Option<u32>| plies.map_or_else(|| "-".to_owned(), |plies| grouped(plies.into()));
    let numbers = [counts.positions, counts.won, counts.drawn, counts.lost, counts.stalemates].map(grouped);
    let mut cells = vec![first];
    cells.extend(numbers);
    cells.extend([longest(counts.longest_win_plies), longest(counts.longest_loss_plies)]);
    cells
}

fn print_longest(out: &mut dyn Write, what: &str, counts: &Counts) -> io::Result<()> {
    let win = ("longest win", counts.longest_win_plies, &counts.longest_win_position);
    let loss = ("longest loss", counts.longest_loss_plies, &counts.longest_loss_position);
    for (name, plies, position) in [win, loss] {
        if let (Some(plies), Some(position)) = (plies, position) {
            writeln!(out, "  {what}, {name}: {} in {position}", super::words::plies(plies))?;
        }
    }
    Ok(())
}
