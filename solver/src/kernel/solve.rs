//! The plies of one class, from the end of the game backwards.

use super::below::{Below, Solution};
use super::captures::Captures;
use super::isa::{Bytes, Isa, PortableBytes};
use super::problem::Problem;
use super::read_out::{self, Cells};
use super::sources::Dependencies;
use super::sweep::{MAX_LANES, Sweep};
use super::word::Word;
use crate::arena::Arena;
use crate::solved::Solved;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::ESCAPE;
use dsq_tables::rules::NoMove;
use rayon::prelude::*;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// A part of the work on one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Laying out the values that captures lead to.
    Below,
    /// Listing what each row depends on.
    Dependencies,
    /// The plies.
    Sweep,
    /// Putting the distances into the order of the index, and counting them.
    ReadOut,
}

/// How to solve.
pub struct Options<'a> {
    /// Use all threads of the pool for this one class.
    pub parallel: bool,
    /// Codes from this one on go to the list of exceptions: 255, lower only to test that.
    pub escape_from: u32,
    /// The instructions to use; those that the machine has not are replaced by portable ones.
    pub isa: Isa,
    /// Where large buffers come from.
    pub arena: &'a Arena,
    /// Called after each ply.
    pub on_ply: &'a (dyn Fn(u32) + Sync),
    /// Called after each phase with the time it took.
    pub on_phase: &'a (dyn Fn(Phase, Duration) + Sync),
    /// Asked after each ply; the run ends if it says so.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Shared by all who bring none of their own.
static NO_ARENA: LazyLock<Arena> = LazyLock::new(Arena::new);

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            parallel: true,
            escape_from: ESCAPE.into(),
            isa: Isa::best(),
            arena: &NO_ARENA,
            on_ply: &|_| {},
            on_phase: &|_, _| {},
            stop: &|| false,
        }
    }
}

/// Why a class was not solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolveError {
    /// Asked to stop.
    #[error("stopped")]
    Stopped,
    /// A table that a capture leads to was not given.
    #[error("class {class} needs a smaller table that is not there")]
    MissingBelow {
        /// The class.
        class: String,
    },
}

/// The state of one side to move.
struct SideState<W> {
    lost: Vec<W>,
    not_won: Vec<W>,
    /// Positions without a move where that is a draw; empty otherwise.
    stuck: Vec<W>,
    /// A byte for every bit of every word: the code of the distance, once the position is decided.
    codes: Vec<u8>,
    /// By row: whether it changed at the last ply.
    dirty: Vec<bool>,
    /// Cells whose code is the escape, with their code.
    exceptions: Vec<(u64, u32)>,
}

/// Solves a class, given the classes that captures lead to.
///
/// # Errors
/// [`SolveError::Stopped`] if told to stop, [`SolveError::MissingBelow`] if a class below is not given.
pub fn solve(
    catalog: &Catalog,
    class: &Arc<Class>,
    below: &Solution<'_>,
    options: &Options<'_>,
) -> Result<Solved, SolveError> {
    if catalog.rules().board().squares() <= 64 {
        Run::<u64>::new(catalog, class, below, options)?.run()
    } else {
        Run::<u128>::new(catalog, class, below, options)?.run()
    }
}

/// About how many bytes [`solve`] needs for a class, the tables below not counted.
#[must_use]
pub fn memory_needed(catalog: &Catalog, class: &Class) -> u64 {
    let rules = catalog.rules();
    let squares = u64::from(rules.board().squares());
    let bits: u64 = if squares <= 64 { 64 } else { 128 };
    let pieces: Vec<_> = class.index().pieces().collect();
    let count = |slot: usize| u64::from(rules.movement(pieces[slot]).domain().count());
    let outers = pieces.len() - 2;
    let (mut rows, mut full_rows) = (1u64, 1u64);
    for slot in 0..outers {
        rows = rows.saturating_mul(u64::from(class.index().domain(slot).count()));
        full_rows = full_rows.saturating_mul(count(slot));
    }
    let words = rows.saturating_mul(squares.next_multiple_of(8));
    // Per side: two sets of bits and a byte for every bit; then the bytes of the table.
    let per_side = words.saturating_mul(bits / 8 * 2 + bits).saturating_add(class.index().size());
    // Below: two sets and a byte for every bit.
    let below_words: u64 = (0..outers)
        .map(|slot| full_rows / count(slot).max(1) * squares.next_multiple_of(8))
        .chain([full_rows, full_rows])
        .fold(0, u64::saturating_add);
    let per_word = bits / 8 * 2 + bits + 1;
    per_side.saturating_mul(2).saturating_add(below_words.saturating_mul(per_word))
}

