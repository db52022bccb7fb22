//! What a row of `pre(S)` depends on: rows of S by moves, and groups of words of the capture successors by captures.
//!
//! All of these are the *sources* of `pre(S)` and have one numbering: the rows of S first, then the groups of each table of
//! capture successors. How a move leads to a source is the same for many rows, so the *ways* are listed once, and the list of a
//! row has only numbers. The lists of all rows are kept, or, where there is no memory for them, made again whenever a row
//! is looked at.

use super::captures::{ByLane, Captures};
use super::mover::{Mover, Perspective};
use crate::kernel::layout::{Placement, Word};
use crate::kernel::successors::Successors;
use dsq_tables::board::{Bitboard, Square};

/// How a row depends on a source.
#[derive(Clone, Copy, Debug)]
pub enum Way<W> {
    /// A move of an outer piece: on another row.
    OtherRow { mirrored: bool, inner_mask: W, lane_block: Bitboard },
    /// Moves of the lane and the inner piece: on the row itself.
    SameRow,
    /// An outer piece takes an outer one: on a row of successors.
    OuterTakesOuter { victim: usize, inner_mask: W, lane_block: Bitboard },
    /// An outer piece takes the lane piece on one square: on one word of successors.
    OuterTakesLane { victim: usize, lane: usize, inner_mask: W },
    /// An outer piece takes the inner one on one square: on a word of successors, with a bit for each lane.
    OuterTakesInner { victim: usize, bit: usize, lane_block: Bitboard },
    /// The lane piece takes an outer one on the square `at`: on one word of a row of successors, for several lanes.
    LaneTakesOuter { capture: usize, victim: usize, at: usize },
    /// The lane piece takes the inner one: on a word of successors, with a bit for each lane.
    LaneTakesInner { capture: usize, victim: usize },
    /// The inner piece takes an outer one on the square `at`: on one bit of each word of a row of successors.
    InnerTakesOuter { capture: usize, victim: usize, at: usize },
    /// The inner piece takes the lane one: on a word of successors, a bit for each lane.
    InnerTakesLane { capture: usize, victim: usize },
}

/// A source that a row depends on, and the number of the way it does.
#[derive(Clone, Copy, Debug)]
pub struct Dependency {
    way: u32,
    pub source: u32,
}

/// Everything that the rows depend on, with one side to move.
#[derive(Debug)]
pub struct Dependencies<W> {
    ways: Ways<W>,
    /// The lists of all rows, if they are kept.
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    /// By row: where its list begins; one more at the end.
    starts: Vec<usize>,
    lists: Vec<Dependency>,
}

impl<W: Word> Dependencies<W> {
    /// Lists the ways, and what each row depends on if the lists are to be kept.
    pub fn new(mover: &Mover<'_, W>, successors: &Successors<W>, keep: bool) -> Dependencies<W> {
        let ways = Ways::new(mover);
        let kept = keep.then(|| {
            let (mut starts, mut lists) = (vec![0], Vec::new());
            let mut squares = Placement::default();
            for row in 0..mover.layout.rows {
                // A row without positions depends on nothing.
                if let Some(perspective) = mover.look_at(row, &mut squares) {
                    ways.list(mover, successors, (row, perspective, &squares), &mut lists);
                }
                starts.push(lists.len());
            }
            lists.shrink_to_fit();
            Kept { starts, lists }
        });
        Dependencies { ways, kept }
    }

    /// What a row depends on, if the lists are kept.
    #[inline(always)]
    pub fn kept(&self, row: usize) -> Option<&[Dependency]> {
        self.kept.as_ref().map(|kept| &kept.lists[kept.starts[row]..kept.starts[row + 1]])
    }

    /// Lists what a row depends on, in which the side that moves sees the outer pieces on `squares`.
    #[inline(always)]
    pub fn list(
        &self,
        mover: &Mover<'_, W>,
        successors: &Successors<W>,
        row: (usize, Perspective, &Placement),
        list: &mut Vec<Dependency>,
    ) {
        list.clear();
        self.ways.list(mover, successors, row, list);
    }

    /// The way of a dependency.
    #[inline(always)]
    pub fn way(&self, dependency: Dependency) -> &Way<W> {
        &self.ways.ways[dependency.way as usize]
    }
}

/// All ways of one side, and what it takes to find those of a row.
#[derive(Debug)]
struct Ways<W> {
    ways: Vec<Way<W>>,
    /// By outer piece of the side and square: the number of the way of its first edge; the others follow.
    edges: Vec<Vec<u32>>,
    /// The number of the way into the row itself.
    same_row: u32,
    captures: Vec<CaptureWays>,
}

/// The ways of the captures of one piece, by number.
#[derive(Debug)]
struct CaptureWays {
    /// For each outer piece that can take it: by square, the way of the first edge; the others follow.
    by_outer: Vec<Vec<u32>>,
    /// The way of the lane piece for each square of an outer victim, or the only one.
    by_lane: Vec<u32>,
    /// The same of the inner piece.
    by_inner: Vec<u32>,
}

impl<W: Word> Ways<W> {
    fn new(mover: &Mover<'_, W>) -> Ways<W> {
        let mut ways = Ways { ways: Vec::new(), edges: Vec::new(), same_row: 0, captures: Vec::new() };
        for outer in &mover.moves.outers {
            let mut first = Vec::new();
            for edges in &outer.edges {
                first.push(ways.ways.len() as u32);
                for edge in edges {
                    let mirrored = !mover.layout.slots[outer.slot].part.contains(Square::new(edge.to));
                    let (inner_mask, lane_block) = (edge.inner_mask, edge.lane_block);
                    ways.add(Way::OtherRow { mirrored, inner_mask, lane_block });
                }
            }
            ways.edges.push(first);
        }
        ways.same_row = ways.add(Way::SameRow);
        for (capture, captures) in mover.captures.iter().enumerate() {
            let capture_ways = CaptureWays {
                by_outer: ways.outer_takes(mover, captures),
                by_lane: ways.lane_takes(capture, captures),
                by_inner: ways.inner_takes(mover, capture, captures),
            };
            ways.captures.push(capture_ways);
        }
        ways
    }

