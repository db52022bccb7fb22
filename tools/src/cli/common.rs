//! The options of every verb.

use super::values::{RuleSetParser, key_value};
use crate::options::{MOST_THREADS, Options};
use clap::{ArgAction, Args, value_parser};
use std::path::PathBuf;

/// Options of every verb, before or after it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// The rule set: a name that `dsq rules` lists, or a rule file [default: classic]
    #[arg(long, value_name = "NAME|FILE", value_parser = RuleSetParser, hide_possible_values = true)]
    pub rules: Option<String>,
    /// Change one setting of the rule set, as tiger-jumps=files (`dsq rules --settings` lists them); can be given more
    /// than once
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// The folder of the tables [default: $DSQ_DIR, else ./tablebase]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// How many threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=i64::from(MOST_THREADS)))]
    pub threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// No progress, no notes, no suggestions
    #[arg(short, long)]
    pub quiet: bool,
    /// Say more on standard error
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

impl Common {
    /// These options, given before the verb, with those given after it, which count more.
    pub fn with(self, after: Common) -> Common {
        Common {
            rules: after.rules.or(self.rules),
            set: self.set.into_iter().chain(after.set).collect(),
            dir: after.dir.or(self.dir),
            threads: after.threads.or(self.threads),
            json: self.json || after.json,
            quiet: self.quiet || after.quiet,
            verbose: self.verbose.saturating_add(after.verbose),
        }
    }
}

impl From<Common> for Options {
    fn from(common: Common) -> Options {
        let Common { rules, set, dir, threads, json, quiet, verbose } = common;
        Options { rules, set, folder: dir, threads, json, quiet, verbose: verbose > 0 }
    }
}
