//! `dsq export`.

use super::{assert_says, dsq, tables};
use dsq_tables::material::Material;
use dsq_tests::program::run;
use dsq_tests::{position, value};
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

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
