//! The program from outside: exit codes, the one line of every refusal, the words of its JSON, and what is left in the
//! folder of the tables when something goes wrong.

use dsq_solver::solved::{SideCodes, Solved};
use dsq_tables::board::Side;
use dsq_tables::material::Material;
use dsq_tables::moves::Move;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{NAMES, RuleSpec, Rules, SETTINGS};
use dsq_tests::program::{Dsq, Ran, binary, run};
use dsq_tests::{Changes, Shared, Tables, catalog, class_of, files_of, move_texts, position, rules, value};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const LOST: &str = "7/7/3e3/7/7/7/3E3/7/7 w";
const WON: &str = "t6/7/T6/7/7/7/7/7/7 w";
const DRAWN: &str = "4d2/7/7/7/7/C6/7/7/7 w";

/// All tables of up to three pieces, only to be read.
fn tables() -> Arc<Tables> {
    static SHARED: Shared = Shared::new();
    SHARED.get(|| Tables::up_to("classic", &[], 3))
}

fn dsq(tables: &Tables) -> Dsq {
    Dsq::in_folder(tables.folder())
}

/// Tables of a few materials with what they rest on, to be damaged.
fn some_tables(materials: &[&str]) -> Tables {
    let catalog = catalog("classic", &[]);
    let classes: Vec<_> = materials.iter().map(|material| class_of(&catalog, material)).collect();
    Tables::generate(&catalog, classes)
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn assert_says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{line:?} does not say {part:?}");
    }
}

// Bad input.

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
fn a_folder_without_tables_is_named() {
    let folder = TempDir::new().unwrap();
    let (empty, nowhere) = (folder.path().join("empty"), folder.path().join("nowhere"));
    fs::create_dir(&empty).unwrap();
    for path in [&empty, &nowhere] {
        let dsq = Dsq::in_folder(path);
        for words in [&["probe", LOST][..], &["stats"], &["stats", "R-E"], &["verify"], &["export", "R-E"]] {
            assert_says(&dsq.run(words).refused_with(3), &[path.to_str().unwrap(), "no tables", "classic", "generate"]);
        }
        let list = dsq.clone().json().run(&["list"]).expect_code(0).json();
        assert_eq!((list["present"].as_u64(), list["missing"].as_u64()), (Some(0), Some(52)));
    }
    assert!(!nowhere.exists() && files_of(&empty).is_empty());
}

#[test]
fn a_missing_table_is_named_with_its_material() {
    let tables = some_tables(&["RL-E"]);
    let dsq = dsq(&tables);
    let fen = "c6/7/7/7/7/7/7/7/D4W1 w";
    for words in [&["probe", fen][..], &["stats", "WD-C"], &["verify", "WD-C"], &["export", "WD-C"]] {
        let line = dsq.run(words).expect_code(3).error_line();
        assert_says(&line, &["DW-C", ".dtw.dsq", "generate"]);
    }
    let ran = dsq.clone().json().run(&["probe", fen]);
    assert_eq!(ran.error_line(), dsq.run(&["probe", fen]).error_line());
    let said = ran.expect_code(3).json();
    let expected = json!({"position": fen, "error": "not in tables", "missing": "DW-C", "class": "DW-C"});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&said[key], value, "{key}");
    }
    // What can never be in a table is missing too.
    let start = dsq.json().run(&["probe", "startpos"]).expect_code(3).json();
    assert_eq!((&start["error"], &start["missing"]), (&json!("not in tables"), &json!("RCDWPTLE-RCDWPTLE")));
}

#[test]
fn a_missing_table_below_leaves_an_answer_only_where_no_move_needs_it() {
    let tables = some_tables(&["RL-E"]);
    let below = class_of(tables.catalog(), "L-E");
    fs::remove_file(tables.tablebase().path_of(&below)).unwrap();
    let dsq = dsq(&tables);
    // Here the elephant may take the lion, which leaves the rat.
    let with_capture = "7/7/7/7/7/L6/e6/7/6R b";
    assert_eq!(dsq.run(&["probe", with_capture]).code, Some(0));
    // And here the rat, which leaves the lion: it stands in a trap.
    let takes_rat = "7/2eR3/7/7/7/7/7/7/L6 b";
    assert_says(&dsq.run(&["probe", takes_rat]).refused_with(3), &["L-E"]);
}

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

