//! Positions: where the pieces stand and who moves.
//!
//! A [`Setup`] is any placement of pieces, as a user or another program may give it. A [`Position`] is one in which every piece
//! can stand where it stands, so that it has moves, a value and a number in a table.

use crate::board::{Bitboard, Side, Square, Symmetry};
use crate::rules::{Animal, MAX_ANIMALS, Piece, Rules};
use std::ops::Deref;

const NOWHERE: u8 = u8::MAX;

/// Pieces on squares, and whose move it is, whether the rules allow that or not. A side has each animal at most once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    squares: [u8; 2 * MAX_ANIMALS],
    turn: Side,
}

/// A setup in which every piece can stand where it stands by the rules that it was made with; the game may be over. It can be
/// read like a [`Setup`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position(pub(crate) Setup);

impl Deref for Position {
    type Target = Setup;

    fn deref(&self) -> &Setup {
        &self.0
    }
}

/// Why a position cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// Two pieces on one square.
    #[error("square {square} is taken twice")]
    Taken {
        /// The square.
        square: String,
    },
    /// A kind of animal where it cannot stand.
    #[error("{side} {animal} ({letter}) cannot stand on {square}: {reason}")]
    Forbidden {
        /// `white` or `black`.
        side: &'static str,
        /// The animal.
        animal: String,
        /// Its letter.
        letter: char,
        /// The square.
        square: String,
        /// What kind of square it is.
        reason: &'static str,
    },
    /// Pieces in both dens.
    #[error("both dens are entered: {white} and {black}; only one side can have won")]
    BothDens {
        /// The square of White's piece.
        white: String,
        /// The square of Black's piece.
        black: String,
    },
    /// No piece at all.
    #[error("there is no piece on the board")]
    Empty,
}

/// A game that is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Finished {
    /// Who has won.
    pub winner: Side,
    /// The den that was entered; none if the other side has no pieces left.
    pub den: Option<Square>,
}

impl Setup {
    /// A board without pieces.
    #[must_use]
    pub const fn empty(turn: Side) -> Setup {
        Setup { squares: [NOWHERE; 2 * MAX_ANIMALS], turn }
    }

    /// Puts a piece on a square, from wherever it stood. Nothing is checked.
    pub const fn place(&mut self, piece: Piece, square: Square) {
        self.squares[piece.index()] = square.number();
    }

    /// Takes a piece off the board.
    pub const fn remove(&mut self, piece: Piece) {
        self.squares[piece.index()] = NOWHERE;
    }

    /// Where a piece stands, if it is on the board.
    #[must_use]
    pub const fn square(&self, piece: Piece) -> Option<Square> {
        let number = self.squares[piece.index()];
        if number == NOWHERE { None } else { Some(Square::new(number)) }
    }

    /// Whose move it is.
    #[must_use]
    pub const fn turn(&self) -> Side {
        self.turn
    }

    /// Gives the move to a side.
    pub const fn set_turn(&mut self, turn: Side) {
        self.turn = turn;
    }

    /// All pieces with their squares, White's first, weak ones first.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        Side::BOTH.into_iter().flat_map(|side| self.pieces_of(side))
    }

    /// The pieces of a side with their squares, weak ones first.
    pub fn pieces_of(&self, side: Side) -> impl Iterator<Item = (Piece, Square)> + '_ {
        let squares = &self.squares[side.index() * MAX_ANIMALS..][..MAX_ANIMALS];
        squares.iter().enumerate().filter(|(_, number)| **number != NOWHERE).map(move |(place, &number)| {
            // The place is below MAX_ANIMALS.
            (Piece { side, animal: Animal::new(place as u8) }, Square::new(number))
        })
    }

    /// The squares on which a side has pieces.
    #[must_use]
    pub fn occupied_by(&self, side: Side) -> Bitboard {
        self.pieces_of(side).map(|(_, square)| square).collect()
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.pieces().find(|&(_, other)| other == square).map(|(piece, _)| piece)
    }

    /// True if a side has pieces.
    #[must_use]
    pub fn has_pieces(&self, side: Side) -> bool {
        self.pieces_of(side).next().is_some()
    }

    /// Checks that every piece can stand where it stands.
    ///
    /// # Errors
    /// [`PositionError`], naming the square.
    pub fn check(&self, rules: &Rules) -> Result<(), PositionError> {
        let board = rules.board();
        let mut taken = Bitboard::EMPTY;
        let mut entered = [None, None];
        for (piece, square) in self.pieces() {
            if taken.contains(square) {
                return Err(PositionError::Taken { square: board.name(square) });
            }
            taken.insert(square);
            let goal = rules.goal(piece.side).contains(square);
            if goal {
                entered[piece.side.index()] = Some(board.name(square));
            }
            if !goal && !rules.movement(piece).domain().contains(square) {
                let reason = match () {
                    () if board.den(piece.side).contains(square) => "it is its own den",
                    () if board.water().contains(square) => "it is water, and this animal does not swim",
                    () => "this animal may not enter that trap",
                };
                return Err(PositionError::Forbidden {
                    side: piece.side.name(),
                    animal: rules.animal(piece.animal).name.clone(),
                    letter: rules.piece_letter(piece),
                    square: board.name(square),
                    reason,
                });
            }
        }
        if let [Some(white), Some(black)] = entered {
            return Err(PositionError::BothDens { white, black });
        }
        if taken.is_empty() { Err(PositionError::Empty) } else { Ok(()) }
    }

    /// The position, if every piece can stand where it stands.
    ///
    /// # Errors
    /// [`PositionError`], naming the square.
    pub fn position(self, rules: &Rules) -> Result<Position, PositionError> {
        self.check(rules).map(|()| Position(self))
    }

    /// The position, of a caller that is sure: each piece stands in the [domain](crate::rules::Movement::domain) of its moves, on a
    /// square of its own. Nothing is checked. Of a setup that [`Setup::check`] refuses the tables have a value that means
    /// nothing, or an error.
    #[must_use]
    pub const fn assume_legal(self) -> Position {
        Position(self)
    }
}

