//! Engines that hang, crash or talk nonsense; and runs that are interrupted.

use super::{Check, LONG, shell_engine, verdicts};
use crate::program::check::{assert_gone, marker, processes_with, scripted, text};
use crate::program::tables;
use dsq_tests::program::{Dsq, Ran};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The moves of an engine in trouble every second time, with what was told of it.
fn in_trouble(trouble: &str, more: &[&str]) -> (Vec<Json>, Json) {
    let (tables, marker) = (tables(), marker());
    let words = [&["--count", "4", "--movetime", "50", "--timeout", "2500"], more].concat();
    let script = format!("--trouble {trouble} --marker {marker}");
    let begin = Instant::now();
    let (moves, _, summary) = Check::new(&tables, &words).engine(&script).json(1);
    assert!(begin.elapsed() < LONG, "{trouble}: {:?}", begin.elapsed());
    assert_gone(&marker);
    assert_eq!(moves.len(), 4, "{trouble}");
    (moves, summary)
}

#[test]
fn every_trouble_is_a_finding_and_the_run_goes_on() {
    for (trouble, kind, words) in [
        ("hang:2", "timeout", "no answer to \"go movetime 50\" within"),
        ("silent:2", "timeout", "no answer"),
        ("unreadable:2", "garbage", "is no move"),
        ("crash:2", "crash", "exit status: 3"),
        ("abort:2", "crash", "it has ended"),
        ("flood:2", "flood", "lines and"),
        ("torrent:2", "flood", "bytes without an answer"),
        ("garbage:2", "garbage", "\"hello\" is no move"),
        ("none:2", "no-move", "says that there is no move"),
        ("illegal:2", "illegal", "a1"),
        ("child:2", "timeout", "though it has ended"),
    ] {
        let (moves, summary) = in_trouble(trouble, &[]);
        let kinds: Vec<&str> = moves.iter().map(|object| text(object, "verdict")).collect();
        assert_eq!(kinds, ["best", kind, "best", kind], "{trouble}");
        for object in moves.iter().skip(1).step_by(2) {
            assert!(text(object, "reason").contains(words), "{trouble}: {object}");
            assert!(object["value_before"].is_string(), "{trouble}: {object}");
            let last = object["last_lines"].as_array().unwrap();
            assert!(
                last.iter().any(|line| line.as_str().unwrap().starts_with("> position fen")) || kind == "flood",
                "{object}"
            );
            assert!(
                last.len() <= 12 && last.iter().all(|line| line.as_str().unwrap().chars().count() <= 162),
                "{object}"
            );
        }
        let engine = &summary["engines"][0];
        let count = if kind == "illegal" { &engine["verdicts"]["illegal"] } else { &engine["failures"][kind] };
        assert_eq!((count.as_u64(), engine["not_asked"].as_u64()), (Some(2), Some(0)), "{trouble}: {summary}");
    }
}

#[test]
fn what_is_only_unusual_does_no_harm() {
    let tables = tables();
    for script in [
        "--trouble late",
        "--trouble chatter",
        "--trouble stderr",
        "--banner 'Welcome to Scripted 1.0' --banner uciok --banner 'bestmove a1a1'",
        "--no-ready",
        "--stays",
        "--hello '' --no-ready",
    ] {
        let marker = marker();
        let hello = if script.contains("--hello ''") { "" } else { "uci" };
        let check =
            Check::new(&tables, &["--count", "3", "--hello", hello]).engine(&format!("{script} --marker {marker}"));
        let (moves, _, _) = check.json(0);
        assert_eq!(verdicts(&moves), BTreeMap::from([("best", 3)]), "{script}");
        assert_gone(&marker);
    }
}

