//! How positions are written: ranks from the top one down, digits for empty squares, letters for pieces (upper case for
//! White), then the side to move.

use crate::board::{Side, Square};
use crate::position::{Position, PositionError, Setup};
use crate::rules::{Animal, Piece, Rules};

/// A position as it was read, with the counters that follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fen {
    /// The position.
    pub position: Position,
    /// Plies since the last capture, if given. Not used for the value.
    pub quiet_plies: Option<u32>,
    /// The number of the move, if given. Not used.
    pub move_number: Option<u32>,
}

/// What may help with a letter that is no piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetterHint {
    /// Nothing: it is no letter.
    None,
    /// The text may have other [`Letters`] than the rule set.
    OtherLetters,
    /// The text may have I for the lion and L for the leopard, as many have: the letters `lion=I,leopard=L`.
    LionAndLeopard,
}

/// Why a text is not a position. The messages name the field, the rank and the square.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// Nothing there.
    #[error("FEN: it is empty")]
    Empty,
    /// `startpos` where the rule set has no start squares.
    #[error("FEN: startpos: rule set {rules} has no first position")]
    NoStart {
        /// The rule set.
        rules: String,
    },
    /// The side to move is missing.
    #[error("FEN: the side to move is missing (w or b after the board)")]
    NoSide,
    /// The side to move is something else.
    #[error("FEN: side to move: {found:?} is none of w, b, r, white, black, red")]
    Side {
        /// What stands there.
        found: String,
    },
    /// A wrong number of ranks.
    #[error("FEN: board: {found} rank{}, this board has {expected}, with / between", if *found == 1 { "" } else { "s" })]
    Ranks {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: u8,
    },
    /// A rank with a wrong number of squares.
    #[error("FEN: rank {rank} ({text:?}): {found} squares, this board has {expected} files")]
    Width {
        /// The rank, 1 at White's side.
        rank: usize,
        /// What stands there.
        text: String,
        /// How many squares it makes.
        found: usize,
        /// How many it should make.
        expected: u8,
    },
    /// A character that means nothing.
    #[error("FEN: rank {rank}, square {square}: {found:?} is not a piece of {rules} ({letters})")]
    Letter {
        /// The rank, 1 at White's side.
        rank: usize,
        /// The square where it stands.
        square: String,
        /// The character.
        found: char,
        /// The rule set.
        rules: String,
        /// Its letters.
        letters: String,
        /// What the user may have meant.
        hint: LetterHint,
    },
    /// An animal twice on one side.
    #[error("FEN: rank {rank}, square {square}: {side} has a second {animal} ({letter}), the first stands on {first}")]
    Twice {
        /// The rank, 1 at White's side.
        rank: usize,
        /// The second square.
        square: String,
        /// `white` or `black`.
        side: &'static str,
        /// The animal.
        animal: String,
        /// The letter that was read.
        letter: char,
        /// The first square.
        first: String,
    },
    /// Pieces that cannot stand like that.
    #[error("FEN: board: {0}")]
    Position(#[from] PositionError),
    /// A counter that is none.
    #[error("FEN: field {field} ({found:?}): expected - or a number (plies without capture, move number)")]
    Counter {
        /// The field, counted from 1 for the board.
        field: usize,
        /// What stands there.
        found: String,
    },
    /// More than there should be.
    #[error("FEN: field {field} ({found:?}): nothing more was expected here")]
    TooLong {
        /// The field, counted from 1 for the board.
        field: usize,
        /// What stands there.
        found: String,
    },
}

/// Which letters are read for which animals, where that differs from the rule set: `lion=I,leopard=L`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Letters(Vec<(char, Animal)>);

/// Why a list of letters cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("letters {text:?}: {reason}")]
pub struct LettersError {
    text: String,
    reason: String,
}

