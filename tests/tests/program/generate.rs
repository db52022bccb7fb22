//! `dsq generate`.

use super::assert_only_whole_tables;
use super::{WON, assert_says, tables};
use dsq_tests::files_of;
use dsq_tests::program::{Dsq, Ran, binary, run};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "here already").unwrap();
    let line = Dsq::in_folder(&file.join("tables")).run(&["generate", "R-E"]).refused_with(2);
    assert_says(&line, &[file.to_str().unwrap(), "cannot make the folder"]);
    assert_eq!(fs::read(&file).unwrap(), b"here already");
    let line = Dsq::in_folder(&file).run(&["generate", "R-E"]).refused_with(2);
    assert_says(&line, &[file.to_str().unwrap()]);
}

#[test]
fn a_second_run_waits_for_the_first_and_says_so() {
    let folder = TempDir::new().unwrap();
    let rules_folder = folder.path().join("classic");
    fs::create_dir(&rules_folder).unwrap();
    // This test is the first run: it holds the lock.
    let lock = fs::File::create(rules_folder.join(".lock")).unwrap();
    lock.lock().unwrap();
    let mut command = Dsq::in_folder(folder.path()).command(&["generate", "R-E"]);
    let mut second = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let stderr = BufReader::with_capacity(1, second.stderr.as_mut().unwrap());
    { stderr }.read_line(&mut said).unwrap();
    assert_says(&said, &["dsq: ", rules_folder.to_str().unwrap(), "another run", "waiting"]);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(second.try_wait().unwrap(), None, "it does not wait");
    assert!(files_of(folder.path()).is_empty());
    drop(lock);
    let ran = Ran::new(format!("{command:?}"), second.wait_with_output().unwrap()).expect_code(0);
    assert_eq!(ran.stderr, "", "nothing more to say");
    assert_eq!(files_of(folder.path()).len(), 1);
}

#[test]
fn two_runs_in_one_folder_end_well_and_damage_nothing() {
    let expected = tables();
    for _ in 0..3 {
        let folder = TempDir::new().unwrap();
        let dsq = Dsq::in_folder(folder.path());
        let start = |_| {
            let mut command = dsq.command(&["--json", "generate"]);
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            (format!("{command:?}"), child)
        };
        let children: Vec<_> = (0..2).map(start).collect();
        let ended = children.into_iter().map(|(words, child)| Ran::new(words, child.wait_with_output().unwrap()));
        let reports: Vec<Value> = ended.map(|ran| ran.expect_code(0).json()).collect();
        let sum = |key: &str| reports.iter().map(|report| report[key].as_u64().unwrap()).sum::<u64>();
        // Every table was made by one of them and kept by the other.
        assert_eq!((sum("made"), sum("kept")), (52, 52));
        assert_eq!(assert_only_whole_tables(folder.path(), &expected), 52);
    }
}

#[test]
fn a_run_says_what_it_made_and_the_next_line_it_suggests_works() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    let first = dsq.run(&["generate"]).expect_code(0);
    assert_eq!(first.stderr, "");
    assert_says(&first.stdout, &["52 tables made", "0 already there"]);
    let next = first.stdout.lines().last().unwrap().strip_prefix("try next: ").unwrap();
    // The suggestion may be a call by cargo; the words behind the program are the same.
    let words = next.split_once(" probe ").unwrap().1;
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec '{}' probe {words}", binary().display())]);
    let answer = run(shell, "").expect_code(0);
    assert_says(&answer.stdout, &["wins in"]);

    let again = dsq.json().run(&["generate"]).expect_code(0).json();
    assert_eq!((&again["made"], &again["kept"]), (&json!(0), &json!(52)));
}

#[test]
fn the_program_makes_the_same_files_as_the_library_with_any_number_of_threads() {
    let expected = files_of(tables().folder());
    assert_eq!(expected.len(), 52);
    for threads in ["1", "2", "3"] {
        let folder = TempDir::new().unwrap();
        Dsq::in_folder(folder.path()).run(&["generate", "--threads", threads]).expect_code(0);
        assert!(files_of(folder.path()) == expected, "the files differ with {threads} threads");
    }
}

