//! Where a position stands: in which row, in which word of the row, at which bit of the word.

pub mod numbers;
mod rows;
mod swap;
mod tasks;
mod word;

pub use numbers::Numbers;
pub use rows::{Layout, Placement, add_to_group, lanes_of};
pub use swap::Swap;
pub use tasks::rows_of_a_task;
pub use word::{Word, bits_of};
