//! Perfect play against an engine.

use super::random::Random;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::{Value, Wdl};

/// A best move: the fastest win, the slowest loss; of the draws one after which the other side has the most moves that lose.
/// Among equal ones chance decides. None if there is no legal move.
pub fn best_move(
    tables: &Tablebase,
    position: &Position,
    random: &mut Random,
) -> Result<Option<LegalMove>, TablebaseError> {
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
