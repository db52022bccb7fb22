//! The positions that captures lead to, as the same two sets, in the layout of the class that is solved.
//!
//! A piece that is taken leaves the others on their squares. Its side is to move then, so of each smaller table only that
//! side is needed. The sets hold what is known at the ply that was reached, and are brought up to the next one by
//! looking for the codes of that ply: in the codes laid out as the words are (`cells`), or, where there is no memory for
//! that, in those of the smaller table itself (`values`).

mod after_capture;
mod cells;
mod places;
mod tables;
mod values;

pub use tables::Successors;
