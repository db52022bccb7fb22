//! Positions drawn at random, again the same for the same seed.

use crate::random::Random;
use dsq_tables::board::{Side, Square};
use dsq_tables::material::Material;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Probe, Tablebase, TablebaseError};
use dsq_tables::value::Outcome;
use dsq_tables::value::{Value, Wdl};
use std::collections::HashSet;
use std::str::FromStr;

/// How many positions are looked at for each one wanted before it is given up.
const TRIES: u64 = 20_000;
/// Of how many positions of a kind the longest is taken.
const POOL: usize = 200;

/// Which positions are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difficulty {
    /// Any with at least two moves.
    Any,
    /// Won in so many plies or more.
    Won(u32),
    /// Drawn, with at most so many moves that keep the draw and at least one that does not.
    Drawn(usize),
    /// Lost in so many plies or more.
    Lost(u32),
    /// Won, the longest of many.
    WonLongest,
    /// Lost, the longest of many.
    LostLongest,
}

impl FromStr for Difficulty {
    type Err = String;

    fn from_str(text: &str) -> Result<Difficulty, String> {
        let expected = || {
            "expected any, won, won:PLIES, won:longest, drawn, drawn:MOVES, lost, lost:PLIES or lost:longest".to_owned()
        };
        let (kind, number) = text.split_once(':').map_or((text, None), |(kind, number)| (kind, Some(number)));
        let plies = || number.map_or(Ok(0), |number| number.parse().map_err(|_| expected()));
        match (kind, number) {
            ("any", None) => Ok(Difficulty::Any),
            ("won", Some("longest")) => Ok(Difficulty::WonLongest),
            ("lost", Some("longest")) => Ok(Difficulty::LostLongest),
            ("won", _) => plies().map(Difficulty::Won),
            ("lost", _) => plies().map(Difficulty::Lost),
            ("drawn", None) => Ok(Difficulty::Drawn(usize::MAX)),
            ("drawn", Some(number)) => number.parse().map(Difficulty::Drawn).map_err(|_| expected()),
            _ => Err(expected()),
        }
    }
}

/// Draws positions: as many of each kind as of the others, materials and sides to move in turn. Fewer than wanted if there are
/// hardly any.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be used.
pub fn draw(
    tables: &Tablebase,
    materials: &[Material],
    difficulties: &[Difficulty],
    count: usize,
    seed: u64,
) -> Result<Vec<Position>, TablebaseError> {
    let mut drawn = Vec::new();
    let mut seen = HashSet::new();
    let mut barren = vec![false; difficulties.len()];
    // Each position has a sequence of its own, so that the first ones are the same however many are wanted.
    for (number, part) in (0..count).zip(0u64..) {
        let kind = number % difficulties.len().max(1);
        let Some(&difficulty) = difficulties.get(kind).filter(|_| !barren[kind]) else { continue };
        let mut random = Random::new(seed, part);
        match draw_one(tables, materials, difficulty, &mut random, &mut seen)? {
            Some(position) => drawn.push(position),
            None => barren[kind] = true,
        }
    }
    Ok(drawn)
}

fn draw_one(
    tables: &Tablebase,
    materials: &[Material],
    difficulty: Difficulty,
    random: &mut Random,
    seen: &mut HashSet<Position>,
) -> Result<Option<Position>, TablebaseError> {
    let longest = matches!(difficulty, Difficulty::WonLongest | Difficulty::LostLongest);
    let mut pool: Vec<(u32, Position)> = Vec::new();
    for _ in 0..TRIES {
        let Some(&material) = random.pick(materials) else { return Ok(None) };
        let turn = if random.number().is_multiple_of(2) { Side::White } else { Side::Black };
        let Some(position) = place(tables.rules(), material, turn, random) else { continue };
        if seen.contains(&position) || position.legal_moves(tables.rules()).len() < 2 {
            continue;
        }
        let Some(plies) = fits_under_limit(tables, &position, difficulty)? else { continue };
        pool.push((plies, position));
        if !longest || pool.len() == POOL {
            break;
        }
    }
    // The first of the longest, whatever comes after it.
    let best = pool.iter().rev().max_by_key(|(plies, _)| *plies).map(|&(_, position)| position);
    seen.extend(best);
    Ok(best)
}

