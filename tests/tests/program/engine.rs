//! `dsq engine` over its lines.

use dsq_tables::board::Side;
use dsq_tables::material::Material;
use dsq_tables::moves::Move;
use dsq_tables::value::Value;
use dsq_tests::program::{Dsq, Ran};
use dsq_tests::{Random, Shared, Tables, catalog, class_of, position, random_position, value};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;

fn tables() -> Arc<Tables> {
    static SHARED: Shared = Shared::new();
    SHARED.get(|| Tables::up_to("classic", &[], 2))
}

/// The program with these tables, which are there as long as somebody holds them.
fn with_tables() -> (Arc<Tables>, Dsq) {
    let tables = tables();
    let dsq = Dsq::in_folder(tables.folder());
    (tables, dsq)
}

fn talk(dsq: &Dsq, lines: &str) -> Ran {
    dsq.run_with_input(&["engine"], lines).expect_code(0)
}

fn best_moves(ran: &Ran) -> Vec<&str> {
    ran.stdout.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect()
}

#[test]
fn it_answers_the_words_of_the_protocol_and_ignores_others() {
    let (_tables, dsq) = with_tables();
    let ran = talk(&dsq, "hello\nuci\nsetoption name Hash value 3\nisready\nucinewgame\nstop\n\nquit\nuci\n");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("id name dsq "), "{ran:#?}");
    assert_eq!(lines[2..], ["uciok", "readyok"], "{ran:#?}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn in_the_tables_it_plays_the_shortest_win_the_draw_and_the_longest_loss() {
    let tables = tables();
    let mut random = Random::new(5);
    let rules = tables.rules();
    let materials = Material::all(rules, 2);
    let positions: Vec<_> = (0..200)
        .map(|_| random_position(rules, *random.clone().pick(&materials), Side::White, &mut random))
        .filter(|position| position.has_move(rules))
        .collect();
    let lines: String =
        positions.iter().map(|position| format!("position fen {}\ngo movetime 5\n", position.to_fen(rules))).collect();
    let ran = talk(&Dsq::in_folder(tables.folder()), &lines);
    let moves = best_moves(&ran);
    assert_eq!(moves.len(), positions.len());
    for (position, text) in positions.iter().zip(moves) {
        let legal = position.find_move(rules, Move::parse(rules.board(), text).unwrap()).unwrap();
        let next = position.after(&legal);
        let after = tables.tablebase().probe(&next).unwrap().value_for(next.turn()).before_move();
        assert_eq!(after, value(tables.tablebase(), position), "{} {text}", position.to_fen(rules));
    }
}