impl Letters {
    /// Reads `NAME=LETTER,…`; a letter given away like that no longer means the animal of the rule set.
    ///
    /// # Errors
    /// [`LettersError`] for unknown animals, wrong letters, a letter given twice.
    pub fn parse(rules: &Rules, text: &str) -> Result<Letters, LettersError> {
        let refuse = |reason: String| LettersError { text: text.to_owned(), reason };
        let mut letters: Vec<(char, Animal)> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, letter) =
                part.split_once('=').ok_or_else(|| refuse(format!("{part:?} is not of the form lion=I")))?;
            let animal = rules
                .animal_by_name(&name.trim().to_lowercase())
                .ok_or_else(|| refuse(format!("{:?} is not an animal of {}", name.trim(), rules.name())))?;
            let mut chars = letter.trim().chars();
            let letter = match (chars.next(), chars.next()) {
                (Some(letter), None) if letter.is_ascii_alphabetic() => letter.to_ascii_uppercase(),
                _ => return Err(refuse(format!("{:?} is not one letter A to Z", letter.trim()))),
            };
            if letters.iter().any(|&(other, which)| other == letter || which == animal) {
                return Err(refuse(format!("{part:?} gives a letter or an animal twice")));
            }
            letters.push((letter, animal));
        }
        Ok(Letters(letters))
    }

    /// The animal of an upper-case letter.
    fn animal(&self, rules: &Rules, letter: char) -> Option<Animal> {
        match self.0.iter().find(|(other, _)| *other == letter) {
            Some(&(_, animal)) => Some(animal),
            None => rules.animal_by_letter(letter),
        }
    }
}

impl Fen {
    /// Reads a position: board or `startpos`, side to move, then optional counters.
    ///
    /// # Errors
    /// [`FenError`]: what is wrong and where.
    pub fn parse(rules: &Rules, text: &str) -> Result<Fen, FenError> {
        Fen::parse_with(rules, &Letters::default(), text)
    }

    /// Reads a position with some letters given to other animals.
    ///
    /// # Errors
    /// [`FenError`]: what is wrong and where.
    pub fn parse_with(rules: &Rules, letters: &Letters, text: &str) -> Result<Fen, FenError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let Some(&board) = fields.first() else { return Err(FenError::Empty) };
        let (mut setup, side_field) = if board == "startpos" {
            let start = Position::start(rules);
            if start.pieces().next().is_none() {
                return Err(FenError::NoStart { rules: rules.name().to_owned() });
            }
            (start.setup(), fields.get(1).copied().or(Some("w")))
        } else {
            (parse_board(rules, letters, board)?, fields.get(1).copied())
        };
        let side = match side_field.map(str::to_ascii_lowercase).as_deref() {
            None => return Err(FenError::NoSide),
            Some("w" | "white" | "r" | "red") => Side::White,
            Some("b" | "black") => Side::Black,
            Some(_) => return Err(FenError::Side { found: fields.get(1).copied().unwrap_or_default().to_owned() }),
        };
        setup.set_turn(side);
        let position = setup.position(rules)?;
        let rest = fields.get(2..).unwrap_or_default();
        // Two dashes in a row are fields that chess has and this game has not.
        let dashes = if rest.starts_with(&["-", "-"]) { 2 } else { 0 };
        let mut counters = [None, None];
        for (index, &found) in rest.iter().enumerate().skip(dashes) {
            let field = index + 3;
            let slot =
                counters.get_mut(index - dashes).ok_or_else(|| FenError::TooLong { field, found: found.to_owned() })?;
            if found != "-" {
                let digits = found.bytes().all(|b| b.is_ascii_digit());
                let number = found.parse().ok().filter(|_| digits);
                *slot = Some(number.ok_or_else(|| FenError::Counter { field, found: found.to_owned() })?);
            }
        }
        Ok(Fen { position, quiet_plies: counters[0], move_number: counters[1] })
    }
}

