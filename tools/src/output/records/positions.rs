//! Answers about positions: `probe`, `moves`, `perft`.

use crate::answer::{Answer, missing_material};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::{Finished, Position};
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::AnalysedMove;
use dsq_tables::value::{Dtc, Outcome, Value};
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
    /// Plies to the next capture that keeps the win, or to the end, from the table of distances to conversion; the field is there
    /// if the table is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtc_plies: Option<Option<u32>>,
    /// What the limit of plies without a capture makes of it, if the rule set has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// `wdl` if the distances are not known because only tables without them are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<&'static str>,
    /// Why there are no moves, if there are none.
    #[serde(flatten)]
    pub end: End,
    /// Every legal move, best first.
    pub moves: Vec<MoveValue>,
    /// The line of best play, if it was asked for.
    pub line: Vec<String>,
    /// How a line under a limit ends: `over`, `limit` or `repetition`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<&'static str>,
}

impl Probe {
    /// The record of an answer.
    pub fn new(rules: &Rules, position: &Position, answer: &Answer) -> Probe {
        let analysis = &answer.analysis;
        let finished = analysis.finished;
        let value = match finished {
            Some(_) => "finished",
            None => analysis.outcome.without_limit().name(),
        };
        let limit = rules.quiet_limit().filter(|_| finished.is_none());
        let line = answer.line.as_ref().and_then(|line| line.as_ref().ok());
        // A finished game has no moves that count.
        let moves = analysis.moves.iter().filter(|_| finished.is_none());
        Probe {
            position: position.to_fen(rules),
            rules: rules.name().to_owned(),
            side_to_move: position.turn().name(),
            value,
            dtw_plies: answer.dtw().filter(|_| finished.is_none()).and_then(Value::plies),
            dtc_plies: answer.dtc().filter(|_| answer.has_distances()).map(Dtc::plies),
            limit: limit.map(|plies| Limit {
                plies,
                quiet_plies: analysis.halfmove_clock,
                reached: analysis.limit_is_reached(),
                value: answer.outcome_under_limit().map(Outcome::name),
            }),
            metric: (!answer.has_distances()).then(|| analysis.compared_by.name()),
            end: End::new(finished, analysis.moves.is_empty()),
            moves: moves.map(|analysed| MoveValue::new(rules, answer, analysed)).collect(),
            line: line.iter().flat_map(|line| &line.moves).map(|squares| squares.to_text(rules.board())).collect(),
            line_end: line.filter(|_| answer.holds_under_limit()).map(|line| line.end.name()),
        }
    }
}

/// A limit of plies without a capture in the answer of `probe`.
#[derive(Serialize, Debug)]
pub struct Limit {
    /// The limit.
    pub plies: u32,
    /// The halfmove clock: plies without a capture before the position.
    pub quiet_plies: u32,
    /// Whether it is reached, and the game over.
    pub reached: bool,
    /// Who wins under it, for the side to move: `win`, `spoilt-win`, `draw`, `saved-loss` or `loss`; none if the tables for it are
    /// not there.
    pub value: Option<&'static str>,
}

/// The value of a move that is in no table.
pub const UNKNOWN: &str = "unknown";

/// A move in the answer of `probe`.
#[derive(Serialize, Debug, Default)]
pub struct MoveValue {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The upper-case letter of the animal that is taken.
    pub capture: Option<char>,
    /// For the side that makes the move; `unknown` if a table is not there.
    pub value: &'static str,
    /// Plies to the end, counted from the position before the move.
    pub dtw_plies: Option<u32>,
    /// Plies to the next capture that keeps the win, or to the end, counted likewise; the field is there if the table is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtc_plies: Option<Option<u32>>,
    /// Who wins under the limit of plies without a capture, for the side that makes the move, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_value: Option<&'static str>,
    /// The material whose table is not there, if the value is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl MoveValue {
    /// The record of a move in an answer.
    fn new(rules: &Rules, answer: &Answer, analysed: &AnalysedMove) -> MoveValue {
        let Move { text, capture } = Move::new(rules, &analysed.legal);
        let value = match &analysed.value {
            Ok(value) => value,
            Err(error) => {
                let missing = missing_material(error).map(str::to_owned);
                return MoveValue { text, capture, value: UNKNOWN, missing, ..MoveValue::default() };
            }
        };
        let under_limit = answer.holds_under_limit();
        MoveValue {
            text,
            capture,
            value: value.outcome.without_limit().name(),
            dtw_plies: value.dtw.filter(|_| answer.has_distances()).and_then(Value::plies),
            dtc_plies: under_limit.then(|| value.dtc.and_then(Dtc::plies)),
            limit_value: rules.quiet_limit().filter(|_| under_limit).map(|_| value.outcome.name()),
            missing: None,
        }
    }
}

