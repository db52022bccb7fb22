//! Runs that are ended at any moment: what is there is whole, and the next run goes on from there.

use dsq_tables::atomic_file::is_temporary_name;
use dsq_tables::tablebase::Tablebase;
use dsq_tests::program::{Dsq, Ran, binary};
use dsq_tests::{Random, catalog, files_of};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SIGKILL: i32 = 9;

/// One thread, so that a run takes longer and a moment hits more of it.
fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = Dsq::in_folder(folder).command(&[words, &["--threads", "1"]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn generate(folder: &Path) -> Ran {
    Dsq::in_folder(folder).run(&["generate", "--pieces", "3", "--threads", "1"]).expect_code(0)
}

/// What an undisturbed run leaves, and how long it takes.
fn undisturbed() -> (BTreeMap<String, Vec<u8>>, Duration) {
    let folder = TempDir::new().unwrap();
    // Building the program, if it has to be, is no part of the run.
    binary();
    let begin = Instant::now();
    generate(folder.path());
    let files = files_of(folder.path());
    assert_eq!(files.len(), 52);
    (files, begin.elapsed())
}

fn temporary_files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder.join("classic")) else { return 0 };
    entries.filter(|entry| is_temporary_name(&entry.as_ref().unwrap().file_name())).count()
}

/// Everything under the name of a table is the table of an undisturbed run.
fn assert_whole(folder: &Path, expected: &BTreeMap<String, Vec<u8>>) -> usize {
    let found = if folder.join("classic").exists() { files_of(folder) } else { BTreeMap::new() };
    for (name, bytes) in &found {
        assert!(expected.get(name) == Some(bytes), "{name} is not as an undisturbed run leaves it");
    }
    found.len()
}

fn assert_complete(folder: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    assert!(files_of(folder) == *expected, "not the files of an undisturbed run");
    assert_eq!(temporary_files(folder), 0);
}

/// Kills a run after some time. True if it was still at work.
fn kill_after(mut child: Child, delay: Duration) -> bool {
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait_with_output().unwrap().status.signal() == Some(SIGKILL)
}

#[test]
#[ignore = "slow: twenty runs are killed and done again"]
fn a_run_killed_at_any_of_twenty_moments_is_completed_by_the_next_one() {
    let (expected, time) = undisturbed();
    let mut random = Random::new(20);
    let (mut killed, mut with_tables, mut with_leftovers) = (0, 0, 0);
    for _ in 0..200 {
        let folder = TempDir::new().unwrap();
        let delay = time.mul_f64(random.below(1000) as f64 / 1000.0);
        if !kill_after(start(folder.path(), &["generate", "--pieces", "3"]), delay) {
            // It was faster than the one that was timed.
            continue;
        }
        killed += 1;
        with_tables += usize::from(assert_whole(folder.path(), &expected) > 0);
        with_leftovers += usize::from(temporary_files(folder.path()) > 0);
        let again = generate(folder.path());
        assert!(again.stderr.lines().all(|line| line.contains("left by a run that was killed")), "{again:#?}");
        assert_complete(folder.path(), &expected);
        if killed == 20 {
            break;
        }
    }
    assert_eq!(killed, 20, "the moments missed the runs");
    assert!(with_tables >= 5, "only {with_tables} of them had made a table, {with_leftovers} were writing one");
}

#[test]
#[ignore = "slow: a run is killed again and again"]
fn a_run_that_is_killed_again_and_again_gets_done_in_the_end() {
    let (expected, time) = undisturbed();
    let mut random = Random::new(21);
    let folder = TempDir::new().unwrap();
    let mut kills = 0;
    for _ in 0..20 {
        // Each run gets some way; the later ones have less to do.
        let delay = time.mul_f64(0.05 + random.below(250) as f64 / 1000.0);
        kills += usize::from(kill_after(start(folder.path(), &["generate", "--pieces", "3"]), delay));
        let tables = assert_whole(folder.path(), &expected);
        if tables == expected.len() {
            break;
        }
    }
    assert!(kills >= 2, "the moments missed the runs");
    generate(folder.path());
    assert_complete(folder.path(), &expected);
    let catalog = catalog("classic", &[]);
    let tablebase = Tablebase::at(folder.path(), catalog.clone(), 0);
    for class in dsq_tests::classes_up_to(&catalog, 3) {
        tablebase.table(&class).unwrap().check_file().unwrap();
    }
}

fn interrupt(child: &Child) {
    let status = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_interrupted_run_ends_cleanly_and_is_completed_by_the_next_one() {
    let (expected, _) = undisturbed();
    let folder = TempDir::new().unwrap();
    // Four pieces take so long that the signal meets the run at work.
    let child = start(folder.path(), &["generate", "--pieces", "4"]);
    let begin = Instant::now();
    while !folder.path().join("classic/C-D.dtw.dsq").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no table after a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
    interrupt(&child);
    let ran = Ran::new("generate --pieces 4, interrupted".to_owned(), child.wait_with_output().unwrap());
    assert!(ran.error_line().contains("stopped; run the same command again"), "{ran:#?}");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(130), ""));
    assert_eq!(temporary_files(folder.path()), 0);
    // Most likely it did not come to four pieces; if it did, those are not compared.
    let four = |name: &str| name.split('.').next().unwrap().len() > "classic/RR-R".len();
    for (name, bytes) in files_of(folder.path()).iter().filter(|(name, _)| !four(name)) {
        assert!(expected.get(name) == Some(bytes), "{name} is not as an undisturbed run leaves it");
    }
    assert!(generate(folder.path()).stderr.is_empty());
    let three: BTreeMap<_, _> = files_of(folder.path()).into_iter().filter(|(name, _)| !four(name)).collect();
    assert!(three == expected, "not the files of an undisturbed run");
}

#[test]
fn a_run_that_waits_for_another_can_be_interrupted() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("classic")).unwrap();
    let lock = fs::File::create(folder.path().join("classic/.lock")).unwrap();
    lock.lock().unwrap();
    let mut child = start(folder.path(), &["generate", "R-E"]);
    let mut said = String::new();
    let stderr = BufReader::with_capacity(1, child.stderr.as_mut().unwrap());
    { stderr }.read_line(&mut said).unwrap();
    assert!(said.contains("waiting"), "{said}");
    interrupt(&child);
    let ran = Ran::new("generate R-E, interrupted".to_owned(), child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130));
    assert!(ran.error_line().contains("stopped"), "{ran:#?}");
    assert!(files_of(folder.path()).is_empty());
}

#[test]
fn an_interrupted_verify_says_that_it_did_not_check_everything() {
    let folder = TempDir::new().unwrap();
    generate(folder.path());
    let mut child = start(folder.path(), &["verify"]);
    // The first table is reported: the others take a second or more.
    let mut first = String::new();
    let stdout = BufReader::with_capacity(1, child.stdout.as_mut().unwrap());
    { stdout }.read_line(&mut first).unwrap();
    interrupt(&child);
    let ran = Ran::new("verify, interrupted".to_owned(), child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:#?}");
    let checked = 1 + ran.stdout.lines().count();
    let (line, left) = (ran.error_line(), format!("checked, {} not", 52 - checked));
    assert!(line.contains(&format!("stopped: {checked} table")) && line.contains(&left), "{ran:#?}");
}
