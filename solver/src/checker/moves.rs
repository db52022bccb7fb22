//! What the moves from the positions of a class lead to, in the tables of one metric.

use super::blocks::Blocks;
use super::line_map::LineMap;
use dsq_tables::board::{Side, Square};
use dsq_tables::class::{Class, Member};
use dsq_tables::error::TablebaseError;
use dsq_tables::index::Squares;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{MAX_ANIMALS, NoMove, Piece, Rules};
use dsq_tables::table::Table;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::TableValue;
use std::sync::Arc;

/// The way from positions of the class under check, after a move, into the table that has them.
pub(super) struct Way {
    member: Member,
    /// The side to move after the move.
    turn: Side,
    /// The place of the table among those of the check.
    pub(super) table: usize,
    /// For each piece in the order of that table its slot in the class under check.
    slots: Vec<u8>,
    /// The way of a whole line, if the last piece is the last one there too.
    pub(super) line_map: Option<LineMap>,
}

impl Way {
    /// The class of the table.
    pub(super) fn class(&self) -> &Class {
        self.member.class()
    }

    /// The side to move in the table.
    pub(super) fn side(&self) -> Side {
        self.member.route(self.turn).side()
    }

    /// The number in the table.
    pub(super) fn number(&self, squares: &Squares) -> u64 {
        self.class().index().number(&self.mapped(squares))
    }

    /// The squares in the order of the table.
    pub(super) fn mapped(&self, squares: &Squares) -> Squares {
        let route = self.member.route(self.turn);
        // The places of absent pieces keep any square; they do not count.
        let mut mapped = *squares;
        for (to, &slot) in mapped.iter_mut().zip(&self.slots) {
            *to = route.square(squares[usize::from(slot)]);
        }
        mapped
    }
}

/// Everything about the moves of a class that is the same for all its positions.
pub(super) struct Moves<'a, V> {
    tablebase: &'a Tablebase,
    pub(super) rules: &'a Rules,
    class: &'a Class,
    /// The table under check, then those that captures lead to.
    pub(super) tables: Vec<Arc<Table>>,
    pub(super) pieces: Vec<Piece>,
    /// The slot of each piece, by [`Piece::index`].
    slots: [u8; 2 * MAX_ANIMALS],
    /// The ways after moves without a capture, by the side to move then.
    stay: Vec<Way>,
    /// The ways after the capture of a piece, by [`Piece::index`].
    captures: Vec<Option<Way>>,
    /// The limit of plies without a capture that the values depend on.
    limit: Option<u32>,
    /// The value for a side without a move.
    pub(super) no_move: V,
    /// The value for a side without pieces.
    pub(super) eliminated: V,
    /// How many pieces each side has.
    pub(super) counts: [usize; 2],
}

impl<'a, V: TableValue> Moves<'a, V> {
    /// Opens the table of a class and those that captures lead to.
    pub(super) fn new(tablebase: &'a Tablebase, class: &'a Class) -> Result<Moves<'a, V>, TablebaseError> {
        let (catalog, rules): (_, &Rules) = (tablebase.catalog(), tablebase.rules());
        let material = class.material();
        let pieces: Vec<Piece> = class.index().pieces().collect();
        let mut slots = [0; 2 * MAX_ANIMALS];
        for (slot, piece) in (0u8..).zip(&pieces) {
            slots[piece.index()] = slot;
        }
        let mut tables: Vec<Arc<Table>> = Vec::new();
        let mut way = |member: Member, turn: Side| -> Result<Way, TablebaseError> {
            let wanted = member.class().material();
            let known = tables.iter().position(|table| table.class().material() == wanted);
            let table = match known {
                Some(place) => place,
                None => {
                    tables.push(tablebase.table_with(member.class(), V::METRIC)?);
                    tables.len() - 1
                }
            };
            let route = member.route(turn);
            let is_last = route.pieces().last() == pieces.last();
            let line_map = || LineMap::new(class.index(), member.class().index(), |square| route.square(square));
            let line_map = is_last.then(line_map).flatten();
            let slots = route.pieces().iter().map(|piece| slots[piece.index()]).collect();
            Ok(Way { member, turn, table, slots, line_map })
        };
        let own = catalog.member(material).ok_or_else(|| too_many(rules, material))?;
        let stay = Side::BOTH.map(|turn| way(own.clone(), turn)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut captures: Vec<Option<Way>> = (0..2 * MAX_ANIMALS).map(|_| None).collect();
        for victim in material.capturable(rules) {
            if let Some(member) = catalog.member(material.without(victim)) {
                captures[victim.index()] = Some(way(member, victim.side)?);
            }
        }
        let no_move = without_move(rules);
        Ok(Moves {
            tablebase,
            rules,
            class,
            tables,
            pieces,
            slots,
            stay,
            captures,
            limit: V::METRIC.limit(rules),
            no_move,
            eliminated: if rules.elimination_wins() { V::LOST } else { no_move },
            counts: Side::BOTH.map(|side| material.count_of(side)),
        })
    }

