//! What can be wrong with a rule set.

use super::named::NAMES;

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
    /// Not TOML.
    #[error("rule set {source_name}: line {line}: {reason}")]
    Syntax {
        /// The file or rule set.
        source_name: String,
        /// The line, counted from 1.
        line: usize,
        /// What the parser said.
        reason: String,
    },
    /// A field is missing, unknown, of a wrong type or without sense, or the rule set cannot be played.
    #[error("rule set {source_name}: {}{field}: {reason}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
    Field {
        /// The file or rule set.
        source_name: String,
        /// The line, counted from 1; none if the rule set does not come from a text as it is.
        line: Option<usize>,
        /// The field, as `settings.traps` or `animal 3 ("cat"): steps`.
        field: String,
        /// What is wrong.
        reason: String,
    },
    /// A change of a setting that does not exist. In a rule file it is a [`RuleError::Field`].
    #[error("setting {key:?}: {reason}")]
    UnknownSetting {
        /// The key.
        key: String,
        /// What is wrong with it, or which settings there are.
        reason: String,
    },
    /// A change to a value that the setting cannot have. In a rule file it is a [`RuleError::Field`].
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
