//! The rule sets that come with the program.

/// The names of the embedded rule sets, the default first.
pub const NAMES: [&str; 10] = [
    "classic",
    "leiden",
    "wikipedia-es",
    "wikipedia",
    "knowlton",
    "shou-dou-qi",
    "gran-jungla",
    "animal-checkers",
    "animal-checkers-5x5",
    "mini-jungla",
];

/// The rule file of an embedded rule set.
pub(super) fn text(name: &str) -> Option<&'static str> {
    match name {
        "classic" => Some(include_str!("classic.toml")),
        "leiden" => Some(include_str!("leiden.toml")),
        "wikipedia-es" => Some(include_str!("wikipedia-es.toml")),
        "wikipedia" => Some(include_str!("wikipedia.toml")),
        "knowlton" => Some(include_str!("knowlton.toml")),
        "shou-dou-qi" => Some(include_str!("shou-dou-qi.toml")),
        "gran-jungla" => Some(include_str!("gran-jungla.toml")),
        "animal-checkers" => Some(include_str!("animal-checkers.toml")),
        "animal-checkers-5x5" => Some(include_str!("animal-checkers-5x5.toml")),
        "mini-jungla" => Some(include_str!("mini-jungla.toml")),
        _ => None,
    }
}
