//! The bit-parallel solver: many positions with every machine instruction.
//!
//! Begin with `induction.rs`, which has the two formulas of a ply and the loop over the plies. Around it:
//!
//! | | |
//! | --- | --- |
//! | `options`, `cost` | what a class is solved with; what memory that takes |
//! | `solve` | from a class to its values, with words of the width that the board needs |
//! | `problem` | a class, compiled |
//! | `measure` | what distances count: what a ply looks for, and the codes of what it finds |
//! | `induction` | the plies |
//! | `sweep` | one pass over the rows of a set |
//! | `layout` | positions as rows of words |
//! | `pre` | which positions of a row have a move into a set |
//! | `successors` | the positions that captures lead to |
//! | `state` | the sets and distances, in memory and on the disk |
//! | `simd` | vector instructions |
//! | `read_out` | the values in the order of the index |
//!
//! `docs/algorithm.md` tells the whole story.

mod cost;
mod induction;
mod layout;
mod measure;
mod options;
mod pre;
mod problem;
mod read_out;
mod simd;
mod solve;
mod state;
mod successors;
mod sweep;

pub use cost::{Storage, cells, memory_needed, sides_kept};
pub use measure::Measure;
pub use options::{Options, Phase, Solution, SolveError, SpillTo, Taker};
pub use simd::Isa;
pub use solve::{solve, solve_into};
