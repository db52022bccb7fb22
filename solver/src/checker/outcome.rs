//! What a check finds, added up over blocks and threads.

use dsq_tables::board::Side;
use dsq_tables::format::{ESCAPE, Longest, SideSummary};
use dsq_tables::tablebase::TablebaseError;
use dsq_tables::value::Value;

/// A wrong value, to be described later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wrong {
    pub(super) side: Side,
    pub(super) number: u64,
    pub(super) found: Value,
    pub(super) expected: Value,
}

/// What was found in one block, or in several.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub(super) positions: u64,
    pub(super) wrong: u64,
    pub(super) faults: Vec<Wrong>,
    pub(super) counts: [SideSummary; 2],
}

/// What all threads found.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) outcome: Outcome,
    pub(super) error: Option<(u64, TablebaseError)>,
}

impl Merged {
    pub(super) fn add(&mut self, other: Outcome, max_faults: usize) {
        let sum = &mut self.outcome;
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
pub(super) fn add_counts(sums: &mut [SideSummary; 2], others: [SideSummary; 2]) {
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
pub(super) fn lengthen(longest: &mut Option<Longest>, other: Option<Longest>) {
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
    pub(super) fn add_to(&self, outcome: &mut Outcome, side: Side) {
        outcome.positions += self.positions;
        let counts = &mut outcome.counts[side.index()];
        counts.stalemates += self.stalemates;
        for (byte, (&weight, &first)) in (0..ESCAPE).zip(self.weights.iter().zip(&self.firsts)) {
            if weight > 0 {
                count_value(counts, Value::from_code(byte.into()), first, weight);
            }
        }
    }
}

/// Counts so many positions with a value; the first has this number.
pub(super) fn count_value(counts: &mut SideSummary, value: Value, first: u64, weight: u64) {
    counts.positions += weight;
    match value {
        Value::Win(plies) => {
            counts.won += weight;
            lengthen(&mut counts.longest_win, Some(Longest { plies, position: first }));
        }
        Value::Draw => counts.drawn += weight,
        Value::Loss(plies) => {
            counts.lost += weight;
            lengthen(&mut counts.longest_loss, Some(Longest { plies, position: first }));
        }
    }
}
