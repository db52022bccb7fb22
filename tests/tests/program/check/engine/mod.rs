//! `dsq check engine`: scripted engines that play well, badly, or not at all, in every dialect; and what is left of them.

mod dialects;
mod greeting;
mod play;
mod report;
mod trouble;
mod usage;

use super::{scripted, text};
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::value::Value;
use dsq_tests::program::{Dsq, Ran};
use dsq_tests::{Tables, value};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A minute is enough for everything here, even on a machine that has much else to do; what takes longer hangs.
const LONG: Duration = Duration::from_secs(60);
struct Check {
    tables: Arc<Tables>,
    words: Vec<String>,
}

impl Check {
    fn new(tables: &Arc<Tables>, words: &[&str]) -> Check {
        let words = ["check", "engine"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        Check { tables: tables.clone(), words }
    }

    fn engine(mut self, script: &str) -> Check {
        self.words.extend(["--cmd".to_owned(), scripted(&self.tables, script)]);
        self
    }

    fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }

    fn run(&self) -> Ran {
        Dsq::in_folder(self.tables.folder()).run(&self.words())
    }

    /// The objects of JSON: moves, games, the summary.
    fn json(&self, code: i32) -> (Vec<Json>, Vec<Json>, Json) {
        let ran = Dsq::in_folder(self.tables.folder()).json().run(&self.words()).expect_code(code);
        let mut lines = ran.json_lines();
        let summary = lines.pop().unwrap();
        assert!(summary["engines"].is_array(), "{ran:#?}");
        let (games, moves) = lines.into_iter().partition(|line| line["end"].is_string());
        (moves, games, summary)
    }
}

/// What a move does, worked out here anew.
fn verdict(tables: &Tables, object: &Json) -> &'static str {
    let rules = tables.rules();
    let position = Position::from_fen(rules, text(object, "position")).unwrap();
    let squares = Move::parse(rules.board(), text(object, "move")).unwrap();
    let Some(legal) = position.find_move(rules, squares) else { return "illegal" };
    let next = position.after(&legal);
    let before = value(tables.tablebase(), &position);
    let after = tables.tablebase().probe(&next).unwrap().value_for(next.turn()).before_move();
    assert_eq!(object["dtw_before"], before.plies().map_or(Json::Null, Json::from), "{object}");
    assert_eq!(object["dtw_after"], after.plies().map_or(Json::Null, Json::from), "{object}");
    assert_eq!((text(object, "value_before"), text(object, "value_after")), (before.name(), after.name()), "{object}");
    match (before, after) {
        (before, after) if before == after => "best",
        (Value::Win(_), Value::Win(_)) => "slower",
        (Value::Loss(_), Value::Loss(_)) => "faster-loss",
        (Value::Win(_), Value::Draw) => "win-to-draw",
        (Value::Win(_), Value::Loss(_)) => "win-to-loss",
        (Value::Draw, Value::Loss(_)) => "draw-to-loss",
        _ => panic!("a move better than the position: {object}"),
    }
}

fn verdicts(moves: &[Json]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for object in moves {
        *counts.entry(text(object, "verdict")).or_default() += 1;
    }
    counts
}

/// An engine of the shell: what it does when it is told a line that begins with some word.
fn shell_engine(answers: &[(&str, &str)]) -> String {
    let cases: Vec<String> = answers.iter().map(|(word, what)| format!("{word}) {what};;")).collect();
    format!("while read word rest; do case $word in {} esac; done", cases.join(" "))
}
