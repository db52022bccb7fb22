//! `dsq check engine`: scripted engines that play well, badly, or not at all, in every dialect; and what is left of them.

use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::value::{Value, Wdl};
use dsq_tests::program::{Dsq, Ran};
use dsq_tests::{Shared, Tables, value};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A minute is enough for everything here, even on a machine that has much else to do; what takes longer hangs.
const LONG: Duration = Duration::from_secs(60);

fn tables() -> Arc<Tables> {
    static SHARED: Shared = Shared::new();
    SHARED.get(|| Tables::up_to("classic", &[], 3))
}

/// A word that no other process has in its command.
fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("marker-{}-{}-end", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst))
}

/// The commands of all processes with this word. Only Linux tells.
fn processes_with(marker: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let commands = entries.flatten().filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let texts = commands.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    texts.filter(|text| text.contains(marker)).collect()
}

#[track_caller]
fn assert_gone(marker: &str) {
    assert_eq!(processes_with(marker), Vec::<String>::new());
}

/// The command of a scripted engine that knows the tables.
fn scripted(tables: &Tables, words: &str) -> String {
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    format!("'{program}' --dir '{}' {words}", tables.folder().display())
}

struct Check {
    tables: Arc<Tables>,
    words: Vec<String>,
}

impl Check {
    fn new(tables: &Arc<Tables>, words: &[&str]) -> Check {
        let words = ["check", "engine"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        Check { tables: tables.clone(), words }
    }

    fn engine(mut self, script: &str) -> Check {
        self.words.extend(["--cmd".to_owned(), scripted(&self.tables, script)]);
        self
    }

    fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }

    fn run(&self) -> Ran {
        Dsq::in_folder(self.tables.folder()).run(&self.words())
    }

    /// The objects of JSON: moves, games, the summary.
    fn json(&self, code: i32) -> (Vec<Json>, Vec<Json>, Json) {
        let ran = Dsq::in_folder(self.tables.folder()).json().run(&self.words()).expect_code(code);
        let mut lines = ran.json_lines();
        let summary = lines.pop().unwrap();
        assert!(summary["engines"].is_array(), "{ran:#?}");
        let (games, moves) = lines.into_iter().partition(|line| line["end"].is_string());
        (moves, games, summary)
    }
}

fn text<'a>(object: &'a Json, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_else(|| panic!("no {field} in {object}"))
}

/// What a move does, worked out here anew.
fn verdict(tables: &Tables, object: &Json) -> &'static str {
    let rules = tables.rules();
    let position = Position::from_fen(rules, text(object, "position")).unwrap();
    let squares = Move::parse(rules.board(), text(object, "move")).unwrap();
    let Some(legal) = position.find_move(rules, squares) else { return "illegal" };
    let next = position.after(&legal);
    let before = value(tables.tablebase(), &position);
    let after = tables.tablebase().probe(&next).unwrap().value_for(next.turn()).before_move();
    assert_eq!(object["dtw_before"], before.plies().map_or(Json::Null, Json::from), "{object}");
    assert_eq!(object["dtw_after"], after.plies().map_or(Json::Null, Json::from), "{object}");
    assert_eq!((text(object, "value_before"), text(object, "value_after")), (before.name(), after.name()), "{object}");
    match (before, after) {
        (before, after) if before == after => "best",
        (Value::Win(_), Value::Win(_)) => "slower",
        (Value::Loss(_), Value::Loss(_)) => "faster-loss",
        (Value::Win(_), Value::Draw) => "win-to-draw",
        (Value::Win(_), Value::Loss(_)) => "win-to-loss",
        (Value::Draw, Value::Loss(_)) => "draw-to-loss",
        _ => panic!("a move better than the position: {object}"),
    }
}

fn verdicts(moves: &[Json]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for object in moves {
        *counts.entry(text(object, "verdict")).or_default() += 1;
    }
    counts
}

// Play.

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

// Trouble.

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

