//! The report of `check rules`.

use crate::command_line::quoted;
use crate::judge::ruling::Conclusion;
use crate::number::{count, whole};
use crate::output::columns::{Align, Columns};
use crate::output::records::Ruling;
use std::io::{self, Write};

/// Prints what was found out about the rules of an engine.
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
            match () {
                () if answer.answer == "unknown" => "any value".to_owned(),
                () if values.is_empty() => "no value".to_owned(),
                () => values.join(" "),
            },
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
    print_conclusion(out, ruling)?;
    print_trouble(out, ruling)?;
    writeln!(out)
}

/// Prints what went wrong.
fn print_trouble(out: &mut dyn Write, ruling: &Ruling) -> io::Result<()> {
    let failed: u64 = ruling.failures.values().sum();
    if failed > 0 {
        let kinds: Vec<String> = ruling.failures.iter().map(|(kind, times)| format!("{kind} {times}")).collect();
        let all = count(whole(ruling.answers.len()), "question");
        writeln!(out, "{failed} of {all} failed: {}", kinds.join(", "))?;
    }
    if ruling.impossible_moves > 0 {
        let moves = count(ruling.impossible_moves, "move");
        writeln!(out, "it named {moves} that are legal under no rules: {}", ruling.hints.join("; "))?;
    }
    Ok(())
}

/// Prints what follows from the answers, and how sure that is.
fn print_conclusion(out: &mut dyn Write, ruling: &Ruling) -> io::Result<()> {
    if ruling.conclusion == Conclusion::Nothing.name() {
        return writeln!(out, "nothing was found out about its rules: all rule sets and all values of settings fit");
    }
    let likely = match ruling.conclusion {
        it if it == Conclusion::Likely.name() => "likely: ",
        it if it == Conclusion::Unclear.name() => "unclear: ",
        _ => "",
    };
    let fitting = match ruling.rule_sets.as_slice() {
        [] => "no rule set that comes with the program fits".to_owned(),
        [only] => format!("rule set {only} fits"),
        several => format!("these rule sets fit: {}", several.join(", ")),
    };
    writeln!(out, "{likely}{fitting}")?;
    let nearest = &ruling.nearest;
    if ruling.rule_sets.is_empty() {
        let set = nearest.set.iter().map(|set| format!(" --set {}", quoted(set)));
        let options = format!("--rules {}{}", nearest.rules, set.collect::<String>());
        let (unexplained, answers) = (whole(nearest.unexplained_answers), count(whole(ruling.given), "answer"));
        match nearest.unexplained_answers {
            0 => writeln!(out, "{likely}this explains all answers: {options}")?,
            _ => writeln!(out, "this comes nearest, and does not explain {unexplained} of {answers}: {options}")?,
        }
    }
    if nearest.explains_counts == Some(false) {
        writeln!(out, "the counts differ: something is different that the questions do not ask about")?;
    }
    if !ruling.rules_fit {
        writeln!(out, "{likely}rule set {}, which was asked about, does not fit", ruling.rules)?;
    }
    if ruling.conclusion == Conclusion::Unclear.name() {
        writeln!(
            out,
            "unclear, because no rules that were tried explain all its answers: there is another rule, or it reads positions differently \
             (letters, case, sides, squares)"
        )?;
    }
    if ruling.conclusion == Conclusion::Likely.name() {
        writeln!(
            out,
            "likely, because answers depend on how well it plays; a list or counts of moves would be certain"
        )?;
    }
    if !ruling.undecided.is_empty() {
        writeln!(out, "undecided, as all values fit: {}", ruling.undecided.join(", "))?;
    }
    Ok(())
}
