//! `dsq rules` and rule files.

use super::{assert_says, keys};
use dsq_tables::rules::{NAMES, RuleSpec, Rules, SETTINGS};
use dsq_tests::program::Dsq;
use dsq_tests::{Changes, rules};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

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
