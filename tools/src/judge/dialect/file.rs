//! Dialect files.

use super::error::DialectError;
use super::named;
use super::notation::Notation;
use crate::driver::{LineError, Profile, check_line};
use serde::Deserialize;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// A file that describes how a program writes, and how one talks to it.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "the tables of a dialect file")]
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
    /// The file, for messages.
    #[serde(skip)]
    path: String,
    /// Its text, in which the line of a fault is looked up.
    #[serde(skip)]
    text: String,
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
        let mut file = DialectFile::parse(&text, &path.display().to_string())?;
        file.protocol.from_file = true;
        Ok(file)
    }

    /// Reads the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// [`FileError::Syntax`].
    pub fn parse(text: &str, path: &str) -> Result<DialectFile, FileError> {
        let mut file: DialectFile = toml::from_str(text).map_err(|error| {
            let (start, words) = (error.span().map_or(0, |span| span.start), error.message().replace('\n', " "));
            let reason = field_at(text, start).map_or(words.clone(), |field| format!("{field}: {words}"));
            FileError::Syntax { path: path.to_owned(), line: line_at(text, start), reason }
        })?;
        (file.path, file.text) = (path.to_owned(), text.to_owned());
        check_line(&file.notation.tail, &[])
            .map_err(|reason| file.wrong("notation", "tail", None, &format!("tail: {reason}")))?;
        file.notation.check().map_err(|error| file.refuse(&error))?;
        file.protocol.check().map_err(|error| {
            let LineError { field, index, .. } = &error;
            file.wrong("protocol", field, *index, &error.to_string())
        })?;
        Ok(file)
    }

    /// A notation that does not go with a rule set, or with itself, as a fault of the file.
    #[must_use]
    pub fn refuse(&self, error: &DialectError) -> FileError {
        let (field, index) = error.place();
        self.wrong("notation", &field, index, &error.to_string())
    }

    /// A fault of a field of the file, or of one of its values.
    #[must_use]
    pub fn wrong(&self, table: &str, field: &str, index: Option<usize>, reason: &str) -> FileError {
        let line = line_of(&self.text, table, field, index);
        FileError::Syntax { path: self.path.clone(), line, reason: reason.to_owned() }
    }
}

/// The line of a byte, counted from 1.
fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|&byte| byte == b'\n').count() + 1
}

/// The field in whose value a byte stands, without the name of the table around it; none if that cannot be said.
fn field_at(text: &str, byte: usize) -> Option<String> {
    fn find(table: &DeTable<'_>, byte: usize, around: &[&str]) -> Option<String> {
        table.iter().find_map(|(name, value)| {
            let path = [around, &[name.get_ref().as_ref()]].concat();
            let inner = value.get_ref().as_table().and_then(|table| find(table, byte, &path));
            // Of the table itself only its name is known.
            let own = || value.span().contains(&byte).then(|| path[usize::from(path.len() > 1)..].join("."));
            inner.or_else(own)
        })
    }
    let file = DeTable::parse(text).ok()?;
    find(file.get_ref(), byte, &[])
}

/// The line of a field, or of one of its values.
fn line_of(text: &str, table: &str, field: &str, index: Option<usize>) -> usize {
    let place = || {
        let file = DeTable::parse(text).ok()?;
        let mut value = file.get_ref().get(table)?;
        // A name can have a dot in it; the field around it is near enough.
        for name in field.split('.') {
            let Some(inner) = value.get_ref().get(name) else { break };
            value = inner;
        }
        let item = match (value.get_ref(), index) {
            (DeValue::Array(items), Some(index)) => items.get(index),
            _ => None,
        };
        Some(item.unwrap_or(value).span().start)
    };
    line_at(text, place().unwrap_or(0))
}
