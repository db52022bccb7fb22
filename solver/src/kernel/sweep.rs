//! One row at one ply: which of its positions have a move into a set of positions of the other side.
//!
//! This one question serves both kinds of ply. At an odd ply the set is what the other side has lost, and a position with a
//! move into it is won. At an even ply the set is what the other side has not won, and a position without a move into it
//! is lost. Squares that cannot be are 0 in every set, so nothing here has to ask whether a placement is legal.

use super::below::Below;
use super::captures::{ByLane, Captures};
use super::problem::{NOWHERE, Problem, SideMoves};
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
    /// The set of the other side that a move should lead into.
    pub target: &'a [W],
    /// The same set below, for each slot whose piece can be taken.
    pub below: &'a [Option<Below<W>>],
    /// True for the sets of lost positions, false for those not won.
    pub odd: bool,
    /// By row: whether the target set changed at the last ply.
    pub dirty: &'a [bool],
}

/// Something a row depends on.
enum Source<W> {
    /// Another row: a move of an outer piece.
    Row { row: usize, mirrored: bool, inner_mask: W, lane_block: Bitboard },
    /// The row itself: moves of the lane and the inner piece.
    Own,
    /// An outer piece takes an outer one: a row below.
    Whole { victim: usize, group: usize, inner_mask: W, lane_block: Bitboard },
    /// An outer piece takes the lane piece on one square: one word below.
    OnLane { victim: usize, group: usize, lane: usize, inner_mask: W },
    /// An outer piece takes the inner one on one square: a word of lanes below.
    OnBit { victim: usize, group: usize, bit: usize, lane_block: Bitboard },
    /// The lane piece takes an outer one: one word below for several lanes.
    ByLaneOuter { capture: usize, victim: usize, group: usize, at: usize },
    /// The lane piece takes the inner one: a word of lanes below.
    ByLaneInner { capture: usize, victim: usize, group: usize },
    /// The inner piece takes an outer one: a bit below for each lane.
    ByInnerOuter { capture: usize, victim: usize, group: usize, at: usize },
    /// The inner piece takes the lane one: a bit below for each lane.
    ByInnerLane { capture: usize, victim: usize, group: usize },
}

