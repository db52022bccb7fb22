//! Broken records and missing tables.

use super::{C33, C35, C37, check, dsq, judged};
use dsq_tests::program::Dsq;
use dsq_tests::{Tables, catalog, class_of, files_of};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

#[test]
fn a_broken_game_is_named_by_its_line_and_the_others_are_judged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.txt");
    let text = format!(
        "[FEN \"{C33}\"]\n1. c2c3 *\n\n[White \"W\"]\n[FEN \"7/7 w\"]\n1. c2c3 *\n\n[White \"broken]\n1. a3a4\n\n[FEN \"{C37}\"]\n\
         1. c3d3 nonsense\n\n[FEN \"{C35}\"]\n1. b3c3 {{open\n\n[FEN \"{C35}\"]\n1. b3a3 *\n"
    );
    fs::write(&path, text).unwrap();
    let (_tables, dsq) = dsq();
    let ran = dsq.json().run(&["check", "games", path.to_str().unwrap()]).expect_code(2);
    let said: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(said.len(), 4, "{ran:#?}");
    for (line, parts) in said.iter().zip([
        // Of the tag, which is not the first one.
        ["line 5: game 2:", "2 ranks"],
        ["line 8: game 3:", "a tag is"],
        ["line 12: game 4:", "\"nonsense\""],
        ["line 15: game 5:", "comment"],
    ]) {
        assert!(line.starts_with("dsq: ") && line.contains("games.txt: "), "{line}");
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    }
    let (moves, summary) = judged(&ran);
    let verdicts: Vec<(u64, &str)> =
        moves.iter().map(|found| (found["game"].as_u64().unwrap(), found["verdict"].as_str().unwrap())).collect();
    assert_eq!(verdicts, [(1, "win-to-loss"), (4, "best"), (5, "best"), (6, "win-to-draw")]);
    assert_eq!(summary["games"][1]["error"]["line"], 5);
    assert_eq!(summary["games"].as_array().unwrap().len(), 6);
}

#[test]
fn files_that_hold_no_games_are_refused() {
    let (_tables, dsq) = dsq();
    let folder = TempDir::new().unwrap();
    let empty = folder.path().join("empty.txt");
    fs::write(&empty, "\n*\n").unwrap();
    assert!(dsq.run(&["check", "games", empty.to_str().unwrap()]).refused_with(2).contains("no game"));
    assert!(dsq.run(&["check", "games", "nowhere.txt"]).refused_with(2).contains("nowhere.txt"));
    assert!(dsq.run(&["check", "games", folder.path().to_str().unwrap()]).refused_with(2).contains("directory"));
    assert_eq!(dsq.run(&["check", "games"]).code, Some(2));
    assert_eq!(dsq.run(&["check"]).code, Some(2));
}

#[test]
fn what_is_not_in_the_tables_is_no_error_unless_there_are_none() {
    let (moves, summary) = check(&[], "1. a3a4 a7a6 *", 0);
    assert!(moves.iter().all(|found| found["verdict"] == "not-in-tables" && found["value_before"].is_null()));
    assert_eq!((&summary["judged"], &summary["verdicts"]["not-in-tables"]), (&json!(0), &json!(2)));
    let folder = TempDir::new().unwrap();
    let ran = Dsq::in_folder(folder.path()).json().run_with_input(&["check", "games", "-"], "1. a3a4 *").expect_code(3);
    assert!(ran.error_line().contains("no tables of rule set classic"), "{ran:#?}");
    assert_eq!(judged(&ran).0[0]["verdict"], "not-in-tables");
}

#[test]
fn tables_without_distances_judge_the_value_alone() {
    let tables = Tables::generate(&catalog("classic", &[]), [class_of(&catalog("classic", &[]), "P-D")]);
    let folder = TempDir::new().unwrap();
    let wdl = Dsq::in_folder(folder.path());
    // Made from the tables with distances, which are taken away again.
    let rules_folder = folder.path().join("classic");
    fs::create_dir(&rules_folder).unwrap();
    for (name, bytes) in files_of(&tables.folder().join("classic")) {
        fs::write(rules_folder.join(name), bytes).unwrap();
    }
    let _ = wdl.run(&["generate", "P-D", "--metric", "wdl", "-q"]).expect_code(0);
    for name in files_of(&rules_folder).into_keys().filter(|name| name.ends_with(".dtw.dsq")) {
        fs::remove_file(rules_folder.join(name)).unwrap();
    }
    let record = format!("[FEN \"{C37}\"]\n1. c3c2 *");
    let (moves, _) = judged(&wdl.json().run_with_input(&["check", "games", "-"], record).expect_code(0));
    let found = &moves[0];
    assert_eq!((&found["verdict"], &found["metric"]), (&json!("best"), &json!("wdl")));
    assert_eq!(
        (&found["value_before"], &found["dtw_before"], &found["dtw_after"]),
        (&json!("win"), &Value::Null, &Value::Null)
    );
}

#[test]
fn a_damaged_table_ends_the_run() {
    let tables = Tables::generate(&catalog("classic", &[]), [class_of(&catalog("classic", &[]), "P-D")]);
    let path = tables.tablebase().path_of(&class_of(tables.catalog(), "P-D"));
    fs::write(&path, "no table").unwrap();
    let record = format!("[FEN \"{C37}\"]\n1. c3c2 *");
    let ran = Dsq::in_folder(tables.folder()).run_with_input(&["check", "games", "-"], record).expect_code(4);
    assert!(ran.error_line().contains(path.file_name().unwrap().to_str().unwrap()), "{ran:#?}");
}
