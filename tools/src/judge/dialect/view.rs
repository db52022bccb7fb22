//! The board as another program draws it.

use super::error::DialectError;
use dsq_tables::board::{Board, Square};
use dsq_tables::fen::FenError;
use serde::Deserialize;

/// How the board is turned.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// White's side stays at the bottom.
    None,
    /// Counter-clockwise: White's side comes to the right.
    Left,
    /// Clockwise: White's side comes to the left.
    Right,
    /// White's side comes to the top.
    Half,
}

/// Where our squares are drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct View {
    /// Squares in a row.
    columns: usize,
    /// Squares in a rank of our board.
    files: usize,
    /// Our squares row by row from the top.
    drawn: Vec<Square>,
    plain: bool,
}

impl View {
    /// The board mirrored (left and right change places), then turned.
    pub(super) fn new(board: &Board, mirror: bool, turn: Turn) -> View {
        let (files, ranks) = (i16::from(board.files()), i16::from(board.ranks()));
        let (columns, rows) = if matches!(turn, Turn::Left | Turn::Right) { (ranks, files) } else { (files, ranks) };
        // Where the square in this column and row from the top was before the board was turned.
        let before = |column: i16, row: i16| match turn {
            Turn::None => (column, row),
            Turn::Half => (files - 1 - column, ranks - 1 - row),
            Turn::Left => (files - 1 - row, column),
            Turn::Right => (row, ranks - 1 - column),
        };
        let square = |column: i16, row: i16| {
            let (x, y) = before(column, row);
            board.at(if mirror { files - 1 - x } else { x }, ranks - 1 - y)
        };
        let drawn = (0..rows).flat_map(|row| (0..columns).filter_map(move |column| square(column, row))).collect();
        let plain = !mirror && turn == Turn::None;
        View { columns: columns.unsigned_abs().into(), files: board.files().into(), drawn, plain }
    }

    /// True if it is drawn as ours.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// How many rows are drawn.
    pub(super) fn rows(&self) -> usize {
        self.drawn.len() / self.columns
    }

    /// The names of our squares: those that are given row by row, else files as letters and ranks as numbers of the board as
    /// it is drawn.
    pub(super) fn names(&self, given: &[String]) -> Result<Vec<String>, DialectError> {
        let mut names = vec![String::new(); self.drawn.len()];
        if !given.is_empty() && given.len() != self.rows() {
            let (found, expected) = (given.len(), self.rows());
            return Err(DialectError::Squares { what: "rows".into(), found, expected, row: None });
        }
        for (row, squares) in self.drawn.chunks(self.columns).enumerate() {
            let own: Vec<String> = match given.get(row) {
                Some(text) => text.split_whitespace().map(str::to_owned).collect(),
                None => ('a'..='z').take(self.columns).map(|file| format!("{file}{}", self.rows() - row)).collect(),
            };
            if own.len() != self.columns {
                let what = format!("names in row {}", row + 1);
                return Err(DialectError::Squares { what, found: own.len(), expected: self.columns, row: Some(row) });
            }
            for (square, name) in squares.iter().zip(own) {
                names[square.index()] = name;
            }
        }
        Ok(names)
    }

    /// The ranks of a position, the first row first. `letter` gives the letter of the piece on one of our squares.
    pub(super) fn ranks(&self, letter: impl Fn(Square) -> Option<char>) -> Vec<String> {
        self.drawn.chunks(self.columns).map(|row| rank(row.iter().map(|&square| letter(square)))).collect()
    }

    /// A board as it is drawn here as ours, letters untouched.
    pub(super) fn to_ours(&self, text: &str) -> Result<String, FenError> {
        let rows: Vec<&str> = text.split('/').collect();
        let expected = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
        if rows.len() != self.rows() {
            return Err(FenError::Ranks { found: rows.len(), expected: expected(self.rows()) });
        }
        let mut letters = vec![None; self.drawn.len()];
        for (index, (text, squares)) in rows.iter().zip(self.drawn.chunks(self.columns)).enumerate() {
            let row = spread(text, self.columns);
            if row.len() != self.columns {
                let (rank, text) = (rows.len() - index, (*text).to_owned());
                return Err(FenError::Width { rank, text, found: row.len(), expected: expected(self.columns) });
            }
            for (letter, square) in row.into_iter().zip(squares) {
                letters[square.index()] = letter;
            }
        }
        // Squares are numbered rank by rank from the bottom.
        Ok(letters.chunks(self.files).rev().map(|row| rank(row.iter().copied())).collect::<Vec<_>>().join("/"))
    }
}

/// A rank as it is written: letters, and numbers of empty squares.
fn rank(squares: impl Iterator<Item = Option<char>>) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    for letter in squares {
        match letter {
            None => empty += 1,
            Some(letter) => {
                if empty > 0 {
                    text.push_str(&empty.to_string());
                }
                text.push(letter);
                empty = 0;
            }
        }
    }
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
    text
}

/// The squares of a rank. With ten columns or more, neighbouring digits are one number. No more squares than a few too many.
fn spread(text: &str, columns: usize) -> Vec<Option<char>> {
    let mut squares = Vec::new();
    let mut number = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(digit) = c.to_digit(10) else {
            squares.push(Some(c));
            continue;
        };
        number = (number * 10 + digit as usize).min(1000);
        if columns > 9 && chars.peek().is_some_and(char::is_ascii_digit) {
            continue;
        }
        squares.extend(std::iter::repeat_n(None, number));
        number = 0;
    }
    squares
}
