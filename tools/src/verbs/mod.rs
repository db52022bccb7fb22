//! One file per verb: what it computes. What it prints is in [`crate::output`].

pub mod check;
mod completions;
mod engine;
mod export;
mod generate;
mod list;
mod moves;
mod perft;
mod positions;
pub mod probe;
mod rules;
mod stats;
mod verify;

use crate::cli::{Cli, Verb};
use crate::command_line;
use crate::context::Context;
use crate::error::{Code, Failure};
use std::io::Write;

/// Does what was typed. Results go to `out`, everything else to standard error.
pub fn run(cli: Cli, out: &mut dyn Write) -> Result<Code, Failure> {
    let common = cli.common.with(cli.verb.common());
    command_line::remember(&common);
    let context = Context::new(common)?;
    match &cli.verb {
        Verb::Generate(args) => generate::run(&context, args, out),
        Verb::Probe(args) => probe::run(&context, args, out),
        Verb::Moves(args) => moves::run(&context, args, out),
        Verb::Perft(args) => perft::run(&context, args, out),
        Verb::Verify(args) => verify::run(&context, args, out),
        Verb::Check(args) => check::run(&context, args, out),
        Verb::Stats(args) => stats::run(&context, args, out),
        Verb::List(args) => list::run(&context, args, out),
        Verb::Rules(args) => rules::run(&context, args, out),
        Verb::Export(args) => export::run(&context, args, out),
        Verb::Engine(args) => engine::run(&context, args, out),
        Verb::Completions(args) => completions::run(args, out),
    }
}
