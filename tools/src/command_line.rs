//! Commands to type, for suggestions.

use crate::options::Options;
use std::path::Path;
use std::sync::OnceLock;

/// The options of this run, which a suggestion repeats.
static TYPED: OnceLock<Options> = OnceLock::new();

/// Keeps the options of this run for suggestions. Errors of any depth suggest commands, and what was typed is the
/// same for all of them, as are the words of `std::env::args`.
pub fn remember(options: &Options) {
    let _ = TYPED.set(options.clone());
}

/// A command with a verb, its words and the options that decide which tables are meant, as a shell understands it.
pub fn suggest(verb: &str, words: &[&str]) -> String {
    suggest_for(verb, words, &TableRules::default())
}

/// What else decides which tables are meant, beside what was typed: the tags of a record.
#[derive(Clone, Default, Debug)]
pub struct TableRules {
    /// The rule set, if none was typed.
    pub rules: Option<String>,
    /// A changed setting.
    pub set: Option<(String, String)>,
}

/// The same with the rules that a record says.
pub fn suggest_for(verb: &str, words: &[&str], more: &TableRules) -> String {
    let argument = std::env::args_os().next().unwrap_or_default();
    let by_cargo = std::env::var_os("CARGO").is_some();
    let mut command = vec![program(&argument.to_string_lossy(), by_cargo), verb.to_owned()];
    command.extend(words.iter().map(|word| quoted(word)));
    command.extend(naming_tables(&with_record(TYPED.get().cloned().unwrap_or_default(), more)));
    command.join(" ")
}

/// How the program was called: by `cargo run`, or by its name or path.
fn program(argument: &str, by_cargo: bool) -> String {
    let folder = Path::new(argument).parent().and_then(Path::file_name).and_then(|name| name.to_str());
    match folder {
        Some("release") if by_cargo => "cargo run --release --".to_owned(),
        Some("debug") if by_cargo => "cargo run --".to_owned(),
        _ if argument.is_empty() => "dsq".to_owned(),
        _ => quoted(argument),
    }
}

/// What was typed, with the rules that a record says.
fn with_record(mut options: Options, more: &TableRules) -> Options {
    options.rules = options.rules.or_else(|| more.rules.clone());
    options.set.extend(more.set.clone());
    options
}

/// The options that decide which tables are meant.
fn naming_tables(options: &Options) -> Vec<String> {
    let mut words = Vec::new();
    let mut option = |name: &str, value: &str| words.push(format!("{name} {}", quoted(value)));
    if let Some(rules) = &options.rules {
        option("--rules", rules);
    }
    for (key, value) in &options.set {
        option("--set", &format!("{key}={value}"));
    }
    if let Some(folder) = &options.folder {
        option("--dir", &folder.to_string_lossy());
    }
    words
}

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(["R-E", "7/7 w", "it's", "", "a$b"].map(quoted), ["R-E", "'7/7 w'", r"'it'\''s'", "''", "'a$b'"]);
    }

    #[test]
    fn the_program_is_called_as_it_was() {
        assert_eq!(program("dsq", false), "dsq");
        assert_eq!(program("./target/release/dsq", false), "./target/release/dsq");
        assert_eq!(program("target/release/dsq", true), "cargo run --release --");
        assert_eq!(program("/build/debug/dsq", true), "cargo run --");
        assert_eq!(program("", false), "dsq");
    }

    #[test]
    fn the_options_that_name_tables_are_kept() {
        let options = Options {
            rules: Some("leiden".into()),
            set: vec![("ranks".into(), "R C".into())],
            folder: Some("here".into()),
            json: true,
            ..Options::default()
        };
        assert_eq!(naming_tables(&options), ["--rules leiden", "--set 'ranks=R C'", "--dir here"]);
    }
    #[test]
    fn what_a_record_says_counts_where_nothing_was_typed() {
        let set = Some(("draw-after-quiet-plies".to_owned(), "60".to_owned()));
        let more = TableRules { rules: Some("leiden".to_owned()), set };
        let all = naming_tables(&with_record(Options::default(), &more));
        assert_eq!(all, ["--rules leiden", "--set draw-after-quiet-plies=60"]);
        let typed = Options { rules: Some("classic".into()), ..Options::default() };
        assert_eq!(naming_tables(&with_record(typed, &more))[0], "--rules classic");
        assert_eq!(naming_tables(&with_record(Options::default(), &TableRules::default())), Vec::<String>::new());
    }
}
