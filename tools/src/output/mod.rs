//! How results are printed: records for JSON, text for people.

pub mod board;
pub mod check;
pub mod columns;
pub mod generate;
pub mod list;
pub mod moves;
pub mod perft;
pub mod probe;
pub mod records;
pub mod rules;
pub mod stats;
pub mod verify;
pub mod words;

use serde::Serialize;
use std::io::{self, Write};

/// Prints a record as one line of JSON.
pub fn json(out: &mut dyn Write, record: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}
