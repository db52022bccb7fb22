//! Game records: tags in brackets and moves ([`tagged`]), or one JSON object a line ([`lines`]).

mod lines;
mod parts;
mod tagged;

pub use parts::{Broken, Record, Written, beginning};

/// Reads all games of a text, in whichever of the two forms it has.
#[must_use]
pub fn read(text: &str) -> Vec<Record> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A comment can begin with a brace too, but not go on with a quotation mark.
    let object = text.trim_start().strip_prefix('{').map(str::trim_start);
    if object.is_some_and(|rest| rest.starts_with(['"', '}'])) { lines::read(text) } else { tagged::read(text) }
}

#[cfg(test)]
mod tests;
