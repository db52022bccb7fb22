//! Makes and proves endgame tables of Dou Shou Qi.
//!
//! | module | does |
//! | --- | --- |
//! | [`generate`] | makes what is asked and everything it rests on, skipping what exists |
//! | [`kernel`] | solves one class, bit-parallel |
//! | [`solved`], [`encode`] | a solved class in memory; from there to its file |
//! | [`checker`] | proves a table by forward moves, sharing no code with the solver |
//! | [`reference`](mod@reference) | solves one position at a time, as the judge in tests |
//! | [`memory`] | how much memory there is |

pub mod checker;
pub mod encode;
pub mod generate;
pub mod kernel;
pub mod memory;
pub mod reference;
pub mod solved;
