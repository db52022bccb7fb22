//! A rival for the kernel: the usual way to solve, one position at a time, tuned as far as it goes.
//!
//! - A position is a number of packed squares, six bits for each piece, so that a move is one `xor`.
//! - Its state is a byte: how many moves are not yet known to lose, 0 once it is decided. Its distance is another byte,
//!   written once.
//! - Positions decided at a ply are a list. Their moves are taken back from small tables ([`tables`]), a batch of
//!   predecessors at a time, so that the memory accesses of a batch overlap.
//! - Captures are read once, while the moves are counted, and enter at the ply they are worth.
//! - The left-right mirror is used as in the kernel.
//!
//! It knows boards of up to 64 squares, two to five pieces with at most four ways out of a square each, dens that their
//! owner cannot enter, and distances that fit in a byte.

mod tables;

use dsq_solver::kernel::Solution;
use dsq_solver::solved::{SideCodes, Solved};
use dsq_tables::board::{Side, Square};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::index::Squares;
use dsq_tables::material::MAX_PIECES;
use dsq_tables::rules::NoMove;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tables::{Below, Tables};

/// The state of a position that cannot be lost: more than there are moves to subtract.
const NEVER_LOST: u8 = 192;
/// Positions expanded by one task of the parallel version.
const TASK: usize = 1 << 13;
/// Predecessors that are looked at together.
const BATCH: usize = 512;
/// The most predecessors of one position: four pieces with four ways each, some with a mirror image.
const MOST: usize = 32;

/// A class to be solved again and again, with the memory for it.
pub enum Rival {
    /// Two pieces.
    Two(Box<Solver<2>>),
    /// Three pieces.
    Three(Box<Solver<3>>),
    /// Four pieces.
    Four(Box<Solver<4>>),
    /// Five pieces.
    Five(Box<Solver<5>>),
}

/// Called with the name of each phase and the time it took.
pub type OnPhase<'a> = dyn Fn(&'static str, Duration) + Sync + 'a;

impl Rival {
    /// Prepares a class.
    pub fn new(catalog: &Catalog, class: &Arc<Class>) -> Rival {
        match class.material().count() {
            2 => Rival::Two(Box::new(Solver::new(catalog, class))),
            3 => Rival::Three(Box::new(Solver::new(catalog, class))),
            4 => Rival::Four(Box::new(Solver::new(catalog, class))),
            5 => Rival::Five(Box::new(Solver::new(catalog, class))),
            pieces => panic!("the rival knows two to five pieces, not {pieces}"),
        }
    }

    /// Solves the class, given those that captures lead to.
    pub fn solve(
        &mut self,
        catalog: &Catalog,
        below: &Solution<'_>,
        parallel: bool,
        on_phase: &OnPhase<'_>,
    ) -> Vec<SideCodes> {
        match self {
            Rival::Two(sized) => sized.solve(catalog, below, parallel, on_phase),
            Rival::Three(sized) => sized.solve(catalog, below, parallel, on_phase),
            Rival::Four(sized) => sized.solve(catalog, below, parallel, on_phase),
            Rival::Five(sized) => sized.solve(catalog, below, parallel, on_phase),
        }
    }
}

/// A class with a known number of pieces.
pub struct Solver<const N: usize> {
    class: Arc<Class>,
    tables: Tables<N>,
    /// What counts as lost where there is no move.
    no_move: NoMove,
    /// By side to move: the states and the codes of the positions.
    states: [Vec<u8>; 2],
    codes: [Vec<u8>; 2],
}

/// Positions that are decided by a capture or a den entry, by the ply at which that counts.
struct Events {
    wins: Vec<Vec<u32>>,
    /// One move less to count on: the slowest of the captures that lose.
    losses: Vec<Vec<u32>>,
    /// Without a move.
    stuck: Vec<u32>,
}

impl Events {
    fn new() -> Events {
        Events { wins: vec![Vec::new(); 256], losses: vec![Vec::new(); 256], stuck: Vec::new() }
    }