fn parse_board(rules: &Rules, letters: &Letters, text: &str) -> Result<Setup, FenError> {
    let board = rules.board();
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != usize::from(board.ranks()) {
        return Err(FenError::Ranks { found: ranks.len(), expected: board.ranks() });
    }
    let mut setup = Setup::empty(Side::White);
    for (line, &text) in ranks.iter().enumerate() {
        let rank = ranks.len() - line;
        let mut file = 0usize;
        let mut number: Option<usize> = None;
        let mut pieces: Vec<(usize, char)> = Vec::new();
        for found in text.chars() {
            if let Some(digit) = found.to_digit(10) {
                // With ten files or more, neighbouring digits are one number.
                let tens = if board.files() > 9 { number.unwrap_or(0) } else { 0 };
                let value = (tens * 10 + digit as usize).min(1000);
                file = file - if board.files() > 9 { number.unwrap_or(0) } else { 0 } + value;
                if value == 0 {
                    return Err(letter_error(rules, rank, file, found));
                }
                number = Some(value);
            } else {
                number = None;
                pieces.push((file, found));
                file += 1;
            }
        }
        if file != usize::from(board.files()) {
            // An unknown letter is the likelier fault, so it is named first.
            for &(file, found) in &pieces {
                piece_of(rules, letters, rank, file, found)?;
            }
            let text = text.to_owned();
            return Err(FenError::Width { rank, text, found: file, expected: board.files() });
        }
        for (file, found) in pieces {
            let piece = piece_of(rules, letters, rank, file, found)?;
            let Some(square) = board.at(file as i16, rank as i16 - 1) else {
                return Err(letter_error(rules, rank, file, found));
            };
            if let Some(first) = setup.square(piece) {
                return Err(FenError::Twice {
                    rank,
                    square: board.name(square),
                    side: piece.side.name(),
                    animal: rules.animal(piece.animal).name.clone(),
                    letter: found,
                    first: board.name(first),
                });
            }
            setup.place(piece, square);
        }
    }
    Ok(setup)
}

fn piece_of(rules: &Rules, letters: &Letters, rank: usize, file: usize, found: char) -> Result<Piece, FenError> {
    let side = if found.is_ascii_uppercase() { Side::White } else { Side::Black };
    match letters.animal(rules, found.to_ascii_uppercase()) {
        Some(animal) if found.is_ascii_alphabetic() => Ok(Piece { side, animal }),
        _ => Err(letter_error(rules, rank, file, found)),
    }
}

fn letter_error(rules: &Rules, rank: usize, file: usize, found: char) -> FenError {
    let square = match rules.board().at(i16::try_from(file).unwrap_or(i16::MAX), i16::try_from(rank).unwrap_or(0) - 1) {
        Some(square) => rules.board().name(square),
        None => "beyond the last file".to_owned(),
    };
    let hint = match found {
        'I' | 'i' if rules.animal_by_name("lion").is_some() => LetterHint::LionAndLeopard,
        _ if found.is_ascii_alphabetic() => LetterHint::OtherLetters,
        _ => LetterHint::None,
    };
    FenError::Letter { rank, square, found, rules: rules.name().to_owned(), letters: rules.letters(), hint }
}

impl Position {
    /// Reads a position and forgets the counters.
    ///
    /// # Errors
    /// [`FenError`]: what is wrong and where.
    pub fn from_fen(rules: &Rules, text: &str) -> Result<Position, FenError> {
        Fen::parse(rules, text).map(|fen| fen.position)
    }

    /// The position as FEN in the letters of the rule set: board and side to move.
    #[must_use]
    pub fn to_fen(&self, rules: &Rules) -> String {
        let board = rules.board();
        let mut text = String::new();
        let mut letters = [None; 128];
        for (piece, square) in self.pieces() {
            letters[square.index()] = Some(rules.piece_letter(piece));
        }
        for rank in (0..board.ranks()).rev() {
            let mut empty = 0u32;
            for file in 0..board.files() {
                let square = Square::new(rank * board.files() + file);
                if let Some(letter) = letters[square.index()] {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                    }
                    empty = 0;
                    text.push(letter);
                } else {
                    empty += 1;
                }
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
            text.push(if rank == 0 { ' ' } else { '/' });
        }
        text.push(if self.turn() == Side::White { 'w' } else { 'b' });
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const START: &str = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w";

    fn parse(text: &str) -> Result<Fen, FenError> {
        Fen::parse(&Rules::load("classic").unwrap(), text)
    }

    fn refused(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_first_position_reads_and_prints() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, START).unwrap();
        assert_eq!(position, Position::start(&rules));
        assert_eq!(position.to_fen(&rules), START);
        assert_eq!(Position::from_fen(&rules, "startpos").unwrap(), position);
        assert_eq!(Position::from_fen(&rules, "startpos b").unwrap().turn(), Side::Black);
    }

