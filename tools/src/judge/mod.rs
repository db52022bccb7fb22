//! Judging play against the tables, whatever is printed of it: how others write positions and moves ([`dialect`]), what a
//! move is worth ([`verdict`]), why a move is illegal and under which rules it would not be ([`illegal`]), what many illegal
//! moves have in common ([`hints`]), game records
//! ([`record`]) and the judging of whole games ([`game`]), engines at work on positions ([`exam`]) and their rules
//! ([`ruling`]), and how often what was
//! played ([`tally`]).

pub mod dialect;
pub mod exam;
pub mod finding;
pub mod game;
pub mod hints;
pub mod illegal;
pub mod record;
pub mod ruling;
pub mod tally;
pub mod verdict;