/// Why a position has no moves: no field at all where it has some.
#[derive(Serialize, Debug, Default)]
pub struct End {
    /// Who has won a finished game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<&'static str>,
    /// How a finished game ended: `den` or `elimination`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<&'static str>,
    /// True if the side to move has no legal move though the game is not over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_move: bool,
}

impl End {
    /// What ended the game, if anything did; `blocked` says that there is no legal move.
    pub fn new(finished: Option<Finished>, blocked: bool) -> End {
        End {
            winner: finished.map(|finished| finished.winner.name()),
            end: finished.map(|finished| if finished.den.is_some() { "den" } else { "elimination" }),
            no_move: blocked && finished.is_none(),
        }
    }
}

/// A position without an answer.
#[derive(Serialize, Debug)]
pub struct NoAnswer {
    /// The position, or what stood in its place.
    pub position: String,
    /// The rule set.
    pub rules: String,
    /// What kind of error it is.
    pub kind: Kind,
    /// Why: `not in tables`, or what is wrong with the position or a table.
    pub error: String,
    /// The material without a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The class whose table would have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Why no table can have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl NoAnswer {
    /// An error of a kind; further fields are for those to fill in who know them.
    pub fn new(rules: &Rules, position: String, kind: Kind, error: String) -> NoAnswer {
        let rules = rules.name().to_owned();
        NoAnswer { position, rules, kind, error, missing: None, class: None, reason: None }
    }
}

/// The kinds of errors about positions.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// No position.
    #[serde(rename = "bad input")]
    BadInput,
    /// The table is not there, or there can be none.
    #[serde(rename = "not in tables")]
    NotInTables,
    /// A table is damaged, or made for other rules or by another version.
    #[serde(rename = "damaged table")]
    DamagedTable,
    /// The system does not let a table be read.
    #[serde(rename = "unreadable table")]
    UnreadableTable,
}

/// A record with the line of standard input that it answers.
#[derive(Serialize, Debug)]
pub struct FromLine<'a, T> {
    /// The number of the line, from 1.
    pub input_line: u64,
    /// The line without its end.
    pub input: &'a str,
    /// The answer.
    #[serde(flatten)]
    pub record: &'a T,
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
    /// Why there are no moves, if there are none.
    #[serde(flatten)]
    pub end: End,
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

    #[test]
    fn the_fields_have_the_names_other_programs_rely_on() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, "7/7/t6/T6/7/7/7/7/7 w").unwrap();
        let legal = position.legal_moves(&rules).into_iter().find(|legal| legal.capture.is_some()).unwrap();
        let Move { text, capture } = Move::new(&rules, &legal);
        let record = Probe {
            position: position.to_fen(&rules),
            rules: rules.name().to_owned(),
            side_to_move: "white",
            value: "win",
            dtw_plies: Some(1),
            dtc_plies: None,
            limit: None,
            metric: None,
            end: End::default(),
            moves: vec![MoveValue { text, capture, value: "draw", ..MoveValue::default() }],
            line: vec!["a6a7".to_owned()],
            line_end: None,
        };
        let expected = r#"{"position":"7/7/t6/T6/7/7/7/7/7 w","rules":"classic","side_to_move":"white","value":"win",
            "dtw_plies":1,"moves":[{"move":"a6a7","capture":"T","value":"draw","dtw_plies":null}],"line":["a6a7"]}"#;
        assert_eq!(serde_json::to_string(&record).unwrap(), expected.replace("\n            ", ""));
        let mut none = NoAnswer::new(&rules, "x".into(), Kind::NotInTables, "not in tables".into());
        (none.missing, none.class) = (Some("E-RL".into()), Some("RL-E".into()));
        let expected = r#"{"input_line":7,"input":" x","position":"x","rules":"classic","kind":"not in tables",
            "error":"not in tables","missing":"E-RL","class":"RL-E"}"#;
        let from_line = FromLine { input_line: 7, input: " x", record: &none };
        assert_eq!(serde_json::to_string(&from_line).unwrap(), expected.replace("\n            ", ""));
    }

    #[test]
    fn an_end_says_who_has_won_and_how() {
        let rules = Rules::load("classic").unwrap();
        let end = |fen: &str| {
            let position = Position::from_fen(&rules, fen).unwrap();
            let blocked = position.legal_moves(&rules).is_empty();
            serde_json::to_string(&End::new(position.finished(&rules), blocked)).unwrap()
        };
        assert_eq!(end("3R3/7/7/7/7/7/7/7/c6 b"), r#"{"winner":"white","end":"den"}"#);
        assert_eq!(end("7/7/7/7/7/7/7/7/R6 b"), r#"{"winner":"white","end":"elimination"}"#);
        assert_eq!(end("c6/7/7/7/7/7/7/7/R6 b"), "{}");
        assert_eq!(end("cT5/L6/7/7/7/7/7/7/7 b"), r#"{"no_move":true}"#);
    }
}
