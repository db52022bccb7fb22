//! The loops over a row for captures: by the lane and the inner piece, and of the lane and the inner piece.
//!
//! Each adds to `found` the positions of a row from which a capture leads into the set that the words of the successors are of.

use super::captures::{ByInner, CapturingJump, FromLane};
use crate::kernel::layout::{Layout, Placement, Word};
use dsq_tables::board::Bitboard;

/// An outer piece takes the inner one on the square `bit`. The word of successors has a bit for each lane.
#[inline(always)]
pub fn outer_takes_inner<W: Word>(word: W, bit: usize, lane_block: Bitboard, found: &mut [W]) {
    let word = word & !W::from_set(lane_block);
    for (lane, found) in found.iter_mut().enumerate() {
        *found |= word.spread(lane) & W::bit(bit);
    }
}

/// The lane piece takes an outer one: one word of successors for all lanes it comes from.
#[inline(always)]
pub fn lane_takes_outer<W: Word>(
    layout: &Layout<W>,
    from: &[FromLane<W>],
    word: W,
    squares: &Placement,
    found: &mut [W],
) {
    for from in from {
        if !layout.is_stopped(layout.lane(), from.between, squares) {
            found[usize::from(from.lane)] |= word & from.inner_mask;
        }
    }
}

/// The lane piece takes the inner one, which stands on the square it goes to. The word of successors has a bit for each lane.
#[inline(always)]
pub fn lane_takes_inner<W: Word>(
    layout: &Layout<W>,
    (steps, jumps): (&[W], &[CapturingJump]),
    word: W,
    squares: &Placement,
    found: &mut [W],
) {
    for (found, &targets) in found.iter_mut().zip(steps) {
        *found |= word & targets;
    }
    for jump in jumps {
        if !layout.is_stopped(layout.lane(), jump.between, squares) {
            found[usize::from(jump.from)] |= word & W::bit(jump.to.into());
        }
    }
}

/// The inner piece takes an outer one on the square `at`: one bit of each word of a row of successors.
#[inline(always)]
pub fn inner_takes_outer<W: Word>(
    layout: &Layout<W>,
    (captures, at): (&ByInner<W>, usize),
    words: &[W],
    squares: &Placement,
    found: &mut [W],
) {
    if !captures.steps.is_zero() {
        for (found, word) in found.iter_mut().zip(words) {
            *found |= word.spread(at) & captures.steps;
        }
    }
    for jump in &captures.jumps {
        if layout.is_stopped(layout.inner(), jump.between, squares) {
            continue;
        }
        let free = if jump.lane_stops { layout.lane_domain.without(jump.between) } else { layout.lane_domain };
        for lane in free.squares() {
            found[lane.index()] |= words[lane.index()].spread(at) & W::bit(jump.from.into());
        }
    }
}

/// The inner piece takes the lane one, which stands on the square it goes to. The word of successors has a bit for each lane.
#[inline(always)]
pub fn inner_takes_lane<W: Word>(
    layout: &Layout<W>,
    by_target: &[ByInner<W>],
    word: W,
    squares: &Placement,
    found: &mut [W],
) {
    for (lane, captures) in by_target.iter().enumerate() {
        let mut from = captures.steps;
        for jump in &captures.jumps {
            if !layout.is_stopped(layout.inner(), jump.between, squares) {
                from |= W::bit(jump.from.into());
            }
        }
        found[lane] |= word.spread(lane) & from;
    }
}
