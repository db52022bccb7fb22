//! What a move is worth by the tables: without the history of the game, or with the count of plies without a capture where the
//! rule set has a limit of them and there are tables for it.

use super::illegal::{Illegal, explain};
use crate::answer::missing_material;
use crate::number::plies;
use crate::terms;
use dsq_tables::board::Side;
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Analysis, MoveValue, Tablebase, TablebaseError};
use dsq_tables::value::{self, Value, Wdl};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// What a move does to the value of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// It keeps the value and the distance, as far as the tables know one.
    Best,
    /// It still wins, later than it could.
    Slower,
    /// It loses sooner than it must.
    FasterLoss,
    /// It makes a draw of a win.
    WinToDraw,
    /// It makes a loss of a win.
    WinToLoss,
    /// It makes a loss of a draw.
    DrawToLoss,
    /// It is not legal.
    Illegal,
    /// The position, or one after a move, is not in the tables.
    NotInTables,
}

impl Kind {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Kind; 8] = [
        Kind::Best,
        Kind::Slower,
        Kind::FasterLoss,
        Kind::WinToDraw,
        Kind::WinToLoss,
        Kind::DrawToLoss,
        Kind::Illegal,
        Kind::NotInTables,
    ];

    /// The word of JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Best => "best",
            Kind::Slower => "slower",
            Kind::FasterLoss => "faster-loss",
            Kind::WinToDraw => "win-to-draw",
            Kind::WinToLoss => "win-to-loss",
            Kind::DrawToLoss => "draw-to-loss",
            Kind::Illegal => "illegal",
            Kind::NotInTables => "not-in-tables",
        }
    }

    /// True if a value was thrown away, or the move is illegal: what counts for the exit code.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Kind::WinToDraw | Kind::WinToLoss | Kind::DrawToLoss | Kind::Illegal)
    }

    /// True if the tables have judged the move.
    #[must_use]
    pub const fn is_judged(self) -> bool {
        !matches!(self, Kind::Illegal | Kind::NotInTables)
    }

    /// What a move does that changes the value like this, both for the side that makes it. Without distances a value that is
    /// kept is the best that can be known.
    fn of(before: Outcome, after: Outcome) -> Kind {
        match (before.value, after.value) {
            (Wdl::Win, Wdl::Draw) => Kind::WinToDraw,
            (Wdl::Win, Wdl::Loss) => Kind::WinToLoss,
            (Wdl::Draw, Wdl::Loss) => Kind::DrawToLoss,
            (Wdl::Win, Wdl::Win) if after.plies > before.plies => Kind::Slower,
            (Wdl::Loss, Wdl::Loss) if after.plies < before.plies => Kind::FasterLoss,
            (Wdl::Win, Wdl::Win) | (Wdl::Draw, Wdl::Win | Wdl::Draw) => Kind::Best,
            (Wdl::Loss, Wdl::Win | Wdl::Draw | Wdl::Loss) => Kind::Best,
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A value for the side that moves, counted from the position before its move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Win, draw or loss.
    pub value: Wdl,
    /// Plies to the end; none for a draw, and where there are only tables without distances.
    pub plies: Option<u32>,
}

impl From<Value> for Outcome {
    fn from(value: Value) -> Outcome {
        Outcome { value: value.into(), plies: value.plies() }
    }
}

impl From<Wdl> for Outcome {
    fn from(value: Wdl) -> Outcome {
        Outcome { value, plies: None }
    }
}

/// What is said of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// What the move does.
    pub kind: Kind,
    /// The value of the position for the side to move, if the tables have it.
    pub before: Option<Outcome>,
    /// The value of the move for the side that makes it, counted from the position before it.
    pub after: Option<Outcome>,
    /// The moves that keep the value, best first; if nothing is known, none.
    pub keeping: Vec<(LegalMove, Outcome)>,
    /// True if there are only tables without distances.
    pub without_distances: bool,
    /// What the limit of plies without a capture makes of the position and the move, if the values above hold under it.
    pub limit: Option<UnderLimit>,
    /// Why it is illegal, if it is.
    pub illegal: Option<Illegal>,
    /// The material without a table, if the position or one after a move is not in the tables.
    pub missing: Option<String>,
}

