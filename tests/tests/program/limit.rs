//! The limit of plies without a capture, as the program tells of it.

use dsq_tests::program::Dsq;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// Won in 13 plies, with a capture in 5; the fastest moves are two, and one of them takes 9 plies to a capture.
const FEN: &str = "e6/5r1/7/3R3/3T3/7/7/7/7 w";
const LIMIT: [&str; 2] = ["--set", "draw-after-quiet-plies=11"];

fn tables() -> TempDir {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    dsq.run(&[&["generate", "--metric", "dtc", "RT-RE", "-q"], &LIMIT[..]].concat()).expect_code(0);
    folder
}

fn with_metric(metric: &str) -> Vec<&str> {
    [&["export", "RT-E", "--metric", metric][..], &LIMIT[..]].concat()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn probe_tells_who_wins_for_the_count_in_the_fen() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let probe = |fen: &str, more: &[&str]| {
        let words = [&["probe", fen, "--json"], more].concat();
        objects(&dsq.run(&words).expect_code(0).stdout).remove(0)
    };
    for (count, value) in
        [("", "win"), (" 6", "win"), (" - - 6 30", "win"), (" 7 12", "spoilt-win"), (" 11", "spoilt-win")]
    {
        let answer = probe(&format!("{FEN}{count}"), &LIMIT);
        assert_eq!(
            (&answer["value"], &answer["dtw_plies"], &answer["dtc_plies"]),
            (&json!("win"), &json!(13), &json!(5))
        );
        assert_eq!((&answer["limit"]["plies"], &answer["limit"]["value"]), (&json!(11), &json!(value)), "{count}");
    }
    let answer = probe(&format!("{FEN} 6"), &[&LIMIT[..], &["--line"]].concat());
    let of = |text: &str| {
        let moves = answer["moves"].as_array().unwrap();
        moves.iter().find(|record| record["move"] == json!(text)).unwrap().clone()
    };
    assert_eq!(answer["moves"][0], of("d6d7"));
    assert_eq!(
        of("d6d7"),
        json!({"move": "d6d7", "capture": null, "value": "win", "dtw_plies": 13, "dtc_plies": 5, "limit_value": "win"})
    );
    assert_eq!(
        of("d6c6"),
        json!({"move": "d6c6", "capture": null, "value": "win", "dtw_plies": 13, "dtc_plies": 9, "limit_value": "spoilt-win"})
    );
    assert_eq!((&answer["line"][0], &answer["line_end"]), (&json!("d6d7"), &json!("over")));
    let spoilt = probe(&format!("{FEN} 7"), &[&LIMIT[..], &["--line"]].concat());
    assert_eq!((spoilt["line"].as_array().unwrap().len(), &spoilt["line_end"]), (4, &json!("limit")));
    let text = dsq.run(&[&["probe", &format!("{FEN} 7"), "--line"], &LIMIT[..]].concat()).expect_code(0).stdout;
    for part in
        ["White wins in 13 plies", "(7 played): a draw, a cursed win for White", "until the limit makes it a draw"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn where_no_tables_for_the_limit_are_the_rest_is_told() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let other = ["--set", "draw-after-quiet-plies=12"];
    let answer = dsq.run(&[&["probe", FEN, "--json"], &other[..]].concat()).expect_code(0).stdout;
    let answer = objects(&answer).remove(0);
    assert_eq!(
        (&answer["dtw_plies"], &answer["limit"]),
        (&json!(13), &json!({"plies": 12, "quiet_plies": 0, "reached": false, "value": null}))
    );
    let text = dsq.run(&[&["probe", FEN], &other[..]].concat()).expect_code(0).stdout;
    assert!(text.contains("generate RT-RE --metric dtc --set draw-after-quiet-plies=12"), "{text}");
    // Without a limit nothing is said of one.
    let plain = objects(&dsq.run(&["probe", FEN, "--json"]).expect_code(0).stdout).remove(0);
    assert!(plain.get("limit").is_none() && plain.get("dtc_plies").is_none(), "{plain}");
    // A table under the name of another limit is not that table.
    let tables = folder.path().join("classic");
    fs::copy(tables.join("RT-RE.dtc11.dsq"), tables.join("RT-RE.dtc12.dsq")).unwrap();
    let refused = dsq.run(&[&["probe", FEN], &other[..]].concat()).expect_code(4);
    assert!(refused.stderr.contains("limit of plies without a capture is 11, expected 12"), "{}", refused.stderr);
}

#[test]
fn stats_list_and_verify_know_the_tables() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let with = |words: &[&'static str]| [words, &LIMIT[..]].concat();
    let stats =
        objects(&dsq.run(&with(&["stats", "RT-RE", "--metric", "dtc", "--json"])).expect_code(0).stdout).remove(0);
    assert_eq!((&stats["metric"], &stats["limit_plies"]), (&json!("dtc"), &json!(11)));
    let plain = objects(&dsq.run(&with(&["stats", "RT-RE", "--json"])).expect_code(0).stdout).remove(0);
    for (limited, plain) in stats["sides"].as_array().unwrap().iter().zip(plain["sides"].as_array().unwrap()) {
        let of = |record: &Value, field: &str| record[field].as_u64().unwrap();
        // What the limit spoils is counted apart.
        assert_eq!(of(limited, "won") + of(limited, "spoilt_wins"), of(plain, "won"));
        assert_eq!(of(limited, "lost") + of(limited, "saved_losses"), of(plain, "lost"));
        assert_eq!(of(limited, "drawn"), of(plain, "drawn"));
        assert!(of(limited, "spoilt_wins") > 0 && plain.get("spoilt_wins").is_none());
    }
    let text = dsq.run(&with(&["stats", "RT-RE", "--metric", "dtc"])).expect_code(0).stdout;
    assert!(text.contains("cursed win") && text.contains("blessed loss"), "{text}");
    let list = objects(&dsq.run(&with(&["list", "--json"])).expect_code(0).stdout).remove(0);
    let names = |field: &str| {
        list[field].as_array().unwrap().iter().filter(|table| table["status"] == json!("present")).count()
    };
    assert_eq!((names("dtc_tables"), names("tables")), (9, 9));
    let checked = objects(&dsq.run(&with(&["verify", "--json"])).expect_code(0).stdout);
    let metric = |metric: &str| checked.iter().filter(|record| record["metric"] == json!(metric)).count();
    assert_eq!((metric("dtc"), metric("dtw")), (9, 9));
    dsq.run(&["generate", "RT-E", "--metric", "wdl", "-q"]).expect_code(0);
    let rows = |metric: &str| {
        let text = dsq.run(&with_metric(metric)).expect_code(0).stdout;
        text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let (conversion, plain, without) = (rows("dtc"), rows("dtw"), rows("wdl"));
    let spoilt = conversion.iter().filter(|row| row[1] == "spoilt-win" && row[2].is_empty()).count() as u64;
    let stats =
        objects(&dsq.run(&with(&["stats", "RT-E", "--metric", "dtc", "--json"])).expect_code(0).stdout).remove(0);
    let counted = stats["sides"].as_array().unwrap().iter().map(|side| side["spoilt_wins"].as_u64().unwrap());
    assert_eq!(spoilt, counted.sum::<u64>());
    assert_eq!((conversion.len(), without.len()), (plain.len(), plain.len()));
    for ((limited, plain), without) in conversion.iter().zip(&plain).zip(&without).skip(1) {
        let bare = match limited[1].as_str() {
            "spoilt-win" => "win",
            "saved-loss" => "loss",
            other => other,
        };
        assert_eq!((&limited[0], bare), (&plain[0], plain[1].as_str()));
        assert_eq!((&without[1], without[2].as_str()), (&plain[1], ""));
    }
    // Who wins without the limit is in the other table.
    fs::remove_file(folder.path().join("classic/RT-RE.dtw.dsq")).unwrap();
    let missing = dsq.run(&with(&["verify", "RT-RE"])).expect_code(3);
    assert!(missing.stderr.contains("RT-RE.dtw.dsq"), "{}", missing.stderr);
}

#[test]
fn games_are_judged_under_the_limit_of_the_option_or_the_record() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let game = |tag: &str, text: &str| {
        let path = folder.path().join("game.txt");
        fs::write(&path, format!("[FEN \"{FEN} 6\"]\n{tag}\n{text} *\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let check = |path: &str, more: &[&str], code: i32| {
        let words = [&["check", "games", path, "--json"], more].concat();
        objects(&dsq.run(&words).expect_code(code).stdout)
    };
    let tag = "[DrawAfterQuietPlies \"11\"]";
    for (path, more) in [(game("", "d6c6"), &LIMIT[..]), (game(tag, "d6c6"), &[])] {
        let verdict = check(&path, more, 1).remove(0);
        let fields =
            ["verdict", "value_before", "value_after", "limit_before", "limit_after", "kept_by", "quiet_plies"];
        let expected = json!(["win-to-draw", "win", "draw", "win", "spoilt-win", ["d6d7"], 6]);
        assert_eq!(json!(fields.map(|field| verdict[field].clone())), expected);
    }
    // Without the limit the move is as good as the other.
    assert_eq!(check(&game("", "d6c6"), &[], 0)[0]["verdict"], json!("best"));
    assert_eq!(check(&game(tag, "d6d7"), &[], 0)[0]["limit_after"], json!("win"));
    // The option counts, and that is said; no tables are there for it.
    let records = check(&game(tag, "d6c6"), &["--set", "draw-after-quiet-plies=60"], 0);
    let notes = records.last().unwrap()["games"][0]["notes"].to_string();
    assert!(notes.contains("judged with 60, as --set says"), "{notes}");
    // Lines of JSON have it as well.
    let lines = folder.path().join("games.jsonl");
    let line = json!({"fen": format!("{FEN} 6"), "draw_after_quiet_plies": 11, "moves": ["d6c6"]});
    fs::write(&lines, format!("{line}\n")).unwrap();
    assert_eq!(check(lines.to_str().unwrap(), &[], 1)[0]["verdict"], json!("win-to-draw"));
    // A move that wins sooner than the best one under the limit has lost no plies: d6d7 is best, and d6c6 as fast.
    fs::write(&lines, format!("{}\n", json!({"fen": FEN, "draw_after_quiet_plies": 11, "moves": ["d6c6"]}))).unwrap();
    let sooner = check(lines.to_str().unwrap(), &[], 0).remove(0);
    assert_eq!((&sooner["verdict"], sooner.get("plies_lost")), (&json!("best"), None));
    let wrong = game("[DrawAfterQuietPlies \"soon\"]", "d6c6");
    let refused = dsq.run(&["check", "games", &wrong]).expect_code(2);
    assert!(refused.stderr.contains("draw-after-quiet-plies"), "{}", refused.stderr);
}

#[test]
fn the_engine_keeps_the_win_under_the_limit() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let told = |fen: &str| {
        let input = format!("position fen {fen}\ngo depth 1\nquit\n");
        dsq.run_with_input(&[&["engine"], &LIMIT[..]].concat(), input).expect_code(0).stdout
    };
    let won = told(&format!("{FEN} - - 6 9"));
    assert!(won.contains("win under the limit") && won.contains("bestmove d6d7"), "{won}");
    // The count goes on with the moves: four of them lead back here.
    let back = "moves d5d4 a9b9 d4d5 b9a9";
    let won = told(&format!("{FEN} - - 2 1 {back}"));
    assert!(won.contains("string win under") && won.contains("bestmove d6d7"), "{won}");
    assert!(told(&format!("{FEN} - - 11 1")).contains("bestmove 0000"));
    let spoilt = told(&format!("{FEN} - - 3 1 {back}"));
    assert!(spoilt.contains("spoilt-win under the limit"), "{spoilt}");
}

#[test]
fn a_suggested_command_makes_what_is_missing() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    dsq.run(&["generate", "R-E", "-q"]).expect_code(0);
    let missing = dsq.run(&[&["stats", "R-E", "--metric", "dtc"], &LIMIT[..]].concat()).expect_code(3);
    let wanted = "generate R-E --metric dtc --set draw-after-quiet-plies=11";
    assert!(missing.stderr.contains(wanted), "{}", missing.stderr);
    let probe = [&["probe", "7/7/7/7/7/7/1e5/7/R6 w"], &LIMIT[..]].concat();
    let told = dsq.run(&probe).expect_code(0).stdout;
    assert!(told.contains(wanted), "{told}");
    // Without a limit the tables of distances to win are made too, so that positions can be asked about.
    dsq.run(&["generate", "T-L", "--metric", "dtc", "-q"]).expect_code(0);
    let told = dsq.run(&["probe", "t6/7/L6/7/7/7/7/7/7 w"]).expect_code(0).stdout;
    assert!(told.contains("to capture or end") && !told.contains("limit"), "{told}");
}

#[test]
fn what_is_known_of_a_limit_is_told_where_tables_are_missing() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let probe = |fen: &str, more: &[&str]| dsq.run(&[&["probe", fen], more, &LIMIT[..]].concat()).expect_code(0).stdout;
    let short = |fen: &str| {
        probe(fen, &["--short"]).trim_end().split('\t').map(str::to_owned).collect::<Vec<_>>()[1..].to_vec()
    };
    assert_eq!(short(&format!("{FEN} 6")), ["win", "13", "d6d7", "win"]);
    assert_eq!(short(&format!("{FEN} 7")), ["win", "13", "d6c6", "spoilt-win"]);
    assert_eq!(short("3R3/7/7/7/7/7/7/7/c6 b"), ["finished", "-", "-", "finished"]);
    assert!(probe(&format!("{FEN} 11"), &[]).contains("the game is a draw, the limit is reached"));
    // A table that a capture leads to is gone: the position itself is known all the same.
    let near = "7/7/7/3r3/3T3/7/e6/R6/7 w";
    let whole = objects(&probe(near, &["--json"])).remove(0);
    assert!(whole["moves"].as_array().unwrap().iter().any(|record| record["capture"] == json!("R")));
    fs::remove_file(folder.path().join("classic/RT-E.dtc11.dsq")).unwrap();
    let partly = objects(&probe(near, &["--json"])).remove(0);
    assert_eq!((&partly["limit"], &partly["dtc_plies"]), (&whole["limit"], &whole["dtc_plies"]));
    assert!(partly["moves"][0].get("limit_value").is_none(), "{partly}");
    assert!(probe(near, &[]).contains("a move leads to is missing"), "{}", probe(near, &[]));
    // Tables without distances alone say nothing of it, which is said.
    let wdl = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(wdl.path());
    dsq.run(&["generate", "R-E", "--metric", "wdl", "-q"]).expect_code(0);
    let words = [&["probe", "7/7/7/7/7/7/1e5/7/R6 w 9", "--json"], &LIMIT[..]].concat();
    let answer = objects(&dsq.run(&words).expect_code(0).stdout).remove(0);
    assert_eq!(answer["limit"], json!({"plies": 11, "quiet_plies": 9, "reached": false, "value": null}));
}

