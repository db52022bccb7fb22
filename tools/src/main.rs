//! The program `dsq`: generates, checks and answers from endgame tables of Dou Shou Qi.
//!
//! What was typed is in [`cli`], which makes a request of it; one file per verb in [`verbs`] answers requests; what is printed is
//! in [`output`]; and the one place that turns errors into words and exit codes is [`error`].

mod answer;
mod cli;
mod command_line;
mod context;
mod driver;
mod engine;
mod error;
mod interrupt;
mod judge;
mod lines;
mod member;
mod number;
mod options;
mod output;
mod progress;
mod random;
mod target;
mod terms;
mod verbs;

use clap::Parser;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A fault of the program itself is said in one line as well.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
        let what = info.payload_as_str().unwrap_or("no more is known");
        let _ = writeln!(std::io::stderr(), "dsq: internal error{place}: {what}");
    }));
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return error::usage(&error),
    };
    // Not `println!`, which panics when nobody reads any more.
    let mut out = BufWriter::new(std::io::stdout().lock());
    let result = run(cli, &mut out);
    let flushed = out.flush();
    // What is left in the buffer after a failed flush would be tried again when it is dropped.
    let (_, _) = out.into_parts();
    error::finish(result.and_then(|code| flushed.map(|()| code).map_err(error::Failure::output)))
}

/// Does what was typed. Results go to `out`, everything else to standard error.
fn run(cli: cli::Cli, out: &mut dyn Write) -> Result<error::Code, error::Failure> {
    let (options, meant) = cli.meant();
    command_line::remember(&options);
    let context = context::Context::new(options)?;
    match meant {
        cli::Meant::Verb(request) => verbs::run(&context, &request, out),
        cli::Meant::Script(shell) => cli::print_script(shell, out),
    }
}
