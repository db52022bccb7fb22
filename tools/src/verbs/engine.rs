//! `engine`: play over standard input and output.

use crate::context::Context;
use crate::engine::{Player, protocol};
use crate::error::{Code, Failure, words_of};
use std::io::Write;

/// Answers until the input ends. Without tables it plays all the same.
pub fn run(context: &Context, out: &mut dyn Write) -> Result<Code, Failure> {
    if context.json() {
        return Err(Failure::bad("--json: engine has a protocol of its own"));
    }
    let rules = context.rules()?;
    let (tables, none) = context.tables(&rules);
    if let Some(error) = none {
        context.note(format_args!("{}; playing without tables", words_of(&error)));
    }
    protocol::run(&Player::new(tables), out)?;
    Ok(Code::Done)
}