    fn append(&mut self, mut other: Events) {
        self.wins.iter_mut().zip(&mut other.wins).for_each(|(all, part)| all.append(part));
        self.losses.iter_mut().zip(&mut other.losses).for_each(|(all, part)| all.append(part));
        self.stuck.append(&mut other.stuck);
    }

    fn last_ply(&self) -> usize {
        (0..256).rev().find(|&ply| !self.wins[ply].is_empty() || !self.losses[ply].is_empty()).unwrap_or(0)
    }
}

impl<const N: usize> Solver<N> {
    fn new(catalog: &Catalog, class: &Arc<Class>) -> Self {
        let tables = Tables::new(catalog.rules(), class);
        let cells = tables.cells();
        let zeros = || [vec![0; cells], vec![0; cells]];
        Solver { class: class.clone(), no_move: catalog.rules().no_move(), states: zeros(), codes: zeros(), tables }
    }

    fn solve(
        &mut self,
        catalog: &Catalog,
        solution: &Solution<'_>,
        parallel: bool,
        on_phase: &OnPhase<'_>,
    ) -> Vec<SideCodes> {
        let mut begun = Instant::now();
        let mut phase = |name: &'static str| {
            on_phase(name, begun.elapsed());
            begun = Instant::now();
        };
        let below: Vec<Option<Below>> =
            (0..N).map(|victim| self.tables.below(catalog, &self.class, victim, solution, parallel)).collect();
        phase("tables below");
        let events = self.count_moves(&below, parallel);
        drop(below);
        phase("count moves");
        self.walk_back(events, parallel);
        phase("walk back");
        let out = (0..self.class.sides()).map(|side| self.read_out(side, parallel)).collect();
        phase("read out");
        out
    }

    /// Looks at every position once: how many quiet moves it has and what its captures are worth.
    fn count_moves(&mut self, below: &[Option<Below>], parallel: bool) -> [Events; 2] {
        let Solver { tables, no_move, states, .. } = self;
        let part = tables.cells_of_first_square();
        let mut both = [Events::new(), Events::new()];
        for (side, events) in Side::BOTH.into_iter().zip(&mut both) {
            let tables = &*tables;
            let work = |(place, states): (usize, &mut [u8])| {
                let mut events = Events::new();
                let mut squares = [0; N];
                if let Some(&square) = tables.first_squares.get(place) {
                    squares[0] = square;
                    let count = Count { tables, below, side, loss: *no_move == NoMove::Loss };
                    count.place(1, &mut squares, states, &mut events);
                }
                events
            };
            let states = &mut states[side.index()];
            if parallel {
                let parts: Vec<Events> = states.par_chunks_mut(part).enumerate().map(work).collect();
                parts.into_iter().for_each(|part| events.append(part));
            } else {
                states.chunks_mut(part).enumerate().map(work).for_each(|part| events.append(part));
            }
        }
        both
    }

    /// Takes moves back from the positions decided last, ply by ply.
    fn walk_back(&mut self, mut events: [Events; 2], parallel: bool) {
        let last_event = events.iter().map(Events::last_ply).max().unwrap_or(0);
        let [white, black] = &mut self.states;
        let states = [atomic(white), atomic(black)];
        let mut decided = events.each_mut().map(|events| std::mem::take(&mut events.stuck));
        for ply in 0.. {
            let code = u8::try_from(ply + 1).unwrap_or(u8::MAX);
            assert!(code < u8::MAX, "the rival's distances fit in a byte");
            let odd = ply % 2 == 0;
            let mut next = [Vec::new(), Vec::new()];
            for side in Side::BOTH {
                let (own, other) = (side.index(), side.other().index());
                let codes = atomic(&mut self.codes[own]);
                let step = Step { tables: &self.tables, mover: side.other(), states: states[other], codes, code, odd };
                step.run(&decided[own], parallel, &mut next[other]);
                let events = if odd { &mut events[other].wins } else { &mut events[other].losses };
                let due = events.get_mut(ply + 1).map(std::mem::take).unwrap_or_default();
                step.settle::<false>(&due, &mut next[other]);
            }
            if next.iter().all(Vec::is_empty) && ply >= last_event {
                break;
            }
            decided = next;
        }
    }

    /// The codes in the order of the index.
    fn read_out(&self, side: usize, parallel: bool) -> SideCodes {
        let index = self.class.index();
        assert!(index.is_dense(), "the rival knows an index without holes");
        let (states, codes) = (&self.states[side], &self.codes[side]);
        let mut bytes = vec![0; index.size() as usize];
        let run = index.numbers_of_first_square() as usize;
        let firsts: Vec<Square> = index.domain(0).squares().collect();
        let work = |(task, out): (usize, &mut [u8])| {
            let mut squares: Squares = [Square::new(0); MAX_PIECES];
            squares[0] = firsts[task];
            let mut out = out.iter_mut();
            self.read_squares(1, self.tables.first_cell(firsts[task]), &mut squares, &mut |cell| {
                if let Some(out) = out.next() {
                    *out = if states[cell] == 0 { codes[cell] } else { 0 };
                }
            });
        };
        if parallel {
            bytes.par_chunks_mut(run).enumerate().for_each(work);
        } else {
            bytes.chunks_mut(run).enumerate().for_each(work);
        }
        SideCodes::new(bytes, Vec::new())
    }

    fn read_squares(&self, slot: usize, cell: usize, squares: &mut Squares, write: &mut impl FnMut(usize)) {
        for square in self.class.index().free(slot, squares).squares() {
            let cell = cell | square.index() << (6 * (N - 1 - slot));
            if slot == N - 1 {
                write(cell);
            } else {
                squares[slot] = square;
                self.read_squares(slot + 1, cell, squares, write);
            }
        }
    }
}

