//! Answers about positions: `probe`, `moves`, `perft`.

use dsq_tables::moves::LegalMove;
use dsq_tables::rules::Rules;
use dsq_tables::value::Value;
use serde::Serialize;

/// The answer of `probe`.
#[derive(Serialize, Debug)]
pub struct Probe {
    /// The position in the letters of the rule set.
    pub position: String,
    /// The rule set.
    pub rules: String,
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// `win`, `draw`, `loss` for the side to move, or `finished`.
    pub value: &'static str,
    /// Plies to the end.
    pub dtw_plies: Option<u32>,
    /// Who has won a finished game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<&'static str>,
    /// Every legal move, best first.
    pub moves: Vec<MoveValue>,
    /// The line of best play, if it was asked for.
    pub line: Vec<String>,
}

/// A move in the answer of `probe`.
#[derive(Serialize, Debug)]
pub struct MoveValue {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The upper-case letter of the animal that is taken.
    pub capture: Option<char>,
    /// For the side that makes the move.
    pub value: &'static str,
    /// Plies to the end, counted from the position before the move.
    pub dtw_plies: Option<u32>,
}

impl MoveValue {
    /// The record of a move.
    pub fn new(rules: &Rules, legal: &LegalMove, value: Value) -> MoveValue {
        let Move { text, capture } = Move::new(rules, legal);
        MoveValue { text, capture, value: value.name(), dtw_plies: value.plies() }
    }
}

/// A position without an answer.
#[derive(Serialize, Debug)]
pub struct NoAnswer {
    /// The position, or what stood in its place.
    pub position: String,
    /// Why: `not in tables`, or what is wrong with the position or a table.
    pub error: String,
    /// The material without a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The answer of `moves`.
#[derive(Serialize, Debug)]
pub struct Moves {
    /// The position in the letters of the rule set.
    pub position: String,
    /// The rule set.
    pub rules: String,
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// Who has won, if the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<&'static str>,
    /// The legal moves in square order.
    pub moves: Vec<Move>,
}

/// A move in the answer of `moves`.
#[derive(Serialize, Debug)]
pub struct Move {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The upper-case letter of the animal that is taken.
    pub capture: Option<char>,
}

impl Move {
    /// The record of a move.
    pub fn new(rules: &Rules, legal: &LegalMove) -> Move {
        let text = legal.squares.to_text(rules.board());
        Move { text, capture: legal.capture.map(|animal| rules.letter(animal)) }
    }
}

/// The answer of `perft`.
#[derive(Serialize, Debug)]
pub struct Perft {
    /// The position in the letters of the rule set.
    pub position: String,
    /// The rule set.
    pub rules: String,
    /// The length in plies.
    pub depth: u32,
    /// How many sequences there are.
    pub nodes: u64,
    /// The same for each move, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divide: Option<Vec<MoveNodes>>,
}

/// A move in the answer of `perft --divide`.
#[derive(Serialize, Debug)]
pub struct MoveNodes {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// How many sequences begin with it.
    pub nodes: u64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dsq_tables::position::Position;

    #[test]
    fn the_fields_have_the_names_other_programs_rely_on() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, "7/7/t6/T6/7/7/7/7/7 w").unwrap();
        let legal = position.legal_moves(&rules).into_iter().find(|legal| legal.capture.is_some()).unwrap();
        let record = Probe {
            position: position.to_fen(&rules),
            rules: rules.name().to_owned(),
            side_to_move: "white",
            value: "win",
            dtw_plies: Some(1),
            winner: None,
            moves: vec![MoveValue::new(&rules, &legal, Value::Draw)],
            line: vec!["a6a7".to_owned()],
        };
        let expected = r#"{"position":"7/7/t6/T6/7/7/7/7/7 w","rules":"classic","side_to_move":"white","value":"win",
            "dtw_plies":1,"moves":[{"move":"a6a7","capture":"T","value":"draw","dtw_plies":null}],"line":["a6a7"]}"#;
        assert_eq!(serde_json::to_string(&record).unwrap(), expected.replace("\n            ", ""));
        let none = NoAnswer { position: "x".into(), error: "not in tables".into(), missing: Some("RL-E".into()) };
        let expected = r#"{"position":"x","error":"not in tables","missing":"RL-E"}"#;
        assert_eq!(serde_json::to_string(&none).unwrap(), expected);
    }
}
