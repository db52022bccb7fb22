//! The report of `check rules`.

use crate::command_line::quoted;
use crate::output::columns::{Align, Columns};
use crate::output::records::Ruling;
use std::io::{self, Write};

/// Prints what an engine has told about its rules.
pub fn print(out: &mut dyn Write, ruling: &Ruling) -> io::Result<()> {
    let name = ruling.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    writeln!(out, "{}{name}, asked {}\n", ruling.engine, ruling.asked)?;
    let headings =
        [("setting", Align::Left), ("position", Align::Left), ("move", Align::Left), ("answer", Align::Left)];
    let headings = headings.into_iter().chain([("the engine", Align::Left), ("fits", Align::Left)]);
    let mut columns = Columns::new(&headings.collect::<Vec<_>>());
    for answer in &ruling.answers {
        let sign = if answer.answer != "unknown" && !answer.sure { ", likely" } else { "" };
        let values: Vec<String> = answer.values.iter().map(|value| quoted(value)).collect();
        columns.row([
            answer.setting.to_owned(),
            answer.position.to_owned(),
            answer.text.clone(),
            format!("{}{sign}", answer.answer),
            answer.said.clone(),
            if values.is_empty() { "none of ours".to_owned() } else { values.join(" ") },
        ]);
    }
    columns.print(out)?;
    writeln!(out)?;
    if !ruling.counts.is_empty() {
        let headings =
            [("position", Align::Left), ("plies", Align::Right), ("counted", Align::Right), ("expected", Align::Right)];
        let mut columns = Columns::new(&headings.into_iter().chain([("", Align::Left)]).collect::<Vec<_>>());
        for count in &ruling.counts {
            let sign = if count.nodes == count.expected_nodes { "" } else { "differs" };
            columns.row([
                count.position.to_owned(),
                count.depth.to_string(),
                count.nodes.to_string(),
                count.expected_nodes.to_string(),
                sign.to_owned(),
            ]);
        }
        columns.print(out)?;
        writeln!(out)?;
    }
    let fitting = match ruling.rule_sets.as_slice() {
        [] => "no rule set that comes with the program fits".to_owned(),
        [only] => format!("rule set {only} fits"),
        several => format!("these rule sets fit: {}", several.join(", ")),
    };
    writeln!(out, "{fitting}")?;
    let nearest = &ruling.nearest;
    if ruling.rule_sets.is_empty() {
        let set = nearest.set.iter().map(|set| format!(" --set {}", quoted(set)));
        let options = format!("--rules {}{}", nearest.rules, set.collect::<String>());
        let how = if nearest.explains_answers { "this explains all answers" } else { "this comes nearest" };
        writeln!(out, "{how}: {options}")?;
    }
    if nearest.explains_counts == Some(false) {
        writeln!(out, "the counts differ: something is different that the questions do not ask about")?;
    }
    if !ruling.rules_fit {
        writeln!(out, "rule set {}, which was asked about, does not fit", ruling.rules)?;
    }
    writeln!(out)
}
