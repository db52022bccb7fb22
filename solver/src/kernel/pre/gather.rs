//! One row of `pre(S)`: which of its positions have a move into the set S of positions of the other side.
//!
//! This one question serves both goals of a ply. If S is what the other side has lost, a position with a move into it is won. If S
//! is what the other side has not won, a position without a move into it is lost. Squares that cannot be are 0 in every
//! set, so nothing here has to ask whether a placement is legal.
//!
//! All functions here are inlined into the loop over the rows, which is compiled for each set of instructions.

use super::capture_loops::{
    inner_takes_lane, inner_takes_outer, lane_takes_inner, lane_takes_outer, outer_takes_inner,
};
use super::captures::ByLane;
use super::dependencies::{Dependencies, Dependency, Way};
use super::mover::Mover;
use super::moves::{InnerMoves, LaneMoves};
use crate::kernel::layout::{Layout, Placement, Word};
use crate::kernel::measure::Goal;
use crate::kernel::state::Layer;
use crate::kernel::successors::Successors;
use dsq_tables::board::{Bitboard, Square};

/// `pre(S)` of one side to move, row by row.
pub struct Pre<'a, W> {
    pub mover: Mover<'a, W>,
    pub dependencies: &'a Dependencies<W>,
    /// What S is: the lost positions of the other side if wins are looked for, those not won if losses are.
    pub goal: Goal,
    /// S without the positions after captures.
    pub set: &'a Layer<W>,
    /// The positions after captures.
    pub successors: &'a Successors<W>,
    /// By source: whether it changed at the last ply. None if all of them are new, and den entries have not been counted yet.
    pub changed: Option<Vec<bool>>,
}

/// What is used again from row to row.
#[derive(Default)]
pub struct Buffers {
    squares: Placement,
    list: Vec<Dependency>,
}