struct Run<'a, W> {
    catalog: &'a Catalog,
    class: Arc<Class>,
    problem: Problem<W>,
    /// By side: how it takes pieces.
    captures: [Vec<Captures<W>>; 2],
    /// By slot of the piece that was taken.
    below: Vec<Option<Below<W>>>,
    options: &'a Options<'a>,
    /// Instructions that the machine has.
    isa: Isa,
    /// By slot whose piece can be taken: the flag of its first group; see [`Sweep::flags`].
    first_flag: [usize; 8],
    /// By side: what each row depends on.
    dependencies: Vec<Dependencies>,
}

/// What a sweep over some rows found.
#[derive(Default)]
struct Found {
    changed: bool,
    exceptions: Vec<(u64, u32)>,
}

/// What the tasks of one ply and side have in common.
struct Task<'a, W> {
    sweep: &'a Sweep<'a, W>,
    ply: usize,
    /// The side's own set of the other kind.
    own: &'a [W],
    /// Positions without a move where that is a draw; empty otherwise.
    stuck: &'a [W],
}

/// The rows that one task writes.
struct Part<'a, W> {
    /// The set that grows or shrinks.
    set: &'a mut [W],
    codes: &'a mut [u8],
    dirty: &'a mut [bool],
}

impl<'a, W: Word> Run<'a, W> {
    fn new(
        catalog: &'a Catalog,
        class: &Arc<Class>,
        solution: &Solution<'_>,
        options: &'a Options<'a>,
    ) -> Result<Self, SolveError> {
        let started = Instant::now();
        let rules = catalog.rules();
        let problem = Problem::new(rules, class);
        let captures = Side::BOTH.map(|side| Captures::all(rules, &problem, side));
        let taken: Vec<usize> = captures.iter().flatten().map(|captures| captures.victim).collect();
        let material = class.material();
        let make = |slot: usize| match taken.contains(&slot) {
            false => Ok(None),
            true => Below::new(catalog, &problem, material, slot, solution, options.parallel)
                .map(Some)
                .ok_or_else(|| SolveError::MissingBelow { class: class.name().to_owned() }),
        };
        let below: Vec<Option<Below<W>>> = (0..problem.slots.len()).map(make).collect::<Result<_, _>>()?;
        let mut first_flag = [0; 8];
        let mut flags = problem.rows;
        for (slot, below) in below.iter().enumerate() {
            first_flag[slot] = flags;
            flags += below.as_ref().map_or(0, |below| below.dirty.len());
        }
        (options.on_phase)(Phase::Below, started.elapsed());
        let started = Instant::now();
        let isa = usable(options.isa);
        let class = class.clone();
        let dependencies = Vec::new();
        let mut run = Run { catalog, class, problem, captures, below, options, isa, first_flag, dependencies };
        run.dependencies = if options.parallel {
            let (white, black) = rayon::join(|| run.dependencies_of(Side::White), || run.dependencies_of(Side::Black));
            vec![white, black]
        } else {
            vec![run.dependencies_of(Side::White), run.dependencies_of(Side::Black)]
        };
        (options.on_phase)(Phase::Dependencies, started.elapsed());
        Ok(run)
    }

    fn dependencies_of(&self, side: Side) -> Dependencies {
        Dependencies::new(&self.sweep(side, &[], &[], false))
    }

    /// What changed at the last ply in a set of one side to move, and in the tables below.
    fn flags(&self, dirty: &[bool]) -> Vec<bool> {
        let below = self.below.iter().flatten().flat_map(|below| below.dirty.iter());
        dirty.iter().chain(below).copied().collect()
    }

