//! What the tables say about a position, as the program reports it.

use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::tablebase::{Analysis, Line, Tablebase, TablebaseError};
use dsq_tables::value::{Dtc, Outcome, Value};

/// What the tables say about a position.
pub struct Answer {
    /// All that they know.
    pub analysis: Analysis,
    /// The line of best play, if it was asked for and the moves are known with distances, or why there is none.
    pub line: Option<Result<Line, TablebaseError>>,
    /// Whether there are tables that depend on the limit of plies without a capture. Without any of them nothing is said of
    /// distances to conversion, though they are known where no table is needed.
    limit_tables: bool,
}

impl Answer {
    /// Looks a position with this halfmove clock up, with the line of best play if `line` says so. `limit_tables` says whether there
    /// are tables that depend on the limit.
    ///
    /// # Errors
    /// [`TablebaseError`]: the value of the position is in no table, or a table that a move leads to cannot be used. One that is
    /// only missing is no error: that move is unknown.
    pub fn look_up(
        tables: &Tablebase,
        position: &Position,
        halfmove_clock: u32,
        line: bool,
        limit_tables: bool,
    ) -> Result<Answer, TablebaseError> {
        let analysis = tables.analyse(position, halfmove_clock)?;
        if let Some(error) = analysis.first_unknown().filter(|error| !error.is_missing()) {
            return Err(error.clone());
        }
        let mut answer = Answer { analysis, line: None, limit_tables };
        if line && answer.has_distances() {
            let clock = answer.holds_under_limit().then_some(halfmove_clock);
            answer.line = match tables.line(position, clock) {
                Err(error) if !error.is_missing() => return Err(error),
                line => Some(line),
            };
        }
        Ok(answer)
    }

    /// Whether the game is over by pieces or a den.
    pub fn is_finished(&self) -> bool {
        self.analysis.finished.is_some()
    }

    /// The distance to the end, if it is known for the position and its moves.
    pub fn dtw(&self) -> Option<Value> {
        self.analysis.dtw.filter(|_| self.analysis.compared_by.has_distances())
    }

    /// Whether distances to the end are known for the position and its moves.
    pub fn has_distances(&self) -> bool {
        self.dtw().is_some()
    }

    /// The distance to conversion with a halfmove clock of 0, if there are tables of it.
    pub fn dtc(&self) -> Option<Dtc> {
        self.analysis.dtc.filter(|_| self.limit_tables && !self.is_finished())
    }

    /// Who wins under the limit, or as tables of distances to conversion have it, if these have the position.
    pub fn outcome_under_limit(&self) -> Option<Outcome> {
        self.dtc().map(|_| self.analysis.outcome)
    }

    /// Whether the moves are compared by what they are worth under the limit.
    pub fn holds_under_limit(&self) -> bool {
        self.dtc().is_some() && self.analysis.compared_by.is_under_limit()
    }

    /// The best move, if it is known to be the best.
    pub fn best(&self) -> Option<&LegalMove> {
        let (legal, value) = self.analysis.best()?;
        let keeps = value.outcome == self.analysis.outcome_as_compared()
            && (self.holds_under_limit() || !self.has_distances() || value.dtw == self.analysis.dtw);
        (self.analysis.is_complete() || keeps).then_some(legal)
    }
}

/// The material whose table is not there.
pub fn missing_material(error: &TablebaseError) -> Option<&str> {
    match error {
        TablebaseError::Missing { material, .. } | TablebaseError::TooManyPieces { material, .. } => Some(material),
        _ => None,
    }
}
