//! How a game ended: what the record says, and what the last position says.

use crate::judge::record::Record;
use crate::number::plies;
use dsq_tables::board::Side;
use dsq_tables::position::Position;
use dsq_tables::rules::{NoMove, Rules};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// This side has won.
    Won(Side),
    /// Nobody has won.
    Draw,
}

impl GameResult {
    /// Reads a result; none if it says nothing, as `*` does.
    #[must_use]
    pub fn parse(text: &str) -> Option<GameResult> {
        match text.trim() {
            "1-0" => Some(GameResult::Won(Side::White)),
            "0-1" => Some(GameResult::Won(Side::Black)),
            "1/2-1/2" | "½-½" | "1/2" => Some(GameResult::Draw),
            _ => None,
        }
    }

    /// The word of JSON and of records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GameResult::Won(Side::White) => "1-0",
            GameResult::Won(Side::Black) => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }
}

/// What the record says of the end of a game, and what the last position says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// What the tag says, if it is a result.
    pub tag: Option<GameResult>,
    /// What comes after the moves, if it is a result.
    pub after: Option<GameResult>,
    /// What the last position says, if the game is over there and why.
    pub decided: Option<(GameResult, String)>,
}

impl Results {
    pub(super) fn new(record: &Record, decided: Option<(GameResult, String)>) -> Results {
        let after = record.result.as_deref().and_then(GameResult::parse);
        Results { tag: record.tag("Result").and_then(GameResult::parse), after, decided }
    }

    /// What the record says.
    #[must_use]
    pub fn given(&self) -> Option<GameResult> {
        self.tag.or(self.after)
    }

    /// True if the last position says something else than the record.
    #[must_use]
    pub fn is_contradicted(&self) -> bool {
        let Some((decided, _)) = &self.decided else { return false };
        [self.tag, self.after].into_iter().flatten().any(|given| given != *decided)
    }

    /// What does not go together, in words.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let (Some(tag), Some(after)) = (self.tag, self.after)
            && tag != after
        {
            notes.push(format!("the tag Result says {}, but {} stands after the moves", tag.name(), after.name()));
        }
        if let Some((decided, why)) = &self.decided
            && let Some(given) = self.given().filter(|_| self.is_contradicted())
        {
            let given = if given == *decided { self.after.unwrap_or(given) } else { given };
            notes.push(format!("the record says {}, the last position {}: {why}", given.name(), decided.name()));
        }
        notes
    }
}

/// The result of a game that has reached a limit of plies without a capture.
pub(super) fn drawn_by_limit(limit: u32) -> (GameResult, String) {
    (GameResult::Draw, format!("{} without a capture", plies(limit)))
}

/// The result of a game that is over on the board, and why; none if it is not.
pub(super) fn decided(rules: &Rules, position: &Position) -> Option<(GameResult, String)> {
    if let Some(finished) = position.finished(rules) {
        let loser = finished.winner.other().name();
        let why = match finished.den {
            Some(den) => {
                format!("a piece of {} stands in the den on {}", finished.winner.name(), rules.board().name(den))
            }
            None => format!("{loser} has no pieces left"),
        };
        return Some((GameResult::Won(finished.winner), why));
    }
    if position.has_move(rules) {
        return None;
    }
    let turn = position.turn();
    let why = format!("{} has no legal move", turn.name());
    Some(match rules.no_move() {
        NoMove::Loss => (GameResult::Won(turn.other()), why),
        NoMove::Draw => (GameResult::Draw, why),
    })
}
