//! Dialect files.

use super::{Notation, named};
use crate::driver::{LineError, Profile, check_line};
use serde::Deserialize;
use std::path::Path;
use toml::de::{DeTable, DeValue};

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
    /// It is not TOML, or a field is unknown, of a wrong type, or a line that cannot be sent.
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
        let wrong = |line, reason| FileError::Syntax { path: path.to_owned(), line, reason };
        let file: DialectFile = toml::from_str(text).map_err(|error| {
            wrong(error.span().map_or(1, |span| line_at(text, span.start)), error.message().replace('\n', " "))
        })?;
        check_line(&file.notation.tail, &[])
            .map_err(|reason| wrong(line_of(text, "notation", "tail", None), format!("tail: {reason}")))?;
        file.protocol.check().map_err(|error| {
            let LineError { field, index, .. } = &error;
            wrong(line_of(text, "protocol", field, *index), error.to_string())
        })?;
        Ok(file)
    }
}

/// The line of a byte, counted from 1.
fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|&byte| byte == b'\n').count() + 1
}

/// The line of a field, or of one of its values.
fn line_of(text: &str, table: &str, field: &str, index: Option<usize>) -> usize {
    let place = || {
        let file = DeTable::parse(text).ok()?;
        let mut value = file.get_ref().get(table)?;
        for name in field.split('.') {
            value = value.get_ref().get(name)?;
        }
        let item = match (value.get_ref(), index) {
            (DeValue::Array(items), Some(index)) => items.get(index),
            _ => None,
        };
        Some(item.unwrap_or(value).span().start)
    };
    line_at(text, place().unwrap_or(0))
}
