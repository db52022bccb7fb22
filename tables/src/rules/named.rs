//! The rule sets that come with the program.

/// The names of the embedded rule sets, the default first.
pub const NAMES: [&str; 2] = ["classic", "leiden"];

/// The rule file of an embedded rule set.
pub(super) fn text(name: &str) -> Option<&'static str> {
    match name {
        "classic" => Some(include_str!("classic.toml")),
        "leiden" => Some(include_str!("leiden.toml")),
        _ => None,
    }
}
