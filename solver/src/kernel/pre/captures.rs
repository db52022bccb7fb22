//! The captures of one side in a class, by who takes whom.

use super::moves::Moves;
use crate::kernel::layout::{Layout, Word};
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::rules::{Edge, Rules};

/// How the pieces of a side take the piece of one slot. Captures that end in the den are wins by entering it and not here.
#[derive(Clone, Debug)]
pub struct Captures<W> {
    /// The slot of the piece that is taken.
    pub victim: usize,
    /// For each outer piece of the side that can take it: its place in [`Moves::outers`], and by its square the squares it can take it on.
    pub by_outer: Vec<(usize, Vec<Bitboard>)>,
    /// How the lane piece takes it, if it is of the side and can.
    pub by_lane: Option<ByLane<W>>,
    /// How the inner piece takes it, if it is of the side and can: by the square it is taken on.
    pub by_inner: Option<Vec<ByInner<W>>>,
}

/// How the lane piece takes another.
#[derive(Clone, Debug)]
pub enum ByLane<W> {
    /// An outer piece: by its square, the lanes it is taken from.
    TakesOuter(Vec<Vec<FromLane<W>>>),
    /// The inner piece: by lane the squares it is taken on by a step, and the jumps.
    TakesInner { steps: Vec<W>, jumps: Vec<CapturingJump> },
}

/// A jump by which the lane piece takes the inner one.
#[derive(Clone, Copy, Debug)]
pub struct CapturingJump {
    pub from: u8,
    pub to: u8,
    pub between: Bitboard,
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
pub struct ByInner<W> {
    /// The squares it comes from by a step.
    pub steps: W,
    /// The jumps that lead there.
    pub jumps: Vec<JumpFrom>,
}

/// A jump by which the inner piece takes another.
#[derive(Clone, Copy, Debug)]
pub struct JumpFrom {
    pub from: u8,
    pub between: Bitboard,
    /// Whether the lane piece can stop it; then it does so from the squares between.
    pub lane_stops: bool,
}

impl<W: Word> Captures<W> {
    /// All captures of a side, one entry for each piece of the other side that can be taken.
    pub fn all(rules: &Rules, layout: &Layout<W>, moves: &Moves<W>) -> Vec<Captures<W>> {
        let victims = (0..layout.slots.len()).filter(|&slot| layout.slots[slot].piece.side != moves.side);
        victims
            .map(|victim| Compiler { rules, layout, moves, victim }.captures())
            .filter(|captures| !captures.is_empty())
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.by_outer.is_empty() && self.by_lane.is_none() && self.by_inner.is_none()
    }
}

struct Compiler<'a, W> {
    rules: &'a Rules,
    layout: &'a Layout<W>,
    moves: &'a Moves<W>,
    victim: usize,
}

impl<'a, W: Word> Compiler<'a, W> {
    fn captures(&self) -> Captures<W> {
        let (layout, moves, victim) = (self.layout, self.moves, self.victim);
        let can = |slot: usize| self.squares().any(|from| !self.targets(slot, from).is_empty());
        let by_outer = moves.outers.iter().enumerate().filter(|(_, outer)| can(outer.slot));
        let by_outer = by_outer
            .map(|(place, outer)| (place, self.squares().map(|from| self.targets(outer.slot, from)).collect()))
            .collect();
        let takes_inner = victim == layout.inner();
        let by_lane = (moves.lane.is_some() && can(layout.lane()))
            .then(|| if takes_inner { self.lane_takes_inner() } else { self.lane_takes_outer() });
        let by_inner = (moves.inner.is_some() && can(layout.inner())).then(|| self.by_inner());
        Captures { victim, by_outer, by_lane, by_inner }
    }

    fn squares(&self) -> impl Iterator<Item = Square> + use<W> {
        (0..self.layout.board.squares()).map(Square::new)
    }

    /// The squares on which the piece of a slot takes the victim from a square.
    fn targets(&self, slot: usize, from: Square) -> Bitboard {
        let (attacker, victim) = (self.layout.slots[slot].piece, self.layout.slots[self.victim].piece);
        self.rules.captures(attacker, victim.animal, from).without(self.rules.goal(attacker.side))
    }

    /// The ways of the piece of a slot out of a square by which it takes the victim.
    fn edges(&self, slot: usize, from: Square) -> impl Iterator<Item = &'a Edge> + use<'a, W> {
        let targets = self.targets(slot, from);
        let edges = self.rules.movement(self.layout.slots[slot].piece).edges(from);
        edges.iter().filter(move |edge| targets.contains(edge.to))
    }

    fn lane_takes_inner(&self) -> ByLane<W> {
        let mut steps = vec![W::ZERO; self.layout.lanes];
        let mut jumps = Vec::new();
        for (from, steps) in self.squares().zip(&mut steps) {
            for edge in self.edges(self.layout.lane(), from) {
                if edge.between.is_empty() {
                    *steps |= W::of(edge.to);
                } else {
                    jumps.push(CapturingJump { from: from.number(), to: edge.to.number(), between: edge.between });
                }
            }
        }
        ByLane::TakesInner { steps, jumps }
    }

    fn lane_takes_outer(&self) -> ByLane<W> {
        let (lane, inner) = (self.layout.lane(), self.layout.inner());
        let mut by_target: Vec<Vec<FromLane<W>>> = self.squares().map(|_| Vec::new()).collect();
        for from in self.squares() {
            for edge in self.edges(lane, from) {
                let inner_mask = !W::from_set(self.layout.stopping(lane, inner, edge));
                let from = FromLane { lane: from.number(), between: edge.between, inner_mask };
                by_target[edge.to.index()].push(from);
            }
        }
        ByLane::TakesOuter(by_target)
    }

    fn by_inner(&self) -> Vec<ByInner<W>> {
        let (lane, inner) = (self.layout.lane(), self.layout.inner());
        let none = || ByInner { steps: W::ZERO, jumps: Vec::new() };
        let mut by_target: Vec<ByInner<W>> = self.squares().map(|_| none()).collect();
        for from in self.squares() {
            for edge in self.edges(inner, from) {
                let target = &mut by_target[edge.to.index()];
                if edge.between.is_empty() {
                    target.steps |= W::of(from);
                } else {
                    let lane_stops = self.victim != lane && !self.layout.stopping(inner, lane, edge).is_empty();
                    target.jumps.push(JumpFrom { from: from.number(), between: edge.between, lane_stops });
                }
            }
        }
        by_target
    }
}
