//! Rule sets as data: what is written ([`RuleSpec`]) and what it compiles to ([`Rules`]).
//!
//! A rule set is a TOML file: the board as a picture, the animals and the settings (`docs/rules.md` describes it). The
//! named ones are embedded ([`NAMES`]). It compiles into a few tables, and the move generator, the solver and the checker
//! see only those: the domain of every piece, its steps and jumps with the squares that can stop them, and who may take
//! whom from where to where.

mod captures;
mod change;
mod compile;
mod error;
mod file;
mod keys;
mod load;
mod movement;
mod named;
mod piece;
mod settings;
mod source;
mod spec;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub use compile::Rules;
pub use error::RuleError;
pub use keys::{Form, SETTINGS, SettingInfo};
pub use movement::{Edge, Movement, StoppedBy};
pub use named::NAMES;
pub use piece::{Animal, MAX_ANIMALS, Piece};
pub use settings::{JumpLimit, JumpStop, MAX_QUIET_LIMIT, NoMove, PairRule, Settings, Takes, TrapBar, Traps};
pub use spec::{AnimalSpec, CaptureSpec, RuleSpec, Terrain};