    fn run(mut self) -> Result<Solved, SolveError> {
        let started = Instant::now();
        let mut states = Side::BOTH.map(|_| self.first_state());
        let last_below = self.below.iter().flatten().map(Below::last_ply).max().unwrap_or(0);
        let mut idle = 0;
        for ply in 0.. {
            let changed = if ply == 0 { self.ply_zero(&mut states) } else { self.ply(&mut states, ply) };
            for below in self.below.iter_mut().flatten() {
                below.advance(ply, self.isa);
            }
            (self.options.on_ply)(ply as u32);
            if (self.options.stop)() {
                return Err(SolveError::Stopped);
            }
            idle = if changed { 0 } else { idle + 1 };
            if idle >= 2 && ply > last_below {
                break;
            }
        }
        (self.options.on_phase)(Phase::Sweep, started.elapsed());
        let started = Instant::now();
        // What the read-out does not need is given back before it takes more.
        self.below.clear();
        self.dependencies.clear();
        let index = self.class.index();
        let (mut drawn, mut out) = (Vec::new(), Vec::new());
        for (number, mut state) in states.into_iter().enumerate() {
            if number < self.class.sides() {
                state.exceptions.sort_unstable();
                drawn.push(read_out::weighted_count(&self.problem, &state.stuck));
                let buffer = self.options.arena.take(index.size() as usize);
                let cells = Cells {
                    codes: &state.codes,
                    exceptions: &state.exceptions,
                    lost: &state.lost,
                    not_won: &state.not_won,
                };
                out.push(read_out::side(&self.problem, index, cells, buffer, self.isa, self.options.parallel));
            }
            self.options.arena.give(state.codes);
        }
        let solved = Solved::new(self.class, out, &drawn);
        (self.options.on_phase)(Phase::ReadOut, started.elapsed());
        Ok(solved)
    }

    fn first_state(&self) -> SideState<W> {
        let problem = &self.problem;
        let words = problem.rows * problem.lanes;
        let mut not_won = vec![W::ZERO; words];
        let mut squares = [0; 8];
        for (row, words) in not_won.chunks_exact_mut(problem.lanes).enumerate() {
            problem.outer_squares(row, &mut squares);
            if problem.is_legal_row(&squares) {
                for (lane, word) in words.iter_mut().enumerate() {
                    *word = problem.legal_word(&squares, lane);
                }
            }
        }
        SideState {
            lost: vec![W::ZERO; words],
            not_won,
            stuck: Vec::new(),
            codes: self.options.arena.take(words * W::BITS),
            dirty: vec![false; problem.rows],
            exceptions: Vec::new(),
        }
    }

