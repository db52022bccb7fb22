//! The answer of `probe` for people.

use super::columns::{Align, Columns};
use super::records::Probe;
use super::{board, words};
use crate::command_line::suggest;
use crate::number;
use dsq_tables::material::Material;
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use dsq_tables::quiet::{Dtc, Outcome};
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{self, LimitedMove, LineEnd};
use dsq_tables::value::{Value, Wdl};
use std::io::{self, Write};

/// How many moves of a line stand in one line of text.
const MOVES_IN_A_LINE: usize = 10;

/// What the tables know of a position and its moves.
pub enum Known {
    /// Values with their distances, or who has won.
    Distances(tablebase::Probe, Vec<(LegalMove, Value)>),
    /// The same with what a limit of plies without a capture makes of it, or with the distance to conversion; the moves without
    /// that if not all are known with it.
    Limited(Value, Limited, Vec<(LegalMove, Value)>),
    /// Only tables without distances are there, and perhaps who wins under a limit.
    Wdl(Wdl, Option<Outcome>, Vec<(LegalMove, Wdl)>),
}

/// What tables of distances to conversion know of a position.
pub struct Limited {
    /// The value with a halfmove clock of 0.
    pub dtc: Dtc,
    /// Who wins under the limit.
    pub outcome: Outcome,
    /// The moves, best first; none if a table that one of them leads to is not there.
    pub moves: Option<Vec<LimitedMove>>,
    /// The line of best play and how it ends, if it was asked for.
    pub line: Option<(Vec<Move>, LineEnd)>,
}

/// Prints board, value and moves.
pub fn print(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    known: &Known,
    record: &Probe,
    line: bool,
) -> io::Result<()> {
    board::print(out, rules, position)?;
    writeln!(out, "\n{}   ({})", record.position, record.rules)?;
    let blocked = record.moves.is_empty();
    let (value, outcomes): (String, Vec<String>) = match known {
        Known::Distances(tablebase::Probe::Finished(finished), _) => {
            return writeln!(out, "{}", words::finished(rules.board(), *finished));
        }
        Known::Distances(tablebase::Probe::Value(value), moves) => {
            let outcomes = moves.iter().map(|&(_, value)| words::outcome(value)).collect();
            (words::value(*value, position.turn(), blocked), outcomes)
        }
        Known::Limited(value, limited, moves) => {
            let outcomes = match &limited.moves {
                Some(moves) => moves.iter().map(|limited| words::outcome(limited.value)).collect(),
                None => moves.iter().map(|&(_, value)| words::outcome(value)).collect(),
            };
            (words::value(*value, position.turn(), blocked), outcomes)
        }
        Known::Wdl(value, _, moves) => {
            let outcomes = moves.iter().map(|&(_, value)| words::outcome_without_distance(value).to_owned()).collect();
            (words::value_without_distance(*value, position.turn(), blocked), outcomes)
        }
    };
    writeln!(out, "{value}")?;
    if !blocked {
        print_limit(out, rules, position, known, record)?;
    }
    if !blocked && matches!(known, Known::Wdl(..)) {
        writeln!(out, "(there are only win/draw/loss tables: distances are not known)")?;
    }
    if !blocked {
        writeln!(out)?;
        let mut headings = vec![("move", Align::Left), ("takes", Align::Left), ("and then", Align::Left)];
        let limited = if let Known::Limited(_, limited, _) = known { limited.moves.as_ref() } else { None };
        if limited.is_some() {
            headings.push(("to capture or end", Align::Right));
        }
        if record.limit.is_some() && limited.is_some() {
            headings.push(("under the limit", Align::Left));
        }
        let mut columns = Columns::new(&headings);
        for (index, (outcome, record)) in outcomes.into_iter().zip(&record.moves).enumerate() {
            let takes = record.capture.map(String::from).unwrap_or_default();
            let mut cells = vec![record.text.clone(), takes, outcome];
            if let Some(limited) = limited.and_then(|moves| moves.get(index)) {
                cells.push(limited.dtc_plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string()));
                cells.extend(record.limit_value.map(|_| words::outcome_under_limit(limited.outcome).to_owned()));
            }
            columns.row(cells);
        }
        columns.print(out)?;
    }
    if !record.line.is_empty() {
        let until = match known {
            Known::Distances(tablebase::Probe::Value(Value::Draw), _) => ", until a position repeats",
            Known::Limited(_, Limited { line: Some((_, LineEnd::Repetition)), .. }, _) => ", until a position repeats",
            Known::Limited(_, Limited { line: Some((_, LineEnd::Limit)), .. }, _) => {
                ", until the limit makes it a draw"
            }
            _ => "",
        };
        writeln!(out, "\nbest play{until}, each row with the number of its first ply:")?;
        for (row, moves) in record.line.chunks(MOVES_IN_A_LINE).enumerate() {
            writeln!(out, "{:>5}  {}", row * MOVES_IN_A_LINE + 1, moves.join(" "))?;
        }
    } else if line && !blocked && matches!(known, Known::Wdl(..)) {
        writeln!(out, "\nno line of best play: that takes tables with distances")?;
    }
    Ok(())
}

/// Prints what is known of the distance to conversion and of the limit of plies without a capture.
fn print_limit(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    known: &Known,
    record: &Probe,
) -> io::Result<()> {
    if let Known::Limited(_, limited, _) = known
        && let Some(plies) = limited.dtc.plies()
    {
        writeln!(out, "the next capture, or the end, in {}", number::plies(plies))?;
    }
    let Some(limit) = &record.limit else { return Ok(()) };
    let (played, plies) = (limit.quiet_plies, number::plies(limit.plies));
    let outcome = match known {
        Known::Limited(_, limited, _) => Some(limited.outcome),
        Known::Wdl(_, outcome, _) => *outcome,
        Known::Distances(..) => None,
    };
    let words = match outcome {
        Some(_) if played >= limit.plies => "the game is a draw, the limit is reached".to_owned(),
        Some(outcome) => words::under_limit(outcome, position.turn()),
        None => {
            let material = Material::of(position).to_text(rules);
            let command = suggest("generate", &[&material, "--metric", "dtc"]);
            format!("not known; `{command}` makes the tables for it")
        }
    };
    writeln!(out, "with a draw after {plies} without a capture ({played} played): {words}")?;
    let partly = matches!(known, Known::Limited(_, Limited { moves: None, .. }, _));
    if partly {
        writeln!(out, "(a table that a move leads to is missing: moves and line ignore the limit)")?;
    }
    Ok(())
}

/// Prints position, value, plies and best move in one line, and who wins under the limit if the rule set has one.
pub fn print_short(out: &mut dyn Write, rules: &Rules, record: &Probe) -> io::Result<()> {
    let plies = record.dtw_plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string());
    let best = record.moves.first().map_or("-", |best| &best.text);
    write!(out, "{}\t{}\t{plies}\t{best}", record.position, record.value)?;
    if rules.quiet_limit().is_some() {
        let finished = record.limit.is_none().then_some("finished");
        let value = finished.or(record.limit.as_ref().and_then(|limit| limit.value)).unwrap_or("unknown");
        write!(out, "\t{value}")?;
    }
    writeln!(out)
}

/// Prints the line of a position without an answer, so that every line that is asked has one.
pub fn print_unknown(out: &mut dyn Write, rules: &Rules, fen: &str) -> io::Result<()> {
    // What was no position can hold anything.
    write!(out, "{}\tunknown\t-\t-", fen.replace('\t', " "))?;
    if rules.quiet_limit().is_some() {
        write!(out, "\tunknown")?;
    }
    writeln!(out)
}
