//! `dsq check games`: records judged by the program, and compared with what is known otherwise: the cases, faults put into
//! games at known plies, and the values of the reference solver.

mod faults;
mod illegal;
mod notations;
mod records;
mod report;
mod results;

use crate::program::tables;
use dsq_tables::position::Position;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Value as Dtw;
use dsq_tests::program::{Dsq, Ran};
use dsq_tests::{Random, Tables};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;

const C33: &str = "7/7/7/7/7/7/D4t1/2L4/7 w";
const C35: &str = "D6/7/2t4/7/7/7/1P5/7/7 w";
const C37: &str = "7/7/7/7/7/7/2P4/6d/7 w";

fn dsq() -> (Arc<Tables>, Dsq) {
    let tables = tables();
    let dsq = Dsq::in_folder(tables.folder());
    (tables, dsq)
}

/// The objects of the moves, and the summary behind them.
#[track_caller]
fn judged(ran: &Ran) -> (Vec<Value>, Value) {
    let mut lines = ran.json_lines();
    let summary = lines.pop().unwrap();
    assert!(summary["games"].is_array(), "{ran:#?}");
    (lines, summary)
}

/// A record on standard input, judged with JSON.
fn check(words: &[&str], record: &str, code: i32) -> (Vec<Value>, Value) {
    let (_tables, dsq) = dsq();
    let words: Vec<&str> = ["check", "games", "-"].iter().chain(words).copied().collect();
    judged(&dsq.json().run_with_input(&words, record).expect_code(code))
}

/// The verdict on one move.
fn verdict(fen: &str, text: &str, code: i32) -> Value {
    let (mut moves, _) = check(&[], &format!("[FEN \"{fen}\"]\n\n1. {text} *\n"), code);
    assert_eq!(moves.len(), 1);
    moves.remove(0)
}

fn texts(moves: &Value) -> Vec<&str> {
    moves.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// What a move does that changes the value like this.
fn kind_of(before: Dtw, after: Dtw) -> &'static str {
    match (before, after) {
        _ if before == after => "best",
        (Dtw::Win(_), Dtw::Win(_)) => "slower",
        (Dtw::Loss(_), Dtw::Loss(_)) => "faster-loss",
        (Dtw::Win(_), Dtw::Draw) => "win-to-draw",
        (Dtw::Win(_), Dtw::Loss(_)) => "win-to-loss",
        (Dtw::Draw, Dtw::Loss(_)) => "draw-to-loss",
        _ => panic!("no move makes {after:?} of {before:?}"),
    }
}

/// A game from a random position: perfect play of both sides, but for a fault of some kind wherever the dice say so and there
/// is one. The moves as written and what each of them does.
fn play_out(tables: &Tablebase, random: &mut Random, start: Position) -> Vec<(String, &'static str)> {
    let rules = tables.rules();
    let mut position = start;
    let mut played = Vec::new();
    while played.len() < 60 && position.finished(rules).is_none() {
        let mut moves = tables.probe_moves(&position).unwrap();
        let Some(&(_, best)) = moves.first() else { break };
        // A kind first and then a move of it, so that the rarer kinds are not drowned by the others.
        let mut kinds: Vec<&str> = moves.iter().map(|&(_, value)| kind_of(best, value)).collect();
        kinds.dedup();
        let kind = if random.below(4) > 0 { "best" } else { *random.pick(&kinds) };
        moves.retain(|&(_, value)| kind_of(best, value) == kind);
        let (legal, value) = *random.pick(&moves);
        played.push((legal.squares.to_text(rules.board()), kind_of(best, value)));
        position = position.after(&legal);
    }
    played
}

/// The text of a record with all that may stand around its moves.
fn record(number: usize, fen: &str, moves: &[(String, &'static str)]) -> String {
    let mut text =
        format!("[Event \"game {number}\"]\n[White \"Anna\"]\n[Black \"Bert {}\"]\n[FEN \"{fen}\"]\n\n", number % 2);
    for (index, (played, kind)) in moves.iter().enumerate() {
        if index % 2 == 0 {
            let _ = write!(text, "{}. ", index / 2 + 1);
        }
        let written = match index % 4 {
            0 => played.clone(),
            1 => played.to_uppercase(),
            2 => format!("{}-{}", &played[..2], &played[2..]),
            _ => format!("{}x{}", &played[..2], &played[2..]),
        };
        let _ = write!(text, "{written} ");
        if index % 5 == 4 {
            let _ = write!(text, "{{ this is {kind} }} $3 ");
        }
        if index % 8 == 7 {
            text.push('\n');
        }
    }
    text + "*\n\n"
}