/// The files whose name is that of a table in a folder of `classic` are whole, and their bytes are those of an undisturbed
/// run.
fn assert_only_whole_tables(folder: &Path, expected: &Tables) -> usize {
    let expected = files_of(expected.folder());
    let found = files_of(folder);
    for (name, bytes) in &found {
        assert!(expected.get(name) == Some(bytes), "{name} is not as an undisturbed run leaves it");
    }
    found.len()
}

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
fn an_export_that_fails_leaves_the_old_file() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("out.csv");
    fs::write(&file, "precious").unwrap();
    let words = ["export", "R-E", "-o", file.to_str().unwrap()];
    let line = run(dsq(&tables).in_shell("trap '' XFSZ; ulimit -f 8", &words), "").refused_with(2);
    assert_says(&line, &[file.to_str().unwrap()]);
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    dsq(&tables).run(&words).expect_code(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), dsq(&tables).run(&["export", "R-E"]).stdout);
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

// What it prints.

const PROBE_KEYS: [&str; 5] = ["position", "side_to_move", "value", "dtw_plies", "moves"];

/// The object without the fields that may be added.
fn only(object: &Value, keys: &[&str]) -> Value {
    Value::Object(keys.iter().map(|&key| (key.to_owned(), object[key].clone())).collect())
}

/// Whether the moves of a line are legal and end where a position of the line comes up again.
fn leads_back(fen: &str, line: &[&str]) -> bool {
    let rules = Rules::load("classic").unwrap();
    let mut seen = vec![position(&rules, fen)];
    for text in line {
        let here = seen[seen.len() - 1];
        let moves = here.legal_moves(&rules);
        let legal = moves.iter().find(|legal| legal.squares.to_text(rules.board()) == *text).unwrap();
        seen.push(here.after(legal));
    }
    let last = seen.pop().unwrap();
    seen.contains(&last) && seen.iter().enumerate().all(|(i, position)| !seen[..i].contains(position))
}

