//! What `verify` and `generate` did.

use serde::Serialize;

/// The answer of `verify` for a table.
#[derive(Serialize, Debug)]
pub struct Verified {
    /// The rule set.
    pub rules: String,
    /// The class.
    pub class: String,
    /// What the table holds: `dtw`, `wdl` or `dtc`.
    pub metric: &'static str,
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

/// A position with a wrong value.
#[derive(Serialize, Debug)]
pub struct Fault {
    /// The position.
    pub position: String,
    /// The value in the table.
    pub value: &'static str,
    /// The distance in the table.
    pub dtw_plies: Option<u32>,
    /// The distance in a table of distances to conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtc_plies: Option<Option<u32>>,
    /// The value that follows from the moves.
    pub expected_value: &'static str,
    /// The distance that follows from the moves.
    pub expected_dtw_plies: Option<u32>,
    /// The distance to conversion that follows from the moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_dtc_plies: Option<Option<u32>>,
    /// The first move with that value.
    #[serde(rename = "move")]
    pub decided_by: Option<String>,
}

impl Fault {
    /// A fault whose values are for others to fill in.
    pub fn at(position: String, decided_by: Option<String>) -> Fault {
        Fault {
            position,
            value: "",
            dtw_plies: None,
            dtc_plies: None,
            expected_value: "",
            expected_dtw_plies: None,
            expected_dtc_plies: None,
            decided_by,
        }
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
