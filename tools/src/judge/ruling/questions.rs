//! Small positions in which the rules differ.
//!
//! In most of them a capture wins at once where it is legal, or there is no move at all where it is not: so even the choice of
//! an engine tells something.

/// A setting with the values that people play, and what tells them apart.
pub struct Setting {
    /// The key of `--set`.
    pub key: &'static str,
    /// Its values, the usual one first.
    pub values: &'static [&'static str],
    /// Positions, each with a move that is legal or not.
    pub questions: &'static [(&'static str, &'static str)],
}

/// The settings, those first on which the others rest.
pub const SETTINGS: [Setting; 16] = [
    Setting {
        key: "ranks",
        values: &["R C D W P T L E", "R C W D P T L E", "R C (DW) P T L E"],
        questions: &[("7/7/7/3d3/3W3/7/7/7/7 w", "d5d6"), ("7/7/7/3w3/3D3/7/7/7/7 w", "d5d6")],
    },
    Setting {
        key: "swimmers",
        values: &["R", "RD", "RDW"],
        // The ways by land are barred.
        questions: &[("7/7/7/3l3/3D3/3e3/7/7/7 w", "d5c5"), ("7/7/7/3l3/3W3/3e3/7/7/7 w", "d5c5")],
    },
    Setting {
        key: "traps",
        values: &["intruders", "universal", "none"],
        questions: &[("7/7/7/7/7/7/7/2Ce3/7 w", "c2d2"), ("7/7/7/7/7/7/3c3/3E3/7 b", "d3d2")],
    },
    Setting {
        // Each trap is next to the den, so a weakened piece can win by entering it instead.
        key: "trapped-can-capture",
        values: &["true", "false"],
        questions: &[("7/2cT3/7/7/7/7/7/7/7 w", "d8c8")],
    },
    Setting {
        key: "elephant-takes-rat",
        values: &["false", "true"],
        questions: &[("7/7/7/3r3/3E3/7/7/7/7 w", "d5d6")],
    },
    Setting {
        key: "elephant-takes-trapped-rat",
        values: &["true", "false"],
        questions: &[("7/7/7/7/7/7/3E3/3r3/7 w", "d3d2")],
    },
    Setting {
        key: "rat-takes-elephant",
        values: &["land", "always", "never"],
        questions: &[("7/7/7/3e3/3R3/7/7/7/7 w", "d5d6"), ("7/7/7/7/2Re3/7/7/7/7 w", "c5d5")],
    },
    Setting {
        key: "rat-takes-rat",
        values: &["true", "land", "never"],
        questions: &[("7/7/7/3r3/3R3/7/7/7/7 w", "d5d6"), ("7/7/7/2r4/2R4/7/7/7/7 w", "c5c6")],
    },
    Setting {
        key: "rat-takes-rat-from-water",
        values: &["false", "true"],
        questions: &[("7/7/7/7/2Rr3/7/7/7/7 w", "c5d5")],
    },
    Setting {
        key: "rat-takes-rat-into-water",
        values: &["false", "true"],
        questions: &[("7/7/7/7/2rR3/7/7/7/7 w", "d5c5")],
    },
    Setting {
        key: "shore-captures",
        values: &["none", "any"],
        // Only where the dog swims.
        questions: &[("7/7/7/7/2Dc3/7/7/7/7 w", "c5d5")],
    },
    Setting {
        key: "tiger-jumps",
        values: &["both", "files", "none", "ranks"],
        questions: &[("7/7/7/7/T2c3/7/7/7/7 w", "a5d5"), ("7/7/1c5/7/7/7/1T5/7/7 w", "b3b7")],
    },
    Setting {
        key: "lion-jumps",
        values: &["both", "files", "none", "ranks"],
        questions: &[("7/7/7/7/L2c3/7/7/7/7 w", "a5d5"), ("7/7/1c5/7/7/7/1L5/7/7 w", "b3b7")],
    },
    Setting {
        key: "leopard-jumps",
        values: &["none", "both:2", "both", "files"],
        questions: &[("7/7/7/7/P2c3/7/7/7/7 w", "a5d5"), ("7/7/1c5/7/7/7/1P5/7/7 w", "b3b7")],
    },
    Setting {
        key: "jump-stopped-by",
        values: &["any", "enemy", "none"],
        questions: &[("7/7/1c5/7/1R5/7/1L5/7/7 w", "b3b7"), ("7/7/1c5/7/1r5/7/1L5/7/7 w", "b3b7")],
    },
    Setting {
        key: "own-den",
        values: &["forbidden", "allowed"],
        // The other ways are barred.
        questions: &[("7/7/7/7/7/7/7/2l4/1eC4 w", "c1d1")],
    },
];

/// Two positions whose counts of moves differ with nearly every setting.
pub const COUNTED: [&str; 2] = ["2t4/3Ce2/7/3T3/7/L1R4/1Er4/2Dl3/7 w", "7/3R3/2E1e2/1r1t3/L2l3/7/4T2/2Pw3/1c5 b"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dsq_tables::moves::Move;
    use dsq_tables::position::Position;
    use dsq_tables::rules::Rules;
    use std::collections::BTreeSet;

    /// Which of the moves of a setting are legal with a value.
    fn answers(setting: &Setting, value: &str) -> Vec<Option<bool>> {
        let mut changes = vec![(setting.key, value)];
        if setting.key == "shore-captures" {
            changes.push(("swimmers", "RD"));
        }
        let rules = Rules::load_with("classic", changes).unwrap();
        let legal = |&(fen, text): &(&str, &str)| {
            let position = Position::from_fen(&rules, fen).ok()?;
            let squares = Move::parse(rules.board(), text).unwrap();
            Some(position.find_move(&rules, squares).is_some())
        };
        setting.questions.iter().map(legal).collect()
    }

    #[test]
    fn the_questions_tell_all_values_apart() {
        for setting in &SETTINGS {
            let all: BTreeSet<_> = setting.values.iter().map(|value| answers(setting, value)).collect();
            assert_eq!(all.len(), setting.values.len(), "{}", setting.key);
            assert!(all.iter().flatten().all(Option::is_some), "{}", setting.key);
        }
    }

    #[test]
    fn the_first_value_is_that_of_the_default_rules() {
        let rules = Rules::load("classic").unwrap();
        for setting in SETTINGS.iter().filter(|setting| setting.key != "shore-captures") {
            let legal = setting.questions.iter().map(|&(fen, text)| {
                let position = Position::from_fen(&rules, fen).unwrap();
                Some(position.find_move(&rules, Move::parse(rules.board(), text).unwrap()).is_some())
            });
            assert_eq!(legal.collect::<Vec<_>>(), answers(setting, setting.values[0]), "{}", setting.key);
        }
    }
}
