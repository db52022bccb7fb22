//! What a move is worth by the tables: without the history of the game, or with the count of plies without a capture where the
//! rule set has a limit of them and there are tables for it.

use super::illegal::{Illegal, explain};
use crate::number::plies;
use crate::terms;
use dsq_tables::board::Side;
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use dsq_tables::quiet;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{LimitedMove, Tablebase, TablebaseError};
use dsq_tables::value::{Value, Wdl};
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
    /// kept is the best that can be told.
    fn of(before: Outcome, after: Outcome) -> Kind {
        match (before.value, after.value) {
            (Wdl::Win, Wdl::Draw) => Kind::WinToDraw,
            (Wdl::Win, Wdl::Loss) => Kind::WinToLoss,
            (Wdl::Draw, Wdl::Loss) => Kind::DrawToLoss,
            (Wdl::Win, Wdl::Win) if after.plies > before.plies => Kind::Slower,
            (Wdl::Loss, Wdl::Loss) if after.plies < before.plies => Kind::FasterLoss,
            _ => Kind::Best,
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
            _ => None,
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
    /// Plies without a capture before the move.
    pub quiet_plies: u32,
    /// Before the move.
    pub before: quiet::Outcome,
    /// After it; none if it is illegal.
    pub after: Option<quiet::Outcome>,
}

impl UnderLimit {
    /// True if the limit changes who wins, before the move or after it.
    #[must_use]
    pub fn matters(self) -> bool {
        let changes = |outcome: quiet::Outcome| outcome.under_limit() != outcome.without_limit();
        changes(self.before) || self.after.is_some_and(changes)
    }

    /// What it makes of them, in words.
    #[must_use]
    pub fn words(self) -> String {
        format!(
            "under the draw after {} without a capture, {} of them played: {}{}",
            plies(self.plies),
            self.quiet_plies,
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

    /// Judges a move, which need not be legal, in a position with this halfmove clock. What is not in the
    /// tables is a verdict, not an error.
    ///
    /// # Errors
    /// [`TablebaseError`]: a table cannot be used.
    pub fn judge(&self, position: &Position, count: u32, squares: Move) -> Result<Verdict, TablebaseError> {
        let rules = self.rules();
        let over = position.finished(rules).is_some();
        let legal = position.find_move(rules, squares).filter(|_| !over);
        let values = match self.values(position, count) {
            Ok(values) => Some(values),
            Err(error) if error.is_missing() => None,
            Err(error) => return Err(error),
        };
        let before = values.as_ref().filter(|_| !over).map(|values| values.before);
        let mut verdict = Verdict {
            kind: Kind::NotInTables,
            before,
            after: None,
            keeping: Vec::new(),
            without_distances: values.as_ref().is_some_and(|values| values.without_distances),
            limit: values
                .as_ref()
                .filter(|_| !over)
                .and_then(|values| values.limit.as_ref())
                .map(|limit| limit.of(rules, legal)),
            illegal: None,
            missing: None,
        };
        if let Some(values) = &values {
            let keeps = |(_, after): &&(LegalMove, Outcome)| before.is_some_and(|before| after.value == before.value);
            verdict.keeping = values.moves.iter().filter(keeps).copied().collect();
        }
        let Some(legal) = legal else {
            verdict.kind = Kind::Illegal;
            verdict.illegal = Some(explain(rules, position, squares));
            return Ok(verdict);
        };
        let after =
            values.and_then(|values| values.moves.into_iter().find(|(other, _)| other.squares == legal.squares));
        match (before, after) {
            (Some(before), Some((_, after))) => {
                verdict.kind = Kind::of(before, after);
                verdict.after = Some(after);
            }
            _ => verdict.missing = self.missing(position),
        }
        Ok(verdict)
    }

    /// The value for the side to move of a position with this halfmove clock; none if the game is over or
    /// the tables do not have it.
    ///
    /// # Errors
    /// [`TablebaseError`]: a table cannot be used.
    pub fn value(&self, position: &Position, count: u32) -> Result<Option<Outcome>, TablebaseError> {
        if position.finished(self.rules()).is_some() {
            return Ok(None);
        }
        match self.values(position, count) {
            Ok(values) => Ok(Some(values.before)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The value of a position for the side to move and its moves, best first. Under the limit if there are tables for it; without
    /// distances if a table with them is not there, for the position or after a move.
    fn values(&self, position: &Position, count: u32) -> Result<Values, TablebaseError> {
        if self.limited {
            match self.under_limit(position, count) {
                Err(error) if error.is_missing() => {}
                answer => return answer,
            }
        }
        match self.with_distances(position) {
            Err(missing) if missing.is_missing() => match self.without_distances(position) {
                Err(error) if error.is_missing() => Err(missing),
                answer => answer,
            },
            answer => answer,
        }
    }

    fn under_limit(&self, position: &Position, count: u32) -> Result<Values, TablebaseError> {
        let value = self.tables.probe(position)?.value_for(position.turn());
        let before = self.tables.probe_outcome(position, count)?;
        let moves = self.tables.probe_moves_limited(position, count)?;
        let outcome = |outcome: quiet::Outcome, value: Value| {
            let value_under_limit = outcome.under_limit();
            let plies = value.plies().filter(|_| value_under_limit != Wdl::Draw);
            Outcome { value: value_under_limit, plies }
        };
        // The best move under the limit can win later than the fastest win that it spoils.
        let best = moves.first().map_or(value, |best| best.value);
        Ok(Values {
            before: outcome(before, best),
            moves: moves.iter().map(|limited| (limited.legal, outcome(limited.outcome, limited.value))).collect(),
            without_distances: false,
            limit: Some(Limited { count, before, moves }),
        })
    }

    fn with_distances(&self, position: &Position) -> Result<Values, TablebaseError> {
        let before = self.tables.probe(position)?;
        let moves = self.tables.probe_moves(position)?;
        Ok(Values {
            before: before.value_for(position.turn()).into(),
            moves: moves.into_iter().map(|(legal, value)| (legal, value.into())).collect(),
            without_distances: false,
            limit: None,
        })
    }

    fn without_distances(&self, position: &Position) -> Result<Values, TablebaseError> {
        let before = self.tables.probe_wdl(position)?;
        let moves = self.tables.probe_moves_wdl(position)?;
        Ok(Values {
            before: before.into(),
            moves: moves.into_iter().map(|(legal, value)| (legal, value.into())).collect(),
            without_distances: true,
            limit: None,
        })
    }

    /// The material whose table an answer needs.
    fn missing(&self, position: &Position) -> Option<String> {
        let probed = self.tables.probe(position).err().or_else(|| self.tables.probe_moves(position).err())?;
        match probed {
            TablebaseError::Missing { material, .. } | TablebaseError::TooManyPieces { material, .. } => Some(material),
            _ => None,
        }
    }
}

/// What the tables know of a position.
struct Values {
    before: Outcome,
    moves: Vec<(LegalMove, Outcome)>,
    without_distances: bool,
    /// The same under the limit, if that is what the values hold under.
    limit: Option<Limited>,
}

/// What tables for a limit know of a position.
struct Limited {
    count: u32,
    before: quiet::Outcome,
    moves: Vec<LimitedMove>,
}

impl Limited {
    /// Of one of the moves.
    fn of(&self, rules: &Rules, legal: Option<LegalMove>) -> UnderLimit {
        let same = |limited: &&LimitedMove| legal.is_some_and(|legal| limited.legal.squares == legal.squares);
        let after = self.moves.iter().find(same).map(|limited| limited.outcome);
        let limit = rules.quiet_limit().unwrap_or_default();
        UnderLimit { plies: limit, quiet_plies: self.count, before: self.before, after }
    }
}

/// The material of a position as the side to move sees it: its own letters, a hyphen, those of the other side.
#[must_use]
pub fn material_of(rules: &Rules, position: &Position) -> String {
    let letters =
        |side: Side| position.pieces_of(side).map(|(piece, _)| rules.letter(piece.animal)).collect::<String>();
    format!("{}-{}", letters(position.turn()), letters(position.turn().other()))
}