/// The values of the kernel are those of the rival.
pub fn assert_equal(solved: &Solved, rival: &[SideCodes]) {
    let same = solved.sides().iter().map(|side| &**side).eq(rival);
    assert!(same, "class {}: the rival's values are not the kernel's", solved.class.name());
}

/// Counts the moves of the positions of one side.
struct Count<'a, const N: usize> {
    tables: &'a Tables<N>,
    below: &'a [Option<Below>],
    side: Side,
    /// True if a side without a move has lost.
    loss: bool,
}

impl<const N: usize> Count<'_, N> {
    /// Goes through the squares of the pieces from `slot` on. `states` are those of the first piece's square.
    fn place(&self, slot: usize, squares: &mut [u8; N], states: &mut [u8], events: &mut Events) {
        let taken = squares[..slot].iter().fold(0u64, |set, &square| set | 1 << square);
        let mut free = self.tables.domains[slot] & !taken;
        while free != 0 {
            squares[slot] = free.trailing_zeros() as u8;
            free &= free - 1;
            if slot == N - 1 {
                let cell = self.tables.cell(squares);
                let place = cell as usize % states.len();
                states[place] = self.look(squares, cell, events);
            } else {
                self.place(slot + 1, squares, states, events);
            }
        }
    }

    /// The first state of a position.
    #[inline]
    fn look(&self, squares: &[u8; N], cell: u32, events: &mut Events) -> u8 {
        let tables = self.tables;
        let occupied = tables.occupied(squares);
        let all = occupied[0] | occupied[1];
        let (mut moves, mut den) = (0u32, false);
        let (mut fastest_win, mut slowest_loss, mut draw) = (u8::MAX, 0, false);
        for &slot in tables.slots_of(self.side) {
            let ways = &tables.ways[slot][usize::from(squares[slot] & 63)];
            moves += (ways.steps & !all).count_ones();
            den |= ways.den;
            if ways.jumps {
                moves += ways.open_jumps(all, tables.stoppers(slot, &occupied));
            }
            if ways.takes & all == 0 {
                continue;
            }
            for &victim in tables.slots_of(self.side.other()) {
                if ways.takes_by[victim] >> squares[victim] & 1 == 0
                    || (ways.jumps && ways.is_stopped(squares[victim], tables.stoppers(slot, &occupied)))
                {
                    continue;
                }
                let Some(below) = &self.below[victim] else { continue };
                match below.code(squares, slot, victim) {
                    0 => draw = true,
                    code if code % 2 == 1 => fastest_win = fastest_win.min(code),
                    code => slowest_loss = slowest_loss.max(code),
                }
            }
        }
        if den {
            fastest_win = 1;
        }
        if fastest_win < u8::MAX {
            events.wins[usize::from(fastest_win)].push(cell);
            return NEVER_LOST;
        }
        if draw {
            return NEVER_LOST;
        }
        if slowest_loss > 0 {
            events.losses[usize::from(slowest_loss)].push(cell);
            return moves as u8 + 1;
        }
        if moves == 0 {
            if !self.loss {
                return NEVER_LOST;
            }
            events.stuck.push(cell);
        }
        moves as u8
    }
}

