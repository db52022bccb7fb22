//! Makes and proves endgame tables of Dou Shou Qi.
//!
//! | module | does |
//! | --- | --- |
//! | [`generate`] | makes what is asked and everything it needs, skipping what exists |
//! | [`kernel`] | solves one class, bit-parallel |
//! | [`solved`], [`write`](mod@write) | a solved class in memory; from there to a file |
//! | [`checker`] | proves a table by forward moves, sharing no code with the solver |
//! | [`reference`](mod@reference) | solves one position at a time, as the judge in tests |
//! | [`buffer_pool`] | large buffers that are used again |

pub mod buffer_pool;
pub mod checker;
pub mod generate;
pub mod kernel;
pub mod reference;
pub mod solved;
pub mod write;
