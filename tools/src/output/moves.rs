//! The answer of `moves` for people.

use super::records::{Move, Moves};
use super::words;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::io::{self, Write};

/// Prints the moves, one a line, or why there is none.
pub fn print(out: &mut dyn Write, rules: &Rules, position: &Position, record: &Moves) -> io::Result<()> {
    if let Some(finished) = position.finished(rules) {
        return writeln!(out, "{}", words::finished(rules.board(), finished));
    }
    if record.moves.is_empty() {
        return writeln!(out, "{} has no legal move", words::side(position.turn()));
    }
    for Move { text, capture } in &record.moves {
        match capture {
            Some(animal) => writeln!(out, "{text} takes {animal}")?,
            None => writeln!(out, "{text}")?,
        }
    }
    Ok(())
}
