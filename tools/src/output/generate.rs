//! The answers of `generate` for people.

use super::number::{bytes, count, duration, grouped, rate};
use super::records::{Estimate, Generated};
use std::io::{self, Write};

/// Prints what was done and what to try next.
pub fn print(out: &mut dyn Write, record: &Generated) -> io::Result<()> {
    let Generated { made, kept, positions, seconds, folder, .. } = record;
    let proved = if record.verified && *made > 0 { " and verified" } else { "" };
    writeln!(out, "{}: {} made{proved}, {} there before", folder, count(*made, "table"), grouped(*kept))?;
    if *made > 0 {
        let speed = rate(*positions, *seconds);
        let (size, time) = (bytes(record.bytes), duration(*seconds));
        writeln!(out, "{} in {size}, solved in {time}: {speed}", count(*positions, "position"))?;
    }
    match &record.next {
        Some(command) => writeln!(out, "try next: {command}"),
        None => Ok(()),
    }
}

/// Prints what a run would take.
pub fn print_estimate(out: &mut dyn Write, record: &Estimate) -> io::Result<()> {
    writeln!(out, "{} ({}), nothing is written now", record.folder, record.rules)?;
    writeln!(out, "  tables to make   {} ({} there already)", grouped(record.tables), grouped(record.present))?;
    writeln!(out, "  positions        {} (both sides to move)", grouped(record.positions))?;
    writeln!(out, "  stored           {}", grouped(record.stored_positions))?;
    writeln!(out, "  on disk          about {}", bytes(record.bytes))?;
    writeln!(out, "  memory           about {} at the peak", bytes(record.memory_bytes))?;
    writeln!(out, "  time             about {}", duration(record.seconds))?;
    match record.memory_limit_bytes {
        Some(limit) if limit < record.memory_bytes => {
            writeln!(out, "  This is more than the limit of memory, {}.", bytes(limit))
        }
        _ => Ok(()),
    }
}
