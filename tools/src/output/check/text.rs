//! What the reports of `check` share as text.

use super::{HEADINGS, cells, consequence, remarks};
use crate::judge::finding::Finding;
use crate::judge::illegal::Why;
use crate::judge::tally::{Counts, Tally};
use crate::output::board;
use crate::output::columns::{Align, Columns};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Write};

/// The causes of illegal moves that have been reported, each with the place of the first.
#[derive(Default)]
pub struct Causes(BTreeMap<(Why, Vec<String>), String>);

impl Causes {
    /// Where a move was reported that is illegal for the same reason; none if there was none.
    fn reported(&mut self, finding: &Finding) -> Option<String> {
        let illegal = finding.verdict.illegal.as_ref()?;
        match self.0.entry((illegal.why, illegal.settings.clone())) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(none) => {
                none.insert(finding.place.clone());
                None
            }
        }
    }
}

/// Prints moves that are worth reporting after an empty line, those with a board apart from the others.
pub fn print_findings(out: &mut dyn Write, findings: &[&Finding], causes: &mut Causes) -> io::Result<()> {
    let mut apart = true;
    for finding in findings {
        let reported = causes.reported(finding);
        let has_board = finding.verdict.kind.is_fault() && reported.is_none();
        if has_board || apart {
            writeln!(out)?;
        }
        apart = has_board;
        print_one(out, finding, reported)?;
    }
    Ok(())
}

/// Prints a move that is worth telling about: a fault with the board, anything else in few lines. So is a move that is illegal for
/// the same reason as one before it.
pub fn print_finding(out: &mut dyn Write, finding: &Finding, causes: &mut Causes) -> io::Result<()> {
    let reported = causes.reported(finding);
    print_one(out, finding, reported)
}

fn print_one(out: &mut dyn Write, finding: &Finding, reported: Option<String>) -> io::Result<()> {
    let rules = &finding.rules;
    let text = finding.squares.to_text(rules.board());
    let written = finding.written.as_ref().map(|written| format!(" (written {written})")).unwrap_or_default();
    let (place, player) = (&finding.place, &finding.player);
    let consequence = consequence(finding);
    if let Some(first) = reported {
        writeln!(out, "{place}, {player}: {text}{written} {consequence} (as in {first})")?;
        return writeln!(out, "  {}", finding.position.to_fen(rules));
    }
    writeln!(out, "{place}, {player}: {text}{written} {consequence}")?;
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
