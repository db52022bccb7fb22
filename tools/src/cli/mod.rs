//! What is typed, and what is meant by it. The comments on options and verbs are the words of `--help`.
//!
//! Only this folder knows the parser of command lines: each verb takes a plain request.

mod check;
mod check_engine;
mod common;
mod fens;
mod notation;
mod positions;
mod tables;
mod values;

use crate::error::{Code, Failure};
use crate::options::Options;
use crate::verbs::{Request, rules};
use check::{Check, What};
use clap::{Args, CommandFactory, Parser, Subcommand};
use common::Common;
use positions::{Moves, Perft, Probe};
use std::io::Write;
use tables::{Export, Generate, List, Stats, Verify};
use values::RuleSetParser;

/// Generate, verify and query endgame tables of Dou Shou Qi (Jungle, Animal Chess).
///
/// A table holds, for every position of a material, who wins with best play and in how many plies (single moves).
/// `dsq generate` makes the tables, `dsq probe` answers from them.
///
/// Exit codes: 0 done; 1 a check found faults; 2 bad usage or bad input; 3 not in the tables; 4 damaged or
/// foreign table (made for other rules or by another version); 130 stopped by Ctrl-C.
#[derive(Parser, Debug)]
#[command(
    name = "dsq",
    version,
    max_term_width = 110,
    after_help = "Examples:\n  dsq generate\n  dsq probe 't6/7/T6/7/7/7/7/7/7 w' --line\n  dsq stats RL-E\n\n\
                  `dsq VERB --help` says more about each verb."
)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Verb {
    Generate(Generate),
    Probe(Probe),
    Moves(Moves),
    Perft(Perft),
    Verify(Verify),
    Check(Check),
    Stats(Stats),
    List(List),
    Rules(Rules),
    Export(Export),
    Engine(Engine),
    Completions(Completions),
}

/// List the rule sets, print one in full (a rule file that reads back), or list the settings.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq rules\n  dsq rules leiden\n  \
                  dsq rules classic --set tiger-jumps=files > mine.toml\n  \
                  dsq rules --settings    every KEY and VALUE of --set")]
pub struct Rules {
    /// A rule set
    #[arg(value_name = "NAME|FILE", value_parser = RuleSetParser, hide_possible_values = true)]
    pub name: Option<String>,
    /// List every setting with its values, its default and what it means
    #[arg(long, conflicts_with = "name")]
    pub settings: bool,
    #[command(flatten)]
    pub common: Common,
}

impl From<Rules> for rules::Request {
    fn from(typed: Rules) -> rules::Request {
        match typed.name {
            _ if typed.settings => rules::Request::Settings,
            Some(name) => rules::Request::Named(name),
            None => rules::Request::Unnamed,
        }
    }
}

/// Play as an engine: lines on standard input, answers on standard output, like a UCI chess engine.
///
/// Perfect where there are tables: the fastest win, else a draw, else the slowest loss. Elsewhere it searches (alpha-beta, with
/// the tables at the leaves). It knows uci, isready, ucinewgame, position startpos|fen F [moves M...], go with depth, nodes,
/// movetime or infinite (one second if no limit is given), go perft N, stop and quit, and ignores everything else. An impossible
/// position is reported in an info line, and `go` then answers `bestmove 0000`, as it does where there is no move.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq engine\n  dsq engine --rules leiden --dir tables\n  \
                  printf 'position fen t6/7/T6/7/7/7/7/7/7 w\\ngo depth 5\\n' | dsq engine")]
pub struct Engine {
    #[command(flatten)]
    pub common: Common,
}

/// Print a script that completes the words of `dsq` in a shell.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  dsq completions bash > ~/.local/share/bash-completion/completions/dsq")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    #[command(flatten)]
    pub common: Common,
}

/// What is meant by a command line.
pub enum Meant {
    /// To do something with the game or its tables.
    Verb(Request),
    /// To print the script that completes the words of the command line in a shell.
    Script(clap_complete::Shell),
}

