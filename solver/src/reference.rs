//! The simple judge: solves a class one position at a time.
//!
//! It exists to check the fast solver, so it shares nothing with it but the forward move generator and the numbering of
//! the positions. Every position is looked at once, its moves inside the class become a graph, and the graph is walked
//! backwards from the decided positions, ply by ply. A position is won 1 ply after the fastest of its lost children and
//! lost 1 ply after the slowest of its children when all of them are won; whatever is never reached is a draw.
//!
//! Captures lead out of the class, to children whose value is known and can have any distance. They enter the walk at the
//! ply they are worth, so the plies are taken strictly in order and every distance is exact.

#[cfg(test)]
pub(crate) mod tests;

pub mod counting;

use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::MAX_CODE;
use dsq_tables::index::{Index, Squares};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{MAX_ANIMALS, NoMove, Piece, Rules};
use dsq_tables::value::Value;
use std::collections::BTreeMap;

/// The values of all positions of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// For each side to move that the table of the class stores (only White for a symmetric class), the code of every
    /// number as [`Value::code`] has it. Numbers of the index without a position have 0.
    pub sides: Vec<Vec<u32>>,
    /// For each of the same sides the positions in which it has no legal move, mirror images counted.
    pub stalemates: Vec<u64>,
}

/// Why a class was not solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReferenceError {
    /// More positions or moves than 32 bits can number.
    #[error("class {class} is too large for the reference solver: it numbers positions and moves with 32 bits")]
    TooLarge {
        /// The class.
        class: String,
    },
    /// The value given for a position after a capture cannot be.
    #[error("position {fen} after a capture is said to have the value {value:?}, which no position has")]
    Below {
        /// The position.
        fen: String,
        /// Its alleged value.
        value: Value,
    },
}

/// Solves a class. `below` gives the values of the positions after captures, for the side to move there; it is asked only
/// when both sides still have pieces and no den is entered.
///
/// Takes about 80 bytes a position, both sides to move counted.
///
/// # Errors
/// [`ReferenceError`]: the class is too large, or `below` answered a win in an even or a loss in an odd number of plies, or
/// a distance no table can hold.
pub fn solve(
    catalog: &Catalog,
    class: &Class,
    below: &(dyn Fn(&Position) -> Value + Sync),
) -> Result<Solution, ReferenceError> {
    let mut graph = Graph::build(catalog.rules(), class, below)?;
    let mut codes = graph.walk_back();
    let size = codes.len() / 2;
    let mut sides = vec![codes.split_off(size)];
    sides.insert(0, codes);
    sides.truncate(class.sides());
    let mut stalemates = graph.stalemates.to_vec();
    stalemates.truncate(class.sides());
    Ok(Solution { sides, stalemates })
}

/// In place of a number of moves: a capture draws or wins, so the position is never lost.
const NEVER_LOST: u32 = u32::MAX;

/// The positions of a class with both sides to move, and the moves between them.
///
/// A node is a position: White to move first, then Black to move, each in the order of the index.
struct Graph {
    /// Where the sources of each node start in `sources`, and the end of the last.
    starts: Vec<u32>,
    /// The nodes from which a move leads to a node, node by node.
    sources: Vec<u32>,
    /// For each node the moves inside the class that are not yet known to lose, or [`NEVER_LOST`].
    open: Vec<u32>,
    /// For each node the plies in which its slowest losing capture loses.
    floors: Vec<u32>,
    /// The nodes whose value is reached after so many plies, unless they get an earlier one.
    agenda: BTreeMap<u32, Vec<u32>>,
    /// Positions without a legal move, mirror images counted, for each side to move.
    stalemates: [u64; 2],
}

/// What the moves of one position are worth that do not stay in the class.
#[derive(Default)]
struct Outside {
    fastest_win: Option<u32>,
    draws: bool,
    slowest_loss: Option<u32>,
}

