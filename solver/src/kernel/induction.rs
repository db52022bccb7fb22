//! The plies of one class, from the end of the game backwards.
//!
//! With `pre(S)` the positions with a move into a set S of positions of the other side (module `pre`), a ply is
//!
//! ```text
//! new wins  =  not_won ∩ pre(lost of the other side)
//! new lost  =  not_won without lost, without pre(not_won of the other side)
//! ```
//!
//! Ply 0 finds who has lost because there is no move; `lost` is empty before. A move into the den is one as any other then, and
//! from ply 1 on a win. What is neither won nor lost after the last ply is drawn.

use super::layout::Word;
use super::measure::Goal;
use super::options::{Options, SolveError};
use super::pre::{Dependencies, Pre};
use super::problem::Problem;
use super::simd::Instructions;
use super::state::{Checkpoints, Code, Layer, Sets, State};
use super::successors::Successors;
use super::sweep::{Formula, Sweep};
use dsq_tables::rules::NoMove;
use std::io;

/// new wins  =  not_won ∩ pre(lost of the other side)
struct NewWins;

impl<W: Word> Formula<W> for NewWins {
    #[inline(always)]
    fn decide(&self, _row: usize, not_won: &mut [W], pre_of_lost: &mut [W]) -> bool {
        let mut any = W::ZERO;
        for (not_won, pre_of_lost) in not_won.iter_mut().zip(pre_of_lost) {
            let new_wins = *not_won & *pre_of_lost;
            *not_won &= !new_wins;
            *pre_of_lost = new_wins;
            any |= new_wins;
        }
        !any.is_zero()
    }
}

/// new lost  =  not_won without lost, without pre(not_won of the other side)
struct NewLost<'a, W> {
    not_won: &'a Layer<W>,
    /// Positions without a move, where that is a draw: as if they had a move to a draw.
    stalemates: Option<&'a Layer<W>>,
}

impl<W: Word> Formula<W> for NewLost<'_, W> {
    #[inline(always)]
    fn decide(&self, row: usize, lost: &mut [W], pre_of_not_won: &mut [W]) -> bool {
        if let Some(stalemates) = self.stalemates {
            pre_of_not_won.iter_mut().zip(stalemates.row(row)).for_each(|(pre, stalemates)| *pre |= *stalemates);
        }
        let mut any = W::ZERO;
        for ((lost, not_won), pre_of_not_won) in lost.iter_mut().zip(self.not_won.row(row)).zip(pre_of_not_won) {
            let new_lost = *not_won & !*lost & !*pre_of_not_won;
            *lost |= new_lost;
            *pre_of_not_won = new_lost;
            any |= new_lost;
        }
        !any.is_zero()
    }
}

/// What the plies of a class are run with.
pub struct Induction<'a, W> {
    pub problem: &'a Problem<'a, W>,
    /// For each side of the sets: what the rows depend on.
    pub dependencies: &'a [Dependencies<W>],
    pub options: &'a Options<'a>,
    pub instructions: Instructions,
}

impl<W: Word> Induction<'_, W> {
    /// Runs all plies that are not done yet.
    pub fn run(
        &self,
        state: &mut State<W>,
        successors: &mut Successors<W>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<(), SolveError> {
        // Where a checkpoint was read, the successors catch up with it.
        (0..state.plies).for_each(|ply| self.advance(successors, ply));
        let last_after_captures = successors.last_ply();
        loop {
            let ply = state.plies;
            let changed = self.ply(ply, state, successors)?;
            self.advance(successors, ply);
            state.plies += 1;
            (self.options.on_ply)(ply);
            // One ply without a change is not enough: odd and even plies feed each other.
            state.idle = if changed { 0 } else { state.idle + 1 };
            if state.idle >= 2 && ply > last_after_captures || self.options.measure.ends_after(ply) {
                return Ok(());
            }
            let stop = (self.options.stop)();
            checkpoints.save(state, stop)?;
            if stop {
                return Err(SolveError::Stopped);
            }
        }
    }

    /// Brings the positions after captures to the end of a ply.
    fn advance(&self, successors: &mut Successors<W>, ply: u32) {
        let (layout, options) = (&self.problem.layout, self.options);
        successors.advance(options.measure, layout, ply, self.instructions, options.grain());
    }

    /// One ply for both sides to move; true if it decided anything. The successors are at the end of the ply before.
    fn ply(&self, ply: u32, state: &mut State<W>, successors: &Successors<W>) -> io::Result<bool> {
        let measure = self.options.measure;
        if ply > 0 && measure.keeps_lost_before() {
            state.sets.keep_lost();
        }
        let mut changed = false;
        for &goal in measure.goals(ply) {
            for side in 0..self.problem.sides().len() {
                changed |= match goal {
                    Goal::Wins => self.find_wins(ply, side, state, successors)?,
                    Goal::Losses => self.find_losses(ply, side, state, successors)?,
                };
            }
        }
        Ok(changed)
    }

    /// Finds what is won with one side to move at a ply. Reads `lost` and writes `not_won`, so that the order of the sides and rows
    /// does not matter.
    fn find_wins(&self, ply: u32, side: usize, state: &mut State<W>, successors: &Successors<W>) -> io::Result<bool> {
        let Sets { lost, lost_before, not_won, .. } = &mut state.sets;
        // Losses of the same ply, if there are any, were found before and must not be seen.
        let lost = if lost_before.is_empty() { lost } else { lost_before };
        let pass = self.pass(Goal::Wins, ply, side, &lost[self.problem.other(side)], successors);
        pass.run(&mut not_won[side], Some(&mut state.distances[side]), &NewWins)
    }

    /// Finds what is lost with one side to move at a ply. Reads `not_won` and writes `lost`.
    fn find_losses(&self, ply: u32, side: usize, state: &mut State<W>, successors: &Successors<W>) -> io::Result<bool> {
        let Sets { lost, not_won, stalemates, .. } = &mut state.sets;
        // Ply 0 finds who has no move. Where that is a draw, it is kept apart.
        let drawn = ply == 0 && self.problem.catalog.rules().no_move() == NoMove::Draw;
        let layout = &self.problem.layout;
        let mut without_move = drawn.then(|| Layer::new(layout.rows, layout.lanes, W::ZERO));
        let (set, distances) = match &mut without_move {
            Some(without_move) => (without_move, None),
            None => (&mut lost[side], Some(&mut state.distances[side])),
        };
        let pass = self.pass(Goal::Losses, ply, side, &not_won[self.problem.other(side)], successors);
        let formula = NewLost { not_won: &not_won[side], stalemates: stalemates[side].as_ref() };
        let changed = pass.run(set, distances, &formula)?;
        if changed && drawn {
            stalemates[side] = without_move;
        }
        Ok(changed)
    }

    /// A pass over the rows of a side that reads a set of positions of the other side.
    fn pass<'s>(
        &'s self,
        goal: Goal,
        ply: u32,
        side: usize,
        set: &'s Layer<W>,
        successors: &'s Successors<W>,
    ) -> Sweep<'s, W> {
        let Options { measure, escape_from, .. } = *self.options;
        // At ply 0 nothing was looked at before, and at ply 1 nothing with this goal.
        let changed = (ply > 1).then(|| successors.changed(set.dirty()));
        let (mover, dependencies) = (self.problem.mover(side), &self.dependencies[side]);
        Sweep {
            pre: Pre { mover, dependencies, goal, set, successors, changed },
            code: Code::new(measure.code(goal, ply), escape_from),
            instructions: self.instructions,
            grain: self.options.grain(),
        }
    }
}
