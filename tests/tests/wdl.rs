//! Tables without distances: made from distances or by solving, probed, checked, listed.

use dsq_solver::checker::{Against, CheckOptions, Sample, check_wdl};
use dsq_solver::generate::{self, Request, Silent, SpillRequest};
use dsq_solver::solved::{SideCodes, Solved};
use dsq_solver::write::Encoding;
use dsq_solver::write::{Distances, write_wdl_table};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::Metric;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::{Value, Wdl};
use dsq_tests::program::Dsq;
use dsq_tests::{Random, SMALL_BLOCKS, Tables, catalog, class_of, files_of, random_position};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn make(catalog: &Arc<Catalog>, folder: &Path, classes: &[Arc<Class>], metric: Metric, encoding: Encoding) -> usize {
    let request = Request {
        classes: classes.to_vec(),
        folder: folder.to_owned(),
        verify: false,
        memory: None,
        encoding,
        metric,
        spill: SpillRequest::default(),
    };
    generate::run(catalog, &request, &Silent).unwrap().made
}

fn names(folder: &Path) -> Vec<String> {
    files_of(folder).into_keys().collect()
}

#[test]
fn solving_and_thinning_out_give_the_same_files() {
    for (rules, changes) in [("classic", [].as_slice()), ("leiden", &[("no-move", "draw")])] {
        let catalog = catalog(rules, changes);
        let classes = [class_of(&catalog, "RL-E"), class_of(&catalog, "R-RT")];
        for encoding in [Encoding::default(), SMALL_BLOCKS] {
            let (solved, thinned) = (TempDir::new().unwrap(), TempDir::new().unwrap());
            let made = make(&catalog, solved.path(), &classes, Metric::Wdl, encoding);
            make(&catalog, thinned.path(), &classes, Metric::Dtw, encoding);
            let all = catalog.closure(classes.iter().cloned()).len();
            assert_eq!(make(&catalog, thinned.path(), &classes, Metric::Wdl, encoding), all);
            let (solved_files, mut thinned_files) = (files_of(solved.path()), files_of(thinned.path()));
            // What nothing rests on needs no distances.
            for class in &classes {
                let own = Tablebase::at(thinned.path(), catalog.clone(), 0).path_of(class);
                let name = own.strip_prefix(thinned.path()).unwrap().to_str().unwrap().to_owned();
                thinned_files.remove(&name).unwrap();
            }
            assert_eq!(made, solved_files.len());
            assert!(solved_files == thinned_files, "{:?}", names(solved.path()));
            assert_eq!(make(&catalog, solved.path(), &classes, Metric::Wdl, encoding), 0);
        }
    }
}

#[test]
fn a_damaged_table_of_distances_is_not_believed() {
    let catalog = catalog("classic", &[]);
    let classes = [class_of(&catalog, "RL-E")];
    let (folder, right) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    make(&catalog, folder.path(), &classes, Metric::Dtw, Encoding::default());
    make(&catalog, right.path(), &classes, Metric::Wdl, Encoding::default());
    let tables = Tablebase::at(folder.path(), catalog.clone(), 0);
    let path = tables.path_of(&classes[0]);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    // What it rests on is gone as well, which nobody needed as long as it was whole.
    for below in catalog.below(&classes[0]) {
        fs::remove_file(tables.path_of(&below)).unwrap();
    }
    make(&catalog, folder.path(), &classes, Metric::Wdl, Encoding::default());
    for class in catalog.closure(classes) {
        let found = fs::read(tables.path_with(&class, Metric::Wdl)).unwrap();
        let expected = Tablebase::at(right.path(), catalog.clone(), 0).path_with(&class, Metric::Wdl);
        assert!(found == fs::read(expected).unwrap(), "{}", class.name());
    }
}