impl Outside {
    /// Takes in a move to a child with this value for its side to move.
    fn add(&mut self, child: Value) {
        match child.before_move() {
            Value::Win(plies) => self.fastest_win = Some(self.fastest_win.map_or(plies, |least| least.min(plies))),
            Value::Draw => self.draws = true,
            Value::Loss(plies) => self.slowest_loss = self.slowest_loss.max(Some(plies)),
        }
    }
}

impl Graph {
    /// Looks at every position once, forwards.
    fn build(
        rules: &Rules,
        class: &Class,
        below: &(dyn Fn(&Position) -> Value + Sync),
    ) -> Result<Graph, ReferenceError> {
        let too_large = || ReferenceError::TooLarge { class: class.name().to_owned() };
        let size = u32::try_from(class.index().size()).map_err(|_| too_large())?;
        let count = size.checked_mul(2).filter(|&count| count < u32::MAX).ok_or_else(too_large)?;
        let nodes = usize::try_from(count).map_err(|_| too_large())?;

        let mut graph = Graph {
            starts: vec![0; nodes + 1],
            sources: Vec::new(),
            open: Vec::with_capacity(nodes),
            floors: Vec::with_capacity(nodes),
            agenda: BTreeMap::new(),
            stalemates: [0; 2],
        };
        // The moves inside the class, forwards: targets in the order of the nodes, and how many each node has.
        let mut targets: Vec<u32> = Vec::new();
        let mut degrees: Vec<u32> = Vec::with_capacity(nodes);
        let slots = Slots::of(class.index());
        for side in Side::BOTH {
            // The moves of one side lead to positions with the other one to move.
            let base = if side == Side::White { size } else { 0 };
            for number in 0..size {
                let before = targets.len();
                let mut outside = Outside::default();
                let mut fault = None;
                let squares = class.index().squares(number.into());
                if let Some(squares) = squares {
                    let position = slots.position(&squares, side);
                    position.for_each_move(rules, |legal| match outside_value(rules, &position, &legal, below) {
                        Some(Ok(value)) => outside.add(value),
                        Some(Err(error)) => fault = Some(error),
                        None => {
                            let child = slots.number_after(class.index(), &squares, &legal);
                            // The index numbers its positions below its size, which fits.
                            targets.push(base + child as u32);
                        }
                    });
                    if targets.len() == before && outside.is_empty() {
                        graph.stalemates[side.index()] += class.index().weight(&squares);
                        match rules.no_move() {
                            NoMove::Loss => outside.slowest_loss = Some(0),
                            NoMove::Draw => outside.draws = true,
                        }
                    }
                }
                if let Some(error) = fault {
                    return Err(error);
                }
                for &target in &targets[before..] {
                    graph.starts[target as usize] += 1;
                }
                let degree = u32::try_from(targets.len() - before).map_err(|_| too_large())?;
                degrees.push(degree);
                graph.add_node(degree, &outside, squares.is_some());
            }
        }
        if u32::try_from(targets.len()).is_err() {
            return Err(too_large());
        }
        graph.reverse(&targets, &degrees);
        Ok(graph)
    }

    /// Notes the next node: its moves inside the class and what the others are worth.
    fn add_node(&mut self, degree: u32, outside: &Outside, exists: bool) {
        // Fewer than 2^32 nodes, so that the number fits.
        let node = self.open.len() as u32;
        let never_lost = outside.draws || outside.fastest_win.is_some() || !exists;
        self.open.push(if never_lost { NEVER_LOST } else { degree });
        self.floors.push(outside.slowest_loss.unwrap_or(0));
        let known = if never_lost { outside.fastest_win } else { outside.slowest_loss.filter(|_| degree == 0) };
        if let Some(ply) = known {
            self.agenda.entry(ply).or_default().push(node);
        }
    }

    /// Turns the moves round. `starts` holds how many moves lead to each node.
    fn reverse(&mut self, targets: &[u32], degrees: &[u32]) {
        // First the end of each node's sources; filling them backwards leaves the start.
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.sources = vec![0; targets.len()];
        let mut rest = targets;
        for (node, &degree) in degrees.iter().enumerate() {
            let (own, others) = rest.split_at(degree as usize);
            rest = others;
            for &target in own {
                let start = &mut self.starts[target as usize];
                *start -= 1;
                self.sources[*start as usize] = node as u32;
            }
        }
    }

