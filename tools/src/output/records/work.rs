//! What `verify` and `generate` did.

use crate::terms::main_metric;
use dsq_tables::value::{Metric, Score};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The answer of `verify` for a table.
#[derive(Serialize, Debug)]
pub struct Verified {
    /// The rule set.
    pub rules: String,
    /// The class.
    pub class: String,
    /// What the table holds: `dtw`, `wdl` or `dtc`.
    #[serde(serialize_with = "super::metric::by_name")]
    pub metric: Metric,
    /// True if nothing is wrong.
    pub ok: bool,
    /// What came of it.
    pub status: Verdict,
    /// What was done: `checksums`, `sample` (with checksums) or `full`.
    pub check: &'static str,
    /// What the values of a table without distances were compared with: `dtw`, the table with them, or `moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<&'static str>,
    /// How many positions were compared with their children.
    pub positions: u64,
    /// How many of them are wrong.
    pub wrong: u64,
    /// The first of them.
    pub faults: Vec<Fault>,
    /// Figures of the stored counts that are wrong.
    pub count_faults: Vec<CountFault>,
    /// Why the table cannot be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of a check.
#[derive(Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing is wrong.
    Right,
    /// Some values do not follow from the moves.
    Wrong,
    /// The file is damaged, or the system does not let it be read.
    Damaged,
    /// Made for other rules, by another version, or not a table of this name.
    Foreign,
    /// There is no file.
    Missing,
    /// A table that it rests on cannot be used.
    Unchecked,
}

impl Verdict {
    /// All of them, in the order in which they are counted for people.
    pub const ALL: [Verdict; 6] =
        [Verdict::Right, Verdict::Wrong, Verdict::Damaged, Verdict::Foreign, Verdict::Missing, Verdict::Unchecked];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Damaged => "damaged",
            Verdict::Foreign => "foreign",
            Verdict::Missing => "missing",
            Verdict::Unchecked => "not checked",
        }
    }
}

/// A position with a wrong value. JSON has the fields `position`, `value`, `dtw_plies`, `expected_value`, `expected_dtw_plies` and
/// `move`; a table of another metric has its distances in fields of its own besides, as `dtc_plies`.
#[derive(Debug)]
pub struct Fault {
    /// The position.
    pub position: String,
    /// What the table holds.
    pub metric: Metric,
    /// The value in the table.
    pub found: Score,
    /// The value that follows from the moves.
    pub expected: Score,
    /// The first move with that value.
    pub decided_by: Option<String>,
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let main = main_metric();
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("position", &self.position)?;
        for (prefix, score) in [("", self.found), ("expected_", self.expected)] {
            fields.serialize_entry(&format!("{prefix}value"), score.outcome.name())?;
            let plies = score.plies.filter(|_| self.metric == main);
            fields.serialize_entry(&format!("{prefix}{}_plies", main.name()), &plies)?;
            if self.metric != main && self.metric.has_distances() {
                fields.serialize_entry(&format!("{prefix}{}_plies", self.metric.name()), &score.plies)?;
            }
        }
        fields.serialize_entry("move", &self.decided_by)?;
        fields.end()
    }
}

/// A wrong figure of the stored counts.
#[derive(Serialize, Debug)]
pub struct CountFault {
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// Which figure.
    pub field: &'static str,
    /// What is stored.
    pub found: String,
    /// What the values give.
    pub expected: String,
}

/// The answer of `generate`.
#[derive(Serialize, Debug)]
pub struct Generated {
    /// The rule set.
    pub rules: String,
    /// The folder of the tables.
    pub folder: String,
    /// Tables that were made.
    pub made: u64,
    /// Tables that were there.
    pub kept: u64,
    /// Positions of the tables that were made, both sides to move, mirror images counted.
    pub positions: u64,
    /// Bytes of the tables that were made.
    pub bytes: u64,
    /// Time of it all.
    pub seconds: f64,
    /// The part of it that went into solving and writing.
    pub solve_seconds: f64,
    /// The part of it that went into verifying.
    pub verify_seconds: f64,
    /// Speed of solving.
    pub positions_per_second: u64,
    /// True if every table made was compared with its children.
    pub verified: bool,
    /// A command that works with these tables.
    pub next: Option<String>,
}

/// The answer of `generate --estimate`.
#[derive(Serialize, Debug)]
pub struct Estimate {
    /// The rule set.
    pub rules: String,
    /// The folder of the tables.
    pub folder: String,
    /// Tables that are to be made.
    pub tables: u64,
    /// Tables that are there.
    pub present: u64,
    /// Positions of the tables that are to be made, both sides to move, mirror images counted.
    pub positions: u64,
    /// Positions that their files will hold.
    pub stored_positions: u64,
    /// About so many bytes on disk.
    pub bytes: u64,
    /// About so many bytes on disk besides, while a table is made whose distances do not fit in memory.
    pub work_bytes: u64,
    /// What is free there, where the system says.
    pub free_bytes: Option<u64>,
    /// About so many bytes of memory at the peak.
    pub memory_bytes: u64,
    /// About so long.
    pub seconds: f64,
    /// About so long to verify them, if that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_seconds: Option<f64>,
    /// How much memory may be used.
    pub memory_limit_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::terms::METRICS;
    use dsq_tables::value::Outcome;

    #[test]
    fn faults_have_the_fields_of_their_metric() {
        let score = |outcome, plies| Score { outcome, plies };
        let json = METRICS.map(|metric| {
            let plies = metric.has_distances().then_some(3);
            let (found, expected) = (score(Outcome::Draw, None), score(Outcome::Win, plies));
            let fault = Fault { position: "x".to_owned(), metric, found, expected, decided_by: None };
            serde_json::to_string(&fault).unwrap()
        });
        let expected = [
            r#"{"position":"x","value":"draw","dtw_plies":null,"expected_value":"win","expected_dtw_plies":3,"move":null}"#,
            r#"{"position":"x","value":"draw","dtw_plies":null,"expected_value":"win","expected_dtw_plies":null,"move":null}"#,
            r#"{"position":"x","value":"draw","dtw_plies":null,"dtc_plies":null,"expected_value":"win",
               "expected_dtw_plies":null,"expected_dtc_plies":3,"move":null}"#,
        ];
        assert_eq!(json, expected.map(|text| text.replace("\n               ", "")));
    }
}
