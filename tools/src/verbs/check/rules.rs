//! `check rules`: finds out by which rules an engine plays.

use crate::cli::check_engine::RulesCheck as Args;
use crate::context::Context;
use crate::error::{Code, Failure};
use std::io::Write;

/// Asks the engines of the command line.
pub fn run(_context: &Context, _args: &Args, _out: &mut dyn Write) -> Result<Code, Failure> {
    Err(Failure::bad("check rules: not yet"))
}
