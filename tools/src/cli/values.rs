//! How the values of options are read.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use dsq_tables::rules::NAMES;
use std::ffi::OsStr;

/// Reads a rule set: any text, since it can be a file, but shells are told the names that come with the program.
#[derive(Clone, Copy, Debug)]
pub struct RuleSetParser;

impl TypedValueParser for RuleSetParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMES.iter().copied().map(PossibleValue::new)))
    }
}

/// Reads a changed setting.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

/// Reads GiB, also parts of them, as bytes.
pub fn gibibytes(text: &str) -> Result<u64, String> {
    let gibibytes: f64 = text.parse().map_err(|_| "expected a number of GiB, as 3.5".to_owned())?;
    if !(0.01..=1_000_000.0).contains(&gibibytes) {
        return Err("expected 0.01 to 1000000 GiB".to_owned());
    }
    Ok(crate::output::number::rounded(gibibytes * 1_073_741_824.0))
}

/// Reads the length of sequences in plies.
pub fn depth(text: &str) -> Result<u32, String> {
    // The depth is the last word, so that of a position alone ends up here.
    let Ok(depth) = text.parse() else {
        return Err(
            "the depth is missing: a number of plies after the position, as in `dsq perft startpos 5`".to_owned()
        );
    };
    if depth > 30 { Err("expected 0 to 30 plies".to_owned()) } else { Ok(depth) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_gibibytes() {
        assert_eq!(gibibytes("0.5"), Ok(1 << 29));
        for bad in ["0", "-1", "nan", "inf", "1e300", "x", ""] {
            assert!(gibibytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_depth_is_a_small_number() {
        assert_eq!(depth("30"), Ok(30));
        assert!(depth("31").is_err_and(|error| error.contains("30")));
        assert!(depth("startpos").is_err_and(|error| error.contains("missing")));
    }
}
