//! One row at one ply: which of its positions have a move into a set of positions of the other side.
//!
//! This one question serves both kinds of ply. At an odd ply the set is what the other side has lost, and a position with a
//! move into it is won. At an even ply the set is what the other side has not won, and a position without a move into it
//! is lost. Squares that cannot be are 0 in every set, so nothing here has to ask whether a placement is legal.

use super::below::Below;
use super::captures::{ByLane, Captures};
use super::problem::{Problem, SideMoves};
use super::sources::{Link, Way};
use super::swap::Swap;
use super::word::Word;
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::rules::Rules;

/// The most lanes of a row.
pub const MAX_LANES: usize = 128;
/// Room around a row, so that a step off its end reads zeros. More than any step changes the lane.
const MARGIN: usize = MAX_LANES;

/// The words of one row.
pub type Row<W> = [W; MAX_LANES];

/// What the row function reads.
pub struct Sweep<'a, W> {
    pub rules: &'a Rules,
    pub problem: &'a Problem<W>,
    /// The side that moves.
    pub moves: &'a SideMoves<W>,
    pub captures: &'a [Captures<W>],
    /// The swap of the colours, if of both sides to move only White's sets are kept. Then the side that moves is Black, and a row
    /// of the result is what Black has in the row with the colours swapped, brought back.
    pub swap: Option<&'a Swap>,
    /// The set that a move should lead into: the other side is to move there.
    pub target: &'a [W],
    /// The same set below, for each slot whose piece can be taken.
    pub below: &'a [Option<Below<W>>],
    /// True for the sets of lost positions, false for those not won.
    pub odd: bool,
    /// Whether something changed at the last ply: first by row of the target set, then by group of each table below.
    pub flags: &'a [bool],
    /// By slot whose piece can be taken: the flag of its first group.
    pub first_flag: &'a [usize; 8],
}

/// A row as the side that moves sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Whether the colours are swapped for that, and whether that took the mirror as well.
    pub swapped: Option<bool>,
}

