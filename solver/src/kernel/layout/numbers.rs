//! The numbers of rows and of groups of words: those of the placements of some pieces, none of them with two pieces on one square.

use super::word::Word;
use dsq_tables::board::{Side, Square};
use dsq_tables::class::Class;
use dsq_tables::index::{Index, Squares};
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::rules::{Piece, Rules};

/// The numbering of the placements of some pieces: that of an index of these pieces alone, with a faster way to a number.
#[derive(Clone, Debug)]
pub struct Numbers<W> {
    index: Index,
    /// For each piece and square: the squares that the piece has before that one.
    earlier: Vec<Vec<W>>,
    /// For each piece: how many numbers share its square and those of the pieces before it.
    after: Vec<u64>,
}

impl<W: Word> Numbers<W> {
    /// The placements of pieces, which are in the order of the index of a class.
    pub fn new(rules: &Rules, pieces: &[Piece], mirror: bool) -> Numbers<W> {
        let index = index_of(rules, pieces, mirror);
        let squares = rules.board().squares();
        let earlier_of = |piece: usize| {
            let domain = W::from_set(index.domain(piece));
            let earlier =
                |square: u8| if square == 0 { W::ZERO } else { W::ALL.shifted(i32::from(square) - W::BITS as i32) };
            (0..squares).map(|square| domain & earlier(square)).collect()
        };
        Numbers {
            earlier: (0..pieces.len()).map(earlier_of).collect(),
            after: (0..pieces.len()).map(|slot| index.numbers_after(slot)).collect(),
            index,
        }
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.index.size() as usize
    }

    /// How many share the squares of the pieces up to one.
    pub fn after(&self, piece: usize) -> usize {
        self.after[piece] as usize
    }

    /// The number of a placement that is no mirror image of one with a number.
    #[inline(always)]
    pub fn number(&self, squares: impl Iterator<Item = u8>) -> usize {
        if !self.index.is_dense() {
            let mut placed: Squares = [Square::new(0); MAX_PIECES];
            placed.iter_mut().zip(squares).for_each(|(place, square)| *place = Square::new(square));
            return self.index.number(&placed) as usize;
        }
        // The domains lie inside each other or apart, so all squares that are taken can be left out.
        let (mut number, mut taken) = (0, W::ZERO);
        for ((earlier, after), square) in self.earlier.iter().zip(&self.after).zip(squares) {
            number += u64::from((earlier[usize::from(square)] & !taken).count()) * after;
            taken |= W::bit(square.into());
        }
        number as usize
    }

    /// The squares of a number; none if two pieces would share one.
    #[inline(always)]
    pub fn squares(&self, number: usize) -> Option<Squares> {
        self.index.squares(number as u64)
    }
}

/// How many rows a class has.
pub fn rows_of(rules: &Rules, class: &Class) -> u64 {
    let pieces = class.index().pieces();
    let count = pieces.len() - 2;
    let outers: Vec<Piece> = pieces.take(count).collect();
    index_of(rules, &outers, class.index().has_mirror() && !outers.is_empty()).size()
}

/// How many placements of some pieces there are, the mirror left aside.
pub fn count_of(rules: &Rules, pieces: &[Piece]) -> u64 {
    index_of(rules, pieces, false).size()
}

fn index_of(rules: &Rules, pieces: &[Piece], mirror: bool) -> Index {
    let of =
        |side: Side| pieces.iter().filter(|piece| piece.side == side).map(|piece| piece.animal).collect::<Vec<_>>();
    Index::new(rules, Material::from_animals(&of(Side::White), &of(Side::Black)), mirror)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_placement_has_the_number_that_it_comes_from() {
        let cases: [(&str, &[(&str, &str)]); 3] =
            [("leiden", &[]), ("animal-checkers-5x5", &[]), ("classic", &[("own-den", "allowed")])];
        for (name, changes) in cases {
            let rules = Rules::load_with(name, changes.iter().copied()).unwrap();
            let index = Index::new(&rules, Material::parse(&rules, "RE-TD").unwrap(), true);
            let pieces: Vec<Piece> = index.pieces().collect();
            for mirror in [false, true] {
                let numbers: Numbers<u64> = Numbers::new(&rules, &pieces[..3], mirror);
                let mut seen = 0;
                for number in 0..numbers.size() {
                    if let Some(squares) = numbers.squares(number) {
                        assert_eq!(numbers.number(squares[..3].iter().map(|square| square.number())), number, "{name}");
                        seen += 1;
                    }
                }
                assert!(seen > 1000 && (seen < numbers.size()) != numbers.index.is_dense(), "{name}");
            }
        }
    }
}
