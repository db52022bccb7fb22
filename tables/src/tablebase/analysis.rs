//! Everything that the tables know of a position: the one place that knows which table is asked after which.
//!
//! Distances to conversion say who wins under the limit of plies without a capture. Where they are not there, distances to win
//! say who wins without it, and where these are not there either, tables without distances do. Any of them may be there
//! for the position and not for one after a move; then the moves are compared by what is known of all of them.

use super::store::Tablebase;
use crate::error::TablebaseError;
use crate::material::Material;
use crate::moves::LegalMove;
use crate::position::{Finished, Position};
use crate::value::{Dtc, Metric, Outcome, TableValue, Value, Wdl};
use std::cmp::Reverse;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What the tables know of a position. All values are for the side to move.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// Set if the game is over. Then it is won or lost in 0 plies, and there are no moves.
    pub finished: Option<Finished>,
    /// Plies in a row without a capture before the position.
    pub halfmove_clock: u32,
    /// The limit of plies without a capture of the rule set, if it has one.
    pub limit: Option<u32>,
    /// Who wins, as the best table says that has the position: under the limit if [`source`](Analysis::source) is a metric
    /// whose values depend on it, else without it.
    pub outcome: Outcome,
    /// What the values are of the table that has the outcome. None if no table is needed: the game is over, or a side has no
    /// pieces and the game goes on.
    pub source: Option<Metric>,
    /// The distance to win without the limit, if it is known.
    pub dtw: Option<Value>,
    /// The distance to conversion with a halfmove clock of 0, if it is known.
    pub dtc: Option<Dtc>,
    /// Every legal move: the best first, equal ones in square order, unknown ones at the end; see
    /// [`compared_by`](Analysis::compared_by).
    pub moves: Vec<AnalysedMove>,
    /// By which values the moves are compared: those with most to tell that are known of the position and after every move of
    /// which anything is known.
    ///
    /// A move with a better outcome is better. Then:
    ///
    /// - By distances to win, a shorter win or a longer loss.
    /// - By distances to conversion, the same, except that of moves that win under the limit the one with the shorter distance
    ///   to conversion is better if the position is not won in as many plies as the limit leaves, or not all distances to
    ///   win are known.
    ///
    /// So who always plays the first move keeps the value and never repeats a position in a won game, whatever the other
    /// side does. While the win fits in what the limit leaves, the distance to win shrinks with every ply, and what is left
    /// shrinks no faster, so that it goes on to fit until the next capture and beyond. While it does not, the distance to
    /// conversion shrinks. A position of the second kind cannot come up again in the first, because there the limit leaves less
    /// than it left before, and that was too little. If shorter distances to win were preferred among all moves that win
    /// under the limit, a position could be repeated. Without distances only the outcome is kept.
    pub compared_by: Metric,
}

/// A legal move and what is known of it.
#[derive(Clone, Debug)]
pub struct AnalysedMove {
    /// The move.
    pub legal: LegalMove,
    /// Its value, or why it has none: [`TablebaseError::Missing`] names the table that is not there.
    pub value: Result<MoveValue, TablebaseError>,
}

/// The value of a move for the side that makes it, counted from the position before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// Who wins, as far as the tables say by which the moves are [compared](Analysis::compared_by).
    pub outcome: Outcome,
    /// The distance to win without the limit, if it is known.
    pub dtw: Option<Value>,
    /// The distance to conversion, whatever the halfmove clock and the limit, if it is known: to the next capture that keeps
    /// the win under the limit, or to the end of the game.
    pub dtc: Option<Dtc>,
}

impl Analysis {
    /// The best move, if one is known.
    #[must_use]
    pub fn best(&self) -> Option<(&LegalMove, &MoveValue)> {
        let first = self.moves.first()?;
        Some((&first.legal, first.value.as_ref().ok()?))
    }

    /// Who wins, as far as the tables say by which the moves are [compared](Analysis::compared_by): what the outcome of the best
    /// move has to be. Differs from [`Analysis::outcome`] only if that holds under the limit and the moves are not known under it.
    #[must_use]
    pub fn outcome_as_compared(&self) -> Outcome {
        if self.compared_by.is_under_limit() { self.outcome } else { self.outcome.without_limit().into() }
    }

