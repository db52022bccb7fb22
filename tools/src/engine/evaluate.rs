//! A guess at who is better where neither tables nor the end of the game are in sight. It comes from nothing but the rules: what a
//! piece can take, and how far it is from the den.

use dsq_tables::board::{Bitboard, Side};
use dsq_tables::position::Position;
use dsq_tables::rules::{MAX_ANIMALS, Piece, Rules};

/// No guess is as far from 0 as this.
pub const BOUND: i32 = 100_000;

const WORTH_OF_A_PIECE: i32 = 100;
const WORTH_OF_A_VICTIM: i32 = 30;
/// What a step towards the den is worth.
const WORTH_OF_A_STEP: i32 = 4;

/// The guesses of a rule set.
pub struct Evaluator {
    /// By piece.
    worth: [i32; 2 * MAX_ANIMALS],
    /// By piece and square: steps to the den on an empty board; far away where there is no way.
    distance: Vec<[u8; 128]>,
}

const FAR: u8 = 32;

impl Evaluator {
    /// For a rule set.
    pub fn new(rules: &Rules) -> Evaluator {
        let mut worth = [0; 2 * MAX_ANIMALS];
        let mut distance = vec![[FAR; 128]; 2 * MAX_ANIMALS];
        for side in Side::BOTH {
            for animal in rules.animals() {
                let piece = Piece { side, animal };
                let victims = rules.animals().filter(|&victim| Position::can_ever_capture(rules, piece, victim));
                let victims = i32::try_from(victims.count()).unwrap_or(0);
                worth[piece.index()] = WORTH_OF_A_PIECE + WORTH_OF_A_VICTIM * victims;
                distance[piece.index()] = distances(rules, piece);
            }
        }
        Evaluator { worth, distance }
    }

    /// What a piece is worth wherever it stands.
    pub fn worth(&self, piece: Piece) -> i32 {
        self.worth[piece.index()]
    }

    /// How much better the side to move is.
    pub fn guess(&self, position: &Position) -> i32 {
        let of = |side: Side| -> i32 {
            let one = |(piece, square): (Piece, dsq_tables::board::Square)| {
                let steps = i32::from(self.distance[piece.index()][square.index()]);
                self.worth[piece.index()] - WORTH_OF_A_STEP * steps
            };
            position.pieces_of(side).map(one).sum()
        };
        of(position.turn()) - of(position.turn().other())
    }
}

/// The steps of a piece to the den it wants to enter, from every square, on an empty board.
fn distances(rules: &Rules, piece: Piece) -> [u8; 128] {
    let mut distance = [FAR; 128];
    let mut reached: Bitboard = rules.goal(piece.side);
    for square in reached.squares() {
        distance[square.index()] = 0;
    }
    for steps in 1..FAR {
        let movement = rules.movement(piece);
        let near = |&square: &dsq_tables::board::Square| {
            !reached.contains(square) && movement.edges(square).iter().any(|edge| reached.contains(edge.to))
        };
        let new: Bitboard = movement.domain().squares().filter(near).collect();
        if new.is_empty() {
            break;
        }
        for square in new.squares() {
            distance[square.index()] = steps;
        }
        reached |= new;
    }
    distance
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn guess(fen: &str) -> i32 {
        let rules = Rules::load("classic").unwrap();
        Evaluator::new(&rules).guess(&Position::from_fen(&rules, fen).unwrap())
    }

    #[test]
    fn the_first_position_is_even() {
        assert_eq!((guess("startpos"), guess("startpos b")), (0, 0));
    }

    #[test]
    fn more_material_and_a_shorter_way_are_better() {
        assert!(guess("7/7/7/3e3/7/7/7/2E4/R6 w") > guess("7/7/7/3e3/7/7/7/2E4/7 w"));
        assert!(guess("7/2E4/7/3e3/7/7/7/7/7 w") > guess("7/7/2E4/3e3/7/7/7/7/7 w"));
        // A jump is one step.
        assert!(guess("7/7/3e3/7/7/7/1T5/7/7 w") > guess("7/7/3e3/7/7/7/1W5/7/7 w"));
        assert_eq!(guess("7/7/3e3/7/7/7/1T5/7/7 b"), -guess("7/7/3e3/7/7/7/1T5/7/7 w"));
    }

    #[test]
    fn no_guess_looks_like_a_win() {
        for name in dsq_tables::rules::NAMES {
            let rules = Rules::load(name).unwrap();
            let evaluator = Evaluator::new(&rules);
            let most: i32 = rules.animals().map(|animal| evaluator.worth(Piece { side: Side::White, animal })).sum();
            assert!(most + 16 * WORTH_OF_A_STEP * i32::from(FAR) < BOUND);
        }
    }
}
