//! The answers of `rules` for people.

use super::columns::{Align, Columns};
use super::records::{RuleSet, Setting};
use std::io::{self, Write};

/// Prints the names of rule sets and what they are.
pub fn print_list(out: &mut dyn Write, rule_sets: &[RuleSet]) -> io::Result<()> {
    let mut columns = Columns::new(&[("name", Align::Left), ("what it is", Align::Left)]);
    for rules in rule_sets {
        columns.row([rules.name.clone(), rules.title.clone()]);
    }
    columns.print(out)
}

/// Prints the settings.
pub fn print_settings(out: &mut dyn Write, settings: &[Setting]) -> io::Result<()> {
    let headings = ["key", "values", "default", "what it says (A and B: names of animals)"];
    let mut columns = Columns::new(&headings.map(|heading| (heading, Align::Left)));
    for setting in settings {
        columns.row([setting.key, &setting.values, setting.default, setting.help].map(str::to_owned));
    }
    columns.print(out)
}
