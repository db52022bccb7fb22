//! `dsq generate` where the disk is full or the run is killed: only whole tables have the name of a table.

use super::{assert_only_whole_tables, assert_says, tables};
use dsq_tests::files_of;
use dsq_tests::program::{Dsq, Ran, binary, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn temporary_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join("classic")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect()
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing_half_written() {
    let expected = tables();
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    // No file may grow past some blocks of 512 or 1024 bytes: what the system then says is like a full disk.
    let full = dsq.in_shell("trap '' XFSZ; ulimit -f 8", &["generate"]);
    assert_says(&run(full, "").refused_with(2), &[folder.path().to_str().unwrap(), "cannot write"]);
    assert_eq!(temporary_files(folder.path()), [] as [PathBuf; 0]);
    let made = assert_only_whole_tables(folder.path(), &expected);
    assert!(made > 0 && made < 52, "{made}");
    dsq.run(&["generate"]).expect_code(0);
    assert_eq!(assert_only_whole_tables(folder.path(), &expected), 52);
}

#[test]
fn a_run_that_is_killed_while_it_writes_leaves_nothing_half_written_under_a_name() {
    let expected = tables();
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    // Not caught, the signal about the size of files ends the program in the middle of a file.
    let killed = run(dsq.in_shell("ulimit -f 8; ulimit -c 0", &["generate"]), "");
    assert_ne!(killed.code, Some(0));
    assert!(!temporary_files(folder.path()).is_empty());
    let made = assert_only_whole_tables(folder.path(), &expected);
    assert!(made > 0 && made < 52, "{made}");
    let again = dsq.run(&["generate"]).expect_code(0);
    assert!(again.stderr.lines().all(|line| line.contains("left by a run that was killed")), "{again:#?}");
    assert_eq!(assert_only_whole_tables(folder.path(), &expected), 52);
    assert_eq!(temporary_files(folder.path()), [] as [PathBuf; 0]);
}

/// Generates in a small file system that this call alone sees, so what it left there is copied to `left`. None where no file
/// system can be mounted.
fn generate_in_file_system(options: &str, path: &Path, left: &Path) -> Option<Ran> {
    let path = path.to_str().unwrap();
    let script = format!(
        "mount -t tmpfs -o {options} tmpfs {path} || exit 99; \"$@\"; code=$?; cp -r {path}/. {}; exit $code",
        left.display()
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"]);
    command.arg(binary()).args(["--dir", path, "generate"]);
    let output = command.output();
    let possible = output.as_ref().is_ok_and(|output| matches!(output.status.code(), Some(0..=98)));
    if !possible || output.as_ref().is_ok_and(|output| output.stderr.starts_with(b"unshare")) {
        // Then the tests with limited file sizes have to do.
        println!("no file system can be mounted here: {output:?}");
        return None;
    }
    Some(Ran::new(format!("{command:?}"), output.unwrap()))
}

#[test]
fn too_little_room_is_an_error_before_anything_is_written() {
    let (folder, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let Some(ran) = generate_in_file_system("size=64k", folder.path(), left.path()) else { return };
    assert_says(&ran.refused_with(2), &[folder.path().to_str().unwrap(), "on disk", "65 kB are free"]);
    assert!(files_of(left.path()).is_empty());
}

#[test]
fn a_file_system_without_room_is_an_error_and_leaves_nothing_half_written() {
    let expected = tables();
    let (folder, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    // There is room for the bytes and not for so many files, which is not seen beforehand.
    let ran = generate_in_file_system("size=16m,nr_inodes=24", folder.path(), left.path());
    let Some(ran) = ran else { return };
    assert_says(&ran.refused_with(2), &[folder.path().to_str().unwrap(), "cannot", "No space left"]);
    assert_eq!(temporary_files(left.path()), [] as [PathBuf; 0]);
    let made = assert_only_whole_tables(left.path(), &expected);
    assert!(made > 0 && made < 52, "{made}");
    Dsq::in_folder(left.path()).run(&["generate"]).expect_code(0);
    assert_eq!(assert_only_whole_tables(left.path(), &expected), 52);
}
