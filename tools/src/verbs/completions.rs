//! `completions`: a script for a shell.

use crate::cli::{Cli, Completions};
use crate::error::{Code, Failure};
use clap::CommandFactory;
use std::io::Write;

/// Prints the script.
pub fn run(args: &Completions, out: &mut dyn Write) -> Result<Code, Failure> {
    // By way of memory: the generator panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dsq", &mut script);
    out.write_all(&script)?;
    Ok(Code::Done)
}