#[test]
fn a_game_that_reaches_the_limit_is_over() {
    let folder = tables();
    let dsq = Dsq::in_folder(folder.path());
    let path = folder.path().join("game.txt");
    let game = |moves: &str, result: &str| {
        let text =
            format!("[FEN \"{FEN} 9\"]\n[DrawAfterQuietPlies \"11\"]\n[Result \"{result}\"]\n{moves} {result}\n");
        fs::write(&path, text).unwrap();
        let words = ["check", "games", path.to_str().unwrap(), "--json"];
        let mut records = objects(&dsq.run(&words).expect_code(0).stdout);
        let summary = records.pop().unwrap();
        (records.len(), summary["games"][0].clone())
    };
    let (judged, summary) = game("d5d4 a9b9 d4d5 b9a9", "1-0");
    assert_eq!((judged, &summary["unjudged"], &summary["decided"]), (2, &json!(2), &json!("1/2-1/2")));
    assert_eq!(summary["result_contradicted"], json!(true));
    let notes = summary["notes"].to_string();
    assert!(notes.contains("after ply 2 the game was a draw: 11 plies without a capture; 2 moves after it"), "{notes}");
    let (judged, summary) = game("d5d4 a9b9", "1/2-1/2");
    assert_eq!((judged, &summary["unjudged"], &summary["result_contradicted"]), (2, &json!(0), &json!(false)));
    let (_, summary) = game("d5d4", "*");
    assert_eq!(summary["decided"], Value::Null);
}