/// A position of a material with the pieces anywhere; none if they do not go together.
fn place(rules: &Rules, material: Material, turn: Side, random: &mut Random) -> Option<Position> {
    let mut setup = Setup::empty(turn);
    for piece in material.pieces() {
        let squares: Vec<Square> = rules.movement(piece).domain().squares().collect();
        setup.place(piece, *random.pick(&squares)?);
    }
    setup.position(rules).ok().filter(|position| position.finished(rules).is_none())
}

/// The same under the limit of plies without a capture, if the rule set has one and there are tables for it: what it makes a
/// draw is neither won nor lost.
fn fits_under_limit(
    tables: &Tablebase,
    position: &Position,
    difficulty: Difficulty,
) -> Result<Option<u32>, TablebaseError> {
    let wanted = match difficulty {
        Difficulty::Won(_) | Difficulty::WonLongest => Outcome::Win,
        Difficulty::Lost(_) | Difficulty::LostLongest => Outcome::Loss,
        Difficulty::Any | Difficulty::Drawn(_) => return fits(tables, position, difficulty),
    };
    let fitting = fits(tables, position, difficulty)?;
    if fitting.is_none() || tables.rules().quiet_limit().is_none() {
        return Ok(fitting);
    }
    match tables.probe_outcome(position, 0) {
        Ok(outcome) => Ok(fitting.filter(|_| outcome == wanted)),
        Err(error) if error.is_missing() => Ok(fitting),
        Err(error) => Err(error),
    }
}

/// The distance of a position if it is of this kind; 0 for those without one.
fn fits(tables: &Tablebase, position: &Position, difficulty: Difficulty) -> Result<Option<u32>, TablebaseError> {
    let value = || {
        tables.probe(position).map(|probe| match probe {
            Probe::Value(value) => Some(value),
            Probe::Finished(_) => None,
        })
    };
    let won = |value| match value {
        Some(Value::Win(plies)) => Some(plies),
        Some(Value::Draw | Value::Loss(_)) | None => None,
    };
    let lost = |value| match value {
        Some(Value::Loss(plies)) => Some(plies),
        Some(Value::Draw | Value::Win(_)) | None => None,
    };
    Ok(match difficulty {
        // Tables without distances are enough; that there is one is made sure of.
        Difficulty::Any => tables.probe_wdl(position).map(|_| Some(0))?,
        Difficulty::Drawn(most) => {
            if tables.probe_wdl(position)? != Wdl::Draw {
                return Ok(None);
            }
            let moves = tables.probe_moves_wdl(position)?;
            let keeping = moves.iter().filter(|(_, value)| *value == Wdl::Draw).count();
            (keeping <= most && keeping < moves.len()).then_some(0)
        }
        Difficulty::Won(least) => won(value()?).filter(|&plies| plies >= least),
        Difficulty::WonLongest => won(value()?),
        Difficulty::Lost(least) => lost(value()?).filter(|&plies| plies >= least),
        Difficulty::LostLongest => lost(value()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difficulties_are_read() {
        for (text, difficulty) in [
            ("any", Difficulty::Any),
            ("won", Difficulty::Won(0)),
            ("won:15", Difficulty::Won(15)),
            ("won:longest", Difficulty::WonLongest),
            ("drawn", Difficulty::Drawn(usize::MAX)),
            ("drawn:1", Difficulty::Drawn(1)),
            ("lost:20", Difficulty::Lost(20)),
            ("lost:longest", Difficulty::LostLongest),
        ] {
            assert_eq!(text.parse(), Ok(difficulty));
        }
        for text in ["", "win", "any:3", "won:", "won:-1", "drawn:longest", "lost:x"] {
            assert!(text.parse::<Difficulty>().is_err(), "{text}");
        }
    }
}
