//! `check`: judges play against the tables.

pub mod candidates;
pub mod engine;
pub mod games;
pub mod notation;
pub mod rules;
