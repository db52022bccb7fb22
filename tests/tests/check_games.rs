//! `dsq check games`: records judged by the program, and held against what is known otherwise: the cases, faults put into
//! games at known plies, and the values of the reference solver.

use dsq_solver::reference;
use dsq_tables::board::{Side, Symmetry};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::{Value as Dtw, Wdl};
use dsq_tests::program::{Dsq, Ran};
use dsq_tests::{Random, Shared, Tables, catalog, class_of, files_of, random_position};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

const C33: &str = "7/7/7/7/7/7/D4t1/2L4/7 w";
const C35: &str = "D6/7/2t4/7/7/7/1P5/7/7 w";
const C37: &str = "7/7/7/7/7/7/2P4/6d/7 w";

/// All tables of up to three pieces, only to be read.
fn tables() -> Arc<Tables> {
    static SHARED: Shared = Shared::new();
    SHARED.get(|| Tables::up_to("classic", &[], 3))
}

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

// The cases.

#[test]
fn c33_the_win_that_is_thrown_away_is_found() {
    let found = verdict(C33, "c2c3", 1);
    let expected = json!({"game": 1, "ply": 1, "position": C33, "move": "c2c3", "value_before": "win", "value_after": "loss",
        "dtw_before": 15, "dtw_after": 8, "verdict": "win-to-loss"});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&found[key], value, "{key}");
    }
    let mut best = texts(&found["best"]);
    best.sort_unstable();
    assert_eq!(best, ["a3a2", "a3a4", "a3b3", "c2d2"]);
}

#[test]
fn c35_only_one_move_keeps_the_win() {
    for (text, kind, after, plies) in [
        ("b3a3", "win-to-draw", "draw", Value::Null),
        ("a9b9", "win-to-draw", "draw", Value::Null),
        ("a9a8", "win-to-loss", "loss", json!(8)),
    ] {
        let found = verdict(C35, text, 1);
        assert_eq!((&found["verdict"], &found["value_after"]), (&json!(kind), &json!(after)), "{text}");
        assert_eq!((&found["dtw_before"], &found["dtw_after"]), (&json!(19), &plies), "{text}");
        assert_eq!(texts(&found["kept_by"]), ["b3c3"], "{text}");
    }
    assert_eq!(verdict(C35, "b3c3", 0)["verdict"], "best");
}

#[test]
fn c37_a_slower_win_is_told_with_what_it_costs_and_is_no_fault() {
    let found = verdict(C37, "c3c2", 0);
    assert_eq!((&found["verdict"], &found["value_after"]), (&json!("slower"), &json!("win")));
    assert_eq!((&found["dtw_before"], &found["dtw_after"], &found["plies_lost"]), (&json!(25), &json!(29), &json!(4)));
}

// Games with faults at known plies.

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

