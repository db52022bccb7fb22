//! The plies of one class, from the end of the game backwards.

mod files;
mod plies;

use super::below::{Below, Solution};
use super::captures::Captures;
use super::isa::Isa;
use super::problem::Problem;
use super::read_out::{self, Cells};
use super::rows::rows_of_a_task;
use super::solve::{Options, Phase, SolveError, SpillTo, Taker};
use super::sources::Links;
use super::spill::{Record, Spill};
use super::swap::Swap;
use super::sweep::{MAX_LANES, Sweep};
use super::word::Word;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::rules::NoMove;
use rayon::prelude::*;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The distances found so far with one side to move.
pub enum Distances {
    /// In memory.
    Memory {
        /// A byte for every bit of every word: the code of the distance, once the position is decided.
        codes: Vec<u8>,
        /// Cells whose code is the escape, with their code.
        exceptions: Vec<(u64, u32)>,
    },
    /// In a file.
    Disk(Spill),
}

/// The state of one side to move.
pub struct SideState<W> {
    pub lost: Vec<W>,
    pub not_won: Vec<W>,
    /// Positions without a move where that is a draw; empty otherwise.
    pub stuck: Vec<W>,
    pub distances: Distances,
    /// By row: whether it changed at the last ply. Where plies find both losses and wins, first for `lost`, then for `not_won`.
    pub dirty: Vec<bool>,
    /// Where plies find both losses and wins: `lost` as it was before the last ply. Otherwise empty.
    pub lost_before: Vec<W>,
}

/// A class being solved.
pub struct Run<'a, W> {
    catalog: &'a Catalog,
    class: Arc<Class>,
    problem: Problem<W>,
    /// If only White's sets are kept: how the colours are swapped.
    swap: Option<Swap>,
    /// By side: how it takes pieces.
    captures: [Vec<Captures<W>>; 2],
    /// By slot of the piece that was taken.
    below: Vec<Option<Below<W>>>,
    options: &'a Options<'a>,
    /// Instructions that the machine has.
    isa: Isa,
    /// By slot whose piece can be taken: the flag of its first group; see [`Sweep::flags`].
    first_flag: [usize; 8],
    /// By state: what each row depends on.
    links: Vec<Links<W>>,
}

/// The least time between two checkpoints.
const LEAST_BETWEEN: Duration = Duration::from_secs(60);
/// A checkpoint takes at most one part of so many of the time.
const CHECKPOINT_PART: u32 = 50;

impl<'a, W: Word> Run<'a, W> {
    /// Compiles the class and reads the tables below it.
    pub fn new(
        catalog: &'a Catalog,
        class: &Arc<Class>,
        solution: &Solution<'_>,
        options: &'a Options<'a>,
    ) -> Result<Self, SolveError> {
        let started = Instant::now();
        let rules = catalog.rules();
        let problem = Problem::new(rules, class);
        let swap = Swap::new(catalog, class, &problem);
        let captures = Side::BOTH.map(|side| Captures::all(rules, &problem, side));
        let moving = if swap.is_some() { &captures[Side::Black.index()..] } else { &captures[..] };
        let taken: Vec<usize> = moving.iter().flatten().map(|captures| captures.victim).collect();
        let (material, how) = (class.material(), (options.parallel, !options.lean));
        let make = |slot: usize| match taken.contains(&slot) {
            false => Ok(None),
            true => Below::new(catalog, &problem, material, slot, solution, (options.measure, how))
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
        // A link has 32 bits for the number of what it leads to.
        if u32::try_from(flags).is_err() {
            return Err(SolveError::Io(io::Error::other("the class has more rows than the solver can number")));
        }
        (options.on_phase)(Phase::Below, started.elapsed());
        let started = Instant::now();
        let isa = if Isa::all().contains(&options.isa) { options.isa } else { Isa::Portable };
        let class = class.clone();
        let links = Vec::new();
        let mut run = Run { catalog, class, problem, swap, captures, below, options, isa, first_flag, links };
        run.links = run.for_each_state(|state| Links::new(&run.sweep(state, &[], &[], false), !options.lean));
        (options.on_phase)(Phase::Links, started.elapsed());
        Ok(run)
    }

    /// The sides to move whose sets are kept.
    fn states(&self) -> &'static [Side] {
        if self.swap.is_some() { &[Side::White] } else { &Side::BOTH }
    }

    /// The state that the moves of a state lead to, and the side that makes them: where only White's is kept, Black moves into it.
    fn moves_of(&self, state: usize) -> (Side, usize) {
        match self.swap {
            Some(_) => (Side::Black, state),
            None => (Side::BOTH[state], 1 - state),
        }
    }

    fn for_each_state<T: Send>(&self, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        let states = 0..self.states().len();
        if self.options.parallel { states.into_par_iter().map(work).collect() } else { states.map(work).collect() }
    }

    /// What changed at the last ply in a set of one side to move, and in the tables below.
    fn flags(&self, dirty: &[bool]) -> Vec<bool> {
        let below = self.below.iter().flatten().map(|below| below.dirty.as_slice());
        std::iter::once(dirty).chain(below).collect::<Vec<_>>().concat()
    }

