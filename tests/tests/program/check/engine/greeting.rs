//! Engines that never start or do not answer their greeting.

use super::{Check, shell_engine, verdicts};
use crate::program::check::{dialect, scripted, text};
use crate::program::tables;
use dsq_tests::program::Dsq;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

#[test]
fn an_engine_that_never_starts_is_given_up() {
    let tables = tables();
    for (command, part, patience) in [
        ("false", "it has ended: exit status: 1", "20000"),
        ("/nowhere/engine", "; its last line: sh: ", "20000"),
        ("cat > /dev/null", "no answer to \"uci\" within 300 ms", "300"),
        ("exec sh -c 'exec >&-; while read line; do :; done'", "it has closed its output", "20000"),
        ("yes", "without an answer; its last lines: y | y | y", "20000"),
    ] {
        let check = Check::new(&tables, &["--count", "10", "--hello-timeout", patience, "--cmd", command]);
        let line = check.run().refused_with(2);
        assert!(line.contains("never answered its greeting") && line.contains(part), "{line}");
        // The same question about its rules.
        let words = ["check", "rules", "--hello-timeout", patience, "--cmd", command];
        let rules = Dsq::in_folder(tables.folder()).json().run(&words).refused_with(2);
        assert!(rules.contains("never answered its greeting") && rules.contains(part), "{rules}");
    }
    // Not even a page, and what has been there stays.
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("report.html");
    fs::write(&page, "the old page").unwrap();
    let words = ["--html", page.to_str().unwrap(), "--cmd", "/nowhere/engine", "--cmd", "false"];
    let ran = Check::new(&tables, &words).run().expect_code(2);
    assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 2), "{ran:#?}");
    assert_eq!(fs::read_to_string(&page).unwrap(), "the old page");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left in the folder");
}

#[test]
fn an_engine_that_never_starts_is_one_line_beside_others() {
    let tables = tables();
    let check = Check::new(&tables, &["--count", "5", "--cmd", "/nowhere/engine"]).engine("");
    let (moves, _, summary) = check.json(1);
    assert_eq!(verdicts(&moves), BTreeMap::from([("best", 5)]));
    let engines = &summary["engines"];
    assert_eq!((&engines[0]["not_asked"], &engines[1]["not_asked"]), (&Json::from(5), &Json::from(0)));
    assert!(text(&engines[0], "unstarted").contains("/nowhere/engine") && engines[1].get("unstarted").is_none());
    let ran = check.run().expect_code(1);
    assert_eq!(ran.stdout.matches("never answered its greeting").count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains("no move:") && ran.stderr.is_empty(), "{ran:#?}");
    // Rules: the others are asked.
    let (greedy, folder) = (scripted(&tables, "--play greedy"), TempDir::new().unwrap());
    let plain = dialect(&folder, "[protocol]\nperft = []\nlist = []\n");
    let words =
        ["check", "rules", "--movetime", "50", "--dialect", &plain, "--cmd", "/nowhere/engine", "--cmd", &greedy];
    let ran = Dsq::in_folder(tables.folder()).run(&words).expect_code(2);
    assert!(ran.error_line().contains("/nowhere/engine") && ran.stdout.contains("rule set classic fits"), "{ran:#?}");
}

#[test]
fn how_soon_an_engine_is_given_up_can_be_said() {
    let tables = tables();
    for (number, failed, not_asked) in [("1", 1, 9), ("5", 5, 5), ("0", 10, 0)] {
        let check = Check::new(&tables, &["--count", "10", "--give-up", number]).engine("--trouble crash");
        let (moves, _, summary) = check.json(1);
        assert_eq!(verdicts(&moves), BTreeMap::from([("crash", failed)]), "{number}");
        assert_eq!(summary["engines"][0]["not_asked"].as_u64(), Some(not_asked), "{number}");
        // One that never greets is given up all the same.
        let log = TempDir::new().unwrap();
        let command = format!("echo started >> '{}/log'; exit 4", log.path().display());
        let check = Check::new(&tables, &["--count", "10", "--give-up", number, "--cmd", &command]);
        assert!(check.run().refused_with(2).contains("exit status: 4"));
        let starts = fs::read_to_string(log.path().join("log")).unwrap().lines().count();
        assert_eq!(starts, if number == "0" { 3 } else { number.parse().unwrap() });
    }
    // An answer in between is enough to go on.
    let check = Check::new(&tables, &["--count", "6", "--give-up", "2"]).engine("--trouble crash:2");
    let (moves, _, summary) = check.json(1);
    assert_eq!(verdicts(&moves), BTreeMap::from([("best", 3), ("crash", 3)]));
    assert_eq!(summary["engines"][0]["not_asked"].as_u64(), Some(0));
}

