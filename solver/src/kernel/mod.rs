//! The bit-parallel solver: many positions with every machine instruction.
//!
//! A class is laid out as rows of words ([`problem`]); what captures lead to comes from the tables below ([`below`]); a
//! sweep evaluates one row at one ply ([`sweep`]); [`solve`](mod@solve) runs the plies until nothing changes, and
//! [`read_out`] puts the distances into the order of the index. `docs/algorithm.md` tells the whole story.

mod below;
mod captures;
mod problem;
mod read_out;
mod solve;
mod sweep;
mod word;

pub use below::Solution;
pub use solve::{Options, SolveError, memory_needed, solve};
