//! Choosing a move: by the tables where they are, else by searching.

use super::evaluate::Evaluator;
use super::game::Played;
use super::search::{Found, Limits, Search};
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use dsq_tables::quiet::Outcome;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Value;

/// Who chooses moves.
pub struct Player {
    tables: Tablebase,
    evaluator: Evaluator,
    /// Whether there are tables for the limit of plies without a capture of the rule set.
    limited: bool,
}

/// What there is to tell while a move is chosen.
pub enum News<'a> {
    /// The tables know the move: its value, counted from the position.
    Table(Value),
    /// The tables know the move under the limit of plies without a capture: its outcome, and its value without the limit.
    Limit(Outcome, Value),
    /// The search has done one more depth.
    Depth(&'a Found),
    /// A table is there and cannot be used.
    Complaint(&'a str),
}

impl Player {
    /// With these tables.
    pub fn new(tables: Tablebase) -> Player {
        let evaluator = Evaluator::new(tables.rules());
        let limited = tables.has_limit_tables();
        Player { tables, evaluator, limited }
    }

    /// The tables.
    pub fn tables(&self) -> &Tablebase {
        &self.tables
    }

    /// The move to make after a game, whose last position is the one to move in; none if there is no legal move. `asked` is
    /// true once the answer is wanted at once.
    pub fn choose(
        &self,
        played: &Played,
        limits: Limits,
        asked: &mut dyn FnMut() -> bool,
        tell: &mut dyn FnMut(News<'_>),
    ) -> Option<Move> {
        let game = played.positions.as_slice();
        let position = game.last()?;
        if self.tables.rules().quiet_limit().is_some_and(|limit| played.quiet_plies >= limit) {
            // The game is over.
            return None;
        }
        if self.limited {
            match self.tables.probe_moves_limited(position, played.quiet_plies) {
                Ok(moves) => {
                    let best = moves.first()?;
                    tell(News::Limit(best.outcome, best.value));
                    return Some(best.legal.squares);
                }
                Err(error) if error.is_missing() => {}
                Err(error) => tell(News::Complaint(&error.to_string())),
            }
        }
        let moves = match self.tables.probe_moves(position) {
            Ok(moves) => {
                // The shortest win or the longest loss: the distance falls with every ply, so nothing comes twice in a won game.
                let &(legal, value) = moves.first()?;
                tell(News::Table(value));
                return Some(legal.squares);
            }
            Err(error) => {
                if !error.is_missing() {
                    tell(News::Complaint(&error.to_string()));
                }
                self.without_distances(position).unwrap_or_else(|_| position.legal_moves(self.tables.rules()))
            }
        };
        if let [only] = moves.as_slice() {
            return Some(only.squares);
        }
        let mut search = Search::new(&self.tables, &self.evaluator, limits, played, asked);
        let found = search.run(position, &moves, |found| tell(News::Depth(found)));
        if let Some(complaint) = search.complaint() {
            tell(News::Complaint(complaint));
        }
        let best = found.and_then(|found| found.line.first().copied());
        best.or_else(|| moves.first().map(|legal| legal.squares))
    }

    /// The moves with the best value where the tables know only win, draw and loss.
    fn without_distances(&self, position: &Position) -> Result<Vec<LegalMove>, TablebaseError> {
        let moves = self.tables.probe_moves_wdl(position)?;
        let best = moves.first().map(|&(_, value)| value);
        Ok(moves.into_iter().filter(|&(_, value)| Some(value) == best).map(|(legal, _)| legal).collect())
    }
}
