//! Counts values, for the summary of a table.

use super::codes::SideCodes;
use dsq_tables::format::{ESCAPE, Longest, SideSummary};
use dsq_tables::index::Index;
use dsq_tables::value::{Metric, Outcome};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Counts the values of one side to move, part by part.
#[derive(Clone, Debug)]
pub struct Counter {
    /// By code below the escape: how many positions, mirror images counted, and the first number.
    short: Vec<(u64, Option<u64>)>,
    /// The same for longer codes.
    long: BTreeMap<u32, (u64, u64)>,
    next: u64,
}

impl Default for Counter {
    fn default() -> Self {
        Counter { short: vec![(0, None); 256], long: BTreeMap::new(), next: 0 }
    }
}

impl Counter {
    /// Counts the values of the next numbers. All parts but the last hold whole squares of the first piece, or all numbers
    /// of one.
    pub fn add(&mut self, index: &Index, part: &SideCodes) {
        // All numbers with one square of the first piece weigh the same.
        let run = index.numbers_of_first_square().max(1);
        let start = self.next;
        let mut runs: Vec<(u64, &[u8])> = Vec::new();
        let mut rest = part.bytes();
        let mut first = start;
        while !rest.is_empty() {
            let (bytes, after) = rest.split_at(rest.len().min((run - first % run) as usize));
            runs.push((first, bytes));
            first += bytes.len() as u64;
            rest = after;
        }
        self.next = first;
        let count = |&(first, bytes): &(u64, &[u8])| {
            if index.is_dense() {
                let weight = index.weight_at(first);
                return histogram(bytes).map(|count| count * weight);
            }
            let mut counts = [0u64; 256];
            for (number, &byte) in (first..).zip(bytes) {
                counts[usize::from(byte)] += index.weight_at(number);
            }
            counts
        };
        let counted: Vec<[u64; 256]> = runs.par_iter().map(count).collect();
        // The first of a code is in the first run that has it.
        let new: Vec<(u8, u64, &[u8])> = (0..ESCAPE)
            .filter(|&code| self.short[usize::from(code)].1.is_none())
            .filter_map(|code| {
                let run = counted.iter().position(|counts| counts[usize::from(code)] > 0)?;
                Some((code, runs[run].0, runs[run].1))
            })
            .collect();
        let find = |&(code, first, bytes): &(u8, u64, &[u8])| {
            let here =
                |&(number, &byte): &(u64, &u8)| byte == code && (index.is_dense() || index.weight_at(number) > 0);
            let found = (first..).zip(bytes).find(here)?;
            Some((code, found.0))
        };
        for (code, number) in new.par_iter().filter_map(find).collect::<Vec<_>>() {
            self.short[usize::from(code)].1 = Some(number);
        }
        for counts in counted {
            self.short.iter_mut().zip(counts).for_each(|(sum, count)| sum.0 += count);
        }
        for &(number, code) in part.exceptions() {
            self.long.entry(code).or_insert((0, number)).0 += index.weight_at(number);
        }
    }

    /// What was counted, of a metric. `drawn_stalemates` positions are drawn because there is no legal move; those lost because of that
    /// are known by their code.
    #[must_use]
    pub fn summary(&self, metric: Metric, drawn_stalemates: u64) -> SideSummary {
        let stalemates = self.short[metric.lost_code() as usize].0 + drawn_stalemates;
        let mut summary = SideSummary { stalemates, ..SideSummary::default() };
        for (code, &(count, first)) in (0..u32::from(ESCAPE)).zip(&self.short) {
            add(&mut summary, metric, code, count, first.unwrap_or_default());
        }
        for (&code, &(count, first)) in &self.long {
            add(&mut summary, metric, code, count, first);
        }
        summary
    }
}

/// How often each byte occurs.
fn histogram(bytes: &[u8]) -> [u64; 256] {
    // Four counters for each byte, so that runs of the same byte do not wait for each other.
    let mut counters = [[0u32; 256]; 4];
    let mut counts = [0u64; 256];
    for part in bytes.chunks(1 << 30) {
        let mut quads = part.chunks_exact(4);
        for quad in &mut quads {
            for (counter, &byte) in counters.iter_mut().zip(quad) {
                counter[usize::from(byte)] += 1;
            }
        }
        quads.remainder().iter().for_each(|&byte| counters[0][usize::from(byte)] += 1);
        for counter in &mut counters {
            counts.iter_mut().zip(counter).for_each(|(count, found)| *count += u64::from(std::mem::take(found)));
        }
    }
    counts
}

/// Enters positions with a code of a metric, of which `number` is the first, into a summary.
fn add(summary: &mut SideSummary, metric: Metric, code: u32, count: u64, number: u64) {
    if count == 0 {
        return;
    }
    summary.positions += count;
    let score = metric.score(code);
    let (sum, longest) = match score.outcome {
        Outcome::Win => (&mut summary.won, Some(&mut summary.longest_win)),
        Outcome::SpoiltWin => (&mut summary.spoilt_wins, None),
        Outcome::Draw => (&mut summary.drawn, None),
        Outcome::SavedLoss => (&mut summary.saved_losses, None),
        Outcome::Loss => (&mut summary.lost, Some(&mut summary.longest_loss)),
    };
    *sum += count;
    if let (Some(longest), Some(plies)) = (longest, score.plies)
        && longest.is_none_or(|longest| longest.plies < plies)
    {
        *longest = Some(Longest { plies, position: number });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_every_byte() {
        let bytes: Vec<u8> = (0..1003u32).map(|n| (n * n % 251) as u8).collect();
        let counts = histogram(&bytes);
        for byte in 0..=255u8 {
            let expected = bytes.iter().filter(|&&other| other == byte).count() as u64;
            assert_eq!(counts[usize::from(byte)], expected);
        }
    }
}
