//! Moves that throw something away: the cases, games with faults at known plies, and the verdicts beside the reference
//! solver, which has no code of the solver that makes tables.

use super::{C33, C35, C37, check, kind_of, play_out, record, texts, verdict};
use crate::program::tables;
use dsq_solver::reference;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use dsq_tables::value::{Value as Dtw, Wdl};
use dsq_tests::{Random, catalog, class_of, random_position};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

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
