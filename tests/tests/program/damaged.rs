//! Tables and folders that cannot be used.

use super::{assert_says, dsq, some_tables};
use dsq_tests::program::{Dsq, binary, run};
use dsq_tests::{Tables, catalog, class_of, files_of};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The ways a table file can be no good.
const DAMAGES: [&str; 10] = [
    "truncated",
    "empty",
    "bit flipped in a block",
    "bit flipped in the header",
    "bit flipped at the end",
    "longer",
    "another version",
    "another rule set",
    "another class",
    "no table",
];

fn damaged(kind: &str, bytes: &[u8], of_other_rules: &[u8], of_other_class: &[u8]) -> Vec<u8> {
    let flipped = |place: usize| {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= 0x10;
        bytes
    };
    match kind {
        "truncated" => bytes[..bytes.len() - 100].to_vec(),
        "empty" => Vec::new(),
        // The blocks take up most of the file.
        "bit flipped in a block" => flipped(bytes.len() / 2),
        "bit flipped in the header" => flipped(40),
        "bit flipped at the end" => flipped(bytes.len() - 30),
        "longer" => [bytes, b"x"].concat(),
        "another version" => {
            // The format says where every version has it.
            let mut bytes = bytes.to_vec();
            let end = bytes.len() - 12;
            bytes[8..12].copy_from_slice(&7u32.to_le_bytes());
            bytes[end..end + 4].copy_from_slice(&7u32.to_le_bytes());
            bytes
        }
        "another rule set" => of_other_rules.to_vec(),
        "another class" => of_other_class.to_vec(),
        "no table" => b"This is not a table, it only has the name of one.\n".to_vec(),
        _ => panic!("{kind}"),
    }
}

#[test]
fn a_table_that_cannot_be_used_is_named_and_never_answers_wrong() {
    let tables = some_tables(&["L-E", "C-D"]);
    let other = {
        let catalog = catalog("leiden", &[]);
        Tables::generate(&catalog, [class_of(&catalog, "L-E")])
    };
    let class = class_of(tables.catalog(), "L-E");
    let path = tables.tablebase().path_of(&class);
    let bytes = fs::read(&path).unwrap();
    let other_class = class_of(other.catalog(), "L-E");
    let of_other_rules = fs::read(other.tablebase().path_of(&other_class)).unwrap();
    let of_other_class = fs::read(tables.tablebase().path_of(&class_of(tables.catalog(), "C-D"))).unwrap();
    let dsq = dsq(&tables);
    let fens = ["7/7/7/7/7/7/L5e/7/7 w", "7/7/7/7/7/7/L5e/7/7 b"];
    let right = fens.map(|fen| dsq.run(&["probe", fen]).expect_code(0).stdout);
    let name = path.file_name().unwrap().to_str().unwrap();

    for kind in DAMAGES {
        let damaged = damaged(kind, &bytes, &of_other_rules, &of_other_class);
        fs::write(&path, &damaged).unwrap();
        let parts: &[&str] = match kind {
            "another version" => &[name, "version 7", "expected 1"],
            "another rule set" => &[name, "leiden", "classic"],
            "another class" => &[name, "C-D"],
            "no table" => &[name, "not a table"],
            _ => &[name],
        };
        let mut refused = 0;
        for (fen, right) in fens.iter().zip(&right) {
            let ran = dsq.run(&["probe", fen]);
            if ran.code == Some(0) {
                assert_eq!(ran.stdout, *right, "{kind}");
            } else {
                assert_says(&ran.refused_with(4), parts);
                refused += 1;
            }
        }
        assert!(refused > 0, "{kind}");
        let verify = dsq.run(&["verify", "L-E"]).expect_code(4);
        assert_says(&verify.error_line(), parts);
        assert_eq!(dsq.run(&["verify", "--checksums"]).expect_code(4).error_line(), verify.error_line());
        if kind != "bit flipped in a block" {
            // Blocks are not read for these.
            assert_says(&dsq.run(&["stats", "L-E"]).refused_with(4), parts);
            let list = dsq.clone().json().run(&["list", "--pieces", "2"]).expect_code(4);
            assert_eq!(list.json()["unusable"], 1, "{kind}");
            assert_says(&dsq.run(&["export", "L-E"]).refused_with(4), parts);
        }

        let generate = dsq.run(&["generate", "L-E"]);
        if matches!(kind, "another version" | "another rule set" | "another class" | "no table") {
            // Somebody else's work: left alone.
            assert_says(&generate.refused_with(4), parts);
            assert_eq!(fs::read(&path).unwrap(), damaged, "{kind}");
        } else {
            assert_says(&generate.expect_code(0).error_line(), &[name, "made again"]);
            assert_eq!(fs::read(&path).unwrap(), bytes, "{kind}: not the same table as before");
        }
    }
}

