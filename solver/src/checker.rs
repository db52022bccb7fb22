//! Proves tables right, without any solver.
//!
//! A table is right if every value in it follows from the values of the positions after each legal move: it must be the
//! best of them, seen from the other side and one ply further away; a position without a move has the value of the rule
//! set. Only one assignment of values fulfils that everywhere: a win or loss has a child that is nearer to the end by one
//! ply, down to positions that are over, and no draw has a child that its side would rather go to. So if the tables below
//! are right, this one is.
//!
//! The checker goes forwards, with the legal moves of [`dsq_tables::moves`], one position at a time. Its result does not
//! depend on the number of threads.

mod held;
mod sample;
#[cfg(test)]
mod tests;

pub use sample::Sample;

use dsq_tables::board::{Side, Square};
use dsq_tables::class::{Class, Member};
use dsq_tables::format::{Longest, SideSummary, Summary};
use dsq_tables::index::Squares;
use dsq_tables::material::MAX_PIECES;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::{MAX_ANIMALS, NoMove, Piece, Rules};
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Value;
use held::Held;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How a table is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Checks only some positions; none means all of them, and the summary of the table as well.
    pub sample: Option<Sample>,
    /// How many wrong values are reported one by one; all are counted.
    pub max_faults: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { sample: None, max_faults: 10 }
    }
}

/// Watches a check and can end it.
pub trait CheckObserver: Sync {
    /// So many more positions are checked.
    fn advanced(&self, _positions: u64) {}

    /// True if the check shall end early.
    fn stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl CheckObserver for () {}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckReport {
    /// How many positions were checked; of two mirror images that share a number only one is.
    pub positions: u64,
    /// How many of them have a wrong value.
    pub wrong: u64,
    /// The first wrong values in the order of the table, at most [`CheckOptions::max_faults`].
    pub faults: Vec<Fault>,
    /// The counts of the whole table by its values, mirror images counted; none after a sample or an early end.
    pub summary: Option<Summary>,
    /// Where the summary in the table differs from that; wrong as well.
    pub summary_faults: Vec<SummaryFault>,
    /// True if the observer ended the check early. Then only a part was checked.
    pub stopped: bool,
}

impl CheckReport {
    /// True if nothing wrong was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong == 0 && self.summary_faults.is_empty()
    }
}

/// A position whose value does not follow from its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The position, of the material that represents the class.
    pub fen: String,
    /// The side to move in the table.
    pub side: Side,
    /// The number in the table.
    pub number: u64,
    /// The value in the table.
    pub found: Value,
    /// The value that follows from the moves.
    pub expected: Value,
    /// The first move with that value, as `a3a4`; none if there is no legal move.
    pub decided_by: Option<String>,
}

/// A difference between the summary in a table and the values in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SummaryFault {
    /// The side to move.
    pub side: Side,
    /// Which figure.
    pub field: &'static str,
    /// The figure in the summary.
    pub found: String,
    /// The figure that the values give.
    pub expected: String,
}

