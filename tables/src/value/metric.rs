//! The metrics: what the values of a table are. Everything else asks a metric, and does not compare it.

use super::coded::{Coded, Descriptor, Packing};
use super::dtc::Dtc;
use super::dtw::Value;
use super::outcome::{Score, Wdl};
use crate::names::{self, UnknownName};
use crate::rules::Rules;
use std::fmt;
use std::str::FromStr;

/// What the values of a table are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Metric {
    /// Distances to win: plies to the end of the game. What other tables are made from.
    #[default]
    Dtw,
    /// No distances: win, draw or loss.
    Wdl,
    /// Distances to conversion: plies to the next capture that keeps the win, or to the end of the game, under a limit of
    /// plies without a capture.
    Dtc,
}

/// A value with its metric.
pub trait TableValue: Coded {
    /// The metric of the tables that hold such values.
    const METRIC: Metric;
}

impl TableValue for Value {
    const METRIC: Metric = Metric::Dtw;
}

impl TableValue for Wdl {
    const METRIC: Metric = Metric::Wdl;
}

impl TableValue for Dtc {
    const METRIC: Metric = Metric::Dtc;
}

/// Something to do with the type of the values of a metric; see [`Metric::visit`].
pub trait ValueVisitor {
    /// What comes out.
    type Output;

    /// Does it for tables with these values.
    fn visit<V: TableValue>(self) -> Self::Output;
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 3] = [Metric::Dtw, Metric::Wdl, Metric::Dtc];

    /// The facts about the metric.
    #[must_use]
    pub const fn descriptor(self) -> &'static Descriptor {
        match self {
            Metric::Dtw => &Value::DESCRIPTOR,
            Metric::Wdl => &Wdl::DESCRIPTOR,
            Metric::Dtc => &Dtc::DESCRIPTOR,
        }
    }

    /// Does something with the type of the values.
    pub fn visit<T: ValueVisitor>(self, visitor: T) -> T::Output {
        match self {
            Metric::Dtw => visitor.visit::<Value>(),
            Metric::Wdl => visitor.visit::<Wdl>(),
            Metric::Dtc => visitor.visit::<Dtc>(),
        }
    }

    /// The metric whose tables this one can be made from by leaving out the distances; then it needs no solving.
    #[must_use]
    pub const fn thinned_from(self) -> Option<Metric> {
        match self {
            Metric::Dtw | Metric::Dtc => None,
            Metric::Wdl => Some(Metric::Dtw),
        }
    }

    /// The metric whose table of the same class says who would win without the limit, where there is a limit. Only that
    /// tells cursed wins and blessed losses from other draws.
    #[must_use]
    pub const fn needs_under_limit(self) -> Option<Metric> {
        match self {
            Metric::Dtw | Metric::Wdl => None,
            Metric::Dtc => Some(Metric::Dtw),
        }
    }

    /// The metric with this number in the header of a file.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.code() == code)
    }

    /// The number in the header of a file.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.descriptor().code
    }

    /// `dtw`, `wdl` or `dtc`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// How a table holds the codes.
    #[must_use]
    pub const fn packing(self) -> Packing {
        self.descriptor().packing
    }

    /// Whether wins and losses have distances.
    #[must_use]
    pub const fn has_distances(self) -> bool {
        self.descriptor().has_distances
    }

    /// Whether values depend on the limit of plies without a capture.
    #[must_use]
    pub const fn is_under_limit(self) -> bool {
        self.descriptor().under_limit
    }

    /// The limit of plies without a capture that the values hold under, if they depend on it and the rules have one.
    #[must_use]
    pub fn limit(self, rules: &Rules) -> Option<u32> {
        rules.quiet_limit().filter(|_| self.is_under_limit())
    }

    /// The fingerprint of the rules in tables of this metric.
    #[must_use]
    pub fn fingerprint(self, rules: &Rules) -> u64 {
        if self.is_under_limit() { rules.limit_fingerprint() } else { rules.fingerprint() }
    }

    /// The end of the names of the tables of a rule set: `.dtw.dsq`; with a limit on which the values depend, `.dtc60.dsq`.
    #[must_use]
    pub fn extension(self, rules: &Rules) -> String {
        let limit = self.limit(rules).map(|limit| limit.to_string()).unwrap_or_default();
        format!(".{}{limit}.dsq", self.name())
    }

    /// The value of a code: who wins with a halfmove clock of 0, and the distance.
    #[must_use]
    pub fn score(self, code: u32) -> Score {
        match self {
            Metric::Dtw => Value::from_code(code).score(),
            Metric::Wdl => Wdl::from_code(code).score(),
            Metric::Dtc => Dtc::from_code(code).score(),
        }
    }

    /// Who wins with a code, for the side to move, whatever a limit makes of it.
    #[must_use]
    pub fn wdl(self, code: u32) -> Wdl {
        self.score(code).outcome.without_limit()
    }

    /// The code of a position that is lost at once, with no ply to play.
    #[must_use]
    pub fn lost_code(self) -> u32 {
        struct Lost;
        impl ValueVisitor for Lost {
            type Output = u32;
            fn visit<V: TableValue>(self) -> u32 {
                V::LOST.code()
            }
        }
        self.visit(Lost)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Metric {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Metric, UnknownName> {
        names::find("a metric", &Metric::ALL, Metric::name, name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::value::Outcome;

    /// Checks what has to hold for the values of any metric.
    struct Law;

    impl ValueVisitor for Law {
        type Output = Metric;

        fn visit<V: TableValue>(self) -> Metric {
            let most = if V::METRIC.packing() == Packing::TwoBits { 3 } else { 600 };
            for code in 0..most {
                let value = V::from_code(code);
                assert_eq!((V::from_code(value.code()), value.code()), (value, code));
                assert_eq!(V::METRIC.score(code), value.score());
                let (before, outcome) = (value.back_up(false, None), value.who_wins());
                assert_eq!(before.who_wins(), -outcome, "{value:?}");
                assert!(value.distance().is_none() || V::METRIC.has_distances());
                // A limit makes draws and nothing else.
                let limited = value.back_up(false, Some(6)).who_wins();
                assert!(limited == -outcome || V::METRIC.is_under_limit() && limited.under_limit() == Wdl::Draw);
            }
            assert!(V::LOST < V::DRAW && V::DRAW < V::WON);
            let over = [V::LOST, V::DRAW, V::WON].map(V::who_wins);
            assert_eq!(over, [Outcome::Loss, Outcome::Draw, Outcome::Win]);
            assert_eq!(V::LOST.back_up(true, Some(6)).who_wins(), Outcome::Win);
            assert_eq!(V::METRIC.lost_code(), V::LOST.code());
            assert_eq!(V::METRIC.descriptor(), &V::DESCRIPTOR);
            V::METRIC
        }
    }

    #[test]
    fn the_values_of_every_metric_keep_the_same_laws() {
        for metric in Metric::ALL {
            assert_eq!(metric.visit(Law), metric);
        }
    }

    #[test]
    fn names_and_codes_read_back_and_are_those_of_files() {
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse(), Ok(metric));
            assert_eq!(Metric::from_code(metric.code()), Some(metric));
        }
        assert_eq!(Metric::ALL.map(Metric::code), [0, 1, 2]);
        assert_eq!(Metric::ALL.map(Metric::name), ["dtw", "wdl", "dtc"]);
        assert_eq!(Metric::from_code(3), None);
        assert_eq!(
            "dtz".parse::<Metric>().unwrap_err().to_string(),
            r#""dtz" is not a metric: expected dtw, wdl, dtc"#
        );
    }
}
