//! The one place where errors become words and exit codes.

use crate::command_line::suggest;
use crate::terms::main_metric;
use dsq_tables::fen::{FenError, LetterHint, LettersError};
use dsq_tables::material::MaterialError;
use dsq_tables::rules::RuleError;
use dsq_tables::tablebase::TablebaseError;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// How the program ends. Ordered by weight: of several the greatest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Code {
    /// All done.
    Done,
    /// A check found faults.
    Faults,
    /// Not in the tables.
    Missing,
    /// Bad usage or bad input, or the system said no.
    Bad,
    /// A table is damaged, or made for another version or rule set.
    Damaged,
    /// Stopped by Ctrl-C.
    Stopped,
}

impl Code {
    /// The exit code.
    pub const fn number(self) -> u8 {
        match self {
            Code::Done => 0,
            Code::Faults => 1,
            Code::Bad => 2,
            Code::Missing => 3,
            Code::Damaged => 4,
            // 128 and the number of the signal, as shells have it.
            Code::Stopped => 130,
        }
    }
}

/// Why a verb could not do what it was asked for.
#[derive(Debug)]
pub enum Failure {
    /// Something to say in one line, and the exit code.
    Said(Code, String),
    /// Nobody reads the output any more: no fault, nothing to say.
    Closed,
}

impl Failure {
    /// Bad usage or bad input.
    pub fn bad(words: impl Display) -> Failure {
        Failure::Said(Code::Bad, words.to_string())
    }

    /// The system refused something about a file.
    pub fn file(path: &Path, error: &io::Error) -> Failure {
        Failure::bad(format_args!("{}: {error}", path.display()))
    }

    /// Writing to standard output failed.
    pub fn output(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::bad(format_args!("standard output: {error}")),
        }
    }
}

// All other files are named in errors of their own, so a bare `io::Error` is about standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::output(error)
    }
}

impl From<RuleError> for Failure {
    fn from(error: RuleError) -> Failure {
        Failure::bad(error)
    }
}

impl From<FenError> for Failure {
    fn from(error: FenError) -> Failure {
        Failure::bad(words_of_fen(&error))
    }
}

impl From<LettersError> for Failure {
    fn from(error: LettersError) -> Failure {
        Failure::bad(error)
    }
}

impl From<MaterialError> for Failure {
    fn from(error: MaterialError) -> Failure {
        Failure::bad(error)
    }
}

impl From<TablebaseError> for Failure {
    fn from(error: TablebaseError) -> Failure {
        Failure::Said(code_of(&error), words_of(&error))
    }
}

/// The exit code of an error of the tables.
pub fn code_of(error: &TablebaseError) -> Code {
    if error.is_missing() {
        Code::Missing
    } else if error.is_damage() {
        Code::Damaged
    } else {
        Code::Bad
    }
}

/// What is wrong with a position in one line, with the option that may help.
pub fn words_of_fen(error: &FenError) -> String {
    let hint = match error {
        FenError::Letter { hint: LetterHint::LionAndLeopard, .. } => {
            "; where I is the lion and L the leopard, say --letters lion=I,leopard=L"
        }
        FenError::Letter { hint: LetterHint::OtherLetters, .. } => {
            "; other letters can be given with --letters NAME=LETTER"
        }
        _ => "",
    };
    format!("{error}{hint}")
}

/// An error of the tables in one line, with what helps.
pub fn words_of(error: &TablebaseError) -> String {
    words_with(error, &suggest)
}

/// The same where what helps is not quite what was typed: `suggest` makes a command of a verb and its words.
pub fn words_with(error: &TablebaseError, suggest: &dyn Fn(&str, &[&str]) -> String) -> String {
    match error {
        TablebaseError::Missing { material, metric, .. } => {
            let words = match metric {
                metric if *metric == main_metric() => vec![material.as_str()],
                metric => vec![material.as_str(), "--metric", metric.name()],
            };
            format!("{error}; `{}` makes it", suggest("generate", &words))
        }
        TablebaseError::NoTables { folder, rules } => {
            let command = suggest("generate", &[]);
            format!("{}: no tables of rule set {rules} in this folder; `{command}` makes them", folder.display())
        }
        _ => error.to_string(),
    }
}

/// Says one line on standard error.
pub fn say(words: impl Display) {
    // One line whatever it holds: file names may have line ends in them.
    let words = words.to_string().replace(['\n', '\r'], " ");
    // If even standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "dsq: {words}");
}

/// Ends the program after a verb.
pub fn finish(result: Result<Code, Failure>) -> ExitCode {
    let code = match result {
        Ok(code) => code,
        Err(Failure::Closed) => Code::Done,
        Err(Failure::Said(code, words)) => {
            say(words);
            code
        }
    };
    ExitCode::from(code.number())
}

/// Ends the program after a command line that cannot be understood, or after `--help`.
pub fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { Code::Bad.number() } else { Code::Done.number() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_codes_are_those_other_programs_rely_on() {
        let codes = [Code::Done, Code::Faults, Code::Bad, Code::Missing, Code::Damaged, Code::Stopped];
        assert_eq!(codes.map(Code::number), [0, 1, 2, 3, 4, 130]);
    }

    #[test]
    fn bad_input_outweighs_what_is_missing() {
        assert_eq!([Code::Missing, Code::Bad, Code::Done].into_iter().max(), Some(Code::Bad));
    }
}
