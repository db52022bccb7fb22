//! The captures of one side in a class, by who takes whom.

use super::problem::Problem;
use super::word::Word;
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::rules::{Edge, Rules};

/// How the pieces of a side take the piece of one slot. Captures that end in the den are wins by entering it and not here.
#[derive(Clone, Debug)]
pub struct Captures<W> {
    /// The slot of the piece that is taken.
    pub victim: usize,
    /// For each outer slot of the side that can take it: the slot's place in the side's list, and the targets by square.
    pub by_outer: Vec<(usize, Vec<Bitboard>)>,
    /// How the lane piece takes it, if it is of the side and can.
    pub by_lane: Option<ByLane<W>>,
    /// How the inner piece takes it, if it is of the side and can: by the square it is taken on.
    pub by_inner: Option<Vec<Into<W>>>,
}

/// How the lane piece takes another.
#[derive(Clone, Debug)]
pub enum ByLane<W> {
    /// An outer piece: by its square, the lanes it is taken from.
    Outer(Vec<Vec<FromLane<W>>>),
    /// The inner piece: by lane the squares it is taken on by a step, and the jumps.
    Inner { steps: Vec<W>, jumps: Vec<(u8, u8, Bitboard)> },
}

/// A lane from which the lane piece takes an outer one.
#[derive(Clone, Copy, Debug)]
pub struct FromLane<W> {
    pub lane: u8,
    pub between: Bitboard,
    pub inner_mask: W,
}

/// How the inner piece takes another on one square.
#[derive(Clone, Debug)]
pub struct Into<W> {
    /// The squares it comes from by a step.
    pub steps: W,
    /// The squares it comes from by a jump, what lies between, and whether the lane piece can stop it.
    pub jumps: Vec<(u8, Bitboard, bool)>,
}

impl<W: Word> Captures<W> {
    /// All captures of a side, one entry for each piece of the other side that can be taken.
    pub fn all(rules: &Rules, problem: &Problem<W>, side: Side) -> Vec<Captures<W>> {
        let victims = (0..problem.slots.len()).filter(|&slot| problem.slots[slot].piece.side != side);
        victims
            .map(|victim| Captures::of(rules, problem, side, victim))
            .filter(|captures| !captures.is_empty())
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.by_outer.is_empty() && self.by_lane.is_none() && self.by_inner.is_none()
    }

    fn of(rules: &Rules, problem: &Problem<W>, side: Side, victim: usize) -> Captures<W> {
        let moves = &problem.moves[side.index()];
        let squares = usize::from(problem.board.squares());
        let (lane, inner) = (problem.lane(), problem.inner());
        let goal = rules.goal(side);
        let targets = |slot: usize, from: usize| {
            let attacker = problem.slots[slot].piece;
            let all = rules.captures(attacker, problem.slots[victim].piece.animal, Square::new(from as u8));
            all.without(goal)
        };
        let edges = |slot: usize, from: usize| {
            let takes = targets(slot, from);
            let all = rules.movement(problem.slots[slot].piece).edges(Square::new(from as u8)).iter();
            all.filter(move |edge| takes.contains(edge.to))
        };
        let can = |slot: usize| (0..squares).any(|from| !targets(slot, from).is_empty());
        let stopping = |slot: usize, other: usize, edge: &Edge| {
            let stops = problem.slots[slot].stoppers >> other & 1 != 0;
            if stops { edge.between & problem.slots[other].domain } else { Bitboard::EMPTY }
        };
        let by_outer = (0..moves.outers.len())
            .filter(|&place| can(moves.outers[place]))
            .map(|place| (place, (0..squares).map(|from| targets(moves.outers[place], from)).collect()))
            .collect();
        let by_lane = (moves.has_lane && can(lane)).then(|| {
            if victim == inner {
                let mut steps = vec![W::ZERO; problem.lanes];
                let mut jumps = Vec::new();
                for (from, steps) in steps[..squares].iter_mut().enumerate() {
                    for edge in edges(lane, from) {
                        if edge.between.is_empty() {
                            *steps |= W::of(edge.to);
                        } else {
                            jumps.push((from as u8, edge.to.number(), edge.between));
                        }
                    }
                }
                ByLane::Inner { steps, jumps }
            } else {
                let mut into: Vec<Vec<FromLane<W>>> = vec![Vec::new(); squares];
                for from in 0..squares {
                    for edge in edges(lane, from) {
                        let inner_mask = !W::from_set(stopping(lane, inner, edge));
                        let from = FromLane { lane: from as u8, between: edge.between, inner_mask };
                        into[edge.to.index()].push(from);
                    }
                }
                ByLane::Outer(into)
            }
        });
        let by_inner = (moves.has_inner && can(inner)).then(|| {
            let mut into: Vec<Into<W>> = vec![Into { steps: W::ZERO, jumps: Vec::new() }; squares];
            for from in 0..squares {
                for edge in edges(inner, from) {
                    let into = &mut into[edge.to.index()];
                    if edge.between.is_empty() {
                        into.steps |= W::bit(from);
                    } else {
                        let lane_stops = victim != lane && !stopping(inner, lane, edge).is_empty();
                        into.jumps.push((from as u8, edge.between, lane_stops));
                    }
                }
            }
            into
        });
        Captures { victim, by_outer, by_lane, by_inner }
    }
}
