//! The line of best play.

use super::analysis::Analysis;
use super::store::Tablebase;
use crate::error::TablebaseError;
use crate::moves::Move;
use crate::position::Position;
use crate::value::{Dtc, Outcome, Value};
use std::collections::HashSet;

/// A line of moves and how it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves.
    pub moves: Vec<Move>,
    /// Why it goes no further.
    pub end: LineEnd,
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over by a den, by pieces or by moves.
    Over,
    /// The limit of plies without a capture is reached.
    Limit,
    /// A position that is drawn comes up for the second time.
    Repetition,
}

impl LineEnd {
    /// `over`, `limit` or `repetition`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LineEnd::Over => "over",
            LineEnd::Limit => "limit",
            LineEnd::Repetition => "repetition",
        }
    }
}

impl Tablebase {
    /// The line of best play: at every ply the first of the best moves. With a halfmove clock it is played under the limit of
    /// plies without a capture, by distances to conversion; without one there is no limit, and distances to win are enough.
    /// Empty for a finished game, and where the limit is reached already.
    ///
    /// It always ends: in a won game a distance shrinks with every ply, in any other one a position comes up for the second
    /// time at last.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables, a table cannot be used, or the tables contradict each other.
    pub fn line(&self, position: &Position, halfmove_clock: Option<u32>) -> Result<Line, TablebaseError> {
        let (mut moves, mut position, mut clock) = (Vec::new(), *position, halfmove_clock);
        let mut seen = HashSet::new();
        loop {
            let analysis = self.analyse_with(&position, clock, clock.is_some())?;
            if let Some(end) = end_of(&analysis) {
                return Ok(Line { moves, end });
            }
            self.require_distances(&analysis, &position, clock)?;
            let outcome = analysis.outcome_as_compared();
            let decided = matches!(outcome, Outcome::Win | Outcome::Loss);
            let repeated = !seen.insert(position);
            if repeated && !decided {
                return Ok(Line { moves, end: LineEnd::Repetition });
            }
            let best = analysis.best().filter(|_| !repeated && keeps_value(&analysis));
            let Some((legal, _)) = best else {
                if analysis.moves.is_empty() && outcome == Outcome::Draw {
                    return Ok(Line { moves, end: LineEnd::Over });
                }
                return Err(match analysis.first_unknown() {
                    Some(error) => error.clone(),
                    None => contradiction(&analysis, position.to_fen(self.rules())),
                });
            };
            moves.push(legal.squares);
            position = position.after(legal);
            clock = clock.map(|clock| legal.quiet_plies_after(clock));
        }
    }

    /// That the moves are known by distances, of the kind that a line needs.
    fn require_distances(
        &self,
        analysis: &Analysis,
        position: &Position,
        clock: Option<u32>,
    ) -> Result<(), TablebaseError> {
        let enough = match clock {
            Some(_) => analysis.compared_by.is_under_limit(),
            None => analysis.compared_by.has_distances(),
        };
        if enough {
            return Ok(());
        }
        // The first look-up that fails names the table.
        for position in [*position].into_iter().chain(analysis.moves.iter().map(|found| position.after(&found.legal))) {
            match clock {
                Some(_) => drop(self.probe_value::<Dtc>(&position)?),
                None => drop(self.probe_value::<Value>(&position)?),
            }
        }
        Ok(())
    }
}

/// The end of the line, if the position is one.
fn end_of(analysis: &Analysis) -> Option<LineEnd> {
    let lost = analysis.dtw == Some(Value::Loss(0)) || analysis.dtc == Some(Dtc::Loss(0));
    if analysis.finished.is_some() || lost {
        return Some(LineEnd::Over);
    }
    analysis.limit_is_reached().then_some(LineEnd::Limit)
}

/// Whether the first move has the value of the position, with the distance that shrinks along the line.
fn keeps_value(analysis: &Analysis) -> bool {
    let Some((_, best)) = analysis.best() else { return false };
    if best.outcome != analysis.outcome_as_compared() {
        return false;
    }
    match best.outcome {
        Outcome::Win if analysis.converts_first() => best.dtc == analysis.dtc,
        Outcome::Win | Outcome::Loss if analysis.dtw.is_some() => best.dtw == analysis.dtw,
        Outcome::Win | Outcome::Loss => best.dtc == analysis.dtc,
        Outcome::SpoiltWin | Outcome::Draw | Outcome::SavedLoss => true,
    }
}

fn contradiction(analysis: &Analysis, fen: String) -> TablebaseError {
    let value = match (analysis.dtw, analysis.dtc) {
        (Some(dtw), Some(dtc)) => format!("{dtw}, {dtc} to conversion"),
        (Some(dtw), None) => dtw.to_string(),
        (None, Some(dtc)) => format!("{dtc} to conversion"),
        (None, None) => analysis.outcome.to_string(),
    };
    TablebaseError::Contradiction { fen, value, other: "no move keeps that".to_owned() }
}
