#![doc = include_str!("../README.md")]
//!
//! # Where to find what
//!
//! | module | holds |
//! | --- | --- |
//! | [`board`] | squares, sides, sets of squares, the board |
//! | [`rules`] | rule sets as data and what they compile to |
//! | [`position`], [`fen`] | positions and how they are written |
//! | [`moves`], [`perft`] | legal moves and their counts |
//! | [`material`], [`class`] | which pieces there are, and which of them share a table |
//! | [`index`](mod@index) | position to number and back |
//! | [`format`](mod@format), [`cache`] | the table file: its specification, writer and reader; decoded blocks |
//! | [`table`], [`tablebase`] | one table; a folder of them: probing |
//! | [`atomic_file`] | files that are there whole or not at all |
//! | [`value`] | values, their distances in plies, and the metrics of tables |
//! | [`without_distances`] | who wins, from distances to win |

pub mod atomic_file;
pub mod board;
pub mod cache;
pub mod class;
pub mod error;
pub mod fen;
pub mod format;
pub mod index;
pub mod material;
pub mod moves;
pub mod names;
pub mod perft;
pub mod position;
pub mod rules;
pub mod table;
pub mod tablebase;
pub mod value;
pub mod without_distances;
