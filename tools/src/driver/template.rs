//! What stands in braces in the lines of a dialect file: checked before anything is sent to an engine.

/// Why a line cannot be sent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct LineError {
    /// The field, as it is called in a dialect file.
    pub field: &'static str,
    /// Its place in a list, from 0.
    pub index: Option<usize>,
    /// What is wrong, and what could stand there.
    pub reason: String,
}

/// Checks a line in which only some `known` placeholders can stand, such as `{depth}`.
pub fn check(line: &str, known: &[&str]) -> Result<(), String> {
    if line.contains(char::is_control) {
        return Err(format!("{line:?} is more than one line, or has a control character in it"));
    }
    let found = in_braces(line, !known.is_empty()).into_iter().find(|part| !known.contains(part));
    let Some(found) = found else { return Ok(()) };
    Err(match known {
        [] => format!("{found} is not known: nothing is filled in here"),
        _ => format!("{found} is not known, only {}", known.join(", ")),
    })
}

/// What stands in braces, with the braces. Where nothing is filled in only words count: other braces belong to the engine.
fn in_braces(line: &str, all: bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(begin) = rest.find(['{', '}']) {
        rest = &rest[begin..];
        let end = rest[1..]
            .find(['{', '}'])
            .map(|end| end + 1)
            .filter(|&end| rest.starts_with('{') && rest[end..].starts_with('}'));
        let part = end.map_or(&rest[..1], |end| &rest[..=end]);
        let word = part.len() > 2 && part[1..part.len() - 1].chars().all(|c| c.is_alphabetic() || "-_".contains(c));
        if all || word {
            found.push(part);
        }
        rest = &rest[part.len()..];
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_what_is_known_can_stand_in_braces() {
        for (line, known) in [
            ("position fen {position}", &["{position}", "{board}"][..]),
            ("{board}{board}", &["{board}"]),
            ("ucinewgame", &[]),
            // These are words of the engine.
            ("setoption name Book value {\"a\":{}}", &[]),
            ("{", &[]),
        ] {
            assert_eq!(check(line, known), Ok(()), "{line}");
        }
        for (line, known, part) in [
            ("position fen {pos}", &["{position}", "{board}"][..], "{pos} is not known, only {position}, {board}"),
            ("fen {board} {Side}", &["{board}", "{side}"], "{Side} is not known"),
            ("perft {depth", &["{depth}"], "{ is not known"),
            ("perft depth}", &["{depth}"], "} is not known"),
            ("perft {{depth}}", &["{depth}"], "{ is not known"),
            ("perft {}", &["{depth}"], "{} is not known"),
            ("ucinewgame {side}", &[], "{side} is not known: nothing is filled in here"),
            ("a\nb", &[], "more than one line"),
            ("a\tb", &["{depth}"], "control character"),
        ] {
            let error = check(line, known).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
