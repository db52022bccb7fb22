//! Squares, sides, sets of squares and the board.
//!
//! A board has at most [`MAX_SQUARES`] squares. Square 0 is the bottom left corner (file a, rank 1, White's side),
//! squares count along the rank first.

mod bitboard;
mod map;
mod square;

pub use bitboard::Bitboard;
pub use map::{Board, BoardError, Symmetry};
pub use square::{MAX_FILES, MAX_SQUARES, Side, Square};
