//! Play, good and bad, is judged exactly.

use super::{Check, verdict, verdicts};
use crate::program::check::text;
use crate::program::tables;
use dsq_tables::position::Position;
use dsq_tables::value::{Value, Wdl};
use dsq_tests::value;
use serde_json::Value as Json;
use std::collections::BTreeMap;

#[test]
fn our_engine_keeps_every_value_and_every_distance_of_300_positions() {
    let tables = tables();
    let engine = format!("'{}' --dir '{}' engine", dsq_tests::program::binary().display(), tables.folder().display());
    let check = Check::new(&tables, &["--count", "300", "--seed", "20", "--movetime", "1000", "--cmd", &engine]);
    let (moves, _, summary) = check.json(0);
    assert_eq!((moves.len(), verdicts(&moves)), (300, BTreeMap::from([("best", 300)])));
    for object in &moves {
        assert_eq!(verdict(&tables, object), "best", "{object}");
    }
    let engine = &summary["engines"][0];
    assert_eq!((engine["plies_lost"].as_u64(), engine["games"].as_u64()), (Some(0), Some(300)));
    assert!(text(engine, "name").starts_with("dsq "));
    let values: BTreeMap<&str, u64> = moves.iter().fold(BTreeMap::new(), |mut counts, object| {
        *counts.entry(text(object, "value_before")).or_default() += 1;
        counts
    });
    assert!(values["win"] > 50 && values["loss"] > 50, "{values:?}");
}

#[test]
fn our_engine_wins_every_won_game_in_as_many_plies_as_the_tables_say() {
    let tables = tables();
    let engine = format!("'{}' --dir '{}' engine", dsq_tests::program::binary().display(), tables.folder().display());
    let words = ["--mode", "play-out", "--count", "12", "--difficulty", "won:11,drawn:2,lost:10", "--max-plies", "60"];
    let (moves, games, summary) = Check::new(&tables, &[&words[..], &["--cmd", &engine]].concat()).json(0);
    assert_eq!(games.len(), 12);
    for game in &games {
        let rules = tables.rules();
        let start = value(tables.tablebase(), &Position::from_fen(rules, text(game, "position")).unwrap());
        let plies = game["plies"].as_u64().map(|plies| u32::try_from(plies).unwrap());
        match (start, text(game, "end")) {
            (Value::Win(_), "won") | (Value::Loss(_), "lost") => assert_eq!(plies, start.plies(), "{game}"),
            (Value::Draw, "drawn" | "unfinished") => {}
            _ => panic!("{game}"),
        }
    }
    assert!(moves.iter().all(|object| verdict(&tables, object) == "best"));
    let ends = &summary["engines"][0]["ends"];
    assert_eq!((ends["won"].as_u64(), ends["lost"].as_u64()), (Some(4), Some(4)), "{summary}");
}

#[test]
fn every_kind_of_bad_play_is_judged_exactly() {
    let tables = tables();
    let mut seen = BTreeMap::new();
    let tries = [("throw", "any,won:9,drawn:3"), ("slower", "won:9,lost:8"), ("worst", "any,drawn:3")];
    for (play, difficulty) in tries {
        let check =
            Check::new(&tables, &["--count", "240", "--difficulty", difficulty]).engine(&format!("--play {play}"));
        let (moves, _, summary) = check.json(i32::from(play != "slower"));
        assert_eq!(moves.len(), 240);
        for object in &moves {
            let own = verdict(&tables, object);
            assert_eq!(text(object, "verdict"), own, "{object}");
            *seen.entry(own).or_insert(0) += 1;
        }
        let engine = &summary["engines"][0];
        for (kind, count) in verdicts(&moves) {
            assert_eq!(engine["verdicts"][kind].as_u64(), Some(count), "{play} {kind}");
        }
        let at_stake = moves.iter().filter(|object| object["value_before"] != "loss").count();
        let kept = moves
            .iter()
            .filter(|object| object["value_before"] != "loss" && object["value_before"] == object["value_after"])
            .count();
        assert_eq!((engine["at_stake"].as_u64(), engine["kept"].as_u64()), (Some(at_stake as u64), Some(kept as u64)));
        let lost = |object: &&Json| object["value_before"] == object["value_after"] && object["dtw_before"].is_u64();
        let plies = |object: &Json, field| object[field].as_i64().unwrap();
        let lost: i64 = moves
            .iter()
            .filter(lost)
            .map(|object| (plies(object, "dtw_after") - plies(object, "dtw_before")).abs())
            .sum();
        assert_eq!(engine["plies_lost"].as_i64(), Some(lost), "{play}");
    }
    for kind in ["best", "slower", "faster-loss", "win-to-draw", "win-to-loss", "draw-to-loss"] {
        assert!(seen.get(kind).is_some_and(|&count| count >= 3), "{kind}: {seen:?}");
    }
}