impl<W: Word> Pre<'_, W> {
    /// Finds the positions of a row that have a move into S; false if nothing can be new there since the last ply. Where wins
    /// are looked for, only what changed is read, so moves into what was lost before are left out.
    #[inline(always)]
    pub fn row(&self, row: usize, buffers: &mut Buffers, found: &mut [W]) -> bool {
        let Buffers { squares, list } = buffers;
        let mover = &self.mover;
        let (perspective, list) = match self.dependencies.kept(row) {
            Some(list) => {
                if !self.any_changed(list) {
                    return false;
                }
                let Some(perspective) = mover.look_at(row, squares) else { return false };
                (perspective, list)
            }
            None => {
                let Some(perspective) = mover.look_at(row, squares) else { return false };
                self.dependencies.list(mover, self.successors, (row, perspective, squares), list);
                if !self.any_changed(list) {
                    return false;
                }
                (perspective, &list[..])
            }
        };
        found.fill(W::ZERO);
        for &dependency in list {
            // What did not change leads to no new win.
            if self.goal == Goal::Losses || self.has_changed(dependency) {
                self.add(dependency, squares, found);
            }
        }
        if self.changed.is_none() {
            mover.den.add_to(mover.rules, mover.layout, squares, found);
        }
        mover.look_back(perspective, found);
        true
    }

    #[inline(always)]
    fn has_changed(&self, dependency: Dependency) -> bool {
        self.changed.as_ref().is_none_or(|changed| changed[dependency.source as usize])
    }

    #[inline(always)]
    fn any_changed(&self, list: &[Dependency]) -> bool {
        self.changed.as_ref().is_none_or(|changed| list.iter().any(|dependency| changed[dependency.source as usize]))
    }

    /// Adds to `found` the positions of the row that have a move into S by one way.
    #[inline(always)]
    fn add(&self, dependency: Dependency, squares: &Placement, found: &mut [W]) {
        let Mover { layout, moves, captures, .. } = self.mover;
        let row = || self.set.row(dependency.source as usize);
        let words = |victim: usize| self.successors.words(victim, dependency.source, self.goal);
        match *self.dependencies.way(dependency) {
            Way::OtherRow { mirrored: false, inner_mask, lane_block } => or_row(found, row(), inner_mask, lane_block),
            Way::OtherRow { mirrored: true, inner_mask, lane_block } => {
                or_mirrored_row(layout, found, row(), inner_mask, lane_block);
            }
            Way::SameRow => {
                if let Some(moves) = &moves.lane {
                    add_lane_moves(layout, moves, row(), squares, found);
                }
                if let Some(moves) = &moves.inner {
                    add_inner_moves(layout, moves, row(), squares, found);
                }
            }
            Way::OuterTakesOuter { victim, inner_mask, lane_block } => {
                or_row(found, words(victim), inner_mask, lane_block);
            }
            Way::OuterTakesLane { victim, lane, inner_mask } => found[lane] |= words(victim)[0] & inner_mask,
            Way::OuterTakesInner { victim, bit, lane_block } => {
                outer_takes_inner(words(victim)[0], bit, lane_block, found);
            }
            Way::LaneTakesOuter { capture, victim, at } => {
                if let Some(ByLane::TakesOuter(by_target)) = &captures[capture].by_lane {
                    lane_takes_outer(layout, &by_target[at], words(victim)[at], squares, found);
                }
            }
            Way::LaneTakesInner { capture, victim } => {
                if let Some(ByLane::TakesInner { steps, jumps }) = &captures[capture].by_lane {
                    lane_takes_inner(layout, (steps, jumps), words(victim)[0], squares, found);
                }
            }
            Way::InnerTakesOuter { capture, victim, at } => {
                if let Some(by_target) = &captures[capture].by_inner {
                    inner_takes_outer(layout, (&by_target[at], at), words(victim), squares, found);
                }
            }
            Way::InnerTakesLane { capture, victim } => {
                if let Some(by_target) = &captures[capture].by_inner {
                    inner_takes_lane(layout, by_target, words(victim)[0], squares, found);
                }
            }
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

/// The same of a row that is the mirror image of the one the move leads to.
#[inline(always)]
fn or_mirrored_row<W: Word>(layout: &Layout<W>, found: &mut [W], words: &[W], inner_mask: W, lane_block: Bitboard) {
    for lane in layout.lane_domain.without(lane_block).squares() {
        let image = usize::from(layout.mirrored[lane.index()]);
        found[lane.index()] |= layout.mirror_word(words[image]) & inner_mask;
    }
}

/// Adds the moves of the lane piece, from word to word of the row.
#[inline(always)]
fn add_lane_moves<W: Word>(
    layout: &Layout<W>,
    moves: &LaneMoves<W>,
    words: &[W],
    squares: &Placement,
    found: &mut [W],
) {
    // With an empty row on both sides, so that a step off the end of the row reads zeros.
    let mut padded = W::EMPTY_PADDED_ROW;
    let padded = padded.as_mut();
    padded[W::BITS..][..words.len()].copy_from_slice(words);
    for (by, from) in &moves.steps {
        let moved = &padded[(W::BITS as i32 + by) as usize..][..words.len()];
        for ((found, word), mask) in found.iter_mut().zip(moved).zip(from) {
            *found |= *word & *mask;
        }
    }
    for jump in &moves.jumps {
        if !layout.is_stopped(layout.lane(), jump.between, squares) {
            found[usize::from(jump.from)] |= words[usize::from(jump.to)] & jump.inner_mask;
        }
    }
}

/// Adds the moves of the inner piece, from bit to bit of each word.
#[inline(always)]
fn add_inner_moves<W: Word>(
    layout: &Layout<W>,
    moves: &InnerMoves<W>,
    words: &[W],
    squares: &Placement,
    found: &mut [W],
) {
    for &(by, from) in &moves.steps {
        // A move up by `by` comes from the bit as much further down.
        for (found, word) in found.iter_mut().zip(words) {
            *found |= word.shifted(-by) & from;
        }
    }
    for jump in &moves.jumps {
        if layout.is_stopped(layout.inner(), jump.between, squares) {
            continue;
        }
        let bit = W::bit(jump.from.into());
        if jump.lane_stops {
            for lane in layout.lane_domain.without(jump.between).squares() {
                found[lane.index()] |= words[lane.index()].spread(jump.to.into()) & bit;
            }
        } else {
            for (found, word) in found.iter_mut().zip(words) {
                *found |= word.spread(jump.to.into()) & bit;
            }
        }
    }
}