/// Going back one ply from the positions of one side to those of the other.
struct Step<'a, const N: usize> {
    tables: &'a Tables<N>,
    /// Whose moves are taken back.
    mover: Side,
    /// The states of the positions with the mover to move.
    states: &'a [AtomicU8],
    /// The codes of the positions gone back from, and the code to write there.
    codes: &'a [AtomicU8],
    code: u8,
    /// True if the ply that is reached is odd: the positions gone back from are lost.
    odd: bool,
}

impl<const N: usize> Step<'_, N> {
    fn run(&self, decided: &[u32], parallel: bool, next: &mut Vec<u32>) {
        if parallel && decided.len() > TASK {
            let parts = decided.par_chunks(TASK).map(|part| {
                let mut next = Vec::new();
                self.expand::<true>(part, &mut next);
                next
            });
            let parts: Vec<Vec<u32>> = parts.collect();
            parts.iter().for_each(|part| next.extend_from_slice(part));
        } else {
            self.expand::<false>(decided, next);
        }
    }

    fn expand<const SHARED: bool>(&self, decided: &[u32], next: &mut Vec<u32>) {
        let mut batch = [0; BATCH + MOST];
        let mut len = 0;
        for &cell in decided {
            self.codes[cell as usize].store(self.code, Relaxed);
            len = self.tables.predecessors(cell, self.mover, &mut batch, len);
            if len >= BATCH {
                self.settle::<SHARED>(&batch[..len], next);
                len = 0;
            }
        }
        self.settle::<SHARED>(&batch[..len], next);
    }

    /// Enters what is known of some positions: that a move wins, or that one more loses.
    #[inline]
    fn settle<const SHARED: bool>(&self, cells: &[u32], next: &mut Vec<u32>) {
        let mut found = [0; BATCH + MOST];
        for cells in cells.chunks(found.len()) {
            let mut len = 0;
            if self.odd {
                for &cell in cells {
                    let state = &self.states[cell as usize];
                    let before = if SHARED && state.load(Relaxed) != 0 {
                        state.swap(0, Relaxed)
                    } else if SHARED {
                        0
                    } else {
                        let before = state.load(Relaxed);
                        state.store(0, Relaxed);
                        before
                    };
                    found[len] = cell;
                    len += usize::from(before != 0);
                }
            } else {
                for &cell in cells {
                    let state = &self.states[cell as usize];
                    let before = state.load(Relaxed);
                    let last = if SHARED {
                        // Nothing is decided by a win in this ply, so that what is not 0 here cannot become 0 but by counting.
                        before != 0 && state.fetch_sub(1, Relaxed) == 1
                    } else {
                        state.store(before - u8::from(before != 0), Relaxed);
                        before == 1
                    };
                    found[len] = cell;
                    len += usize::from(last);
                }
            }
            next.extend_from_slice(&found[..len]);
        }
    }
}

/// Bytes that several threads change.
fn atomic(bytes: &mut [u8]) -> &[AtomicU8] {
    let bytes: *mut [u8] = bytes;
    // SAFETY: `AtomicU8` has the size, alignment and bit validity of `u8`, and the bytes are borrowed exclusively for as long
    // as the result lives.
    unsafe { &*(bytes as *const [AtomicU8]) }
}
