//! Records in other notations and of other rule sets.

use super::{C37, check, dsq, judged, play_out, record, texts};
use crate::program::tables;
use dsq_tables::board::{Side, Symmetry};
use dsq_tables::material::Material;
use dsq_tables::moves::Move;
use dsq_tables::rules::Rules;
use dsq_tests::program::Dsq;
use dsq_tests::{Random, Tables, catalog, class_of, random_position};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

#[test]
fn a_record_in_another_notation_gets_the_same_verdicts() {
    let tables = tables();
    let rules = tables.rules();
    let board = rules.board();
    let mirrored = |square| board.name(board.map(Symmetry::Mirror, square));
    let mut random = Random::new(77);
    let (mut ours, mut theirs) = (String::new(), String::new());
    for number in 1..=20 {
        let material = Material::parse(rules, random.pick::<&str>(&["LP-T", "R-E", "PT-L"])).unwrap();
        let start = random_position(rules, material, Side::White, &mut random);
        let moves = play_out(tables.tablebase(), &mut random, start);
        ours.push_str(&record(number, &start.to_fen(rules), &moves));
        let fen = start.mapped(rules, Symmetry::Mirror).to_fen(rules);
        // Small letters for White, L for the leopard and I for the lion.
        let swap = |c: char| match c {
            'L' => 'i',
            'l' => 'I',
            'P' => 'l',
            'p' => 'L',
            _ if c.is_uppercase() => c.to_ascii_lowercase(),
            _ => c.to_ascii_uppercase(),
        };
        let (cells, side) = fen.split_once(' ').unwrap();
        let fen = format!("{} {side}", cells.chars().map(swap).collect::<String>().replace('/', " "));
        let moves: Vec<(String, &'static str)> = moves
            .iter()
            .map(|(text, kind)| {
                let squares = Move::parse(board, text).unwrap();
                (mirrored(squares.from) + &mirrored(squares.to), *kind)
            })
            .collect();
        theirs.push_str(&record(number, &fen, &moves));
    }
    let (plain, first) = check(&[], &ours, 1);
    let options = ["--mirror", "--first", "lower", "--letters", "lion=I,leopard=L"];
    let (translated, second) = check(&options, &theirs, 1);
    let bare = |mut found: Value| {
        found.as_object_mut().unwrap().remove("written");
        found
    };
    assert_eq!(translated.into_iter().map(bare).collect::<Vec<_>>(), plain.into_iter().map(bare).collect::<Vec<_>>());
    assert_eq!(first["verdicts"], second["verdicts"]);
    // The same in a dialect file.
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("theirs.toml");
    let file = "title = \"theirs\"\n[notation]\nmirror = true\nfirst = \"lower\"\nletters = { lion = \"I\", leopard = \"L\" }\n";
    fs::write(&path, file).unwrap();
    let (_, third) = check(&["--dialect", path.to_str().unwrap()], &theirs, 1);
    assert_eq!(third, second);
    // Read as if it were ours it is refused or judged wrong, game by game, and never silently.
    let (_, wrong) = check(&[], &theirs, 2);
    assert_ne!(wrong["verdicts"], first["verdicts"]);
}

#[test]
fn a_dialect_that_cannot_be_is_refused() {
    let (_tables, dsq) = dsq();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bad.toml");
    fs::write(&path, "[notation]\nmirrored = true\n").unwrap();
    let path = path.to_str().unwrap();
    let refused = |words: &[&str]| {
        let words: Vec<&str> = ["check", "games", "-"].iter().chain(words).copied().collect();
        dsq.run_with_input(&words, "1. a3a4").refused_with(2)
    };
    let line = refused(&["--dialect", path]);
    assert!(line.contains("bad.toml: line 2") && line.contains("mirrored"), "{line}");
    assert!(refused(&["--dialect", "nowhere.toml"]).contains("nowhere.toml"));
    assert!(refused(&["--letters", "lion"]).contains("lion=I"));
    assert!(refused(&["--letters", "dragon=X"]).contains("dragon"));
    assert!(refused(&["--letters", "lion=P"]).contains("both leopard and lion"));
}

#[test]
fn the_start_array_of_a_record_is_told() {
    let (_, summary) = check(&[], "1. g3f3 a7b7 2. f3f4 * 1. a3b3 g7f7 2. b3b4 * 1. a3a4 *", 1);
    let arrays: Vec<&Value> = summary["games"].as_array().unwrap().iter().map(|game| &game["start_array"]).collect();
    assert_eq!(arrays, ["l5t/…/T5L", "t5l/…/L5T", "either"]);
    let notes = &summary["games"][1]["notes"];
    assert!(texts(notes)[0].contains("--mirror"), "{notes}");
    let (moves, summary) = check(&["--mirror"], "1. a3b3 g7f7 2. b3b4 *", 0);
    assert_eq!(summary["games"][0]["start_array"], "t5l/…/L5T");
    assert_eq!(moves.iter().map(|found| found["verdict"].as_str().unwrap()).collect::<Vec<_>>(), ["not-in-tables"; 3]);
}

#[test]
fn of_a_line_that_is_no_json_only_the_error_is_told() {
    let (_tables, dsq) = dsq();
    let ran = dsq.run_with_input(&["check", "games", "-"], "{\"moves\": [\"a3a4\"]}\n{\"moves\": [\"a3a4\", }\n");
    let ran = ran.expect_code(2);
    assert_eq!(ran.stdout.matches("start array").count(), 1, "{ran:#?}");
    assert!(ran.error_line().contains("line 2: game 2: column"), "{ran:#?}");
    let (_, summary) = check(&[], "{\"moves\": 3}\n", 2);
    assert_eq!(summary["games"][0]["start_array"], Value::Null);
}

#[test]
fn the_rules_tag_chooses_the_rule_set_and_the_option_overrides_it() {
    let tables = Tables::generate(&catalog("leiden", &[]), [class_of(&catalog("leiden", &[]), "E-R")]);
    let dsq = Dsq::in_folder(tables.folder());
    let tagged = "[Rules \"Leiden\"]\n[FEN \"7/7/7/7/7/7/Er5/7/7 w\"]\n1. a3b3 *\n";
    let (moves, summary) = judged(&dsq.clone().json().run_with_input(&["check", "games", "-"], tagged).expect_code(0));
    assert_eq!((&moves[0]["verdict"], &summary["games"][0]["rules"]), (&json!("best"), &json!("leiden")));
    let words = ["check", "games", "-", "--rules", "classic"];
    let (moves, summary) = judged(&dsq.clone().json().run_with_input(&words, tagged).expect_code(3));
    assert_eq!(moves[0]["verdict"], "illegal");
    assert!(texts(&moves[0]["legal_with"]).contains(&"elephant-takes-rat=true"), "{}", moves[0]);
    assert!(texts(&moves[0]["legal_in"]).contains(&"leiden"), "{}", moves[0]);
    assert!(texts(&summary["games"][0]["notes"])[0].contains("\"Leiden\""), "{summary}");
    // Without tables it is told how to make those of the tags.
    let folder = TempDir::new().unwrap();
    let limited = tagged.replacen('\n', "\n[DrawAfterQuietPlies \"60\"]\n", 1);
    for (record, words) in [
        (tagged.to_owned(), " generate --rules leiden"),
        (limited, " generate --rules leiden --set draw-after-quiet-plies=60"),
        ("1. a3a4 *".to_owned(), " generate"),
    ] {
        let ran = Dsq::in_folder(folder.path()).run_with_input(&["check", "games", "-"], record).expect_code(3);
        let (line, rest) = (ran.error_line(), [" --dir", "`"].map(|end| format!("{words}{end}")));
        assert!(rest.iter().any(|words| line.contains(words.as_str())), "{words}: {line}");
    }
    // A tag never names a file.
    let path = folder.path().join("own.toml");
    fs::write(&path, Rules::load("leiden").unwrap().spec().to_toml()).unwrap();
    let other = format!("[Rules \"{}\"]\n1. a3a4 *\n\n{tagged}", path.display());
    let ran = dsq.json().run_with_input(&["check", "games", "-"], other).expect_code(2);
    let line = ran.error_line();
    assert!(line.contains("line 1: game 1") && line.contains("--rules"), "{line}");
    let (moves, _) = judged(&ran);
    assert_eq!((moves.len(), &moves[0]["game"]), (1, &json!(2)));
}

#[test]
fn the_move_limit_of_the_rule_set_is_noted() {
    let record = format!("[FEN \"{C37} - - 10 30\"]\n1. c3d3 *");
    let (moves, summary) = check(&["--set", "draw-after-quiet-plies=30"], &record, 0);
    assert_eq!((&moves[0]["verdict"], &moves[0]["quiet_plies"]), (&json!("best"), &json!(10)));
    assert!(texts(&summary["games"][0]["notes"])[0].contains("30 plies"), "{summary}");
    let (moves, _) = check(&[], &record, 0);
    assert!(moves[0].get("quiet_plies").is_none());
}
