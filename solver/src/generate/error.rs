//! Why a run ended early.

use crate::write::WdlError;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::WriteError;
use std::io;
use std::path::PathBuf;

/// Why a run ended early. Tables that were done stay; nothing half written is left under a table's name.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Asked to stop.
    #[error("stopped; run the same command again to go on")]
    Stopped,
    /// A table would not fit in memory.
    #[error(
        "class {class} needs about {} of memory, the limit is {}{}",
        human(*needed), human(*limit),
        fits.as_ref().map_or_else(String::new, |fits| format!("; {fits}"))
    )]
    TooLarge {
        /// The class.
        class: String,
        /// What it needs, in bytes.
        needed: u64,
        /// The limit, in bytes.
        limit: u64,
        /// What would fit.
        fits: Option<String>,
    },
    /// The file system has not enough room for the tables.
    #[error(
        "{}: what is to be made needs about {} on disk, {} are free",
        folder.display(), decimal(*needed), decimal(*free)
    )]
    NoRoom {
        /// The folder of the tables.
        folder: PathBuf,
        /// What they need, in bytes.
        needed: u64,
        /// What is free for this user, in bytes.
        free: u64,
    },
    /// The folder cannot be made or locked, or a file cannot be removed.
    #[error("{}: cannot {action}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// A table could not be written.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// A table that is needed cannot be read.
    #[error("{0}")]
    Table(#[from] TablebaseError),
    /// A file under the name of a table is not that table, but may be of use to somebody.
    #[error("{0}; nothing is overwritten: move it away or remove it, and run again")]
    Foreign(TablebaseError),
    /// A class has positions that are won or lost under the limit of plies without a capture, but not without it.
    #[error(
        "class {class}: who wins under the limit contradicts its table of distances to win; check that with `dsq verify`"
    )]
    Contradiction {
        /// The class.
        class: String,
    },
    /// The checker found faults in a table just made. It got no name.
    #[error("class {class}: the checker found {faults} faults; the table was removed. First: {first}")]
    Faulty {
        /// The class.
        class: String,
        /// How many.
        faults: u64,
        /// The first one.
        first: String,
    },
}

impl From<WdlError> for GenerateError {
    fn from(error: WdlError) -> GenerateError {
        match error {
            WdlError::Read(error) => GenerateError::Table(error),
            WdlError::Write(error) => GenerateError::Write(error),
        }
    }
}

/// A number of bytes on a disk for people: powers of ten, as disks are sold.
fn decimal(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A number of bytes of memory for people, as `--memory` takes it.
fn human(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mib @ 1..1024 => format!("{mib} MiB"),
        mib => format!("{:.1} GiB", mib as f64 / 1024.0),
    }
}
