//! The board: its size, and the meaning of its squares.

use super::bitboard::Bitboard;
use super::square::{MAX_FILES, MAX_SQUARES, Side, Square};

/// A map of the board onto itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symmetry {
    /// Every square stays.
    Identity,
    /// Left and right change places.
    Mirror,
    /// Turned by 180 degrees.
    HalfTurn,
    /// Rank 1 and the last rank change places.
    Flip,
}

/// The size of a board and the meaning of its squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    files: u8,
    ranks: u8,
    water: Bitboard,
    dens: [Bitboard; 2],
    traps: [Bitboard; 2],
}

/// What is wrong with the picture of a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardError {
    /// No line, or a line without squares.
    #[error("the map has no squares")]
    Empty,
    /// The lines differ in length.
    #[error("line {line} of the map has {found} squares, line 1 has {expected}")]
    Ragged {
        /// The line, counted from 1 at the top.
        line: usize,
        /// Squares in that line.
        found: usize,
        /// Squares in the first line.
        expected: usize,
    },
    /// Too many squares, files or ranks.
    #[error("{files} files and {ranks} ranks are too many; at most 26 files and 128 squares are possible")]
    TooLarge {
        /// Files of the map.
        files: usize,
        /// Ranks of the map.
        ranks: usize,
    },
    /// An unknown character.
    #[error(
        "line {line}, column {column} of the map: {found:?} is none of . (land) ~ (water) D d (dens of White, Black) T t (traps of White, Black)"
    )]
    Character {
        /// The line, counted from 1 at the top.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What stands there.
        found: char,
    },
}

impl Board {
    /// Reads a picture of the board: the last rank first, one character a square. `.` is land, `~` water, `D` and `d` the
    /// den of White and Black, `T` and `t` a trap of White and Black.
    ///
    /// # Errors
    /// [`BoardError`] names line and column.
    pub fn from_map(map: &str) -> Result<Board, BoardError> {
        let lines: Vec<Vec<char>> =
            map.lines().map(|line| line.trim().chars().collect::<Vec<_>>()).filter(|line| !line.is_empty()).collect();
        let files = lines.first().map(Vec::len).ok_or(BoardError::Empty)?;
        let ranks = lines.len();
        if files > usize::from(MAX_FILES) || files * ranks > MAX_SQUARES {
            return Err(BoardError::TooLarge { files, ranks });
        }
        let mut board = Board {
            files: files as u8,
            ranks: ranks as u8,
            water: Bitboard::EMPTY,
            dens: [Bitboard::EMPTY; 2],
            traps: [Bitboard::EMPTY; 2],
        };
        for (index, line) in lines.iter().enumerate() {
            if line.len() != files {
                return Err(BoardError::Ragged { line: index + 1, found: line.len(), expected: files });
            }
            for (file, &found) in line.iter().enumerate() {
                let square = Square(((ranks - 1 - index) * files + file) as u8);
                match found {
                    '.' => {}
                    '~' => board.water.insert(square),
                    'D' => board.dens[0].insert(square),
                    'd' => board.dens[1].insert(square),
                    'T' => board.traps[0].insert(square),
                    't' => board.traps[1].insert(square),
                    _ => return Err(BoardError::Character { line: index + 1, column: file + 1, found }),
                }
            }
        }
        Ok(board)
    }

    /// The picture of the board, as [`Board::from_map`] reads it, with a line end after each rank.
    #[must_use]
    pub fn to_map(&self) -> String {
        let mut map = String::new();
        for rank in (0..self.ranks).rev() {
            for file in 0..self.files {
                let square = Square(rank * self.files + file);
                map.push(match () {
                    () if self.water.contains(square) => '~',
                    () if self.dens[0].contains(square) => 'D',
                    () if self.dens[1].contains(square) => 'd',
                    () if self.traps[0].contains(square) => 'T',
                    () if self.traps[1].contains(square) => 't',
                    () => '.',
                });
            }
            map.push('\n');
        }
        map
    }

