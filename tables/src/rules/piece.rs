//! Animals and pieces.

use crate::board::Side;

/// The most animals of a rule set.
pub const MAX_ANIMALS: usize = 16;

/// A kind of animal: its place in the order of strength, 0 the weakest. Animals of equal rank keep the order in which the
/// rule set names them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Animal(u8);

impl Animal {
    /// The animal at this place in the order of strength.
    ///
    /// # Panics
    /// If the place is not below [`MAX_ANIMALS`].
    #[must_use]
    pub const fn new(place: u8) -> Self {
        assert!((place as usize) < MAX_ANIMALS, "animal out of range");
        Self(place)
    }

    /// The place in the order of strength, to index arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An animal of a side. A side has each animal at most once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// Which animal it is.
    pub animal: Animal,
}

impl Piece {
    /// A number below `2 * MAX_ANIMALS`, to index arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self.side.index() * MAX_ANIMALS + self.animal.index()
    }
}
