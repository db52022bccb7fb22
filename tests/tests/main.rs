//! The tests that cross the crates: one module for each kind of proof.

#![allow(clippy::unwrap_used)]

mod agreement;
mod cases;
#[cfg(unix)]
mod check_engine;
#[cfg(unix)]
mod check_games;
#[cfg(unix)]
mod engine;
#[cfg(unix)]
mod kills;
mod limit;
mod limit_verbs;
#[cfg(unix)]
mod partial;
#[cfg(unix)]
mod program;
mod properties;
mod published;
mod random_rules;
mod rule_sets;
mod settings;
#[cfg(unix)]
mod spill;
mod verify;
#[cfg(unix)]
mod wdl;
