//! What a row depends on: other rows by quiet moves, and words below by captures.
//!
//! How a move leads there is the same for many rows, so the ways are listed once, and a row's list only has numbers. The lists
//! of all rows are kept, or, where there is no memory for them, made again whenever a row is looked at.

use super::captures::{ByLane, Captures};
use super::sweep::{Seen, Sweep};
use super::word::Word;
use dsq_tables::board::{Bitboard, Square};

/// How a row depends on another row, on itself, or on a group of words below.
#[derive(Clone, Copy, Debug)]
pub enum Way<W> {
    /// Another row: a move of an outer piece.
    Row { mirrored: bool, inner_mask: W, lane_block: Bitboard },
    /// The row itself: moves of the lane and the inner piece.
    Own,
    /// An outer piece takes an outer one: a row below.
    Whole { victim: usize, inner_mask: W, lane_block: Bitboard },
    /// An outer piece takes the lane piece on one square: one word below.
    OnLane { victim: usize, lane: usize, inner_mask: W },
    /// An outer piece takes the inner one on one square: a word of lanes below.
    OnBit { victim: usize, bit: usize, lane_block: Bitboard },
    /// The lane piece takes an outer one: one word below for several lanes.
    ByLaneOuter { capture: usize, victim: usize, at: usize },
    /// The lane piece takes the inner one: a word of lanes below.
    ByLaneInner { capture: usize, victim: usize },
    /// The inner piece takes an outer one: a bit below for each lane.
    ByInnerOuter { capture: usize, victim: usize, at: usize },
    /// The inner piece takes the lane one: a bit below for each lane.
    ByInnerLane { capture: usize, victim: usize },
}

/// Something a row depends on: by which way, and which flag tells whether it changed at the last ply. The flag is the number
/// of the row, or the first one of the table below (see [`Sweep::first_flag`]) and the number of the group.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub way: u32,
    pub flag: u32,
}

/// Everything that the rows depend on, with one side to move.
#[derive(Debug)]
pub struct Links<W> {
    ways: Ways<W>,
    /// The lists of all rows, if they are kept.
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    /// By row: where its links begin; one more at the end.
    starts: Vec<usize>,
    links: Vec<Link>,
}

impl<W: Word> Links<W> {
    /// Lists the ways, and the links of all rows if they are to be kept.
    pub fn new(sweep: &Sweep<'_, W>, keep: bool) -> Links<W> {
        let ways = Ways::new(sweep);
        let kept = keep.then(|| {
            let (mut starts, mut links) = (vec![0], Vec::new());
            let mut squares = [0; 8];
            for row in 0..sweep.problem.rows {
                // An illegal row depends on nothing.
                if let Some(seen) = sweep.see(row, &mut squares) {
                    ways.list(sweep, row, seen, &squares, &mut links);
                }
                starts.push(links.len());
            }
            links.shrink_to_fit();
            Kept { starts, links }
        });
        Links { ways, kept }
    }

    /// What a row depends on, if the lists are kept.
    #[inline(always)]
    pub fn kept(&self, row: usize) -> Option<&[Link]> {
        self.kept.as_ref().map(|kept| &kept.links[kept.starts[row]..kept.starts[row + 1]])
    }

    /// Lists what a row depends on, which the side that moves sees with the outer pieces on `squares`.
    #[inline(always)]
    pub fn list(&self, sweep: &Sweep<'_, W>, row: usize, seen: Seen, squares: &[u8; 8], list: &mut Vec<Link>) {
        list.clear();
        self.ways.list(sweep, row, seen, squares, list);
    }

    /// The way of a link.
    #[inline(always)]
    pub fn way(&self, link: Link) -> &Way<W> {
        &self.ways.ways[link.way as usize]
    }
}

/// The ways of the captures of one piece, by number.
#[derive(Debug)]
struct CaptureWays {
    /// For each outer slot that can take it: the first way of each square it can take it from.
    by_outer: Vec<Vec<u32>>,
    /// The way of the lane piece for each square of an outer victim, or the only one.
    by_lane: Vec<u32>,
    /// The same of the inner piece.
    by_inner: Vec<u32>,
}

/// All ways of one side, with what it takes to find those of a row.
#[derive(Debug)]
struct Ways<W> {
    ways: Vec<Way<W>>,
    /// By outer slot of the side and square: the number of the way of its first edge; the others follow.
    edges: Vec<Vec<u32>>,
    /// The number of the way into the row itself.
    own: u32,
    captures: Vec<CaptureWays>,
}

impl<W: Word> Ways<W> {
    fn new(sweep: &Sweep<'_, W>) -> Ways<W> {
        let mut ways = Ways { ways: Vec::new(), edges: Vec::new(), own: 0, captures: Vec::new() };
        ways.fill(sweep);
        ways
    }

    fn add(&mut self, way: Way<W>) -> u32 {
        self.ways.push(way);
        self.ways.len() as u32 - 1
    }

