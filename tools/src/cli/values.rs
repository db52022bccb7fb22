//! How the values of options are read.

use crate::driver::Protocol;
use crate::judge::dialect::Case;
use crate::judge::exam::Mode;
use crate::terms::{METRICS, metric_help};
use crate::verbs::export::Format;
use crate::verbs::generate::Profile;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command, ValueEnum};
use dsq_tables::rules::NAMES;
use dsq_tables::value::Metric;
use std::ffi::OsStr;

/// Reads a rule set: any text, since it can be a file, but shells get the names that come with the program.
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
    Ok(crate::number::rounded(gibibytes * 1_073_741_824.0))
}

/// Reads the length of sequences in plies.
pub fn depth(text: &str) -> Result<u32, String> {
    // The depth is the last word, so that of a position by itself ends up here.
    let Ok(depth) = text.parse() else {
        return Err(
            "the depth is missing: a number of plies after the position, as in `dsq perft startpos 5`".to_owned()
        );
    };
    if depth > 30 { Err("expected 0 to 30 plies".to_owned()) } else { Ok(depth) }
}

/// Reads the name of a metric.
pub fn metric() -> impl TypedValueParser<Value = Metric> {
    let names = METRICS.map(|metric| PossibleValue::new(metric.name()).help(metric_help(metric)));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Metric>())
}

/// The words that are typed for the values of a plain enum, with their help.
macro_rules! typed_as {
    ($($type:ident { $($value:ident = $word:literal: $help:literal),+ $(,)? })+) => {
        $(impl ValueEnum for $type {
            fn value_variants<'a>() -> &'a [$type] {
                &[$($type::$value),+]
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                Some(match self {
                    $($type::$value => PossibleValue::new($word).help($help)),+
                })
            }
        })+
    };
}

typed_as! {
    Case {
        Upper = "upper": "Capital letters",
        Lower = "lower": "Small letters",
    }
    Format {
        Csv = "csv": "FEN, value, plies",
        Openml = "openml": "The published data set of two-piece endings",
    }
    Mode {
        Examination = "examination": "One move in each position",
        PlayOut = "play-out": "A game from each position against perfect play",
    }
    Profile {
        Balanced = "balanced": "Quick to make, small, quick to read",
        Server = "server":
            "Small blocks for programs that ask for single positions: opened in 0.6 of the time, an eighth more space",
        Archive = "archive":
            "A tenth less space, for four times the time to compress; as quick to read as balanced",
    }
    Protocol {
        Uci = "uci": "As chess engines do: position, go, bestmove",
        Gtp = "gtp": "As Go programs do: setfen, genmove, =",
    }
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
