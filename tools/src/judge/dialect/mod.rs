//! How other programs write positions and moves: letters, colours, the board mirrored or turned, names of squares.
//!
//! A [`Notation`] is what is said about it (in a dialect file or by options), a [`Dialect`] is a notation with the board and
//! the animals of a rule set; it reads and writes both ways.

mod file;
mod named;
mod view;

pub use file::DialectFile;
pub use view::Turn;

use dsq_tables::board::{Side, Square};
use dsq_tables::fen::{Fen, FenError, Letters, LettersError};
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::{MAX_ANIMALS, Rules};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use view::View;

/// Upper or lower case.
#[derive(clap::ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// Capital letters.
    Upper,
    /// Small letters.
    Lower,
}

/// How positions and moves are written. The default is our own way.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    default,
    expecting = "a table of fields, such as mirror = true"
)]
pub struct Notation {
    /// Letters of animals (by name) that differ from those of the rule set.
    pub letters: BTreeMap<String, char>,
    /// The case of the letters of White, who begins.
    pub first: Case,
    /// Whether left and right change places.
    pub mirror: bool,
    /// How the board is turned, after it was mirrored.
    pub turn: Turn,
    /// The names of the squares of the board as it is drawn, row by row from the top, with blanks between. None: files are
    /// letters from the left and ranks numbers from the bottom of the board as it is drawn.
    pub squares: Vec<String>,
    /// What stands between two ranks: `/`, or blanks. Both are read.
    pub between_ranks: Between,
    /// The words for White and Black to move; none for `w` and `b`, with `white`, `r`, `red` and `black` read as well.
    pub sides: Option<[String; 2]>,
    /// What is written behind the side to move, as `- - 0 1`.
    pub tail: String,
    /// The case in which moves are written. Both are read.
    pub move_case: Case,
    /// What is written between the squares of a move that takes nothing. Nothing, `-` and `x` are read as well.
    pub quiet_sign: String,
    /// What is written between the squares of a capture.
    pub capture_sign: String,
}

impl Default for Notation {
    fn default() -> Notation {
        Notation {
            letters: BTreeMap::new(),
            first: Case::Upper,
            mirror: false,
            turn: Turn::None,
            squares: Vec::new(),
            between_ranks: Between::Slash,
            sides: None,
            tail: String::new(),
            move_case: Case::Lower,
            quiet_sign: String::new(),
            capture_sign: String::new(),
        }
    }
}

/// What stands between two ranks.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// A slash.
    #[serde(rename = "/")]
    Slash,
    /// A blank.
    #[serde(rename = " ")]
    Blank,
}

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
    #[error("squares: the name {name:?} stands twice, in rows {} and {}; capital letters make no difference", first + 1, row + 1)]
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

impl Notation {
    /// Checks what no rule set can make right.
    ///
    /// # Errors
    /// [`DialectError`]: words, signs or names of squares that cannot be.
    pub fn check(&self) -> Result<(), DialectError> {
        if let Some([white, black]) = &self.sides {
            let word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
            if !word(white) || !word(black) || white.eq_ignore_ascii_case(black) {
                return Err(DialectError::Sides(white.clone(), black.clone()));
            }
        }
        for (field, sign) in [("quiet-sign", &self.quiet_sign), ("capture-sign", &self.capture_sign)] {
            let odd = |c: char| c.is_whitespace() || c.is_alphanumeric() && !c.eq_ignore_ascii_case(&'x');
            if sign.contains(odd) {
                return Err(DialectError::Sign { field, sign: sign.clone() });
            }
        }
        let mut rows = HashMap::new();
        for (row, names) in self.squares.iter().enumerate() {
            for name in names.split_whitespace() {
                if let Some(first) = rows.insert(name.to_lowercase(), row) {
                    return Err(DialectError::Twice { name: name.to_owned(), first, row });
                }
            }
        }
        Ok(())
    }
}

/// Why a text is not a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// What is wrong, where the board is drawn as ours.
    #[error("{0}")]
    Plain(FenError),
    /// What is wrong, where it is mirrored or turned.
    #[error("{0} (squares and ranks as on our board)")]
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

