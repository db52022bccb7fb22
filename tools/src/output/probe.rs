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
const MOVES_IN_A_LINE: usize = 12;

/// Prints board, value and moves.
pub fn print(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    probe: tablebase::Probe,
    moves: &[(LegalMove, Value)],
    record: &Probe,
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
        writeln!(out, "\nbest play:")?;
        for moves in record.line.chunks(MOVES_IN_A_LINE) {
            writeln!(out, "  {}", moves.join(" "))?;
        }
    }
    Ok(())
}
