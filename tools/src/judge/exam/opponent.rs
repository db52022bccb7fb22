//! Perfect play against an engine.

use crate::judge::verdict::Judge;
use crate::random::Random;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::tablebase::{Analysis, MoveValue, Tablebase, TablebaseError};
use dsq_tables::value::{Outcome, Wdl};

/// A best move: the fastest win, the slowest loss; of the draws one after which the other side has the most moves that lose.
/// Among equal ones chance decides. Where there are tables for the limit of the rule set it holds, with this halfmove clock. None
/// if there is no legal move.
///
/// # Errors
/// [`TablebaseError`]: a move leads out of the tables, or a table cannot be used.
pub fn best_move(
    judge: &Judge,
    position: &Position,
    clock: u32,
    random: &mut Random,
) -> Result<Option<LegalMove>, TablebaseError> {
    let analysis = judge.tables().analyse(position, clock)?;
    if let Some(error) = analysis.first_unknown() {
        return Err(error.clone());
    }
    let Some((_, best)) = analysis.best() else { return Ok(None) };
    let under_limit = judge.is_limited() && analysis.compared_by.is_under_limit();
    let has_distances = analysis.compared_by.has_distances();
    if has_distances && best.outcome == Outcome::Draw {
        return hardest_draw(judge.tables(), position, &analysis, random);
    }
    let as_good = |value: &MoveValue| match () {
        () if under_limit => value == best,
        () if has_distances => value.dtw == best.dtw,
        () => value.outcome == best.outcome,
    };
    let known = analysis.moves.iter().filter_map(|it| Some((it.legal, it.value.as_ref().ok()?)));
    let best: Vec<LegalMove> = known.take_while(|(_, value)| as_good(value)).map(|(legal, _)| legal).collect();
    Ok(random.pick(&best).copied())
}

/// Of the moves that keep a draw one after which the other side has the most moves that lose.
fn hardest_draw(
    tables: &Tablebase,
    position: &Position,
    analysis: &Analysis,
    random: &mut Random,
) -> Result<Option<LegalMove>, TablebaseError> {
    let mut hardest: Vec<LegalMove> = Vec::new();
    let mut most = 0;
    let draws = |value: &MoveValue| value.outcome == Outcome::Draw;
    for found in analysis.moves.iter().filter(|found| found.value.as_ref().is_ok_and(draws)) {
        let replies = tables.probe_moves_wdl(&position.after(&found.legal))?;
        let losing = replies.iter().filter(|(_, value)| *value == Wdl::Loss).count();
        if losing > most {
            hardest.clear();
            most = losing;
        }
        if losing == most {
            hardest.push(found.legal);
        }
    }
    Ok(random.pick(&hardest).copied())
}