#[test]
fn an_estimate_writes_nothing_and_is_about_right() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(&folder.path().join("tables")).json();
    let estimate = dsq.run(&["generate", "--estimate"]).expect_code(0).json();
    assert!(!folder.path().join("tables").exists());
    assert_eq!(estimate["tables"], 52);
    let made = dsq.run(&["generate"]).expect_code(0).json();
    assert_eq!(estimate["positions"], made["positions"]);
    let ratio = made["bytes"].as_f64().unwrap() / estimate["bytes"].as_f64().unwrap();
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
    let left = dsq.run(&["generate", "--estimate"]).expect_code(0).json();
    assert_eq!((&left["tables"], &left["positions"]), (&json!(0), &json!(0)));
}

#[test]
fn a_limit_of_memory_that_is_too_low_is_an_error_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let tables = folder.path().join("tables");
    let line = Dsq::in_folder(&tables).run(&["generate", "--pieces", "5", "--memory", "0.1"]).refused_with(2);
    assert_says(&line, &["iB of memory", "limit", "pieces would fit"]);
    assert!(!tables.exists());
}

#[test]
fn tables_can_be_verified_as_they_are_made() {
    let folder = TempDir::new().unwrap();
    let made = Dsq::in_folder(folder.path()).json().run(&["generate", "--verify", "RL-E"]).expect_code(0).json();
    assert_eq!((&made["verified"], &made["made"]), (&json!(true), &json!(3)));
    assert_eq!(files_of(folder.path()).len(), 3);
}

#[test]
fn tables_of_changed_rules_lie_apart() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    let files_only = dsq.clone().option("--set").option("tiger-jumps=files");
    dsq.run(&["generate", "T-T"]).expect_code(0);
    let probe = ["probe", WON];
    assert_says(&files_only.run(&probe).refused_with(3), &["no tables", "tiger-jumps=files"]);
    files_only.run(&["generate", "T-T"]).expect_code(0);
    assert_eq!(files_of(folder.path()).len(), 2);
    let before_a_river = ["probe", "7/7/7/7/T6/7/7/7/6t w"];
    let answer = |dsq: &Dsq| dsq.clone().json().run(&before_a_river).expect_code(0).json();
    let (plain, files_only) = (answer(&dsq), answer(&files_only));
    assert_eq!((&plain["rules"], &files_only["rules"]), (&json!("classic"), &json!("classic+tiger-jumps=files")));
    let count = |answer: &Value| answer["moves"].as_array().unwrap().len();
    assert_eq!((count(&plain), count(&files_only)), (3, 2), "the jump sideways is gone");
}

#[test]
fn every_profile_gives_the_same_answers() {
    let mut sizes = Vec::new();
    let mut answers = BTreeSet::new();
    for profile in ["archive", "balanced", "server"] {
        let folder = TempDir::new().unwrap();
        let dsq = Dsq::in_folder(folder.path());
        let made = dsq.run(&["generate", "RT-E", "--profile", profile, "--verify", "--json"]).expect_code(0);
        sizes.push(made.json()["bytes"].as_u64().unwrap());
        answers.insert(dsq.run(&["export", "RT-E"]).expect_code(0).stdout);
    }
    assert_eq!(answers.len(), 1);
    assert!(sizes.is_sorted() && sizes[0] < sizes[2], "{sizes:?}");
}

#[test]
fn a_file_in_place_of_the_folder_for_work_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let words = ["generate", "--pieces", "2", "--tmp", file.to_str().unwrap()];
    let ran = Dsq::in_folder(folder.path()).run(&words).expect_code(2);
    assert!(ran.stderr.contains("cannot keep the files of the work in it"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert!(!folder.path().join("classic").exists());
}