impl Verdict {
    /// By how many plies a win that is kept comes later, or a loss sooner, than it could.
    #[must_use]
    pub fn lost_plies(&self) -> Option<u32> {
        let (before, after) = (self.before?, self.after?);
        // Under a limit the best move is not always the fastest, and one that wins sooner has lost nothing.
        match (before.value, after.value) {
            (Wdl::Win, Wdl::Win) => Some(after.plies?.saturating_sub(before.plies?)),
            (Wdl::Loss, Wdl::Loss) => Some(before.plies?.saturating_sub(after.plies?)),
            (Wdl::Win, Wdl::Draw | Wdl::Loss) | (Wdl::Loss, Wdl::Win | Wdl::Draw) => None,
            (Wdl::Draw, Wdl::Win | Wdl::Draw | Wdl::Loss) => None,
        }
    }
}

impl Verdict {
    /// True if the side that moved wins after its move.
    #[must_use]
    pub fn is_winning(&self) -> bool {
        self.after.is_some_and(|after| after.value == Wdl::Win)
    }
}

/// What a limit of plies without a capture makes of a position and a move, for the side that moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnderLimit {
    /// The limit.
    pub plies: u32,
    /// The halfmove clock before the move.
    pub clock: u32,
    /// Before the move.
    pub before: value::Outcome,
    /// After it; none if it is illegal.
    pub after: Option<value::Outcome>,
}

impl UnderLimit {
    /// True if the limit changes who wins, before the move or after it.
    #[must_use]
    pub fn matters(self) -> bool {
        let changes = |outcome: value::Outcome| outcome.under_limit() != outcome.without_limit();
        changes(self.before) || self.after.is_some_and(changes)
    }

    /// What it makes of them, in words.
    #[must_use]
    pub fn words(self) -> String {
        format!(
            "under the draw after {} without a capture, {} of them played: {}{}",
            plies(self.plies),
            self.clock,
            terms::outcome(self.before),
            self.after.map(|after| format!(", {} after the move", terms::outcome(after))).unwrap_or_default()
        )
    }
}

/// Judges moves by the tables of one rule set.
pub struct Judge {
    tables: Tablebase,
    /// Whether there are tables for the limit of the rule set.
    limited: bool,
}

impl Judge {
    /// A judge with these tables.
    #[must_use]
    pub fn new(tables: Tablebase) -> Judge {
        let limited = tables.has_limit_tables();
        Judge { tables, limited }
    }

    /// Whether there are tables for the limit of the rule set; then values hold under it where these have the position.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.limited
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tablebase {
        &self.tables
    }

