//! What the plies of a run count.
//!
//! A ply has up to two *stages*: one that finds losses and one that finds wins. The stages are numbered; even ones find losses,
//! odd ones wins. What a stage finds gets the code of the stage.
//!
//! Counting plies to the end of the game, losses come at even plies and wins at odd ones only, so a ply is one stage. Counting
//! plies to the next capture, both come at every ply, since who loses may have nothing but captures: ply `k` has the stages
//! `2k` and `2k + 1`.

use dsq_tables::format::Metric;
use dsq_tables::rules::Rules;
use dsq_tables::value::Dtc;
use dsq_tables::value::{Value, Wdl};

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
    /// Of a table of distances; one without them is made from one to the end of the game.
    #[must_use]
    pub fn of(metric: Metric, rules: &Rules) -> Measure {
        match metric {
            Metric::Dtc => Measure::Conversion { limit: rules.quiet_limit() },
            _ => Measure::Win,
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

    /// Whether it counts to the next capture.
    #[must_use]
    pub const fn is_conversion(self) -> bool {
        matches!(self, Measure::Conversion { .. })
    }

    /// How many stages a ply has.
    #[must_use]
    pub const fn stages(self) -> usize {
        if self.is_conversion() { 2 } else { 1 }
    }

    /// The code of what a stage finds.
    #[must_use]
    pub const fn code(self, stage: u32) -> u32 {
        match self {
            Measure::Win => Value::Loss(0).code() + stage,
            Measure::Conversion { .. } => Dtc::Loss(0).code() + stage,
        }
    }

    /// Whether nothing that a later ply finds counts.
    #[must_use]
    pub fn ends_after(self, ply: u32) -> bool {
        matches!(self, Measure::Conversion { limit: Some(limit) } if ply >= limit)
    }

    /// Who wins with a code, for the side to move, as the distances have it.
    #[must_use]
    pub const fn decided(self, code: u32) -> Wdl {
        match self {
            Measure::Win => Wdl::from_code(code),
            Measure::Conversion { .. } => match Dtc::from_code(code) {
                Dtc::Win(_) => Wdl::Win,
                Dtc::Loss(_) => Wdl::Loss,
                Dtc::SpoiltWin | Dtc::Draw | Dtc::SavedLoss => Wdl::Draw,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_stage_is_that_of_its_distance() {
        for ply in 0..300 {
            let value = if ply % 2 == 1 { Value::Win(ply) } else { Value::Loss(ply) };
            assert_eq!(Measure::Win.code(ply), value.code());
            let measure = Measure::Conversion { limit: Some(60) };
            assert_eq!(measure.code(2 * ply), Dtc::Loss(ply).code());
            assert_eq!(measure.code(2 * ply + 1), Dtc::Win(ply).code());
            assert_eq!(measure.decided(measure.code(2 * ply)), Wdl::Loss);
            assert_eq!(measure.decided(measure.code(2 * ply + 1)), Wdl::Win);
            assert_eq!(measure.ends_after(ply), ply >= 60);
        }
        assert_eq!(Measure::Conversion { limit: None }.decided(2), Wdl::Draw);
    }
}