impl<W: Word> Sweep<'_, W> {
    /// True if an outer piece stops a jump of the piece of `slot`.
    #[inline(always)]
    fn stopped(&self, slot: usize, between: Bitboard, squares: &[u8; 8]) -> bool {
        if between.is_empty() {
            return false;
        }
        let stoppers = self.problem.slots[slot].stoppers;
        (0..self.problem.outers).any(|i| stoppers >> i & 1 != 0 && between.contains(Square::new(squares[i])))
    }

    /// Calls `visit` with everything the row depends on.
    #[inline(always)]
    fn sources(&self, row: usize, squares: &[u8; 8], mut visit: impl FnMut(Source<W>)) {
        let (problem, moves) = (self.problem, self.moves);
        for (place, &slot) in moves.outers.iter().enumerate() {
            let from = usize::from(squares[slot]);
            for edge in &moves.outer_edges[place][from] {
                if self.stopped(slot, edge.between, squares) {
                    continue;
                }
                let lane_block = if edge.lane_stops { edge.between } else { Bitboard::EMPTY };
                let to = problem.slots[slot].place[usize::from(edge.to)];
                let (row, mirrored) = if to == NOWHERE {
                    // The first piece crosses the middle: the same position in the mirror.
                    let mut images = *squares;
                    images[slot] = edge.to;
                    (self.mirrored_row(&images), true)
                } else {
                    let here = problem.slots[slot].place[from] as usize * problem.strides[slot];
                    (row - here + to as usize * problem.strides[slot], false)
                };
                visit(Source::Row { row, mirrored, inner_mask: edge.inner_mask, lane_block });
            }
        }
        if moves.has_lane || moves.has_inner {
            visit(Source::Own);
        }
        for (capture, captures) in self.captures.iter().enumerate() {
            self.capture_sources(capture, captures, squares, &mut visit);
        }
    }

    #[inline(always)]
    fn capture_sources(
        &self,
        capture: usize,
        captures: &Captures<W>,
        squares: &[u8; 8],
        visit: &mut impl FnMut(Source<W>),
    ) {
        let (problem, moves) = (self.problem, self.moves);
        let victim = captures.victim;
        let Some(below) = &self.below[victim] else { return };
        for (place, targets) in &captures.by_outer {
            let slot = moves.outers[*place];
            let from = usize::from(squares[slot]);
            let targets = targets[from];
            if targets.is_empty() || (victim < problem.outers && !targets.contains(Square::new(squares[victim]))) {
                continue;
            }
            for edge in &moves.outer_edges[*place][from] {
                let to = Square::new(edge.to);
                let here = victim >= problem.outers || squares[victim] == edge.to;
                if !here || !targets.contains(to) || self.stopped(slot, edge.between, squares) {
                    continue;
                }
                let mut after = *squares;
                after[slot] = edge.to;
                let group = below.group(problem, &after);
                let lane_block = if edge.lane_stops { edge.between } else { Bitboard::EMPTY };
                let inner_mask = edge.inner_mask;
                visit(if victim < problem.outers {
                    Source::Whole { victim, group, inner_mask, lane_block }
                } else if victim == problem.lane() {
                    Source::OnLane { victim, group, lane: to.index(), inner_mask }
                } else {
                    Source::OnBit { victim, group, bit: to.index(), lane_block }
                });
            }
        }
        if captures.by_lane.is_none() && captures.by_inner.is_none() {
            return;
        }
        let group = below.group(problem, squares);
        let at = usize::from(squares[victim.min(7)]);
        match &captures.by_lane {
            Some(ByLane::Outer(into)) if !into[at].is_empty() => {
                visit(Source::ByLaneOuter { capture, victim, group, at });
            }
            Some(ByLane::Inner { .. }) => visit(Source::ByLaneInner { capture, victim, group }),
            _ => {}
        }
        if captures.by_inner.is_some() {
            visit(if victim < problem.outers {
                Source::ByInnerOuter { capture, victim, group, at }
            } else {
                Source::ByInnerLane { capture, victim, group }
            });
        }
    }

    #[inline(always)]
    fn mirrored_row(&self, squares: &[u8; 8]) -> usize {
        let problem = self.problem;
        let place =
            |slot: usize| problem.slots[slot].place[usize::from(problem.mirrored[usize::from(squares[slot])])] as usize;
        (0..problem.outers).map(|slot| place(slot) * problem.strides[slot]).sum()
    }

    /// True if something the row depends on changed at the last ply.
    #[inline(always)]
    pub fn touched(&self, row: usize, squares: &[u8; 8]) -> bool {
        let mut touched = false;
        self.sources(row, squares, |source| touched |= self.changed(&source, row));
        touched
    }

    #[inline(always)]
    fn changed(&self, source: &Source<W>, row: usize) -> bool {
        let below = |victim: usize, group: usize| self.below[victim].as_ref().is_some_and(|below| below.dirty[group]);
        match *source {
            Source::Row { row, .. } => self.dirty[row],
            Source::Own => self.dirty[row],
            Source::Whole { victim, group, .. }
            | Source::OnLane { victim, group, .. }
            | Source::OnBit { victim, group, .. }
            | Source::ByLaneOuter { victim, group, .. }
            | Source::ByLaneInner { victim, group, .. }
            | Source::ByInnerOuter { victim, group, .. }
            | Source::ByInnerLane { victim, group, .. } => below(victim, group),
        }
    }

    /// Adds to `found` the positions of the row that have a move into the target set; with `changed_only`, only by way of
    /// what changed at the last ply. Returns whether anything was looked at.
    #[inline(always)]
    pub fn collect(&self, row: usize, squares: &[u8; 8], changed_only: bool, found: &mut Row<W>) -> bool {
        let mut looked = false;
        self.sources(row, squares, |source| {
            if !changed_only || self.changed(&source, row) {
                looked = true;
                self.add(&source, row, squares, found);
            }
        });
        looked
    }

    /// The words of a group below.
    #[inline(always)]
    fn words(&self, victim: usize, group: usize) -> &[W] {
        match &self.below[victim] {
            Some(below) => {
                let set = if self.odd { &below.lost } else { &below.not_won };
                &set[group * below.width..][..below.width]
            }
            None => &[],
        }
    }

    #[inline(always)]
    fn add(&self, source: &Source<W>, row: usize, squares: &[u8; 8], found: &mut Row<W>) {
        let problem = self.problem;
        let lanes = problem.lanes;
        match *source {
            Source::Row { row, mirrored: false, inner_mask, lane_block } => {
                or_row(&mut found[..lanes], &self.target[row * lanes..][..lanes], inner_mask, lane_block);
            }
            Source::Row { row, mirrored: true, inner_mask, lane_block } => {
                let words = &self.target[row * lanes..][..lanes];
                for lane in problem.lane_domain.without(lane_block).squares() {
                    let image = usize::from(problem.mirrored[lane.index()]);
                    found[lane.index()] |= problem.mirror_word(words[image]) & inner_mask;
                }
            }
            Source::Own => self.add_own(&self.target[row * lanes..][..lanes], squares, found),
            Source::Whole { victim, group, inner_mask, lane_block } => {
                or_row(&mut found[..lanes], self.words(victim, group), inner_mask, lane_block);
            }
            Source::OnLane { victim, group, lane, inner_mask } => {
                found[lane] |= self.words(victim, group)[0] & inner_mask;
            }
            Source::OnBit { victim, group, bit, lane_block } => {
                let word = self.words(victim, group)[0] & !W::from_set(lane_block);
                for (lane, found) in found[..lanes.min(W::BITS)].iter_mut().enumerate() {
                    *found |= word.spread(lane) & W::bit(bit);
                }
            }
            Source::ByLaneOuter { capture, victim, group, at } => {
                let word = self.words(victim, group)[at];
                if let Some(ByLane::Outer(into)) = &self.captures[capture].by_lane {
                    for from in &into[at] {
                        if !self.stopped(problem.lane(), from.between, squares) {
                            found[usize::from(from.lane)] |= word & from.inner_mask;
                        }
                    }
                }
            }
            Source::ByLaneInner { capture, victim, group } => {
                let word = self.words(victim, group)[0];
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
            Source::ByInnerOuter { capture, victim, group, at } => {
                let words = self.words(victim, group);
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
            Source::ByInnerLane { capture, victim, group } => {
                let word = self.words(victim, group)[0];
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

    /// The positions of a row and lane in which a piece of the side can enter the den at once.
    pub fn den_entries(&self, squares: &[u8; 8], lane: usize) -> W {
        let problem = self.problem;
        let goal = self.rules.goal(self.moves.side);
        let inner = problem.inner();
        let square_of = |slot: usize| if slot == problem.lane() { lane } else { usize::from(squares[slot]) };
        let mut found = W::ZERO;
        for slot in 0..problem.slots.len() {
            let piece = problem.slots[slot].piece;
            if piece.side != self.moves.side {
                continue;
            }
            let stands =
                if slot == inner { problem.slots[inner].domain } else { Square::new(square_of(slot) as u8).bit() };
            for from in (stands & self.moves.den_doors).squares() {
                for edge in self.rules.movement(piece).edges(from).iter().filter(|edge| goal.contains(edge.to)) {
                    let mut moved = if slot == inner { W::of(from) } else { W::ALL };
                    for (other, facts) in problem.slots.iter().enumerate().filter(|(other, _)| *other != slot) {
                        let stops = problem.slots[slot].stoppers >> other & 1 != 0;
                        let mut closed = if stops { edge.between } else { Bitboard::EMPTY };
                        // An enemy may stand in the den where its own side lets it.
                        let taken = facts.piece.side != piece.side
                            && self.rules.captures(piece, facts.piece.animal, from).contains(edge.to);
                        if !taken {
                            closed |= edge.to.bit();
                        }
                        if other == inner {
                            moved &= !W::from_set(closed);
                        } else if closed.contains(Square::new(square_of(other) as u8)) {
                            moved = W::ZERO;
                        }
                    }
                    found |= moved;
                }
            }
        }
        found
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
