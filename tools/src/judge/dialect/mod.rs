//! How other programs write positions and moves: letters, colours, the board mirrored or turned, names of squares.
//!
//! A [`Notation`] is what is said about it (in a dialect file or by options), a [`Dialect`] is a notation with the board and
//! the animals of a rule set; it reads and writes both ways.

mod error;
mod file;
mod named;
mod notation;
mod translate;
mod view;

pub use file::DialectFile;
pub use notation::{Case, Notation};
pub use translate::Dialect;
#[cfg(test)]
pub use view::Turn;

#[cfg(test)]
mod tests;
