//! The engine of the program: perfect where the tables are, a plain search elsewhere.
//!
//! [`protocol`] speaks with whoever asks, [`player`] chooses the move, [`search`] looks ahead, [`evaluate`] guesses.

mod evaluate;
mod game;
mod player;
pub mod protocol;
mod search;

pub use player::Player;
