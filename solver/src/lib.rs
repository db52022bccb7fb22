//! Makes and proves endgame tables of Dou Shou Qi.
//!
//! | module | does |
//! | --- | --- |
//! | [`generate`] | makes what is asked and everything it rests on, skipping what exists |
//! | [`kernel`] | solves one class, bit-parallel |
//! | [`solved`], [`shelf`], [`encode`] | a solved class in memory; those that others rest on; from there to a file |
//! | [`wdl`] | tables without distances |
//! | [`checker`] | proves a table by forward moves, sharing no code with the solver |
//! | [`reference`](mod@reference) | solves one position at a time, as the judge in tests |
//! | [`memory`], [`arena`] | how much memory there is; large buffers used again |

pub mod arena;
pub mod checker;
pub mod encode;
pub mod generate;
pub mod kernel;
pub mod memory;
mod plan;
pub mod reference;
pub mod shelf;
pub mod solved;
pub mod wdl;
