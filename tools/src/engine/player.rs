//! Choosing a move: by the tables where they are, else by searching.

use super::evaluate::Evaluator;
use super::game::Played;
use super::search::{Found, Limits, Search};
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::tablebase::{AnalysedMove, Analysis, Tablebase};
use dsq_tables::value::Outcome;
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
        if self.tables.rules().quiet_limit().is_some_and(|limit| played.clock >= limit) {
            // The game is over.
            return None;
        }
        let moves = match self.tables.analyse(position, played.clock) {
            Ok(analysis) => {
                if let Some(error) = analysis.first_unknown().filter(|error| !error.is_missing()) {
                    tell(News::Complaint(&error.to_string()));
                }
                match Known::of(&analysis, self.limited) {
                    Known::Best(legal, news) => {
                        tell(news);
                        return Some(legal.squares);
                    }
                    Known::Among(moves) => moves,
                }
            }
            Err(error) => {
                if !error.is_missing() {
                    tell(News::Complaint(&error.to_string()));
                }
                position.legal_moves(self.tables.rules())
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
}

/// What the tables say about the move to make.
enum Known<'a> {
    /// It is this one, and that is to be reported.
    Best(LegalMove, News<'a>),
    /// It is one of these.
    Among(Vec<LegalMove>),
}

impl Known<'_> {
    /// What an analysis says. Without distances the best moves keep the value, but which of them gets on with it has to be found by
    /// searching; where something is not known of a move, it may be any.
    fn of(analysis: &Analysis, limited: bool) -> Known<'static> {
        let best = analysis.best().filter(|_| analysis.is_complete());
        let Some((legal, best)) = best else {
            return Known::Among(analysis.moves.iter().map(|found| found.legal).collect());
        };
        match best.dtw.filter(|_| analysis.compared_by.has_distances()) {
            Some(value) if limited && analysis.compared_by.is_under_limit() => {
                Known::Best(*legal, News::Limit(best.outcome, value))
            }
            // The shortest win or the longest loss: the distance falls with every ply, so nothing comes twice in a won game.
            Some(value) => Known::Best(*legal, News::Table(value)),
            None => {
                let as_good = |found: &&AnalysedMove| found.value.as_ref().is_ok_and(|it| it.outcome == best.outcome);
                Known::Among(analysis.moves.iter().take_while(as_good).map(|found| found.legal).collect())
            }
        }
    }
}
