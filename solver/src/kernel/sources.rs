//! What a row depends on: other rows by quiet moves, and words below by captures.

use super::captures::{ByLane, Captures};
use super::problem::NOWHERE;
use super::sweep::Sweep;
use super::word::Word;
use dsq_tables::board::{Bitboard, Square};

/// Something a row depends on.
#[derive(Clone, Copy, Debug)]
pub enum Source<W> {
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
    pub fn stopped(&self, slot: usize, between: Bitboard, squares: &[u8; 8]) -> bool {
        if between.is_empty() {
            return false;
        }
        let stoppers = self.problem.slots[slot].stoppers;
        (0..self.problem.outers).any(|i| stoppers >> i & 1 != 0 && between.contains(Square::new(squares[i])))
    }

    /// Lists everything the row depends on.
    pub fn list_sources(&self, row: usize, squares: &[u8; 8], list: &mut Vec<Source<W>>) {
        list.clear();
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
                list.push(Source::Row { row, mirrored, inner_mask: edge.inner_mask, lane_block });
            }
        }
        if moves.has_lane || moves.has_inner {
            list.push(Source::Own);
        }
        for (capture, captures) in self.captures.iter().enumerate() {
            self.list_captures(capture, captures, squares, list);
        }
    }

    fn list_captures(&self, capture: usize, captures: &Captures<W>, squares: &[u8; 8], list: &mut Vec<Source<W>>) {
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
                list.push(if victim < problem.outers {
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
                list.push(Source::ByLaneOuter { capture, victim, group, at });
            }
            Some(ByLane::Inner { .. }) => list.push(Source::ByLaneInner { capture, victim, group }),
            _ => {}
        }
        if captures.by_inner.is_some() {
            list.push(if victim < problem.outers {
                Source::ByInnerOuter { capture, victim, group, at }
            } else {
                Source::ByInnerLane { capture, victim, group }
            });
        }
    }

    fn mirrored_row(&self, squares: &[u8; 8]) -> usize {
        let problem = self.problem;
        let place =
            |slot: usize| problem.slots[slot].place[usize::from(problem.mirrored[usize::from(squares[slot])])] as usize;
        (0..problem.outers).map(|slot| place(slot) * problem.strides[slot]).sum()
    }

    /// The flag that tells whether a source of a row changed at the last ply: that of the row, or of the group below.
    #[inline(always)]
    fn flag_of(&self, source: &Source<W>, row: usize) -> usize {
        match *source {
            Source::Row { row, .. } => row,
            Source::Own => row,
            Source::Whole { victim, group, .. }
            | Source::OnLane { victim, group, .. }
            | Source::OnBit { victim, group, .. }
            | Source::ByLaneOuter { victim, group, .. }
            | Source::ByLaneInner { victim, group, .. }
            | Source::ByInnerOuter { victim, group, .. }
            | Source::ByInnerLane { victim, group, .. } => self.first_flag[victim] + group,
        }
    }

    /// True if a source of a row changed at the last ply.
    #[inline(always)]
    pub fn changed(&self, source: &Source<W>, row: usize) -> bool {
        self.flags[self.flag_of(source, row)]
    }
}

/// The flags that each row depends on, so that the rows to evaluate are found at once.
#[derive(Debug)]
pub struct Dependencies {
    /// By row: where its flags begin; one more at the end.
    starts: Vec<u32>,
    flags: Vec<u32>,
}

impl Dependencies {
    /// Lists them for all rows.
    pub fn new<W: Word>(sweep: &Sweep<'_, W>) -> Dependencies {
        let (mut starts, mut flags, mut list) = (vec![0], Vec::new(), Vec::new());
        let mut squares = [0; 8];
        for row in 0..sweep.problem.rows {
            sweep.problem.outer_squares(row, &mut squares);
            if sweep.problem.is_legal_row(&squares) {
                sweep.list_sources(row, &squares, &mut list);
                let first = flags.len();
                flags.extend(list.iter().map(|source| sweep.flag_of(source, row) as u32));
                flags[first..].sort_unstable();
                // The lane and the inner piece may look at the same group.
                let mut kept = first;
                for place in first..flags.len() {
                    if place == first || flags[place] != flags[kept - 1] {
                        flags[kept] = flags[place];
                        kept += 1;
                    }
                }
                flags.truncate(kept);
            }
            starts.push(flags.len() as u32);
        }
        Dependencies { starts, flags }
    }

    /// True if something a row depends on is flagged. An illegal row depends on nothing.
    #[inline(always)]
    pub fn touched(&self, row: usize, flagged: &[bool]) -> bool {
        let own = &self.flags[self.starts[row] as usize..self.starts[row + 1] as usize];
        own.iter().any(|&flag| flagged[flag as usize])
    }
}