#[test]
fn the_json_of_probe_has_the_promised_fields() {
    let tables = tables();
    let dsq = dsq(&tables).json();
    let answer = dsq.run(&["probe", WON, "--line"]).expect_code(0).json();
    for key in ["position", "rules", "side_to_move", "value", "dtw_plies", "moves", "line"] {
        assert!(keys(&answer).contains(&key), "{key}: {answer}");
    }
    assert_eq!(answer["rules"], "classic");
    let expected = json!({
        "position": WON, "side_to_move": "white", "value": "win", "dtw_plies": 19,
        "moves": [
            {"move": "a7a6", "capture": null, "value": "win", "dtw_plies": 19},
            {"move": "a7b7", "capture": null, "value": "loss", "dtw_plies": 20},
            {"move": "a7a8", "capture": null, "value": "loss", "dtw_plies": 2},
        ],
    });
    assert_eq!(only(&answer, &PROBE_KEYS), expected);
    assert_eq!(answer["line"].as_array().unwrap().len(), 19);

    let lost = dsq.run(&["probe", LOST]).expect_code(0).json();
    assert_eq!((&lost["value"], &lost["dtw_plies"], &lost["line"]), (&json!("loss"), &json!(12), &json!([])));
    let moves: Vec<&str> = lost["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
    assert_eq!(moves, ["d3d2", "d3c3", "d3e3", "d3d4"], "equal ones in square order");

    let drawn = dsq.run(&["probe", DRAWN, "--line"]).expect_code(0).json();
    assert_eq!((&drawn["value"], &drawn["dtw_plies"]), (&json!("draw"), &Value::Null));
    let line: Vec<&str> = drawn["line"].as_array().unwrap().iter().map(|squares| squares.as_str().unwrap()).collect();
    assert_eq!(line[0], "a4a5");
    assert!(leads_back(DRAWN, &line), "{line:?}");
    assert_eq!(drawn["moves"][0], json!({"move": "a4a5", "capture": null, "value": "draw", "dtw_plies": null}));

    let capture = dsq.run(&["probe", "7/7/7/3w3/3W3/7/7/7/7 w"]).expect_code(0).json();
    assert_eq!(capture["moves"][0], json!({"move": "d5d6", "capture": "W", "value": "win", "dtw_plies": 1}));

    for finished in ["3E3/7/3e3/7/7/7/7/7/7 b", "7/7/7/7/7/7/7/7/E6 b"] {
        let answer = dsq.run(&["probe", finished]).expect_code(0).json();
        let expected = json!({"value": "finished", "dtw_plies": null, "moves": [], "line": []});
        assert_eq!(only(&answer, &["value", "dtw_plies", "moves", "line"]), expected);
    }
}

#[test]
fn a_side_without_a_move_has_no_moves_and_the_value_of_the_rule_set() {
    // The cat on a1 is shut in by two animals it cannot take.
    let stuck = "7/7/7/7/7/7/7/e6/Cl5 w";
    for (changes, expected) in [(None, ("loss", json!(0))), (Some("no-move=draw"), ("draw", Value::Null))] {
        let folder = TempDir::new().unwrap();
        let mut dsq = Dsq::in_folder(folder.path()).json();
        if let Some(change) = changes {
            dsq = dsq.option("--set").option(change);
        }
        dsq.run(&["generate", "C-LE"]).expect_code(0);
        let answer = dsq.run(&["probe", stuck]).expect_code(0).json();
        assert_eq!((answer["value"].as_str().unwrap(), answer["dtw_plies"].clone()), expected);
        assert_eq!(answer["moves"], json!([]));
    }
}

#[test]
fn a_line_of_best_play_leads_to_the_end_of_the_game() {
    let tables = tables();
    let rules = tables.rules();
    for fen in [WON, LOST, "7/7/7/7/7/7/D4t1/2L4/7 w", "6t/7/7/6C/7/7/7/7/E6 w"] {
        let answer = dsq(&tables).json().run(&["probe", fen, "--line"]).expect_code(0).json();
        let line = answer["line"].as_array().unwrap();
        let mut position = position(rules, fen);
        let winner = match value(tables.tablebase(), &position) {
            dsq_tables::value::Value::Win(_) => position.turn(),
            _ => position.turn().other(),
        };
        for text in line {
            let squares = Move::parse(rules.board(), text.as_str().unwrap()).unwrap();
            position = position.after(&position.find_move(rules, squares).unwrap());
        }
        assert_eq!(line.len() as u64, answer["dtw_plies"].as_u64().unwrap(), "{fen}");
        let over = position.finished(rules).map(|finished| finished.winner);
        assert!(over == Some(winner) || (over.is_none() && !position.has_move(rules)), "{fen}: {line:?}");
    }
}

#[test]
fn many_positions_are_answered_one_a_line() {
    let tables = tables();
    let input = format!("{WON}\n\n  {LOST}  \r\nrubbish\n3E3/7/3e3/7/7/7/7/7/7 b\nstartpos\n{DRAWN}");
    let ran = dsq(&tables).json().run_with_input(&["probe", "-"], input.clone());
    // Of several reasons the heaviest: bad input.
    let answers = ran.clone().expect_code(2).json_lines();
    assert_eq!(ran.stderr.lines().count(), 2, "one line for each kind of refusal: {ran:#?}");
    let summary: Vec<&str> =
        answers.iter().map(|answer| answer["value"].as_str().or(answer["error"].as_str()).unwrap()).collect();
    assert_eq!(summary[..2], ["win", "loss"]);
    assert_eq!(answers[2]["position"], "rubbish");
    assert!(answers[2].get("missing").is_none());
    assert_eq!(summary[3..], ["finished", "not in tables", "draw"]);
    // Each answer names its question, and is otherwise the answer to that question alone.
    let lines: Vec<_> = answers.iter().map(|answer| answer["input_line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6, 7]);
    assert_eq!((&answers[0]["input"], &answers[2]["input"]), (&json!(WON), &json!("rubbish")));
    let mut first = answers[0].clone();
    first.as_object_mut().unwrap().retain(|key, _| !key.starts_with("input"));
    assert_eq!(first, dsq(&tables).json().run(&["probe", WON]).json());
    // Without JSON the answers are separated and the refusals numbered.
    let ran = dsq(&tables).run_with_input(&["probe", "-"], input);
    assert_says(&ran.stderr, &["line 4: ", "line 6: "]);
    assert_says(&ran.stdout, &["White wins in 19 plies", "Black wins in 12 plies", "draw"]);
    // Nothing to answer is nothing wrong.
    let none = dsq(&tables).json().run_with_input(&["probe", "-"], "\n\n").expect_code(0);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", ""));
}

#[test]
fn many_lines_at_once_are_answered_in_their_order_as_one_by_one() {
    let tables = tables();
    let dsq = dsq(&tables).json();
    let mut random = dsq_tests::Random::new(12);
    let lines: Vec<String> = (0..400)
        .map(|_| {
            let material = *random.pick(&Material::all(tables.rules(), 3));
            let turn = *random.pick(&Side::BOTH);
            dsq_tests::random_position(tables.rules(), material, turn, &mut random).to_fen(tables.rules())
        })
        .collect();
    let answers = dsq.run_with_input(&["probe", "-"], lines.join("\n")).expect_code(0).json_lines();
    let asked: Vec<&str> = answers.iter().map(|answer| answer["input"].as_str().unwrap()).collect();
    assert_eq!(asked, lines);
    let words = [&["probe"][..], &lines.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat();
    let single = dsq.run(&words).expect_code(0).json_lines();
    for (mut answer, single) in answers.into_iter().zip(single) {
        answer.as_object_mut().unwrap().retain(|key, _| !key.starts_with("input"));
        assert_eq!(answer, single);
    }
}

const COUNT_KEYS: [&str; 10] = [
    "side_to_move",
    "positions",
    "won",
    "drawn",
    "lost",
    "stalemates",
    "longest_win_plies",
    "longest_win_position",
    "longest_loss_plies",
    "longest_loss_position",
];

/// The counts of a material with one side to move by going through all its positions.
fn count(tables: &Tables, material: &str, turn: Side) -> [u64; 4] {
    use dsq_tables::value::Value::{Draw, Loss, Win};
    let rules = tables.rules();
    let pieces: Vec<_> = Material::parse(rules, material).unwrap().pieces().collect();
    let mut setups = vec![Setup::empty(turn)];
    for &piece in &pieces {
        let place = |setup: Setup| {
            rules.movement(piece).domain().squares().map(move |square| {
                let mut next = setup;
                next.place(piece, square);
                next
            })
        };
        setups = setups.into_iter().flat_map(place).filter(|setup| setup.check(rules).is_ok()).collect();
    }
    let positions: Vec<Position> = setups.into_iter().map(|setup| setup.position(rules).unwrap()).collect();
    let mut counts = [positions.len() as u64, 0, 0, 0];
    for position in positions {
        let place = match value(tables.tablebase(), &position) {
            Win(_) => 1,
            Draw => 2,
            Loss(_) => 3,
        };
        counts[place] += 1;
    }
    counts
}

#[test]
fn the_json_of_stats_of_a_material_has_the_promised_fields_and_true_counts() {
    let tables = tables();
    let rules = tables.rules();
    for material in ["RL-E", "E-RL", "C-D", "RT-R"] {
        let answer = dsq(&tables).json().run(&["stats", material]).expect_code(0).json();
        for key in ["rules", "material", "class", "metric", "bytes", "bits_per_position", "sides"] {
            assert!(keys(&answer).contains(&key), "{key}: {answer}");
        }
        assert_eq!((&answer["rules"], &answer["material"]), (&json!("classic"), &json!(material)));
        assert_eq!(answer["metric"], "dtw");
        let class = class_of(tables.catalog(), material);
        assert_eq!(answer["class"], class.name());
        let length = fs::metadata(tables.tablebase().path_of(&class)).unwrap().len();
        assert_eq!(answer["bytes"], length);
        let sides = answer["sides"].as_array().unwrap();
        assert_eq!(sides.len(), 2);
        for (turn, side) in Side::BOTH.into_iter().zip(sides) {
            assert_eq!(side["side_to_move"], turn.name());
            assert!(COUNT_KEYS.iter().all(|key| keys(side).contains(key)), "{side}");
            let found = ["positions", "won", "drawn", "lost"].map(|key| side[key].as_u64().unwrap());
            assert_eq!(found, count(&tables, material, turn), "{material}, {} to move", turn.name());
            for (kind, expected) in [("win", "win"), ("loss", "loss")] {
                let fen = side[format!("longest_{kind}_position")].as_str().unwrap();
                let plies = side[format!("longest_{kind}_plies")].as_u64().unwrap();
                let position = position(rules, fen);
                assert_eq!(position.turn(), turn);
                assert_eq!(Material::of(&position).to_text(rules), material);
                let value = value(tables.tablebase(), &position);
                assert_eq!((value.name(), value.plies().map(u64::from)), (expected, Some(plies)), "{fen}");
            }
        }
    }
}

#[test]
fn the_json_of_stats_of_a_number_of_pieces_has_the_published_rows() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path()).rules("leiden").json();
    dsq.run(&["generate"]).expect_code(0);
    let row = |pieces: &str| dsq.run(&["stats", "--pieces", pieces]).expect_code(0).json();
    let three = row("3");
    let expected = json!({
        "pieces": 3, "materials": 448, "classes": 42, "positions": 54_355_896, "won": 30_297_857, "drawn": 687_007,
        "lost": 23_369_820 + 1212, "stalemates": 1212,
    });
    let expected_keys: Vec<&str> = keys(&expected);
    assert_eq!(only(&three, &expected_keys), expected);
    let longest = ["win", "loss"].map(|kind| three[format!("longest_{kind}_plies")].as_u64().unwrap());
    assert_eq!(longest.into_iter().max(), Some(67));
    let rules = rules("leiden", &[]);
    for kind in ["win", "loss"] {
        let fen = three[format!("longest_{kind}_position")].as_str().unwrap();
        let position = position(&rules, fen);
        assert_eq!((position.turn(), Material::of(&position).count()), (Side::White, 3));
        let answer = dsq.run(&["probe", fen]).expect_code(0).json();
        assert_eq!((&answer["value"], &answer["dtw_plies"]), (&json!(kind), &three[format!("longest_{kind}_plies")]));
    }
    let two = row("2");
    assert_eq!((&two["won"], &two["lost"], &two["drawn"]), (&json!(82_852), &json!(64_501), &json!(12_715)));
    // Without a number there are all rows that are there.
    assert_eq!(dsq.run(&["stats"]).expect_code(0).json_lines(), [two, three]);
    assert_says(&dsq.run(&["stats", "--pieces", "4"]).refused_with(3), &["not in tables", ".dtw.dsq"]);
}

#[test]
fn the_json_of_moves_and_perft_has_the_promised_fields() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path()).json();
    let fen = "7/7/7/3w3/3W3/7/7/7/7 w";
    let moves = dsq.run(&["moves", fen]).expect_code(0).json();
    assert_eq!(moves["position"], fen);
    let texts: Vec<&str> = moves["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
    assert_eq!(texts, move_texts(&rules("classic", &[]), fen));
    assert_eq!(moves["moves"].as_array().unwrap().last().unwrap(), &json!({"move": "d5d6", "capture": "W"}));
    let perft = dsq.run(&["perft", fen, "1"]).expect_code(0).json();
    assert_eq!(only(&perft, &["position", "depth", "nodes"]), json!({"position": fen, "depth": 1, "nodes": 2}));
    let divided = dsq.run(&["perft", "startpos", "3", "--divide"]).expect_code(0).json();
    let parts = divided["divide"].as_array().unwrap();
    assert_eq!((parts.len(), divided["nodes"].as_u64()), (24, Some(12_240)));
    assert_eq!(parts.iter().map(|part| part["nodes"].as_u64().unwrap()).sum::<u64>(), 12_240);
    // A game that is over counts no further.
    let over = dsq.run(&["perft", "3E3/7/3e3/7/7/7/7/7/7 b", "2"]).expect_code(0).json();
    assert_eq!(over["nodes"], 0);
    assert_eq!(dsq.run(&["perft", "startpos", "0"]).expect_code(0).json()["nodes"], 1);
    assert!(files_of(folder.path()).is_empty());
}

const X1: &str = "2t4/3Ce2/7/3T3/7/L1R4/1Er4/2Dl3/7 w";
const X2: &str = "7/3R3/2E1e2/1r1t3/L2l3/7/4T2/2Pw3/1c5 b";

#[test]
fn every_setting_changes_the_move_counts_as_known() {
    let plain1 = [18, 204, 3213, 36_084, 564_866];
    let plain2 = [18, 286, 4663, 71_574, 1_152_633];
    type Counts = [u64; 5];
    let rows: [(&[&str], Counts, Counts); 10] = [
        (&[], plain1, plain2),
        (&["elephant-takes-rat=true"], [19, 214, 3488, 38_608, 620_271], [18, 287, 4705, 72_529, 1_176_619]),
        (&["elephant-takes-trapped-rat=false"], plain1, [18, 286, 4636, 71_201, 1_137_368]),
        (&["rat-takes-rat-from-water=true"], [19, 214, 3476, 38_567, 615_182], [18, 286, 4663, 71_574, 1_152_635]),
        (&["rat-takes-rat-into-water=true"], [18, 217, 3409, 39_997, 618_665], plain2),
        (
            &["rat-takes-rat-from-water=true", "rat-takes-rat-into-water=true"],
            [19, 227, 3672, 42_480, 668_981],
            [18, 286, 4663, 71_574, 1_152_635],
        ),
        (&["rat-takes-elephant=always"], [18, 204, 3213, 36_087, 564_917], [18, 286, 4689, 71_936, 1_167_547]),
        (&["tiger-jumps=files"], [16, 180, 2537, 28_334, 401_738], [17, 269, 4089, 62_408, 933_012]),
        (&["jump-stopped-by=enemy"], [19, 216, 3559, 39_982, 648_767], [19, 303, 5136, 79_083, 1_310_747]),
        (&["traps=universal"], [18, 204, 3225, 36_251, 570_768], [18, 286, 4679, 71_781, 1_162_109]),
    ];
    let folder = TempDir::new().unwrap();
    for (settings, one, two) in rows {
        let dsq = Dsq::in_folder(folder.path()).json();
        let dsq = settings.iter().fold(dsq, |dsq, setting| dsq.option("--set").option(setting));
        for (fen, expected) in [(X1, one), (X2, two)] {
            for (depth, nodes) in (1..).zip(expected) {
                let perft = dsq.run(&["perft", fen, &depth.to_string()]).expect_code(0).json();
                assert_eq!(perft["nodes"], nodes, "{settings:?} {fen} {depth}");
            }
        }
    }
}

#[test]
fn the_first_position_has_the_known_move_counts() {
    let folder = TempDir::new().unwrap();
    for (name, expected) in [
        ("classic", [24, 576, 12_240, 260_099, 5_111_620, 100_453_636u64]),
        ("leiden", [24, 576, 12_240, 260_100, 5_111_725, 100_459_989]),
    ] {
        for (depth, nodes) in (1..).zip(expected) {
            let ran = Dsq::in_folder(folder.path()).rules(name).run(&["perft", "startpos", &depth.to_string()]);
            assert_eq!(ran.expect_code(0).stdout, format!("{nodes}\n"), "{name} {depth}");
        }
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
fn verify_passes_right_tables_and_names_a_wrong_value() {
    let tables = some_tables(&["RL-E"]);
    let dsq = dsq(&tables);
    let right = dsq.run(&["verify"]).expect_code(0);
    assert_eq!(right.stderr, "");

    let class = class_of(tables.catalog(), "RL-E");
    let solved = Solved::read(&tables.tablebase().table(&class).unwrap()).unwrap();
    let number = 12_345;
    let found = solved.side(Side::White).value(number);
    let wrong = if found == dsq_tables::value::Value::Draw { 2 } else { 0 };
    let change = |codes: &SideCodes, of: Side| {
        let code = |at| if of == Side::White && at == number { wrong } else { codes.code(at) };
        SideCodes::from_codes(&(0..class.index().size()).map(code).collect::<Vec<u32>>())
    };
    let sides = Side::BOTH.into_iter().zip(solved.sides()).map(|(side, codes)| change(codes, side)).collect();
    tables.replace(&Solved::new(class.clone(), sides, &[]));

    let fen = class.position(Side::White, number).unwrap().to_fen(tables.rules());
    let ran = dsq.run(&["verify", "RL-E"]).expect_code(1);
    assert_says(&ran.stdout, &[&fen]);
    assert_says(&ran.error_line(), &["1 table"]);
    let ran = dsq.clone().json().run(&["verify", "RL-E"]).expect_code(1);
    let report = ran.json();
    assert_eq!(report["ok"], false);
    let faults = report["faults"].as_array().unwrap();
    let fault = faults.iter().find(|fault| fault["position"] == fen.as_str()).unwrap();
    let (value, plies) = (found.name(), found.plies().map(u64::from));
    assert_eq!((fault["expected_value"].as_str(), fault["expected_dtw_plies"].as_u64()), (Some(value), plies));
    // Only the checksums, which are right: nothing to find.
    dsq.run(&["verify", "--checksums"]).expect_code(0);
    // The other tables are still right.
    dsq.run(&["verify", "L-E"]).expect_code(0);
}

#[test]
fn tables_can_be_verified_as_they_are_made() {
    let folder = TempDir::new().unwrap();
    let made = Dsq::in_folder(folder.path()).json().run(&["generate", "--verify", "RL-E"]).expect_code(0).json();
    assert_eq!((&made["verified"], &made["made"]), (&json!(true), &json!(3)));
    assert_eq!(files_of(folder.path()).len(), 3);
}

#[test]
fn an_export_holds_every_position_once_with_its_value() {
    let tables = tables();
    let rules = tables.rules();
    let csv = dsq(&tables).run(&["export", "E-R"]).expect_code(0).stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("fen,value,plies"));
    let mut seen = BTreeSet::new();
    for line in lines {
        let [fen, name, plies] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let position = position(rules, fen);
        assert_eq!(Material::of(&position).to_text(rules), "E-R");
        let value = value(tables.tablebase(), &position);
        let expected = value.plies().map_or_else(String::new, |plies| plies.to_string());
        assert_eq!((name, plies), (value.name(), expected.as_str()), "{fen}");
        assert!(seen.insert(fen.to_owned()), "{fen} stands twice");
    }
    assert_eq!(seen.len(), 2 * 49 * 60);
}

#[test]
fn a_printed_rule_set_reads_back_as_the_same_rules() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.toml");
    let file = file.to_str().unwrap();
    let some: Changes<'_> = &[("tiger-jumps", "files:2"), ("traps", "universal"), ("own-den", "allowed")];
    let others: Changes<'_> = &[
        ("ranks", "E T (RD)"),
        ("elephant-takes-trapped-rat", "false"),
        ("rat-takes-elephant", "always"),
        ("rat-takes-rat-into-water", "true"),
        ("tiger-jump-stopped-by", "none"),
        ("trap-barred", "own:E"),
        ("draw-after-quiet-plies", "60"),
        ("no-move", "draw"),
    ];
    let small = ["animal-checkers", "animal-checkers-5x5", "mini-jungla"];
    let all = NAMES.iter().flat_map(|name| [(*name, &[][..]), (*name, some)]);
    for (name, changes) in all.chain(small.map(|name| (name, others))) {
        let typed: Vec<String> = changes.iter().map(|(key, value)| format!("--set={key}={value}")).collect();
        let words: Vec<&str> = ["rules", name].into_iter().chain(typed.iter().map(String::as_str)).collect();
        let printed = Dsq::in_folder(folder.path()).run(&words).expect_code(0).stdout;
        fs::write(file, &printed).unwrap();
        let (read, meant) = (Rules::load(file).unwrap(), rules(name, changes));
        assert_eq!(read.fingerprint(), meant.fingerprint(), "{name} {changes:?}");
        assert_eq!(read.name() == name, changes.is_empty(), "{name} {changes:?}");
        let RuleSpec { name: _, title, board, animals, settings, captures } = meant.spec().clone();
        let name = read.spec().name.clone();
        assert_eq!(*read.spec(), RuleSpec { name, title, board, animals, settings, captures });
        let again = Dsq::in_folder(folder.path()).run(&["rules", file]).expect_code(0).stdout;
        assert_eq!(again, printed);
    }
    // Tables made by one are tables of the other.
    fs::write(file, Dsq::in_folder(folder.path()).run(&["rules", "leiden"]).stdout).unwrap();
    let tables = folder.path().join("tables");
    Dsq::in_folder(&tables).rules("leiden").run(&["generate", "R-E"]).expect_code(0);
    let probe = ["probe", "e6/7/7/7/7/7/7/7/R6 w"];
    let by_name = Dsq::in_folder(&tables).rules("leiden").run(&probe).expect_code(0);
    assert_eq!(Dsq::in_folder(&tables).rules(file).run(&probe).expect_code(0).stdout, by_name.stdout);
}

