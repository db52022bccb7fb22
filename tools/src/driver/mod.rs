//! Driving engines that nobody vouches for: they may hang, crash, print without end, answer nonsense or leave children
//! behind. Each of these is a [`Fault`], never the end of the run, and no process outlives the run.
//!
//! [`process`] is a command with bounded output, [`reap`] ends it with everything it has started, [`connection`] adds what is
//! known of the engine, [`uci`] and [`gtp`] are the lines that are exchanged, [`Engine`] is what others use. Nothing here knows the game: positions and moves are texts.

mod connection;
mod deadline;
mod engine;
mod fault;
mod gtp;
mod process;
mod profile;
mod question;
mod reap;
mod template;
mod uci;

pub use engine::Engine;
pub use fault::Fault;
#[cfg(test)]
pub use profile::GREETINGS;
pub use profile::{Profile, Protocol};
pub use question::{Asked, Failed, Limit, Ready, Reply, Words};
pub use reap::end_all;
pub use template::{LineError, check as check_line};