#[test]
fn both_kinds_of_tables_give_the_same_values() {
    let catalog = catalog("classic", &[]);
    let class = class_of(&catalog, "RL-E");
    let with = Tables::generate(&catalog, [class.clone()]);
    let folder = TempDir::new().unwrap();
    make(&catalog, folder.path(), std::slice::from_ref(&class), Metric::Wdl, SMALL_BLOCKS);
    let mut random = Random::new(3);
    for cache in [0, 1 << 20] {
        let without = Tablebase::at(folder.path(), catalog.clone(), cache);
        assert!(matches!(without.table(&class), Err(TablebaseError::Missing { .. })));
        for number in 0..2000 {
            let turn = Side::BOTH[number % 2];
            let position = random_position(catalog.rules(), class.material(), turn, &mut random);
            let probe = with.tablebase().probe(&position).unwrap();
            let expected = Wdl::from(probe.value_for(turn));
            assert_eq!(without.probe_wdl(&position).unwrap(), expected);
            // Without such a table that with distances is asked.
            assert_eq!(with.tablebase().probe_wdl(&position).unwrap(), expected);
            assert!(without.probe(&position).unwrap_err().is_missing());
            let moves = without.probe_moves_wdl(&position).unwrap();
            assert!(moves.is_sorted_by(|(_, a), (_, b)| a >= b));
            let known = with.tablebase().probe_moves(&position).unwrap();
            let known: Vec<Wdl> = known.iter().map(|&(_, value)| value.into()).collect();
            assert_eq!(moves.iter().map(|&(_, value)| value).collect::<Vec<_>>(), known);
        }
    }
}

/// The same values with one changed.
fn changed(solved: &Solved, side: Side, number: u64, to: Value) -> Solved {
    let sides = solved.sides().iter().enumerate().map(|(index, codes)| {
        let mut codes: Vec<u32> = (0..).take(codes.bytes().len()).map(|number| codes.code(number)).collect();
        if index == side.index() {
            codes[number as usize] = to.code();
        }
        SideCodes::from_codes(&codes)
    });
    Solved::new(solved.class.clone(), sides.collect(), &[])
}

#[test]
fn a_check_finds_every_single_wrong_value_against_distances_and_most_by_moves() {
    let catalog = catalog("classic", &[]);
    let class = class_of(&catalog, "RT-E");
    let tables = Tables::generate(&catalog, [class.clone()]);
    make(&catalog, tables.folder(), std::slice::from_ref(&class), Metric::Wdl, SMALL_BLOCKS);
    let tablebase = tables.tablebase();
    let solved = Solved::read(&tablebase.table(&class).unwrap()).unwrap();
    let (dtw, wdl) = (tablebase.path_of(&class), tablebase.path_with(&class, Metric::Wdl));
    let aside = dtw.with_extension("aside");
    let check = |options: &CheckOptions| {
        tablebase.close_tables();
        check_wdl(tablebase, &class, options, &()).unwrap()
    };
    let sample = CheckOptions { sample: Some(Sample { positions: 1000, seed: 1 }), ..CheckOptions::default() };
    let all = CheckOptions::default();
    for against in [Against::Distances, Against::Moves] {
        if against == Against::Moves {
            fs::rename(&dtw, &aside).unwrap();
        }
        write_wdl_table(catalog.rules(), Distances::Solved(&solved), &wdl, SMALL_BLOCKS, false)
            .unwrap()
            .publish()
            .unwrap();
        let report = check(&all);
        assert!(report.is_sound() && report.against == against, "{report:?}");
        assert_eq!(report.positions, class.index().size() * 2);
        let report = check(&sample);
        assert!(report.is_sound() && (900..=1000).contains(&report.positions), "{report:?}");
        for (side, from, to) in [(Side::White, 2, Value::Draw), (Side::Black, 1, Value::Win(1))] {
            let codes = solved.side(side);
            let number = (class.index().size() / 2..).find(|&number| codes.code(number) % 2 == from % 2).unwrap();
            let wrong = changed(&solved, side, number, to);
            write_wdl_table(catalog.rules(), Distances::Solved(&wrong), &wdl, SMALL_BLOCKS, false)
                .unwrap()
                .publish()
                .unwrap();
            let report = check(&all);
            assert!(!report.is_sound() && report.wrong >= 1, "{report:?}");
            if against == Against::Distances {
                let [fault] = report.faults.as_slice() else { panic!("{report:?}") };
                assert_eq!((fault.side, fault.number, fault.found), (side, number, to.into()));
                assert_eq!(fault.expected, codes.value(number).into());
            }
        }
    }
}

