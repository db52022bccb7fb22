//! What all verbs share: how positions, materials, rule sets and options are read, and what is refused.

use super::{LOST, WON, assert_says, dsq, some_tables, tables};
use dsq_tests::files_of;
use dsq_tests::program::{Dsq, Ran, binary, run};
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

#[test]
fn an_unreadable_position_is_refused_with_what_is_wrong_and_where() {
    let cases: [(&str, &[&str]); 18] = [
        ("", &["empty"]),
        (" ", &["empty"]),
        ("7/7/7 w", &["3 ranks", "9"]),
        ("7/7/7/7/7/7/7/7/7/7 w", &["10 ranks", "9"]),
        ("e6/7/7/7/7/7/7/7/E7 w", &["rank 1", "8 squares", "7"]),
        ("e6/7/7/6/7/7/7/7/E6 w", &["rank 6", "6 squares", "7"]),
        ("e6/7/7/7/7/7/7/7/E6", &["side to move"]),
        ("e6/7/7/7/7/7/7/7/E6 x", &["side to move", "\"x\""]),
        ("X6/7/7/7/7/7/7/7/E6 w", &["rank 9", "a9", "'X'"]),
        ("e6/7/7/7/7/7/7/7/E5ä w", &["rank 1", "g1", "'ä'"]),
        ("e6/7/7/7/7/7/7/7/5I1 w", &["rank 1", "f1", "--letters lion=I,leopard=L"]),
        ("EE5/7/7/7/7/7/7/7/e6 w", &["rank 9", "b9", "second elephant", "a9"]),
        ("e6/7/7/1E5/7/7/7/7/7 w", &["elephant", "b6", "water"]),
        ("e6/7/7/7/7/7/7/7/3E3 w", &["elephant", "d1", "own den"]),
        ("3E3/7/7/7/7/7/7/7/3e3 w", &["d9", "d1", "both dens"]),
        ("7/7/7/7/7/7/7/7/7 w", &["no piece"]),
        ("e6/7/7/7/7/7/7/7/E6 w - - 3 x", &["field 6", "\"x\""]),
        ("e6/7/7/7/7/7/7/7/E6 w - - 3 4 5", &["field 7", "\"5\""]),
    ];
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    for (fen, parts) in cases {
        for words in [vec!["probe", fen], vec!["moves", fen], vec!["perft", fen, "2"]] {
            assert_says(&dsq.run(&words).refused_with(2), parts);
        }
    }
}

#[test]
fn no_line_of_input_makes_the_program_panic() {
    let tables = tables();
    let mut random = dsq_tests::Random::new(8);
    let alphabet: Vec<char> = "123456789rcdwptleRCDWPTLE//// wbß-\u{7f}\t\"\\{".chars().collect();
    let mut lines: Vec<String> = (0..3000)
        .map(|_| {
            let length = random.below(40);
            (0..length).map(|_| *random.pick(&alphabet)).collect()
        })
        .collect();
    lines.push("7/".repeat(5000));
    lines.push("9".repeat(5000));
    let mut input = lines.join("\n").into_bytes();
    input.extend(b"\n\xff\xfe\x00\n");
    let ran = dsq(&tables).json().run_with_input(&["probe", "-"], input);
    let expected = lines.iter().filter(|line| !line.trim().is_empty()).count() + 1;
    let answers = ran.expect_code(2).json_lines();
    assert_eq!(answers.len(), expected);
    assert!(answers.iter().all(|answer| answer["position"].is_string()));
}

#[test]
fn an_unknown_material_is_refused_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(&folder.path().join("tables"));
    for (material, parts) in [
        ("RR-E", ["\"RR-E\"", "twice"]),
        ("X-E", ["\"X-E\"", "'X' is not an animal"]),
        ("RL-", ["\"RL-\"", "black has no animals"]),
        ("RL", ["\"RL\"", "hyphen"]),
        ("R-E-L", ["\"R-E-L\"", "'-' is not an animal"]),
        ("", ["\"\"", "hyphen"]),
        ("RCDWPTLE-R", ["\"RCDWPTLE-R\"", "9 pieces"]),
    ] {
        for words in [vec!["generate"], vec!["verify"], vec!["stats"], vec!["export", "--format", "csv"]] {
            let words = [words, vec![material]].concat();
            assert_says(&dsq.run(&words).refused_with(2), &parts);
        }
    }
    assert!(!folder.path().join("tables").exists());
}

#[test]
fn an_unknown_rule_set_or_setting_is_refused_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let broken = folder.path().join("broken.toml");
    fs::write(&broken, "name = \"broken\"\nboard = 5\n").unwrap();
    let broken = broken.to_str().unwrap();
    let cases: [(&[&str], &[&str]); 9] = [
        (&["--rules", "chess"], &["\"chess\"", "classic", "leiden"]),
        (&["--rules", "/nowhere/rules.toml"], &["/nowhere/rules.toml"]),
        (&["--rules", folder.path().to_str().unwrap()], &[folder.path().to_str().unwrap()]),
        (&["--rules", broken], &["broken.toml"]),
        (&["--set", "colour=red"], &["\"colour\"", "A-jumps", "no-move"]),
        (&["--set", "dragon-jumps=both"], &["\"dragon-jumps\""]),
        (&["--set", "no-move=perhaps"], &["no-move", "\"perhaps\"", "loss, draw"]),
        (&["--set", "ranks=R C D"], &["ranks", "missing"]),
        (&["--set", "hidden-pieces=true"], &["hidden-pieces", "not a function of the position"]),
    ];
    for (options, parts) in cases {
        let dsq = options.iter().fold(Dsq::in_folder(&folder.path().join("tables")), |dsq, word| dsq.option(word));
        for words in [&["generate"][..], &["probe", LOST], &["moves", "startpos"], &["list"], &["stats"], &["verify"]] {
            assert_says(&dsq.run(words).refused_with(2), parts);
        }
    }
    assert!(!folder.path().join("tables").exists());
}

