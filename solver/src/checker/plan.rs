//! The check of one table: how its positions are judged.

use super::held::Held;
use super::keys::{Best, PLACES};
use super::lines::{Along, Lines};
use super::outcome::{Outcome, Tally, Wrong, count_value};
use super::{Fault, Sample, SummaryFault};
use dsq_tables::board::{Side, Square};
use dsq_tables::class::{Class, Member};
use dsq_tables::format::{ESCAPE, Longest, Metric, Summary};
use dsq_tables::index::Squares;
use dsq_tables::material::MAX_PIECES;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{MAX_ANIMALS, NoMove, Piece, Rules};
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// The way from positions of the class under check, after a move, into the table that has them.
pub(super) struct Way {
    member: Member,
    /// The side to move after the move.
    turn: Side,
    /// The place of the table among those of the plan.
    pub(super) table: usize,
    /// For each piece in the order of that table its slot in the class under check.
    slots: Vec<u8>,
    /// The way of a whole line, if the last piece is the last one there too.
    pub(super) along: Option<Along>,
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

/// What a move leads to.
pub(super) enum Child {
    /// The game is over, in a den.
    Over,
    /// The other side has no piece left.
    Eliminated,
    /// A position with this code in its table.
    Code(u32),
    /// A capture that was not foreseen.
    Unforeseen,
}

/// Everything about the check of a table that is the same for all positions.
pub(super) struct Plan<'a> {
    tablebase: &'a Tablebase,
    pub(super) rules: &'a Rules,
    class: &'a Class,
    pub(super) sides: u64,
    blocks_per_side: u64,
    pub(super) blocks: u64,
    block_len: u64,
    /// The table under check, then those that captures lead to.
    pub(super) tables: Vec<Arc<Table>>,
    /// What positions that differ only in the last piece share; none if the class has no such lines.
    pub(super) lines: Option<Lines>,
    pub(super) pieces: Vec<Piece>,
    /// The slot of each piece, by [`Piece::index`].
    slots: [u8; 2 * MAX_ANIMALS],
    /// The ways after moves without a capture, by the side to move then.
    stay: Vec<Way>,
    /// The ways after the capture of a piece, by [`Piece::index`].
    captures: Vec<Option<Way>>,
    /// The value for a side without a move.
    pub(super) stuck: Value,
    /// The value for a side without pieces.
    pub(super) eliminated: Value,
    /// How many pieces each side has.
    pub(super) counts: [usize; 2],
    max_faults: usize,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        tablebase: &'a Tablebase,
        class: &'a Class,
        metric: Metric,
        max_faults: usize,
    ) -> Result<Plan<'a>, TablebaseError> {
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
                    tables.push(tablebase.table_with(member.class(), metric)?);
                    tables.len() - 1
                }
            };
            let route = member.route(turn);
            let is_last = route.pieces().last() == pieces.last();
            let along = || Along::new(class.index(), member.class().index(), |square| route.square(square));
            let along = is_last.then(along).flatten();
            let slots = route.pieces().iter().map(|piece| slots[piece.index()]).collect();
            Ok(Way { member, turn, table, slots, along })
        };
        let too_many = || TablebaseError::TooManyPieces { material: class.name().to_owned(), pieces: material.count() };
        let own = catalog.member(material).ok_or_else(too_many)?;
        let stay = Side::BOTH.map(|turn| way(own.clone(), turn)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut captures: Vec<Option<Way>> = (0..2 * MAX_ANIMALS).map(|_| None).collect();
        for victim in material.capturable(rules) {
            if let Some(member) = catalog.member(material.without(victim)) {
                captures[victim.index()] = Some(way(member, victim.side)?);
            }
        }
        let stuck = if rules.no_move() == NoMove::Loss { Value::Loss(0) } else { Value::Draw };
        let sides = if class.is_symmetric() { 1 } else { 2 };
        let blocks_per_side = tables[0].blocks_per_side();
        Ok(Plan {
            tablebase,
            rules,
            class,
            sides,
            blocks_per_side,
            blocks: blocks_per_side.saturating_mul(sides),
            block_len: tables[0].block_len(),
            tables,
            lines: Lines::new(rules, class),
            pieces,
            slots,
            stay,
            captures,
            stuck,
            eliminated: if rules.elimination_wins() { Value::Loss(0) } else { stuck },
            counts: Side::BOTH.map(|side| material.count_of(side)),
            max_faults,
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

    /// Checks one block of the table, or the numbers of a sample that fall into it.
    pub(super) fn check_block(
        &self,
        held: &mut Held,
        block: u64,
        sample: Option<Sample>,
    ) -> Result<Outcome, TablebaseError> {
        let (side, block) = if block < self.blocks_per_side {
            (Side::White, block)
        } else {
            (Side::Black, block - self.blocks_per_side)
        };
        let mut outcome = Outcome::default();
        let size = self.class.index().size();
        let first = block.saturating_mul(self.block_len);
        let numbers = first..first.saturating_add(self.block_len).min(size);
        match (sample, &self.lines) {
            (None, Some(lines)) => self.check_lines(held, &mut outcome, side, lines, numbers)?,
            (None, None) => self.check_each(held, &mut outcome, side, numbers)?,
            (Some(sample), _) => {
                let before = if side == Side::White { 0 } else { size };
                let total = size.saturating_mul(self.sides);
                let drawn = sample.numbers(total, before + numbers.start..before + numbers.end);
                self.check_each(held, &mut outcome, side, drawn.map(|number| number - before))?;
            }
        }
        Ok(outcome)
    }

    /// Checks consecutive numbers line by line. What does not come out right like that is judged one by one.
    fn check_lines(
        &self,
        held: &mut Held,
        outcome: &mut Outcome,
        side: Side,
        lines: &Lines,
        numbers: Range<u64>,
    ) -> Result<(), TablebaseError> {
        let index = self.class.index();
        let last = self.pieces.len() - 1;
        // Codes of 0 and 1.
        let stuck = self.stuck.code() as u8;
        let mut best = Best::new(lines.places());
        let (mut found, mut expected, mut immobile) = ([0; PLACES], [0; PLACES], [0; PLACES]);
        let mut tally = Tally::new();
        for line in numbers.start / lines.len()..numbers.end.div_ceil(lines.len()) {
            let start = line * lines.len();
            let end = start + lines.len();
            let (from, to) = (start.max(numbers.start), end.min(numbers.end));
            let found = &mut found[..(to - from) as usize];
            held.bytes(0, side, from, found)?;
            let Some(mut squares) = (start..end).find_map(|number| index.squares(number)) else { continue };
            if lines.best(self, held, &squares, side, &mut best).is_err() {
                // Whoever needs what cannot be read will say so.
                best.doubt_all();
            }
            best.answer(stuck, &mut expected, &mut immobile);
            let weight = index.weight(&squares);
            let others = squares;
            let squares_of_last = index.free(last, &others).squares().skip((from - start) as usize);
            for ((number, &byte), square) in (from..to).zip(found.iter()).zip(squares_of_last) {
                if others[..last].contains(&square) {
                    continue;
                }
                let place = lines.place(square);
                if byte == expected[place] && byte != ESCAPE {
                    tally.count(byte, number, weight, immobile[place] != 0);
                } else {
                    squares[last] = square;
                    let code = held.code(0, side, number)?;
                    self.check_position(held, outcome, side, number, &squares, code)?;
                }
            }
        }
        tally.add_to(outcome, side);
        Ok(())
    }

    /// Checks positions one by one.
    fn check_each(
        &self,
        held: &mut Held,
        outcome: &mut Outcome,
        side: Side,
        numbers: impl Iterator<Item = u64>,
    ) -> Result<(), TablebaseError> {
        for number in numbers {
            let code = held.code(0, side, number)?;
            if let Some(squares) = self.class.index().squares(number) {
                self.check_position(held, outcome, side, number, &squares, code)?;
            }
        }
        Ok(())
    }

    fn check_position(
        &self,
        held: &mut Held,
        outcome: &mut Outcome,
        side: Side,
        number: u64,
        squares: &Squares,
        code: u32,
    ) -> Result<(), TablebaseError> {
        let found = Value::from_code(code);
        let best = self.best(held, squares, side)?;
        let expected = best.unwrap_or(self.stuck);
        outcome.positions += 1;
        if found != expected {
            outcome.wrong += 1;
            if outcome.faults.len() < self.max_faults {
                outcome.faults.push(Wrong { side, number, found, expected });
            }
        }
        let weight = self.class.index().weight(squares);
        let counts = &mut outcome.counts[side.index()];
        if best.is_none() {
            counts.stalemates += weight;
        }
        count_value(counts, found, number, weight);
        Ok(())
    }

    /// The value of the best move; none if there is no legal move.
    pub(super) fn best(&self, held: &mut Held, squares: &Squares, turn: Side) -> Result<Option<Value>, TablebaseError> {
        let position = self.position(squares, turn);
        let mut best = None;
        let mut failure = None;
        position.for_each_move(self.rules, |legal| match self.value_of(held, &position, squares, &legal) {
            Ok(value) => best = best.max(Some(value)),
            Err(error) => failure = Some(error),
        });
        failure.map_or(Ok(best), Err)
    }

    /// The value of a move for the side that makes it.
    fn value_of(
        &self,
        held: &mut Held,
        position: &Position,
        squares: &Squares,
        legal: &LegalMove,
    ) -> Result<Value, TablebaseError> {
        let child = match self.child(held, squares, legal)? {
            Child::Over => Value::Loss(0),
            Child::Eliminated => self.eliminated,
            Child::Code(code) => Value::from_code(code),
            // There is none.
            Child::Unforeseen => self.tablebase.probe(&position.after(legal))?.value_for(legal.piece.side.other()),
        };
        Ok(child.before_move())
    }

    /// What a move leads to.
    pub(super) fn child(&self, held: &mut Held, squares: &Squares, legal: &LegalMove) -> Result<Child, TablebaseError> {
        let turn = legal.piece.side.other();
        if self.rules.goal(legal.piece.side).contains(legal.squares.to) {
            return Ok(Child::Over);
        }
        let way = match legal.capture {
            None => self.stay(turn),
            Some(_) if self.counts[turn.index()] == 1 => return Ok(Child::Eliminated),
            Some(animal) => match self.capture(Piece { side: turn, animal }) {
                Some(way) => way,
                None => return Ok(Child::Unforeseen),
            },
        };
        let mut squares = *squares;
        squares[usize::from(self.slots[legal.piece.index()])] = legal.squares.to;
        held.code(way.table, way.side(), way.number(&squares)).map(Child::Code)
    }

    pub(super) fn position(&self, squares: &Squares, turn: Side) -> Position {
        let mut setup = Setup::empty(turn);
        for (&piece, &square) in self.pieces.iter().zip(squares) {
            setup.place(piece, square);
        }
        setup.assume_legal()
    }

    pub(super) fn describe(&self, held: &mut Held, wrong: &Wrong) -> Result<Fault, TablebaseError> {
        let none = [Square::new(0); MAX_PIECES];
        let squares = self.class.index().squares(wrong.number).unwrap_or(none);
        let position = self.position(&squares, wrong.side);
        let mut decided_by = None;
        for legal in position.legal_moves(self.rules) {
            if self.value_of(held, &position, &squares, &legal)? == wrong.expected {
                decided_by = Some(legal.squares.to_text(self.rules.board()));
                break;
            }
        }
        let Wrong { side, number, found, expected } = *wrong;
        Ok(Fault { fen: position.to_fen(self.rules), side, number, found, expected, decided_by })
    }

    /// Compares the summary in the table with what its values give.
    pub(super) fn compare_summary(&self, counted: &Summary) -> Result<Vec<SummaryFault>, TablebaseError> {
        let table = &self.tables[0];
        let mut faults = Vec::new();
        for (side, (stored, counted)) in Side::BOTH.into_iter().zip(table.summary().sides.iter().zip(&counted.sides)) {
            let mut compare = |field: &'static str, found: Option<u64>, expected: Option<u64>| {
                if found != expected {
                    let text = |figure: Option<u64>| figure.map_or("none".to_owned(), |figure| figure.to_string());
                    faults.push(SummaryFault { side, field, found: text(found), expected: text(expected) });
                }
            };
            compare("positions", Some(stored.positions), Some(counted.positions));
            compare("won", Some(stored.won), Some(counted.won));
            compare("drawn", Some(stored.drawn), Some(counted.drawn));
            compare("lost", Some(stored.lost), Some(counted.lost));
            compare("stalemates", Some(stored.stalemates), Some(counted.stalemates));
            for (fields, stored, counted, win) in [
                (["longest win", "value of the longest win"], stored.longest_win, counted.longest_win, true),
                (["longest loss", "value of the longest loss"], stored.longest_loss, counted.longest_loss, false),
            ] {
                let plies = |longest: Option<Longest>| longest.map(|longest| u64::from(longest.plies));
                compare(fields[0], plies(stored), plies(counted));
                // Any position with that value will do.
                if let Some(stored) = stored {
                    let value = if win { Value::Win(stored.plies) } else { Value::Loss(stored.plies) };
                    let code = table.code(side, stored.position)?;
                    compare(fields[1], Some(value.code().into()), Some(code.into()));
                }
            }
        }
        Ok(faults)
    }
}
