//! The answer of `verify` for people.

use super::number::{count, grouped};
use super::records::{CountFault, Fault, Verified};
use std::io::{self, Write};

/// How wide the names of tables are.
const NAME_WIDTH: usize = 9;

/// Prints a line for a table, and one for each of its first faults.
pub fn print(out: &mut dyn Write, record: &Verified) -> io::Result<()> {
    let Verified { class, positions, wrong, .. } = record;
    let result = match (&record.error, record.ok) {
        (Some(_), _) => "cannot be checked".to_owned(),
        (None, true) if record.check == "checksums" => "ok".to_owned(),
        (None, true) => format!("ok, {}", count(*positions, "position")),
        (None, false) => format!("WRONG, {} of {}", grouped(*wrong), count(*positions, "position")),
    };
    writeln!(out, "{class:<NAME_WIDTH$} {result}")?;
    for fault in &record.faults {
        let Fault { position, value, dtw_plies, expected_value, expected_dtw_plies, .. } = fault;
        let by = fault.decided_by.as_ref().map(|text| format!(" by {text}")).unwrap_or_default();
        let (found, right) = (in_plies(value, *dtw_plies), in_plies(expected_value, *expected_dtw_plies));
        writeln!(out, "  {position}: {found}, but it is a {right}{by}")?;
    }
    for CountFault { side_to_move, field, found, expected } in &record.count_faults {
        writeln!(out, "  stored counts, {side_to_move} to move: {field} is {found}, but the values give {expected}")?;
    }
    Ok(())
}

/// Prints what came of all tables.
pub fn print_end(out: &mut dyn Write, kind: &str, sound: u64, all: u64) -> io::Result<()> {
    let what = match kind {
        "checksums" => "right checksums",
        "sample" => "right in the sample",
        _ => "right",
    };
    writeln!(out, "{what}: {} of {}", grouped(sound), count(all, "table"))
}

fn in_plies(value: &str, plies: Option<u32>) -> String {
    match plies {
        Some(plies) => format!("{value} in {}", super::words::plies(plies)),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_with_their_distance() {
        assert_eq!(in_plies("win", Some(1)), "win in 1 ply");
        assert_eq!(in_plies("draw", None), "draw");
    }
}
