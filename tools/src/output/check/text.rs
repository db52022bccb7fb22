//! What the reports of `check` share as text.

use super::{HEADINGS, cells, deed, remarks};
use crate::judge::Finding;
use crate::judge::tally::{Counts, Tally};
use crate::output::board;
use crate::output::columns::{Align, Columns};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Prints moves that are worth telling about behind an empty line, those with a board apart from the others.
pub fn print_findings(out: &mut dyn Write, findings: &[&Finding]) -> io::Result<()> {
    let mut apart = true;
    for finding in findings {
        let has_board = finding.verdict.kind.is_fault();
        if has_board || apart {
            writeln!(out)?;
        }
        apart = has_board;
        print_finding(out, finding)?;
    }
    Ok(())
}

/// Prints a move that is worth telling about: a fault with the board, anything else in few lines.
pub fn print_finding(out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
    let rules = &finding.rules;
    let text = finding.squares.to_text(rules.board());
    let written = finding.written.as_ref().map(|written| format!(" (written {written})")).unwrap_or_default();
    let (place, player) = (&finding.place, &finding.player);
    writeln!(out, "{place}, {player}: {text}{written} {}", deed(finding))?;
    if finding.verdict.kind.is_fault() {
        writeln!(out)?;
        board::print(out, rules, &finding.position)?;
        writeln!(out, "\n  {}", finding.position.to_fen(rules))?;
    }
    for remark in remarks(finding) {
        writeln!(out, "  {remark}")?;
    }
    Ok(())
}

/// Prints the tables of counts.
pub fn print_tally(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let all = BTreeMap::from([("all moves".to_owned(), tally.all.clone())]);
    for (heading, counts) in
        [("", &all), ("by player", &tally.players), ("by material (own - other side's)", &tally.materials)]
    {
        if counts.is_empty() {
            continue;
        }
        if !heading.is_empty() {
            writeln!(out, "\n{heading}:")?;
        }
        print_counts(out, counts)?;
    }
    Ok(())
}

fn print_counts(out: &mut dyn Write, counts: &BTreeMap<String, Counts>) -> io::Result<()> {
    let headings = HEADINGS.iter().map(|&heading| (heading, Align::Right));
    let mut columns = Columns::new(&std::iter::once(("", Align::Left)).chain(headings).collect::<Vec<_>>());
    for (name, counts) in counts {
        columns.row(std::iter::once(name.clone()).chain(cells(counts)));
    }
    columns.print(out)
}
