//! What can go wrong with an engine.

use crate::number::count;

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not start it.
    #[error("it cannot be started: {reason}")]
    Start {
        /// What the system said.
        reason: String,
    },
    /// No answer in time.
    #[error("no answer to {question:?} within {millis} ms{}", if *.ended { ", though it has ended" } else { "" })]
    Timeout {
        /// What was sent to it last.
        question: String,
        /// How long it was waited for, as was asked for.
        millis: u128,
        /// True if the process has ended and something it started still holds its output.
        ended: bool,
    },
    /// It has not answered the greeting.
    #[error("{fault}; {instead}")]
    Greeting {
        /// What went wrong.
        fault: Box<Fault>,
        /// The options with which it may go better, as a question.
        instead: String,
    },
    /// It has said something in time, and nothing that is an answer.
    #[error("{fault}; an answer is a line `bestmove MOVE`, and it has said: {}", .said.join(" | "))]
    NoAnswer {
        /// What went wrong.
        fault: Box<Fault>,
        /// The last lines it has said.
        said: Vec<String>,
    },
    /// It has ended by itself.
    #[error("it has ended: {how}")]
    Crash {
        /// The exit status.
        how: String,
    },
    /// Endless output.
    #[error("{} and {} without an answer", count(*.lines, "line"), count(*.bytes, "byte"))]
    Flood {
        /// How many lines.
        lines: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// The answer is no move.
    #[error("{line:?} is no move")]
    Garbage {
        /// The line.
        line: String,
    },
    /// It says that there is no move.
    #[error("it says that there is no move: {line:?}")]
    NoMove {
        /// The line.
        line: String,
    },
    /// It refuses what was sent to it.
    #[error("it refuses {question:?}: {line:?}")]
    Refused {
        /// What was sent to it.
        question: String,
        /// What it said.
        line: String,
    },
    /// Somebody wants the program to end.
    #[error("stopped")]
    Stopped,
}

impl Fault {
    /// The word of JSON for an engine that says that there is no move.
    pub const NO_MOVE: &str = "no-move";

    /// The word of JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Fault::Greeting { fault, .. } | Fault::NoAnswer { fault, .. } => fault.name(),
            Fault::Start { .. } => "start",
            Fault::Timeout { .. } => "timeout",
            Fault::Crash { .. } => "crash",
            Fault::Flood { .. } => "flood",
            Fault::Garbage { .. } => "garbage",
            Fault::NoMove { .. } => Fault::NO_MOVE,
            Fault::Refused { .. } => "refused",
            Fault::Stopped => "stopped",
        }
    }

    /// True if the engine cannot be asked again and has to be started again.
    #[must_use]
    pub const fn is_fatal(&self) -> bool {
        !matches!(self, Fault::Garbage { .. } | Fault::NoMove { .. } | Fault::Refused { .. })
    }
}