#[test]
fn of_an_engine_that_does_not_greet_it_is_told_what_could_help() {
    let tables = tables();
    let others = "; does it want --hello WORD (jcei, uji, uaci), --protocol gtp or --dialect FILE?";
    for (words, command, parts) in [
        (&[][..], "cat >/dev/null", &["no answer to \"uci\" within 400 ms; it printed nothing", others][..]),
        (
            &["--hello", "jcei"],
            "while read line; do echo \"unknown command: $line\"; done",
            &["no answer to \"jcei\"", "; its last line: unknown command: jcei; does it want", "(uci, uji, uaci)"],
        ),
        (
            &["--protocol", "gtp"],
            "cat >/dev/null",
            &[
                "no answer to \"name\"",
                "does it want --protocol uci with --hello WORD (uci, jcei, uji, uaci) or --dialect",
            ],
        ),
        (&[], "echo 'no such word: uci' >&2; exit 1", &["exit status: 1; its last line: no such word: uci", others]),
    ] {
        let words =
            [&["--count", "1", "--give-up", "1", "--hello-timeout", "400"], words, &["--cmd", command]].concat();
        let line = Check::new(&tables, &words).run().refused_with(2);
        assert!(parts.iter().all(|part| line.contains(part)), "{command}: {line}");
    }
    // A dialect file is not advised to who has one, and what comes with the program is none.
    let folder = TempDir::new().unwrap();
    let words = ["--count", "1", "--give-up", "1", "--hello-timeout", "400", "--cmd", "cat >/dev/null", "--dialect"];
    for (text, options, advice) in [
        ("[protocol]\nhello = \"hi\"", &[][..], "does it want --hello WORD (uci, jcei, uji, uaci) or --protocol gtp?"),
        ("[protocol]\nkind = \"gtp\"", &[], "does it want --protocol uci with --hello WORD (uci, jcei, uji, uaci)?"),
    ] {
        let file = dialect(&folder, text);
        let line = Check::new(&tables, &[&words[..], &[&file], options].concat()).run().refused_with(2);
        assert!(line.ends_with(advice), "{line}");
    }
    let line = Check::new(&tables, &[&words[..], &["uji"]].concat()).run().refused_with(2);
    assert!(line.ends_with("--protocol gtp or --dialect FILE?"), "{line}");
    // No greeting helps a command that is not there.
    let line = Check::new(&tables, &["--count", "1", "--cmd", "/nowhere/engine"]).run().refused_with(2);
    assert!(line.contains("exit status: 127; its last line") && !line.contains("--hello"), "{line}");
}

#[test]
fn a_greeting_that_is_answered_by_several_words_is_told_as_that() {
    let (tables, folder) = (tables(), TempDir::new().unwrap());
    let two = shell_engine(&[("hi", "echo Scripted; echo hi ok"), ("go", "echo bestmove 0000")]);
    let words = ["--count", "1", "--give-up", "1", "--hello-timeout", "400", "--movetime", "50", "--cmd", &two];
    let line = Check::new(&tables, &[&words[..], &["--hello", "hi"]].concat()).run().refused_with(2);
    for part in ["one word that ends in `ok`, not \"hi ok\"", "`hello = \"\"` with `init = [\"hi\"]`", "hi ok; the"] {
        assert!(line.contains(part), "{line}");
    }
    assert!(!line.contains("--dialect") && !line.contains("--hello"), "{line}");
    // As it says: without an answer it works.
    let file = dialect(&folder, "[protocol]\nhello = \"\"\ninit = [\"hi\"]\nready = false\n");
    let (moves, _, _) = Check::new(&tables, &[&words[..], &["--dialect", &file]].concat()).json(1);
    assert_eq!(verdicts(&moves), BTreeMap::from([("no-move", 1)]));
    // What it tells of itself is no answer that is nearly right.
    let info = shell_engine(&[("uci", "echo id author Mr Brok; echo info string all ok")]);
    let words = ["--count", "1", "--give-up", "1", "--hello-timeout", "400", "--cmd", &info];
    let line = Check::new(&tables, &words).run().refused_with(2);
    assert!(line.contains("does it want --hello") && !line.contains("one word"), "{line}");
}