/// A notation with the board and the animals of a rule set.
#[derive(Clone, Debug)]
pub struct Dialect {
    rules: Arc<Rules>,
    notation: Notation,
    letters: Letters,
    /// The upper-case letters of the animals.
    written: [char; MAX_ANIMALS],
    view: View,
    /// The name of each of our squares.
    names: Vec<String>,
    /// The squares by their names in small letters.
    by_name: HashMap<String, Square>,
}

impl Dialect {
    /// A notation for a rule set.
    ///
    /// # Errors
    /// [`DialectError`]: what does not go together.
    pub fn new(rules: &Arc<Rules>, notation: Notation) -> Result<Dialect, DialectError> {
        notation.check()?;
        let pairs: Vec<String> = notation.letters.iter().map(|(name, letter)| format!("{name}={letter}")).collect();
        for (pair, name) in pairs.iter().zip(notation.letters.keys()) {
            Letters::parse(rules, pair).map_err(|error| DialectError::Letter { name: name.clone(), error })?;
        }
        let letters = Letters::parse(rules, &pairs.join(","))?;
        let written = written_letters(rules, &notation)?;
        let view = View::new(rules.board(), notation.mirror, notation.turn);
        let names = view.names(&notation.squares)?;
        let squares = rules.board().all().squares();
        let by_name = squares.map(|square| (names[square.index()].to_lowercase(), square)).collect();
        let dialect = Dialect { rules: rules.clone(), notation, letters, written, view, names, by_name };
        dialect.check_moves()?;
        Ok(dialect)
    }

    /// The rule set.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// What was said about it.
    #[must_use]
    pub fn notation(&self) -> &Notation {
        &self.notation
    }

    /// Every move must read back as itself.
    fn check_moves(&self) -> Result<(), DialectError> {
        if self.notation.squares.is_empty() {
            // File and rank always tell where the second square begins.
            return Ok(());
        }
        let all = || self.rules.board().all().squares();
        for (from, to) in all().flat_map(|from| all().map(move |to| (from, to))) {
            for capture in [false, true] {
                let text = self.write_move(Move { from, to }, capture);
                if from != to && self.read_move(&text) != Some(Move { from, to }) {
                    return Err(DialectError::Ambiguous { text });
                }
            }
        }
        Ok(())
    }