impl Position {
    /// The first position of the game.
    #[must_use]
    pub fn start(rules: &Rules) -> Position {
        let mut setup = Setup::empty(Side::White);
        for animal in rules.animals() {
            for side in Side::BOTH {
                if let Some(square) = rules.animal(animal).start[side.index()] {
                    setup.place(Piece { side, animal }, square);
                }
            }
        }
        // Rules whose start squares do not fit do not compile.
        Position(setup)
    }

    /// The winner, if the game is over: a den is entered, or a side has no pieces left.
    #[must_use]
    pub fn finished(&self, rules: &Rules) -> Option<Finished> {
        for side in Side::BOTH {
            let goal = rules.goal(side);
            if let Some((_, den)) = self.pieces_of(side).find(|&(_, square)| goal.contains(square)) {
                return Some(Finished { winner: side, den: Some(den) });
            }
        }
        let eliminated = |side: &Side| !self.has_pieces(*side);
        let loser = Side::BOTH.into_iter().find(eliminated).filter(|_| rules.elimination_wins())?;
        Some(Finished { winner: loser.other(), den: None })
    }

    /// The same as a setup, to be changed.
    #[must_use]
    pub const fn setup(&self) -> Setup {
        self.0
    }

    /// The position with every piece moved by a symmetry of the board, which has to be one of the rules as well: with each piece
    /// every square goes to one where it can stand.
    #[must_use]
    pub fn mapped(&self, rules: &Rules, symmetry: Symmetry) -> Position {
        let mut mapped = Setup::empty(self.turn);
        for (piece, square) in self.pieces() {
            mapped.place(piece, rules.board().map(symmetry, square));
        }
        Position(mapped)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// White's rat and Black's elephant where they are put, by the rules of the default set.
    fn setup(rat: &str, elephant: &str) -> (Setup, std::sync::Arc<Rules>) {
        let rules = Rules::load("classic").unwrap();
        let square = |name: &str| rules.board().parse_square(name).unwrap();
        let piece = |side, letter| Piece { side, animal: rules.animal_by_letter(letter).unwrap() };
        let mut setup = Setup::empty(Side::White);
        setup.place(piece(Side::White, 'R'), square(rat));
        setup.place(piece(Side::Black, 'E'), square(elephant));
        (setup, rules)
    }

    #[test]
    fn a_setup_that_can_be_is_a_position() {
        for (rat, elephant) in [("a3", "a4"), ("b4", "g9"), ("d9", "a1")] {
            let (setup, rules) = setup(rat, elephant);
            let position = setup.position(&rules).unwrap();
            assert_eq!((position.setup(), position.turn()), (setup, Side::White));
            assert_eq!(position, setup.assume_legal());
        }
    }

    #[test]
    fn a_setup_that_cannot_be_is_refused() {
        for (rat, elephant, reason) in [
            ("a3", "a3", "square a3 is taken twice"),
            ("a3", "b4", "black elephant (e) cannot stand on b4: it is water, and this animal does not swim"),
            ("d1", "a3", "white rat (R) cannot stand on d1: it is its own den"),
            ("d9", "d1", "both dens are entered: d9 and d1; only one side can have won"),
        ] {
            let (setup, rules) = setup(rat, elephant);
            assert_eq!(setup.position(&rules).unwrap_err().to_string(), reason);
        }
        let rules = Rules::load("classic").unwrap();
        assert_eq!(Setup::empty(Side::Black).position(&rules), Err(PositionError::Empty));
    }
}