    /// The number of files.
    #[must_use]
    pub fn files(&self) -> u8 {
        self.files
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> u8 {
        self.ranks
    }

    /// The number of squares.
    #[must_use]
    pub fn squares(&self) -> u8 {
        self.files * self.ranks
    }

    /// All squares.
    #[must_use]
    pub fn all(&self) -> Bitboard {
        Bitboard::from_bits(u128::MAX >> (128 - u32::from(self.squares())))
    }

    /// The water.
    #[must_use]
    pub fn water(&self) -> Bitboard {
        self.water
    }

    /// The den (or dens) of a side.
    #[must_use]
    pub fn den(&self, side: Side) -> Bitboard {
        self.dens[side.index()]
    }

    /// The traps of a side.
    #[must_use]
    pub fn traps(&self, side: Side) -> Bitboard {
        self.traps[side.index()]
    }

    /// The file of a square, 0 for a.
    #[must_use]
    pub fn file(&self, square: Square) -> u8 {
        square.0 % self.files
    }

    /// The rank of a square, 0 for rank 1.
    #[must_use]
    pub fn rank(&self, square: Square) -> u8 {
        square.0 / self.files
    }

    /// The square on a file and rank counted from 0, if it is on the board.
    #[must_use]
    pub fn at(&self, file: i16, rank: i16) -> Option<Square> {
        let on_board = (0..i16::from(self.files)).contains(&file) && (0..i16::from(self.ranks)).contains(&rank);
        on_board.then(|| Square((rank * i16::from(self.files) + file) as u8))
    }

    /// The square `files` to the right and `ranks` up, if it is on the board.
    #[must_use]
    pub fn offset(&self, from: Square, files: i8, ranks: i8) -> Option<Square> {
        self.at(i16::from(self.file(from)) + i16::from(files), i16::from(self.rank(from)) + i16::from(ranks))
    }

    /// The name of a square, as `a3`.
    #[must_use]
    pub fn name(&self, square: Square) -> String {
        format!("{}{}", char::from(b'a' + self.file(square)), self.rank(square) + 1)
    }

    /// Reads the name of a square in either case, as `a3` or `A3`.
    #[must_use]
    pub fn parse_square(&self, name: &str) -> Option<Square> {
        let mut chars = name.chars();
        let file = chars.next()?.to_ascii_lowercase();
        let digits = chars.as_str();
        if !file.is_ascii_lowercase() || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let rank: i16 = digits.parse().ok()?;
        self.at(file as i16 - 'a' as i16, rank - 1)
    }

    /// Where a symmetry takes a square.
    #[must_use]
    pub fn map(&self, symmetry: Symmetry, square: Square) -> Square {
        let (file, rank) = (self.file(square), self.rank(square));
        let (mirrored, flipped) = (self.files - 1 - file, self.ranks - 1 - rank);
        let (file, rank) = match symmetry {
            Symmetry::Identity => (file, rank),
            Symmetry::Mirror => (mirrored, rank),
            Symmetry::HalfTurn => (mirrored, flipped),
            Symmetry::Flip => (file, flipped),
        };
        Square(rank * self.files + file)
    }

    /// Where a symmetry takes a set.
    #[must_use]
    pub fn map_set(&self, symmetry: Symmetry, set: Bitboard) -> Bitboard {
        set.squares().map(|square| self.map(symmetry, square)).collect()
    }

    /// The squares on the left half, the middle file (if there is one) included.
    #[must_use]
    pub fn left_half(&self) -> Bitboard {
        self.all().squares().filter(|&square| 2 * self.file(square) < self.files).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_map_reads_back() {
        let map = "..tdt..\n...t...\n.......\n.~~.~~.\n.~~.~~.\n.~~.~~.\n.......\n...T...\n..TDT..\n";
        let board = Board::from_map(map).unwrap();
        assert_eq!(board.to_map(), map);
        assert_eq!((board.files(), board.ranks(), board.water().count()), (7, 9, 12));
        assert_eq!(board.den(Side::White), board.parse_square("d1").unwrap().bit());
        assert!(board.traps(Side::Black).contains(board.parse_square("D8").unwrap()));
        assert_eq!(board.left_half().count(), 36);
    }

    #[test]
    fn a_bad_map_is_refused_by_line_and_column() {
        assert_eq!(Board::from_map("\n \n"), Err(BoardError::Empty));
        assert_eq!(Board::from_map("...\n.."), Err(BoardError::Ragged { line: 2, found: 2, expected: 3 }));
        assert_eq!(Board::from_map("...\n.x."), Err(BoardError::Character { line: 2, column: 2, found: 'x' }));
        assert!(matches!(Board::from_map(&"............\n".repeat(11)), Err(BoardError::TooLarge { .. })));
    }

    #[test]
    fn symmetries_are_involutions() {
        let board = Board::from_map("....\n....\n....").unwrap();
        for symmetry in [Symmetry::Identity, Symmetry::Mirror, Symmetry::HalfTurn, Symmetry::Flip] {
            for square in board.all().squares() {
                assert_eq!(board.map(symmetry, board.map(symmetry, square)), square);
            }
        }
    }

    #[test]
    fn square_names_off_the_board_are_refused() {
        let board = Board::from_map("....\n....\n....").unwrap();
        for name in ["", "a", "a0", "a4", "e1", "11", "a01", "a+1", "ä1", "a1 "] {
            assert_eq!(board.parse_square(name), None, "{name}");
        }
    }
}