    /// A class of two pieces has no outer piece and so no slices; it never needs them.
    fn spill(&self) -> Option<SpillTo<'a>> {
        self.options.spill.filter(|_| self.problem.outers > 0)
    }

    /// Runs all plies and hands the values over.
    pub fn run(mut self, take: &mut Taker<'_>) -> Result<Vec<u64>, SolveError> {
        let started = Instant::now();
        let (mut states, mut ply, mut idle) = self.begin()?;
        let last_below = self.below.iter().flatten().map(Below::last_ply).max().unwrap_or(0);
        let mut saved = (Instant::now(), Duration::ZERO);
        loop {
            let changed = if ply == 0 { self.ply_zero(&mut states)? } else { self.ply(&mut states, ply as u32)? };
            self.advance_below(ply);
            (self.options.on_ply)(ply as u32);
            idle = if changed { 0 } else { idle + 1 };
            if idle >= 2 && ply > last_below || self.options.measure.ends_after(ply as u32) {
                break;
            }
            let stop = (self.options.stop)();
            if let Some(spill) = self.spill() {
                let least = spill.every.unwrap_or(LEAST_BETWEEN.max(saved.1 * CHECKPOINT_PART));
                if stop || saved.0.elapsed() >= least {
                    let start = Instant::now();
                    self.save(&states, ply, idle)?;
                    saved = (Instant::now(), start.elapsed());
                }
            }
            if stop {
                return Err(SolveError::Stopped);
            }
            ply += 1;
        }
        (self.options.on_phase)(Phase::Sweep, started.elapsed());
        let started = Instant::now();
        // What the read-out does not need is given back before it takes more.
        self.below.clear();
        self.links.clear();
        let mut drawn = Vec::new();
        for (side, state) in states.into_iter().enumerate() {
            // A class that is its own swap without the rows being so has both sides solved, and one of them read out.
            if side < self.class.sides() {
                drawn.push(read_out::weighted_count(&self.problem, &state.stuck));
                self.read_out(side, state, take)?;
            } else if let Distances::Memory { codes, .. } = state.distances {
                self.options.pool.give(codes);
            }
        }
        (self.options.on_phase)(Phase::ReadOut, started.elapsed());
        Ok(drawn)
    }

    /// The state before the first ply, or after the one that a checkpoint holds; with it the next ply and how many plies
    /// before it changed nothing.
    fn begin(&mut self) -> Result<(Vec<SideState<W>>, usize, usize), SolveError> {
        if let Some(spill) = self.spill() {
            std::fs::create_dir_all(spill.folder)?;
            if let Some(resumed) = self.resume(spill) {
                (self.options.on_resume)(resumed.1 as u32 - 1);
                return Ok(resumed);
            }
        }
        let states = self.for_each_state(|state| self.first_state(Side::BOTH[state]));
        Ok((states.into_iter().collect::<io::Result<_>>()?, 0, 0))
    }

    /// Brings the tables below to the end of a ply.
    fn advance_below(&mut self, ply: usize) {
        let (isa, problem, parallel) = (self.isa, &self.problem, self.options.parallel);
        if parallel {
            self.below.par_iter_mut().flatten().for_each(|below| below.advance(problem, ply, isa, true));
        } else {
            self.below.iter_mut().flatten().for_each(|below| below.advance(problem, ply, isa, false));
        }
    }

    fn first_state(&self, side: Side) -> io::Result<SideState<W>> {
        let problem = &self.problem;
        let words = problem.rows * problem.lanes;
        let mut not_won = vec![W::ZERO; words];
        let fill = |(row, words): (usize, &mut [W])| {
            let mut squares = [0; 8];
            if problem.outer_squares(row, &mut squares) {
                for (lane, word) in words.iter_mut().enumerate() {
                    *word = problem.legal_word(&squares, lane);
                }
            }
        };
        if self.options.parallel {
            not_won.par_chunks_exact_mut(problem.lanes).enumerate().for_each(fill);
        } else {
            not_won.chunks_exact_mut(problem.lanes).enumerate().for_each(fill);
        }
        let distances = match self.spill() {
            Some(spill) => Distances::Disk(Spill::open(&self.spill_path(spill, side), Vec::new())?),
            None => Distances::Memory { codes: self.options.pool.take(words * W::BITS), exceptions: Vec::new() },
        };
        let (lost, dirty) = (vec![W::ZERO; words], vec![false; problem.rows * self.options.measure.stages()]);
        Ok(SideState { lost, not_won, stuck: Vec::new(), distances, dirty, lost_before: Vec::new() })
    }

    /// What is looked at when a state is brought on by moves into a set.
    fn sweep<'s>(&'s self, state: usize, target: &'s [W], flags: &'s [bool], odd: bool) -> Sweep<'s, W> {
        let (side, _) = self.moves_of(state);
        Sweep {
            rules: self.catalog.rules(),
            problem: &self.problem,
            moves: &self.problem.moves[side.index()],
            captures: &self.captures[side.index()],
            swap: self.swap.as_ref(),
            target,
            below: &self.below,
            odd,
            flags,
            first_flag: &self.first_flag,
        }
    }

    /// Positions without a move: lost, or drawn for ever.
    fn ply_zero(&self, states: &mut [SideState<W>]) -> io::Result<bool> {
        let loss = self.catalog.rules().no_move() == NoMove::Loss;
        let lanes = self.problem.lanes;
        let mut any = false;
        let found: Vec<Vec<W>> = (0..states.len()).map(|state| self.without_move(states, state)).collect();
        for (state, stuck) in states.iter_mut().zip(found) {
            for (dirty, words) in state.dirty.iter_mut().zip(stuck.chunks_exact(lanes)) {
                *dirty = words.iter().any(|word| !word.is_zero());
                any |= *dirty;
            }
            if loss {
                self.keep_ply_zero(&mut state.distances, &state.dirty, &stuck)?;
                state.lost = stuck;
            } else if state.dirty.contains(&true) {
                state.stuck = stuck;
            }
        }
        Ok(any)
    }

    /// The positions of a state in which the side to move has no move.
    fn without_move(&self, states: &[SideState<W>], state: usize) -> Vec<W> {
        let lanes = self.problem.lanes;
        let own = &states[state];
        let sweep = self.sweep(state, &states[self.moves_of(state).1].not_won, &[], false);
        let links = &self.links[state];
        let mut stuck = vec![W::ZERO; own.not_won.len()];
        let work = |(row, stuck): (usize, &mut [W])| {
            let mut squares = [0; 8];
            let Some(seen) = sweep.see(row, &mut squares) else { return };
            let mut moves = [W::ZERO; MAX_LANES];
            let mut room = Vec::new();
            let list = links.kept(row).unwrap_or_else(|| {
                links.list(&sweep, row, seen, &squares, &mut room);
                &room
            });
            for link in list {
                sweep.add(*link, links.way(*link), &squares, &mut moves);
            }
            sweep.add_den_entries(&squares, &mut moves);
            sweep.bring_back(seen, &mut moves);
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
    }

    /// Notes that positions are lost in 0 plies.
    fn keep_ply_zero(&self, distances: &mut Distances, dirty: &[bool], lost: &[W]) -> io::Result<()> {
        let lanes = self.problem.lanes;
        match distances {
            Distances::Memory { codes, .. } => {
                for (index, word) in lost.iter().enumerate().filter(|(_, word)| !word.is_zero()) {
                    word.for_each_bit(|bit| codes[index * W::BITS + bit] = self.options.measure.code(0) as u8);
                }
            }
            Distances::Disk(file) => {
                let (slice_rows, task_rows) = (self.problem.slice_rows(), rows_of_a_task(&self.problem, true));
                for (slice, dirty) in dirty.chunks(slice_rows).enumerate() {
                    let mut frames = Vec::new();
                    for (task, dirty) in dirty.chunks(task_rows).enumerate() {
                        let mut record = Record::default();
                        for (i, _) in dirty.iter().enumerate().filter(|(_, dirty)| **dirty) {
                            let row = slice * slice_rows + task * task_rows + i;
                            record.row(i, &lost[row * lanes..][..lanes]);
                        }
                        frames.push(record.frame(task)?);
                    }
                    file.append(slice, 0, &frames)?;
                }
            }
        }
        Ok(())
    }

    /// Hands the values of one side to move over and gives its memory back.
    fn read_out(&self, side: usize, state: SideState<W>, take: &mut Taker<'_>) -> Result<(), SolveError> {
        let index = self.class.index();
        let SideState { lost, not_won, distances, .. } = state;
        let mut file = match distances {
            Distances::Disk(file) => file,
            Distances::Memory { codes, mut exceptions } => {
                exceptions.sort_unstable();
                let cells =
                    Cells { codes: &codes, first_cell: 0, exceptions: &exceptions, lost: &lost, not_won: &not_won };
                let buffer = self.options.pool.take(index.size() as usize);
                let all = 0..index.domain(0).count() as usize;
                let values =
                    read_out::values(&self.problem, index, cells, all, buffer, self.isa, self.options.parallel);
                self.options.pool.give(codes);
                return Ok(take(side, values)?);
            }
        };
        let cells = self.problem.slice_rows() * self.problem.lanes * W::BITS;
        let mut codes = self.options.pool.take(cells);
        for slice in 0..self.problem.slices() {
            if (self.options.stop)() {
                return Err(SolveError::Stopped);
            }
            let exceptions = self.read_slice(&mut file, slice, &mut codes)?;
            let first_cell = slice * cells;
            let cells = Cells { codes: &codes, first_cell, exceptions: &exceptions, lost: &lost, not_won: &not_won };
            let buffer = self.options.pool.take(index.numbers_of_first_square() as usize);
            let slices = slice..slice + 1;
            take(side, read_out::values(&self.problem, index, cells, slices, buffer, self.isa, self.options.parallel))?;
        }
        self.options.pool.give(codes);
        Ok(())
    }
}
