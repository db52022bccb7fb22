//! An engine that takes part: it is started when it is needed, and again after it has broken down.

use crate::driver::{Asked, Engine, Failed, Fault, Limit, Profile, Ready, Reply, Words};
use crate::judge::dialect::{Dialect, Notation};
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How often an engine that is never given up is started until it greets for the first time.
const GREETINGS: u32 = 3;

/// An engine that is judged.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called in the report.
    pub label: String,
    /// The command that starts it.
    pub command: String,
    /// The folder in which it is started; none for the current one.
    pub folder: Option<PathBuf>,
    /// How to talk to it.
    pub profile: Profile,
    /// How it writes.
    pub dialect: Arc<Dialect>,
    /// How long it may take to greet.
    pub patience: Duration,
    /// After so many starts in a row that did not lead to an answer it is not started again; 0 for never.
    pub give_up: u32,
}

/// An engine that takes part in a check.
pub struct Participant<'a> {
    candidate: &'a Candidate,
    engine: Option<Engine>,
    name: Option<String>,
    /// Whether it answers `isready`: it is the same engine however often it is started.
    ready: Ready,
    /// Starts in a row that did not lead to an answer.
    vain: u32,
}

impl<'a> Participant<'a> {
    /// An engine that is not started yet.
    pub fn new(candidate: &'a Candidate) -> Participant<'a> {
        Participant { candidate, engine: None, name: None, ready: Ready::Unknown, vain: 0 }
    }

    /// What the engine calls itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The last lines that were exchanged with the engine that works now.
    pub fn tail(&self) -> Vec<String> {
        self.engine.as_ref().map(Engine::tail).unwrap_or_default()
    }

    /// Ends the engine; it is started again when it is needed.
    pub fn leave(&mut self) {
        self.engine = None;
    }

    /// True if it is of no use to start it again.
    pub fn is_hopeless(&self) -> bool {
        self.candidate.give_up > 0 && self.vain >= self.candidate.give_up
    }

    /// Starts it, if it does not work yet. That fails if it has not been started, or has not answered its greeting, several
    /// times in a row. Of one that is never given up it is not expected either that it greets some day.
    pub fn greet(&mut self) -> Result<(), Failed> {
        let most = if self.candidate.give_up > 0 { self.candidate.give_up } else { GREETINGS };
        while self.engine.is_none() {
            match self.start().map(|_| ()) {
                // One that was started late is as good as any other.
                Ok(()) => self.vain = 0,
                Err(failed) if failed.fault == Fault::Stopped || self.vain >= most => return Err(failed),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Asks for a move.
    pub fn ask(&mut self, asked: &Asked, limit: &Limit) -> Result<Reply, Failed> {
        self.with_engine(|engine| engine.ask(asked, limit))
    }

    /// Says a line about a position; see [`Engine::command`].
    pub fn command(
        &mut self,
        asked: &Asked,
        line: &str,
        patience: Duration,
        whole: &dyn Fn(&[String]) -> bool,
    ) -> Result<Vec<String>, Failed> {
        self.with_engine(|engine| engine.command(asked, line, patience, whole))
    }

    fn with_engine<T>(&mut self, work: impl FnOnce(&mut Engine) -> Result<T, Failed>) -> Result<T, Failed> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            None => self.start()?,
        };
        let answer = work(engine);
        self.ready = engine.ready();
        match &answer {
            Err(failed) if failed.fault.is_fatal() => {
                self.engine = None;
                self.vain = self.vain.saturating_add(1);
            }
            _ => self.vain = 0,
        }
        answer
    }

    fn start(&mut self) -> Result<&mut Engine, Failed> {
        let Candidate { command, folder, profile, patience, .. } = self.candidate;
        let started = Engine::start(command, folder.as_deref(), profile, *patience, self.ready);
        let engine = started.inspect_err(|_| self.vain = self.vain.saturating_add(1))?;
        self.name = engine.name().map(str::to_owned).or(self.name.take());
        Ok(self.engine.insert(engine))
    }
}

impl Candidate {
    /// How it writes, if that is not our way.
    #[must_use]
    pub fn theirs(&self) -> Option<Arc<Dialect>> {
        Some(&self.dialect).filter(|dialect| *dialect.notation() != Notation::default()).cloned()
    }

    /// The words of a position.
    fn words(&self, position: &Position) -> Words {
        Words {
            board: self.dialect.write_board(position),
            side: self.dialect.write_side(position.turn()).to_owned(),
            position: self.dialect.write_position(position),
        }
    }

    /// The words of a position that continues nothing.
    #[must_use]
    pub fn asked(&self, position: &Position) -> Asked {
        let words = self.words(position);
        Asked { start: words.clone(), moves: Vec::new(), now: words, new_game: true }
    }

    /// The words of the same game one move later, and whether a new game is to be announced to the engine.
    pub fn continued(&self, asked: &mut Asked, legal: &LegalMove, position: &Position) {
        asked.moves.push(self.dialect.write_move(legal.squares, legal.capture.is_some()));
        asked.now = self.words(position);
        asked.new_game = false;
    }

    /// Reads a move, and the way it was written if it is not our way.
    #[must_use]
    pub fn read_move(&self, text: &str) -> Option<(Move, Option<String>)> {
        let squares = self.dialect.read_move(text)?;
        let ours = squares.to_text(self.dialect.rules().board());
        Some((squares, (text != ours).then(|| text.to_owned())))
    }
}