    /// Decides the nodes ply by ply and returns their codes.
    fn walk_back(&mut self) -> Vec<u32> {
        let mut codes = vec![Value::Draw.code(); self.open.len()];
        while let Some((ply, nodes)) = self.agenda.pop_first() {
            let won = ply % 2 == 1;
            let mut next = Vec::new();
            for node in nodes {
                let node = node as usize;
                if codes[node] != 0 {
                    // It came up by another move as well, at this ply or earlier.
                    continue;
                }
                codes[node] = ply + 1;
                let sources = self.starts[node] as usize..self.starts[node + 1] as usize;
                for &source in &self.sources[sources] {
                    let at = source as usize;
                    if codes[at] != 0 {
                        continue;
                    }
                    if !won {
                        next.push(source);
                    } else if self.open[at] != NEVER_LOST {
                        self.open[at] -= 1;
                        if self.open[at] == 0 {
                            // The slowest child may be one after a capture.
                            let lost = self.floors[at].max(ply + 1);
                            if lost == ply + 1 {
                                next.push(source);
                            } else {
                                self.agenda.entry(lost).or_default().push(source);
                            }
                        }
                    }
                }
            }
            if !next.is_empty() {
                self.agenda.entry(ply + 1).or_default().append(&mut next);
            }
        }
        codes
    }
}

impl Outside {
    fn is_empty(&self) -> bool {
        self.fastest_win.is_none() && !self.draws && self.slowest_loss.is_none()
    }
}

/// The value of the child of a move that leaves the class, for the side to move there; none if it stays inside.
fn outside_value(
    rules: &Rules,
    position: &Position,
    legal: &LegalMove,
    below: &(dyn Fn(&Position) -> Value + Sync),
) -> Option<Result<Value, ReferenceError>> {
    if rules.goal(legal.piece.side).contains(legal.squares.to) {
        return Some(Ok(Value::Loss(0)));
    }
    legal.capture?;
    let child = position.after(legal);
    if !child.has_pieces(child.turn()) {
        // Where elimination does not win, a side without pieces is a side without a move.
        let lost = rules.elimination_wins() || rules.no_move() == NoMove::Loss;
        return Some(Ok(if lost { Value::Loss(0) } else { Value::Draw }));
    }
    let value = below(&child);
    let possible = match value {
        Value::Win(plies) => plies % 2 == 1 && plies < MAX_CODE - 1,
        Value::Draw => true,
        Value::Loss(plies) => plies % 2 == 0 && plies < MAX_CODE - 1,
    };
    Some(if possible { Ok(value) } else { Err(ReferenceError::Below { fen: child.to_fen(rules), value }) })
}

/// The pieces of an index, both ways.
struct Slots {
    pieces: Vec<Piece>,
    by_piece: [u8; 2 * MAX_ANIMALS],
}

impl Slots {
    fn of(index: &Index) -> Slots {
        let pieces: Vec<Piece> = index.pieces().collect();
        let mut by_piece = [0; 2 * MAX_ANIMALS];
        for (slot, piece) in (0u8..).zip(&pieces) {
            by_piece[piece.index()] = slot;
        }
        Slots { pieces, by_piece }
    }

    fn position(&self, squares: &Squares, turn: Side) -> Position {
        let mut setup = Setup::empty(turn);
        for (&piece, &square) in self.pieces.iter().zip(squares) {
            setup.place(piece, square);
        }
        setup.assume_legal()
    }

    /// The number of the position after a move inside the class.
    fn number_after(&self, index: &Index, squares: &Squares, legal: &LegalMove) -> u64 {
        let mut squares = *squares;
        squares[usize::from(self.by_piece[legal.piece.index()])] = legal.squares.to;
        index.number(&squares)
    }
}
