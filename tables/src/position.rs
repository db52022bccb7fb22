//! Positions: where the pieces stand and who moves.

use crate::board::{Bitboard, Side, Square, Symmetry};
use crate::rules::{Animal, MAX_ANIMALS, Piece, Rules};

const NOWHERE: u8 = u8::MAX;

/// Where each piece stands, and whose move it is. A side has each animal at most once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    squares: [u8; 2 * MAX_ANIMALS],
    turn: Side,
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

impl Position {
    /// A board without pieces.
    #[must_use]
    pub const fn empty(turn: Side) -> Position {
        Position { squares: [NOWHERE; 2 * MAX_ANIMALS], turn }
    }

    /// The first position of the game.
    #[must_use]
    pub fn start(rules: &Rules) -> Position {
        let mut position = Position::empty(Side::White);
        for animal in rules.animals() {
            for side in Side::BOTH {
                if let Some(square) = rules.animal(animal).start[side.index()] {
                    position.place(Piece { side, animal }, square);
                }
            }
        }
        position
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

    /// The position with every piece moved by a symmetry of the board.
    #[must_use]
    pub fn mapped(&self, rules: &Rules, symmetry: Symmetry) -> Position {
        let mut mapped = Position::empty(self.turn);
        for (piece, square) in self.pieces() {
            mapped.place(piece, rules.board().map(symmetry, square));
        }
        mapped
    }
}