    /// Reads a position: the board or `startpos`, the side to move, counters.
    ///
    /// # Errors
    /// [`ReadError`]: what is wrong and where.
    pub fn read_position(&self, text: &str) -> Result<Fen, ReadError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let ranks = self.view.rows();
        let (mut board, rest) = match words.as_slice() {
            [] => (String::new(), &[][..]),
            [first, rest @ ..] if first.contains('/') || *first == "startpos" => ((*first).to_owned(), rest),
            _ if words.len() >= ranks => {
                let (board, rest) = words.split_at(ranks);
                (board.join("/"), rest)
            }
            [first, rest @ ..] => ((*first).to_owned(), rest),
        };
        let plain = self.view.is_plain();
        if board != "startpos" {
            if !plain {
                board = self.view.to_ours(&board).map_err(ReadError::Plain)?;
            }
            if self.notation.first == Case::Lower {
                board = board.chars().map(swapped).collect();
            }
        }
        let mut fields = vec![board.as_str()];
        if let Some((side, counters)) = rest.split_first() {
            fields.push(self.our_side(side)?);
            fields.extend(counters);
        }
        Fen::parse_with(&self.rules, &self.letters, &fields.join(" ")).map_err(|error| {
            let error = if self.notation.first == Case::Lower { as_written(error) } else { error };
            if plain { ReadError::Plain(error) } else { ReadError::Turned(error) }
        })
    }

    /// Our word for a side to move. Without words of its own all of ours are read.
    fn our_side<'a>(&self, found: &'a str) -> Result<&'a str, ReadError> {
        match &self.notation.sides {
            None => Ok(found),
            Some([white, _]) if found.eq_ignore_ascii_case(white) => Ok("w"),
            Some([_, black]) if found.eq_ignore_ascii_case(black) => Ok("b"),
            Some([white, black]) => {
                Err(ReadError::Side { found: found.to_owned(), white: white.clone(), black: black.clone() })
            }
        }
    }

    /// Writes a position: board, side to move and the tail of the notation.
    #[must_use]
    pub fn write_position(&self, position: &Position) -> String {
        let tail = self.notation.tail.trim();
        let blank = if tail.is_empty() { "" } else { " " };
        format!("{} {}{blank}{tail}", self.write_board(position), self.write_side(position.turn()))
    }

    /// Writes the board alone.
    #[must_use]
    pub fn write_board(&self, position: &Position) -> String {
        let between = if self.notation.between_ranks == Between::Slash { "/" } else { " " };
        let letter = |square: Square| {
            let piece = position.piece_on(square)?;
            let letter = self.written[piece.animal.index()];
            let upper = (piece.side == Side::White) == (self.notation.first == Case::Upper);
            Some(if upper { letter } else { letter.to_ascii_lowercase() })
        };
        self.view.ranks(letter).join(between)
    }

    /// Writes a side to move.
    #[must_use]
    pub fn write_side(&self, side: Side) -> &str {
        match &self.notation.sides {
            Some(words) => &words[side.index()],
            None if side == Side::White => "w",
            None => "b",
        }
    }

    /// Reads the name of a square in small letters.
    fn read_square(&self, name: &str) -> Option<Square> {
        self.by_name.get(name).copied()
    }

    /// Writes the name of a square.
    #[must_use]
    pub fn write_square(&self, square: Square) -> String {
        self.in_case(self.names[square.index()].clone())
    }

    /// Reads a move in either case, with the signs of the notation, `-`, `x` or nothing between the squares. None if it is
    /// no move, or could be two.
    #[must_use]
    pub fn read_move(&self, text: &str) -> Option<Move> {
        let text = text.trim().to_lowercase();
        let signs = [self.notation.quiet_sign.to_lowercase(), self.notation.capture_sign.to_lowercase()];
        let mut read = None;
        for (middle, _) in text.char_indices().skip(1) {
            let (from, rest) = text.split_at(middle);
            let Some(from) = self.read_square(from) else { continue };
            let targets = ["", "-", "x", &signs[0], &signs[1]].into_iter().filter_map(|sign| rest.strip_prefix(sign));
            for to in targets.filter_map(|to| self.read_square(to)) {
                let squares = Move { from, to };
                if read.is_some_and(|other| other != squares) {
                    return None;
                }
                read = Some(squares);
            }
        }
        read
    }

    /// Writes a move; `capture` tells that it takes a piece.
    #[must_use]
    pub fn write_move(&self, squares: Move, capture: bool) -> String {
        let sign = if capture { &self.notation.capture_sign } else { &self.notation.quiet_sign };
        let [from, to] = [squares.from, squares.to].map(|square| self.write_square(square));
        format!("{from}{sign}{to}")
    }

    fn in_case(&self, text: String) -> String {
        // Names of its own are written as they were given unless capitals are asked for.
        if self.notation.move_case == Case::Upper { text.to_uppercase() } else { text }
    }
}

/// The upper-case letters of all animals.
fn written_letters(rules: &Rules, notation: &Notation) -> Result<[char; MAX_ANIMALS], DialectError> {
    let mut written = ['?'; MAX_ANIMALS];
    for animal in rules.animals() {
        let other =
            notation.letters.iter().find(|(name, _)| rules.animal(animal).is_called(&name.trim().to_lowercase()));
        let letter = other.map_or(rules.letter(animal), |(_, letter)| letter.to_ascii_uppercase());
        if let Some(first) = rules.animals().find(|first| *first < animal && written[first.index()] == letter) {
            let [first, second] = [first, animal].map(|animal| rules.animal(animal).name.clone());
            return Err(DialectError::SameLetter { letter, first, second });
        }
        written[animal.index()] = letter;
    }
    Ok(written)
}

fn swapped(c: char) -> char {
    if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
}

/// An error with the letter that was read before small and capital letters changed places.
fn as_written(mut error: FenError) -> FenError {
    match &mut error {
        FenError::Letter { found, .. } => *found = swapped(*found),
        FenError::Twice { letter, .. } => *letter = swapped(*letter),
        _ => {}
    }
    error
}

#[cfg(test)]
mod tests;
