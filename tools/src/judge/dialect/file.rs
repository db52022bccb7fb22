//! Dialect files.

use super::{Notation, named};
use crate::driver::Profile;
use serde::Deserialize;
use std::path::Path;

/// A file that describes how a program writes, and how one talks to it.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DialectFile {
    /// One line on whose dialect it is.
    #[serde(default)]
    pub title: String,
    /// How positions and moves are written.
    #[serde(default)]
    pub notation: Notation,
    /// How one talks to the program; records of games do not need it.
    #[serde(default)]
    pub protocol: Profile,
}

/// Why a dialect file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileError {
    /// Neither a name nor a file.
    #[error("dialect {path:?} is not known: it is neither one of {} nor a file", named::NAMES.join(", "))]
    Unknown {
        /// What was asked for.
        path: String,
    },
    /// It cannot be read.
    #[error("dialect file {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// It is not TOML, or a field is unknown or of a wrong type.
    #[error("dialect file {path}: line {line}: {reason}")]
    Syntax {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

impl DialectFile {
    /// Reads a file, or what comes with the program under a name.
    ///
    /// # Errors
    /// [`FileError`]: it cannot be read, or which line is wrong.
    pub fn read(path: &Path) -> Result<DialectFile, FileError> {
        if let Some((name, text)) = path.to_str().and_then(|name| Some((name, named::text(name)?))) {
            return DialectFile::parse(text, name);
        }
        if !path.exists() {
            return Err(FileError::Unknown { path: path.display().to_string() });
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| FileError::Unreadable { path: path.display().to_string(), reason: error.to_string() })?;
        DialectFile::parse(&text, &path.display().to_string())
    }

    /// Reads the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// [`FileError::Syntax`].
    pub fn parse(text: &str, path: &str) -> Result<DialectFile, FileError> {
        toml::from_str(text).map_err(|error| FileError::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1),
            reason: error.message().replace('\n', " "),
        })
    }
}