    fn add(&mut self, way: Way<W>) -> u32 {
        self.ways.push(way);
        self.ways.len() as u32 - 1
    }

    fn outer_takes(&mut self, mover: &Mover<'_, W>, captures: &Captures<W>) -> Vec<Vec<u32>> {
        let (layout, victim) = (mover.layout, captures.victim);
        let mut by_outer = Vec::new();
        for (place, _) in &captures.by_outer {
            let mut first = Vec::new();
            for edges in &mover.moves.outers[*place].edges {
                first.push(self.ways.len() as u32);
                for edge in edges {
                    let (inner_mask, lane_block, to) = (edge.inner_mask, edge.lane_block, usize::from(edge.to));
                    self.add(if victim < layout.outers {
                        Way::OuterTakesOuter { victim, inner_mask, lane_block }
                    } else if victim == layout.lane() {
                        Way::OuterTakesLane { victim, lane: to, inner_mask }
                    } else {
                        Way::OuterTakesInner { victim, bit: to, lane_block }
                    });
                }
            }
            by_outer.push(first);
        }
        by_outer
    }

    fn lane_takes(&mut self, capture: usize, captures: &Captures<W>) -> Vec<u32> {
        let victim = captures.victim;
        match &captures.by_lane {
            Some(ByLane::TakesOuter(by_target)) => {
                (0..by_target.len()).map(|at| self.add(Way::LaneTakesOuter { capture, victim, at })).collect()
            }
            Some(ByLane::TakesInner { .. }) => vec![self.add(Way::LaneTakesInner { capture, victim })],
            None => Vec::new(),
        }
    }

    fn inner_takes(&mut self, mover: &Mover<'_, W>, capture: usize, captures: &Captures<W>) -> Vec<u32> {
        let victim = captures.victim;
        match &captures.by_inner {
            Some(by_target) if victim < mover.layout.outers => {
                (0..by_target.len()).map(|at| self.add(Way::InnerTakesOuter { capture, victim, at })).collect()
            }
            Some(_) => vec![self.add(Way::InnerTakesLane { capture, victim })],
            None => Vec::new(),
        }
    }

    /// Adds everything that a row depends on to its list.
    #[inline(always)]
    fn list(
        &self,
        mover: &Mover<'_, W>,
        successors: &Successors<W>,
        (row, perspective, squares): (usize, Perspective, &Placement),
        list: &mut Vec<Dependency>,
    ) {
        let (layout, moves) = (mover.layout, mover.moves);
        for (outer, ways) in moves.outers.iter().zip(&self.edges) {
            let from = usize::from(squares[outer.slot]);
            for (way, edge) in (ways[from]..).zip(&outer.edges[from]) {
                if layout.is_stopped(outer.slot, edge.between, squares) || squares[..layout.outers].contains(&edge.to) {
                    continue;
                }
                // Where the first piece crosses the middle this is the same position in the mirror.
                let mut after = *squares;
                after[outer.slot] = edge.to;
                list.push(Dependency { way, source: layout.row(&after) as u32 });
            }
        }
        if moves.lane.is_some() || moves.inner.is_some() {
            let source = mover.same_row(row, perspective, squares) as u32;
            list.push(Dependency { way: self.same_row, source });
        }
        for (captures, ways) in mover.captures.iter().zip(&self.captures) {
            list_captures(mover, successors, (captures, ways), squares, list);
        }
    }
}

fn list_captures<W: Word>(
    mover: &Mover<'_, W>,
    successors: &Successors<W>,
    (captures, ways): (&Captures<W>, &CaptureWays),
    squares: &Placement,
    list: &mut Vec<Dependency>,
) {
    let layout = mover.layout;
    let victim = captures.victim;
    let Some(table) = successors.after(victim) else { return };
    let takes_outer = victim < layout.outers;
    for ((place, targets), ways) in captures.by_outer.iter().zip(&ways.by_outer) {
        let outer = &mover.moves.outers[*place];
        let from = usize::from(squares[outer.slot]);
        let targets = targets[from];
        if targets.is_empty() || (takes_outer && !targets.contains(Square::new(squares[victim]))) {
            continue;
        }
        for (way, edge) in (ways[from]..).zip(&outer.edges[from]) {
            let here = match takes_outer {
                true => squares[victim] == edge.to,
                false => !squares[..layout.outers].contains(&edge.to),
            };
            let takes = targets.contains(Square::new(edge.to));
            if !here || !takes || layout.is_stopped(outer.slot, edge.between, squares) {
                continue;
            }
            let mut after = *squares;
            after[outer.slot] = edge.to;
            list.push(Dependency { way, source: table.source(&after) });
        }
    }
    let at = if takes_outer { usize::from(squares[victim]) } else { 0 };
    let by_lane = match &captures.by_lane {
        Some(ByLane::TakesOuter(by_target)) => !by_target[at].is_empty(),
        Some(ByLane::TakesInner { .. }) => true,
        None => false,
    };
    if by_lane {
        list.push(Dependency { way: ways.by_lane[at], source: table.source(squares) });
    }
    if captures.by_inner.is_some() {
        list.push(Dependency { way: ways.by_inner[at], source: table.source(squares) });
    }
}
