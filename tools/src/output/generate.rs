//! The answers of `generate` for people.

use super::records::{Estimate, Generated};
use crate::number::{bytes, count, duration, grouped, rate};
use std::io::{self, Write};

/// Prints what was done and what to try next.
pub fn print(out: &mut dyn Write, record: &Generated) -> io::Result<()> {
    let Generated { made, kept, positions, solve_seconds, folder, .. } = record;
    let proved = if record.verified && *made > 0 { " and verified" } else { "" };
    writeln!(out, "{}: {} made{proved}, {} already there", folder, count(*made, "table"), grouped(*kept))?;
    if *made > 0 {
        let (size, time) = (bytes(record.bytes), duration(*solve_seconds));
        writeln!(
            out,
            "{} (both sides to move, mirror images counted, each table once) in {size}",
            count(*positions, "position")
        )?;
        let proof =
            if record.verified { format!(", verified in {}", duration(record.verify_seconds)) } else { String::new() };
        writeln!(out, "solved in {time}: {}{proof}", rate(*positions, *solve_seconds))?;
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
    writeln!(
        out,
        "  positions        {} (both sides to move, mirror images counted, each table once)",
        grouped(record.positions)
    )?;
    writeln!(out, "  stored           {} (one of two mirror images)", grouped(record.stored_positions))?;
    writeln!(out, "  on disk          about {}", bytes(record.bytes))?;
    if record.work_bytes > 0 {
        writeln!(out, "  while working    about {} more on disk", bytes(record.work_bytes))?;
    }
    writeln!(out, "  memory           about {} at the peak", bytes(record.memory_bytes))?;
    if record.tables > 0 {
        writeln!(out, "  time             about {}, as fast as this machine is now", duration(record.seconds))?;
        if let Some(seconds) = record.verify_seconds {
            writeln!(out, "  to verify        about {} more", duration(seconds))?;
        }
    }
    let wanted = record.bytes.saturating_add(record.work_bytes);
    if let Some(free) = record.free_bytes.filter(|free| *free < wanted) {
        writeln!(out, "  This is more than is free on the disk, {}.", bytes(free))?;
    }
    match record.memory_limit_bytes {
        Some(limit) if limit < record.memory_bytes => {
            writeln!(out, "  This is more than the limit of memory, {}.", bytes(limit))
        }
        _ => Ok(()),
    }
}