    /// What one side looks at when it looks for moves into a set of the other.
    fn sweep<'s>(&'s self, side: Side, target: &'s [W], flags: &'s [bool], odd: bool) -> Sweep<'s, W> {
        Sweep {
            rules: self.catalog.rules(),
            problem: &self.problem,
            moves: &self.problem.moves[side.index()],
            captures: &self.captures[side.index()],
            target,
            below: &self.below,
            odd,
            flags,
            first_flag: &self.first_flag,
        }
    }

    /// Positions without a move: lost, or drawn for ever.
    fn ply_zero(&self, states: &mut [SideState<W>; 2]) -> bool {
        let loss = self.catalog.rules().no_move() == NoMove::Loss;
        let lanes = self.problem.lanes;
        let mut any = false;
        let found: Vec<Vec<W>> = Side::BOTH
            .iter()
            .map(|&side| {
                let other = &states[side.other().index()];
                let own = &states[side.index()];
                let sweep = self.sweep(side, &other.not_won, &[], false);
                let mut stuck = vec![W::ZERO; own.not_won.len()];
                let work = |(row, stuck): (usize, &mut [W])| {
                    let mut squares = [0; 8];
                    self.problem.outer_squares(row, &mut squares);
                    let mut moves = [W::ZERO; MAX_LANES];
                    let mut list = Vec::new();
                    sweep.list_sources(row, &squares, &mut list);
                    list.iter().for_each(|source| sweep.add(source, row, &squares, &mut moves));
                    sweep.add_den_entries(&squares, &mut moves);
                    let not_won = &own.not_won[row * lanes..][..lanes];
                    for ((stuck, not_won), moves) in stuck.iter_mut().zip(not_won).zip(&moves) {
                        *stuck = *not_won & !*moves;
                    }
                };
                if self.options.parallel {
                    stuck.par_chunks_mut(lanes).enumerate().for_each(work);
                } else {
                    stuck.chunks_mut(lanes).enumerate().for_each(work);
                }
                stuck
            })
            .collect();
        for (state, stuck) in states.iter_mut().zip(found) {
            for (index, word) in stuck.iter().enumerate().filter(|(_, word)| !word.is_zero()) {
                any = true;
                state.dirty[index / lanes] = true;
                if loss {
                    word.for_each_bit(|bit| state.codes[index * W::BITS + bit] = 1);
                }
            }
            if loss {
                state.lost = stuck;
            } else if stuck.iter().any(|word| !word.is_zero()) {
                state.stuck = stuck;
            }
        }
        any
    }

    /// One later ply for both sides to move. Odd plies read what is lost and write what is won, even plies the reverse, so
    /// neither side sees what the other one writes.
    fn ply(&self, states: &mut [SideState<W>; 2], ply: usize) -> bool {
        let odd = ply % 2 == 1;
        let [white, black] = states;
        let mut any = false;
        let flags = [&white.dirty, &black.dirty].map(|dirty| self.flags(dirty));
        let mut results = Vec::new();
        // The sets that are read are not those that are written.
        let reads: [Vec<W>; 2] = if odd {
            [std::mem::take(&mut white.lost), std::mem::take(&mut black.lost)]
        } else {
            [std::mem::take(&mut white.not_won), std::mem::take(&mut black.not_won)]
        };
        for (side, state) in [(Side::White, &mut *white), (Side::Black, &mut *black)] {
            let other = side.other().index();
            let sweep = self.sweep(side, &reads[other], &flags[other], odd);
            let set = if odd { &mut state.not_won } else { &mut state.lost };
            let own = &reads[side.index()];
            let task = Task { sweep: &sweep, ply, own, stuck: &state.stuck };
            let found = self.sweep_all(&task, Part { set, codes: &mut state.codes, dirty: &mut state.dirty });
            results.push(found);
        }
        let [lost_or_not_won_white, lost_or_not_won_black] = reads;
        if odd {
            white.lost = lost_or_not_won_white;
            black.lost = lost_or_not_won_black;
        } else {
            white.not_won = lost_or_not_won_white;
            black.not_won = lost_or_not_won_black;
        }
        for (state, found) in [white, black].into_iter().zip(results) {
            any |= found.changed;
            state.exceptions.extend(found.exceptions);
        }
        any
    }

    /// One ply of one side to move, row by row.
    fn sweep_all(&self, task: &Task<'_, W>, all: Part<'_, W>) -> Found {
        let lanes = self.problem.lanes;
        let rows = rows_of_a_task(&self.problem);
        let Part { set, codes, dirty } = all;
        let work = |(number, part): (usize, Part<'_, W>)| self.sweep_part(task, number * rows, part);
        let join = |mut one: Found, mut other: Found| {
            one.changed |= other.changed;
            one.exceptions.append(&mut other.exceptions);
            one
        };
        if self.options.parallel {
            set.par_chunks_mut(rows * lanes)
                .zip(codes.par_chunks_mut(rows * lanes * W::BITS))
                .zip(dirty.par_chunks_mut(rows))
                .map(|((set, codes), dirty)| Part { set, codes, dirty })
                .enumerate()
                .map(work)
                .reduce(Found::default, join)
        } else {
            set.chunks_mut(rows * lanes)
                .zip(codes.chunks_mut(rows * lanes * W::BITS))
                .zip(dirty.chunks_mut(rows))
                .map(|((set, codes), dirty)| Part { set, codes, dirty })
                .enumerate()
                .map(work)
                .fold(Found::default(), join)
        }
    }

    fn sweep_part(&self, task: &Task<'_, W>, first_row: usize, part: Part<'_, W>) -> Found {
        match self.isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Isa::all` found the instructions; `Run::new` asks it.
            Isa::Avx512 => unsafe { self.sweep_part_avx512(task, first_row, part) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx2 => unsafe { self.sweep_part_avx2(task, first_row, part) },
            _ => self.sweep_part_with(PortableBytes, task, first_row, part),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn sweep_part_avx2(&self, task: &Task<'_, W>, first_row: usize, part: Part<'_, W>) -> Found {
        self.sweep_part_with(PortableBytes, task, first_row, part)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn sweep_part_avx512(&self, task: &Task<'_, W>, first_row: usize, part: Part<'_, W>) -> Found {
        // SAFETY: this function is only called where the machine has its instructions.
        let bytes = unsafe { super::isa::Avx512Bytes::new() };
        self.sweep_part_with(bytes, task, first_row, part)
    }

    /// Evaluates some rows. Compiled for each set of instructions.
    #[inline(always)]
    fn sweep_part_with(&self, bytes: impl Bytes, task: &Task<'_, W>, first_row: usize, part: Part<'_, W>) -> Found {
        let sweep = task.sweep;
        let dependencies = &self.dependencies[sweep.moves.side.index()];
        let lanes = self.problem.lanes;
        let (odd, first) = (sweep.odd, task.ply == 1);
        let code = task.ply as u32 + 1;
        let escaped = code >= self.options.escape_from;
        let byte = if escaped { ESCAPE } else { code as u8 };
        let mut found = Found::default();
        let mut squares = [0; 8];
        let mut list = Vec::new();
        let mut moves = [W::ZERO; MAX_LANES];
        for (i, dirty) in part.dirty.iter_mut().enumerate() {
            let row = first_row + i;
            *dirty = false;
            if !first && !dependencies.touched(row, sweep.flags) {
                continue;
            }
            self.problem.outer_squares(row, &mut squares);
            sweep.list_sources(row, &squares, &mut list);
            if odd && !first {
                // What did not change leads to nothing new.
                list.retain(|source| sweep.changed(source, row));
            }
            moves[..lanes].fill(W::ZERO);
            for source in &list {
                sweep.add(source, row, &squares, &mut moves);
            }
            if first {
                sweep.add_den_entries(&squares, &mut moves);
            }
            let set = &mut part.set[i * lanes..][..lanes];
            let own = &task.own[row * lanes..][..lanes];
            let drawn = task.stuck.get(row * lanes..).and_then(|stuck| stuck.get(..lanes));
            if !settle(set, own, drawn, &mut moves[..lanes], odd) {
                continue;
            }
            *dirty = true;
            for (lane, &new) in moves[..lanes].iter().enumerate().filter(|(_, new)| !new.is_zero()) {
                bytes.store(&mut part.codes[(i * lanes + lane) * W::BITS..][..W::BITS], new, byte);
                if escaped {
                    let first = ((row * lanes + lane) * W::BITS) as u64;
                    new.for_each_bit(|bit| found.exceptions.push((first + bit as u64, code)));
                }
            }
            found.changed = true;
        }
        found
    }
}

/// Turns the words of a row that have a move into the target set into those that are decided now, and enters these into the
/// set that the ply writes. True if there are any.
#[inline(always)]
fn settle<W: Word>(set: &mut [W], own: &[W], drawn: Option<&[W]>, moves: &mut [W], odd: bool) -> bool {
    let mut any = W::ZERO;
    if odd {
        // The set is what is not won; it shrinks.
        for (moves, set) in moves.iter_mut().zip(set) {
            *moves &= *set;
            *set &= !*moves;
            any |= *moves;
        }
    } else {
        if let Some(drawn) = drawn {
            moves.iter_mut().zip(drawn).for_each(|(moves, drawn)| *moves |= *drawn);
        }
        // The set is what is lost; it grows by what is not won and has no move into what is not won.
        for ((moves, set), own) in moves.iter_mut().zip(set).zip(own) {
            *moves = *own & !*set & !*moves;
            *set |= *moves;
            any |= *moves;
        }
    }
    !any.is_zero()
}

/// The instructions asked for, if the machine has them.
fn usable(isa: Isa) -> Isa {
    if Isa::all().contains(&isa) { isa } else { Isa::Portable }
}

/// How many rows one task takes: those that differ only in the last outer piece.
fn rows_of_a_task<W>(problem: &Problem<W>) -> usize {
    match problem.outers {
        0 => 1,
        // The rows of a single outer piece are split up as well.
        1 => problem.rows.div_ceil(8),
        outers => problem.slots[outers - 1].squares.len(),
    }
}