    fn fill(&mut self, sweep: &Sweep<'_, W>) {
        let (problem, moves, captures) = (sweep.problem, sweep.moves, sweep.captures);
        for (edges, &slot) in moves.outer_edges.iter().zip(&moves.outers) {
            let mut first = Vec::new();
            for edges in edges {
                first.push(self.ways.len() as u32);
                for edge in edges {
                    let mirrored = !problem.slots[slot].part.contains(Square::new(edge.to));
                    self.add(Way::Row { mirrored, inner_mask: edge.inner_mask, lane_block: edge.lane_block() });
                }
            }
            self.edges.push(first);
        }
        self.own = self.add(Way::Own);
        for (capture, captures) in captures.iter().enumerate() {
            let ways = self.capture_ways(sweep, capture, captures);
            self.captures.push(ways);
        }
    }

    fn capture_ways(&mut self, sweep: &Sweep<'_, W>, capture: usize, captures: &Captures<W>) -> CaptureWays {
        let (problem, moves) = (sweep.problem, sweep.moves);
        let victim = captures.victim;
        let mut by_outer = Vec::new();
        for (place, _) in &captures.by_outer {
            let mut first = Vec::new();
            for edges in &moves.outer_edges[*place] {
                first.push(self.ways.len() as u32);
                for edge in edges {
                    let (inner_mask, lane_block, to) = (edge.inner_mask, edge.lane_block(), usize::from(edge.to));
                    self.add(if victim < problem.outers {
                        Way::Whole { victim, inner_mask, lane_block }
                    } else if victim == problem.lane() {
                        Way::OnLane { victim, lane: to, inner_mask }
                    } else {
                        Way::OnBit { victim, bit: to, lane_block }
                    });
                }
            }
            by_outer.push(first);
        }
        let by_lane = match &captures.by_lane {
            Some(ByLane::Outer(into)) => {
                (0..into.len()).map(|at| self.add(Way::ByLaneOuter { capture, victim, at })).collect()
            }
            Some(ByLane::Inner { .. }) => vec![self.add(Way::ByLaneInner { capture, victim })],
            None => Vec::new(),
        };
        let by_inner = match &captures.by_inner {
            Some(into) if victim < problem.outers => {
                (0..into.len()).map(|at| self.add(Way::ByInnerOuter { capture, victim, at })).collect()
            }
            Some(_) => vec![self.add(Way::ByInnerLane { capture, victim })],
            None => Vec::new(),
        };
        CaptureWays { by_outer, by_lane, by_inner }
    }

    /// Adds everything the row depends on.
    #[inline(always)]
    fn list(&self, sweep: &Sweep<'_, W>, row: usize, seen: Seen, squares: &[u8; 8], list: &mut Vec<Link>) {
        let (problem, moves) = (sweep.problem, sweep.moves);
        for (place, &slot) in moves.outers.iter().enumerate() {
            let from = usize::from(squares[slot]);
            for (way, edge) in (self.edges[place][from]..).zip(&moves.outer_edges[place][from]) {
                if sweep.stopped(slot, edge.between, squares) || squares[..problem.outers].contains(&edge.to) {
                    continue;
                }
                // Where the first piece crosses the middle this is the same position in the mirror.
                let mut after = *squares;
                after[slot] = edge.to;
                list.push(Link { way, flag: problem.row(&after) as u32 });
            }
        }
        if moves.has_lane || moves.has_inner {
            let own = if seen.swapped.is_some() { problem.row(squares) } else { row };
            list.push(Link { way: self.own, flag: own as u32 });
        }
        for (captures, ways) in sweep.captures.iter().zip(&self.captures) {
            list_captures(sweep, captures, ways, squares, list);
        }
    }
}

fn list_captures<W: Word>(
    sweep: &Sweep<'_, W>,
    captures: &Captures<W>,
    ways: &CaptureWays,
    squares: &[u8; 8],
    list: &mut Vec<Link>,
) {
    let (problem, moves) = (sweep.problem, sweep.moves);
    let victim = captures.victim;
    let Some(below) = &sweep.below[victim] else { return };
    let first_flag = sweep.first_flag[victim];
    let flag_of = |squares: &[u8; 8]| (first_flag + below.group(squares)) as u32;
    for ((place, targets), first) in captures.by_outer.iter().zip(&ways.by_outer) {
        let slot = moves.outers[*place];
        let from = usize::from(squares[slot]);
        let targets = targets[from];
        if targets.is_empty() || (victim < problem.outers && !targets.contains(Square::new(squares[victim]))) {
            continue;
        }
        for (way, edge) in (first[from]..).zip(&moves.outer_edges[*place][from]) {
            let here = match victim < problem.outers {
                true => squares[victim] == edge.to,
                false => !squares[..problem.outers].contains(&edge.to),
            };
            if !here || !targets.contains(Square::new(edge.to)) || sweep.stopped(slot, edge.between, squares) {
                continue;
            }
            let mut after = *squares;
            after[slot] = edge.to;
            list.push(Link { way, flag: flag_of(&after) });
        }
    }
    let at = if victim < problem.outers { usize::from(squares[victim]) } else { 0 };
    let by_lane = match &captures.by_lane {
        Some(ByLane::Outer(into)) => !into[at].is_empty(),
        Some(ByLane::Inner { .. }) => true,
        None => false,
    };
    if by_lane {
        list.push(Link { way: ways.by_lane[at], flag: flag_of(squares) });
    }
    if captures.by_inner.is_some() {
        list.push(Link { way: ways.by_inner[at], flag: flag_of(squares) });
    }
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
}
