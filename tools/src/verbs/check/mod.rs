//! `check`: judges play against the tables.

mod candidates;
mod engine;
mod games;
mod rules;

use crate::cli::check::{Check as Args, NotationArgs, What};
use crate::context::Context;
use crate::error::{Code, Failure};
use crate::judge::dialect::{DialectFile, Notation};
use std::io::Write;
use std::path::Path;

/// Judges what was typed.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    match &args.what {
        What::Games(games) => games::run(context, games, out),
        What::Engine(engine) => engine::run(context, engine, out),
        What::Rules(rules) => rules::run(context, rules, out),
    }
}

/// The dialect of this name or file, if there is one.
pub fn dialect_file(path: Option<&Path>) -> Result<DialectFile, Failure> {
    match path {
        Some(path) => DialectFile::read(path).map_err(Failure::bad),
        None => Ok(DialectFile::default()),
    }
}

/// The notation of a dialect file with what the options change.
pub fn notation(file: &DialectFile, args: &NotationArgs) -> Result<Notation, Failure> {
    let mut notation = file.notation.clone();
    notation.mirror |= args.mirror;
    notation.first = args.first.unwrap_or(notation.first);
    for part in args.letters.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|part| !part.is_empty()) {
        let refuse = |reason: &str| Failure::bad(format_args!("--letters: {part:?} {reason}"));
        let (name, letter) = part.split_once('=').ok_or_else(|| refuse("is not of the form lion=I"))?;
        let mut chars = letter.trim().chars();
        let (Some(letter), None) = (chars.next(), chars.next()) else { return Err(refuse("does not give one letter")) };
        notation.letters.insert(name.trim().to_lowercase(), letter);
    }
    Ok(notation)
}
