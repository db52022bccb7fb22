//! An engine at work, whichever protocol it speaks.

use super::connection::Connection;
use super::fault::Fault;
use super::process::Process;
use super::profile::{Profile, Protocol};
use super::question::{Asked, Failed, Limit, Ready, Reply};
use std::path::Path;
use std::time::Duration;

/// An engine at work. It ends with this value, with everything it has started.
pub struct Engine(Connection);

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
        let mut engine = Engine(Connection { process, profile: profile.clone(), name: None, ready, patience });
        let greeted = match profile.kind {
            Protocol::Uci => engine.0.greet_by_uci(),
            Protocol::Gtp => engine.0.greet_by_gtp(),
        };
        greeted.map_err(|fault| engine.failed(fault))?;
        Ok(engine)
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Whether it answers `isready`, as far as that is known.
    #[must_use]
    pub fn ready(&self) -> Ready {
        self.0.ready
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// [`Failed`]: there is none. Whether the engine can go on is said by [`Fault::is_fatal`].
    pub fn ask(&mut self, asked: &Asked, limit: &Limit) -> Result<Reply, Failed> {
        let answer = match self.0.profile.kind {
            Protocol::Uci => self.0.ask_by_uci(asked, limit),
            Protocol::Gtp => self.0.ask_by_gtp(asked, limit),
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
        let answer = match self.0.profile.kind {
            Protocol::Uci => self.0.command_by_uci(asked, line, patience, whole),
            Protocol::Gtp => self.0.command_by_gtp(asked, line, patience),
        };
        answer.map_err(|fault| self.failed(fault))
    }

    /// The last lines that were exchanged.
    #[must_use]
    pub fn tail(&self) -> Vec<String> {
        self.0.process.tail()
    }

    fn failed(&self, fault: Fault) -> Failed {
        Failed { fault, tail: self.tail() }
    }
}
