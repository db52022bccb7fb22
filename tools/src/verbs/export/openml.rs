//! The published data set of two-piece endings (OpenML 41027, by van Rijn and Vis), byte for byte.
//!
//! The order of its rows was read off the file. The materials come as in [`MATERIALS`], each as it stands there and then, if
//! the animals differ, with the colours swapped. As it stands, Black's animal goes through the ranks from the top one down
//! and through each from file a, and for each of its squares White's animal does the same. With the colours swapped it is
//! the same turned upside down: White's animal is the slow one and the ranks go up. White is always to move. The very last
//! row is missing there, and so it is here.

use super::exported::Exported;
use crate::error::Failure;
use dsq_tables::board::{Board, Side, Square};
use dsq_tables::material::Material;
use dsq_tables::position::Setup;
use dsq_tables::rules::{Piece, Rules};
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Value;
use std::io::Write;

/// The rule set of the published values.
pub const RULES: &str = "leiden";

const HEADER: &str = "white_piece0_strength,white_piece0_file,white_piece0_rank,\
                      black_piece0_strength,black_piece0_file,black_piece0_rank,class";

/// The ten materials: White's and Black's animal where the colours are not swapped.
const MATERIALS: [(char, char); 10] = [
    ('R', 'R'),
    ('R', 'P'),
    ('R', 'L'),
    ('R', 'E'),
    ('P', 'L'),
    ('P', 'E'),
    ('T', 'L'),
    ('L', 'L'),
    ('L', 'E'),
    ('E', 'E'),
];

/// The materials of the data set in its order, those with swapped colours among them.
pub fn materials(rules: &Rules) -> Result<Vec<Material>, Failure> {
    let parse = |text: String| Ok(Material::parse(rules, &text)?);
    let both = |&(white, black): &(char, char)| {
        let swapped = (white != black).then(|| format!("{black}-{white}"));
        std::iter::once(format!("{white}-{black}")).chain(swapped)
    };
    MATERIALS.iter().flat_map(both).map(parse).collect()
}

/// Writes header and rows.
pub fn write(tables: &Tablebase, exported: &[Exported], out: &mut dyn Write) -> Result<(), Failure> {
    let rules = tables.rules();
    out.write_all(HEADER.as_bytes())?;
    // Each row begins with the end of the line before, so that the last one can be held back.
    let mut held: Option<String> = None;
    for Exported { material, member } in exported {
        let table = tables.table(member.class())?;
        let route = member.route(Side::White);
        let pieces: Vec<Piece> = material.pieces().collect();
        let &[white, black] = pieces.as_slice() else { continue };
        let swapped = !MATERIALS.contains(&(rules.letter(white.animal), rules.letter(black.animal)));
        let (slow, fast) = if swapped { (white, black) } else { (black, white) };
        let order = squares(rules.board(), swapped);
        let stands = |piece: Piece| {
            let domain = rules.movement(piece).domain();
            order.iter().copied().filter(move |&square| domain.contains(square))
        };
        for slow_square in stands(slow) {
            for fast_square in stands(fast).filter(|&square| square != slow_square) {
                let mut setup = Setup::empty(Side::White);
                setup.place(slow, slow_square);
                setup.place(fast, fast_square);
                let position = setup.assume_legal();
                let Some(squares) = route.squares(&position) else { continue };
                let code = table.code(route.side(), member.class().index().number(&squares))?;
                let class = match Value::from_code(code) {
                    Value::Win(_) => 'w',
                    Value::Draw => 'd',
                    Value::Loss(_) => 'b',
                };
                let columns = |piece: Piece| columns(rules, piece, position.square(piece));
                if let Some(row) = held.replace(format!("{},{},{class}", columns(white), columns(black))) {
                    write!(out, "\n{row}")?;
                }
            }
        }
    }
    out.write_all(b"\n")?;
    Ok(())
}

/// All squares, each rank from file a, the top rank first or (`upwards`) last.
fn squares(board: &Board, upwards: bool) -> Vec<Square> {
    let mut squares: Vec<Square> = board.all().squares().collect();
    if !upwards {
        squares.sort_by_key(|&square| (std::cmp::Reverse(board.rank(square)), board.file(square)));
    }
    squares
}

/// Strength, file and rank of a piece, each counted from 0.
fn columns(rules: &Rules, piece: Piece, square: Option<Square>) -> String {
    let place = square.map(|square| (rules.board().file(square), rules.board().rank(square)));
    let (file, rank) = place.unwrap_or_default();
    format!("{},{file},{rank}", piece.animal.index())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_strengths_are_those_of_the_data_set() {
        let rules = Rules::load("leiden").unwrap();
        let strengths = ['R', 'P', 'T', 'L', 'E'].map(|letter| rules.animal_by_letter(letter).unwrap().index());
        assert_eq!(strengths, [0, 4, 5, 6, 7]);
        assert_eq!(materials(&rules).unwrap().len(), 17);
    }
}
