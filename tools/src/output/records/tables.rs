//! Answers about tables: `stats`, `list`.

use dsq_tables::board::Side;
use dsq_tables::tablebase::TablebaseError;
use dsq_tables::value::Metric;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Counts of a material or of many.
#[derive(Serialize, Debug, Default, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Positions, mirror images counted.
    pub positions: u64,
    /// Won for the side to move.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost for the side to move.
    pub lost: u64,
    /// Without a legal move.
    pub stalemates: u64,
    /// Would be won but for the limit of plies without a capture, and are not counted as won; only of distances to conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoilt_wins: Option<u64>,
    /// Would be lost but for the limit, and are not counted as lost; only of distances to conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_losses: Option<u64>,
    /// The longest win in plies.
    pub longest_win_plies: Option<u32>,
    /// A position with it.
    pub longest_win_position: Option<String>,
    /// The longest loss in plies.
    pub longest_loss_plies: Option<u32>,
    /// A position with it.
    pub longest_loss_position: Option<String>,
}

/// The answer of `stats` for a material.
#[derive(Serialize, Debug)]
pub struct MaterialStats {
    /// The rule set.
    pub rules: String,
    /// The material as asked for, in the order of the rule set.
    pub material: String,
    /// The class whose table has it.
    pub class: String,
    /// What the distances count.
    #[serde(serialize_with = "super::metric::by_name")]
    pub metric: Metric,
    /// The limit of plies without a capture that distances to conversion hold under, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_plies: Option<u32>,
    /// The size of the file.
    pub bytes: u64,
    /// Bits for each position the file holds.
    pub bits_per_position: Option<f64>,
    /// White to move, Black to move.
    pub sides: Vec<SideStats>,
}

/// The counts with one side to move.
#[derive(Serialize, Debug)]
pub struct SideStats {
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
}

impl SideStats {
    /// The counts with a side to move.
    pub fn new(turn: Side, counts: Counts) -> SideStats {
        SideStats { side_to_move: turn.name(), counts }
    }
}

/// The answer of `stats --pieces`: totals over all ordered materials, White to move.
#[derive(Serialize, Debug)]
pub struct TotalStats {
    /// The rule set.
    pub rules: String,
    /// What the distances count.
    #[serde(serialize_with = "super::metric::by_name")]
    pub metric: Metric,
    /// The limit of plies without a capture that distances to conversion hold under, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_plies: Option<u32>,
    /// How many pieces there are on the board.
    pub pieces: u8,
    /// Ordered materials.
    pub materials: u64,
    /// Classes, each with one table.
    pub classes: u64,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// The size of the files of all classes.
    pub bytes: u64,
    /// Bits for each position the files hold.
    pub bits_per_position: Option<f64>,
}

/// The answer of `list`.
#[derive(Serialize, Debug)]
pub struct List {
    /// The rule set.
    pub rules: String,
    /// The folder of its tables.
    pub folder: String,
    /// Up to how many pieces tables are missed.
    pub pieces: u8,
    /// How many tables are there and can be used.
    pub present: u64,
    /// How many classes up to that number of pieces have no table that can be used.
    pub missing: u64,
    /// How many files cannot be used.
    pub unusable: u64,
    /// Those of them that were made for other rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<ForeignTables>,
    /// The size of the tables that can be used.
    pub bytes: u64,
    /// All of them, fewest pieces first.
    pub tables: Vec<ListedTable>,
    /// The tables of the other metrics that are there (for the limit of the rule set, if they depend on one). They count among
    /// those that cannot be used, and not elsewhere.
    #[serde(flatten)]
    pub others: OtherTables,
}

/// The tables of other metrics, as fields `wdl_tables` and `dtc_tables`; no field for a metric without tables.
#[derive(Debug, Default)]
pub struct OtherTables(pub Vec<(Metric, Vec<ListedTable>)>);

impl OtherTables {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &ListedTable> {
        self.0.iter().flat_map(|(_, tables)| tables)
    }
}

