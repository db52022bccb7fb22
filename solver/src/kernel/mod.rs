//! The bit-parallel solver: many positions with every machine instruction.
//!
//! A class is laid out as rows of words (`problem`); what captures lead to comes from the tables below (`below`); a
//! sweep evaluates one row at one ply (`sources`, `sweep`), with the vector instructions that the machine has (`isa`);
//! `rows` settles what is decided there, `run` goes through the plies until nothing changes, and `read_out` puts the distances into the order of the index. `docs/algorithm.md` tells the whole story.

mod below;
mod captures;
mod checkpoint;
mod isa;
mod measure;
mod numbers;
mod problem;
mod read_out;
mod rows;
mod run;
mod solve;
mod sources;
mod spill;
mod swap;
mod sweep;
mod word;

pub use below::Solution;
pub use isa::Isa;
pub use measure::Measure;
pub use solve::{
    Options, Phase, SolveError, SpillTo, Storage, Taker, cells, memory_needed, sides_kept, solve, solve_into,
};