/// Checks every value of the table of a class, or a sample of them, against the values of its children. The tables of all
/// captures must be there. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read; the first one in the order of the table.
pub fn check_table(
    tablebase: &Tablebase,
    class: &Class,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<CheckReport, TablebaseError> {
    let plan = Plan::new(tablebase, class, options.max_faults)?;
    let total = class.index().size().saturating_mul(plan.sides);
    let sample = options.sample.filter(|sample| sample.positions < total);
    let (next, ended, stopped) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let merged = Mutex::new(Merged::default());
    let work = || {
        let mut held = Held::new(&plan.tables);
        // A block that is taken is also finished: all blocks before a damaged one are, and the first damage is found.
        while !ended.load(Ordering::Relaxed) {
            if observer.stop() {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= plan.blocks {
                return;
            }
            let outcome = plan.check_block(&mut held, block, sample);
            let mut merged = merged.lock().unwrap_or_else(PoisonError::into_inner);
            match outcome {
                Ok(outcome) => {
                    let positions = outcome.positions;
                    merged.add(outcome, options.max_faults);
                    drop(merged);
                    observer.advanced(positions);
                }
                Err(error) => {
                    merged.fail(block, error);
                    ended.store(true, Ordering::Relaxed);
                }
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| work());
        }
    });

    let merged = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = merged.error {
        return Err(error);
    }
    let mut held = Held::new(&plan.tables);
    let faults = merged.outcome.faults.iter().map(|wrong| plan.describe(&mut held, wrong));
    let faults = faults.collect::<Result<_, _>>()?;
    let stopped = stopped.into_inner();
    let complete = sample.is_none() && !stopped;
    let summary = complete.then(|| Summary { sides: merged.outcome.counts[..class.sides()].to_vec() });
    let summary_faults = summary.as_ref().map_or(Ok(Vec::new()), |summary| plan.compare_summary(summary))?;
    let outcome = merged.outcome;
    Ok(CheckReport { positions: outcome.positions, wrong: outcome.wrong, faults, summary, summary_faults, stopped })
}

/// A wrong value, to be described later.
#[derive(Clone, Copy, Debug)]
struct Wrong {
    side: Side,
    number: u64,
    found: Value,
    expected: Value,
}

/// What was found in one block, or in several.
#[derive(Default)]
struct Outcome {
    positions: u64,
    wrong: u64,
    faults: Vec<Wrong>,
    counts: [SideSummary; 2],
}

/// What all threads found.
#[derive(Default)]
struct Merged {
    outcome: Outcome,
    error: Option<(u64, TablebaseError)>,
}

impl Merged {
    fn add(&mut self, other: Outcome, max_faults: usize) {
        let sum = &mut self.outcome;
        sum.positions += other.positions;
        sum.wrong += other.wrong;
        sum.faults.extend(other.faults);
        sum.faults.sort_by_key(|wrong| (wrong.side, wrong.number));
        sum.faults.truncate(max_faults);
        for (sum, other) in sum.counts.iter_mut().zip(other.counts) {
            sum.positions += other.positions;
            sum.won += other.won;
            sum.drawn += other.drawn;
            sum.lost += other.lost;
            sum.stalemates += other.stalemates;
            lengthen(&mut sum.longest_win, other.longest_win);
            lengthen(&mut sum.longest_loss, other.longest_loss);
        }
    }

    fn fail(&mut self, block: u64, error: TablebaseError) {
        if self.error.as_ref().is_none_or(|&(first, _)| block < first) {
            self.error = Some((block, error));
        }
    }
}

/// Keeps the longer line; of equally long ones that of the smaller number, in whatever order they come.
fn lengthen(longest: &mut Option<Longest>, other: Option<Longest>) {
    let key = |longest: &Longest| (longest.plies, std::cmp::Reverse(longest.position));
    if other.as_ref().map(key) > longest.as_ref().map(key) {
        *longest = other;
    }
}

/// The way from positions of the class under check, after a move, into the table that has them.
struct Way {
    member: Member,
    /// The side to move after the move.
    turn: Side,
    /// The place of the table among those of the plan.
    table: usize,
    /// For each piece in the order of that table its slot in the class under check.
    slots: Vec<u8>,
}

impl Way {
    fn number(&self, squares: &Squares) -> u64 {
        let route = self.member.route(self.turn);
        // The places of absent pieces keep any square; they do not count.
        let mut mapped = *squares;
        for (to, &slot) in mapped.iter_mut().zip(&self.slots) {
            *to = route.square(squares[usize::from(slot)]);
        }
        self.member.class().index().number(&mapped)
    }
}

/// Everything about the check of a table that is the same for all positions.
struct Plan<'a> {
    tablebase: &'a Tablebase,
    rules: &'a Rules,
    class: &'a Class,
    sides: u64,
    blocks_per_side: u64,
    blocks: u64,
    block_len: u64,
    /// The table under check, then those that captures lead to.
    tables: Vec<Arc<Table>>,
    pieces: Vec<Piece>,
    /// The slot of each piece, by [`Piece::index`].
    slots: [u8; 2 * MAX_ANIMALS],
    /// The ways after moves without a capture, by the side to move then.
    stay: Vec<Way>,
    /// The ways after the capture of a piece, by [`Piece::index`].
    captures: Vec<Option<Way>>,
    /// The value for a side without a move.
    stuck: Value,
    /// The value for a side without pieces.
    eliminated: Value,
    /// How many pieces each side has.
    counts: [usize; 2],
    max_faults: usize,
}

