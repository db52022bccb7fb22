//! Why a notation, or a text in it, cannot be used.

use crate::error::words_of_fen;
use dsq_tables::fen::{FenError, LettersError};

/// Why a notation does not go with a rule set. The words name the field.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DialectError {
    /// A letter that cannot be, or of no animal.
    #[error("{error}")]
    Letter {
        /// The name of the animal.
        name: String,
        /// What is wrong.
        error: LettersError,
    },
    /// Letters that do not go together.
    #[error(transparent)]
    Letters(#[from] LettersError),
    /// One letter for two animals.
    #[error("letters: {letter} would be both {first} and {second}; give both a letter, as in lion=I,leopard=L")]
    SameLetter {
        /// The letter.
        letter: char,
        /// The name of one animal.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// A wrong number of rows or names of squares.
    #[error("squares: {found} {what}, this board as it is drawn has {expected}")]
    Squares {
        /// Rows, or names in which row.
        what: String,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// The row, from 0; none if the number of rows is wrong.
        row: Option<usize>,
    },
    /// A name for two squares.
    #[error("squares: the name {name:?} appears twice, in rows {} and {}; upper and lower case are the same", first + 1, row + 1)]
    Twice {
        /// The name.
        name: String,
        /// The row in which it stands first, from 0.
        first: usize,
        /// The row in which it stands again.
        row: usize,
    },
    /// Two moves that are written alike.
    #[error("squares: a move {text:?} could be two different moves; signs between the squares tell them apart")]
    Ambiguous {
        /// The move.
        text: String,
    },
    /// Words for the sides that cannot be.
    #[error("sides: {0:?} and {1:?} are not two different words")]
    Sides(String, String),
    /// A sign that cannot be.
    #[error("{field}: {sign:?} has letters, digits or blanks in it, other than x")]
    Sign {
        /// The field.
        field: &'static str,
        /// The sign.
        sign: String,
    },
}

impl DialectError {
    /// The field that is wrong, and which of its values, from 0.
    #[must_use]
    pub fn place(&self) -> (String, Option<usize>) {
        match self {
            DialectError::Letter { name, .. } => (format!("letters.{name}"), None),
            DialectError::Letters(_) => ("letters".to_owned(), None),
            DialectError::SameLetter { .. } => ("letters".to_owned(), None),
            DialectError::Squares { row, .. } => ("squares".to_owned(), *row),
            DialectError::Twice { row, .. } => ("squares".to_owned(), Some(*row)),
            DialectError::Ambiguous { .. } => ("squares".to_owned(), None),
            DialectError::Sides(..) => ("sides".to_owned(), None),
            DialectError::Sign { field, .. } => ((*field).to_owned(), None),
        }
    }
}

/// Why a text is not a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// What is wrong, where the board is drawn as ours.
    #[error("{}", words_of_fen(.0))]
    Plain(FenError),
    /// What is wrong, where it is mirrored or turned.
    #[error("{} (squares and ranks as on our board)", words_of_fen(.0))]
    Turned(FenError),
    /// A side to move that is none.
    #[error("FEN: side to move: {found:?} is neither {white} nor {black}")]
    Side {
        /// What stands there.
        found: String,
        /// The word for White.
        white: String,
        /// The word for Black.
        black: String,
    },
}
