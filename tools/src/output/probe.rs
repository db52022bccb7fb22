//! The answer of `probe` for people.

use super::columns::{Align, Columns};
use super::records::{self, Probe, UNKNOWN};
use super::{board, words};
use crate::answer::Answer;
use crate::command_line::suggest;
use crate::error::words_of;
use crate::number::plies;
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{LineEnd, MoveValue};
use std::io::{self, Write};

/// How many moves of a line stand in one line of text.
const MOVES_IN_A_LINE: usize = 10;

/// Prints board, value and moves; `line` says whether the line of best play was asked for.
pub fn print(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    answer: &Answer,
    record: &Probe,
    line: bool,
) -> io::Result<()> {
    board::print(out, rules, position)?;
    writeln!(out, "\n{}   ({})", record.position, record.rules)?;
    if let Some(finished) = answer.analysis.finished {
        return writeln!(out, "{}", words::finished(rules.board(), finished));
    }
    let blocked = record.moves.is_empty();
    let value = match answer.dtw() {
        Some(value) => words::value(value, position.turn(), blocked),
        None => words::value_without_distance(answer.analysis.outcome.without_limit(), position.turn(), blocked),
    };
    writeln!(out, "{value}")?;
    if !blocked {
        print_limit(out, rules, position, answer, record)?;
        if !answer.has_distances() {
            writeln!(out, "(there are only win/draw/loss tables: distances are not known)")?;
        }
        writeln!(out)?;
        print_moves(out, answer, record)?;
    }
    print_line(out, answer, record, line && !blocked)
}

/// Prints a table of the moves, and which tables are missing for those that are not known.
fn print_moves(out: &mut dyn Write, answer: &Answer, record: &Probe) -> io::Result<()> {
    let under_limit = answer.holds_under_limit();
    let mut headings = vec![("move", Align::Left), ("takes", Align::Left), ("and then", Align::Left)];
    if under_limit {
        headings.push(("to capture or end", Align::Right));
        headings.extend(record.limit.as_ref().map(|_| ("under the limit", Align::Left)));
    }
    let mut columns = Columns::new(&headings);
    let mut missing: Vec<String> = Vec::new();
    for (analysed, record) in answer.analysis.moves.iter().zip(&record.moves) {
        let takes = record.capture.map(String::from).unwrap_or_default();
        let mut cells = vec![record.text.clone(), takes];
        match &analysed.value {
            Ok(value) => cells.extend(cells_of(answer, value, record)),
            Err(error) => {
                cells.push(UNKNOWN.to_owned());
                cells.extend(under_limit.then(|| "-".to_owned()));
                let words = words_of(error);
                if !missing.contains(&words) {
                    missing.push(words);
                }
            }
        }
        cells.resize(headings.len(), String::new());
        columns.row(cells);
    }
    columns.print(out)?;
    missing.iter().try_for_each(|words| writeln!(out, "({UNKNOWN}: {words})"))
}

/// What is said of a move that is known.
fn cells_of(answer: &Answer, value: &MoveValue, record: &records::MoveValue) -> Vec<String> {
    let mut cells = vec![match value.dtw.filter(|_| answer.has_distances()) {
        Some(value) => words::outcome(value),
        None => words::outcome_without_distance(value.outcome.without_limit()).to_owned(),
    }];
    cells.extend(record.dtc_plies.map(|plies| plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string())));
    cells.extend(record.limit_value.map(|_| words::outcome_under_limit(value.outcome).to_owned()));
    cells
}

/// Prints the line of best play, or why there is none though it was asked for.
fn print_line(out: &mut dyn Write, answer: &Answer, record: &Probe, asked: bool) -> io::Result<()> {
    let line = match &answer.line {
        Some(Ok(line)) => line,
        Some(Err(error)) if asked => return writeln!(out, "\nno line of best play: {}", words_of(error)),
        None if asked => return writeln!(out, "\nno line of best play: that takes tables with distances"),
        Some(Err(_)) | None => return Ok(()),
    };
    if line.moves.is_empty() {
        return Ok(());
    }
    let until = match line.end {
        LineEnd::Over => "",
        LineEnd::Limit => ", until the limit makes it a draw",
        LineEnd::Repetition => ", until a position repeats",
    };
    writeln!(out, "\nbest play{until}, each row with the number of its first ply:")?;
    for (row, moves) in record.line.chunks(MOVES_IN_A_LINE).enumerate() {
        writeln!(out, "{:>5}  {}", row * MOVES_IN_A_LINE + 1, moves.join(" "))?;
    }
    Ok(())
}

/// Prints what is known of the distance to conversion and of the limit of plies without a capture.
fn print_limit(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    answer: &Answer,
    record: &Probe,
) -> io::Result<()> {
    if let Some(Some(count)) = record.dtc_plies {
        writeln!(out, "the next capture, or the end, in {}", plies(count))?;
    }
    let Some(limit) = &record.limit else { return Ok(()) };
    let words = match answer.outcome_under_limit() {
        Some(_) if limit.reached => "the game is a draw, the limit is reached".to_owned(),
        Some(outcome) => words::under_limit(outcome, position.turn()),
        None => {
            let material = Material::of(position).to_text(rules);
            let command = suggest("generate", &[&material, "--metric", "dtc"]);
            format!("not known; `{command}` makes the tables for it")
        }
    };
    let (after, played) = (plies(limit.plies), limit.quiet_plies);
    writeln!(out, "with a draw after {after} without a capture ({played} played): {words}")?;
    if answer.has_distances() && answer.dtc().is_some() && !answer.holds_under_limit() {
        writeln!(out, "(a table that a move leads to is missing: moves and line ignore the limit)")?;
    }
    Ok(())
}

/// Prints position, value, plies and best move in one line, and who wins under the limit if the rule set has one.
pub fn print_short(out: &mut dyn Write, rules: &Rules, answer: &Answer, record: &Probe) -> io::Result<()> {
    let plies = record.dtw_plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string());
    let best = answer.best().map_or_else(|| "-".to_owned(), |best| best.squares.to_text(rules.board()));
    write!(out, "{}\t{}\t{plies}\t{best}", record.position, record.value)?;
    if rules.quiet_limit().is_some() {
        let finished = record.limit.is_none().then_some("finished");
        let value = finished.or(record.limit.as_ref().and_then(|limit| limit.value)).unwrap_or(UNKNOWN);
        write!(out, "\t{value}")?;
    }
    writeln!(out)
}

/// Prints the line of a position without an answer, so that every line that is asked has one.
pub fn print_unknown(out: &mut dyn Write, rules: &Rules, fen: &str) -> io::Result<()> {
    // What was no position can hold anything.
    write!(out, "{}\t{UNKNOWN}\t-\t-", fen.replace('\t', " "))?;
    if rules.quiet_limit().is_some() {
        write!(out, "\t{UNKNOWN}")?;
    }
    writeln!(out)
}
