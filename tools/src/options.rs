//! The options of every verb, as they are meant.

use std::path::PathBuf;

/// No more threads than this are started.
pub const MOST_THREADS: u16 = 1024;

/// The options of every verb.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// The rule set, a name or a file, if one is named.
    pub rules: Option<String>,
    /// Changed settings of the rule set, as keys and values.
    pub set: Vec<(String, String)>,
    /// The folder of the tables, if one is named.
    pub folder: Option<PathBuf>,
    /// How many threads to use; none for one on each core.
    pub threads: Option<u16>,
    /// Whether JSON is printed.
    pub json: bool,
    /// Whether nothing but results and errors is printed.
    pub quiet: bool,
    /// Whether more is said on standard error.
    pub verbose: bool,
}