    /// The rule set.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        self.tables.rules()
    }

    /// Judges a move, which need not be legal, in a position with this halfmove clock. What is not in the tables is a verdict, not an
    /// error.
    ///
    /// # Errors
    /// [`TablebaseError`]: a table cannot be used.
    pub fn judge(&self, position: &Position, clock: u32, squares: Move) -> Result<Verdict, TablebaseError> {
        let rules = self.rules();
        let over = position.finished(rules).is_some();
        let legal = position.find_move(rules, squares).filter(|_| !over);
        let (values, missing) = match self.values(position, clock) {
            Ok(values) => (Some(values), None),
            Err(error) if error.is_missing() => (None, Some(error)),
            Err(error) => return Err(error),
        };
        let before = values.as_ref().filter(|_| !over).map(|values| values.before);
        let mut verdict = Verdict {
            kind: Kind::NotInTables,
            before,
            after: None,
            keeping: Vec::new(),
            without_distances: values.as_ref().is_some_and(|values| !values.has_distances),
            limit: values.as_ref().filter(|_| !over).and_then(|values| values.limit(squares)),
            illegal: None,
            missing: None,
        };
        if let Some(values) = &values {
            let keeps = |(_, after): &(LegalMove, Outcome)| before.is_some_and(|before| after.value == before.value);
            verdict.keeping = values.known_moves().filter(keeps).collect();
        }
        let Some(legal) = legal else {
            verdict.kind = Kind::Illegal;
            verdict.illegal = Some(explain(rules, position, squares));
            return Ok(verdict);
        };
        let after = values.as_ref().and_then(|values| Some((values, values.found(legal.squares)?)));
        match (before, after) {
            (Some(before), Some((values, Ok(after)))) => {
                let after = values.outcome(after.outcome, after.dtw);
                verdict.kind = Kind::of(before, after);
                verdict.after = Some(after);
            }
            (_, after) => {
                let error = after.and_then(|(_, after)| after.as_ref().err()).or(missing.as_ref());
                verdict.missing = error.and_then(missing_material).map(str::to_owned);
            }
        }
        Ok(verdict)
    }

    /// The value for the side to move of a position with this halfmove clock; none if the game is over or the tables do not have
    /// it.
    ///
    /// # Errors
    /// [`TablebaseError`]: a table cannot be used.
    pub fn value(&self, position: &Position, clock: u32) -> Result<Option<Outcome>, TablebaseError> {
        if position.finished(self.rules()).is_some() {
            return Ok(None);
        }
        match self.values(position, clock) {
            Ok(values) => Ok(Some(values.before)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The value of a position for the side to move and its moves, best first.
    fn values(&self, position: &Position, clock: u32) -> Result<Values, TablebaseError> {
        let analysis = self.tables.analyse(position, clock)?;
        if let Some(error) = analysis.first_unknown().filter(|error| !error.is_missing()) {
            return Err(error.clone());
        }
        Ok(Values::new(analysis, self.limited))
    }
}

/// What the tables know of a position, as far as moves are judged by it.
struct Values {
    analysis: Analysis,
    before: Outcome,
    /// Whether distances to the end are known.
    has_distances: bool,
    /// Whether the values hold under the limit.
    under_limit: bool,
}

impl Values {
    /// `limited` says whether there are tables for the limit of the rule set.
    fn new(analysis: Analysis, limited: bool) -> Values {
        let under_limit = limited && analysis.compared_by.is_under_limit();
        let has_distances = analysis.dtw.is_some() && analysis.compared_by.has_distances();
        let mut values =
            Values { before: Outcome { value: Wdl::Draw, plies: None }, analysis, has_distances, under_limit };
        let outcome = values.analysis.outcome_as_compared();
        // The best move under the limit can win later than the fastest win that it spoils.
        let best = values.analysis.best().map(|(_, best)| *best);
        let best = best.filter(|best| under_limit && best.outcome == outcome).and_then(|best| best.dtw);
        values.before = values.outcome(outcome, best.or(values.analysis.dtw));
        values
    }

    /// An outcome with the distance of a value.
    fn outcome(&self, outcome: value::Outcome, dtw: Option<Value>) -> Outcome {
        let value = if self.under_limit { outcome.under_limit() } else { outcome.without_limit() };
        let plies = dtw.filter(|_| self.has_distances && value != Wdl::Draw).and_then(Value::plies);
        Outcome { value, plies }
    }

    /// The moves that are known, best first.
    fn known_moves(&self) -> impl Iterator<Item = (LegalMove, Outcome)> {
        let known = self.analysis.moves.iter().filter_map(|it| Some((it.legal, it.value.as_ref().ok()?)));
        known.map(|(legal, value)| (legal, self.outcome(value.outcome, value.dtw)))
    }

    /// What is known of one of the moves.
    fn found(&self, squares: Move) -> Option<&Result<MoveValue, TablebaseError>> {
        self.analysis.moves.iter().find(|it| it.legal.squares == squares).map(|it| &it.value)
    }

    /// What the limit makes of the position and one of its moves, if the values hold under it.
    fn limit(&self, squares: Move) -> Option<UnderLimit> {
        let limit = self.analysis.limit.filter(|_| self.under_limit)?;
        let after = self.found(squares).and_then(|value| value.as_ref().ok()).map(|value| value.outcome);
        Some(UnderLimit { plies: limit, clock: self.analysis.halfmove_clock, before: self.analysis.outcome, after })
    }
}

/// The material of a position as the side to move sees it: its own letters, a hyphen, those of the other side.
#[must_use]
pub fn material_of(rules: &Rules, position: &Position) -> String {
    let letters =
        |side: Side| position.pieces_of(side).map(|(piece, _)| rules.letter(piece.animal)).collect::<String>();
    format!("{}-{}", letters(position.turn()), letters(position.turn().other()))
}