impl Cli {
    /// What is meant by what was typed.
    pub fn meant(self) -> (Options, Meant) {
        let common = self.common.with(self.verb.common());
        let request = match self.verb {
            Verb::Generate(typed) => Request::Generate(typed.into()),
            Verb::Probe(typed) => Request::Probe(typed.into()),
            Verb::Moves(typed) => Request::Moves(typed.into()),
            Verb::Perft(typed) => Request::Perft(typed.into()),
            Verb::Verify(typed) => Request::Verify(typed.into()),
            Verb::Check(Check { what: What::Games(typed), .. }) => Request::CheckGames(typed.into()),
            Verb::Check(Check { what: What::Engine(typed), .. }) => Request::CheckEngine(Box::new((*typed).into())),
            Verb::Check(Check { what: What::Rules(typed), .. }) => Request::CheckRules(Box::new((*typed).into())),
            Verb::Stats(typed) => Request::Stats(typed.into()),
            Verb::List(typed) => Request::List(typed.into()),
            Verb::Rules(typed) => Request::Rules(typed.into()),
            Verb::Export(typed) => Request::Export(typed.into()),
            Verb::Engine(_) => Request::Engine,
            Verb::Completions(typed) => return (common.into(), Meant::Script(typed.shell)),
        };
        (common.into(), Meant::Verb(request))
    }
}

/// Prints the script that completes the words of the command line in a shell.
pub fn print_script(shell: clap_complete::Shell, out: &mut dyn Write) -> Result<Code, Failure> {
    // By way of memory: the generator panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "dsq", &mut script);
    out.write_all(&script)?;
    Ok(Code::Done)
}

impl Verb {
    /// The common options given after the verb.
    pub fn common(&self) -> Common {
        match self {
            Verb::Generate(args) => args.common.clone(),
            Verb::Probe(args) => args.common.clone(),
            Verb::Moves(args) => args.common.clone(),
            Verb::Perft(args) => args.common.clone(),
            Verb::Verify(args) => args.common.clone(),
            Verb::Check(args) => args.common(),
            Verb::Stats(args) => args.common.clone(),
            Verb::List(args) => args.common.clone(),
            Verb::Rules(args) => args.common.clone(),
            Verb::Export(args) => args.common.clone(),
            Verb::Engine(args) => args.common.clone(),
            Verb::Completions(args) => args.common.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_has_an_example() {
        for verb in Cli::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("dsq {}", verb.get_name())), "{}", verb.get_name());
        }
    }

    #[test]
    fn common_options_count_before_and_after_the_verb() {
        let cli = Cli::try_parse_from([
            "dsq", "--set", "a=1", "--rules", "x", "--dir", "here", "-v", "moves", "startpos", "--set", "b=2",
            "--rules", "y", "--json", "-v",
        ])
        .unwrap();
        let common = cli.common.clone().with(cli.verb.common());
        assert_eq!(common.rules.as_deref(), Some("y"));
        assert_eq!(common.set, [("a".into(), "1".into()), ("b".into(), "2".into())]);
        assert_eq!(common.dir.as_deref(), Some(std::path::Path::new("here")));
        assert_eq!((common.json, common.quiet, common.verbose), (true, false, 2));
    }

    #[test]
    fn the_depth_is_the_last_word() {
        for (words, fen) in
            [(vec!["startpos", "5"], vec!["startpos"]), (vec!["7/7 x", "w", "3", "5"], vec!["7/7 x", "w", "3"])]
        {
            let cli = Cli::try_parse_from(["dsq", "perft"].into_iter().chain(words)).unwrap();
            let Verb::Perft(perft) = cli.verb else { panic!("another verb") };
            assert_eq!((perft.fen, perft.depth), (fen.into_iter().map(str::to_owned).collect(), 5));
        }
        assert!(Cli::try_parse_from(["dsq", "perft", "startpos", "31"]).is_err());
        assert!(Cli::try_parse_from(["dsq", "perft", "startpos"]).is_err());
    }
}
