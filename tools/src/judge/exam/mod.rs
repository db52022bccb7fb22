//! Engines at work on positions of the tables: one move each ([`Mode::Examination`]), or games against perfect play
//! ([`Mode::PlayOut`]).

mod game;
mod opponent;
mod participant;
pub mod run;
pub mod sample;
mod summary;

pub use game::{Game, Mode, Response, Turn};
pub use participant::{Candidate, Participant};
pub use summary::Summary;
