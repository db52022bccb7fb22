//! Values under a limit of plies without a capture, and distances to conversion.
//!
//! Many play with a limit: after so many plies in a row without a capture (*quiet* plies) the game is a draw. Such a limit
//! turns wins into draws and nothing else, so a position has one of five [outcomes](Outcome). Which one depends on how
//! many quiet plies are behind it, its *count*.
//!
//! A table of distances to conversion (DTC) answers for every count. Its [values](Dtc) are for a count of 0: a win in `d` is
//! one in which the next capture, or the end of the game, can be forced within `d` plies, such that the rest is won under
//! the limit as well. With `c` quiet plies behind it, that is a win exactly if `d` is at most the limit less `c`: no quiet
//! ply after that capture depends on how many there were before. Without a limit the same table says how soon the next
//! capture can be forced that keeps the win.
//!
//! When a ply that is not a capture reaches the limit and ends the game at once, by a den or by leaving the other side without
//! a move, the game is over and not drawn.

use crate::value::{Value, Wdl};
use std::cmp::Ordering;

/// Who wins under the limit, for the side to move. Better outcomes are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The other side wins.
    Loss,
    /// The other side would win, but the limit makes it a draw.
    SavedLoss,
    /// Neither side could force a win without the limit either.
    Draw,
    /// The side to move would win, but the limit makes it a draw.
    SpoiltWin,
    /// The side to move wins.
    Win,
}

impl Outcome {
    /// All outcomes, the best first.
    pub const ALL: [Outcome; 5] = [Outcome::Win, Outcome::SpoiltWin, Outcome::Draw, Outcome::SavedLoss, Outcome::Loss];

    /// `win`, `spoilt-win`, `draw`, `saved-loss` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::SavedLoss => "saved-loss",
            Outcome::Draw => "draw",
            Outcome::SpoiltWin => "spoilt-win",
            Outcome::Win => "win",
        }
    }

    /// The outcome of a move that leads to a position with this one (for the other side), for the side that makes it.
    #[must_use]
    pub const fn before_move(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::SavedLoss => Outcome::SpoiltWin,
            Outcome::Draw => Outcome::Draw,
            Outcome::SpoiltWin => Outcome::SavedLoss,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// What the game ends with under the limit.
    #[must_use]
    pub const fn under_limit(self) -> Wdl {
        match self {
            Outcome::Loss => Wdl::Loss,
            Outcome::Win => Wdl::Win,
            _ => Wdl::Draw,
        }
    }

    /// What it would end with without the limit.
    #[must_use]
    pub const fn without_limit(self) -> Wdl {
        match self {
            Outcome::Loss | Outcome::SavedLoss => Wdl::Loss,
            Outcome::Draw => Wdl::Draw,
            Outcome::Win | Outcome::SpoiltWin => Wdl::Win,
        }
    }
}

/// The value of a position for the side to move in a table of distances to conversion, with no quiet ply behind it.
///
/// Distances are in plies, to the next capture by either side that keeps the win under the limit, or to the end of the
/// game. Who wins converts as soon as possible, who loses resists as long as possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dtc {
    /// The side to move wins; it converts in so many plies.
    Win(u32),
    /// A win that the limit makes a draw.
    SpoiltWin,
    /// Neither side can force a win.
    Draw,
    /// A loss that the limit makes a draw.
    SavedLoss,
    /// The side to move loses; the other one converts in so many plies.
    Loss(u32),
}

impl Dtc {
    /// The name of the [outcome](Outcome::name) with no quiet ply behind.
    #[must_use]
    pub fn name(self) -> &'static str {
        // A distance in a table holds under its limit.
        self.outcome(0, None).name()
    }

    /// The distance to conversion in plies; none for what is drawn under the limit.
    #[must_use]
    pub const fn plies(self) -> Option<u32> {
        match self {
            Dtc::Win(plies) | Dtc::Loss(plies) => Some(plies),
            _ => None,
        }
    }

    /// The code in a table: 0 for a draw, 1 for a spoilt win, 2 for a saved loss, 3 + 2d for a loss and 4 + 2d for a win in d
    /// plies.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Dtc::Draw => 0,
            Dtc::SpoiltWin => 1,
            Dtc::SavedLoss => 2,
            Dtc::Loss(plies) => 3 + 2 * plies,
            Dtc::Win(plies) => 4 + 2 * plies,
        }
    }

    /// The value of a code in a table.
    #[must_use]
    pub const fn from_code(code: u32) -> Dtc {
        match code {
            0 => Dtc::Draw,
            1 => Dtc::SpoiltWin,
            2 => Dtc::SavedLoss,
            code if code % 2 == 1 => Dtc::Loss((code - 3) / 2),
            code => Dtc::Win((code - 4) / 2),
        }
    }

    /// Who wins with `count` quiet plies behind the position, under a limit of so many; without one the count does not matter.
    #[must_use]
    pub fn outcome(self, count: u32, limit: Option<u32>) -> Outcome {
        let in_time = |plies| limit.is_none_or(|limit| plies <= limit.saturating_sub(count));
        match self {
            Dtc::Win(plies) if in_time(plies) => Outcome::Win,
            Dtc::Win(_) | Dtc::SpoiltWin => Outcome::SpoiltWin,
            Dtc::Draw => Outcome::Draw,
            Dtc::Loss(plies) if in_time(plies) => Outcome::Loss,
            Dtc::Loss(_) | Dtc::SavedLoss => Outcome::SavedLoss,
        }
    }

    /// The value of a move that leads to a position with this value (for the other side), for the side that makes it, from a
    /// position with no quiet ply behind it. `converts` says that the move is a capture or ends the game.
    #[must_use]
    pub fn before_move(self, converts: bool, limit: Option<u32>) -> Dtc {
        let plies = |plies: u32| if converts { 1 } else { plies.saturating_add(1) };
        let in_time = |plies: u32| limit.is_none_or(|limit| plies <= limit);
        match self {
            Dtc::Win(after) if in_time(plies(after)) => Dtc::Loss(plies(after)),
            Dtc::Win(_) | Dtc::SpoiltWin => Dtc::SavedLoss,
            Dtc::Draw => Dtc::Draw,
            Dtc::Loss(after) if in_time(plies(after)) => Dtc::Win(plies(after)),
            Dtc::Loss(_) | Dtc::SavedLoss => Dtc::SpoiltWin,
        }
    }

    /// What it is without the limit.
    #[must_use]
    pub fn without_limit(self) -> Wdl {
        self.outcome(0, None).without_limit()
    }
}

