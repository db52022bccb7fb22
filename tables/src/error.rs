//! Why the tables have no answer.

use crate::format::{ErrorKind, OpenError};
use crate::material::MAX_PIECES;
use crate::value::Metric;
use std::path::PathBuf;
use std::sync::Arc;

/// Why a position has no answer. Every message is one line and says what and where.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablebaseError {
    /// No tables of this rule set in the folder.
    #[error("{}: no tables of rule set {rules} in this folder", folder.display())]
    NoTables {
        /// The folder.
        folder: PathBuf,
        /// The rule set.
        rules: String,
    },
    /// The folder is there and cannot be read.
    #[error("{}: cannot read the folder: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        cause: Arc<std::io::Error>,
    },
    /// The table is not there.
    #[error("not in tables: {material} needs {}", path.display())]
    Missing {
        /// The material that was asked for.
        material: String,
        /// The class with its table.
        class: String,
        /// What the values of that table are.
        metric: Metric,
        /// Where the table would be.
        path: PathBuf,
    },
    /// No table can hold this.
    #[error("not in tables: {material} has {pieces} pieces, a table has at most {MAX_PIECES}")]
    TooManyPieces {
        /// The material.
        material: String,
        /// How many pieces it has.
        pieces: usize,
    },
    /// The file cannot be read, is damaged, or is of another version.
    #[error("{0}")]
    File(OpenError),
    /// The table was made with other rules.
    #[error(
        "{}: made for rule set {found} ({found_fingerprint:016x}), asked for {expected} ({expected_fingerprint:016x}){}",
        path.display(),
        if found == expected { "; the rules have changed: give them another name, or move these tables away" } else { "" }
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The rule set it was made for.
        found: String,
        /// The fingerprint of that.
        found_fingerprint: u64,
        /// The rule set that was asked for.
        expected: String,
        /// The fingerprint of that.
        expected_fingerprint: u64,
    },
    /// The file holds another table than its name says.
    #[error("{}: header: {field} is {found}, expected {expected}", path.display())]
    OtherTable {
        /// The file.
        path: PathBuf,
        /// Which field of the header differs.
        field: &'static str,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: String,
    },
    /// The tables contradict each other: two of them disagree about a position, or no move leads to the value that it has.
    #[error("the tables contradict each other at {fen}: {value}, but {other}")]
    Contradiction {
        /// The position.
        fen: String,
        /// Its value in one table.
        value: String,
        /// What does not fit that.
        other: String,
    },
}

impl TablebaseError {
    /// True if the answer is in a table that is not there, or can be in none.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            TablebaseError::NoTables { .. } | TablebaseError::Missing { .. } | TablebaseError::TooManyPieces { .. }
        )
    }

    /// True if a file is there and cannot be used: damaged, of another version, of another rule set.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            TablebaseError::File(error) => {
                !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Io | ErrorKind::Usage)
            }
            TablebaseError::OtherRules { .. }
            | TablebaseError::OtherTable { .. }
            | TablebaseError::Contradiction { .. } => true,
            TablebaseError::NoTables { .. }
            | TablebaseError::Folder { .. }
            | TablebaseError::Missing { .. }
            | TablebaseError::TooManyPieces { .. } => false,
        }
    }
}