#[test]
fn faults_at_known_plies_are_found_and_nothing_else() {
    let tables = tables();
    let tablebase = tables.tablebase();
    let rules = tables.rules();
    let mut random = Random::new(5);
    let materials: Vec<Material> = [2, 3].iter().flat_map(|&pieces| Material::all(rules, pieces)).collect();
    let (mut text, mut games) = (String::new(), Vec::new());
    while games.len() < 200 {
        let turn = *random.pick(&Side::BOTH);
        let start = random_position(rules, *random.pick(&materials), turn, &mut random);
        let moves = play_out(tablebase, &mut random, start);
        if moves.len() > 4 {
            text.push_str(&record(games.len() + 1, &start.to_fen(rules), &moves));
            games.push((start, moves));
        }
    }
    let count = |kind: &str| games.iter().flat_map(|(_, moves)| moves).filter(|(_, other)| *other == kind).count();
    // The sample has enough of everything for the test to mean something.
    for kind in ["best", "slower", "faster-loss", "win-to-draw", "win-to-loss", "draw-to-loss"] {
        assert!(count(kind) > 3, "{kind}: {}", count(kind));
    }
    let (moves, summary) = check(&[], &text, 1);
    let mut found = moves.iter();
    for (number, (start, moves)) in games.iter().enumerate() {
        let mut position = *start;
        for (ply, (played, kind)) in moves.iter().enumerate() {
            let found = found.next().unwrap();
            let place = (&found["game"], &found["ply"], &found["position"]);
            assert_eq!(place, (&json!(number + 1), &json!(ply + 1), &json!(position.to_fen(rules))));
            assert_eq!((&found["move"], &found["verdict"]), (&json!(played), &json!(kind)), "{found}");
            let all = tablebase.probe_moves(&position).unwrap();
            let (legal, after) =
                *all.iter().find(|(legal, _)| legal.squares.to_text(rules.board()) == *played).unwrap();
            let before = all[0].1;
            assert_eq!((&found["value_before"], &found["dtw_before"]), (&json!(before.name()), &json!(before.plies())));
            assert_eq!((&found["value_after"], &found["dtw_after"]), (&json!(after.name()), &json!(after.plies())));
            if *kind != "best" {
                let kept = all.iter().filter(|(_, value)| Wdl::from(*value) == Wdl::from(before));
                let kept: Vec<String> = kept.map(|(legal, _)| legal.squares.to_text(rules.board())).collect();
                assert_eq!(texts(&found["kept_by"]), kept);
            }
            position = position.after(&legal);
        }
    }
    assert!(found.next().is_none());
    for (kind, number) in summary["verdicts"].as_object().unwrap() {
        assert_eq!(number, count(kind), "{kind}");
    }
    assert_eq!(summary["games"].as_array().unwrap().len(), games.len());
    let by = |list: &str, field: &str| -> u64 {
        summary[list].as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
    };
    for field in ["moves", "judged", "at_stake", "kept", "plies_lost"] {
        assert_eq!(by("by_player", field), summary[field], "{field}");
        assert_eq!(by("by_material", field), summary[field], "{field}");
    }
    let players: Vec<&Value> = summary["by_player"].as_array().unwrap().iter().map(|row| &row["player"]).collect();
    assert_eq!(players, ["Anna", "Bert 0", "Bert 1"]);
}

// The verdicts beside the reference solver, which has no code of the tables' solver.

/// Solves classes by the reference solver alone, with everything below them.
struct Reference {
    catalog: Arc<Catalog>,
    solved: HashMap<Material, reference::Solution>,
}

impl Reference {
    fn of(catalog: &Arc<Catalog>, classes: impl IntoIterator<Item = Arc<Class>>) -> Reference {
        let mut reference = Reference { catalog: catalog.clone(), solved: HashMap::new() };
        let mut classes = catalog.closure(classes);
        classes.sort_by_key(|class| class.material().count());
        for class in classes {
            let solution = reference::solve(catalog, &class, &|position| reference.value(position)).unwrap();
            reference.solved.insert(class.material(), solution);
        }
        reference
    }

    /// The value for the side to move, a finished game included.
    fn value(&self, position: &Position) -> Dtw {
        if let Some(finished) = position.finished(self.catalog.rules()) {
            assert_ne!(finished.winner, position.turn(), "nobody has won by a move of the other side");
            return Dtw::Loss(0);
        }
        let member = self.catalog.member(Material::of(position)).unwrap();
        let route = member.route(position.turn());
        let number = member.class().index().number(&route.squares(position).unwrap());
        let side = &self.solved[&member.class().material()].sides[route.side().index()];
        Dtw::from_code(side[usize::try_from(number).unwrap()])
    }
}

