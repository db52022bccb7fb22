//! The dialects that come with the program.

/// Their names.
pub const NAMES: [&str; 7] = ["uci", "jcei", "uji", "uaci", "lion-i", "gtp", "gtp-halves"];

/// The dialect file of a name.
pub(super) fn text(name: &str) -> Option<&'static str> {
    match name {
        "uci" => Some(include_str!("uci.toml")),
        "jcei" => Some(include_str!("jcei.toml")),
        "uji" => Some(include_str!("uji.toml")),
        "uaci" => Some(include_str!("uaci.toml")),
        "lion-i" => Some(include_str!("lion-i.toml")),
        "gtp" => Some(include_str!("gtp.toml")),
        "gtp-halves" => Some(include_str!("gtp-halves.toml")),
        _ => None,
    }
}