#[test]
fn the_program_answers_from_tables_without_distances() {
    let folder = TempDir::new().unwrap();
    let dsq = Dsq::in_folder(folder.path());
    let made = dsq.clone().json().run(&["generate", "T-T", "R-R", "RL-E", "--metric", "wdl", "--verify"]);
    let made = made.expect_code(0).json();
    assert!(made["next"].as_str().is_some_and(|next| !next.contains("--line")), "{made}");
    // No capture leads to T-T or RL-E, and to R-R none either: no distances of these.
    let files = names(folder.path());
    for (class, metric, there) in
        [("T-T", "wdl", true), ("T-T", "dtw", false), ("RT-E", "dtw", false), ("L-E", "wdl", true)]
    {
        let class = class_of(&catalog("classic", &[]), class);
        let name = format!("classic/{}.{metric}.dsq", class.name());
        assert_eq!(files.contains(&name), there, "{name}: {files:?}");
    }
    let fen = "t6/7/T6/7/7/7/7/7/7 w";
    let answer = dsq.clone().json().run(&["probe", fen, "--line"]).expect_code(0).json();
    assert_eq!((&answer["value"], &answer["metric"]), (&"win".into(), &"wdl".into()));
    assert!(answer["dtw_plies"].is_null() && answer["line"].as_array().unwrap().is_empty());
    let moves = answer["moves"].as_array().unwrap();
    let moves: Vec<_> = moves.iter().map(|entry| (entry["move"].as_str(), entry["value"].as_str())).collect();
    assert_eq!(moves[0], (Some("a7a6"), Some("win")));
    assert_eq!(moves.len(), 3);
    let text = dsq.run(&["probe", fen, "--line"]).expect_code(0).stdout;
    for part in ["White to move: White wins\n", "distances are not known", "takes tables with distances", "loses"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(dsq.run(&["probe", fen, "--short"]).expect_code(0).stdout, format!("{fen}\twin\t-\ta7a6\n"));

    let stats = dsq.clone().json().run(&["stats", "RL-E"]).expect_code(0).json();
    assert_eq!((&stats["metric"], &stats["sides"][0]["won"]), (&"wdl".into(), &113_133.into()));
    assert!(stats["sides"][0]["longest_win_plies"].is_null());
    dsq.run(&["stats", "RL-E", "--metric", "dtw"]).expect_code(3);
    let list = dsq.clone().json().run(&["list", "--pieces", "2"]).expect_code(0).json();
    let wdl = files.iter().filter(|name| name.ends_with(".wdl.dsq")).count();
    assert_eq!(list["wdl_tables"].as_array().unwrap().len(), wdl);
    assert!(dsq.run(&["list"]).expect_code(0).stdout.contains("win/draw/loss only"));

    let verified = dsq.clone().json().run(&["verify"]).expect_code(0).json_lines();
    assert_eq!(verified.len(), files.len());
    for record in &verified {
        let has_distances = verified.iter().any(|other| other["class"] == record["class"] && other["metric"] == "dtw");
        match record["metric"].as_str() {
            Some("dtw") => assert!(record.get("against").is_none(), "{record}"),
            _ => assert_eq!(record["against"], if has_distances { "dtw" } else { "moves" }, "{record}"),
        }
    }
    dsq.run(&["verify", "--checksums", "T-T"]).expect_code(0);
    let path = folder.path().join("classic/T-T.wdl.dsq");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&path, bytes).unwrap();
    dsq.run(&["verify", "T-T"]).expect_code(4);
    dsq.run(&["probe", fen]).expect_code(4);
}