#[test]
fn verdicts_agree_with_the_values_of_the_reference_solver() {
    let catalog = catalog("classic", &[]);
    let rules = catalog.rules();
    let names = ["R-E", "E-R", "T-L", "C-D", "RL-E", "E-RL", "PD-T", "T-RC", "CW-P", "E-DL", "RT-R"];
    let reference = Reference::of(&catalog, names.map(|name| class_of(&catalog, name)));
    let mut random = Random::new(35);
    let (mut text, mut expected) = (String::new(), Vec::new());
    while expected.len() < 1000 {
        let material = Material::parse(rules, random.pick::<&str>(&names)).unwrap();
        let turn = *random.pick(&Side::BOTH);
        let position = random_position(rules, material, turn, &mut random);
        let moves = position.legal_moves(rules);
        if moves.is_empty() {
            continue;
        }
        let legal = *random.pick(&moves);
        let played = legal.squares.to_text(rules.board());
        let before = reference.value(&position);
        let after = reference.value(&position.after(&legal)).before_move();
        let best = moves.iter().map(|legal| reference.value(&position.after(legal)).before_move()).max().unwrap();
        assert_eq!(before, best, "the reference agrees with itself");
        let fen = position.to_fen(rules);
        writeln!(text, "{}", json!({"fen": fen, "moves": [played]})).unwrap();
        expected.push((fen, played, before, after));
    }
    let kinds = |kind: &str| expected.iter().filter(|(_, _, before, after)| kind_of(*before, *after) == kind).count();
    for kind in ["best", "slower", "faster-loss", "win-to-draw", "win-to-loss", "draw-to-loss"] {
        assert!(kinds(kind) > 3, "{kind}: {}", kinds(kind));
    }
    let (moves, _) = check(&[], &text, 1);
    assert_eq!(moves.len(), expected.len());
    for (found, (fen, played, before, after)) in moves.iter().zip(expected) {
        let outcome = |value: Dtw| (json!(value.name()), json!(value.plies()));
        assert_eq!((&found["position"], &found["move"]), (&json!(fen), &json!(played)));
        assert_eq!((found["value_before"].clone(), found["dtw_before"].clone()), outcome(before), "{found}");
        assert_eq!((found["value_after"].clone(), found["dtw_after"].clone()), outcome(after), "{found}");
        assert_eq!(found["verdict"], kind_of(before, after), "{found}");
    }
}

// Dialects.

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

// Rule sets.

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

// Broken records and missing tables.

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

// Many illegal moves of one cause.

#[test]
fn many_illegal_moves_of_one_cause_are_told_once_with_what_cures_them() {
    // Small letters for White, who begins.
    let fens = ["d6/7/2T4/7/7/7/1p5/7/7 w", "7/7/7/7/7/7/2p4/6D/7 w", "7/7/7/7/7/7/d4T1/2l4/7 w"];
    let moves = ["b3c3", "c3d3", "c2d2"];
    let games = fens.iter().zip(moves).cycle().take(9);
    let text: String = games.map(|(fen, text)| format!("[FEN \"{fen}\"]\n1. {text} *\n\n")).collect();
    let (moves, summary) = check(&[], &text, 1);
    assert_eq!(moves.len(), 9);
    for found in &moves {
        assert_eq!(found["verdict"], "illegal");
        assert!(found["reason"].as_str().unwrap().contains("whose turn it is"), "{found}");
    }
    let hints = texts(&summary["hints"]);
    assert_eq!(hints.len(), 1, "{hints:?}");
    assert!(hints[0].starts_with("9 of 9 illegal moves") && hints[0].contains("--first lower"), "{hints:?}");
    let (_tables, dsq) = dsq();
    let ran = dsq.run_with_input(&["check", "games", "-"], text.clone()).expect_code(1);
    assert_eq!(ran.stdout.matches("--first lower").count(), 1, "{}", ran.stdout);
    // One board, and one line for each of the others.
    assert_eq!(ran.stdout.matches("   a b c d e f g").count(), 1, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("(as in game 1, ply 1)").count(), 8, "{}", ran.stdout);
    // It is the cure.
    let (moves, summary) = check(&["--first", "lower"], &text, 0);
    assert!(moves.iter().all(|found| found["verdict"] == "best"), "{moves:?}");
    assert_eq!(summary["hints"], json!([]));
}