    #[test]
    fn other_letters_and_sides_are_read() {
        let start = parse(START).unwrap().position;
        assert_eq!(parse("l5t/1d3c1/m1j1f1e/7/7/7/E1F1J1M/1C3D1/T5L red").unwrap().position, start);
        for (side, turn) in [("w", Side::White), ("WHITE", Side::White), ("r", Side::White), ("black", Side::Black)] {
            assert_eq!(parse(&format!("7/7/3e3/7/7/7/3E3/7/7 {side}")).unwrap().position.turn(), turn);
        }
        let rules = Rules::load("classic").unwrap();
        let letters = Letters::parse(&rules, "lion=I,leopard=L").unwrap();
        let text = "i5t/1d3c1/r1l1w1e/7/7/7/E1W1L1R/1C3D1/T5I w";
        assert_eq!(Fen::parse_with(&rules, &letters, text).unwrap().position, start);
        for bad in ["lion", "lion=II", "dragon=D", "lion=I,leopard=I", "lion=1"] {
            assert!(Letters::parse(&rules, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn counters_are_kept() {
        let counters = |rest: &str| parse(&format!("{START} {rest}")).map(|fen| (fen.quiet_plies, fen.move_number));
        assert_eq!(counters(""), Ok((None, None)));
        assert_eq!(counters("- -"), Ok((None, None)));
        assert_eq!(counters("- - 12 34"), Ok((Some(12), Some(34))));
        assert_eq!(counters("12 34"), Ok((Some(12), Some(34))));
        assert_eq!(counters("7"), Ok((Some(7), None)));
        assert!(matches!(counters("x"), Err(FenError::Counter { field: 3, .. })));
        assert!(matches!(counters("1 +2"), Err(FenError::Counter { field: 4, .. })));
        assert!(matches!(counters("1 2 3"), Err(FenError::TooLong { field: 5, .. })));
    }

    #[test]
    fn faults_are_refused_by_rank_and_square() {
        assert_eq!(refused(""), "FEN: it is empty");
        assert!(refused("7/7/7/7/7/7/7/7/E6").contains("side to move is missing"));
        assert!(refused("7/7/7/7/7/7/7/7/E6 x").contains("\"x\""));
        assert!(refused("7/7/7/7/7/7/7/E6 w").contains("8 ranks"));
        assert!(refused("7/7/7/6/7/7/7/7/E6 w").contains("rank 6"));
        assert!(refused("7/7/7/7/7/7/7/70/E6 w").contains("rank 2"));
        assert!(refused("7/7/7/7/7/7/7/7/8 w").contains("rank 1"));
        let hint = |fen: &str| match Fen::parse(&Rules::load("classic").unwrap(), fen) {
            Err(FenError::Letter { hint, .. }) => hint,
            other => panic!("{other:?}"),
        };
        assert_eq!(hint("i5t/7/7/7/7/7/7/7/7 w"), LetterHint::LionAndLeopard);
        assert_eq!(hint("x5t/7/7/7/7/7/7/7/7 w"), LetterHint::OtherLetters);
        assert_eq!(hint("?5t/7/7/7/7/7/7/7/7 w"), LetterHint::None);
        assert!(refused("7/7/7/7/7/7/2X4/7/7 w").contains("square c3"));
        let twice = refused("l5t/1d3c1/r1l1w1e/7/7/7/E1W1P1R/1C3D1/T5L w");
        assert!(twice.contains("c7") && twice.contains("a9"), "{twice}");
        assert!(refused("7/7/7/1C5/7/7/7/7/7 w").contains("b6: it is water"));
        assert!(refused("7/7/7/7/7/7/7/7/3E3 w").contains("d1: it is its own den"));
        assert!(refused("3e3/7/7/7/7/7/7/7/7 w").contains("own den"));
        assert!(refused("3E3/7/7/7/7/7/7/7/3e3 w").contains("both dens"));
        assert!(refused("7/7/7/7/7/7/7/7/7 w").contains("no piece"));
        assert!(refused("7/7/7/7/7/7/7/7/Ä6 w").contains("a1"));
    }

    #[test]
    fn a_piece_in_the_enemy_den_is_a_finished_game() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, "3E3/7/3e3/7/7/7/7/7/7 b").unwrap();
        assert_eq!(position.finished(&rules).map(|finished| finished.winner), Some(Side::White));
    }
}
