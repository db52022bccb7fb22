//! Distances to win: win, draw or loss with the plies to the end of the game.

use super::coded::{Coded, Descriptor, Packing};
use super::outcome::{Score, Wdl};
use std::cmp::Ordering;
use std::fmt;

/// The value of a position for the side to move, with best play of both sides.
///
/// Distances to win (DTW) are in plies: single moves of one side. A win takes an odd number of plies, a loss an even
/// number; a side that has lost already loses in 0 plies. Who wins wins as fast as possible, who loses as late as possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins in so many plies.
    Win(u32),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses in so many plies.
    Loss(u32),
}

impl Value {
    /// `win`, `draw` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Value::Win(_) => "win",
            Value::Draw => "draw",
            Value::Loss(_) => "loss",
        }
    }

    /// The distance to win in plies; none for a draw.
    #[must_use]
    pub const fn plies(self) -> Option<u32> {
        match self {
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// The code in a table: 0 for a draw, else the distance in plies and 1.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Value::Draw => 0,
            Value::Win(plies) | Value::Loss(plies) => plies + 1,
        }
    }

    /// The value of a code in a table: odd distances are wins, even ones losses.
    #[must_use]
    pub const fn from_code(code: u32) -> Value {
        match code.checked_sub(1) {
            None => Value::Draw,
            Some(plies) if plies % 2 == 1 => Value::Win(plies),
            Some(plies) => Value::Loss(plies),
        }
    }

    /// The value of a move that leads to a position with this value (for the other side), for the side that makes it,
    /// counted from the position before the move.
    #[must_use]
    pub const fn before_move(self) -> Value {
        match self {
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Draw => Value::Draw,
            Value::Loss(plies) => Value::Win(plies + 1),
        }
    }
}

impl From<Value> for Wdl {
    fn from(value: Value) -> Wdl {
        match value {
            Value::Win(_) => Wdl::Win,
            Value::Draw => Wdl::Draw,
            Value::Loss(_) => Wdl::Loss,
        }
    }
}

impl Coded for Value {
    const DESCRIPTOR: Descriptor = Descriptor {
        code: 0,
        name: "dtw",
        counts: "plies to the end",
        heading: "distances to the end",
        description: "Distance to win: plies to the end of the game",
        bits_per_position: [2.2, 0.93, 0.68, 0.565, 0.7],
        packing: Packing::Bytes,
        has_distances: true,
        under_limit: false,
    };
    const LOST: Value = Value::Loss(0);
    // No table has this code: the winner of a game that is over does not move.
    const WON: Value = Value::Win(0);
    const DRAW: Value = Value::Draw;

    fn from_code(code: u32) -> Value {
        Value::from_code(code)
    }

    fn code(self) -> u32 {
        self.code()
    }

    fn back_up(self, _: bool, _: Option<u32>) -> Value {
        self.before_move()
    }

    fn score(self) -> Score {
        Score { outcome: Wdl::from(self).into(), plies: self.plies() }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.score().fmt(f)
    }
}

impl Ord for Value {
    /// Better values are greater: fast wins, slow wins, draws, slow losses, fast losses.
    fn cmp(&self, other: &Value) -> Ordering {
        let key = |value: &Value| match value {
            Value::Win(plies) => (2, -i64::from(*plies)),
            Value::Draw => (1, 0),
            Value::Loss(plies) => (0, i64::from(*plies)),
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_read_back() {
        for value in [Value::Draw, Value::Loss(0), Value::Win(1), Value::Loss(252), Value::Win(70_001)] {
            assert_eq!(Value::from_code(value.code()), value);
        }
    }

    #[test]
    fn a_value_without_its_distance_has_the_least_code() {
        for code in 0..600 {
            let (value, wdl) = (Value::from_code(code), Wdl::from_code(code));
            assert_eq!((Wdl::from(value), value.name()), (wdl, wdl.name()));
            assert_eq!(Wdl::from_code(wdl.code().into()), wdl);
            assert!(u32::from(wdl.code()) <= code);
            assert_eq!(Wdl::from(value.before_move()), wdl.before_move());
        }
        assert!([Wdl::Loss, Wdl::Draw, Wdl::Win].is_sorted());
    }

    #[test]
    fn better_values_are_greater() {
        let order = [Value::Loss(0), Value::Loss(2), Value::Draw, Value::Win(19), Value::Win(1)];
        assert!(order.is_sorted());
        assert_eq!(Value::Loss(4).before_move(), Value::Win(5));
    }
}
