//! What a check finds, added up over blocks and threads.

use super::report::SummaryFault;
use dsq_tables::board::Side;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{ESCAPE, Longest, SideSummary};
use dsq_tables::value::{Outcome, TableValue};

/// A wrong value, to be described later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wrong<V> {
    pub(super) side: Side,
    pub(super) number: u64,
    pub(super) found: V,
    pub(super) expected: V,
}

/// What was found in one block, or in several.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Found<V> {
    pub(super) positions: u64,
    pub(super) wrong: u64,
    pub(super) faults: Vec<Wrong<V>>,
    pub(super) counts: [SideSummary; 2],
}

impl<V> Default for Found<V> {
    fn default() -> Self {
        Found { positions: 0, wrong: 0, faults: Vec::new(), counts: Default::default() }
    }
}

/// A position as a check looks at it.
#[derive(Clone, Copy)]
pub(super) struct Checked<V> {
    pub(super) side: Side,
    pub(super) number: u64,
    /// How many positions of the full board it stands for.
    pub(super) weight: u64,
    /// The value in the table.
    pub(super) found: V,
}

impl<V: TableValue> Found<V> {
    /// Enters a position with the value it should have, and whether it has no legal move.
    pub(super) fn enter(&mut self, position: Checked<V>, (expected, no_move): (V, bool), max_faults: usize) {
        let Checked { side, number, weight, found } = position;
        self.positions += 1;
        if found != expected {
            self.wrong += 1;
            if self.faults.len() < max_faults {
                self.faults.push(Wrong { side, number, found, expected });
            }
        }
        let counts = &mut self.counts[side.index()];
        counts.stalemates += if no_move { weight } else { 0 };
        count_value(counts, found, number, weight);
    }
}

/// What all threads found.
pub(super) struct Merged<V> {
    pub(super) found: Found<V>,
    /// The first error in the order of the table, with its block.
    pub(super) error: Option<(u64, TablebaseError)>,
}

impl<V> Default for Merged<V> {
    fn default() -> Self {
        Merged { found: Found::default(), error: None }
    }
}

impl<V> Merged<V> {
    pub(super) fn add(&mut self, other: Found<V>, max_faults: usize) {
        let sum = &mut self.found;
        sum.positions += other.positions;
        sum.wrong += other.wrong;
        sum.faults.extend(other.faults);
        sum.faults.sort_by_key(|wrong| (wrong.side, wrong.number));
        sum.faults.truncate(max_faults);
        add_counts(&mut sum.counts, other.counts);
    }

    pub(super) fn fail(&mut self, block: u64, error: TablebaseError) {
        if self.error.as_ref().is_none_or(|&(first, _)| block < first) {
            self.error = Some((block, error));
        }
    }
}

/// Adds what was counted elsewhere, by side to move.
fn add_counts(sums: &mut [SideSummary; 2], others: [SideSummary; 2]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        sum.positions += other.positions;
        sum.won += other.won;
        sum.drawn += other.drawn;
        sum.lost += other.lost;
        sum.spoilt_wins += other.spoilt_wins;
        sum.saved_losses += other.saved_losses;
        sum.stalemates += other.stalemates;
        lengthen(&mut sum.longest_win, other.longest_win);
        lengthen(&mut sum.longest_loss, other.longest_loss);
    }
}

/// Keeps the longer line; of equally long ones that of the smaller number, in whatever order they come.
fn lengthen(longest: &mut Option<Longest>, other: Option<Longest>) {
    let key = |longest: &Longest| (longest.plies, std::cmp::Reverse(longest.position));
    if other.as_ref().map(key) > longest.as_ref().map(key) {
        *longest = other;
    }
}

/// Counts positions by their byte, which is faster than by their value.
pub(super) struct Tally {
    /// Mirror images counted.
    weights: [u64; 256],
    /// The first number with each byte.
    firsts: [u64; 256],
    positions: u64,
    stalemates: u64,
}

impl Tally {
    /// Nothing counted yet.
    pub(super) fn new() -> Tally {
        Tally { weights: [0; 256], firsts: [0; 256], positions: 0, stalemates: 0 }
    }

    /// Counts a position. Numbers come ascending.
    #[inline]
    pub(super) fn count(&mut self, byte: u8, number: u64, weight: u64, immobile: bool) {
        let byte = usize::from(byte);
        if self.weights[byte] == 0 {
            self.firsts[byte] = number;
        }
        self.weights[byte] += weight;
        self.positions += 1;
        self.stalemates += if immobile { weight } else { 0 };
    }

    /// Adds what was counted for a side to move; there was no [`ESCAPE`].
    pub(super) fn add_to<V: TableValue>(&self, found: &mut Found<V>, side: Side) {
        found.positions += self.positions;
        let counts = &mut found.counts[side.index()];
        counts.stalemates += self.stalemates;
        for (byte, (&weight, &first)) in (0..ESCAPE).zip(self.weights.iter().zip(&self.firsts)) {
            if weight > 0 {
                count_value(counts, V::from_code(byte.into()), first, weight);
            }
        }
    }
}

/// Counts so many positions with a value; the first has this number.
fn count_value<V: TableValue>(counts: &mut SideSummary, value: V, first: u64, weight: u64) {
    counts.positions += weight;
    let score = value.score();
    let longest = score.plies.map(|plies| Longest { plies, position: first });
    match score.outcome {
        Outcome::Win => {
            counts.won += weight;
            lengthen(&mut counts.longest_win, longest);
        }
        Outcome::SpoiltWin => counts.spoilt_wins += weight,
        Outcome::Draw => counts.drawn += weight,
        Outcome::SavedLoss => counts.saved_losses += weight,
        Outcome::Loss => {
            counts.lost += weight;
            lengthen(&mut counts.longest_loss, longest);
        }
    }
}

/// Where the counts in a table with one side to move differ from those of its values.
pub(super) fn compare_counts<V: TableValue>(
    side: Side,
    stored: &SideSummary,
    counted: &SideSummary,
) -> Vec<SummaryFault> {
    let limited = V::METRIC.is_under_limit();
    let figures = [
        ("positions", stored.positions, counted.positions, true),
        ("won", stored.won, counted.won, true),
        ("spoilt wins", stored.spoilt_wins, counted.spoilt_wins, limited),
        ("drawn", stored.drawn, counted.drawn, true),
        ("saved losses", stored.saved_losses, counted.saved_losses, limited),
        ("lost", stored.lost, counted.lost, true),
        ("stalemates", stored.stalemates, counted.stalemates, true),
    ];
    let fault = |(field, found, expected, applies): (&'static str, u64, u64, bool)| {
        let fault = SummaryFault { side, field, found: found.to_string(), expected: expected.to_string() };
        (applies && found != expected).then_some(fault)
    };
    figures.into_iter().filter_map(fault).collect()
}
