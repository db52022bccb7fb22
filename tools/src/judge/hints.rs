//! What is likely wrong when many moves are illegal, with what would cure it.

use super::dialect::{Case, Notation};
use super::finding::Source;
use dsq_tables::board::Symmetry;
use dsq_tables::moves::Move;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{Piece, Rules};
use std::collections::BTreeMap;

/// Fewer illegal moves than this tell nothing, unless they cannot be meant.
const FEWEST: usize = 3;
/// So many illegal moves are enough to see what they have in common.
const MOST: usize = 1000;

/// An illegal move.
#[derive(Clone, PartialEq, Debug)]
pub struct Wrong {
    /// The position in which it was made.
    pub position: Position,
    /// The move.
    pub squares: Move,
    /// The settings each of which would make it legal.
    pub settings: Vec<String>,
    /// Whether the position comes from one that was given, and not from the starting position.
    pub given: bool,
    /// Whether the game goes further with left and right exchanged.
    pub mirrored: bool,
}

/// The illegal moves of an engine, or of the records of a rule set.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Illegals(Vec<Wrong>);

impl Illegals {
    /// Takes in an illegal move, unless there are enough.
    pub fn add(&mut self, wrong: impl FnOnce() -> Wrong) {
        if self.0.len() < MOST {
            self.0.push(wrong());
        }
    }

    /// What they have in common, in words. `notation` is how they were read.
    #[must_use]
    pub fn hints(&self, rules: &Rules, notation: &Notation, source: Source) -> Vec<String> {
        let common = Common { rules, notation, source, all: &self.0 };
        let mut hints = common.other_side();
        if self.0.len() < FEWEST {
            return hints;
        }
        hints.extend(common.first_position());
        hints.extend(common.turned());
        if hints.is_empty() {
            hints.extend(common.setting());
        }
        if hints.is_empty() {
            hints.extend(common.letters());
        }
        hints
    }
}

/// What is common to illegal moves.
struct Common<'a> {
    rules: &'a Rules,
    notation: &'a Notation,
    source: Source,
    all: &'a [Wrong],
}

impl Common<'_> {
    /// `9 of 10 illegal moves` if nearly all have something in common.
    fn nearly_all(&self, has: impl Fn(&Wrong) -> bool) -> Option<String> {
        let (count, all) = (self.all.iter().filter(|wrong| has(wrong)).count(), self.all.len());
        let moves = if all == 1 { "move" } else { "moves" };
        (count > 0 && count * 5 >= all * 4).then(|| format!("{count} of {all} illegal {moves}"))
    }

    fn is_legal(&self, position: &Position, squares: Move) -> bool {
        position.find_move(self.rules, squares).is_some()
    }

    fn mapped(&self, symmetry: Symmetry, Move { from, to }: Move) -> Move {
        let board = self.rules.board();
        Move { from: board.map(symmetry, from), to: board.map(symmetry, to) }
    }

    /// They move pieces of the side that is not to move.
    fn other_side(&self) -> Vec<String> {
        let others = |wrong: &Wrong| {
            let piece = wrong.position.piece_on(wrong.squares.from);
            piece.is_some_and(|piece| piece.side != wrong.position.turn())
        };
        let Some(count) = self.nearly_all(others) else { return Vec::new() };
        let exchanged = |wrong: &Wrong| {
            let exchange = |piece: Piece| Piece { side: piece.side.other(), ..piece };
            wrong.given && self.is_legal(&changed(&wrong.position, exchange), wrong.squares)
        };
        let case = if self.notation.first == Case::Upper { "lower" } else { "upper" };
        let other = match self.source {
            Source::Record if self.all.iter().any(|wrong| wrong.given) => {
                "or does the FEN name the wrong side to move?"
            }
            Source::Record => "a record that Black begins has the tag [FEN \"startpos b\"]",
            Source::Engine => "or does it need a dialect with other words for the sides (sides = …)?",
        };
        let what = "move a piece of the side that is not to move";
        vec![match self.nearly_all(exchanged) {
            Some(_) => format!("{count} {what}; does it need --first {case}, {other}"),
            None => format!("{count} {what}; {}", other.trim_start_matches("or ")),
        }]
    }

    /// They would be moves of the starting position.
    fn first_position(&self) -> Option<String> {
        if self.source == Source::Record {
            // A record has every move since.
            return None;
        }
        let start = Position::start(self.rules);
        [(Symmetry::Identity, "the starting position"), (Symmetry::Mirror, "the mirrored starting position")]
            .into_iter()
            .find_map(|(symmetry, array)| {
                let in_start = |wrong: &Wrong| {
                    [wrong.position.turn(), start.turn()].into_iter().any(|turn| {
                        let mut start = start.setup();
                        start.set_turn(turn);
                        self.is_legal(&start.assume_legal(), self.mapped(symmetry, wrong.squares))
                    })
                };
                let count = self.nearly_all(in_start)?;
                Some(format!("{count} would be legal in {array}: it seems to ignore the position that it is given"))
            })
    }

    /// They would be legal on the board seen in another way.
    fn turned(&self) -> Vec<String> {
        let mirror = if self.notation.mirror {
            "with left and right exchanged; is --mirror (or the dialect) wrong?"
        } else {
            "with left and right exchanged; does it need --mirror?"
        };
        let ways = [
            (Symmetry::Mirror, mirror),
            (Symmetry::HalfTurn, "on the board turned by 180 degrees; does it need a dialect with turn = \"half\"?"),
            (Symmetry::Flip, "with the ranks counted from the other side"),
        ];
        let hint = |(symmetry, what): (Symmetry, &str)| {
            let legal = |wrong: &Wrong| {
                wrong.mirrored && symmetry == Symmetry::Mirror
                    || self.is_legal(&wrong.position, self.mapped(symmetry, wrong.squares))
            };
            Some(format!("{} would be legal {what}", self.nearly_all(legal)?))
        };
        ways.into_iter().filter_map(hint).collect()
    }

    /// One setting would make them legal.
    fn setting(&self) -> Option<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        // The narrowest comes first.
        let first = self.all.iter().flat_map(|wrong| &wrong.settings);
        first.clone().for_each(|setting| *counts.entry(setting).or_default() += 1);
        let most = *counts.values().max()?;
        let setting = first.into_iter().find(|setting| counts.get(setting.as_str()) == Some(&most))?;
        let count = self.nearly_all(|wrong| wrong.settings.contains(setting))?;
        Some(format!("{count} would be legal with --set {}", crate::command_line::quoted(setting)))
    }

    /// Two animals have each other's letters.
    fn letters(&self) -> Option<String> {
        let animals: Vec<_> = self.rules.animals().collect();
        let pairs = animals
            .iter()
            .enumerate()
            .flat_map(|(index, &first)| animals[index + 1..].iter().map(move |&second| (first, second)));
        pairs.into_iter().find_map(|(first, second)| {
            let exchange = |piece: Piece| {
                let animal = match piece.animal {
                    animal if animal == first => second,
                    animal if animal == second => first,
                    animal => animal,
                };
                Piece { animal, ..piece }
            };
            let legal = |wrong: &Wrong| self.is_legal(&changed(&wrong.position, exchange), wrong.squares);
            let count = self.nearly_all(legal)?;
            let [one, other] = [first, second].map(|animal| self.rules.animal(animal));
            let (own, letter) = (self.rules.letter(first), self.rules.letter(second));
            Some(format!(
                "{count} would be legal if {} and {} had each other's letters; does it need --letters {}={letter},{}={own}?",
                one.name, other.name, one.name, other.name
            ))
        })
    }
}

