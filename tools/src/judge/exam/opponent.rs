//! Perfect play against an engine.

use crate::judge::verdict::Judge;
use crate::random::Random;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::quiet::Outcome;
use dsq_tables::tablebase::{LimitedMove, Tablebase, TablebaseError};
use dsq_tables::value::{Value, Wdl};

/// A best move: the fastest win, the slowest loss; of the draws one after which the other side has the most moves that lose.
/// Among equal ones chance decides. Where there are tables for the limit of the rule set it holds, with so many plies without a
/// capture behind the position. None if there is no legal move.
pub fn best_move(
    judge: &Judge,
    position: &Position,
    count: u32,
    random: &mut Random,
) -> Result<Option<LegalMove>, TablebaseError> {
    let tables = judge.tables();
    if judge.is_limited() {
        match best_under_limit(tables, position, count, random) {
            Err(error) if error.is_missing() => {}
            answer => return answer,
        }
    }
    let best: Vec<LegalMove> = match tables.probe_moves(position) {
        Ok(moves) => {
            let best = moves.first().map(|&(_, value)| value);
            if best == Some(Value::Draw) {
                return hardest_draw(tables, position, random);
            }
            moves.into_iter().take_while(|&(_, value)| Some(value) == best).map(|(legal, _)| legal).collect()
        }
        Err(error) if error.is_missing() => {
            let moves = tables.probe_moves_wdl(position)?;
            let best = moves.first().map(|&(_, value)| value);
            moves.into_iter().take_while(|&(_, value)| Some(value) == best).map(|(legal, _)| legal).collect()
        }
        Err(error) => return Err(error),
    };
    Ok(random.pick(&best).copied())
}

/// The same under the limit of plies without a capture, by the rule of [`Tablebase::probe_moves_limited`].
fn best_under_limit(
    tables: &Tablebase,
    position: &Position,
    count: u32,
    random: &mut Random,
) -> Result<Option<LegalMove>, TablebaseError> {
    let moves = tables.probe_moves_limited(position, count)?;
    let Some(best) = moves.first() else { return Ok(None) };
    if best.outcome == Outcome::Draw {
        return hardest_draw(tables, position, random);
    }
    let as_good = |limited: &&LimitedMove| {
        (limited.outcome, limited.dtc_plies, limited.value) == (best.outcome, best.dtc_plies, best.value)
    };
    let best: Vec<LegalMove> = moves.iter().take_while(as_good).map(|limited| limited.legal).collect();
    Ok(random.pick(&best).copied())
}

fn hardest_draw(
    tables: &Tablebase,
    position: &Position,
    random: &mut Random,
) -> Result<Option<LegalMove>, TablebaseError> {
    let mut hardest: Vec<LegalMove> = Vec::new();
    let mut most = 0;
    for (legal, value) in tables.probe_moves_wdl(position)? {
        if value != Wdl::Draw {
            continue;
        }
        let replies = tables.probe_moves_wdl(&position.after(&legal))?;
        let losing = replies.iter().filter(|(_, value)| *value == Wdl::Loss).count();
        if losing > most {
            hardest.clear();
            most = losing;
        }
        if losing == most {
            hardest.push(legal);
        }
    }
    Ok(random.pick(&hardest).copied())
}
