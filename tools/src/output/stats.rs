//! The answer of `stats` for people.

use super::columns::{Align, Columns};
use super::records::{Counts, MaterialStats, TotalStats};
use crate::number::{bytes, count, grouped};
use crate::terms::metric_note;
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
            metric_note(*metric, stats.limit_plies),
            bits(stats.bits_per_position)
        )?;
        let limited = metric.is_under_limit();
        let mut columns = counts_table("to move", limited);
        for side in &stats.sides {
            columns.row(cells(side.side_to_move.to_owned(), &side.counts, limited));
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
    let limited = totals.iter().any(|total| total.metric.is_under_limit());
    let mut columns = counts_table("pieces", limited);
    for total in totals {
        columns.row(cells(total.pieces.to_string(), &total.counts, limited));
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
            metric_note(total.metric, total.limit_plies),
            bytes(total.bytes),
            bits(total.bits_per_position)
        )?;
    }
    Ok(())
}

fn bits(bits: Option<f64>) -> String {
    bits.map(|bits| format!(", {bits:.3} bits per position")).unwrap_or_default()
}

/// With `limited`, what a limit makes draws has columns of its own.
fn counts_table(first: &str, limited: bool) -> Columns {
    let right = |heading| (heading, Align::Right);
    let mut headings = vec![(first, Align::Left), right("positions"), right("won")];
    headings.extend(limited.then(|| right("cursed win")));
    headings.push(right("drawn"));
    headings.extend(limited.then(|| right("blessed loss")));
    headings.extend(["lost", "no move", "longest win", "longest loss"].map(right));
    Columns::new(&headings)
}

fn cells(first: String, counts: &Counts, limited: bool) -> Vec<String> {
    let longest = |plies: Option<u32>| plies.map_or_else(|| "-".to_owned(), |plies| grouped(plies.into()));
    let only = |count: Option<u64>| limited.then(|| count.map_or_else(|| "-".to_owned(), grouped));
    let mut cells = vec![first, grouped(counts.positions), grouped(counts.won)];
    cells.extend(only(counts.spoilt_wins));
    cells.push(grouped(counts.drawn));
    cells.extend(only(counts.saved_losses));
    cells.extend([counts.lost, counts.stalemates].map(grouped));
    cells.extend([longest(counts.longest_win_plies), longest(counts.longest_loss_plies)]);
    cells
}

fn print_longest(out: &mut dyn Write, what: &str, counts: &Counts) -> io::Result<()> {
    let win = ("longest win", counts.longest_win_plies, &counts.longest_win_position);
    let loss = ("longest loss", counts.longest_loss_plies, &counts.longest_loss_position);
    for (name, plies, position) in [win, loss] {
        if let (Some(plies), Some(position)) = (plies, position) {
            writeln!(out, "  {what}, {name}: {} in {position}", crate::number::plies(plies))?;
        }
    }
    Ok(())
}
