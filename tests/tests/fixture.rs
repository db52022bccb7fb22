//! Tables of every metric that an earlier version made are read as they were meant, and made again byte for byte.
//!
//! What the files of `tests/fixtures/tables` are and how they were made stands in their `README.md`.

use dsq_tests::files_of;
use dsq_tests::program::Dsq;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What was asked of `dsq generate`: the rule set, a setting, and the materials, one call for each.
const MADE: [(&str, &str, &[&str]); 4] = [
    ("animal-checkers-5x5", "", &["--pieces=2", "RD-R"]),
    ("animal-checkers-5x5", "draw-after-quiet-plies=10", &["--pieces=2", "RD-R"]),
    ("classic", "", &["R-E", "L-L"]),
    ("classic", "draw-after-quiet-plies=60", &["R-E", "L-L"]),
];

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tables")
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rows of a list, without that of the titles.
fn rows<const N: usize>(name: &str, titles: [&str; N]) -> Vec<[String; N]> {
    let text = fs::read_to_string(fixture().join(name)).unwrap();
    let mut rows = text.lines().map(|line| {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        <[String; N]>::try_from(fields).unwrap_or_else(|_| panic!("{name}: {line}"))
    });
    assert_eq!(rows.next().unwrap(), titles, "{name}");
    rows.collect()
}

/// The program with the tables of a folder.
fn dsq(folder: &Path, rules: &str, set: &str) -> Dsq {
    let dsq = Dsq::in_folder(folder).rules(rules);
    if set.is_empty() { dsq } else { dsq.option("--set").option(set) }
}

/// The files of the tables with their bytes.
fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files_of(folder).into_iter().filter(|(name, _)| name.ends_with(".dsq")).collect()
}

#[test]
fn the_fixture_is_as_it_was_committed() {
    let sums = fs::read_to_string(fixture().join("SHA256SUMS")).unwrap();
    let expected: BTreeSet<String> = sums.lines().map(str::to_owned).collect();
    let found = tables(&fixture()).into_iter().map(|(name, bytes)| format!("{}  {name}", hex(&bytes)));
    assert_eq!(found.collect::<BTreeSet<_>>(), expected);
    assert_eq!(expected.len(), 20);
}

#[test]
fn every_position_has_the_value_that_was_meant() {
    let mut rows_of: BTreeMap<[String; 3], BTreeSet<String>> = BTreeMap::new();
    for [rules, set, metric, material, positions, digest] in
        rows("digests.tsv", ["rules", "set", "metric", "material", "positions", "sha256"])
    {
        let words = ["export", &material, "--metric", &metric];
        let printed = dsq(&fixture(), &rules, &set).run(&words).expect_code(0).stdout;
        let (titles, values) = printed.split_once('\n').unwrap();
        assert_eq!(titles, "fen,value,plies", "{rules} {set} {metric} {material}");
        assert_eq!(values.lines().count().to_string(), positions, "{rules} {set} {metric} {material}");
        let known = rows_of.entry([rules.clone(), set.clone(), metric.clone()]).or_default();
        known.extend(values.lines().map(str::to_owned));
        // The positions that are spelt out say more than a digest if something is wrong.
        for [r, s, m, fen, value, plies] in spelt_out() {
            let here = [&r, &s, &m] == [&rules, &set, &metric];
            let same_position = format!("{fen},");
            if here && let Some(found) = values.lines().find(|line| line.starts_with(&same_position)) {
                assert_eq!(found, format!("{fen},{value},{plies}"), "{rules} {set} {metric} {material}");
            }
        }
        assert_eq!(hex(values.as_bytes()), digest, "{rules} {set} {metric} {material}");
    }
    assert_eq!(rows_of.len(), 8, "two rule sets, three metrics and one of them with a limit too");
    for [rules, set, metric, fen, value, plies] in spelt_out() {
        let row = format!("{fen},{value},{plies}");
        assert!(rows_of[&[rules, set, metric]].contains(&row), "{row}");
    }
}

fn spelt_out() -> Vec<[String; 6]> {
    rows("positions.tsv", ["rules", "set", "metric", "position", "value", "plies"])
}

/// Asked for one by one, positions have the same values: by their plies to the end, and to a capture or the end.
#[test]
fn probing_reads_what_exporting_reads() {
    let mut asked: BTreeMap<(String, String), Vec<[String; 4]>> = BTreeMap::new();
    for [rules, set, metric, fen, value, plies] in spelt_out() {
        asked.entry((rules, set)).or_default().push([metric, fen, value, plies]);
    }
    let mut compared = 0;
    for ((rules, set), positions) in asked {
        let input: String = positions.iter().map(|[_, fen, ..]| format!("{fen}\n")).collect();
        let ran = dsq(&fixture(), &rules, &set).json().run_with_input(&["probe", "-"], input).expect_code(0);
        for (answer, [metric, fen, value, plies]) in ran.json_lines().iter().zip(&positions) {
            // What holds under the limit stands apart from the value without it.
            let found = if set.is_empty() { &answer["value"] } else { &answer["limit"]["value"] };
            assert_eq!((&answer["position"], found), (&Value::from(&**fen), &Value::from(&**value)), "{set}");
            let field = if metric == "dtw" { "dtw_plies" } else { "dtc_plies" };
            if let Some(found) = answer.get(field).filter(|_| metric != "wdl") {
                let found = found.as_u64().map_or_else(String::new, |plies| plies.to_string());
                assert_eq!(found, *plies, "{fen} {set} {metric}");
                compared += 1;
            }
        }
    }
    assert!(compared > 80, "{compared}");
}

#[test]
fn the_same_bytes_are_made_today() {
    let mut made = BTreeMap::new();
    for (rules, set, materials) in MADE {
        for metric in ["dtw", "wdl", "dtc"] {
            if !set.is_empty() && metric != "dtc" {
                continue;
            }
            let folder = TempDir::new().unwrap();
            for material in materials {
                let _ = dsq(folder.path(), rules, set).run(&["generate", "--metric", metric, material]).expect_code(0);
            }
            for (name, bytes) in tables(folder.path()) {
                let before = made.insert(name.clone(), bytes.clone());
                assert!(before.is_none_or(|before| before == bytes), "{name}");
            }
        }
    }
    let expected = tables(&fixture());
    assert_eq!(made.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in &expected {
        assert!(made[name] == *bytes, "{name} has other bytes than it had");
    }
}
