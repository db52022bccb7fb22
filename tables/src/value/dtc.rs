//! Distances to conversion, and values under a limit of plies without a capture.
//!
//! Many play with a limit: after so many plies in a row without a capture the game is a draw. Such a limit turns wins into
//! draws and nothing else, so a position has one of five [outcomes](Outcome). Which one depends on its *halfmove clock*: how
//! many plies in a row without a capture came before it.
//!
//! A table of distances to conversion (DTC) answers for every clock. Its [values](Dtc) are for a clock of 0: a win in `d` is
//! one in which the next capture, or the end of the game, can be forced within `d` plies, such that the rest is won under
//! the limit as well. With a clock of `c`, that is a win exactly if `d` is at most the limit less `c`: nothing after that
//! capture depends on the clock before it. Without a limit the same table says how soon the next capture can be forced
//! that keeps the win.
//!
//! When a ply that is not a capture reaches the limit and ends the game at once, by a den or by leaving the other side without
//! a move, the game is over and not drawn.

use super::coded::{Coded, Descriptor, Packing};
use super::dtw::Value;
use super::outcome::{Outcome, Score, Wdl};
use std::cmp::Ordering;
use std::fmt;

/// The value of a position for the side to move in a table of distances to conversion, with a halfmove clock of 0.
///
/// Distances are in plies, to the next capture by either side that keeps the win under the limit, or to the end of the
/// game. Who wins converts as soon as possible, who loses resists as long as possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dtc {
    /// The side to move wins; it converts in so many plies.
    Win(u32),
    /// A cursed win: the limit makes it a draw.
    SpoiltWin,
    /// Neither side can force a win.
    Draw,
    /// A blessed loss: the limit makes it a draw.
    SavedLoss,
    /// The side to move loses; the other one converts in so many plies.
    Loss(u32),
}

impl Dtc {
    /// The name of the [outcome](Outcome::name) with a halfmove clock of 0.
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
            Dtc::SpoiltWin | Dtc::Draw | Dtc::SavedLoss => None,
        }
    }

    /// The code in a table: 0 for a draw, 1 for a cursed win, 2 for a blessed loss, 3 + 2d for a loss and 4 + 2d for a win in d
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

    /// Who wins with this halfmove clock, the number of plies without a capture behind the position, under a limit of such
    /// plies; without one the clock does not matter.
    #[must_use]
    pub fn outcome(self, halfmove_clock: u32, limit: Option<u32>) -> Outcome {
        let in_time = |plies| limit.is_none_or(|limit| plies <= limit.saturating_sub(halfmove_clock));
        match self {
            Dtc::Win(plies) if in_time(plies) => Outcome::Win,
            Dtc::Win(_) | Dtc::SpoiltWin => Outcome::SpoiltWin,
            Dtc::Draw => Outcome::Draw,
            Dtc::Loss(plies) if in_time(plies) => Outcome::Loss,
            Dtc::Loss(_) | Dtc::SavedLoss => Outcome::SavedLoss,
        }
    }

    /// The value of a move that leads to a position with this value (for the other side), for the side that makes it, from a
    /// position with a halfmove clock of 0. `converts` says that the move is a capture or ends the game.
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

impl Coded for Dtc {
    const DESCRIPTOR: Descriptor = Descriptor {
        code: 2,
        name: "dtc",
        counts: "plies to the next capture",
        heading: "distances to the next capture",
        description: "Distance to conversion: plies to the next capture that keeps the win",
        bits_per_position: [2.2, 0.93, 0.68, 0.565, 0.7],
        packing: Packing::Bytes,
        has_distances: true,
        under_limit: true,
    };
    const LOST: Dtc = Dtc::Loss(0);
    const WON: Dtc = Dtc::Win(0);
    const DRAW: Dtc = Dtc::Draw;

    fn from_code(code: u32) -> Dtc {
        Dtc::from_code(code)
    }

    fn code(self) -> u32 {
        self.code()
    }

    fn back_up(self, converts: bool, limit: Option<u32>) -> Dtc {
        self.before_move(converts, limit)
    }

    fn score(self) -> Score {
        // A distance in a table holds under its limit.
        Score { outcome: self.outcome(0, None), plies: self.plies() }
    }
}

impl fmt::Display for Dtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.score().fmt(f)
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
    /// Better values are greater: wins soon converted, late ones, cursed wins, draws, blessed losses, late losses, soon ones.
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
        for (clock, outcome) in
            [(0, Outcome::Win), (53, Outcome::Win), (54, Outcome::SpoiltWin), (90, Outcome::SpoiltWin)]
        {
            assert_eq!(Dtc::Win(7).outcome(clock, Some(60)), outcome);
            assert_eq!(Dtc::Win(7).outcome(clock, None), Outcome::Win);
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
