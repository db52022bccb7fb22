//! Many positions at a time: those that differ only in the square of the last piece.
//!
//! Such positions, a *line*, have consecutive numbers. A move of another piece is possible in all of them, but where the
//! last piece stands in the way, and leads to a line again. So the best moves of a line are found by comparing the bytes
//! of a few lines, place by place; what the last piece does itself, or has done to it, is added to that.
//!
//! This repeats what the forward move generator does, in another order. It only finds positions that are right; where it
//! disagrees with the table, or has no answer, the generator judges.

use super::blocks::Blocks;
use super::keys::{Best, NOWHERE, PLACES, Row, Targets};
use super::line_map::{domain_of_last, place_of};
use super::moves::{Moves, Way};
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::index::Squares;
use dsq_tables::rules::{Piece, Rules};
use dsq_tables::value::Value;

/// A way of the last piece.
struct Jump {
    from: Square,
    to: Square,
    between: Bitboard,
}

/// What all lines of a class share.
pub(super) struct Lines {
    /// The slot of the last piece.
    last: usize,
    piece: Piece,
    domain: Bitboard,
    /// The place of each square of the last piece.
    places: Row,
    /// How many numbers a line has.
    len: u64,
    /// Its moves that nothing between can stop: by place the place of the target, or [`NOWHERE`].
    steps: Vec<Row>,
    /// Its other moves, but those into the den.
    jumps: Vec<Jump>,
    /// All its moves by their target.
    into: Vec<Vec<Jump>>,
    /// The den it must enter.
    goal: Bitboard,
}

/// The other pieces of a line.
struct Others {
    squares: Squares,
    own: Bitboard,
    enemy: Bitboard,
    /// The squares that are left to the last piece.
    free: Bitboard,
}

/// The value of the positions after a move.
enum After<'a> {
    /// All have this code.
    Code(u32),
    /// They are in a table.
    In(&'a Way),
    /// Not known here.
    Unknown,
}

impl Lines {
    /// None if the class has no lines: no position, or a board on which the last piece may go everywhere.
    pub(super) fn new(rules: &Rules, class: &Class) -> Option<Lines> {
        let index = class.index();
        let domain = domain_of_last(index)?;
        let last = index.pieces().len() - 1;
        let piece = index.pieces().last()?;
        let some = (0..index.size()).find_map(|number| index.squares(number))?;
        let len = index.free(last, &some).count().into();
        let mut places = [NOWHERE; PLACES];
        for square in domain.squares() {
            places[square.index()] = place_of(domain, square);
        }
        let (mut steps, mut jumps): (Vec<Row>, _) = (Vec::new(), Vec::new());
        let mut into: Vec<Vec<Jump>> = (0..PLACES).map(|_| Vec::new()).collect();
        let goal = rules.goal(piece.side);
        for from in domain.squares() {
            let mut count = 0;
            for edge in rules.movement(piece).edges(from) {
                let jump = || Jump { from, to: edge.to, between: edge.between };
                into[edge.to.index()].push(jump());
                if goal.contains(edge.to) {
                    continue;
                }
                if !edge.between.is_empty() {
                    jumps.push(jump());
                    continue;
                }
                if steps.len() == count {
                    steps.push([NOWHERE; PLACES]);
                }
                steps[count][usize::from(places[from.index()])] = places[edge.to.index()];
                count += 1;
            }
        }
        Some(Lines { last, piece, domain, places, len, steps, jumps, into, goal })
    }

    /// How many numbers a line has.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// How many squares the last piece has.
    pub(super) fn places(&self) -> usize {
        self.domain.count() as usize
    }

    /// The place of a square of the last piece in the answers.
    pub(super) fn place(&self, square: Square) -> usize {
        usize::from(self.places[square.index()])
    }

