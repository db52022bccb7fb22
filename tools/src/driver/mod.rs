//! Driving engines that nobody vouches for: they may hang, crash, print without end, answer nonsense or leave children
//! behind. Each of these is a [`Fault`], never the end of the run, and no process outlives the run.
//!
//! [`process`] is a command with bounded output, [`reap`] ends it with everything it has started, [`uci`] and [`gtp`] are the
//! lines that are exchanged, [`Engine`] is what others use. Nothing here knows the game: positions and moves are texts.

mod fault;
mod gtp;
mod process;
mod profile;
mod reap;
mod template;
mod uci;

pub use fault::Fault;
pub use profile::{Profile, Protocol};
pub use reap::end_all;
pub use template::{LineError, check as check_line};

use process::Process;
use std::path::Path;
use std::time::{Duration, Instant};

/// The greetings of the protocols that are made after UCI, as the dialects of the program have them.
pub const GREETINGS: [&str; 4] = ["uci", "jcei", "uji", "uaci"];

/// A position in the words of the engine: board, side to move, and the whole of both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// The board.
    pub board: String,
    /// The side to move.
    pub side: String,
    /// Both, with what else belongs to a position.
    pub position: String,
}

/// A position in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Where the game began.
    pub start: Words,
    /// The moves since then.
    pub moves: Vec<String>,
    /// The position to move in.
    pub now: Words,
    /// True if it does not continue the last one.
    pub new_game: bool,
}

/// How long an engine may think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Plies.
    pub depth: Option<u32>,
    /// Milliseconds.
    pub movetime: Option<u64>,
    /// Positions.
    pub nodes: Option<u64>,
    /// How long an answer is waited for.
    pub patience: Duration,
}

/// What an engine that has been asked for a move has said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The move, as it was said.
    pub text: String,
    /// How long it took.
    pub time: Duration,
}

/// Whether an engine answers `isready`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ready {
    /// It was not asked yet, or has broken down before it could answer.
    #[default]
    Unknown,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// An engine at work. It ends with this value, with everything it has started.
pub struct Engine {
    process: Process,
    profile: Profile,
    /// What it calls itself.
    name: Option<String>,
    /// Whether it answers `isready`.
    ready: Ready,
    /// How long it may take to greet.
    patience: Duration,
}

impl Engine {
    /// Starts a command in a folder and greets it; `patience` is how long it may take to answer, `ready` what is known of it
    /// from an earlier start.
    ///
    /// # Errors
    /// [`Failed`]: it does not start, or does not greet.
    pub fn start(
        command: &str,
        folder: Option<&Path>,
        profile: &Profile,
        patience: Duration,
        ready: Ready,
    ) -> Result<Engine, Failed> {
        let process = Process::start(command, folder).map_err(|fault| Failed { fault, tail: Vec::new() })?;
        let ready = if profile.ready { ready } else { Ready::No };
        let mut engine = Engine { process, profile: profile.clone(), name: None, ready, patience };
        let greeted = match profile.kind {
            Protocol::Uci => engine.greet_by_uci(),
            Protocol::Gtp => engine.greet_by_gtp(),
        };
        greeted.map_err(|fault| engine.failed(fault))?;
        Ok(engine)
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether it answers `isready`, as far as that is known.
    #[must_use]
    pub fn ready(&self) -> Ready {
        self.ready
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// [`Failed`]: there is none. Whether the engine can go on is told by [`Fault::is_fatal`].
    pub fn ask(&mut self, asked: &Asked, limit: &Limit) -> Result<Reply, Failed> {
        let answer = match self.profile.kind {
            Protocol::Uci => self.ask_by_uci(asked, limit),
            Protocol::Gtp => self.ask_by_gtp(asked, limit),
        };
        answer.map_err(|fault| self.failed(fault))
    }

    /// Puts a position and says any line; all lines of the answer. Where nobody knows where an answer ends, `whole` tells
    /// whether there is enough of it.
    ///
    /// # Errors
    /// [`Failed`], as for a move.
    pub fn command(
        &mut self,
        asked: &Asked,
        line: &str,
        patience: Duration,
        whole: &dyn Fn(&[String]) -> bool,
    ) -> Result<Vec<String>, Failed> {
        let answer = match self.profile.kind {
            Protocol::Uci => self.command_by_uci(asked, line, patience, whole),
            Protocol::Gtp => self.command_by_gtp(asked, line, patience),
        };
        answer.map_err(|fault| self.failed(fault))
    }

    /// The words that put a position.
    fn place(&self, asked: &Asked) -> String {
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

    /// The last lines that were exchanged.
    #[must_use]
    pub fn tail(&self) -> Vec<String> {
        self.process.tail()
    }

    /// What is to say of an engine that has not answered the greeting: it may want another one, or has answered with a line
    /// that is `nearly` right.
    fn ungreeted(&self, fault: Fault, nearly: Option<String>) -> Fault {
        match &fault {
            Fault::Timeout { .. } | Fault::Flood { .. } => {}
            // A command that the shell does not find, or cannot run, wants no other greeting.
            Fault::Crash { .. } if !matches!(self.process.exit_code(), Some(126 | 127)) => {}
            _ => return fault,
        }
        if let Some(line) = nearly {
            let (line, hello) = (shown(&line), self.profile.hello());
            let instead = format!(
                "an answer to the greeting is one word that ends in `ok`, and not {line:?}; \
                 `hello = \"\"` with `init = [{hello:?}]` in a dialect file does without an answer"
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

    fn failed(&self, fault: Fault) -> Failed {
        Failed { fault, tail: self.tail() }
    }
}

/// Why there is no move, with the last lines that were exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// What went wrong.
    pub fault: Fault,
    /// The last lines: `>` was said to the engine, `<` it has said, `!` it has said on standard error.
    pub tail: Vec<String>,
}

impl Failed {
    /// What went wrong and what the engine has said last, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        /// More lines than these are no longer one.
        const LAST: usize = 3;
        let said: Vec<&str> =
            self.tail.iter().filter_map(|line| line.strip_prefix(['<', '!'])).map(str::trim).collect();
        let (what, advice) = match &self.fault {
            Fault::Greeting { fault, instead } => (fault.to_string(), format!("; {instead}")),
            fault => (fault.to_string(), String::new()),
        };
        let last = match &said[said.len().saturating_sub(LAST)..] {
            [] => "it has printed nothing".to_owned(),
            [line] => format!("its last line: {line}"),
            lines => format!("its last lines: {}", lines.join(" | ")),
        };
        format!("{what}; {last}{advice}")
    }
}

/// A line of an engine for a message: cut, and without characters that would do something to a terminal.
fn shown(line: &str) -> String {
    const LONGEST: usize = 80;
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = line.trim().chars().map(clean).take(LONGEST).collect();
    if line.trim().chars().nth(LONGEST).is_some() { text + "…" } else { text }
}

/// The moment when patience ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Deadline {
    at: Instant,
    /// How long that was from the beginning.
    patience: Duration,
}

/// The moment when patience ends that begins now.
fn until(patience: Duration) -> Deadline {
    let now = Instant::now();
    Deadline { at: now.checked_add(patience).unwrap_or(now), patience }
}
