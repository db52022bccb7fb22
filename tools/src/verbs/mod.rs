//! One file per verb: what is asked (a `Request`), what is computed (a record), and `run`, which does both for the command line.
//! Nothing here knows how a request was typed, or how a record is printed: that is in [`crate::cli`] and [`crate::output`].

pub mod check;
pub mod engine;
pub mod export;
pub mod generate;
pub mod list;
pub mod moves;
pub mod perft;
pub mod positions;
pub mod probe;
pub mod rules;
pub mod stats;
mod stock;
pub mod verify;

use crate::context::Context;
use crate::error::{Code, Failure};
use std::io::Write;

/// What is asked of the program.
pub enum Request {
    /// To make tables.
    Generate(generate::Request),
    /// Values of positions.
    Probe(probe::Request),
    /// Legal moves.
    Moves(moves::Request),
    /// Counts of sequences of moves.
    Perft(perft::Request),
    /// To check tables.
    Verify(verify::Request),
    /// To judge game records.
    CheckGames(check::games::Request),
    /// To judge engines at work.
    CheckEngine(Box<check::engine::Request>),
    /// By which rules an engine plays.
    CheckRules(Box<check::rules::Request>),
    /// Counts of tables.
    Stats(stats::Request),
    /// Which tables are there.
    List(list::Request),
    /// Rule sets.
    Rules(rules::Request),
    /// To write tables out in other formats.
    Export(export::Request),
    /// To play.
    Engine,
}

/// Does what is asked. Results go to `out`, everything else to standard error.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    match request {
        Request::Generate(request) => generate::run(context, request, out),
        Request::Probe(request) => probe::run(context, request, out),
        Request::Moves(request) => moves::run(context, request, out),
        Request::Perft(request) => perft::run(context, request, out),
        Request::Verify(request) => verify::run(context, request, out),
        Request::CheckGames(request) => check::games::run(context, request, out),
        Request::CheckEngine(request) => check::engine::run(context, request, out),
        Request::CheckRules(request) => check::rules::run(context, request, out),
        Request::Stats(request) => stats::run(context, request, out),
        Request::List(request) => list::run(context, request, out),
        Request::Rules(request) => rules::run(context, request, out),
        Request::Export(request) => export::run(context, request, out),
        Request::Engine => engine::run(context, out),
    }
}
