//! Where things stand in a rule file, so that an error names the line and the field.

use super::error::RuleError;
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A field of a rule file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// A word of the top level.
    section: String,
    /// Which one of a list, counted from 0.
    entry: Option<usize>,
    /// What that one is called; empty if it has no name.
    name: String,
    /// A key of the section or of the entry.
    key: Option<String>,
}

impl Place {
    /// A field of the top level.
    pub(super) fn section(section: &str) -> Place {
        Place { section: section.to_owned(), entry: None, name: String::new(), key: None }
    }

    /// A setting.
    pub(super) fn setting(key: &str) -> Place {
        Place::section("settings").key(key)
    }

    /// One of a list, counted from 0, by its name if it has one.
    pub(super) fn entry(section: &str, index: usize, name: &str) -> Place {
        Place { entry: Some(index), name: name.to_owned(), ..Place::section(section) }
    }

    /// A field inside.
    pub(super) fn key(&self, key: &str) -> Place {
        Place { key: Some(key.to_owned()), ..self.clone() }
    }

    fn is(&self, other: &Place) -> bool {
        self.section == other.section && self.entry == other.entry && self.key == other.key
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |word: &str| match word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            true => word.to_owned(),
            false => format!("{word:?}"),
        };
        f.write_str(&word(&self.section))?;
        if let Some(index) = self.entry {
            write!(f, " {}", index + 1)?;
        }
        // A longer one is no name, and may be half of the file.
        if (1..=64).contains(&self.name.len()) {
            write!(f, " ({:?})", self.name)?;
        }
        match &self.key {
            Some(key) => write!(f, "{}{}", if self.entry.is_some() { ": " } else { "." }, word(key)),
            None => Ok(()),
        }
    }
}

/// A field with the bytes of its key and of its value.
struct Found {
    place: Place,
    key: Range<usize>,
    value: Range<usize>,
}

/// The text of a rule file, and where its fields stand.
pub(super) struct Source<'a> {
    name: &'a str,
    text: &'a str,
    fields: Vec<Found>,
}

impl<'a> Source<'a> {
    /// Reads the text of a rule file; `name` is for messages.
    pub(super) fn read<T: DeserializeOwned>(text: &'a str, name: &'a str) -> Result<(Source<'a>, T), RuleError> {
        let mut source = Source { name, text, fields: Vec::new() };
        let table = DeTable::parse(text).map_err(|error| source.syntax(&error))?;
        source.fields = fields(table.get_ref());
        let raw = T::deserialize(toml::de::Deserializer::from(table)).map_err(|error| source.wrong_field(&error))?;
        Ok((source, raw))
    }

    /// The error that a field has.
    pub(super) fn refuse(&self, place: &Place, reason: impl Into<String>) -> RuleError {
        // What is not written is looked for in the section where it should be.
        let outer = Place { key: None, ..place.clone() };
        let found =
            [place, &outer].into_iter().find_map(|place| self.fields.iter().find(|field| field.place.is(place)));
        self.error(place.to_string(), found.map_or(0, |field| field.key.start), reason.into())
    }

    fn error(&self, field: String, offset: usize, reason: String) -> RuleError {
        RuleError::Field { source_name: self.name.to_owned(), line: Some(self.line(offset)), field, reason }
    }

    /// The line of a byte, counted from 1.
    fn line(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
    }

    /// What is not TOML: the line is shown as it is written. A string that is not closed is noticed at the end of the file
    /// only; then it is the last field that was begun.
    fn syntax(&mut self, error: &toml::de::Error) -> RuleError {
        let offset = error.span().map_or(0, |span| span.start);
        let reason = error.message().replace('\n', " ");
        if offset >= self.text.trim_end().len() {
            self.fields = fields(DeTable::parse_recoverable(self.text).0.get_ref());
            if let Some(last) = self.fields.iter().max_by_key(|field| (field.key.start, field.place.key.is_some())) {
                return self.error(last.place.to_string(), last.key.start, reason);
            }
        }
        let line = self.line(offset);
        let written: String = self.text.lines().nth(line - 1).unwrap_or_default().trim().chars().take(60).collect();
        let reason = if written.is_empty() { reason } else { format!("{reason}, at {written:?}") };
        RuleError::Syntax { source_name: self.name.to_owned(), line, reason }
    }

    /// TOML, but a field is missing, unknown or of a wrong type.
    fn wrong_field(&self, error: &toml::de::Error) -> RuleError {
        let span = error.span().unwrap_or_default();
        let inside = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
        // What is inside of a field stands behind it in the list. The file as a whole has no place and no length.
        let found = self.fields.iter().rfind(|field| !span.is_empty() && (inside(&field.key) || inside(&field.value)));
        let place = found.map(|field| field.place.clone());
        let reason = error.message().replace('\n', " ");
        let missing = reason.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        match (place, missing) {
            (Some(place), Some(key)) => self.error(place.key(key).to_string(), span.start, "it is missing".to_owned()),
            (Some(place), None) => self.error(place.to_string(), span.start, reason),
            (None, Some(key)) => self.error(Place::section(key).to_string(), 0, "it is missing".to_owned()),
            (None, None) => {
                RuleError::Syntax { source_name: self.name.to_owned(), line: self.line(span.start), reason }
            }
        }
    }
}

/// All fields, each before those inside of it.
fn fields(root: &DeTable<'_>) -> Vec<Found> {
    let mut fields = Vec::new();
    for (key, value) in root {
        let section = Place::section(key.get_ref());
        fields.push(Found { place: section.clone(), key: key.span(), value: value.span() });
        match value.get_ref() {
            DeValue::Table(table) => fields.extend(inside(&section, table)),
            DeValue::Array(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    let name = entry.get_ref().get("name").and_then(|name| name.get_ref().as_str()).unwrap_or_default();
                    let place = Place::entry(key.get_ref(), index, name);
                    fields.push(Found { place: place.clone(), key: entry.span(), value: entry.span() });
                    if let DeValue::Table(table) = entry.get_ref() {
                        fields.extend(inside(&place, table));
                    }
                }
            }
            _ => {}
        }
    }
    fields
}

fn inside(outer: &Place, table: &DeTable<'_>) -> Vec<Found> {
    let found = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| Found {
        place: outer.key(key.get_ref()),
        key: key.span(),
        value: value.span(),
    };
    table.iter().map(found).collect()
}