    /// The best moves of the positions of a line; of the squares the last one does not count. Places on which the last
    /// piece cannot stand get any answer.
    pub(super) fn best(
        &self,
        moves: &Moves<'_, Value>,
        blocks: &mut Blocks,
        squares: &Squares,
        turn: Side,
        best: &mut Best,
    ) -> Result<(), TablebaseError> {
        best.clear();
        let occupied = |side: Side| -> Bitboard {
            let others = moves.pieces[..self.last].iter().zip(squares);
            others.filter(|(piece, _)| piece.side == side).map(|(_, &square)| square).collect()
        };
        let (own, enemy) = (occupied(turn), occupied(turn.other()));
        let others = Others { squares: *squares, own, enemy, free: self.domain.without(own | enemy) };
        for (slot, &piece) in moves.pieces[..self.last].iter().enumerate() {
            if piece.side == turn {
                self.moves_of_other(moves, blocks, &others, slot, best)?;
            }
        }
        if self.piece.side == turn {
            self.moves_of_last(moves, blocks, &others, best)?;
        }
        Ok(())
    }

    /// The moves of another piece than the last one.
    fn moves_of_other(
        &self,
        moves: &Moves<'_, Value>,
        blocks: &mut Blocks,
        others: &Others,
        slot: usize,
        best: &mut Best,
    ) -> Result<(), TablebaseError> {
        let (piece, from) = (moves.pieces[slot], others.squares[slot]);
        let movement = moves.rules.movement(piece);
        let stopped_by = movement.stopped_by();
        let stoppers = others.stoppers(stopped_by.own, stopped_by.enemy);
        let last_stops = if self.piece.side == piece.side { stopped_by.own } else { stopped_by.enemy };
        for edge in movement.edges(from) {
            if others.own.contains(edge.to) || edge.between.intersects(stoppers) {
                continue;
            }
            let takes = |victim: Piece| moves.rules.captures(piece, victim.animal, from).contains(edge.to);
            let victim = others.enemy_on(moves, edge.to);
            if victim.is_none_or(takes) {
                let mut squares = others.squares;
                squares[slot] = edge.to;
                // The last piece is on the target, or stops the move.
                let in_the_way = edge.to.bit() | if last_stops { edge.between } else { Bitboard::EMPTY };
                let mut except = [0; PLACES];
                let except = self.places_of(in_the_way & others.free, &mut except);
                match moves.line_after(piece.side, edge.to, victim) {
                    // Codes that are known without a table are 0 and 1.
                    After::Code(code) => best.raise(&[code as u8; PLACES], except),
                    After::In(way) => {
                        let squares_left = others.free.without(in_the_way);
                        let codes = self.codes(blocks, way, &squares, squares_left)?;
                        best.raise(&codes, except);
                    }
                    After::Unknown => best.doubt_all(),
                }
            }
            if self.piece.side != piece.side && others.free.contains(edge.to) && takes(self.piece) {
                let mut squares = others.squares;
                squares[slot] = edge.to;
                match moves.line_after(piece.side, edge.to, Some(self.piece)).code(blocks, &squares)? {
                    Some(code) => best.raise_at(self.places[edge.to.index()], code),
                    None => best.doubt_all(),
                }
            }
        }
        Ok(())
    }

    /// The moves of the last piece.
    fn moves_of_last(
        &self,
        moves: &Moves<'_, Value>,
        blocks: &mut Blocks,
        others: &Others,
        best: &mut Best,
    ) -> Result<(), TablebaseError> {
        let side = self.piece.side;
        let stopped_by = moves.rules.movement(self.piece).stopped_by();
        let stoppers = others.stoppers(stopped_by.own, stopped_by.enemy);
        let codes = self.codes(blocks, moves.stay(side.other()), &others.squares, others.free)?;
        let mut taken = [0; PLACES];
        let targets = Targets::new(&codes, self.places_of(self.domain.without(others.free), &mut taken));
        for step in &self.steps {
            best.raise_by_steps(step, &targets);
        }
        for jump in self.jumps.iter().filter(|jump| !jump.between.intersects(stoppers)) {
            best.raise_by_jump(self.places[jump.from.index()], self.places[jump.to.index()], &targets);
        }
        // Captures, and moves that end the game.
        for to in (others.enemy | self.goal.without(others.own)).squares() {
            let victim = others.enemy_on(moves, to);
            let takes = |from: Square| {
                victim.is_none_or(|victim| moves.rules.captures(self.piece, victim.animal, from).contains(to))
            };
            let mut squares = others.squares;
            squares[self.last] = to;
            let mut code = None;
            for jump in &self.into[to.index()] {
                if !others.free.contains(jump.from) || jump.between.intersects(stoppers) || !takes(jump.from) {
                    continue;
                }
                // The same position, wherever the piece came from.
                let code = match code {
                    Some(code) => code,
                    None => *code.insert(moves.line_after(side, to, victim).code(blocks, &squares)?),
                };
                match code {
                    Some(code) => best.raise_at(self.places[jump.from.index()], code),
                    None => best.doubt_all(),
                }
            }
        }
        Ok(())
    }

