//! The bit-parallel solver: many positions with every machine instruction.
//!
//! A class is laid out as rows of words ([`problem`]); what captures lead to comes from the tables below ([`below`]); a
//! sweep evaluates one row at one ply ([`sources`], [`sweep`]), with the vector instructions that the machine has ([`isa`]);
//! [`solve`](mod@solve) runs the plies until nothing changes, and
//! [`read_out`] puts the distances into the order of the index. `docs/algorithm.md` tells the whole story.

mod below;
mod captures;
mod isa;
mod problem;
mod read_out;
mod solve;
mod sources;
mod sweep;
mod word;

pub use below::Solution;
pub use isa::Isa;
pub use solve::{Options, Phase, SolveError, memory_needed, solve};
