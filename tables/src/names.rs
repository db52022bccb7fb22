//! Names of things, read back.

use thiserror::Error;

/// A word that names nothing of the kind that was expected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{found:?} is not {kind}: expected {expected}")]
pub struct UnknownName {
    /// What was expected, with its article: `a side`.
    pub kind: &'static str,
    /// The word.
    pub found: String,
    /// The names there are, with commas between them.
    pub expected: String,
}

/// The one of some things that has this name.
///
/// # Errors
/// [`UnknownName`] if none has it.
pub(crate) fn find<T: Copy>(
    kind: &'static str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    found: &str,
) -> Result<T, UnknownName> {
    all.iter().copied().find(|&one| name(one) == found).ok_or_else(|| UnknownName {
        kind,
        found: found.to_owned(),
        expected: all.iter().map(|&one| name(one)).collect::<Vec<_>>().join(", "),
    })
}