#[test]
fn every_common_cause_of_illegal_moves_is_named() {
    let hints = |text: &str| {
        let (_, summary) = check(&[], text, 1);
        summary["hints"].to_string()
    };
    // A record that Black begins, and what reads it.
    assert!(hints("1. a7a6 g3g4 *").contains("startpos b"));
    let (moves, _) = check(&[], "[FEN \"startpos b\"]\n1. a7a6 g3g4 *", 0);
    assert_eq!(moves.len(), 2);
    // Left and right exchanged, with and without a FEN.
    assert!(hints(&"1. a3b3 g7f7 2. b3b4 *\n".repeat(3)).contains("--mirror"));
    let mirrored = "[FEN \"7/7/7/7/7/7/D6/7/6e w\"]\n1. g3f3 *\n\n".repeat(3);
    assert!(hints(&mirrored).contains("--mirror"));
    // Another rule.
    let rule = "[FEN \"7/7/7/7/7/7/Er5/7/7 w\"]\n1. a3b3 *\n\n".repeat(3);
    assert!(hints(&rule).contains("3 of 3 illegal moves would be legal with --set elephant-takes-rat=true"));
    // Different causes have no common hint.
    let several = format!("{}{}", "[FEN \"7/7/7/7/7/7/Er5/7/7 w\"]\n1. a3b3 *\n\n".repeat(2), "1. a3a7 *\n".repeat(2));
    assert_eq!(hints(&several), "[]");
}

// Results.

#[test]
fn a_result_that_the_last_position_contradicts_is_told() {
    let den = "7/3C3/7/7/7/7/7/7/e6 w";
    let last = "7/7/7/7/7/7/Ec5/7/7 w";
    for (fen, text, told, decided, why) in [
        (den, "d8d9", "0-1", "1-0", "a piece of white stands in the den on d9"),
        (den, "d8d9", "1/2-1/2", "1-0", "den"),
        (last, "a3b3", "0-1", "1-0", "black has no pieces left"),
    ] {
        let tag = format!("[Result \"{told}\"]\n[FEN \"{fen}\"]\n1. {text} *");
        let behind = format!("[FEN \"{fen}\"]\n1. {text} {told}");
        let object = json!({"fen": fen, "moves": [text], "result": told}).to_string();
        for record in [tag, behind, object] {
            let (_, summary) = check(&[], &record, 0);
            let game = &summary["games"][0];
            let fields = (&game["result"], &game["decided"], &game["result_contradicted"]);
            assert_eq!(fields, (&json!(told), &json!(decided), &json!(true)), "{record}");
            let notes = texts(&game["notes"]);
            let words = format!("the record says {told}, the last position {decided}: ");
            assert!(notes.iter().any(|note| note.starts_with(&words) && note.contains(why)), "{notes:?}");
        }
    }
    let (_tables, dsq) = dsq();
    let record = format!("[Result \"0-1\"]\n[FEN \"{den}\"]\n1. d8d9 0-1");
    let ran = dsq.run_with_input(&["check", "games", "-"], record).expect_code(0);
    assert!(ran.stdout.contains("the record says 0-1, the last position 1-0"), "{}", ran.stdout);
    // Nothing is contradicted by what goes together, says nothing, or is not over.
    for (record, result, decided) in [
        (format!("[Result \"1-0\"]\n[FEN \"{den}\"]\n1. d8d9 1-0"), json!("1-0"), json!("1-0")),
        (format!("[Result \"*\"]\n[FEN \"{den}\"]\n1. d8d9 *"), Value::Null, json!("1-0")),
        (format!("[Result \"0-1\"]\n[FEN \"{den}\"]\n1. d8c8 0-1"), json!("0-1"), Value::Null),
        // A move behind the break is missing.
        (format!("[Result \"0-1\"]\n[FEN \"{den}\"]\n1. d8d7 a1a2 2. a2a9 0-1"), json!("0-1"), Value::Null),
    ] {
        let code = i32::from(record.contains("a2a9"));
        let (_, summary) = check(&[], &record, code);
        let game = &summary["games"][0];
        let fields = (&game["result"], &game["decided"], &game["result_contradicted"]);
        assert_eq!(fields, (&result, &decided, &json!(false)), "{record}");
        assert_eq!(game["notes"], json!([]), "{record}");
    }
    // A side without a move: what that means is for the rule set to say.
    let record = "[Result \"1-0\"]\n[FEN \"7/7/7/7/7/7/D6/7/rC4E w\"]\n1. a3a2 *";
    let (_, summary) = check(&[], record, 0);
    let game = &summary["games"][0];
    assert_eq!((&game["decided"], &game["result_contradicted"]), (&json!("1-0"), &json!(false)), "{summary}");
    let (_, summary) = check(&["--set", "no-move=draw"], record, 3);
    let game = &summary["games"][0];
    assert_eq!((&game["decided"], &game["result_contradicted"]), (&json!("1/2-1/2"), &json!(true)), "{summary}");
    assert!(summary["games"][0]["notes"].to_string().contains("black has no legal move"));
    // The two places of a record can differ.
    let (_, summary) = check(&[], &format!("[Result \"1-0\"]\n[FEN \"{den}\"]\n1. d8d9 0-1"), 0);
    let notes = summary["games"][0]["notes"].to_string();
    assert!(notes.contains("the tag Result says 1-0, but 0-1 stands after the moves"), "{notes}");
    assert!(notes.contains("the record says 0-1, the last position 1-0"), "{notes}");
}