#[test]
fn a_position_that_cannot_be_is_said_and_answered_without_a_move() {
    let (_tables, dsq) = with_tables();
    let ran = talk(
        &dsq,
        "position fen 7/7 w\ngo depth 1\nposition fen t6/7/T6/7/7/7/7/7/7 w moves a7a1\ngo depth 1\nposition\ngo\n\
         position fen 3E3/7/3e3/7/7/7/7/7/7 b\ngo depth 1\nposition fen t6/7/T6/7/7/7/7/7/7 w\ngo depth 1\n",
    );
    assert_eq!(best_moves(&ran), ["0000", "0000", "0000", "0000", "a7a6"], "{ran:#?}");
    let told: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("info string")).collect();
    for (line, part) in told.iter().zip(["2 ranks", "move 1 (\"a7a1\") is not legal", "expected startpos or fen"]) {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn a_game_that_is_over_has_no_moves_with_and_without_tables() {
    let (_tables, with) = with_tables();
    let empty = TempDir::new().unwrap();
    for dsq in [with, Dsq::in_folder(empty.path())] {
        // Elimination and a den that is entered, each with either side to move.
        for fen in
            ["7/7/7/7/7/7/7/2L4/7 w", "7/7/7/7/7/7/7/2L4/7 b", "3E3/7/3e3/7/7/7/7/7/7 w", "3E3/7/3e3/7/7/7/7/7/7 b"]
        {
            let ran = talk(&dsq, &format!("position fen {fen}\ngo depth 2\ngo perft 1\ngo perft 2\ngo infinite\n"));
            assert_eq!(best_moves(&ran), ["0000", "0000"], "{fen}: {ran:#?}");
            assert_eq!(ran.stdout.matches("Nodes searched: 0\n").count(), 2, "{fen}: {ran:#?}");
            let ran = talk(&dsq, &format!("position fen {fen} moves c2c1\ngo depth 2\n"));
            assert!(ran.stdout.contains("is not legal"), "{fen}: {ran:#?}");
            for depth in ["1", "2"] {
                let ran = dsq.run(&["perft", fen, depth, "--divide"]).expect_code(0);
                assert_eq!(ran.stdout.split_whitespace().last(), Some("0"), "{fen}: {ran:#?}");
            }
            let ran = dsq.clone().json().run(&["moves", fen]).expect_code(0).json();
            assert_eq!((ran["moves"].as_array().map(Vec::len), ran["end"].is_null()), (Some(0), false), "{ran}");
        }
    }
}

#[test]
fn what_it_does_not_understand_behind_go_is_told_and_still_answered() {
    let (_tables, dsq) = with_tables();
    let lines = "position startpos b\ngo depth x nodes 100\ngo movetime -1 depth 1\ngo perft x depth 1\n";
    let ran = talk(&dsq, lines);
    let told: Vec<&str> = ran.stdout.lines().filter_map(|line| line.strip_prefix("info string go: ")).collect();
    for (line, part) in told.iter().zip(["depth needs a number", "\"-1\" is not one", "perft needs a number"]) {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!((told.len(), best_moves(&ran).len()), (3, 3), "{ran:#?}");
    let black = |text: &&str| "6789".contains(&text[1..2]);
    assert!(best_moves(&ran).iter().all(black), "Black is to move: {ran:#?}");
}

#[test]
fn outside_of_the_tables_it_searches_and_finds_a_win_that_leads_into_them() {
    let tables = tables();
    let (rules, dsq) = (tables.rules(), Dsq::in_folder(tables.folder()));
    // The lion takes the rat or goes to the den; with three pieces there is no table here.
    let ran = talk(&dsq, "position fen 7/2L4/7/7/7/7/r6/7/E6 w\ngo depth 4\n");
    let line = ran.stdout.lines().rfind(|line| line.starts_with("info depth")).unwrap();
    assert!(line.contains("score mate 2"), "{ran:#?}");
    // Without any tables it plays too.
    let empty = TempDir::new().unwrap();
    let ran = talk(
        &Dsq::in_folder(empty.path()),
        "go depth 3\ngo movetime 50\ngo nodes 1000\nposition startpos moves a3a4\ngo depth 2\n",
    );
    assert!(ran.stderr.contains("no tables"), "{ran:#?}");
    let moves = best_moves(&ran);
    assert_eq!(moves.len(), 4);
    for text in &moves[..3] {
        assert!(position(rules, "startpos").find_move(rules, Move::parse(rules.board(), text).unwrap()).is_some());
    }
    // What three pieces can force is seen with the tables of two.
    let three = Tables::generate(&catalog("classic", &[]), [class_of(&catalog("classic", &[]), "RL-E")]);
    let mut random = Random::new(9);
    let material = Material::parse(rules, "RL-E").unwrap();
    let mut seen = 0;
    while seen < 10 {
        let position = random_position(rules, material, Side::White, &mut random);
        let Value::Win(plies @ 1..=5) = value(three.tablebase(), &position) else { continue };
        seen += 1;
        let ran = talk(&dsq, &format!("position fen {}\ngo depth {plies}\n", position.to_fen(rules)));
        let legal = position.find_move(rules, Move::parse(rules.board(), best_moves(&ran)[0]).unwrap()).unwrap();
        let next = position.after(&legal);
        let after = three.tablebase().probe(&next).unwrap().value_for(next.turn()).before_move();
        assert_eq!(after, Value::Win(plies), "{}", position.to_fen(rules));
    }
}

#[test]
fn an_endless_search_ends_when_it_is_told_to() {
    for (place, end) in [
        ("position startpos", "stop\nquit\n"),
        ("position fen t6/7/T6/7/7/7/7/7/7 w", "stop\nquit\n"),
        ("position startpos", "quit\n"),
    ] {
        let (_tables, dsq) = with_tables();
        let mut command = dsq.command(&["engine"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        write!(input, "{place}\ngo infinite\nisready\n").unwrap();
        // It listens while it searches.
        assert!(
            lines
                .by_ref()
                .map(Result::unwrap)
                .take_while(|line| !line.starts_with("bestmove"))
                .any(|line| line == "readyok")
        );
        input.write_all(end.as_bytes()).unwrap();
        let best = lines.map(Result::unwrap).find(|line| line.starts_with("bestmove"));
        assert!(best.is_some_and(|line| line.len() == "bestmove a1a2".len()), "{place}");
        assert!(child.wait().unwrap().success());
    }
    // Nobody can say `stop` any more.
    let (_tables, dsq) = with_tables();
    let ran = talk(&dsq, "go infinite\n");
    assert_eq!(best_moves(&ran).len(), 1);
}

#[test]
fn lines_that_are_sent_together_are_all_done_before_it_quits() {
    let (_tables, dsq) = with_tables();
    let two = "position startpos\ngo depth 3\nposition startpos moves a3a4\ngo depth 4\n";
    let alone: Vec<Ran> = ["position startpos\ngo depth 3\n", "position startpos moves a3a4\ngo depth 4\n"]
        .iter()
        .map(|lines| talk(&dsq, lines))
        .collect();
    let expected: Vec<&str> = alone.iter().flat_map(best_moves).collect();
    assert_eq!(expected.len(), 2);
    for end in ["quit\n", "quit\ngo depth 1\n", ""] {
        let ran = talk(&dsq, &format!("{two}{end}"));
        assert_eq!(best_moves(&ran), expected, "{end:?}: {ran:#?}");
    }
    // Every kind of limit, the tables, counts, and what an endless search has before it and behind it.
    let all = "position startpos\ngo nodes 2000\ngo movetime 30\ngo perft 2\nposition fen t6/7/T6/7/7/7/7/7/7 w\ngo depth 9\n\
               position startpos\ngo infinite\n";
    let ran = talk(&dsq, &format!("{all}quit\n"));
    assert_eq!((best_moves(&ran).len(), ran.stdout.matches("Nodes searched").count()), (4, 1), "{ran:#?}");
    let ran = talk(&dsq, &format!("{all}position startpos\ngo depth 2\n"));
    assert_eq!(best_moves(&ran).len(), 5, "{ran:#?}");
}

#[test]
fn stop_ends_everything_before_it_and_nothing_behind_it() {
    let (_tables, dsq) = with_tables();
    // None of these would end in a lifetime.
    let ran =
        talk(&dsq, "go depth 64\ngo infinite\ngo depth 64\nstop\nposition startpos moves a3a4\ngo depth 2\nquit\n");
    let behind = talk(&dsq, "position startpos moves a3a4\ngo depth 2\n");
    let moves = best_moves(&ran);
    assert_eq!((moves.len(), moves[3]), (4, best_moves(&behind)[0]), "{ran:#?}");
}

#[test]
fn it_counts_moves() {
    let (_tables, dsq) = with_tables();
    let ran = talk(&dsq, "go perft 3\n");
    let counts: Vec<&str> = ran.stdout.lines().filter(|line| line.contains(": ")).collect();
    assert_eq!((counts.len(), counts[24]), (25, "Nodes searched: 12240"));
}
