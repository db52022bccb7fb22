//! Judging play against the tables, whatever is printed of it: how others write positions and moves ([`dialect`]), what a
//! move is worth ([`verdict`]), why a move is illegal and under which rules it would not be ([`illegal`]).

pub mod dialect;
pub mod exam;
pub mod illegal;
pub mod verdict;
