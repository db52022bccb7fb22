//! `check rules`: finds out by which rules engines play.

use super::candidates::{Engines, candidates};
use crate::context::Context;
use crate::driver::{self, Limit};
use crate::error::{Code, Failure, say};
use crate::interrupt;
use crate::judge::ruling::{self, Conclusion, Unasked};
use crate::output::check::engine::unstarted;
use crate::output::check::rules as report;
use crate::output::json;
use crate::output::records::Ruling;
use std::io::Write;

/// What is asked.
pub struct Request {
    /// The engines.
    pub engines: Engines,
    /// How long they may think about a move.
    pub limit: Limit,
    /// To what depth the moves of the two large positions are counted, in plies.
    pub depth: u32,
}

/// Asks the engines, one after the other.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    if !ruling::applies_to(&rules)? {
        return Err(Failure::bad(format_args!(
            "check rules: the questions are about the common board and animals, not about {}",
            rules.name()
        )));
    }
    let candidates = candidates(&ruling::asking_rules()?, &request.engines)?;
    interrupt::watch(driver::end_all)?;
    let mut code = Code::Done;
    for candidate in &candidates {
        let ruling = match ruling::run(candidate, &rules, request.limit, request.depth) {
            Ok(ruling) => ruling,
            Err(Unasked::Rules(error)) => return Err(error.into()),
            Err(Unasked::Unstarted(failed)) => {
                say(format_args!("{}: {}", candidate.label, unstarted(&failed.line())));
                code = code.max(Code::Bad);
                continue;
            }
            Err(Unasked::Stopped) => return Err(Failure::Said(Code::Stopped, "stopped".to_owned())),
        };
        let record = Ruling::new(&rules, candidate, &ruling);
        if context.json() {
            json(out, &record)?;
        } else {
            report::print(out, &record)?;
        }
        out.flush()?;
        let nothing = ruling.conclusion == Conclusion::Nothing;
        if nothing {
            say(format_args!("{}: nothing was found out about its rules", candidate.label));
        }
        if !ruling.asked_fits || nothing || !ruling.failures.is_empty() || ruling.impossible > 0 {
            code = code.max(Code::Faults);
        }
    }
    Ok(code)
}
