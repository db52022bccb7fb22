//! Every position of a material with its value, as comma-separated values.

use super::exported::Exported;
use crate::error::{Code, Failure};
use crate::interrupt;
use dsq_tables::board::{Side, Square};
use dsq_tables::position::Setup;
use dsq_tables::rules::{Piece, Rules};
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Metric;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io::Write;

/// How many pieces of the work are done between two writes.
const BATCH: usize = 64;

/// Writes header and rows; see the help of `export` for their order.
pub fn write(tables: &Tablebase, exported: &[Exported], metric: Metric, out: &mut dyn Write) -> Result<(), Failure> {
    out.write_all(b"fen,value,plies\n")?;
    for exported in exported {
        let table = tables.table_with(exported.member.class(), metric)?;
        let pieces: Vec<Piece> = exported.material.pieces().collect();
        // One piece of the work is one placement of all pieces but the last two.
        let (outer, inner) = pieces.split_at(pieces.len().saturating_sub(2));
        for turn in Side::BOTH {
            let mut starts = Placements::new(tables.rules(), outer, Setup::empty(turn));
            loop {
                let batch: Vec<Setup> = starts.by_ref().take(BATCH).collect();
                if batch.is_empty() {
                    break;
                }
                if interrupt::asked() {
                    return Err(Failure::Said(Code::Stopped, "stopped".to_owned()));
                }
                let rows = |start: &Setup| rows(tables.rules(), &table, exported, inner, *start);
                let texts: Vec<Result<String, TablebaseError>> = batch.par_iter().map(rows).collect();
                for text in texts {
                    out.write_all(text?.as_bytes())?;
                }
            }
        }
    }
    Ok(())
}

/// The rows for all placements of the last pieces beside those that stand already.
fn rows(
    rules: &Rules,
    table: &Table,
    exported: &Exported,
    inner: &[Piece],
    start: Setup,
) -> Result<String, TablebaseError> {
    let route = exported.member.route(start.turn());
    let index = exported.member.class().index();
    let mut text = String::new();
    for position in Placements::new(rules, inner, start).map(Setup::assume_legal) {
        let Some(squares) = route.squares(&position) else { continue };
        let score = table.metric().score(table.code(route.side(), index.number(&squares))?);
        let (value, plies) = (score.outcome.name(), score.plies);
        let plies = plies.map(|plies| plies.to_string()).unwrap_or_default();
        let _ = writeln!(text, "{},{value},{plies}", position.to_fen(rules));
    }
    Ok(text)
}

/// All placements of some pieces beside those that stand already: each piece goes through its squares, the last one fastest.
struct Placements<'a> {
    rules: &'a Rules,
    pieces: &'a [Piece],
    start: Setup,
    /// The squares of the pieces in the last placement; none before the first one.
    last: Option<Vec<Square>>,
    done: bool,
}

impl<'a> Placements<'a> {
    fn new(rules: &'a Rules, pieces: &'a [Piece], start: Setup) -> Placements<'a> {
        Placements { rules, pieces, start, last: None, done: false }
    }

    /// The first free square of a piece after a given one, while those before it stand as they are.
    fn next_square(&self, place: usize, before: &[Square], after: Option<Square>) -> Option<Square> {
        let free = |square: &Square| self.start.piece_on(*square).is_none() && !before.contains(square);
        let squares = self.rules.movement(self.pieces[place]).domain().squares();
        squares.filter(|&square| after.is_none_or(|after| square > after)).find(free)
    }

    /// Places the pieces from `squares.len()` on, going on after `after` with the first of them; if there is no room, an
    /// earlier piece goes on. None when all are through.
    fn advance(&self, mut squares: Vec<Square>, mut after: Option<Square>) -> Option<Vec<Square>> {
        while squares.len() < self.pieces.len() {
            match self.next_square(squares.len(), &squares, after) {
                Some(square) => {
                    squares.push(square);
                    after = None;
                }
                None => after = Some(squares.pop()?),
            }
        }
        Some(squares)
    }
}

impl Iterator for Placements<'_> {
    type Item = Setup;

    fn next(&mut self) -> Option<Setup> {
        if self.done {
            return None;
        }
        let next = match self.last.take() {
            None => self.advance(Vec::new(), None),
            Some(mut squares) => match squares.pop() {
                Some(last) => self.advance(squares, Some(last)),
                // No pieces have one placement only.
                None => None,
            },
        };
        self.done = next.is_none();
        let squares = next?;
        let mut setup = self.start;
        for (&piece, &square) in self.pieces.iter().zip(&squares) {
            setup.place(piece, square);
        }
        self.last = Some(squares);
        Some(setup)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dsq_tables::material::Material;

    #[test]
    fn all_placements_come_once_and_in_order() {
        let rules = Rules::load("classic").unwrap();
        for (text, count) in [("R-E", 49 * 60), ("E-R", 49 * 60), ("RL-E", 49 * 48 * 59), ("R-R", 61 * 60)] {
            let pieces: Vec<Piece> = Material::parse(&rules, text).unwrap().pieces().collect();
            let order = |position: &Setup| -> Vec<Square> {
                pieces.iter().map(|&piece| position.square(piece).unwrap()).collect()
            };
            let placements: Vec<Vec<Square>> =
                Placements::new(&rules, &pieces, Setup::empty(Side::Black)).map(|p| order(&p)).collect();
            assert_eq!(placements.len(), count, "{text}");
            assert!(placements.is_sorted_by(|a, b| a < b), "{text}");
        }
    }

    #[test]
    fn without_pieces_there_is_one_placement() {
        let rules = Rules::load("classic").unwrap();
        assert_eq!(Placements::new(&rules, &[], Setup::empty(Side::White)).count(), 1);
    }
}