#[test]
fn a_game_thrown_away_is_lost_against_perfect_play_and_a_win_never_taken_is_told() {
    let tables = tables();
    let words = ["--mode", "play-out", "--count", "8", "--max-plies", "40"];
    let worst = Check::new(&tables, &[&words[..], &["--difficulty", "won:9"]].concat()).engine("--play worst");
    let (moves, games, _) = worst.json(1);
    assert!(games.iter().any(|game| text(game, "end") == "lost"), "{games:?}");
    assert!(moves.iter().all(|object| text(object, "verdict") == verdict(&tables, object)));
    // In a game each move follows from the last.
    for game in &games {
        let own: Vec<u64> =
            moves.iter().filter(|m| m["game"] == game["game"]).map(|m| m["ply"].as_u64().unwrap()).collect();
        assert!(own.iter().zip(0u64..).all(|(&ply, index)| ply == 2 * index + 1), "{own:?}");
    }
    // It keeps the win for ever.
    let circles = Check::new(&tables, &[&words[..], &["--difficulty", "won:15"]].concat()).engine("--play slower");
    let (_, games, summary) = circles.json(1);
    let taken = games.iter().filter(|game| text(game, "end") == "won").count();
    let not_taken = summary["engines"][0]["wins_not_taken"].as_u64().unwrap();
    assert_eq!(taken as u64 + not_taken, 8, "{summary}");
    assert!(not_taken >= 4, "{summary}");
    assert!(games.iter().all(|game| game["win_not_taken"] == (text(game, "end") != "won")), "{games:?}");
}

#[test]
fn the_same_seed_asks_the_same_and_several_at_a_time_tell_the_same() {
    let tables = tables();
    let run = |words: &[&str]| {
        let check = Check::new(&tables, &[&["--count", "40"], words].concat()).engine("--play worst");
        let (moves, _, _) = check.json(1);
        moves
            .iter()
            .map(|object| (text(object, "position").to_owned(), text(object, "move").to_owned()))
            .collect::<Vec<_>>()
    };
    let one = run(&["--seed", "7"]);
    assert_eq!(one, run(&["--seed", "7", "--parallel", "4"]));
    assert_ne!(one, run(&["--seed", "8"]));
    let more = run(&["--seed", "7", "--material", "RL-E"]);
    assert!(more.iter().all(|(fen, _)| fen.matches(['R', 'L', 'e']).count() == 3), "{more:?}");
}

#[test]
fn positions_are_as_difficult_as_asked() {
    let tables = tables();
    let longest =
        |fen: &str| value(tables.tablebase(), &Position::from_fen(tables.rules(), fen).unwrap()).plies().unwrap();
    let draw = |difficulty: &str| {
        let check = Check::new(&tables, &["--count", "15", "--difficulty", difficulty]).engine("");
        let (moves, _, _) = check.json(0);
        assert_eq!(moves.len(), 15, "{difficulty}");
        moves.iter().map(|object| text(object, "position").to_owned()).collect::<Vec<_>>()
    };
    assert!(draw("won:21").iter().all(|fen| longest(fen) >= 21));
    assert!(draw("lost:20").iter().all(|fen| longest(fen) >= 20));
    let mean = |fens: Vec<String>| fens.iter().map(|fen| longest(fen)).sum::<u32>();
    assert!(mean(draw("lost:longest")) > 2 * mean(draw("lost")));
    assert!(mean(draw("won:longest")) > 2 * mean(draw("won")));
    for fen in draw("drawn:1") {
        let position = Position::from_fen(tables.rules(), &fen).unwrap();
        let moves = tables.tablebase().probe_moves_wdl(&position).unwrap();
        let keeping = moves.iter().filter(|(_, value)| *value == Wdl::Draw).count();
        assert!(keeping == 1 && moves.len() > 1, "{fen}");
    }
}
