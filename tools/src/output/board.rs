//! The picture of a position.

use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::io::{self, Write};

/// Prints the board with its coordinates: letters for pieces, `.` land, `~` water, `#` a trap, `*` a den; and what the signs mean.
pub fn print(out: &mut dyn Write, rules: &Rules, position: &Position) -> io::Result<()> {
    let board = rules.board();
    let terrain = |square: Square| match () {
        () if board.water().contains(square) => '~',
        () if Side::BOTH.iter().any(|&side| board.den(side).contains(square)) => '*',
        () if Side::BOTH.iter().any(|&side| board.traps(side).contains(square)) => '#',
        () => '.',
    };
    for rank in (0..i16::from(board.ranks())).rev() {
        let mut line = format!("{:>4} ", rank + 1);
        for file in 0..i16::from(board.files()) {
            let Some(square) = board.at(file, rank) else { continue };
            line.push(' ');
            line.push(position.piece_on(square).map_or_else(|| terrain(square), |piece| rules.piece_letter(piece)));
        }
        writeln!(out, "{line}")?;
    }
    let files: String = (b'a'..=b'z').take(board.files().into()).flat_map(|file| [' ', char::from(file)]).collect();
    writeln!(out, "     {files}")?;
    let any = |squares: [Bitboard; 2]| squares.iter().any(|squares| !squares.is_empty());
    let signs = [
        (any([board.water(); 2]), "~ water"),
        (any(Side::BOTH.map(|side| board.traps(side))), "# trap"),
        (any(Side::BOTH.map(|side| board.den(side))), "* den"),
    ];
    let legend: Vec<&str> = signs.iter().filter(|(is_there, _)| *is_there).map(|(_, sign)| *sign).collect();
    if legend.is_empty() { Ok(()) } else { writeln!(out, "      {}", legend.join("   ")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pieces_stand_on_their_squares() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, "t6/7/T6/1r5/7/7/7/7/7 w").unwrap();
        let mut out = Vec::new();
        print(&mut out, &rules, &position).unwrap();
        let expected = "   9  t . # * # . .\n   8  . . . # . . .\n   7  T . . . . . .\n   6  . r ~ . ~ ~ .\n   \
                        5  . ~ ~ . ~ ~ .\n   4  . ~ ~ . ~ ~ .\n   3  . . . . . . .\n   2  . . . # . . .\n   \
                        1  . . # * # . .\n      a b c d e f g\n      ~ water   # trap   * den\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
