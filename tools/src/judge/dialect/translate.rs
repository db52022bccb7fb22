//! Reading and writing in a notation, for the board and the animals of a rule set.

use super::error::{DialectError, ReadError};
use super::notation::{Between, Case, Notation};
use super::view::View;
use dsq_tables::board::{Side, Square};
use dsq_tables::fen::{Fen, FenError, Letters};
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::{MAX_ANIMALS, Rules};
use std::collections::HashMap;
use std::sync::Arc;

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

    /// Writes the board, without the side to move.
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
    pub(super) fn read_square(&self, name: &str) -> Option<Square> {
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
