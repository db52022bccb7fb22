//! `check games`: judges game records.

use crate::cli::check::Games as Args;
use crate::context::Context;
use crate::error::{Code, Failure};
use std::io::Write;

/// Judges the games of some files.
pub fn run(_context: &Context, _args: &Args, _out: &mut dyn Write) -> Result<Code, Failure> {
    Err(Failure::bad("check games: not yet"))
}
