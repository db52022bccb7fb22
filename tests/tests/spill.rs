//! Distances in files instead of in memory, and checkpoints: the same values, wherever the run is ended on the way.

use dsq_solver::kernel::{self, Options, SolveError, SpillTo};
use dsq_solver::solved::Solved;
use dsq_tables::class::{Catalog, Class};
use dsq_tests::boards::{self, CROOKED, WIDE};
use dsq_tests::program::Dsq;
use dsq_tests::{Changes, Random, Solutions, catalog, class_of, files_of};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

fn spill_to(folder: &Path) -> SpillTo<'_> {
    SpillTo { folder, every: Some(Duration::ZERO) }
}

fn assert_same(one: &Solved, other: &Solved, what: &str) {
    assert!(one.sides() == other.sides(), "{} {what}: values differ", one.class.name());
    assert_eq!(one.summary(), other.summary(), "{} {what}", one.class.name());
}

fn cases() -> Vec<(Arc<Catalog>, &'static str)> {
    let with = |name: &str, changes: Changes<'_>| catalog(name, changes);
    vec![
        (with("classic", &[]), "R-E"),
        (with("classic", &[]), "RL-E"),
        (with("leiden", &[]), "RT-CE"),
        (with("leiden", &[]), "RT-RT"),
        (with("animal-checkers-5x5", &[]), "RD-RD"),
        (with("animal-checkers-5x5", &[]), "RTE-RT"),
        (with("leiden", &[("no-move", "draw")]), "CT-C"),
        (with("classic", &[("trap-barred", "own:E"), ("own-den", "allowed")]), "TE-E"),
        (Arc::new(Catalog::new(boards::compile(WIDE))), "RM-L"),
        (Arc::new(Catalog::new(boards::compile(CROOKED))), "RT-L"),
    ]
}

#[test]
fn distances_in_files_are_those_in_memory() {
    for (catalog, material) in cases() {
        let class = class_of(&catalog, material);
        let solutions = Solutions::of(&catalog, catalog.below(&class));
        let usual = solutions.solve(&class, &Options::default());
        for (parallel, escape_from, lean) in
            [(true, 255, false), (false, 255, false), (true, 20, false), (true, 255, true), (false, 20, true)]
        {
            let folder = TempDir::new().unwrap();
            let spill = Some(spill_to(folder.path()));
            let options = Options { spill, parallel, escape_from, lean, ..Options::default() };
            let what = format!("parallel {parallel}, exceptions from {escape_from}, lean {lean}");
            assert_same(&solutions.solve(&class, &options), &usual, &what);
        }
    }
}

#[test]
fn distances_in_files_may_be_of_any_length() {
    let catalog = catalog("classic", &[]);
    let class = class_of(&catalog, "RL-E");
    let far = Solutions::of(&catalog, catalog.below(&class)).shifted(300);
    for lean in [false, true] {
        let folder = TempDir::new().unwrap();
        let spilled = far.solve(&class, &Options { spill: Some(spill_to(folder.path())), lean, ..Options::default() });
        assert!(spilled.sides().iter().all(|side| !side.exceptions().is_empty()));
        assert_same(&spilled, &far.solve(&class, &Options::default()), "in files");
    }
}

/// Solves a class and stops it after so many plies, counted from where it begins. True if it got done before.
fn solve_for(solutions: &Solutions, class: &Arc<Class>, folder: &Path, plies: u32) -> Option<Solved> {
    let seen = AtomicU32::new(0);
    let below = |class: &Arc<Class>, side| Some(solutions.get(class).side(side).clone());
    let options = Options {
        spill: Some(spill_to(folder)),
        on_ply: &|_| {
            seen.fetch_add(1, Ordering::Relaxed);
        },
        stop: &|| seen.load(Ordering::Relaxed) >= plies,
        ..Options::default()
    };
    match kernel::solve(solutions.catalog(), class, &below, &options) {
        Ok(solved) => Some(solved),
        Err(SolveError::Stopped) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_run_that_is_stopped_again_and_again_goes_on_from_its_checkpoints() {
    for (catalog, material) in cases().into_iter().skip(1) {
        let class = class_of(&catalog, material);
        let solutions = Solutions::of(&catalog, catalog.below(&class));
        let folder = TempDir::new().unwrap();
        let mut runs = 1;
        let solved = loop {
            // Longer in the end, when the values are read out slice by slice and each run does that from the beginning.
            let plies = if runs < 200 { 3 } else { u32::MAX };
            match solve_for(&solutions, &class, folder.path(), plies) {
                Some(solved) => break solved,
                None => runs += 1,
            }
            assert!(folder.path().join("checkpoint").is_file());
        };
        assert!(runs > 3, "{material}: {runs} runs");
        assert_same(&solved, &solutions.solve(&class, &Options::default()), &format!("in {runs} runs"));
    }
}

#[test]
fn a_torn_or_foreign_checkpoint_is_thrown_away() {
    let catalog = catalog("classic", &[]);
    let class = class_of(&catalog, "RL-E");
    let solutions = Solutions::of(&catalog, catalog.below(&class));
    let usual = solutions.solve(&class, &Options::default());
    let mut random = Random::new(12);
    for case in 0..24 {
        let folder = TempDir::new().unwrap();
        assert!(solve_for(&solutions, &class, folder.path(), 8).is_none());
        let name = ["checkpoint", "white.spill", "black.spill"][case % 3];
        let path = folder.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        let place = random.below(bytes.len() as u64) as usize;
        match case / 3 % 3 {
            0 => bytes.truncate(place),
            1 => bytes[place] ^= 4,
            _ => bytes.clear(),
        }
        fs::write(&path, bytes).unwrap();
        // A spill file that changed under a whole checkpoint is an error, and never a wrong value.
        let below = |class: &Arc<Class>, side| Some(solutions.get(class).side(side).clone());
        let options = Options { spill: Some(spill_to(folder.path())), ..Options::default() };
        match kernel::solve(&catalog, &class, &below, &options) {
            Ok(solved) => assert_same(&solved, &usual, &format!("{name}, case {case}")),
            Err(error) => assert!(name != "checkpoint" && matches!(error, SolveError::Io(_)), "{name}: {error}"),
        }
    }
}

#[test]
#[ignore = "slow: thirty runs are killed and done again"]
fn a_run_with_files_killed_at_any_of_thirty_moments_ends_as_if_undisturbed() {
    let words = ["generate", "--rules", "leiden", "RT-CE", "-q"];
    let undisturbed = TempDir::new().unwrap();
    Dsq::in_folder(undisturbed.path()).run(&words).expect_code(0);
    let expected = leiden_files(undisturbed.path());
    let mut random = Random::new(30);
    let (mut kills, mut amid) = (0, 0);
    let mut folder = TempDir::new().unwrap();
    let spilled = [&words[..], &["--spill", "--checkpoint", "0", "--threads", "1"]].concat();
    while kills < 30 {
        let mut command = Dsq::in_folder(folder.path()).command(&spilled);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + random.below(500)));
        if child.try_wait().unwrap().is_some() {
            assert!(leiden_files(folder.path()) == expected);
            folder = TempDir::new().unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        amid += u32::from(folder.path().join("leiden/.work").exists());
    }
    assert!(amid > 10, "{amid} of {kills} kills were in the middle of a table");
    Dsq::in_folder(folder.path()).run(&spilled).expect_code(0);
    assert!(leiden_files(folder.path()) == expected);
    assert!(!folder.path().join("leiden/.work").exists());
}

fn leiden_files(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let files = files_of(folder);
    assert!(!files.is_empty());
    files
}