#[test]
fn the_engine_sees_the_limit_in_its_search() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    // The rat on d6 is two plies from nowhere: a den entry next ply is a win, and a longer way is a draw.
    let best = |fen: &str, limit: &str| {
        let input = format!("position fen {fen}\ngo depth 6\nquit\n");
        let set = format!("draw-after-quiet-plies={limit}");
        dsq.run_with_input(&["engine", "--set", &set], input).expect_code(0).stdout
    };
    let fen = "7/7/3L3/7/7/7/7/7/r5l w";
    assert!(best(&format!("{fen} - - 0 1"), "60").contains("score mate"), "{}", best(fen, "60"));
    assert!(!best(&format!("{fen} - - 59 1"), "60").contains("score mate"));
    assert!(best(&format!("{fen} - - 57 1"), "60").contains("score mate"));
}

#[test]
fn positions_with_a_count_are_refused_where_it_cannot_be_told() {
    let folder = tables();
    let path = folder.path().join("positions.txt");
    fs::write(&path, format!("{FEN}\n{FEN} 6\n")).unwrap();
    let dsq = Dsq::in_folder(folder.path());
    let words = ["check", "engine", "--cmd", "true", "--positions", path.to_str().unwrap()];
    let refused = dsq.run(&[&words, &LIMIT[..]].concat()).expect_code(2);
    assert!(refused.stderr.contains("line 2: a halfmove clock of 6 plies"), "{}", refused.stderr);
}