#[test]
fn nothing_that_an_engine_has_started_is_left() {
    let tables = tables();
    for (script, code) in [("--trouble children", 0), ("--trouble daemon", 0), ("--stays", 0), ("--trouble child", 1)] {
        for parallel in ["1", "3"] {
            let marker = marker();
            let words = ["--count", "6", "--timeout", "1500", "--parallel", parallel];
            let check = Check::new(&tables, &words).engine(&format!("{script} --marker {marker}"));
            let (moves, _, _) = check.json(code);
            assert!(!moves.is_empty(), "{script}");
            assert_gone(&marker);
        }
    }
    // Processes that the shell has started beside it.
    let marker = marker();
    let sleep = format!("'{}' --sleep {marker}", env!("CARGO_BIN_EXE_scripted_engine"));
    let engine = format!("{sleep} & ({sleep} &) ; {}", scripted(&tables, ""));
    let (moves, _, _) = Check::new(&tables, &["--count", "2", "--cmd", &engine]).json(0);
    assert_eq!(moves.len(), 2);
    assert_gone(&marker);
}

#[test]
fn an_engine_that_greets_and_then_always_breaks_down_is_given_up() {
    let tables = tables();
    for (trouble, kind) in [("crash", "crash"), ("hang", "timeout")] {
        let check = Check::new(&tables, &["--count", "10", "--movetime", "50", "--timeout", "500"])
            .engine(&format!("--trouble {trouble}"));
        let (moves, _, summary) = check.json(1);
        assert_eq!(verdicts(&moves), BTreeMap::from([(kind, 3)]), "{trouble}");
        assert_eq!(summary["engines"][0]["not_asked"].as_u64(), Some(7), "{trouble}");
        let ran = check.run().expect_code(1);
        assert!(ran.stdout.contains("not asked about 7 positions"), "{ran:#?}");
        // What was asked for, not what it took.
        assert!(kind != "timeout" || ran.stdout.contains("within 500 ms"), "{ran:#?}");
    }
}

#[test]
fn an_answer_in_other_words_is_shown_and_one_that_never_comes_is_not() {
    let tables = tables();
    let hint = "an answer is a line `bestmove MOVE`, and it has said: ";
    for (answer, said) in [
        ("echo I play a3a4", Some("I play a3a4")),
        ("for i in 1 2 3 4; do echo info $i; echo line $i; done", Some("line 3 | info 4 | line 4")),
        ("echo info depth 1; echo info depth 2", None),
        (":", None),
    ] {
        let engine = shell_engine(&[("uci", "echo uciok"), ("isready", "echo readyok"), ("go", answer)]);
        let words = ["--count", "1", "--movetime", "50", "--timeout", "300", "--cmd", &engine];
        let (moves, _, _) = Check::new(&tables, &words).json(1);
        assert_eq!(text(&moves[0], "verdict"), "timeout", "{answer}");
        let reason = text(&moves[0], "reason");
        assert!(reason.starts_with("no answer to \"go movetime 50\" within 300 ms"), "{reason}");
        assert_eq!(reason.split_once(hint).map(|(_, said)| said), said, "{reason}");
    }
}

