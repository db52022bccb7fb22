//! An engine that runs, with what is known of it: the part that all protocols share.

use super::fault::Fault;
use super::process::Process;
use super::profile::{GREETINGS, Profile, Protocol};
use super::question::{Asked, Ready};
use std::time::Duration;

/// An engine that runs. It ends with this value, with everything it has started.
pub struct Connection {
    /// The process.
    pub process: Process,
    /// How to talk to it.
    pub profile: Profile,
    /// What it calls itself.
    pub name: Option<String>,
    /// Whether it answers `isready`.
    pub ready: Ready,
    /// How long it may take to greet.
    pub patience: Duration,
}

impl Connection {
    /// The words that put a position.
    pub fn place(&self, asked: &Asked) -> String {
        let with_moves = self.profile.moves && self.profile.kind == Protocol::Uci;
        let words = if with_moves { &asked.start } else { &asked.now };
        let mut text = self.profile.position().to_owned();
        for (field, word) in [("{position}", &words.position), ("{board}", &words.board), ("{side}", &words.side)] {
            text = text.replace(field, word);
        }
        if with_moves && !asked.moves.is_empty() {
            text.push_str(" moves ");
            text.push_str(&asked.moves.join(" "));
        }
        text
    }

    /// What is to say of an engine that has not answered the greeting: it may want another one, or has answered with a line
    /// that is `nearly` right.
    pub fn ungreeted(&self, fault: Fault, nearly: Option<String>) -> Fault {
        match &fault {
            Fault::Timeout { .. } | Fault::Flood { .. } => {}
            // A command that the shell does not find, or cannot run, wants no other greeting.
            Fault::Crash { .. } if !matches!(self.process.exit_code(), Some(126 | 127)) => {}
            _ => return fault,
        }
        if let Some(line) = nearly {
            let (line, hello) = (shown(&line), self.profile.hello());
            let instead = format!(
                "the answer to a greeting is one word that ends in `ok`, not {line:?}; \
                 `hello = \"\"` with `init = [{hello:?}]` in a dialect file expects no answer"
            );
            return Fault::Greeting { fault: Box::new(fault), instead };
        }
        let own = if self.profile.kind == Protocol::Uci { self.profile.hello() } else { "" };
        let others: Vec<&str> = GREETINGS.into_iter().filter(|word| *word != own).collect();
        let hello = format!("--hello WORD ({})", others.join(", "));
        let instead = match (self.profile.kind, self.profile.from_file) {
            (Protocol::Uci, false) => format!("does it want {hello}, --protocol gtp or --dialect FILE?"),
            (Protocol::Uci, true) => format!("does it want {hello} or --protocol gtp?"),
            (Protocol::Gtp, false) => format!("does it want --protocol uci with {hello} or --dialect FILE?"),
            (Protocol::Gtp, true) => format!("does it want --protocol uci with {hello}?"),
        };
        Fault::Greeting { fault: Box::new(fault), instead }
    }
}

/// A line of an engine for a message: cut, and without characters that would do something to a terminal.
pub fn shown(line: &str) -> String {
    const LONGEST: usize = 80;
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = line.trim().chars().map(clean).take(LONGEST).collect();
    if line.trim().chars().nth(LONGEST).is_some() { text + "…" } else { text }
}