/// An engine of the shell: what it does when it is told a line that begins with some word.
fn shell_engine(answers: &[(&str, &str)]) -> String {
    let cases: Vec<String> = answers.iter().map(|(word, what)| format!("{word}) {what};;")).collect();
    format!("while read word rest; do case $word in {} esac; done", cases.join(" "))
}

#[test]
fn a_greeting_that_is_answered_by_several_words_is_told_as_that() {
    let (tables, folder) = (tables(), TempDir::new().unwrap());
    let two = shell_engine(&[("hi", "echo Scripted; echo hi ok"), ("go", "echo bestmove 0000")]);
    let words = ["--count", "1", "--give-up", "1", "--hello-timeout", "400", "--movetime", "50", "--cmd", &two];
    let line = Check::new(&tables, &[&words[..], &["--hello", "hi"]].concat()).run().refused_with(2);
    for part in ["one word that ends in `ok`, not \"hi ok\"", "`hello = \"\"` with `init = [\"hi\"]`", "hi ok; an"] {
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

// Dialects.

/// Writes a dialect file.
fn dialect(folder: &TempDir, text: &str) -> String {
    let path = folder.path().join("dialect.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn engines_are_understood_in_every_dialect_that_comes_with_the_program() {
    let tables = tables();
    let uaci = "--hello uaci --turned --letters RM --sides r/b --place fen --time time --no-ready";
    for (name, script) in [
        ("uci", ""),
        ("jcei", "--hello jcei"),
        ("uji", "--hello uji"),
        ("uaci", uaci),
        ("lion-i", "--letters LIPL"),
        ("gtp", "--gtp"),
        ("gtp-halves", "--halves --sides b/w"),
    ] {
        for mode in ["examination", "play-out"] {
            let words = ["--count", "6", "--difficulty", "won:5", "--mode", mode, "--dialect", name];
            let (moves, games, _) = Check::new(&tables, &words).engine(script).json(0);
            assert!(moves.iter().all(|object| verdict(&tables, object) == "best"), "{name}");
            assert!(games.iter().all(|game| text(game, "end") == "won"), "{name}: {games:?}");
            assert_eq!(if mode == "play-out" { games.len() } else { moves.len() }, 6);
        }
    }
}

#[test]
fn engines_are_understood_in_dialects_that_a_file_or_options_describe() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let count = ["--count", "8", "--difficulty", "won:5"];
    let check = |words: &[&str], script: &str| {
        let (moves, _, _) = Check::new(&tables, &[&count[..], words].concat()).engine(script).json(0);
        assert!(moves.len() >= 8 && moves.iter().all(|object| verdict(&tables, object) == "best"), "{words:?}");
        moves
    };
    check(&["--letters", "leopard=J,rat=M", "--first", "lower", "--mirror"], "--letters PJRM --lower --mirror");
    check(&["--hello", "play", "--init", "setoption name A value 1"], "--hello play");
    check(&["--protocol", "gtp"], "--gtp");
    let text = "[notation]\nfirst = \"lower\"\nbetween-ranks = \" \"\nsides = [\"w\", \"l\"]\nmove-case = \"upper\"\n\
                quiet-sign = \"-\"\ncapture-sign = \"x\"\n";
    let moves =
        check(&["--dialect", &dialect(&folder, text)], "--lower --blanks --sides w/l --upper-moves --signs -/x");
    let written = moves[0]["written"].as_str().unwrap();
    assert!(written.len() == 5 && written.to_uppercase() == written, "{written}");
    // Without moves only the position is told, whatever came before.
    let text = "[protocol]\nmoves = false\nnew-game = \"\"\nlimits = { movetime = \"time\" }\n";
    check(&["--mode", "play-out", "--dialect", &dialect(&folder, text)], "--time time");
    // A file can say all of it.
    let command = scripted(&tables, "--hello jcei").replace('\'', "");
    let text = format!("[protocol]\ncommand = \"{command}\"\nhello = \"jcei\"\n");
    let (moves, _, _) = Check::new(&tables, &[&count[..], &["--dialect", &dialect(&folder, &text)]].concat()).json(0);
    assert_eq!(moves.len(), 8);
}

/// What an engine was told in a run, line by line.
fn told(tables: &Arc<Tables>, script: &str, words: &[&str]) -> Vec<String> {
    told_until(tables, script, words, 0)
}

/// The same of a run that ends with this exit code.
fn told_until(tables: &Arc<Tables>, script: &str, words: &[&str], code: i32) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log.txt");
    // Each line is written down before it is passed on: at the end everything is killed.
    let write = format!("printf '%s\\n' \"$line\" >> '{}'", log.display());
    let pass = format!("while IFS= read -r line; do {write}; printf '%s\\n' \"$line\"; done");
    let command = format!("{pass} | {}", scripted(tables, script));
    let (moves, _, _) = Check::new(tables, &[words, &["--cmd", &command]].concat()).json(code);
    assert!(!moves.is_empty());
    fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn nothing_is_said_twice() {
    let tables = tables();
    let words = ["--count", "2", "--movetime", "50"];
    let lines = told(&tables, "", &[&words[..], &["--init", "setoption name A value 1"]].concat());
    let first: Vec<&str> = lines.iter().map(|line| line.split(" fen ").next().unwrap()).collect();
    let place = ["ucinewgame", "isready", "position", "go movetime 50"];
    assert_eq!(first, [&["uci", "setoption name A value 1"][..], &place, &place].concat());
    // One that does not answer is not asked again.
    let lines = told(&tables, "--no-ready", &words);
    let times = |lines: &[String], word: &str| lines.iter().filter(|line| *line == word).count();
    assert_eq!(times(&lines, "isready"), 1, "{lines:?}");
    // Nor when it has been started anew; one that answers is asked before every move.
    let words = ["--count", "6", "--movetime", "50"];
    let lines = told_until(&tables, "--no-ready --trouble crash:2", &words, 1);
    assert_eq!((times(&lines, "uci"), times(&lines, "isready")), (3, 1), "{lines:?}");
    let lines = told_until(&tables, "--trouble crash:2", &words, 1);
    assert_eq!((times(&lines, "uci"), times(&lines, "isready")), (3, 6), "{lines:?}");
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
fn by_gtp_every_move_is_asked_for_in_the_position_as_it_is() {
    let tables = tables();
    let words = ["--count", "2", "--difficulty", "won:7", "--mode", "play-out", "--dialect"];
    for (name, script, moves) in [("gtp", "--gtp", 1), ("gtp-halves", "--halves --sides b/w", 2)] {
        let lines = told(&tables, script, &[&words[..], &[name]].concat());
        let verbs: Vec<&str> = lines[1..].iter().map(|line| line.split(' ').next().unwrap()).collect();
        let turn = [&["setfen"][..], &["genmove"].repeat(moves)].concat();
        assert!(verbs.len() >= 8 * turn.len() && verbs.chunks(turn.len()).all(|part| part == turn), "{lines:?}");
    }
}

#[test]
fn a_filter_translates_other_words_and_every_part_of_it_ends() {
    let (tables, folder, marker) = (tables(), TempDir::new().unwrap(), marker());
    // Told `think 50`, it answers `I play` with a move.
    let engine = folder.path().join("engine");
    let inside = scripted(&tables, &format!("--marker {marker}"));
    let filter = format!("sed -u 's/^think/go movetime/' | {inside} | sed -u 's/^bestmove/I play/'");
    fs::write(&engine, filter).unwrap();
    let text = format!(
        "[protocol]\nlimits = {{ movetime = \"time\" }}\n\
         command = \"sed -u 's/^go time/think/;s/{marker}//' | sh ./engine | sed -u 's/^I play/bestmove/;s/{marker}//'\"\n"
    );
    let file = dialect(&folder, &text);
    let words = ["--count", "6", "--movetime", "50", "--dialect", &file];
    let (moves, _, _) = Check::new(&tables, &words).json(0);
    assert_eq!(verdicts(&moves), BTreeMap::from([("best", 6)]));
    assert_gone(&marker);
    // Without the second filter there is no answer.
    fs::write(&file, text.replace("| sed -u 's/^I play/bestmove/;", "| sed -u '")).unwrap();
    let (moves, _, _) = Check::new(&tables, &[&words[..], &["--timeout", "300", "--give-up", "1"]].concat()).json(1);
    assert!(moves[0]["reason"].as_str().unwrap().contains("and it has said: I play "), "{moves:?}");
    assert_gone(&marker);
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

#[test]
fn a_dialect_file_starts_its_engine_from_wherever_it_is_used() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let (inner, elsewhere) = (folder.path().join("my engine"), folder.path().join("elsewhere"));
    fs::create_dir(&inner).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    fs::write(inner.join("engine.sh"), format!("exec {}\n", scripted(&tables, "--hello jcei"))).unwrap();
    fs::write(elsewhere.join("mine.sh"), format!("exec {}\n", scripted(&tables, "--hello jcei"))).unwrap();
    fs::write(inner.join("engine.toml"), "[protocol]\ncommand = \"sh ./engine.sh\"\nhello = \"jcei\"\n").unwrap();
    let absolute = inner.join("engine.toml");
    for (from, dialect, command) in [
        (&elsewhere, absolute.to_str().unwrap(), None),
        (&elsewhere, "../my engine/engine.toml", None),
        (&inner, "engine.toml", None),
        // What is typed belongs to the folder where it is typed.
        (&elsewhere, "../my engine/engine.toml", Some("sh ./mine.sh")),
    ] {
        let typed = command.map(|command| ["--cmd", command]);
        let words = [&["check", "engine", "--count", "2", "--dialect", dialect][..], typed.as_ref().map_or(&[], |t| t)];
        let output = Dsq::in_folder(tables.folder()).command(&words.concat()).current_dir(from).output().unwrap();
        let ran = Ran::new(format!("{dialect} from {}", from.display()), output).expect_code(0);
        assert!(ran.stdout.contains("2 positions") || ran.stdout.contains("best"), "{ran:#?}");
    }
}

#[test]
fn what_many_illegal_moves_have_in_common_is_told() {
    let tables = tables();
    let hints = |script: &str, words: &[&str]| {
        let (_, _, summary) = Check::new(&tables, &[&["--count", "20"], words].concat()).engine(script).json(1);
        summary["engines"][0]["hints"].to_string()
    };
    assert!(hints("--play start", &[]).contains("seems to ignore the position"));
    // It takes the small letters for White's.
    let lower = hints("--lower --play first", &["--material", "E-C,L-D,W-P"]);
    assert!(lower.contains("--first lower") && !lower.contains("ignore"), "{lower}");
    let mirrored = hints("--mirror-moves --play first", &["--material", "E-C,L-D,W-P"]);
    assert!(mirrored.contains("--mirror") && !mirrored.contains("ignore"), "{mirrored}");
}

#[test]
fn an_engine_with_other_rules_is_told_which_setting_its_moves_need() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let positions = folder.path().join("positions.txt");
    fs::write(&positions, "# the elephant beside the rat\n\n7/7/7/3r3/3E3/7/7/7/7 w\n").unwrap();
    let words = ["--positions", positions.to_str().unwrap()];
    let engine = format!("'{}' --rules leiden --play greedy", env!("CARGO_BIN_EXE_scripted_engine"));
    let (moves, _, _) = Check::new(&tables, &[&words[..], &["--cmd", &engine]].concat()).json(1);
    assert_eq!((moves.len(), text(&moves[0], "verdict")), (1, "illegal"));
    let settings = moves[0]["legal_with"].to_string();
    assert!(settings.contains("elephant-takes-rat="), "{settings}");
    assert!(moves[0]["legal_in"].to_string().contains("leiden"));
}

// Reports.

#[test]
fn several_engines_stand_side_by_side() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("report.html");
    let words = ["--count", "30", "--difficulty", "won:9,drawn:2", "--html", page.to_str().unwrap(), "--faults", "2"];
    let check = Check::new(&tables, &words)
        .engine("--play best")
        .engine("--play throw")
        .engine("--play best --trouble none:10");
    let ran = check.run().expect_code(1);
    let row = |name: &str| {
        let line =
            ran.stdout.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{ran:#?}"));
        line.trim_start()[name.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("moves"), ["30", "30", "27"]);
    assert_eq!(row("no move"), ["0", "0", "3"]);
    assert_eq!(row("best")[0], "30");
    assert!(ran.stdout.contains("more faults; --faults, --json and --html show all of them"), "{ran:#?}");
    let none = Check::new(&tables, &["--count", "3", "--faults", "0"]).engine("--trouble garbage").run().expect_code(1);
    assert!(none.stdout.contains(": 3 faults; --faults,"), "{none:#?}");
    assert!(ran.stdout.contains("kept the win:") || ran.stdout.contains("kept the draw:"), "{ran:#?}");
    let page = fs::read_to_string(page).unwrap();
    let thrown = page.matches("<section class=\"fault\">").count();
    let (moves, _, _) = check.json(1);
    let faults = ["win-to-draw", "win-to-loss", "draw-to-loss", "no-move"];
    assert_eq!(thrown, moves.iter().filter(|object| faults.contains(&text(object, "verdict"))).count());
    assert_eq!(page.matches("<svg").count(), thrown);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
}

#[test]
fn what_an_engine_says_cannot_break_the_page() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("report.html");
    let engine = "while read line; do case $line in uci) echo 'id name <script>alert(1)</script>'; echo uciok;; isready) echo readyok;; go*) echo '<b>'; echo 'bestmove <img src=x>';; esac; done";
    let words = ["--count", "2", "--html", page.to_str().unwrap(), "--cmd", engine];
    let (moves, _, _) = Check::new(&tables, &words).json(1);
    assert_eq!(verdicts(&moves), BTreeMap::from([("garbage", 2)]));
    let page = fs::read_to_string(page).unwrap();
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>\n"), "{page}");
    assert!(page.contains("&lt;img"));
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

// Bad usage.

#[test]
fn bad_usage_is_refused_before_an_engine_is_started() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (bad, empty) = (file("bad.txt", "7/7/7/3r3/3E3/7/7/7/7 w\nx\n"), file("empty.txt", "# nothing\n"));
    let (over, stuck) = (file("over.txt", "3E3/7/3e3/7/7/7/7/7/7 b\n"), file("stuck.txt", "7/7/7/7/7/7/7/d6/Rc5 w\n"));
    let unknown = file("unknown.toml", "[protocol]\nhallo = \"x\"\n");
    let lines = file("lines.toml", "[protocol]\ninit = [\"a\\nb\"]\n");
    let pos = file("pos.toml", "[protocol]\nhello = \"uci\"\nposition = \"position fen {pos}\"\n");
    let none = file("none.toml", "[protocol]\nposition = \"position\"\n");
    let sideless = file("sideless.toml", "[protocol]\nkind = \"gtp\"\nposition = \"board {board}\"\n");
    let letters = file("letters.toml", "[notation]\nfirst = \"lower\"\nletters = { lion = \"P\" }\n");
    let touched = folder.path().join("touched");
    let touch = format!("touch '{}'", touched.display());
    for (words, part) in [
        (&["--positions", &bad][..], "bad.txt: line 2: FEN"),
        (&["--positions", &empty], "no position"),
        (&["--positions", &over], "line 1: the game is over"),
        (&["--positions", &stuck], "line 1: there is no legal move"),
        (&["--positions", "/nowhere/x"], "/nowhere/x"),
        (&["--dialect", "klingon"], "\"klingon\" is not known"),
        (&["--dialect", &unknown], "line 2"),
        (&["--dialect", &lines], "lines.toml: line 2: init: \"a\\nb\" is more than one line"),
        (&["--init", "a\nb"], "--init: \"a\\nb\" is more than one line"),
        (&["--hello", "{name}"], "--hello: {name} is not known"),
        (&["--dialect", &pos], "pos.toml: line 3: position: {pos} is not known, only {position}, {board}, {side}"),
        (&["--dialect", &none], "none.toml: line 2: position: neither {position} nor {board}"),
        (&["--dialect", &sideless, "--protocol", "uci"], "--protocol: position: {side} is missing"),
        (&["--dialect", "uci", "--dialect", "gtp"], "1 command and 2 dialects"),
        (&["--dialect", &letters], "letters.toml: line 3: letters: P would be both leopard and lion"),
        // What the options alone make of it is no fault of the file.
        (&["--dialect", "uci", "--letters", "lion=P"], "dsq: letters: P would be both leopard and lion"),
        (&["--letters", "dragon=D"], "dragon"),
        (&["--material", "RR-E"], "twice"),
        (&["--difficulty", "won:67000"], "no such position"),
    ] {
        let words = [words, &["--cmd", &touch]].concat();
        let line = Check::new(&tables, &words).run().refused_with(2);
        assert!(line.contains(part), "{line}");
    }
    let none = Check::new(&tables, &[]).run().refused_with(2);
    assert!(none.contains("there is no engine: --cmd"), "{none}");
    let nobody = file("nobody.toml", "[protocol]\nhello = \"\"\ncommand = \" \"\n");
    let none = Check::new(&tables, &["--dialect", &nobody]).run().refused_with(2);
    assert!(none.contains("nobody.toml: line 3: command: it is empty") && none.contains("--cmd"), "{none}");
    for words in [
        &["--difficulty", "easy"][..],
        &["--mode", "chat"],
        &["--parallel", "0"],
        &["--positions", &bad, "--count", "3"],
    ] {
        let ran = Check::new(&tables, &[words, &["--cmd", &touch]].concat()).run().expect_code(2);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{ran:#?}");
    }
    let missing = Check::new(&tables, &["--material", "RL-TE", "--cmd", &touch]).run().refused_with(3);
    assert!(missing.contains("RL-TE"), "{missing}");
    assert!(missing.contains(" generate RL-TE"), "{missing}");
    // Who asks for all of a size is told how to make all of them, not one after the other.
    let missing = Check::new(&tables, &["--pieces", "4", "--cmd", &touch]).run().refused_with(3);
    assert!(missing.contains(" generate --pieces 4"), "{missing}");
    assert!(!touched.exists());
}

// Rules.

fn rules_of(script: &str, words: &[&str], code: i32) -> Json {
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    let (folder, marker) = (TempDir::new().unwrap(), marker());
    let command = format!("'{program}' {script} --marker {marker}");
    // Whether it lists or counts is said: to find out takes its time, and is tried elsewhere.
    let list = if script.contains("--lists") { "\"moves\"" } else { "" };
    let perft = if script.contains("--counts") { "\"perft {depth}\"" } else { "" };
    let plain = dialect(&folder, &format!("[protocol]\nperft = [{perft}]\nlist = [{list}]\n"));
    let mut asked = vec!["check", "rules", "--movetime", "50", "--timeout", "2000", "--cmd", &command];
    asked.extend(words);
    if !words.contains(&"--dialect") {
        asked.extend(["--dialect", &plain]);
    }
    let answer = Dsq::in_folder(folder.path()).json().run(&asked).expect_code(code).json();
    assert_gone(&marker);
    answer
}

#[test]
fn the_rule_set_of_an_engine_is_found_by_lists_counts_or_moves() {
    for name in ["classic", "leiden", "wikipedia-es", "wikipedia", "knowlton", "shou-dou-qi"] {
        for (script, sure) in
            [("--lists --counts", true), ("--counts", true), ("--lists", true), ("--play greedy", false)]
        {
            let answer = rules_of(&format!("--rules {name} {script}"), &["--depth", "3", "--rules", name], 0);
            let sets: Vec<&str> =
                answer["rule_sets"].as_array().unwrap().iter().map(|set| set.as_str().unwrap()).collect();
            assert!(sets.contains(&name) && (sets.len() == 1 || !sure), "{name}, {script}: {sets:?}");
            assert_eq!(answer["rules_fit"], true);
            let counts = answer["counts"].as_array().unwrap();
            // A list counts one ply.
            let expected = if script.contains("--counts") { 6 } else { 2 * usize::from(script.contains("--lists")) };
            assert_eq!(counts.len(), expected, "{script}");
            let failures = answer["failures"].as_object().unwrap();
            assert!(failures.is_empty() && answer["impossible_moves"] == 0, "{answer}");
            assert!(counts.iter().all(|count| count["nodes"] == count["expected_nodes"]), "{answer}");
        }
    }
}

#[test]
fn settings_that_no_rule_set_has_are_found_and_the_rule_set_asked_about_is_refused() {
    for (setting, script) in [
        ("elephant-takes-trapped-rat=false", "--counts"),
        ("jump-stopped-by=enemy", "--counts --play divide"),
        ("rat-takes-elephant=always", "--play greedy"),
        ("own-den=allowed", "--play greedy"),
        ("traps=none", "--checks --play greedy"),
    ] {
        let answer = rules_of(&format!("--set {setting} {script}"), &["--depth", "3"], 1);
        assert_eq!(answer["rule_sets"], Json::Array(Vec::new()), "{setting}: {answer}");
        assert_eq!(answer["nearest"]["rules"], "classic", "{setting}: {answer}");
        assert_eq!(answer["nearest"]["set"], Json::from(vec![setting]), "{answer}");
        assert_eq!(
            (&answer["nearest"]["explains_answers"], &answer["rules_fit"]),
            (&Json::Bool(true), &Json::Bool(false))
        );
    }
}

#[test]
fn another_notation_is_named_and_nothing_is_certain() {
    for (script, hint) in [
        ("--lists --lower", "--first lower"),
        ("--lists --counts --lower", "--first lower"),
        ("--counts --play divide --lower", "--first lower"),
        ("--lists --counts --mirror-moves", "--mirror"),
        ("--play first --mirror-moves", "--mirror"),
    ] {
        let answer = rules_of(script, &["--depth", "2"], 1);
        assert!(answer["impossible_moves"].as_u64().unwrap() > 0, "{script}: {answer}");
        let hints = answer["hints"].to_string();
        assert!(hints.contains("illegal moves") && hints.contains(hint), "{script}: {hints}");
        assert!(["unclear", "nothing"].contains(&text(&answer, "conclusion")), "{script}: {answer}");
    }
    // Two letters exchanged make other rules of it, which do not explain the counts.
    let answer = rules_of("--lists --counts --letters CEEC", &["--depth", "3"], 1);
    assert_eq!((text(&answer, "conclusion"), &answer["rules_fit"]), ("unclear", &Json::Bool(false)), "{answer}");
}

#[test]
fn questions_without_an_answer_are_counted() {
    for (trouble, kind) in [("crash:5", "crash"), ("garbage:3", "garbage")] {
        let answer = rules_of(&format!("--play greedy --trouble {trouble}"), &[], 1);
        let failures = answer["failures"].as_object().unwrap();
        assert!(failures[kind].as_u64().unwrap() > 0 && failures.len() == 1, "{answer}");
        // What it answers fits all the same.
        assert_eq!(answer["rules_fit"], true, "{answer}");
    }
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    let folder = TempDir::new().unwrap();
    let plain = dialect(&folder, "[protocol]\nperft = []\nlist = []\n");
    let command = format!("'{program}' --play greedy --trouble crash:5");
    let words = ["check", "rules", "--movetime", "50", "--dialect", &plain, "--cmd", &command];
    let ran = Dsq::in_folder(folder.path()).run(&words).expect_code(1);
    let line = ran.stdout.lines().find(|line| line.contains(" questions failed: crash "));
    assert!(line.is_some_and(|line| line.contains(" of 25 ")), "{}", ran.stdout);
}

#[test]
fn an_engine_that_plays_at_random_tells_only_what_it_does() {
    for seed in 0..4 {
        let answer = rules_of(&format!("--play random:{seed} --rules leiden"), &["--rules", "leiden"], 0);
        assert_eq!(
            (&answer["rules_fit"], &answer["conclusion"]),
            (&Json::Bool(true), &Json::from("likely")),
            "{answer}"
        );
        assert_eq!(answer["nearest"]["unexplained_answers"], 0);
        assert!(text(&answer, "asked").contains("a move that it does not make says nothing"), "{answer}");
        let undecided: Vec<&str> =
            answer["undecided"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        // One win in three or four is found by chance, and nothing else tells anything.
        assert!(undecided.len() >= 3 && undecided.len() < 16, "{undecided:?}");
        for about in answer["answers"].as_array().unwrap() {
            let (key, values) = (text(about, "setting"), about["values"].as_array().unwrap().len());
            let all = if key == "ranks" || key == "swimmers" || key == "traps" { 3 } else { values };
            assert!(text(about, "answer") != "unknown" || values == all, "{about}");
            assert_eq!(about["sure"], false, "{about}");
        }
    }
    // The same in words, and what nobody's rules explain.
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    let folder = TempDir::new().unwrap();
    let plain = dialect(&folder, "[protocol]\nperft = []\nlist = []\n");
    let check = |script: &str| {
        let command = format!("'{program}' {script}");
        let words = ["check", "rules", "--movetime", "50", "--dialect", &plain, "--cmd", &command];
        Dsq::in_folder(folder.path()).run(&words)
    };
    let ran = check("--play random:1").expect_code(0);
    for part in ["likely: these rule sets fit: classic", "undecided, as all values fit: ", "likely, because"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // It says in every position that it has no move.
    let ran = check("--play greedy --trouble none").expect_code(1);
    let line = ran.stdout.lines().find(|line| line.contains("comes nearest")).unwrap();
    assert!(line.contains("and does not explain ") && line.contains(" of 24 answers: --rules "), "{line}");
    // It answers no question at all.
    let ran = check("--play greedy --trouble garbage").expect_code(1);
    assert!(ran.stdout.contains("nothing was found out about its rules"), "{}", ran.stdout);
    assert!(ran.error_line().contains("nothing was found out"), "{ran:#?}");
}

#[test]
fn an_engine_that_refuses_moves_tells_its_rules_by_that() {
    let answer = rules_of("--checks --play first --rules leiden", &["--rules", "leiden"], 0);
    assert!(text(&answer, "asked").contains("whether it goes on after a move"), "{answer}");
    let answers = answer["answers"].as_array().unwrap();
    let sure = answers.iter().filter(|answer| answer["sure"] == true).count();
    assert!(sure >= 24, "{answer}");
    assert_eq!(answer["rule_sets"], Json::from(vec!["leiden"]));
}

#[test]
fn rules_are_found_in_dialects_too_and_a_silent_engine_tells_nothing() {
    let uaci = "--hello uaci --turned --letters RM --sides r/b --place fen --time time --no-ready --play greedy";
    let answer = rules_of(&format!("{uaci} --rules leiden"), &["--dialect", "uaci", "--rules", "leiden"], 0);
    assert!(answer["rule_sets"].to_string().contains("leiden"), "{answer}");
    // It knows no command that lists or counts, and thinks without end when it is told to count.
    let answer = rules_of("--play greedy --rules knowlton", &["--dialect", "uci", "--rules", "knowlton"], 0);
    assert!(answer["rule_sets"].to_string().contains("knowlton"), "{answer}");
    let answer = rules_of("--halves --sides b/w --play greedy", &["--dialect", "gtp-halves"], 0);
    assert!(answer["rule_sets"].to_string().contains("classic"), "{answer}");
    let folder = TempDir::new().unwrap();
    let words = ["check", "rules", "--hello-timeout", "300", "--cmd", "cat >/dev/null"];
    let line = Dsq::in_folder(folder.path()).run(&words).refused_with(2);
    assert!(line.contains("never answered its greeting"), "{line}");
    let refused = Dsq::in_folder(folder.path()).rules("mini-jungla").run(&words).refused_with(2);
    assert!(refused.contains("mini-jungla"), "{refused}");
}