impl<W: Word> Sweep<'_, W> {
    /// Where the side that moves sees the outer pieces of a row; none if the row has no positions.
    #[inline(always)]
    pub fn see(&self, row: usize, squares: &mut [u8; 8]) -> Option<Seen> {
        if !self.problem.outer_squares(row, squares) {
            return None;
        }
        let swapped = self.swap.map(|swap| {
            let (there, mirrored) = swap.outer_squares(self.problem, squares);
            *squares = there;
            mirrored
        });
        Some(Seen { swapped })
    }

    /// Brings what was found in a row into the order of the row.
    #[inline(always)]
    pub fn bring_back(&self, seen: Seen, found: &mut Row<W>) {
        if let (Some(swap), Some(mirrored)) = (self.swap, seen.swapped) {
            swap.bring_back(mirrored, self.problem.board.squares().into(), found);
        }
    }

    /// The words of a group below.
    #[inline(always)]
    fn words(&self, victim: usize, group: usize) -> &[W] {
        match &self.below[victim] {
            Some(below) => {
                let set = if self.odd { &below.lost } else { &below.not_won };
                &set[group * below.width()..][..below.width()]
            }
            None => &[],
        }
    }

    /// Adds to `found` the positions of the row that have a move into the target set by one way.
    #[inline(always)]
    pub fn add(&self, link: Link, way: &Way<W>, squares: &[u8; 8], found: &mut Row<W>) {
        let problem = self.problem;
        let lanes = problem.lanes;
        let row = link.flag as usize;
        let words = |victim: usize| self.words(victim, link.flag as usize - self.first_flag[victim]);
        match *way {
            Way::Row { mirrored: false, inner_mask, lane_block } => {
                or_row(&mut found[..lanes], &self.target[row * lanes..][..lanes], inner_mask, lane_block);
            }
            Way::Row { mirrored: true, inner_mask, lane_block } => {
                let words = &self.target[row * lanes..][..lanes];
                for lane in problem.lane_domain.without(lane_block).squares() {
                    let image = usize::from(problem.mirrored[lane.index()]);
                    found[lane.index()] |= problem.mirror_word(words[image]) & inner_mask;
                }
            }
            Way::Own => self.add_own(&self.target[row * lanes..][..lanes], squares, found),
            Way::Whole { victim, inner_mask, lane_block } => {
                or_row(&mut found[..lanes], words(victim), inner_mask, lane_block);
            }
            Way::OnLane { victim, lane, inner_mask } => {
                found[lane] |= words(victim)[0] & inner_mask;
            }
            Way::OnBit { victim, bit, lane_block } => {
                let word = words(victim)[0] & !W::from_set(lane_block);
                for (lane, found) in found[..lanes.min(W::BITS)].iter_mut().enumerate() {
                    *found |= word.spread(lane) & W::bit(bit);
                }
            }
            Way::ByLaneOuter { capture, victim, at } => {
                let word = words(victim)[at];
                if let Some(ByLane::Outer(into)) = &self.captures[capture].by_lane {
                    for from in &into[at] {
                        if !self.stopped(problem.lane(), from.between, squares) {
                            found[usize::from(from.lane)] |= word & from.inner_mask;
                        }
                    }
                }
            }
            Way::ByLaneInner { capture, victim } => {
                let word = words(victim)[0];
                if let Some(ByLane::Inner { steps, jumps }) = &self.captures[capture].by_lane {
                    for (found, &targets) in found[..lanes].iter_mut().zip(steps) {
                        *found |= word & targets;
                    }
                    for &(from, to, between) in jumps {
                        if !self.stopped(problem.lane(), between, squares) {
                            found[usize::from(from)] |= word & W::bit(to.into());
                        }
                    }
                }
            }
            Way::ByInnerOuter { capture, victim, at } => {
                let words = words(victim);
                if let Some(into) = self.captures[capture].by_inner.as_ref().map(|into| &into[at]) {
                    if !into.steps.is_zero() {
                        for (found, word) in found[..lanes].iter_mut().zip(words) {
                            *found |= word.spread(at) & into.steps;
                        }
                    }
                    for &(from, between, lane_stops) in &into.jumps {
                        if self.stopped(problem.inner(), between, squares) {
                            continue;
                        }
                        let free = if lane_stops { problem.lane_domain.without(between) } else { problem.lane_domain };
                        for lane in free.squares() {
                            found[lane.index()] |= words[lane.index()].spread(at) & W::bit(from.into());
                        }
                    }
                }
            }
            Way::ByInnerLane { capture, victim } => {
                let word = words(victim)[0];
                if let Some(into) = &self.captures[capture].by_inner {
                    for (lane, into) in into.iter().enumerate() {
                        let mut from = into.steps;
                        for &(square, between, _) in &into.jumps {
                            if !self.stopped(problem.inner(), between, squares) {
                                from |= W::bit(square.into());
                            }
                        }
                        found[lane] |= word.spread(lane) & from;
                    }
                }
            }
        }
    }

    /// Moves of the lane and the inner piece, inside the row.
    #[inline(always)]
    fn add_own(&self, words: &[W], squares: &[u8; 8], found: &mut Row<W>) {
        let (problem, moves) = (self.problem, self.moves);
        let lanes = problem.lanes;
        if moves.has_lane {
            let mut padded = [W::ZERO; MAX_LANES + 2 * MARGIN];
            padded[MARGIN..][..lanes].copy_from_slice(words);
            for (by, from) in &moves.lane_steps {
                let moved = &padded[(MARGIN as i32 + by) as usize..][..lanes];
                for ((found, word), mask) in found[..lanes].iter_mut().zip(moved).zip(from) {
                    *found |= *word & *mask;
                }
            }
            for jump in &moves.lane_jumps {
                if !self.stopped(problem.lane(), jump.between, squares) {
                    found[usize::from(jump.from)] |= words[usize::from(jump.to)] & jump.inner_mask;
                }
            }
        }
        if moves.has_inner {
            for &(by, from) in &moves.inner_steps {
                // A move up by `by` comes from the bit as much further down.
                for (found, word) in found[..lanes].iter_mut().zip(words) {
                    *found |= word.shifted(-by) & from;
                }
            }
            for jump in &moves.inner_jumps {
                if self.stopped(problem.inner(), jump.between, squares) {
                    continue;
                }
                let bit = W::bit(jump.from.into());
                if jump.lane_stops {
                    for lane in problem.lane_domain.without(jump.between).squares() {
                        found[lane.index()] |= words[lane.index()].spread(jump.to.into()) & bit;
                    }
                } else {
                    for (found, word) in found[..lanes].iter_mut().zip(words) {
                        *found |= word.spread(jump.to.into()) & bit;
                    }
                }
            }
        }
    }

    /// Adds to `found` the positions of the row in which a piece of the side can enter the den at once.
    pub fn add_den_entries(&self, squares: &[u8; 8], found: &mut Row<W>) {
        let problem = self.problem;
        let doors = self.moves.den_doors;
        for slot in (0..problem.slots.len()).filter(|&slot| problem.slots[slot].piece.side == self.moves.side) {
            let stands =
                if slot < problem.outers { Square::new(squares[slot]).bit() } else { problem.slots[slot].domain };
            for from in (stands & doors).squares() {
                self.add_den_entries_from(slot, from, squares, found);
            }
        }
    }

    fn add_den_entries_from(&self, slot: usize, from: Square, squares: &[u8; 8], found: &mut Row<W>) {
        let problem = self.problem;
        let goal = self.rules.goal(self.moves.side);
        let piece = problem.slots[slot].piece;
        for edge in self.rules.movement(piece).edges(from).iter().filter(|edge| goal.contains(edge.to)) {
            let mut lanes = if slot == problem.lane() { from.bit() } else { problem.lane_domain };
            let mut word = if slot == problem.inner() { W::of(from) } else { W::ALL };
            for (other, facts) in problem.slots.iter().enumerate().filter(|(other, _)| *other != slot) {
                let stops = problem.slots[slot].stoppers >> other & 1 != 0;
                let mut closed = if stops { edge.between } else { Bitboard::EMPTY };
                // An enemy may stand in the den where its own side lets it.
                let enemy = facts.piece.side != piece.side;
                if !enemy || !self.rules.captures(piece, facts.piece.animal, from).contains(edge.to) {
                    closed |= edge.to.bit();
                }
                if other == problem.inner() {
                    word &= !W::from_set(closed);
                } else if other == problem.lane() {
                    lanes = lanes.without(closed);
                } else if closed.contains(Square::new(squares[other])) {
                    word = W::ZERO;
                }
            }
            lanes.squares().for_each(|lane| found[lane.index()] |= word);
        }
    }
}

/// ORs a row of another set into the found words.
#[inline(always)]
fn or_row<W: Word>(found: &mut [W], words: &[W], inner_mask: W, lane_block: Bitboard) {
    if lane_block.is_empty() {
        if inner_mask == W::ALL {
            for (found, word) in found.iter_mut().zip(words) {
                *found |= *word;
            }
        } else {
            for (found, word) in found.iter_mut().zip(words) {
                *found |= *word & inner_mask;
            }
        }
    } else {
        for (lane, (found, word)) in found.iter_mut().zip(words).enumerate() {
            if !lane_block.contains(Square::new(lane as u8)) {
                *found |= *word & inner_mask;
            }
        }
    }
}