impl From<Value> for Dtc {
    /// The same distance, for positions from which nothing can be taken before the end.
    fn from(value: Value) -> Dtc {
        match value {
            Value::Win(plies) => Dtc::Win(plies),
            Value::Draw => Dtc::Draw,
            Value::Loss(plies) => Dtc::Loss(plies),
        }
    }
}

impl Ord for Dtc {
    /// Better values are greater: soon converted wins, late ones, spoilt wins, draws, saved losses, late losses, soon ones.
    fn cmp(&self, other: &Dtc) -> Ordering {
        let key = |value: &Dtc| match value {
            Dtc::Win(plies) => (4, -i64::from(*plies)),
            Dtc::SpoiltWin => (3, 0),
            Dtc::Draw => (2, 0),
            Dtc::SavedLoss => (1, 0),
            Dtc::Loss(plies) => (0, i64::from(*plies)),
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Dtc {
    fn partial_cmp(&self, other: &Dtc) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_read_back() {
        for value in
            [Dtc::Draw, Dtc::SpoiltWin, Dtc::SavedLoss, Dtc::Loss(0), Dtc::Win(1), Dtc::Loss(1), Dtc::Win(70_001)]
        {
            assert_eq!(Dtc::from_code(value.code()), value);
        }
        for code in 0..600 {
            assert_eq!(Dtc::from_code(code).code(), code);
        }
    }

    #[test]
    fn a_win_holds_while_its_distance_fits_in_what_is_left() {
        for (count, outcome) in
            [(0, Outcome::Win), (53, Outcome::Win), (54, Outcome::SpoiltWin), (90, Outcome::SpoiltWin)]
        {
            assert_eq!(Dtc::Win(7).outcome(count, Some(60)), outcome);
            assert_eq!(Dtc::Win(7).outcome(count, None), Outcome::Win);
        }
        // Who has no move has lost when the limit is reached, too.
        assert_eq!(Dtc::Loss(0).outcome(60, Some(60)), Outcome::Loss);
        assert_eq!(Dtc::Loss(2).outcome(59, Some(60)), Outcome::SavedLoss);
    }

    #[test]
    fn a_move_counts_on_and_a_capture_anew() {
        assert_eq!(Dtc::Loss(5).before_move(false, Some(6)), Dtc::Win(6));
        assert_eq!(Dtc::Loss(6).before_move(false, Some(6)), Dtc::SpoiltWin);
        assert_eq!(Dtc::Loss(6).before_move(true, Some(6)), Dtc::Win(1));
        assert_eq!(Dtc::Win(6).before_move(false, Some(6)), Dtc::SavedLoss);
        assert_eq!(Dtc::Win(60).before_move(false, None), Dtc::Loss(61));
        assert_eq!(Dtc::SpoiltWin.before_move(true, Some(6)), Dtc::SavedLoss);
    }

    #[test]
    fn better_values_and_outcomes_are_greater() {
        let order = [Dtc::Loss(0), Dtc::Loss(3), Dtc::SavedLoss, Dtc::Draw, Dtc::SpoiltWin, Dtc::Win(9), Dtc::Win(1)];
        assert!(order.is_sorted());
        assert!(order.iter().map(|value| value.outcome(0, Some(60))).is_sorted());
        assert!(Outcome::ALL.iter().rev().is_sorted());
        for outcome in Outcome::ALL {
            assert_eq!(outcome.before_move().before_move(), outcome);
            assert_eq!(outcome.under_limit().before_move(), outcome.before_move().under_limit());
            assert_eq!(outcome.without_limit().before_move(), outcome.before_move().without_limit());
        }
    }
}
