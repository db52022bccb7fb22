//! What the common options mean: rule set, folder, threads, words on standard error.

use crate::error::{Failure, say};
use crate::options::{MOST_THREADS, Options};
use crate::progress::Shown;
use dsq_tables::class::Catalog;
use dsq_tables::fen::Letters;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{DEFAULT_CACHE_BYTES, Tablebase, TablebaseError};
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The environment variable with the folder of the tables.
const FOLDER_VARIABLE: &str = "DSQ_DIR";
/// The folder of the tables if nothing else is said.
const FOLDER: &str = "tablebase";
/// The rule set if nothing else is said.
pub const RULES: &str = dsq_tables::rules::NAMES[0];

/// What the common options mean.
pub struct Context {
    options: Options,
    folder: PathBuf,
}

impl Context {
    /// Takes the options in; sets up the threads of the whole program.
    pub fn new(options: Options) -> Result<Context, Failure> {
        // Rayon heeds this variable too, but would start any number of threads.
        let wanted = || std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&threads| threads > 0);
        if let Some(threads) = options.threads.map(usize::from).or_else(wanted) {
            let threads = threads.min(MOST_THREADS.into());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
            pool.map_err(|error| Failure::bad(format_args!("--threads {threads}: {error}")))?;
        }
        let variable = || std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty());
        let folder = options.folder.clone().or_else(|| variable().map(PathBuf::from));
        Ok(Context { options, folder: folder.unwrap_or_else(|| PathBuf::from(FOLDER)) })
    }

    /// The options as they were typed.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The folder of the tables.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// True if JSON is asked for.
    pub fn json(&self) -> bool {
        self.options.json
    }

    /// The rule set of `--rules` and `--set`.
    pub fn rules(&self) -> Result<Arc<Rules>, Failure> {
        self.rules_called(self.options.rules.as_deref().unwrap_or(RULES))
    }

    /// A rule set with the changes of `--set`.
    pub fn rules_called(&self, name: &str) -> Result<Arc<Rules>, Failure> {
        self.rules_with(name, None)
    }

    /// The same with one more change.
    pub fn rules_with(&self, name: &str, more: Option<(&str, &str)>) -> Result<Arc<Rules>, Failure> {
        let changes = self.options.set.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        Ok(Rules::load_with(name, changes.chain(more))?)
    }

    /// The tables of a rule set, and the complaint if there is not one. They can be asked all the same: a game that is over
    /// needs no table.
    pub fn tables(&self, rules: &Arc<Rules>) -> (Tablebase, Option<TablebaseError>) {
        match Tablebase::open(&self.folder, rules.clone()) {
            Ok(tablebase) => (tablebase, None),
            Err(error) => {
                let catalog = Arc::new(Catalog::new(rules.clone()));
                (Tablebase::at(&self.folder, catalog, DEFAULT_CACHE_BYTES), Some(error))
            }
        }
    }

    /// The tables of a rule set; a folder without any is an error.
    pub fn some_tables(&self, rules: &Arc<Rules>) -> Result<Tablebase, Failure> {
        Ok(Tablebase::open(&self.folder, rules.clone())?)
    }

    /// How the progress of a run is shown.
    pub fn progress(&self) -> Shown {
        match () {
            () if self.options.quiet => Shown::No,
            () if std::io::stderr().is_terminal() => Shown::Bars,
            () => Shown::Lines,
        }
    }

    /// True if there should be no more on standard error than errors.
    pub fn is_quiet(&self) -> bool {
        self.options.quiet
    }

    /// Says something on standard error unless it is to be quiet.
    pub fn note(&self, words: impl Display) {
        if !self.options.quiet {
            say(words);
        }
    }

    /// True if more is to be said on standard error.
    pub fn is_verbose(&self) -> bool {
        self.options.verbose && !self.options.quiet
    }

    /// Says something on standard error if more is to be said.
    pub fn detail(&self, words: impl Display) {
        if self.is_verbose() {
            say(words);
        }
    }
}

/// The letters of `--letters`.
pub fn letters(rules: &Rules, text: Option<&str>) -> Result<Letters, Failure> {
    match text {
        Some(text) => Ok(Letters::parse(rules, text)?),
        None => Ok(Letters::default()),
    }
}

/// Reads materials that can have a table, each once.
pub fn materials(rules: &Rules, words: &[String]) -> Result<Vec<Material>, Failure> {
    let mut materials = Vec::new();
    for word in words {
        let material = Material::parse(rules, word)?;
        if material.count() > MAX_PIECES {
            let count = material.count();
            return Err(Failure::bad(format_args!(
                "material {word:?}: it has {count} pieces, a table has at most {MAX_PIECES}"
            )));
        }
        if !materials.contains(&material) {
            materials.push(material);
        }
    }
    Ok(materials)
}
