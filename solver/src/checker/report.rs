//! What a check found.

use dsq_tables::board::Side;
use dsq_tables::format::Summary;
use dsq_tables::value::{Score, TableValue};

/// What a check of a table with these values found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report<V> {
    /// What the values were compared with.
    pub against: Against,
    /// How many positions were checked; of two mirror images that share a number only one is.
    pub positions: u64,
    /// How many of them have a wrong value.
    pub wrong: u64,
    /// The first wrong values in the order of the table, at most [`CheckOptions::max_faults`](super::CheckOptions).
    pub faults: Vec<Fault<V>>,
    /// The counts of the whole table by its values, mirror images counted; none after a sample or an early end. Compared with
    /// distances, positions without a move are those that the table of distances counts.
    pub summary: Option<Summary>,
    /// Where the summary in the table differs from that; wrong as well.
    pub summary_faults: Vec<SummaryFault>,
    /// True if the observer ended the check early. Then only a part was checked.
    pub stopped: bool,
}

/// What the values of a table are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Against {
    /// The table with the distances of the same class. If that one is right, so is this one.
    Distances,
    /// The values after each legal move. For distances this is a proof. For a table without distances it is necessary and not
    /// enough: there a win has a move to a loss of the other side, a loss has only moves to wins, all others are draws, and
    /// positions that are draws can be called wins and losses that lead to each other for ever, and the other way round.
    Moves,
}

/// A position whose value is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault<V> {
    /// The position, of the material that represents the class.
    pub fen: String,
    /// The side to move in the table.
    pub side: Side,
    /// The number in the table.
    pub number: u64,
    /// The value in the table.
    pub found: V,
    /// What it should be.
    pub expected: V,
    /// The first move with that value, as `a3a4`; none if there is no such move.
    pub decided_by: Option<String>,
}

/// A difference between the summary in a table and the values in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SummaryFault {
    /// The side to move.
    pub side: Side,
    /// Which figure.
    pub field: &'static str,
    /// The figure in the summary.
    pub found: String,
    /// The figure that the values give.
    pub expected: String,
}

impl<V> Report<V> {
    /// True if nothing wrong was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong == 0 && self.summary_faults.is_empty()
    }
}

impl<V: TableValue> Report<V> {
    /// The same with values of no metric in particular.
    #[must_use]
    pub fn into_scores(self) -> Report<Score> {
        let score = |fault: Fault<V>| Fault {
            found: fault.found.score(),
            expected: fault.expected.score(),
            fen: fault.fen,
            side: fault.side,
            number: fault.number,
            decided_by: fault.decided_by,
        };
        Report {
            against: self.against,
            positions: self.positions,
            wrong: self.wrong,
            faults: self.faults.into_iter().map(score).collect(),
            summary: self.summary,
            summary_faults: self.summary_faults,
            stopped: self.stopped,
        }
    }
}
