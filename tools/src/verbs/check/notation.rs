//! How other programs write: a dialect, and what is changed of it.

use crate::error::Failure;
use crate::judge::dialect::{Case, DialectFile, Notation};
use std::path::Path;

/// What differs from the notation of a dialect.
#[derive(Clone, Default, Debug)]
pub struct NotationChanges {
    /// Other letters for some animals, as `lion=I,leopard=L`.
    pub letters: Option<String>,
    /// Whether left and right are exchanged, if the dialect does not say so already.
    pub mirror: bool,
    /// The case of the letters of White, if it is another one.
    pub first: Option<Case>,
}

/// The dialect of this name or file, if there is one.
pub fn dialect_file(path: Option<&Path>) -> Result<DialectFile, Failure> {
    match path {
        Some(path) => DialectFile::read(path).map_err(Failure::bad),
        None => Ok(DialectFile::default()),
    }
}

/// The notation of a dialect file with some changes.
pub fn notation(file: &DialectFile, changes: &NotationChanges) -> Result<Notation, Failure> {
    let mut notation = file.notation.clone();
    notation.mirror |= changes.mirror;
    notation.first = changes.first.unwrap_or(notation.first);
    for part in changes.letters.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|part| !part.is_empty()) {
        let refuse = |reason: &str| Failure::bad(format_args!("--letters: {part:?} {reason}"));
        let (name, letter) = part.split_once('=').ok_or_else(|| refuse("is not of the form lion=I"))?;
        let mut chars = letter.trim().chars();
        let (Some(letter), None) = (chars.next(), chars.next()) else { return Err(refuse("does not give one letter")) };
        notation.letters.insert(name.trim().to_lowercase(), letter);
    }
    Ok(notation)
}
