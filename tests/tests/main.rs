//! The tests that cross the crates: one module for each kind of proof, and a folder for the program with its verbs.

#![allow(clippy::unwrap_used)]

mod agreement;
mod cases;
mod fixture;
mod imports;
#[cfg(unix)]
mod kills;
mod limit;
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
