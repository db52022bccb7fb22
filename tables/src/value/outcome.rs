//! Who wins, with and without a limit of plies without a capture.

use crate::names::{self, UnknownName};
use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

/// Who wins a position without a limit, for the side to move. Better values are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// The other side wins.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Wdl {
    /// All of them, the best first.
    pub const ALL: [Wdl; 3] = [Wdl::Win, Wdl::Draw, Wdl::Loss];

    /// `win`, `draw` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Wdl::Win => "win",
            Wdl::Draw => "draw",
            Wdl::Loss => "loss",
        }
    }

    /// The value of a move that leads to a position with this value (for the other side), for the side that makes it: the same
    /// as `-self`.
    #[must_use]
    pub const fn before_move(self) -> Wdl {
        match self {
            Wdl::Win => Wdl::Loss,
            Wdl::Draw => Wdl::Draw,
            Wdl::Loss => Wdl::Win,
        }
    }
}

/// Who wins under a limit of plies without a capture, for the side to move. Better outcomes are greater.
///
/// A *cursed win* is a win that the limit makes a draw, a *blessed loss* a loss that it makes a draw, as in Syzygy tables.
/// Their names in output are `spoilt-win` and `saved-loss`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The other side wins.
    Loss,
    /// A blessed loss: the other side would win, but the limit makes it a draw.
    SavedLoss,
    /// Neither side could force a win without the limit either.
    Draw,
    /// A cursed win: the side to move would win, but the limit makes it a draw.
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

    /// The outcome of a move that leads to a position with this one (for the other side), for the side that makes it: the same
    /// as `-self`.
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
            Outcome::SavedLoss | Outcome::Draw | Outcome::SpoiltWin => Wdl::Draw,
            Outcome::Win => Wdl::Win,
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

    /// What is left of it once the limit has ended the game: a win is a cursed win, a loss a blessed one.
    #[must_use]
    pub const fn after_limit(self) -> Outcome {
        match self {
            Outcome::Loss | Outcome::SavedLoss => Outcome::SavedLoss,
            Outcome::Draw => Outcome::Draw,
            Outcome::SpoiltWin | Outcome::Win => Outcome::SpoiltWin,
        }
    }
}

/// An outcome and its distance: the value of a position whatever the metric of the table that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Score {
    /// Who wins.
    pub outcome: Outcome,
    /// The distance in plies. None for draws of any kind, and from tables without distances.
    pub plies: Option<u32>,
}

impl From<Wdl> for Outcome {
    /// Where no limit changes anything.
    fn from(wdl: Wdl) -> Outcome {
        match wdl {
            Wdl::Loss => Outcome::Loss,
            Wdl::Draw => Outcome::Draw,
            Wdl::Win => Outcome::Win,
        }
    }
}

impl Neg for Wdl {
    type Output = Wdl;

    /// The same seen from the other side.
    fn neg(self) -> Wdl {
        self.before_move()
    }
}

impl Neg for Outcome {
    type Output = Outcome;

    /// The same seen from the other side.
    fn neg(self) -> Outcome {
        self.before_move()
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies {
            None => write!(f, "{}", self.outcome),
            Some(1) => write!(f, "{} in 1 ply", self.outcome),
            Some(plies) => write!(f, "{} in {plies} plies", self.outcome),
        }
    }
}

impl FromStr for Wdl {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Wdl, UnknownName> {
        names::find("a value", &Wdl::ALL, Wdl::name, name)
    }
}

impl FromStr for Outcome {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Outcome, UnknownName> {
        names::find("an outcome", &Outcome::ALL, Outcome::name, name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_read_back() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.to_string().parse(), Ok(outcome));
        }
        for wdl in Wdl::ALL {
            assert_eq!(wdl.to_string().parse(), Ok(wdl));
        }
        let error = "won".parse::<Outcome>().unwrap_err();
        let expected = r#""won" is not an outcome: expected win, spoilt-win, draw, saved-loss, loss"#;
        assert_eq!(error.to_string(), expected);
        assert!("spoilt-win".parse::<Wdl>().is_err() && "Win".parse::<Wdl>().is_err());
    }

    #[test]
    fn the_other_side_sees_the_opposite() {
        for outcome in Outcome::ALL {
            assert_eq!((-outcome, -(-outcome)), (outcome.before_move(), outcome));
            assert_eq!((-outcome).under_limit(), -outcome.under_limit());
            assert_eq!((-outcome).without_limit(), -outcome.without_limit());
            assert_eq!((-outcome).after_limit(), -outcome.after_limit());
            assert_eq!(outcome.after_limit().under_limit(), Wdl::Draw);
        }
        assert!(Wdl::ALL.is_sorted_by(|a, b| a > b) && Outcome::ALL.is_sorted_by(|a, b| a > b));
        assert_eq!(Wdl::ALL.map(|wdl| Outcome::from(wdl).without_limit()), Wdl::ALL);
    }

    #[test]
    fn scores_are_written_with_their_distance() {
        let score = |outcome, plies| Score { outcome, plies }.to_string();
        assert_eq!(score(Outcome::Win, Some(1)), "win in 1 ply");
        assert_eq!(score(Outcome::Loss, Some(0)), "loss in 0 plies");
        assert_eq!(score(Outcome::SpoiltWin, None), "spoilt-win");
    }
}
