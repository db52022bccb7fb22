//! Values and results in words.

use super::records::{ForeignTables, MadeFor};
use crate::number::{count, plies};
use dsq_tables::board::{Board, Side};
use dsq_tables::position::Finished;
use dsq_tables::value::Outcome;
use dsq_tables::value::{Value, Wdl};

/// `White` or `Black`.
pub fn side(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// Who wins a position with `turn` to move, and when. `blocked` says that there is no legal move.
pub fn value(value: Value, turn: Side, blocked: bool) -> String {
    let (own, enemy) = (side(turn), side(turn.other()));
    match value {
        Value::Win(distance) => format!("{own} to move: {own} wins in {}", plies(distance)),
        Value::Draw if blocked => format!("{own} to move: {own} has no legal move, the game is drawn"),
        Value::Draw => format!("{own} to move: a draw with best play"),
        Value::Loss(_) if blocked => format!("{own} to move: {own} has no legal move and has lost"),
        Value::Loss(distance) => format!("{own} to move: {enemy} wins in {}", plies(distance)),
    }
}

/// The same where the distance is not known.
pub fn value_without_distance(value: Wdl, turn: Side, blocked: bool) -> String {
    let (own, enemy) = (side(turn), side(turn.other()));
    match value {
        Wdl::Win => format!("{own} to move: {own} wins"),
        Wdl::Draw => self::value(Value::Draw, turn, blocked),
        Wdl::Loss if blocked => self::value(Value::Loss(0), turn, blocked),
        Wdl::Loss => format!("{own} to move: {enemy} wins"),
    }
}

/// Who wins a position with `turn` to move, under a limit of plies without a capture.
pub fn under_limit(outcome: Outcome, turn: Side) -> String {
    let (own, enemy) = (side(turn), side(turn.other()));
    match outcome {
        Outcome::Win => format!("{own} wins"),
        Outcome::SpoiltWin => format!("a draw, a cursed win for {own}"),
        Outcome::Draw => "a draw".to_owned(),
        Outcome::SavedLoss => format!("a draw, a blessed loss for {own}"),
        Outcome::Loss => format!("{enemy} wins"),
    }
}

/// What a move leads to under a limit of plies without a capture, for the side that makes it.
pub fn outcome_under_limit(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "wins",
        Outcome::SpoiltWin => "draws, cursed win",
        Outcome::Draw => "draws",
        Outcome::SavedLoss => "draws, blessed loss",
        Outcome::Loss => "loses",
    }
}

/// What a move leads to, for the side that makes it, where the distance is not known.
pub fn outcome_without_distance(value: Wdl) -> &'static str {
    match value {
        Wdl::Win => "wins",
        Wdl::Draw => "draws",
        Wdl::Loss => "loses",
    }
}

/// What a move leads to, for the side that makes it.
pub fn outcome(value: Value) -> String {
    match value {
        Value::Win(distance) => format!("wins in {}", plies(distance)),
        Value::Draw => "draws".to_owned(),
        Value::Loss(distance) => format!("loses in {}", plies(distance)),
    }
}

/// Who has won a game that is over, and why.
pub fn finished(board: &Board, finished: Finished) -> String {
    let (winner, loser) = (side(finished.winner), side(finished.winner.other()));
    match finished.den {
        Some(den) => format!("The game is over: {winner} has won, a piece stands in the den on {}", board.name(den)),
        None => format!("The game is over: {winner} has won, {loser} has no pieces left"),
    }
}

/// How many tables were made for other rules, and what helps.
pub fn foreign(group: &ForeignTables) -> String {
    let MadeFor { rules, fingerprint, file, asked, asked_fingerprint } = &group.made_for;
    let which =
        if group.tables == 1 { file.clone() } else { format!("{} ({file}, …)", count(group.tables, "table")) };
    if rules == asked {
        format!(
            "{which}: made for other rules named {rules} (fingerprint {fingerprint}, now {asked_fingerprint}): \
             give the changed rules another name, or move these tables away"
        )
    } else {
        format!(
            "{which}: made for rule set {rules} (fingerprint {fingerprint}), not for {asked}: move it to a folder {rules}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_the_winner() {
        assert_eq!(value(Value::Win(1), Side::White, false), "White to move: White wins in 1 ply");
        assert_eq!(value(Value::Loss(12), Side::White, false), "White to move: Black wins in 12 plies");
        assert_eq!(value(Value::Draw, Side::Black, false), "Black to move: a draw with best play");
        assert_eq!(value(Value::Loss(0), Side::Black, true), "Black to move: Black has no legal move and has lost");
    }
}