// The reports.

#[test]
fn the_report_shows_each_fault_with_its_board() {
    let (_tables, dsq) = dsq();
    let text = format!(
        "[White \"Anna\"]\n[Black \"Bert\"]\n[FEN \"{C33}\"]\n1. c2c3 *\n\n[FEN \"{C37}\"]\n1. c3c2 *\n\n\
         [FEN \"7/7/7/7/7/eR5/7/7/7 w\"]\n1. b4a4 b4b5 *\n"
    );
    let ran = dsq.run_with_input(&["check", "games", "-"], text.clone()).expect_code(1);
    for part in [
        "Anna - Bert",
        "game 1, ply 1, white (Anna): c2c3 turns a win in 15 plies into a loss in 8 plies",
        "   3  D . . . . t .",
        "kept the win: c2d2 a3a2 a3b3 a3a4 (15 plies)",
        "game 2, ply 1, white: c3c2 wins in 29 plies instead of 25 plies",
        "b4a4 is illegal: the white rat on b4 may not take the black elephant on a4",
        "legal with --set rat-takes-elephant=always",
        "1 move after that not judged",
        "3 games, 3 moves, 2 judged by the tables, 2 faults",
        "DL-T",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is not in {}", ran.stdout);
    }
    let brief = dsq.run_with_input(&["check", "games", "-", "-q"], text).expect_code(1);
    assert!(!brief.stdout.contains("instead of 25") && brief.stdout.contains("c2c3"), "{}", brief.stdout);
}

#[test]
fn the_page_is_whole_and_takes_nothing_from_the_record_as_its_own() {
    let (_tables, dsq) = dsq();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("report.html");
    fs::write(&path, "the old page").unwrap();
    let text = format!(
        "[White \"<script>alert('x')</script>\"]\n[Black \"\\\"><img src=x onerror=y>\"]\n[FEN \"{C33}\"]\n1. c2c3 *\n\n\
         [FEN \"{C37}\"]\n1. c3c2 <b>bad</b>\n"
    );
    let ran = dsq.run_with_input(&["check", "games", "-", "--html", path.to_str().unwrap()], text).expect_code(2);
    assert!(ran.stdout.contains("1 fault"), "{ran:#?}");
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    for forbidden in ["<script", "<img", "<b>bad", "http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.replace("src=x onerror", "").contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert_eq!(page.matches("<svg").count(), 1, "one fault, one board");
    assert!(page.contains("c2c3") && page.contains("instead of 25") && page.contains("DL-T"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left in the folder");
    // A page that cannot be written is said, and the report is there all the same.
    let nowhere = folder.path().join("no/such/folder.html");
    let record = format!("[FEN \"{C37}\"]\n1. c3c2 *");
    let ran = dsq.run_with_input(&["check", "games", "-", "--html", nowhere.to_str().unwrap()], record).expect_code(2);
    assert!(ran.error_line().contains("folder.html") && ran.stdout.contains("1 game"), "{ran:#?}");
}
