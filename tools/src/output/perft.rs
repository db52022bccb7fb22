//! The answer of `perft` for people.

use super::columns::{Align, Columns};
use super::records::{MoveNodes, Perft};
use std::io::{self, Write};

/// Prints the count, or the counts of all moves.
pub fn print(out: &mut dyn Write, record: &Perft) -> io::Result<()> {
    // Plain digits: these numbers are compared more often than read.
    let Some(divided) = &record.divide else { return writeln!(out, "{}", record.nodes) };
    let mut table = Columns::new(&[("move", Align::Left), ("nodes", Align::Right)]);
    for MoveNodes { text, nodes } in divided {
        table.row([text.clone(), nodes.to_string()]);
    }
    table.row(["total".to_owned(), record.nodes.to_string()]);
    table.print(out)
}
