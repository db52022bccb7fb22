//! Rule sets as data: what is written ([`RuleSpec`]) and what it compiles to ([`Rules`]).
//!
//! A rule set is a TOML file: the board as a picture, the animals and the settings (`docs/rules.md` describes it). The
//! named ones are embedded ([`NAMES`]). It compiles into a few tables, and the move generator, the solver and the checker
//! see only those: the domain of every piece, its steps and jumps with the squares that can stop them, and who may take
//! whom from where to where.

mod compile;
mod named;
mod settings;
mod spec;

pub use compile::{Animal, Edge, MAX_ANIMALS, Movement, Piece, Rules, StoppedBy};
pub use named::NAMES;
pub use settings::{JumpLimit, JumpStop, NoMove, PairRule, SETTING_KEYS, Settings, Takes, TrapBar, Traps};
pub use spec::{AnimalSpec, CaptureSpec, RuleSpec, Terrain};

/// What is wrong with a rule set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleError {
    /// Neither the name of a rule set nor a file.
    #[error("rule set {name:?} is not known: it is neither one of {} nor a file", NAMES.join(", "))]
    UnknownName {
        /// What was asked for.
        name: String,
    },
    /// A rule file that cannot be read.
    #[error("rule file {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// Not TOML, or a field is missing, unknown or of a wrong type.
    #[error("rule set {source_name}: line {line}: {reason}")]
    Syntax {
        /// The file or rule set.
        source_name: String,
        /// The line, counted from 1.
        line: usize,
        /// What the parser said.
        reason: String,
    },
    /// A field has a value that makes no sense.
    #[error("rule set {source_name}: {field}: {reason}")]
    Field {
        /// The file or rule set.
        source_name: String,
        /// The field, as `animal[3].steps`.
        field: String,
        /// What is wrong.
        reason: String,
    },
    /// A setting that does not exist.
    #[error("setting {key:?} is not known; {hint}")]
    UnknownSetting {
        /// The key.
        key: String,
        /// What is wrong with it, or which settings there are.
        hint: String,
    },
    /// A setting with a value it cannot take.
    #[error("setting {key}: value {value:?} is not possible: {expected}")]
    SettingValue {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What would be possible.
        expected: String,
    },
}
