//! Sets of tables that are not complete: what is known is answered, and what is not is marked.

use dsq_tests::program::Dsq;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// The elephant can take the tiger, which leads to R-E; every other move stays in RT-E.
const FEN: &str = "7/7/7/7/7/7/7/eT4R/7 b";

/// All tables that RT-E needs, and a folder with that of RT-E only.
fn whole_and_part() -> (TempDir, TempDir) {
    let [whole, part] = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    Dsq::in_folder(whole.path()).run(&["generate", "RT-E", "-q"]).expect_code(0);
    fs::create_dir(part.path().join("classic")).unwrap();
    let table = "classic/RT-E.dtw.dsq";
    fs::copy(whole.path().join(table), part.path().join(table)).unwrap();
    (whole, part)
}

fn probe(folder: &TempDir, more: &[&str]) -> Value {
    let words = [&["probe", FEN, "--json"], more].concat();
    serde_json::from_str(&Dsq::in_folder(folder.path()).run(&words).expect_code(0).stdout).unwrap()
}

#[test]
fn i04_a_position_has_the_value_of_its_own_table_and_a_move_without_a_table_is_unknown() {
    let (whole, part) = whole_and_part();
    let (all, known) = (probe(&whole, &[]), probe(&part, &["--line"]));
    assert_eq!((&known["value"], &known["dtw_plies"]), (&all["value"], &all["dtw_plies"]));
    assert_eq!((&known["metric"], &known["line"]), (&Value::Null, &json!([])));
    let capture = json!({"move": "a2b2", "capture": "T", "value": "unknown", "dtw_plies": null, "missing": "R-E"});
    let moves = known["moves"].as_array().unwrap();
    assert_eq!(moves.last(), Some(&capture));
    let others: Vec<&Value> = all["moves"].as_array().unwrap().iter().filter(|it| it["move"] != "a2b2").collect();
    assert_eq!(moves[..moves.len() - 1].iter().collect::<Vec<_>>(), others);
}

#[test]
fn what_is_unknown_is_said_for_people_too() {
    let (_, part) = whole_and_part();
    let dsq = Dsq::in_folder(part.path());
    let text = dsq.run(&["probe", FEN, "--line"]).expect_code(0).stdout;
    for words in ["Black wins in 7 plies", "unknown", "R-E needs", "generate R-E", "no line of best play"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // None of the known moves wins as fast as the position is won, so the best one is not known.
    let short = dsq.run(&["probe", FEN, "--short"]).expect_code(0).stdout;
    assert_eq!(short, format!("{FEN}\twin\t7\t-\n"));
    // Where the position itself is in no table there is no answer.
    dsq.run(&["probe", "7/7/7/7/7/7/7/e5R/7 b"]).expect_code(3);
}

#[test]
fn games_are_judged_as_far_as_the_tables_go() {
    let (_, part) = whole_and_part();
    let record = part.path().join("games.jsonl");
    let game = |text: &str| json!({"fen": FEN, "moves": [text]}).to_string();
    fs::write(&record, [game("a2a3"), game("a2b2")].join("\n")).unwrap();
    let ran = Dsq::in_folder(part.path()).run(&["check", "games", record.to_str().unwrap(), "--json"]).expect_code(1);
    let moves: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&moves[0]["verdict"], &moves[0]["value_after"]), (&json!("win-to-loss"), &json!("loss")));
    assert_eq!((&moves[1]["verdict"], &moves[1]["value_before"]), (&json!("not-in-tables"), &json!("win")));
    assert_eq!(moves[1]["missing"], "R-E");
}