    /// Whether something is known of every move.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.first_unknown().is_none()
    }

    /// Why nothing is known of a move, if there is such a move. Of several a table that cannot be used comes before one that is
    /// not there.
    #[must_use]
    pub fn first_unknown(&self) -> Option<&TablebaseError> {
        let unknown = || self.moves.iter().filter_map(|analysed| analysed.value.as_ref().err());
        unknown().find(|error| !error.is_missing()).or_else(|| unknown().next())
    }

    /// Whether the limit of plies without a capture is reached.
    #[must_use]
    pub fn limit_is_reached(&self) -> bool {
        self.limit.is_some_and(|limit| self.halfmove_clock >= limit)
    }

    /// Whether the distance to conversion decides between moves that win.
    pub(super) fn converts_first(&self) -> bool {
        if !self.compared_by.is_under_limit() {
            return false;
        }
        let lacks_dtw = |analysed: &AnalysedMove| analysed.value.as_ref().is_ok_and(|value| value.dtw.is_none());
        let left = self.limit.map(|limit| limit.saturating_sub(self.halfmove_clock));
        match (self.dtw, left) {
            _ if self.moves.iter().any(lacks_dtw) => true,
            (None, _) => true,
            (Some(Value::Win(plies)), Some(left)) => plies > left,
            (Some(Value::Win(_)), None) | (Some(Value::Draw | Value::Loss(_)), _) => false,
        }
    }

    fn sort_moves(&mut self) {
        let converts_first = self.converts_first();
        self.moves.sort_by_key(|analysed| {
            let Ok(value) = &analysed.value else { return (true, None, None, None, None) };
            let conversion = match value.outcome {
                Outcome::Win if converts_first => value.dtc.and_then(Dtc::plies),
                Outcome::Win | Outcome::SpoiltWin | Outcome::Draw | Outcome::SavedLoss | Outcome::Loss => None,
            };
            // Without distances to win a loss is put off as far as is known.
            let resistance = value.dtc.filter(|_| value.dtw.is_none());
            (false, Some(Reverse(value.outcome)), conversion, Some(Reverse(value.dtw)), Some(Reverse(resistance)))
        });
    }
}

/// Values of one position from its own tables.
#[derive(Clone, Copy)]
struct Known {
    dtw: Option<Value>,
    dtc: Option<Dtc>,
    wdl: Wdl,
}

