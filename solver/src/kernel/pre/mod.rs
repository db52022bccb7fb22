//! `pre(S)`: the positions with a move into a set S of positions with the other side to move.
//!
//! `moves`, `captures` and `den` say how the pieces of a side move, `dependencies` what a row of `pre(S)` is put together
//! from, and `gather` does it.

mod capture_loops;
mod captures;
mod den;
mod dependencies;
mod gather;
mod mover;
mod moves;

pub use captures::Captures;
pub use den::DenEntries;
pub use dependencies::Dependencies;
pub use gather::{Buffers, Pre};
pub use mover::Mover;
pub use moves::Moves;