impl Serialize for OtherTables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        for (metric, tables) in self.0.iter().filter(|(_, tables)| !tables.is_empty()) {
            fields.serialize_entry(&format!("{}_tables", metric.name()), tables)?;
        }
        fields.end()
    }
}

/// A table in the answer of `list`.
#[derive(Serialize, Debug)]
pub struct ListedTable {
    /// The class.
    pub class: String,
    /// How many pieces it has.
    pub pieces: usize,
    /// How many ordered materials it answers for.
    pub materials: usize,
    /// What became of it.
    pub status: TableStatus,
    /// The size of the file.
    pub bytes: Option<u64>,
    /// How many positions the file holds.
    pub positions: u64,
    /// The other rules it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_for: Option<MadeFor>,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The other rules that a table was made for.
#[derive(Serialize, Debug, Clone, PartialEq, Eq)]
pub struct MadeFor {
    /// The name of the rule set.
    pub rules: String,
    /// Its fingerprint.
    pub fingerprint: String,
    /// The file.
    #[serde(skip)]
    pub file: String,
    /// The rule set that was asked for.
    #[serde(skip)]
    pub asked: String,
    /// The fingerprint of that.
    #[serde(skip)]
    pub asked_fingerprint: String,
}

impl MadeFor {
    /// The other rules that an error of opening a table is about, if it is about that.
    pub fn of(error: &TablebaseError) -> Option<MadeFor> {
        match error {
            TablebaseError::OtherRules { path, found, found_fingerprint, expected, expected_fingerprint } => {
                Some(MadeFor {
                    rules: found.clone(),
                    fingerprint: format!("{found_fingerprint:016x}"),
                    file: path.display().to_string(),
                    asked: expected.clone(),
                    asked_fingerprint: format!("{expected_fingerprint:016x}"),
                })
            }
            _ => None,
        }
    }
}

/// Tables that were made for the same other rules.
#[derive(Serialize, Debug, Clone, PartialEq, Eq)]
pub struct ForeignTables {
    /// Those rules, and the first of the files.
    #[serde(flatten)]
    pub made_for: MadeFor,
    /// How many tables.
    pub tables: u64,
}

impl ForeignTables {
    /// Counts one more table.
    pub fn add(groups: &mut Vec<ForeignTables>, made_for: &MadeFor) {
        let same = |other: &MadeFor| (&other.rules, &other.fingerprint) == (&made_for.rules, &made_for.fingerprint);
        match groups.iter_mut().find(|group| same(&group.made_for)) {
            Some(group) => group.tables += 1,
            None => groups.push(ForeignTables { made_for: made_for.clone(), tables: 1 }),
        }
    }
}

/// Whether a table can be used.
#[derive(Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum TableStatus {
    /// There and sound as far as opening shows.
    Present,
    /// Not there.
    Missing,
    /// Damaged, or the system does not let it be read.
    Damaged,
    /// Made for other rules, by another version, or not a table of this name.
    Foreign,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn counts_stand_among_the_other_fields() {
        let record = TotalStats {
            rules: "classic".into(),
            metric: crate::terms::main_metric(),
            limit_plies: None,
            pieces: 2,
            materials: 64,
            classes: 10,
            counts: Counts { positions: 5, longest_win_plies: Some(33), ..Counts::default() },
            bytes: 10,
            bits_per_position: Some(3.5),
        };
        let expected = r#"{"rules":"classic","metric":"dtw","pieces":2,"materials":64,"classes":10,"positions":5,"won":0,
            "drawn":0,"lost":0,"stalemates":0,"longest_win_plies":33,"longest_win_position":null,
            "longest_loss_plies":null,"longest_loss_position":null,"bytes":10,"bits_per_position":3.5}"#;
        assert_eq!(serde_json::to_string(&record).unwrap(), expected.replace("\n            ", ""));
        let side = serde_json::to_string(&SideStats::new(Side::Black, Counts::default())).unwrap();
        assert!(side.starts_with(r#"{"side_to_move":"black","positions":0,"#), "{side}");
    }
}