/// Nothing instead of the error that a table is not there.
fn if_there<V>(probed: Result<V, TablebaseError>) -> Result<Option<V>, TablebaseError> {
    match probed {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// How many positions a thread takes at a time.
const POSITIONS_AT_A_TIME: usize = 32;

impl Tablebase {
    /// Everything that the tables know of a position with this halfmove clock, the number of plies in a row without a capture before it,
    /// and of its moves. The position must be one that [`Position::check`] accepts.
    ///
    /// A table that a move leads to may be missing: then its [value](AnalysedMove::value) says which one.
    ///
    /// # Errors
    /// [`TablebaseError`]: no table has the value of the position ([`TablebaseError::Missing`] names the one with distances to
    /// win), one that should have it cannot be used, or two contradict each other.
    pub fn analyse(&self, position: &Position, halfmove_clock: u32) -> Result<Analysis, TablebaseError> {
        self.analyse_with(position, Some(halfmove_clock), true)
    }

    /// The same for many positions with their halfmove clocks. They are looked up in the order of the tables and on all
    /// threads of the machine, and the answers come in the order of the positions.
    #[must_use]
    pub fn analyse_many(&self, positions: &[(Position, u32)]) -> Vec<Result<Analysis, TablebaseError>> {
        let mut order: Vec<usize> = (0..positions.len()).collect();
        // A position that no table has is answered without one.
        order.sort_by_cached_key(|&place| self.locate(&positions[place].0));
        // To look for files that are not there takes longer than to look values up.
        let dtc = self.has_tables_of(Dtc::METRIC);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut answers = Vec::new();
            loop {
                let first = next.fetch_add(POSITIONS_AT_A_TIME, Ordering::Relaxed);
                let Some(rest) = order.get(first..).filter(|rest| !rest.is_empty()) else { return answers };
                for &place in rest.iter().take(POSITIONS_AT_A_TIME) {
                    let (position, halfmove_clock) = &positions[place];
                    answers.push((place, self.analyse_with(position, Some(*halfmove_clock), dtc)));
                }
            }
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let others = threads.min(positions.len().div_ceil(POSITIONS_AT_A_TIME)).saturating_sub(1);
        let mut answers = thread::scope(|scope| {
            // Where the system gives no more threads, those that there are do the work.
            let others: Vec<_> =
                (0..others).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let mut answers = work();
            for other in others {
                match other.join() {
                    Ok(found) => answers.extend(found),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            answers
        });
        answers.sort_unstable_by_key(|&(place, _)| place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// An analysis under the limit, or without it if there is no halfmove clock; `dtc` says whether distances to conversion
    /// are asked for.
    pub(super) fn analyse_with(
        &self,
        position: &Position,
        halfmove_clock: Option<u32>,
        dtc: bool,
    ) -> Result<Analysis, TablebaseError> {
        let rules = self.rules();
        let limit = rules.quiet_limit().filter(|_| halfmove_clock.is_some());
        let clock = halfmove_clock.unwrap_or(0);
        let finished = position.finished(rules);
        let own = self.known(position, true, dtc)?;
        if own.dtc.is_some_and(|dtc| dtc.without_limit() != own.wdl) {
            return Err(TablebaseError::Contradiction {
                fen: position.to_fen(rules),
                value: own.dtc.map(|dtc| format!("{} to conversion", dtc)).unwrap_or_default(),
                other: own.dtw.map_or_else(|| own.wdl.to_string(), |dtw| dtw.to_string()),
            });
        }
        let source = match own {
            _ if finished.is_some() || !Material::of(position).has_both_sides() => None,
            Known { dtc: Some(_), .. } => Some(Dtc::METRIC),
            Known { dtw: Some(_), .. } => Some(Value::METRIC),
            Known { dtc: None, dtw: None, .. } => Some(Wdl::METRIC),
        };

        // What is not known of the position is of no use after a move.
        let after =
            |legal: LegalMove| (legal, self.known(&position.after(&legal), own.dtw.is_some(), own.dtc.is_some()));
        let moves: Vec<_> = position.legal_moves(rules).into_iter().map(after).collect();
        let all =
            |has: fn(&Known) -> bool| has(&own) && moves.iter().filter_map(|(_, next)| next.as_ref().ok()).all(has);
        let compared_by = if all(|known| known.dtc.is_some()) {
            Dtc::METRIC
        } else if all(|known| known.dtw.is_some()) {
            Value::METRIC
        } else {
            Wdl::METRIC
        };

        let reached = limit.is_some_and(|limit| clock >= limit);
        let move_value = |legal: &LegalMove, next: Known| {
            let outcome = match next.dtc.filter(|_| compared_by.is_under_limit()) {
                // The game was over before the move.
                Some(dtc) if reached => -dtc.outcome(legal.quiet_plies_after(clock), limit).after_limit(),
                Some(dtc) => -dtc.outcome(legal.quiet_plies_after(clock), limit),
                None => -Outcome::from(next.wdl),
            };
            MoveValue {
                outcome,
                dtw: next.dtw.map(Value::before_move),
                dtc: next.dtc.map(|dtc| dtc.before_move(legal.capture.is_some(), None)),
            }
        };
        let mut analysis = Analysis {
            finished,
            halfmove_clock: clock,
            limit,
            outcome: own.dtc.map_or(own.wdl.into(), |dtc| dtc.outcome(clock, limit)),
            source,
            dtw: own.dtw,
            dtc: own.dtc,
            moves: moves
                .into_iter()
                .map(|(legal, next)| AnalysedMove { legal, value: next.map(|next| move_value(&legal, next)) })
                .collect(),
            compared_by,
        };
        analysis.sort_moves();
        Ok(analysis)
    }

    /// What the tables have of a position itself. Distances that are not asked for are not looked up.
    fn known(&self, position: &Position, dtw: bool, dtc: bool) -> Result<Known, TablebaseError> {
        let dtw = if dtw { if_there(self.probe_value::<Value>(position))? } else { None };
        let dtc = if dtc { if_there(self.probe_value::<Dtc>(position))? } else { None };
        let wdl = match (dtw, dtc) {
            (Some(dtw), _) => dtw.into(),
            (None, Some(dtc)) => if_there(self.probe_wdl(position))?.unwrap_or(dtc.without_limit()),
            (None, None) => self.probe_wdl(position)?,
        };
        Ok(Known { dtw, dtc, wdl })
    }
}
