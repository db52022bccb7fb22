//! Moves that no rules have: whoever tells them reads positions in another way than they are written for it.

use crate::judge::dialect::Notation;
use crate::judge::finding::Source;
use crate::judge::hints::{Illegals, Wrong};
use crate::judge::illegal::explain;
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;

/// What is said if nobody knows what such moves have in common.
const UNKNOWN: &str = "is its notation different (letters, case, sides, squares)?";

/// Moves that are legal neither by some rules, nor with one of their settings changed, nor by a rule set of the program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Strange {
    count: u64,
    first: Option<(Position, Move)>,
    illegals: Illegals,
}

impl Strange {
    /// Takes in those of the moves named for a position that are legal under no rules.
    pub fn add<'a>(&mut self, rules: &Rules, position: &Position, moves: impl IntoIterator<Item = &'a Move>) {
        for &squares in moves {
            if position.find_move(rules, squares).is_some() {
                continue;
            }
            let own = position.piece_on(squares.from).is_some_and(|piece| piece.side == position.turn());
            if own {
                let why = explain(rules, position, squares);
                if !why.settings.is_empty() || !why.rule_sets.is_empty() {
                    continue;
                }
            }
            self.count += 1;
            self.first.get_or_insert((*position, squares));
            let wrong = || Wrong { position: *position, squares, settings: Vec::new(), given: true, mirrored: false };
            self.illegals.add(wrong);
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// What they have in common and what would cure it, in words; nothing if there are none.
    #[must_use]
    pub fn hints(&self, rules: &Rules, notation: &Notation) -> Vec<String> {
        let Some((position, squares)) = &self.first else { return Vec::new() };
        let hints = self.illegals.hints(rules, notation, Source::Engine);
        if !hints.is_empty() {
            return hints;
        }
        vec![format!("{} in {}: {UNKNOWN}", squares.to_text(rules.board()), position.to_fen(rules))]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn moves_that_some_rules_have_are_not_strange() {
        let rules = crate::judge::ruling::asking_rules().unwrap();
        let mut strange = Strange::default();
        let mut add = |fen: &str, text: &str| {
            let position = Position::from_fen(&rules, fen).unwrap();
            strange.add(&rules, &position, [&Move::parse(rules.board(), text).unwrap()]);
            strange.clone()
        };
        // An elephant takes a rat, a leopard jumps, a cat goes on.
        for (fen, text) in [
            ("7/7/7/3r3/3E3/7/7/7/7 w", "d5d6"),
            ("7/7/7/7/P2c3/7/7/7/7 w", "a5d5"),
            ("7/2c4/7/7/7/7/7/2C4/7 w", "c2c3"),
        ] {
            assert_eq!(add(fen, text), Strange::default(), "{fen} {text}");
        }
        assert_eq!(Strange::default().hints(&rules, &Notation::default()), Vec::<String>::new());
        // From an empty square, and three squares at once.
        for (number, text) in [(1, "a1a2"), (2, "c2c5")] {
            let strange = add("7/2c4/7/7/7/7/7/2C4/7 w", text);
            assert_eq!(strange.count(), number);
            let hints = strange.hints(&rules, &Notation::default());
            assert!(hints.len() == 1 && hints[0].starts_with("a1a2 in 7/2c4/"), "{hints:?}");
        }
        let mut others = Strange::default();
        let position = Position::from_fen(&rules, "7/2c4/7/7/7/7/7/2C4/7 w").unwrap();
        others.add(&rules, &position, [&Move::parse(rules.board(), "c8c7").unwrap()]);
        assert!(others.hints(&rules, &Notation::default())[0].contains("--first lower"), "{others:?}");
    }
}