#[test]
fn a_folder_under_the_name_of_a_table_is_an_error_in_one_line() {
    let tables = some_tables(&["R-R"]);
    let path = tables.tablebase().path_of(&class_of(tables.catalog(), "R-E"));
    fs::create_dir(&path).unwrap();
    let dsq = dsq(&tables);
    for words in [&["probe", "e6/7/7/7/7/7/7/7/R6 w"][..], &["stats", "R-E"], &["generate", "R-E"]] {
        let ran = dsq.run(words);
        assert!(matches!(ran.code, Some(2 | 4)), "{ran:#?}");
        assert_says(&ran.error_line(), &[path.to_str().unwrap()]);
    }
    assert!(path.is_dir());
}

/// A folder that this process may write to only if it is root.
fn make_read_only(folder: &Path, read_only: bool) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(if read_only { 0o555 } else { 0o755 })).unwrap();
}

/// The call as somebody who owns nothing, if the tests run as root, whom nothing is read-only for.
fn as_nobody(dsq: &Dsq, copy: &Path, words: &[&str]) -> Command {
    use std::os::unix::process::CommandExt;
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !root {
        return dsq.command(words);
    }
    // The build folder may be closed to others.
    if !copy.exists() {
        fs::copy(binary(), copy).unwrap();
    }
    let mut command = dsq.clone().program(copy).command(words);
    command.uid(65_534).gid(65_534);
    command
}

#[test]
fn a_read_only_folder_is_an_error_only_where_something_has_to_be_written() {
    let tables = some_tables(&["R-E"]);
    let rules_folder = tables.tablebase().rules_folder();
    let copy = TempDir::new().unwrap();
    for folder in [tables.folder(), copy.path()] {
        make_read_only(folder, false);
    }
    make_read_only(&rules_folder, true);
    let before = files_of(tables.folder());
    let dsq = dsq(&tables);
    let call = |words: &[&str]| run(as_nobody(&dsq, &copy.path().join("dsq"), words), "");

    let line = call(&["generate", "--pieces", "2"]).refused_with(2);
    assert_says(&line, &[rules_folder.to_str().unwrap(), "ermission denied"]);
    assert_eq!(files_of(tables.folder()), before);
    // Everything is there: reading does.
    let kept = call(&["generate", "R-E"]).expect_code(0);
    assert_eq!(kept.stderr, "");
    assert_eq!(call(&["probe", "e6/7/7/7/7/7/7/7/R6 w"]).code, Some(0));
    assert_eq!(call(&["verify"]).code, Some(0));
    make_read_only(&rules_folder, false);
    // A table that may not be read is no table to make again.
    let table = tables.tablebase().path_of(&class_of(tables.catalog(), "R-E"));
    let mode = |mode| fs::set_permissions(&table, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    mode(0o000);
    for words in [&["probe", "e6/7/7/7/7/7/7/7/R6 w"][..], &["stats", "R-E"]] {
        assert_says(&call(words).refused_with(2), &[table.to_str().unwrap(), "ermission denied"]);
    }
    mode(0o644);
    assert_eq!(dsq.run(&["generate", "--pieces", "2"]).code, Some(0));
}