#[test]
fn bad_usage_has_its_exit_code() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    for words in [
        &[][..],
        &["solve"],
        &["probe"],
        &["probe", "--depth", "3", LOST],
        &["perft", "startpos", "many"],
        &["generate", "--pieces", "1"],
        &["generate", "--pieces", "99"],
        &["generate", "--metric", "dtz"],
        &["generate", "--memory", "-1"],
        &["verify", "--sample", "0"],
        &["export"],
        &["export", "--format", "openml", "R-E"],
        &["--set", "tiger-jumps", "list"],
        &["--threads", "0", "list"],
        &["perft", LOST, WON],
    ] {
        let ran = dsq.run(words).expect_code(2);
        assert_eq!(ran.stdout, "", "{ran:#?}");
        assert!(!ran.stderr.is_empty(), "{ran:#?}");
    }
}

#[test]
fn a_full_standard_output_is_an_error() {
    let tables = tables();
    for words in [&["stats"][..], &["export", "R-E"], &["probe", LOST], &["rules"], &["perft", "startpos", "2"]] {
        let mut command = dsq(&tables).command(words);
        command.stdout(fs::File::options().write(true).open("/dev/full").unwrap());
        let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        let ran = Ran::new(format!("{command:?}"), output);
        assert_says(&ran.refused_with(2), &["standard output"]);
    }
}

#[test]
fn the_folder_of_the_tables_can_be_named_by_the_environment() {
    let tables = some_tables(&["E-E"]);
    let mut command = Command::new(binary());
    command.args(["probe", LOST]).env("DSQ_DIR", tables.folder());
    assert_says(&run(command, "").expect_code(0).stdout, &["Black wins in 12 plies"]);
    // An option counts more.
    let mut command = Dsq::in_folder(&tables.folder().join("nowhere")).command(&["probe", LOST]);
    command.env("DSQ_DIR", tables.folder());
    assert_says(&run(command, "").refused_with(3), &["nowhere"]);
}

#[test]
fn positions_are_read_in_their_spellings() {
    let tables = tables();
    let expected = dsq(&tables).json().run(&["probe", WON]).expect_code(0).stdout;
    let board = WON.strip_suffix(" w").unwrap();
    for words in [
        vec!["probe", board, "w"],
        vec!["probe", board, "white", "-", "-", "3", "40"],
        vec!["probe", board, "r"],
        vec!["probe", "--letters", "tiger=X,lion=I", "x6/7/X6/7/7/7/7/7/7 red 5"],
    ] {
        assert_eq!(dsq(&tables).json().run(&words).expect_code(0).stdout, expected, "{words:?}");
    }
    let aliases = dsq(&tables).json().run(&["moves", "l5t/1d3c1/m1j1f1e/7/7/7/E1F1J1M/1C3D1/T5L w"]);
    assert_eq!(aliases.expect_code(0).json()["position"], "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w");
}

#[test]
fn results_alone_go_to_standard_output_and_nothing_is_coloured() {
    let tables = tables();
    for words in [
        &["probe", WON][..],
        &["moves", WON],
        &["perft", "startpos", "3"],
        &["verify", "--pieces", "2"],
        &["stats"],
        &["list"],
        &["rules"],
        &["rules", "classic"],
        &["export", "R-E"],
        &["generate"],
    ] {
        let ran = dsq(&tables).run(words).expect_code(0);
        assert_eq!(ran.stderr, "", "{ran:#?}");
        assert!(!ran.stdout.is_empty() && !ran.stdout.contains('\u{1b}'), "{ran:#?}");
    }
}

#[test]
fn every_verb_has_help_with_an_example() {
    for verb in ["generate", "probe", "moves", "perft", "verify", "stats", "list", "rules", "export"] {
        let mut command = Command::new(binary());
        command.args([verb, "--help"]);
        let help = run(command, "").expect_code(0);
        assert_says(&help.stdout, &["Example", &format!("dsq {verb}"), "--rules", "--set", "--dir", "--json"]);
    }
}

#[test]
fn threads_of_the_environment_have_a_limit() {
    let folder = TempDir::new().unwrap();
    for threads in ["100000", "0", "many", "2"] {
        let mut command = Dsq::in_folder(folder.path()).command(&["moves", WON]);
        let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{threads}");
    }
    let output = Dsq::in_folder(folder.path())
        .command(&["generate", "--pieces", "2"])
        .env("RAYON_NUM_THREADS", "100000")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(files_of(folder.path()).len(), 10);
}