impl<'a> Plan<'a> {
    fn new(tablebase: &'a Tablebase, class: &'a Class, max_faults: usize) -> Result<Plan<'a>, TablebaseError> {
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
                    tables.push(tablebase.table(member.class())?);
                    tables.len() - 1
                }
            };
            let slots = member.route(turn).pieces().iter().map(|piece| slots[piece.index()]).collect();
            Ok(Way { member, turn, table, slots })
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

    /// Checks one block of the table, or the numbers of a sample that fall into it.
    fn check_block(&self, held: &mut Held, block: u64, sample: Option<Sample>) -> Result<Outcome, TablebaseError> {
        let (side, block) = if block < self.blocks_per_side {
            (Side::White, block)
        } else {
            (Side::Black, block - self.blocks_per_side)
        };
        let mut outcome = Outcome::default();
        let size = self.class.index().size();
        let first = block.saturating_mul(self.block_len);
        let end = first.saturating_add(self.block_len).min(size);
        let numbers: Box<dyn Iterator<Item = u64>> = match sample {
            None => Box::new(first..end),
            Some(sample) => {
                let before = if side == Side::White { 0 } else { size };
                let total = size.saturating_mul(self.sides);
                let drawn = sample.numbers(total, before + first..before + end);
                Box::new(drawn.map(move |number| number - before))
            }
        };
        let mut codes = None;
        for number in numbers {
            // Blocks without a number of the sample are not even read.
            let codes = match &codes {
                Some(codes) => codes,
                None => codes.insert(self.tables[0].decode_block(side, block)?),
            };
            let Some(squares) = self.class.index().squares(number) else { continue };
            // A block of another length is an error when it is decoded.
            let code = usize::try_from(number - first).ok().and_then(|place| codes.get(place));
            let Some(&code) = code else { continue };
            self.check_position(held, &mut outcome, side, number, &squares, code)?;
        }
        Ok(outcome)
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
        counts.positions += weight;
        if best.is_none() {
            counts.stalemates += weight;
        }
        match found {
            Value::Win(plies) => {
                counts.won += weight;
                lengthen(&mut counts.longest_win, Some(Longest { plies, position: number }));
            }
            Value::Draw => counts.drawn += weight,
            Value::Loss(plies) => {
                counts.lost += weight;
                lengthen(&mut counts.longest_loss, Some(Longest { plies, position: number }));
            }
        }
        Ok(())
    }

    /// The value of the best move; none if there is no legal move.
    fn best(&self, held: &mut Held, squares: &Squares, turn: Side) -> Result<Option<Value>, TablebaseError> {
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
        let turn = legal.piece.side.other();
        if self.rules.goal(legal.piece.side).contains(legal.squares.to) {
            return Ok(Value::Loss(0).before_move());
        }
        let way = match legal.capture {
            None => &self.stay[turn.index()],
            Some(_) if self.counts[turn.index()] == 1 => return Ok(self.eliminated.before_move()),
            Some(animal) => match &self.captures[Piece { side: turn, animal }.index()] {
                Some(way) => way,
                // A capture that was not foreseen; there is none.
                None => {
                    let value = self.tablebase.probe(&position.after(legal))?.value_for(turn);
                    return Ok(value.before_move());
                }
            },
        };
        let mut squares = *squares;
        squares[usize::from(self.slots[legal.piece.index()])] = legal.squares.to;
        let side = way.member.route(turn).side();
        held.code(way.table, side, way.number(&squares)).map(|code| Value::from_code(code).before_move())
    }

    fn position(&self, squares: &Squares, turn: Side) -> Position {
        let mut position = Position::empty(turn);
        for (&piece, &square) in self.pieces.iter().zip(squares) {
            position.place(piece, square);
        }
        position
    }

    fn describe(&self, held: &mut Held, wrong: &Wrong) -> Result<Fault, TablebaseError> {
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
    fn compare_summary(&self, counted: &Summary) -> Result<Vec<SummaryFault>, TablebaseError> {
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
