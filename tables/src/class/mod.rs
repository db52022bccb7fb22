//! Material classes: which materials share a table.
//!
//! Two materials have the same table when a bijection of their pieces keeps the sides, the way every piece moves (domain,
//! steps, jumps and what stops them) and the whole capture relation. With the bijection the board may be mirrored, or turned
//! (by 180 degrees or upside down) and the colours swapped, if everything fits again. Nothing here knows an animal: all of it
//! is computed from the compiled rules, so a rule set without a symmetry simply has more classes.
//!
//! A class is named after one member, its *representative*; that is the material the table is solved for.

mod canon;
mod catalog;
mod route;

pub use catalog::Catalog;
pub use route::{Member, Route};

use crate::board::Side;
use crate::index::Index;
use crate::material::Material;
use crate::position::{Position, Setup};

/// A class of materials with one table.
#[derive(Clone, Debug)]
pub struct Class {
    material: Material,
    name: String,
    symmetric: bool,
    index: Index,
    members: usize,
}

impl Class {
    /// The representative, for which the table is solved.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The name of the class: the text of its representative.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if swapping the colours maps the class to itself. Its table then holds only positions with White to move.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// For how many sides to move the table holds values.
    #[must_use]
    pub fn sides(&self) -> usize {
        if self.symmetric { 1 } else { 2 }
    }

    /// The numbering of its positions.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How many ordered materials are in the class.
    #[must_use]
    pub fn members(&self) -> usize {
        self.members
    }

    /// The position of the representative with this number and this side to move.
    #[must_use]
    pub fn position(&self, turn: Side, number: u64) -> Option<Position> {
        let squares = self.index.squares(number)?;
        let mut setup = Setup::empty(turn);
        for (piece, square) in self.index.pieces().zip(squares) {
            setup.place(piece, square);
        }
        Some(setup.assume_legal())
    }
}