    /// The bytes of a line in the table that a way leads to, by the places of the last piece in this class. They are needed
    /// for the last piece on the squares `needed`.
    fn codes(
        &self,
        blocks: &mut Blocks,
        way: &Way,
        squares: &Squares,
        needed: Bitboard,
    ) -> Result<Row, TablebaseError> {
        let mut codes = [0; PLACES];
        let Some(map) = &way.line_map else {
            // The last piece is not the last one there, so the numbers are not consecutive.
            let mut squares = *squares;
            for square in needed.squares() {
                squares[self.last] = square;
                let code = blocks.code(way.table, way.side(), way.number(&squares))?;
                codes[self.place(square)] = u8::try_from(code).unwrap_or(u8::MAX);
            }
            return Ok(codes);
        };
        let index = way.class().index();
        let run = index.run(&way.mapped(squares));
        let mut bytes = [0; PLACES];
        // A line has no more numbers than the last piece has squares.
        let count = run.squares.count() as usize;
        blocks.bytes(way.table, way.side(), run.first, &mut bytes[..count])?;
        // The numbers leave out squares of other pieces; each of those gets a place again.
        let domain = index.domain(index.pieces().len() - 1);
        let (mut from, mut place) = (0, 0);
        for taken in domain.without(run.squares).squares() {
            let next = usize::from(place_of(domain, taken));
            codes[place..next].copy_from_slice(&bytes[from..from + next - place]);
            (from, place) = (from + next - place, next + 1);
        }
        codes[place..place + count - from].copy_from_slice(&bytes[from..count]);
        if let Some(map) = &map.0[usize::from(run.mirrored)] {
            let there = codes;
            for (code, &place) in codes.iter_mut().zip(map.iter()) {
                *code = there[usize::from(place) % PLACES];
            }
        }
        Ok(codes)
    }

    /// The places of squares of the last piece.
    fn places_of<'a>(&self, squares: Bitboard, into: &'a mut Row) -> &'a [u8] {
        let mut count = 0;
        for square in squares.squares() {
            into[count] = self.places[square.index()];
            count += 1;
        }
        &into[..count]
    }
}

impl Others {
    fn stoppers(&self, own: bool, enemy: bool) -> Bitboard {
        let some = |squares: Bitboard, stop: bool| if stop { squares } else { Bitboard::EMPTY };
        some(self.own, own) | some(self.enemy, enemy)
    }

    /// The piece on a square of the enemy.
    fn enemy_on(&self, moves: &Moves<'_, Value>, square: Square) -> Option<Piece> {
        if !self.enemy.contains(square) {
            return None;
        }
        moves.pieces.iter().zip(&self.squares).find(|&(_, other)| *other == square).map(|(&piece, _)| piece)
    }
}

impl After<'_> {
    /// The code of one position; none if it is not known here.
    fn code(&self, blocks: &mut Blocks, squares: &Squares) -> Result<Option<u32>, TablebaseError> {
        match self {
            After::Code(code) => Ok(Some(*code)),
            After::In(way) => blocks.code(way.table, way.side(), way.number(squares)).map(Some),
            After::Unknown => Ok(None),
        }
    }
}

impl Moves<'_, Value> {
    /// Where the positions are after a piece of `side` has gone to a square, or taken an enemy there.
    fn line_after(&self, side: Side, to: Square, victim: Option<Piece>) -> After<'_> {
        let turn = side.other();
        if self.rules.goal(side).contains(to) {
            return After::Code(1);
        }
        match victim {
            None => After::In(self.stay(turn)),
            Some(_) if self.counts[turn.index()] == 1 => After::Code(self.eliminated.code()),
            Some(victim) => self.capture(victim).map_or(After::Unknown, After::In),
        }
    }
}