#[test]
fn a_last_line_without_an_end_is_shown_as_that() {
    let tables = tables();
    let last = |go: &str| {
        let engine = shell_engine(&[("uci", "echo uciok"), ("isready", "echo readyok"), ("go", go)]);
        let words = ["--count", "1", "--movetime", "50", "--timeout", "400", "--cmd", &engine];
        let (moves, _, _) = Check::new(&tables, &words).json(1);
        let lines = moves[0]["last_lines"].as_array().unwrap();
        lines.iter().skip(1).map(|line| line.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (go, lines) in [
        ("printf 'one\\nbestmove a3a4'", &["< one", "< bestmove a3a4 (no end of line)"][..]),
        // On standard error as well, and nothing of a line that has ended since.
        ("printf 'hm' >&2", &["! hm (no end of line)"]),
        ("printf 'a'; sleep 0.1; printf 'b\\n'", &["< ab"]),
        // The first piece of a line that is too long has been told already.
        ("printf '%05000d' 1", &[&format!("< {}", "0".repeat(160))]),
    ] {
        let told = last(go);
        assert!(told.ends_with(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()), "{go}: {told:?}");
    }
    // Where it is greeted too.
    let words = ["--count", "1", "--give-up", "1", "--hello-timeout", "400", "--cmd", "printf 'uciok'; cat >/dev/null"];
    let line = Check::new(&tables, &words).run().refused_with(2);
    assert!(line.contains("its last line: uciok (no end of line)"), "{line}");
}

#[test]
fn an_engine_that_never_sees_a_move_is_asked_whether_it_understands_the_position() {
    let tables = tables();
    let hint = |words: &[&str], script: &str| {
        let (_, _, summary) = Check::new(&tables, &[words, &["--movetime", "50"]].concat()).engine(script).json(1);
        let hints = summary["engines"][0]["hints"].as_array().unwrap();
        hints.iter().map(|hint| hint.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let never =
        |place: &str| [format!("it says in every position that there is no move; does it understand `{place}`?")];
    let play_out = ["--count", "4", "--mode", "play-out"];
    assert_eq!(hint(&["--count", "4"], "--trouble none"), never("position fen …"));
    assert_eq!(hint(&play_out, "--trouble none"), never("position fen …"));
    assert_eq!(hint(&["--count", "4", "--dialect", "gtp"], "--gtp --trouble none"), never("setfen … …"));
    // Too few, and not in every position.
    assert_eq!(hint(&["--count", "2"], "--trouble none"), [""; 0]);
    assert_eq!(hint(&["--count", "8"], "--trouble none:2"), [""; 0]);
}

#[test]
fn a_run_that_is_interrupted_leaves_nothing_behind() {
    let tables = tables();
    for (signal, times) in [("INT", 1), ("TERM", 1), ("INT", 2)] {
        let marker = marker();
        let check = Check::new(&tables, &["--count", "4", "--timeout", "100000", "--parallel", "2"])
            .engine(&format!("--trouble hang --marker {marker}"));
        let mut command = Dsq::in_folder(tables.folder()).command(&check.words());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begin = Instant::now();
        // The shell, perhaps, and the engine.
        while processes_with(&marker).len() < 3 {
            assert!(begin.elapsed() < LONG, "{:?}", processes_with(&marker));
            std::thread::sleep(Duration::from_millis(5));
        }
        for _ in 0..times {
            let kill =
                std::process::Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
            assert!(kill.unwrap().success() || times > 1);
        }
        let ran = Ran::new(format!("check engine, SIG{signal}"), child.wait_with_output().unwrap()).expect_code(130);
        assert!(begin.elapsed() < LONG);
        assert!(times > 1 || ran.stderr.contains("stopped: 0 of 4 positions done"), "{ran:#?}");
        assert_gone(&marker);
    }
}

#[test]
fn an_engine_that_breaks_down_when_it_is_asked_isready_is_asked_again() {
    let (tables, folder) = (tables(), TempDir::new().unwrap());
    let log = folder.path().join("log").display().to_string();
    let answers = "uci) echo uciok;; go) echo bestmove 0000;;";
    let command = format!(
        "while read word rest; do case $word in {answers} \
         isready) echo asked >> '{log}'; [ $(wc -l < '{log}') -gt 1 ] || exit 3; echo readyok;; esac; done"
    );
    let words = ["--count", "3", "--movetime", "50", "--cmd", &command];
    let (moves, _, _) = Check::new(&tables, &words).json(1);
    assert_eq!(verdicts(&moves), BTreeMap::from([("crash", 1), ("no-move", 2)]));
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 3);
}

#[test]
fn a_process_that_holds_the_output_open_hides_that_the_engine_has_ended() {
    let tables = tables();
    let ends = shell_engine(&[("uci", "echo uciok"), ("go", "exit 3")]);
    for (engine, kind) in [(ends.clone(), "crash"), (format!("({ends}); sleep 100"), "timeout")] {
        let words = ["--count", "1", "--movetime", "50", "--timeout", "2500", "--cmd", &engine];
        let (moves, _, _) = Check::new(&tables, &words).json(1);
        assert_eq!(text(&moves[0], "verdict"), kind, "{engine}");
    }
}
