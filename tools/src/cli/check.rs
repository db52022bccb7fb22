//! What is typed after `dsq check`.

use super::check_engine::{EngineCheck, RulesCheck};
use super::common::Common;
use super::notation::DialectArgs;
use crate::verbs::check::games;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Judge play against the tables.
///
/// A fault is a move that turns a win into a draw or a loss, or a draw into a loss, or that is not legal. A win that comes later
/// than it could, and a loss that comes sooner, are reported but are not faults.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq check games record.txt\n  dsq check engine --cmd ./mine --movetime 100\n  \
                  dsq check rules --cmd ./mine\n\n`dsq check games --help` says more, and so on.")]
pub struct Check {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub what: What,
}

/// What is judged.
#[derive(Subcommand, Debug)]
pub enum What {
    Games(Games),
    Engine(Box<EngineCheck>),
    Rules(Box<RulesCheck>),
}

impl Check {
    /// The common options, those after the second word among them.
    pub fn common(&self) -> Common {
        let after = match &self.what {
            What::Games(games) => &games.common,
            What::Engine(engine) => &engine.common,
            What::Rules(rules) => &rules.common,
        };
        self.common.clone().with(after.clone())
    }
}

/// Judge the moves of game records.
///
/// A record has tags in brackets ([White "…"] [Black "…"] [FEN "…"] [Rules "leiden"] [Result "1-0"]) and then moves as a3a4,
/// with or without numbers, comments in braces and a result; a file can hold many games. Or it has one JSON object per line,
/// {"fen": "…", "moves": ["a3a4", …]}. Without FEN a game begins with the starting position.
///
/// Values are those of the position on the board, whatever came before. Positions that are not in the tables are counted as such.
///
/// Where a game is played with a draw after so many plies without a capture ([DrawAfterQuietPlies "60"] or --set
/// draw-after-quiet-plies=60), values take it into account if there are dtc tables for it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq check games record.txt\n  dsq check games a.txt b.txt --html report.html\n  \
                  dsq check games - --json < record.txt\n  dsq check games old.txt --letters lion=I,leopard=L --mirror")]
pub struct Games {
    /// Files with games, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Also write the report as an HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub dialect: DialectArgs,
    #[command(flatten)]
    pub common: Common,
}

impl From<Games> for games::Request {
    fn from(typed: Games) -> games::Request {
        let Games { files, html, dialect, common: _ } = typed;
        games::Request { files, html, dialect: dialect.dialect, notation: dialect.notation.into() }
    }
}
