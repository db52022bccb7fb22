//! Driving engines that nobody vouches for: they may hang, crash, print without end, answer nonsense or leave children
//! behind. Each of these is a [`Fault`], never the end of the run, and no process outlives the run.
//!
//! [`process`] is a command with bounded output, [`reap`] ends it with everything it has started, [`uci`] and [`gtp`] are the
//! lines that are exchanged, [`Engine`] is what others use. Nothing here knows the game: positions and moves are texts.

mod fault;
mod gtp;
mod process;
mod reap;
mod uci;

pub use fault::Fault;
pub use reap::end_all;

use process::Process;
use std::time::{Duration, Instant};

/// How an engine is spoken to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Which lines are exchanged.
    pub protocol: Protocol,
    /// The first word that is said to it; nothing if empty. By UCI the answer ends with a line that ends in `ok`.
    pub hello: String,
    /// Lines that are said after the greeting.
    pub init: Vec<String>,
    /// The word before a new game; nothing if empty.
    pub new_game: String,
    /// True if the moves of the game are told, false if only the position is.
    pub moves: bool,
    /// True if it answers the piece to move first, and its target when it is asked again (GTP).
    pub in_halves: bool,
    /// How long it may take to greet.
    pub patience: Duration,
}

/// Which lines are exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// As chess engines do.
    Uci,
    /// As Go programs do.
    Gtp,
}

/// A position in the words of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The position the game began with: board and side to move.
    pub start: String,
    /// The moves since then.
    pub moves: Vec<String>,
    /// The board to move in.
    pub board: String,
    /// The side to move.
    pub side: String,
    /// The whole of the position to move in.
    pub position: String,
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

/// An engine at work. It ends with this value, with everything it has started.
pub struct Engine {
    process: Process,
    profile: Profile,
    /// What it calls itself.
    name: Option<String>,
    /// True if it answers `isready`.
    ready: bool,
}

impl Engine {
    /// Starts a command and greets it.
    ///
    /// # Errors
    /// [`Failed`]: it does not start, or does not greet.
    pub fn start(command: &str, profile: &Profile) -> Result<Engine, Failed> {
        let process = Process::start(command).map_err(|fault| Failed { fault, tail: Vec::new() })?;
        let mut engine = Engine { process, profile: profile.clone(), name: None, ready: false };
        let greeted = match profile.protocol {
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

    /// Asks for a move.
    ///
    /// # Errors
    /// [`Failed`]: there is none. Whether the engine can go on is told by [`Fault::is_fatal`].
    pub fn ask(&mut self, asked: &Asked, limit: &Limit) -> Result<Reply, Failed> {
        let answer = match self.profile.protocol {
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
        let answer = match self.profile.protocol {
            Protocol::Uci => self.command_by_uci(asked, line, patience, whole),
            Protocol::Gtp => self.command_by_gtp(asked, line, patience),
        };
        answer.map_err(|fault| self.failed(fault))
    }

    fn failed(&mut self, fault: Fault) -> Failed {
        Failed { fault, tail: self.process.tail() }
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

/// The moment when patience ends.
fn until(patience: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(patience).unwrap_or(now)
}
