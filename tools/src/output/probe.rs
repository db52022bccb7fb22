//! The answer of `probe` for people.

use super::columns::{Align, Columns};
use super::records::Probe;
use super::{board, words};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase;
use dsq_tables::value::Value;
use std::io::{self, Write};

/// How many moves of a line stand in one line of text.
const MOVES_IN_A_LINE: usize = 10;

/// Prints board, value and moves.
pub fn print(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    probe: tablebase::Probe,
    moves: &[(LegalMove, Value)],
    record: &Probe,
    line: bool,
) -> io::Result<()> {
    board::print(out, rules, position)?;
    writeln!(out, "\n{}   ({})", record.position, record.rules)?;
    match probe {
        tablebase::Probe::Finished(finished) => {
            return writeln!(out, "{}", words::finished(rules.board(), finished));
        }
        tablebase::Probe::Value(value) => writeln!(out, "{}", words::value(value, position.turn(), moves.is_empty()))?,
    }
    if !moves.is_empty() {
        writeln!(out)?;
        let mut columns = Columns::new(&[("move", Align::Left), ("takes", Align::Left), ("and then", Align::Left)]);
        for (&(_, value), record) in moves.iter().zip(&record.moves) {
            let takes = record.capture.map(String::from).unwrap_or_default();
            columns.row([record.text.clone(), takes, words::outcome(value)]);
        }
        columns.print(out)?;
    }
    if !record.line.is_empty() {
        writeln!(out, "\nbest play, each row with the number of its first ply:")?;
        for (row, moves) in record.line.chunks(MOVES_IN_A_LINE).enumerate() {
            writeln!(out, "{:>5}  {}", row * MOVES_IN_A_LINE + 1, moves.join(" "))?;
        }
    } else if line && probe == tablebase::Probe::Value(Value::Draw) {
        writeln!(out, "\nno line of best play: a draw has no end to play to")?;
    }
    Ok(())
}

/// Prints position, value, plies and best move in one line.
pub fn print_short(out: &mut dyn Write, record: &Probe) -> io::Result<()> {
    let plies = record.dtw_plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string());
    let best = record.moves.first().map_or("-", |best| &best.text);
    writeln!(out, "{}\t{}\t{plies}\t{best}", record.position, record.value)
}

/// Prints the line of a position without an answer, so that every line that is asked has one.
pub fn print_unknown(out: &mut dyn Write, fen: &str) -> io::Result<()> {
    // What was no position can hold anything.
    writeln!(out, "{}\tunknown\t-\t-", fen.replace('\t', " "))
}
