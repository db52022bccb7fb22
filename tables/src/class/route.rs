//! The ways of the positions of a material into the table of its class.

use super::Class;
use crate::board::{MAX_SQUARES, Side, Square};
use crate::index::Squares;
use crate::material::MAX_PIECES;
use crate::position::Position;
use crate::rules::Piece;
use std::sync::Arc;

/// How the positions of a material with one side to move are found in the table of its class.
#[derive(Clone, Debug)]
pub struct Route {
    /// The pieces of the material in the order of the index of the class.
    pub(super) pieces: [Piece; MAX_PIECES],
    pub(super) count: usize,
    /// Where each square goes.
    pub(super) squares: [u8; MAX_SQUARES],
    /// The side to move in the table.
    pub(super) side: Side,
}

impl Route {
    /// The side to move in the table.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The pieces of the material in the order of the index of the class.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.count]
    }

    /// Where a square of the material's board goes on the board of the class.
    #[must_use]
    pub fn square(&self, square: Square) -> Square {
        Square::new(self.squares[square.index()])
    }

    /// The squares of a position in the order of the index of the class; none if a piece is missing.
    #[must_use]
    pub fn squares(&self, position: &Position) -> Option<Squares> {
        let mut squares = [Square::new(0); MAX_PIECES];
        for (slot, &piece) in squares.iter_mut().zip(self.pieces()) {
            *slot = self.square(position.square(piece)?);
        }
        Some(squares)
    }
}

/// A material with its class and the ways into its table.
#[derive(Clone, Debug)]
pub struct Member {
    pub(super) class: Arc<Class>,
    pub(super) routes: [Route; 2],
}

impl Member {
    /// The class.
    #[must_use]
    pub fn class(&self) -> &Arc<Class> {
        &self.class
    }

    /// The way into the table for a side to move.
    #[must_use]
    pub fn route(&self, turn: Side) -> &Route {
        &self.routes[turn.index()]
    }
}
