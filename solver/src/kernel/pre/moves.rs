//! How the pieces of one side move without capturing, by what a move does in the layout.
//!
//! An outer piece moves from row to row, the lane piece from word to word of a row, the inner piece from bit to bit of a word.
//! A move that no piece of the class can stop is a *step*, also where it is a jump on the board; the others are *jumps*. Moves into
//! the den are not here, see `den`.

use crate::kernel::layout::{Layout, Word, add_to_group};
use dsq_tables::board::{Bitboard, Side, Square};
use dsq_tables::rules::{Edge, Rules};

/// How the pieces of one side move.
#[derive(Clone, Debug)]
pub struct Moves<W> {
    pub side: Side,
    /// The outer pieces of the side.
    pub outers: Vec<OuterMoves<W>>,
    /// The lane piece, if it is of the side.
    pub lane: Option<LaneMoves<W>>,
    /// The inner piece, if it is of the side.
    pub inner: Option<InnerMoves<W>>,
}

/// How an outer piece moves.
#[derive(Clone, Debug)]
pub struct OuterMoves<W> {
    pub slot: usize,
    /// By square: the ways out.
    pub edges: Vec<Vec<OuterEdge<W>>>,
}

/// A way of an outer piece out of a square.
#[derive(Clone, Copy, Debug)]
pub struct OuterEdge<W> {
    pub to: u8,
    /// Squares between; an outer piece that stops jumps must not stand there.
    pub between: Bitboard,
    /// The squares of the inner piece from which it does not stop the move.
    pub inner_mask: W,
    /// The squares of the lane piece from which it stops the move.
    pub lane_block: Bitboard,
}

/// How the lane piece moves.
#[derive(Clone, Debug)]
pub struct LaneMoves<W> {
    /// Steps: by how much the lane changes, and from which lanes (all ones).
    pub steps: Vec<(i32, Vec<W>)>,
    pub jumps: Vec<LaneJump<W>>,
}

/// A jump of the lane piece.
#[derive(Clone, Copy, Debug)]
pub struct LaneJump<W> {
    pub from: u8,
    pub to: u8,
    pub between: Bitboard,
    /// The squares of the inner piece from which it does not stop the jump.
    pub inner_mask: W,
}

/// How the inner piece moves.
#[derive(Clone, Debug)]
pub struct InnerMoves<W> {
    /// Steps: by how much the bit changes, and from which bits.
    pub steps: Vec<(i32, W)>,
    pub jumps: Vec<InnerJump>,
}

/// A jump of the inner piece.
#[derive(Clone, Copy, Debug)]
pub struct InnerJump {
    pub from: u8,
    pub to: u8,
    pub between: Bitboard,
    /// Whether the lane piece can stop it; then it does so from the squares between.
    pub lane_stops: bool,
}

impl<W: Word> Moves<W> {
    /// The moves of a side in a class.
    pub fn new(rules: &Rules, layout: &Layout<W>, side: Side) -> Self {
        let compiler = Compiler { rules, layout };
        let has = |slot: usize| layout.slots[slot].piece.side == side;
        let outers = (0..layout.outers).filter(|&slot| has(slot));
        Moves {
            side,
            outers: outers.map(|slot| compiler.outer(slot)).collect(),
            lane: has(layout.lane()).then(|| compiler.lane()),
            inner: has(layout.inner()).then(|| compiler.inner()),
        }
    }
}

struct Compiler<'a, W> {
    rules: &'a Rules,
    layout: &'a Layout<W>,
}

impl<'a, W: Word> Compiler<'a, W> {
    fn squares(&self) -> impl Iterator<Item = Square> + use<W> {
        (0..self.layout.board.squares()).map(Square::new)
    }

    /// The ways of a piece out of a square, but for those into a den that no piece can stand in.
    fn edges(&self, slot: usize, from: Square) -> impl Iterator<Item = &'a Edge> + use<'a, W> {
        let domain = self.layout.slots[slot].domain;
        let edges = self.rules.movement(self.layout.slots[slot].piece).edges(from);
        edges.iter().filter(move |edge| domain.contains(edge.to))
    }

    /// The squares between on which some piece can stand that stops the move.
    fn between(&self, slot: usize, edge: &Edge) -> Bitboard {
        let others = (0..self.layout.slots.len()).filter(|&other| other != slot);
        others.fold(Bitboard::EMPTY, |set, other| set | self.layout.stopping(slot, other, edge))
    }

    fn outer(&self, slot: usize) -> OuterMoves<W> {
        let layout = self.layout;
        let edge = |edge: &Edge| {
            let between = self.between(slot, edge);
            let lane_stops = !layout.stopping(slot, layout.lane(), edge).is_empty();
            OuterEdge {
                to: edge.to.number(),
                between,
                inner_mask: !W::from_set(layout.stopping(slot, layout.inner(), edge)),
                lane_block: if lane_stops { between } else { Bitboard::EMPTY },
            }
        };
        OuterMoves { slot, edges: self.squares().map(|from| self.edges(slot, from).map(edge).collect()).collect() }
    }

    fn lane(&self) -> LaneMoves<W> {
        let layout = self.layout;
        let (lane, inner) = (layout.lane(), layout.inner());
        let (mut groups, mut jumps) = (Vec::new(), Vec::new());
        for from in self.squares() {
            for edge in self.edges(lane, from) {
                let between = self.between(lane, edge);
                if between.is_empty() {
                    add_to_group(&mut groups, distance(from, edge.to), from);
                } else {
                    let inner_mask = !W::from_set(layout.stopping(lane, inner, edge));
                    jumps.push(LaneJump { from: from.number(), to: edge.to.number(), between, inner_mask });
                }
            }
        }
        let mask = |from: Bitboard| {
            let all = |lane: usize| if from.contains(Square::new(lane as u8)) { W::ALL } else { W::ZERO };
            (0..layout.lanes).map(all).collect()
        };
        LaneMoves { steps: groups.into_iter().map(|(by, from)| (by, mask(from))).collect(), jumps }
    }

    fn inner(&self) -> InnerMoves<W> {
        let layout = self.layout;
        let (lane, inner) = (layout.lane(), layout.inner());
        let (mut groups, mut jumps) = (Vec::new(), Vec::new());
        for from in self.squares() {
            for edge in self.edges(inner, from) {
                let between = self.between(inner, edge);
                if between.is_empty() {
                    add_to_group(&mut groups, distance(from, edge.to), from);
                } else {
                    let lane_stops = !layout.stopping(inner, lane, edge).is_empty();
                    jumps.push(InnerJump { from: from.number(), to: edge.to.number(), between, lane_stops });
                }
            }
        }
        InnerMoves { steps: groups.into_iter().map(|(by, from)| (by, W::from_set(from))).collect(), jumps }
    }
}

fn distance(from: Square, to: Square) -> i32 {
    i32::from(to.number()) - i32::from(from.number())
}
