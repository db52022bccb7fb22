//! Materials: which pieces are on the board.

use crate::board::Side;
use crate::position::Position;
use crate::rules::{Animal, Piece, Rules};

/// The most pieces of a material that can have a table.
pub const MAX_PIECES: usize = 8;

/// Which animals each side has. Written `RL-E`: White's letters, a hyphen, Black's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    /// A bit for each animal, by its place in the order of strength; White first.
    sides: [u16; 2],
}

/// Why a text is not a material.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("material {text:?}: {reason}")]
pub struct MaterialError {
    /// What was read.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Material {
    /// The material of a position.
    #[must_use]
    pub fn of(position: &Position) -> Material {
        let mut material = Material { sides: [0; 2] };
        for (piece, _) in position.pieces() {
            material.sides[piece.side.index()] |= 1 << piece.animal.index();
        }
        material
    }

    /// The material with these animals.
    #[must_use]
    pub fn from_animals(white: &[Animal], black: &[Animal]) -> Material {
        let set = |animals: &[Animal]| animals.iter().fold(0, |set, animal| set | 1u16 << animal.index());
        Material { sides: [set(white), set(black)] }
    }

    /// Reads `RL-E`, letters in any order; aliases of the rule set are understood.
    ///
    /// # Errors
    /// [`MaterialError`]: unknown letters, an animal twice, a side without animals.
    pub fn parse(rules: &Rules, text: &str) -> Result<Material, MaterialError> {
        let refuse = |reason: String| MaterialError { text: text.to_owned(), reason };
        let (white, black) = text
            .trim()
            .split_once('-')
            .ok_or_else(|| refuse("expected White's letters, a hyphen and Black's letters, as RL-E".into()))?;
        let mut material = Material { sides: [0; 2] };
        for (side, letters) in [(Side::White, white), (Side::Black, black)] {
            if letters.is_empty() {
                return Err(refuse(format!("{} has no animals", side.name())));
            }
            for letter in letters.chars() {
                let animal = rules.animal_by_letter(letter.to_ascii_uppercase()).ok_or_else(|| {
                    refuse(format!("{letter:?} is not an animal of {} ({})", rules.name(), rules.letters()))
                })?;
                let bit = 1 << animal.index();
                if material.sides[side.index()] & bit != 0 {
                    return Err(refuse(format!(
                        "{} has {letter} twice; a side has each animal at most once",
                        side.name()
                    )));
                }
                material.sides[side.index()] |= bit;
            }
        }
        Ok(material)
    }

    /// White's letters, a hyphen, Black's letters, weak ones first.
    #[must_use]
    pub fn to_text(self, rules: &Rules) -> String {
        let letters = |side: Side| self.animals(side).map(|animal| rules.letter(animal)).collect::<String>();
        format!("{}-{}", letters(Side::White), letters(Side::Black))
    }

    /// The animals of a side, weak ones first.
    pub fn animals(self, side: Side) -> impl Iterator<Item = Animal> {
        let set = self.sides[side.index()];
        (0..16u8).filter(move |place| set >> place & 1 != 0).map(Animal::new)
    }

    /// All pieces, White's first, weak ones first.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        Side::BOTH.into_iter().flat_map(move |side| self.animals(side).map(move |animal| Piece { side, animal }))
    }

    /// How many pieces a side has.
    #[must_use]
    pub fn count_of(self, side: Side) -> usize {
        self.sides[side.index()].count_ones() as usize
    }

    /// How many pieces there are.
    #[must_use]
    pub fn count(self) -> usize {
        self.count_of(Side::White) + self.count_of(Side::Black)
    }

    /// The material without a piece.
    #[must_use]
    pub fn without(mut self, piece: Piece) -> Material {
        self.sides[piece.side.index()] &= !(1 << piece.animal.index());
        self
    }

    /// True if both sides have pieces.
    #[must_use]
    pub fn has_both_sides(self) -> bool {
        self.sides.iter().all(|&set| set != 0)
    }

    /// The pieces that some piece of the other side can take somewhere on the board.
    #[must_use]
    pub fn capturable(self, rules: &Rules) -> Vec<Piece> {
        let taken = |victim: &Piece| {
            self.animals(victim.side.other()).any(|animal| {
                Position::can_ever_capture(rules, Piece { side: victim.side.other(), animal }, victim.animal)
            })
        };
        self.pieces().filter(taken).collect()
    }

    /// All ordered materials in which the sides have so many pieces.
    #[must_use]
    pub fn all_with(rules: &Rules, white: usize, black: usize) -> Vec<Material> {
        let animals = rules.animals().count();
        let sets = |count: usize| {
            let mut sets: Vec<Vec<Animal>> = (0u32..1 << animals)
                .filter(|set| set.count_ones() as usize == count)
                .map(|set| rules.animals().filter(|animal| set >> animal.index() & 1 != 0).collect())
                .collect();
            sets.sort();
            sets
        };
        let blacks = sets(black);
        let with_white = |white: Vec<Animal>| {
            blacks.iter().map(move |black| Material::from_animals(&white, black)).collect::<Vec<_>>()
        };
        sets(white).into_iter().flat_map(with_white).collect()
    }

    /// All ordered materials with so many pieces, at least one of each side.
    #[must_use]
    pub fn all(rules: &Rules, pieces: usize) -> Vec<Material> {
        (1..pieces).rev().flat_map(|white| Material::all_with(rules, white, pieces - white)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn materials_read_and_print() {
        let rules = Rules::load("classic").unwrap();
        for (text, printed) in [("RL-E", "RL-E"), ("LR-E", "RL-E"), ("lr-e", "RL-E"), ("MJ-F", "RP-W")] {
            assert_eq!(Material::parse(&rules, text).unwrap().to_text(&rules), printed);
        }
        for text in ["", "R", "R-", "-R", "RR-E", "X-E", "R-E-L", "R E", "MR-E"] {
            assert!(Material::parse(&rules, text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_numbers_of_ordered_materials_are_those_of_combinatorics() {
        let rules = Rules::load("classic").unwrap();
        let counts: Vec<usize> = (2..=5).map(|pieces| Material::all(&rules, pieces).len()).collect();
        assert_eq!(counts, [64, 448, 1680, 4256]);
    }
}
