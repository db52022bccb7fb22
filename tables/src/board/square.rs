//! Squares and sides.

use crate::names::{self, UnknownName};
use std::fmt;
use std::ops::Not;
use std::str::FromStr;

/// The largest number of squares of a board.
pub const MAX_SQUARES: usize = 128;
/// The largest number of files: file letters are `a` to `z`.
pub const MAX_FILES: u8 = 26;

/// A square: its number counted along the ranks, from file a of rank 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub(super) u8);

impl Square {
    /// The square with this number.
    ///
    /// # Panics
    /// If the number is not below [`MAX_SQUARES`].
    #[must_use]
    pub const fn new(number: u8) -> Self {
        assert!((number as usize) < MAX_SQUARES, "square number out of range");
        Self(number)
    }

    /// The number of the square.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The number of the square, to index arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Square({})", self.0)
    }
}

/// One of the two players. White moves first and starts at rank 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The first player, upper case in FEN.
    White,
    /// The second player, lower case in FEN.
    Black,
}

impl Side {
    /// Both sides, White first.
    pub const BOTH: [Side; 2] = [Side::White, Side::Black];

    /// 0 for White, 1 for Black.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Side::White => 0,
            Side::Black => 1,
        }
    }

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// `white` or `black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
        }
    }

    /// This side, or the other one if `swap`.
    #[must_use]
    pub const fn swapped_if(self, swap: bool) -> Side {
        if swap { self.other() } else { self }
    }
}

impl Not for Side {
    type Output = Side;

    /// The opponent.
    fn not(self) -> Side {
        self.other()
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Side {
    type Err = UnknownName;

    /// Reads `white` or `black`.
    fn from_str(name: &str) -> Result<Side, UnknownName> {
        names::find("a side", &Side::BOTH, Side::name, name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn sides_read_back() {
        for side in Side::BOTH {
            assert_eq!((side.to_string().parse(), !side), (Ok(side), side.other()));
        }
        assert_eq!("w".parse::<Side>().unwrap_err().to_string(), r#""w" is not a side: expected white, black"#);
    }
}
