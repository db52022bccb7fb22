//! `dsq probe`.

use super::{DRAWN, LOST, WON, assert_says, dsq, keys, only, tables};
use dsq_tables::board::Side;
use dsq_tables::material::Material;
use dsq_tables::moves::Move;
use dsq_tables::rules::Rules;
use dsq_tests::program::Dsq;
use dsq_tests::{position, value};
use serde_json::{Value, json};
use tempfile::TempDir;

const PROBE_KEYS: [&str; 5] = ["position", "side_to_move", "value", "dtw_plies", "moves"];

/// Whether the moves of a line are legal and end where a position of the line comes up again.
fn leads_back(fen: &str, line: &[&str]) -> bool {
    let rules = Rules::load("classic").unwrap();
    let mut seen = vec![position(&rules, fen)];
    for text in line {
        let here = seen[seen.len() - 1];
        let moves = here.legal_moves(&rules);
        let legal = moves.iter().find(|legal| legal.squares.to_text(rules.board()) == *text).unwrap();
        seen.push(here.after(legal));
    }
    let last = seen.pop().unwrap();
    seen.contains(&last) && seen.iter().enumerate().all(|(i, position)| !seen[..i].contains(position))
}

#[test]
fn the_json_of_probe_has_the_promised_fields() {
    let tables = tables();
    let dsq = dsq(&tables).json();
    let answer = dsq.run(&["probe", WON, "--line"]).expect_code(0).json();
    for key in ["position", "rules", "side_to_move", "value", "dtw_plies", "moves", "line"] {
        assert!(keys(&answer).contains(&key), "{key}: {answer}");
    }
    assert_eq!(answer["rules"], "classic");
    let expected = json!({
        "position": WON, "side_to_move": "white", "value": "win", "dtw_plies": 19,
        "moves": [
            {"move": "a7a6", "capture": null, "value": "win", "dtw_plies": 19},
            {"move": "a7b7", "capture": null, "value": "loss", "dtw_plies": 20},
            {"move": "a7a8", "capture": null, "value": "loss", "dtw_plies": 2},
        ],
    });
    assert_eq!(only(&answer, &PROBE_KEYS), expected);
    assert_eq!(answer["line"].as_array().unwrap().len(), 19);

    let lost = dsq.run(&["probe", LOST]).expect_code(0).json();
    assert_eq!((&lost["value"], &lost["dtw_plies"], &lost["line"]), (&json!("loss"), &json!(12), &json!([])));
    let moves: Vec<&str> = lost["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
    assert_eq!(moves, ["d3d2", "d3c3", "d3e3", "d3d4"], "equal ones in square order");

    let drawn = dsq.run(&["probe", DRAWN, "--line"]).expect_code(0).json();
    assert_eq!((&drawn["value"], &drawn["dtw_plies"]), (&json!("draw"), &Value::Null));
    let line: Vec<&str> = drawn["line"].as_array().unwrap().iter().map(|squares| squares.as_str().unwrap()).collect();
    assert_eq!(line[0], "a4a5");
    assert!(leads_back(DRAWN, &line), "{line:?}");
    assert_eq!(drawn["moves"][0], json!({"move": "a4a5", "capture": null, "value": "draw", "dtw_plies": null}));

    let capture = dsq.run(&["probe", "7/7/7/3w3/3W3/7/7/7/7 w"]).expect_code(0).json();
    assert_eq!(capture["moves"][0], json!({"move": "d5d6", "capture": "W", "value": "win", "dtw_plies": 1}));

    for finished in ["3E3/7/3e3/7/7/7/7/7/7 b", "7/7/7/7/7/7/7/7/E6 b"] {
        let answer = dsq.run(&["probe", finished]).expect_code(0).json();
        let expected = json!({"value": "finished", "dtw_plies": null, "moves": [], "line": []});
        assert_eq!(only(&answer, &["value", "dtw_plies", "moves", "line"]), expected);
    }
}

#[test]
fn a_side_without_a_move_has_no_moves_and_the_value_of_the_rule_set() {
    // The cat on a1 is shut in by two animals it cannot take.
    let stuck = "7/7/7/7/7/7/7/e6/Cl5 w";
    for (changes, expected) in [(None, ("loss", json!(0))), (Some("no-move=draw"), ("draw", Value::Null))] {
        let folder = TempDir::new().unwrap();
        let mut dsq = Dsq::in_folder(folder.path()).json();
        if let Some(change) = changes {
            dsq = dsq.option("--set").option(change);
        }
        dsq.run(&["generate", "C-LE"]).expect_code(0);
        let answer = dsq.run(&["probe", stuck]).expect_code(0).json();
        assert_eq!((answer["value"].as_str().unwrap(), answer["dtw_plies"].clone()), expected);
        assert_eq!(answer["moves"], json!([]));
    }
}

#[test]
fn a_line_of_best_play_leads_to_the_end_of_the_game() {
    let tables = tables();
    let rules = tables.rules();
    for fen in [WON, LOST, "7/7/7/7/7/7/D4t1/2L4/7 w", "6t/7/7/6C/7/7/7/7/E6 w"] {
        let answer = dsq(&tables).json().run(&["probe", fen, "--line"]).expect_code(0).json();
        let line = answer["line"].as_array().unwrap();
        let mut position = position(rules, fen);
        let winner = match value(tables.tablebase(), &position) {
            dsq_tables::value::Value::Win(_) => position.turn(),
            _ => position.turn().other(),
        };
        for text in line {
            let squares = Move::parse(rules.board(), text.as_str().unwrap()).unwrap();
            position = position.after(&position.find_move(rules, squares).unwrap());
        }
        assert_eq!(line.len() as u64, answer["dtw_plies"].as_u64().unwrap(), "{fen}");
        let over = position.finished(rules).map(|finished| finished.winner);
        assert!(over == Some(winner) || (over.is_none() && !position.has_move(rules)), "{fen}: {line:?}");
    }
}

#[test]
fn many_positions_are_answered_one_a_line() {
    let tables = tables();
    let input = format!("{WON}\n\n  {LOST}  \r\nrubbish\n3E3/7/3e3/7/7/7/7/7/7 b\nstartpos\n{DRAWN}");
    let ran = dsq(&tables).json().run_with_input(&["probe", "-"], input.clone());
    // Of several reasons the heaviest: bad input.
    let answers = ran.clone().expect_code(2).json_lines();
    assert_eq!(ran.stderr.lines().count(), 2, "one line for each kind of refusal: {ran:#?}");
    let summary: Vec<&str> =
        answers.iter().map(|answer| answer["value"].as_str().or(answer["error"].as_str()).unwrap()).collect();
    assert_eq!(summary[..2], ["win", "loss"]);
    assert_eq!(answers[2]["position"], "rubbish");
    assert!(answers[2].get("missing").is_none());
    assert_eq!(summary[3..], ["finished", "not in tables", "draw"]);
    // Each answer names its question, and is otherwise the answer to that question alone.
    let lines: Vec<_> = answers.iter().map(|answer| answer["input_line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6, 7]);
    assert_eq!((&answers[0]["input"], &answers[2]["input"]), (&json!(WON), &json!("rubbish")));
    let mut first = answers[0].clone();
    first.as_object_mut().unwrap().retain(|key, _| !key.starts_with("input"));
    assert_eq!(first, dsq(&tables).json().run(&["probe", WON]).json());
    // Without JSON the answers are separated and the refusals numbered.
    let ran = dsq(&tables).run_with_input(&["probe", "-"], input);
    assert_says(&ran.stderr, &["line 4: ", "line 6: "]);
    assert_says(&ran.stdout, &["White wins in 19 plies", "Black wins in 12 plies", "draw"]);
    // Nothing to answer is nothing wrong.
    let none = dsq(&tables).json().run_with_input(&["probe", "-"], "\n\n").expect_code(0);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", ""));
}

#[test]
fn many_lines_at_once_are_answered_in_their_order_as_one_by_one() {
    let tables = tables();
    let dsq = dsq(&tables).json();
    let mut random = dsq_tests::Random::new(12);
    let lines: Vec<String> = (0..400)
        .map(|_| {
            let material = *random.pick(&Material::all(tables.rules(), 3));
            let turn = *random.pick(&Side::BOTH);
            dsq_tests::random_position(tables.rules(), material, turn, &mut random).to_fen(tables.rules())
        })
        .collect();
    let answers = dsq.run_with_input(&["probe", "-"], lines.join("\n")).expect_code(0).json_lines();
    let asked: Vec<&str> = answers.iter().map(|answer| answer["input"].as_str().unwrap()).collect();
    assert_eq!(asked, lines);
    let words = [&["probe"][..], &lines.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat();
    let single = dsq.run(&words).expect_code(0).json_lines();
    for (mut answer, single) in answers.into_iter().zip(single) {
        answer.as_object_mut().unwrap().retain(|key, _| !key.starts_with("input"));
        assert_eq!(answer, single);
    }
}
