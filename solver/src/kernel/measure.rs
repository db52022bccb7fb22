//! What the plies of a run count.
//!
//! A ply has one or two *goals*: to find what is lost, or what is won, in so many plies. Counting plies to the end of the game,
//! losses come at even plies and wins at odd ones only. Counting plies to the next capture, both come at every ply, since who
//! loses may have nothing but captures.

use dsq_tables::format::Metric;
use dsq_tables::rules::Rules;
use dsq_tables::value::Dtc;
use dsq_tables::value::{Value, Wdl};

/// What is looked for in one pass over the positions of a side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Positions with a move into what the other side has lost.
    Wins,
    /// Positions without a move into what the other side has not won.
    Losses,
}

/// What distances count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Measure {
    /// Plies to the end of the game.
    #[default]
    Win,
    /// Plies to the next capture that keeps the win, or to the end of the game.
    Conversion {
        /// The greatest number of them that counts as a win.
        limit: Option<u32>,
    },
}

impl Measure {
    /// The code of a draw, whatever is counted.
    pub const DRAW: u32 = Value::Draw.code();

    /// Of a table of distances; one without them is made from one to the end of the game.
    #[must_use]
    pub fn of(metric: Metric, rules: &Rules) -> Measure {
        match metric {
            Metric::Dtc => Measure::Conversion { limit: rules.quiet_limit() },
            Metric::Dtw | Metric::Wdl => Measure::Win,
        }
    }

    /// What the tables with these codes hold.
    #[must_use]
    pub const fn metric(self) -> Metric {
        match self {
            Measure::Win => Metric::Dtw,
            Measure::Conversion { .. } => Metric::Dtc,
        }
    }

    /// What is looked for at a ply, in this order. At ply 0 that is who has lost because there is no move.
    #[must_use]
    pub const fn goals(self, ply: u32) -> &'static [Goal] {
        match self {
            _ if ply == 0 => &[Goal::Losses],
            Measure::Win if ply % 2 == 1 => &[Goal::Wins],
            Measure::Win => &[Goal::Losses],
            Measure::Conversion { .. } => &[Goal::Losses, Goal::Wins],
        }
    }

    /// Whether the losses of a ply are found before its wins, which must not see them: then what was lost before the ply is kept.
    #[must_use]
    pub const fn keeps_lost_before(self) -> bool {
        match self {
            Measure::Win => false,
            Measure::Conversion { .. } => true,
        }
    }

    /// Whether the plies after a capture count as well. If not, all that is decided after a capture is as good as decided in
    /// 0 plies.
    #[must_use]
    pub const fn counts_past_captures(self) -> bool {
        match self {
            Measure::Win => true,
            Measure::Conversion { .. } => false,
        }
    }

    /// The code of what a ply finds.
    #[must_use]
    pub const fn code(self, goal: Goal, ply: u32) -> u32 {
        match (self, goal) {
            (Measure::Win, Goal::Wins) => Value::Win(ply).code(),
            (Measure::Win, Goal::Losses) => Value::Loss(ply).code(),
            (Measure::Conversion { .. }, Goal::Wins) => Dtc::Win(ply).code(),
            (Measure::Conversion { .. }, Goal::Losses) => Dtc::Loss(ply).code(),
        }
    }

    /// The plies that a code stands for; 0 for draws of any kind.
    #[must_use]
    pub fn plies(self, code: u32) -> u32 {
        match self {
            Measure::Win => Value::from_code(code).plies(),
            Measure::Conversion { .. } => Dtc::from_code(code).plies(),
        }
        .unwrap_or(0)
    }

    /// Whether nothing that a later ply finds counts.
    #[must_use]
    pub const fn ends_after(self, ply: u32) -> bool {
        match self {
            Measure::Win | Measure::Conversion { limit: None } => false,
            Measure::Conversion { limit: Some(limit) } => ply >= limit,
        }
    }

    /// What a code counts as; none for draws of any kind.
    #[must_use]
    pub const fn goal(self, code: u32) -> Option<Goal> {
        let decided = match self {
            Measure::Win => Wdl::from_code(code),
            Measure::Conversion { .. } => match Dtc::from_code(code) {
                Dtc::Win(_) => Wdl::Win,
                Dtc::Loss(_) => Wdl::Loss,
                Dtc::SpoiltWin | Dtc::Draw | Dtc::SavedLoss => Wdl::Draw,
            },
        };
        match decided {
            Wdl::Win => Some(Goal::Wins),
            Wdl::Draw => None,
            Wdl::Loss => Some(Goal::Losses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_ply_finds_has_the_code_of_its_distance() {
        let conversion = Measure::Conversion { limit: Some(60) };
        for measure in [Measure::Win, conversion] {
            assert_eq!(measure.goals(0), [Goal::Losses]);
            for ply in 0..300 {
                for &goal in measure.goals(ply) {
                    let code = measure.code(goal, ply);
                    assert_eq!((measure.goal(code), measure.plies(code)), (Some(goal), ply), "{measure:?}");
                }
            }
        }
        assert_eq!((Measure::Win.goals(7), Measure::Win.goals(8)), (&[Goal::Wins][..], &[Goal::Losses][..]));
        assert_eq!(conversion.goals(7), [Goal::Losses, Goal::Wins]);
        assert!(!conversion.ends_after(59) && conversion.ends_after(60) && !Measure::Win.ends_after(60));
        assert_eq!((conversion.goal(2), conversion.plies(2)), (None, 0));
    }
}