    /// The way after a move without a capture, by the side to move then.
    pub(super) fn stay(&self, turn: Side) -> &Way {
        &self.stay[turn.index()]
    }

    /// The way after the capture of a piece; none if none was foreseen.
    pub(super) fn capture(&self, victim: Piece) -> Option<&Way> {
        self.captures[victim.index()].as_ref()
    }

    /// The value that the moves of a position give, and whether there is none.
    pub(super) fn judge(&self, blocks: &mut Blocks, turn: Side, number: u64) -> Result<(V, bool), TablebaseError> {
        let Some(squares) = self.class.index().squares(number) else { return Ok((self.no_move, true)) };
        let best = self.best(blocks, &squares, turn)?;
        Ok((best.unwrap_or(self.no_move), best.is_none()))
    }

    /// The value of the best move; none if there is no legal move.
    pub(super) fn best(&self, blocks: &mut Blocks, squares: &Squares, turn: Side) -> Result<Option<V>, TablebaseError> {
        let position = self.position(squares, turn);
        best_of(self.rules, &position, |legal| self.after(blocks, &position, squares, legal))
    }

    /// The value of a move for the side that makes it.
    pub(super) fn after(
        &self,
        blocks: &mut Blocks,
        position: &Position,
        squares: &Squares,
        legal: &LegalMove,
    ) -> Result<V, TablebaseError> {
        let turn = legal.piece.side.other();
        let child = if self.rules.goal(legal.piece.side).contains(legal.squares.to) {
            V::LOST
        } else {
            match legal.capture {
                None => self.look_up(blocks, self.stay(turn), squares, legal)?,
                Some(_) if self.counts[turn.index()] == 1 => self.eliminated,
                Some(animal) => match self.capture(Piece { side: turn, animal }) {
                    Some(way) => self.look_up(blocks, way, squares, legal)?,
                    // There is none.
                    None => self.unforeseen(&position.after(legal))?,
                },
            }
        };
        Ok(child.back_up(legal.capture.is_some(), self.limit))
    }

    /// The value after a move, in the table that a way leads to.
    fn look_up(
        &self,
        blocks: &mut Blocks,
        way: &Way,
        squares: &Squares,
        legal: &LegalMove,
    ) -> Result<V, TablebaseError> {
        let mut squares = *squares;
        squares[usize::from(self.slots[legal.piece.index()])] = legal.squares.to;
        blocks.code(way.table, way.side(), way.number(&squares)).map(V::from_code)
    }

    /// The value of a position that no way leads to.
    fn unforeseen(&self, position: &Position) -> Result<V, TablebaseError> {
        let material = Material::of(position);
        let member = self.tablebase.catalog().member(material).ok_or_else(|| too_many(self.rules, material))?;
        let route = member.route(position.turn());
        let squares = route.squares(position).unwrap_or([Square::new(0); MAX_PIECES]);
        let table = self.tablebase.table_with(member.class(), V::METRIC)?;
        table.code(route.side(), member.class().index().number(&squares)).map(V::from_code)
    }

    fn position(&self, squares: &Squares, turn: Side) -> Position {
        let mut setup = Setup::empty(turn);
        for (&piece, &square) in self.pieces.iter().zip(squares) {
            setup.place(piece, square);
        }
        setup.assume_legal()
    }
}

/// The value of a side without a move.
pub(super) fn without_move<V: TableValue>(rules: &Rules) -> V {
    match rules.no_move() {
        NoMove::Loss => V::LOST,
        NoMove::Draw => V::DRAW,
    }
}

/// The best value of the legal moves of a position; none if there is no legal move. The error is that of the first move that
/// has one.
pub(super) fn best_of<V: TableValue>(
    rules: &Rules,
    position: &Position,
    mut after: impl FnMut(&LegalMove) -> Result<V, TablebaseError>,
) -> Result<Option<V>, TablebaseError> {
    let (mut best, mut failed) = (None, None);
    position.for_each_move(rules, |legal| {
        // Nothing is better than a win in no plies.
        if failed.is_none() && best != Some(V::WON) {
            match after(&legal) {
                Ok(value) => best = best.max(Some(value)),
                Err(error) => failed = Some(error),
            }
        }
    });
    failed.map_or(Ok(best), Err)
}

fn too_many(rules: &Rules, material: Material) -> TablebaseError {
    TablebaseError::TooManyPieces { material: material.to_text(rules), pieces: material.count() }
}
