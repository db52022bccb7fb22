//! Tables that are not there.

use super::{LOST, assert_says, dsq, some_tables};
use dsq_tests::program::Dsq;
use dsq_tests::{class_of, files_of};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

#[test]
fn a_folder_without_tables_is_named() {
    let folder = TempDir::new().unwrap();
    let (empty, nowhere) = (folder.path().join("empty"), folder.path().join("nowhere"));
    fs::create_dir(&empty).unwrap();
    for path in [&empty, &nowhere] {
        let dsq = Dsq::in_folder(path);
        for words in [&["probe", LOST][..], &["stats"], &["stats", "R-E"], &["verify"], &["export", "R-E"]] {
            assert_says(&dsq.run(words).refused_with(3), &[path.to_str().unwrap(), "no tables", "classic", "generate"]);
        }
        let list = dsq.clone().json().run(&["list"]).expect_code(0).json();
        assert_eq!((list["present"].as_u64(), list["missing"].as_u64()), (Some(0), Some(52)));
    }
    assert!(!nowhere.exists() && files_of(&empty).is_empty());
}

#[test]
fn a_missing_table_is_named_with_its_material() {
    let tables = some_tables(&["RL-E"]);
    let dsq = dsq(&tables);
    let fen = "c6/7/7/7/7/7/7/7/D4W1 w";
    for words in [&["probe", fen][..], &["stats", "WD-C"], &["verify", "WD-C"], &["export", "WD-C"]] {
        let line = dsq.run(words).expect_code(3).error_line();
        assert_says(&line, &["DW-C", ".dtw.dsq", "generate"]);
    }
    let ran = dsq.clone().json().run(&["probe", fen]);
    assert_eq!(ran.error_line(), dsq.run(&["probe", fen]).error_line());
    let said = ran.expect_code(3).json();
    let expected = json!({"position": fen, "error": "not in tables", "missing": "DW-C", "class": "DW-C"});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&said[key], value, "{key}");
    }
    // What can never be in a table is missing too.
    let start = dsq.json().run(&["probe", "startpos"]).expect_code(3).json();
    assert_eq!((&start["error"], &start["missing"]), (&json!("not in tables"), &json!("RCDWPTLE-RCDWPTLE")));
}

#[test]
fn a_missing_table_below_leaves_only_the_moves_unknown_that_need_it() {
    let tables = some_tables(&["RL-E"]);
    let below = class_of(tables.catalog(), "L-E");
    fs::remove_file(tables.tablebase().path_of(&below)).unwrap();
    let dsq = dsq(&tables);
    // Here the elephant may take the lion, which leaves the rat.
    let with_capture = "7/7/7/7/7/L6/e6/7/6R b";
    assert!(!dsq.run(&["probe", with_capture]).expect_code(0).stdout.contains("unknown"));
    // And here the rat, which leaves the lion: it stands in a trap.
    let takes_rat = "7/2eR3/7/7/7/7/7/7/L6 b";
    assert_says(&dsq.run(&["probe", takes_rat]).expect_code(0).stdout, &["unknown", "L-E"]);
}