#[test]
fn the_settings_are_listed_as_text_and_as_json() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    let words = ["rules", "--settings"];
    let text = dsq.run(&words).expect_code(0).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_says(lines[0], &["key", "values", "default", "(A and B: names of animals)"]);
    assert_eq!(lines.len(), SETTINGS.len() + 1);
    let records = dsq.json().run(&words).expect_code(0).json_lines();
    assert_eq!(records.len(), SETTINGS.len());
    for ((info, line), record) in SETTINGS.iter().zip(&lines[1..]).zip(&records) {
        assert!(line.trim_start().starts_with(info.key) && line.ends_with(info.help), "{line:?}");
        assert_says(line, &[&info.values(), info.default]);
        assert_eq!(keys(record), ["key", "values", "default", "help"]);
        let expected = json!({"key": info.key, "values": info.values(), "default": info.default, "help": info.help});
        assert_eq!(*record, expected);
    }
    // It is the same for all rule sets.
    let dsq = Dsq::in_folder(folder.path());
    for words in [&["rules", "--settings", "leiden"][..], &["rules", "--settings", "--rules", "leiden"]] {
        assert_says(&dsq.run(words).expect_code(2).stderr, &["--settings"]);
    }
    assert_says(&dsq.run(&["rules", "--settings", "--set", "traps=none"]).refused_with(2), &["--settings", "--set"]);
}