/// The position with other pieces in place of its own.
fn changed(position: &Position, change: impl Fn(Piece) -> Piece) -> Position {
    let mut other = Setup::empty(position.turn());
    position.pieces().for_each(|(piece, square)| other.place(change(piece), square));
    other.assume_legal()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::judge::illegal::explain;

    /// What these moves have in common, read in some notation.
    fn hints(notation: &Notation, source: Source, moves: &[(&str, &str)]) -> Vec<String> {
        let rules = Rules::load("classic").unwrap();
        let mut illegals = Illegals::default();
        for (fen, text) in moves {
            let position = Position::from_fen(&rules, fen).unwrap();
            let squares = Move::parse(rules.board(), text).unwrap();
            assert!(position.find_move(&rules, squares).is_none(), "{fen} {text}");
            let settings = explain(&rules, &position, squares).settings;
            illegals.add(|| Wrong { position, squares, settings, given: *fen != "startpos", mirrored: false });
        }
        illegals.hints(&rules, notation, source)
    }

    const OTHERS: [(&str, &str); 3] =
        [("7/5e1/7/7/7/7/E6/7/6R w", "f8f7"), ("7/5c1/7/7/7/7/E6/7/6R w", "f8g8"), ("7/5c1/7/7/7/7/E6/7/6R b", "a3a2")];

    #[test]
    fn pieces_of_the_other_side_need_the_other_case() {
        let plain = Notation::default();
        let [hint] = &hints(&plain, Source::Engine, &OTHERS)[..] else { panic!() };
        assert!(hint.starts_with("3 of 3 illegal moves move a piece of the side that is not to move"), "{hint}");
        assert!(hint.contains("--first lower") && hint.contains("sides ="), "{hint}");
        // A single one is enough: no rules let anybody do that.
        let [hint] = &hints(&plain, Source::Record, &OTHERS[..1])[..] else { panic!() };
        assert!(
            hint.starts_with("1 of 1 illegal move ") && hint.contains("does the FEN name the wrong side"),
            "{hint}"
        );
        let lower = Notation { first: Case::Lower, ..Notation::default() };
        assert!(hints(&lower, Source::Record, &OTHERS)[0].contains("--first upper"));
        // Without a FEN no case helps.
        let [hint] = &hints(&plain, Source::Record, &[("startpos", "a7a6")])[..] else { panic!() };
        assert!(hint.contains("startpos b") && !hint.contains("--first"), "{hint}");
    }

    #[test]
    fn one_setting_or_two_letters_are_named_if_they_explain_nearly_all() {
        let plain = Notation::default();
        let takes =
            [("7/7/7/7/7/7/Er5/7/7 w", "a3b3"), ("7/7/7/7/7/7/rE5/7/7 w", "b3a3"), ("7/7/7/7/7/7/7/7/er5 b", "a1a2")];
        assert_eq!(hints(&plain, Source::Record, &takes[..2]), Vec::<String>::new(), "too few");
        let takes = [takes[0], takes[1], ("7/7/7/7/7/7/eR5/7/7 b", "a3b3")];
        let hint = hints(&plain, Source::Record, &takes);
        assert_eq!(hint, ["3 of 3 illegal moves would be legal with --set elephant-takes-rat=true"]);
        // Leopards that jump, and that take lions: no setting is common to all.
        let swapped = [
            ("7/7/7/7/P6/7/7/7/6e w", "a5d5"),
            ("7/7/7/7/7/7/Pl5/7/6e w", "a3b3"),
            ("7/7/7/7/p6/7/7/7/6E b", "a5d5"),
            ("7/7/7/7/7/7/pL5/7/6E b", "a3b3"),
        ];
        let hint = hints(&plain, Source::Engine, &swapped);
        assert_eq!(
            hint,
            ["4 of 4 illegal moves would be legal if leopard and lion had each other's letters; \
              does it need --letters leopard=L,lion=P?"]
        );
    }
}
