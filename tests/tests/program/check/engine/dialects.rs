//! The dialects: what an engine is told, and what of its answers is understood.

use super::{Check, verdict, verdicts};
use crate::program::check::{assert_gone, dialect, marker, scripted, text};
use crate::program::tables;
use dsq_tests::Tables;
use dsq_tests::program::{Dsq, Ran};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

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