#[test]
fn an_error_in_a_rule_file_names_the_file_the_line_and_the_field() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("mine.toml");
    let file = path.to_str().unwrap();
    let sound = Dsq::in_folder(folder.path()).run(&["rules", "leiden"]).expect_code(0).stdout;
    for (from, to, field, reason) in [
        ("swimmers = ", "swimmers ", None, "swimmers"),
        ("swimmers = \"R\"", "swimmers = \"RX\"", Some("settings.swimmers"), "'X'"),
        ("traps = ", "trapz = ", Some("settings.trapz"), "not known"),
        (
            "traps = \"intruders\"",
            "hidden-pieces = true",
            Some("settings.hidden-pieces"),
            "not a function of the position",
        ),
        ("traps = \"intruders\"", "turns-in-water = 3", Some("settings.turns-in-water"), "history"),
        ("traps = \"intruders\"", "turns-in-den = 30", Some("settings.turns-in-den"), "history"),
        ("start = \"a1\"", "start = \"b4\"", Some("animal 6 (\"tiger\"): start"), "water"),
        ("letter = \"T\"", "letter = 7", Some("animal 6 (\"tiger\"): letter"), "invalid type"),
    ] {
        let line = sound[..sound.find(from).unwrap()].matches('\n').count() + 1;
        fs::write(&path, sound.replacen(from, to, 1).replacen("\"leiden\"", "\"mine\"", 1)).unwrap();
        let said = Dsq::in_folder(folder.path()).rules(file).run(&["moves", "startpos"]).refused_with(2);
        let field = field.map_or_else(String::new, |field| format!("{field}: "));
        let expected = format!("dsq: rule set {file}: line {line}: {field}");
        assert!(said.starts_with(&expected) && said.contains(reason), "{said}\nand not\n{expected}");
    }
    for key in ["hidden-pieces=true", "turns-in-water=3", "turns-in-den=30"] {
        let dsq = Dsq::in_folder(folder.path()).option("--set").option(key);
        assert_says(&dsq.run(&["moves", "startpos"]).refused_with(2), &[key.split('=').next().unwrap(), "position"]);
    }
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
