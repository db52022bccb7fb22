//! What the values of all tables have in common.

use super::outcome::{Outcome, Score};
use std::fmt::Debug;
use std::hash::Hash;

/// How a table holds the codes of its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Packing {
    /// A byte for each position; codes from 255 on stand apart.
    Bytes,
    /// Two bits for each position; codes are at most 2.
    TwoBits,
}

/// The facts about a metric on which files, names and callers depend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Descriptor {
    /// The number in the header of a file.
    pub code: u8,
    /// The short name, which file names have in them: `dtw`.
    pub name: &'static str,
    /// What the distances count, in a few words: `plies to the end`.
    pub counts: &'static str,
    /// What a table holds, as a heading: `distances to the end`.
    pub heading: &'static str,
    /// What a table holds, as a sentence without its full stop.
    pub description: &'static str,
    /// About how many bits a stored position takes in a table of 2, 3, 4, 5, 6 pieces: measured under the rules of the
    /// published study with the default encoding, the last one assumed.
    pub bits_per_position: [f64; 5],
    /// How a table holds the codes.
    pub packing: Packing,
    /// Whether wins and losses have distances.
    pub has_distances: bool,
    /// Whether values depend on the limit of plies without a capture. Then the limit stands in the header, in the name of
    /// the file and in the fingerprint, and the summary counts cursed wins and blessed losses.
    pub under_limit: bool,
}

/// A value for the side to move as tables of one metric hold it: with a code, and backed up from the positions after each
/// move. Better values are greater.
pub trait Coded: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// The facts about the metric.
    const DESCRIPTOR: Descriptor;
    /// The side to move has lost: the game is over.
    const LOST: Self;
    /// The side to move has won: the game is over.
    const WON: Self;
    /// Neither side can force a win.
    const DRAW: Self;

    /// The value of a code in a table of this metric.
    #[must_use]
    fn from_code(code: u32) -> Self;

    /// The code in a table.
    #[must_use]
    fn code(self) -> u32;

    /// The value of a move that leads to a position with this value (for the other side), for the side that makes it, counted
    /// from the position before the move with a halfmove clock of 0. `converts` says that the move is a
    /// capture or ends the game, `limit` is the limit of plies without a capture, if there is one.
    #[must_use]
    fn back_up(self, converts: bool, limit: Option<u32>) -> Self;

    /// Who wins with a halfmove clock of 0, and the distance in plies, if the value has one.
    #[must_use]
    fn score(self) -> Score;

    /// The distance in plies, if the value has one.
    #[must_use]
    fn distance(self) -> Option<u32> {
        self.score().plies
    }

    /// Who wins with a halfmove clock of 0.
    #[must_use]
    fn who_wins(self) -> Outcome {
        self.score().outcome
    }
}
