//! Solving a class, from its pieces to its values.

use super::induction::Induction;
use super::layout::{Word, bits_of};
use super::options::{Options, Phase, Solution, SolveError, Taker};
use super::pre::Dependencies;
use super::problem::Problem;
use super::read_out::{Decided, weighted_count};
use super::simd::Instructions;
use super::state::{Checkpoints, Distances, Sets, State};
use super::successors::Successors;
use crate::solved::{SideCodes, Solved, put_part};
use dsq_tables::class::{Catalog, Class};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Solves a class, given the classes that captures lead to.
///
/// # Errors
/// [`SolveError::Stopped`] if told to stop, [`SolveError::MissingBelow`] if a class that a capture leads to is not given,
/// [`SolveError::Io`] if a spill file fails.
pub fn solve(
    catalog: &Catalog,
    class: &Arc<Class>,
    solution: &Solution<'_>,
    options: &Options<'_>,
) -> Result<Solved, SolveError> {
    let mut sides: Vec<SideCodes> = Vec::new();
    let drawn = solve_into(catalog, class, solution, options, &mut |side, part| {
        put_part(&mut sides, side, part);
        Ok(())
    })?;
    Ok(Solved::with_metric(class.clone(), options.measure.metric(), sides, &drawn))
}

/// Solves a class and hands the values over part by part, first all of White to move, so that they need not be in memory
/// together. Returns for each side the number of positions that are drawn because there is no legal move.
///
/// # Errors
/// As [`solve`], and what `take` returns.
pub fn solve_into(
    catalog: &Catalog,
    class: &Arc<Class>,
    solution: &Solution<'_>,
    options: &Options<'_>,
    take: &mut Taker<'_>,
) -> Result<Vec<u64>, SolveError> {
    match bits_of(catalog.rules().board()) {
        32 => solve_with_words::<u32>(catalog, class, solution, options, take),
        64 => solve_with_words::<u64>(catalog, class, solution, options, take),
        _ => solve_with_words::<u128>(catalog, class, solution, options, take),
    }
}

fn solve_with_words<W: Word>(
    catalog: &Catalog,
    class: &Arc<Class>,
    solution: &Solution<'_>,
    options: &Options<'_>,
    take: &mut Taker<'_>,
) -> Result<Vec<u64>, SolveError> {
    let instructions = Instructions::new(options.isa);
    let started = Instant::now();
    let problem: Problem<'_, W> = Problem::new(catalog, class);
    let mut successors = Successors::new(catalog, class, &problem.layout, &problem.victims(), solution, options)?;
    (options.on_phase)(Phase::Successors, started.elapsed());

    let started = Instant::now();
    let sides = (0..problem.sides().len()).into_par_iter().with_min_len(options.grain());
    let dependencies: Vec<Dependencies<W>> =
        sides.map(|side| Dependencies::new(&problem.mover(side), &successors, !options.lean)).collect();
    (options.on_phase)(Phase::Dependencies, started.elapsed());

    let started = Instant::now();
    let mut checkpoints = Checkpoints::new(catalog, class, options);
    let mut state = checkpoints.begin(&problem.layout, problem.sides(), options)?;
    if let Some(last) = state.plies.checked_sub(1) {
        (options.on_resume)(last);
    }
    let induction = Induction { problem: &problem, dependencies: &dependencies, options, instructions };
    induction.run(&mut state, &mut successors, &mut checkpoints)?;
    (options.on_phase)(Phase::Plies, started.elapsed());

    let started = Instant::now();
    // What the read-out does not need is given back before it takes more.
    drop((successors, dependencies));
    let drawn = read_out(&problem, state, (options, instructions), take)?;
    (options.on_phase)(Phase::ReadOut, started.elapsed());
    Ok(drawn)
}

/// Hands all values over. Returns for each side the number of stalemates that are drawn.
fn read_out<W: Word>(
    problem: &Problem<'_, W>,
    state: State<W>,
    (options, instructions): (&Options<'_>, Instructions),
    take: &mut Taker<'_>,
) -> Result<Vec<u64>, SolveError> {
    let (layout, index) = (&problem.layout, problem.class.index());
    let Sets { lost, not_won, stalemates, lost_before } = state.sets;
    drop(lost_before);
    let mut drawn = Vec::new();
    let sides = lost.into_iter().zip(not_won).zip(stalemates);
    for (side, (((lost, not_won), stalemates), distances)) in sides.zip(state.distances).enumerate() {
        // A class that is its own swap without the rows being so has both sides solved, and one of them read out.
        if side < problem.class.sides() {
            drawn.push(stalemates.map_or(0, |stalemates| weighted_count(layout, &stalemates)));
            let decided = Decided { layout, index, lost: &lost, not_won: &not_won };
            decided.hand_over(side, distances, (options, instructions), take)?;
        } else if let Distances::Memory { codes, .. } = distances {
            options.pool.give(codes);
        }
    }
    Ok(drawn)
}
