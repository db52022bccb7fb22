//! The checker: it passes the tables the solver makes, and nothing else.

use dsq_solver::checker::{CheckOptions, Report, Sample, check_dtw};
use dsq_solver::solved::{SideCodes, Solved};
use dsq_solver::write::write_table;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::format::Metric;
use dsq_tables::value::Value;
use dsq_tests::{Random, SMALL_BLOCKS, STUDIED, Tables, catalog, class_of, classes_up_to};
use rayon::prelude::*;
use std::sync::Arc;

fn check(tables: &Tables, class: &Class, options: &CheckOptions) -> Report<Value> {
    check_dtw(tables.tablebase(), class, options, &()).unwrap()
}

fn assert_sound(tables: &Tables, class: &Class, options: &CheckOptions) {
    let report = check(tables, class, options);
    assert!(report.is_sound(), "{} {}: {:?}", tables.rules().name(), class.name(), report);
    assert!(!report.stopped);
    match options.sample {
        // Two mirror images share a number, and both sides to move are checked.
        None => assert_eq!(report.positions, class.index().size() * class.sides() as u64),
        Some(sample) => assert_eq!(report.positions, sample.positions.min(class.index().size() * class.sides() as u64)),
    }
}

#[test]
fn all_tables_of_up_to_three_pieces_are_sound() {
    for rules in STUDIED {
        let tables = Tables::up_to(rules, &[], 3);
        let classes = classes_up_to(tables.catalog(), 3);
        classes.par_iter().with_max_len(1).for_each(|class| assert_sound(&tables, class, &CheckOptions::default()));
    }
}

#[test]
#[ignore = "slow: all tables of four pieces"]
fn a_sample_of_every_table_of_four_pieces_is_sound() {
    for (seed, rules) in (5..).zip(STUDIED) {
        let tables = Tables::up_to(rules, &[], 4);
        let sample = CheckOptions { sample: Some(Sample { positions: 200_000, seed }), ..CheckOptions::default() };
        for class in tables.catalog().classes(4) {
            assert_sound(&tables, &class, &sample);
        }
    }
}

/// The same values with one of them changed.
fn with_value(solved: &Solved, side: Side, number: u64, value: Value) -> Solved {
    let change = |(of, codes): (Side, &Arc<SideCodes>)| {
        let code = |at: u64| if of == side && at == number { value.code() } else { codes.code(at) };
        SideCodes::from_codes(&(0..solved.class.index().size()).map(code).collect::<Vec<u32>>())
    };
    let sides = Side::BOTH.into_iter().zip(solved.sides()).map(change).collect();
    Solved::new(solved.class.clone(), sides, &[])
}

/// Other values that a position could have, near the right one and far from it.
fn other_values(value: Value) -> Vec<Value> {
    let others = [Value::Draw, Value::Win(1), Value::Loss(2), Value::Win(301), Value::Loss(400)];
    let near = match value {
        Value::Draw => vec![],
        Value::Win(plies) => vec![Value::Win(plies + 2), Value::Loss(plies + 1)],
        Value::Loss(plies) => vec![Value::Loss(plies + 2), Value::Win(plies + 1)],
    };
    others.into_iter().chain(near).filter(|&other| other != value).collect()
}

#[test]
fn a_single_changed_value_in_a_table_with_valid_checksums_is_found() {
    let mut random = Random::new(1604_07312);
    for rules in STUDIED {
        let catalog = catalog(rules, &[]);
        let classes: Vec<Arc<Class>> = ["C-D", "R-E", "T-T", "RL-E", "CD-T"].map(|m| class_of(&catalog, m)).to_vec();
        let tables = Tables::encoded(&catalog, classes.clone(), SMALL_BLOCKS);
        for class in classes {
            let right = Solved::read(&tables.tablebase().table(&class).unwrap()).unwrap();
            let all_faults = CheckOptions { max_faults: usize::MAX, ..CheckOptions::default() };
            for _ in 0..8 {
                let side = if class.is_symmetric() { Side::White } else { *random.pick(&Side::BOTH) };
                let number = random.below(class.index().size());
                let value = right.side(side).value(number);
                let wrong = *random.pick(&other_values(value));
                tables.replace(&with_value(&right, side, number, wrong));
                let table = tables.tablebase().table(&class).unwrap();
                table.check_file().unwrap();
                assert_eq!(table.code(side, number).unwrap(), wrong.code());

                let what = format!("{rules} {}, number {number}: {wrong:?} for {value:?}", class.name());
                let report = check(&tables, &class, &all_faults);
                assert!(!report.is_sound(), "{what}");
                assert!(report.wrong >= 1 && report.summary_faults.is_empty(), "{what}: {report:?}");
                let fault = report.faults.iter().find(|fault| fault.side == side && fault.number == number);
                let fault = fault.unwrap_or_else(|| panic!("{what}: {report:?}"));
                assert_eq!((fault.found, fault.expected), (wrong, value), "{what}");
                let position = class.position(side, number).unwrap();
                assert_eq!(fault.fen, position.to_fen(tables.rules()), "{what}");
            }
            tables.replace(&right);
            assert!(check(&tables, &class, &all_faults).is_sound());
        }
    }
}

#[test]
fn a_changed_value_in_a_smaller_table_is_found_above_it() {
    let catalog = catalog("classic", &[]);
    let (small, large) = (class_of(&catalog, "C-D"), class_of(&catalog, "CD-W"));
    assert!(catalog.below(&large).iter().any(|below| below.name() == small.name()));
    let tables = Tables::encoded(&catalog, [large.clone()], SMALL_BLOCKS);
    let options = CheckOptions::default();
    assert!(check(&tables, &large, &options).is_sound());
    let right = Solved::read(&tables.tablebase().table(&small).unwrap()).unwrap();
    // Nothing may be drawn any more: every capture that drew is worth something else now.
    let changed = |codes: &Arc<SideCodes>| {
        let code = |number: u64| if codes.code(number) == 0 { Value::Loss(40).code() } else { codes.code(number) };
        SideCodes::from_codes(&(0..small.index().size()).map(code).collect::<Vec<u32>>())
    };
    let sides = right.sides().iter().map(changed).collect();
    tables.replace(&Solved::new(small, sides, &[]));
    let report = check(&tables, &large, &options);
    assert!(report.wrong > 0 && report.faults.len() <= options.max_faults, "{report:?}");
}

#[test]
fn a_table_without_a_name_is_checked_where_it_lies() {
    let catalog = catalog("classic", &[]);
    let class = class_of(&catalog, "RT-E");
    let tables = Tables::generate(&catalog, [class.clone()]);
    let right = Solved::read(&tables.tablebase().table(&class).unwrap()).unwrap();
    let number = (0..).find(|&number| right.side(Side::White).value(number) == Value::Win(3)).unwrap();
    let wrong = with_value(&right, Side::White, number, Value::Draw);
    let path = tables.tablebase().path_of(&class);
    std::fs::remove_file(&path).unwrap();
    let files = || std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    let before = files();
    for (solved, faults) in [(&wrong, 1), (&right, 0)] {
        let table = write_table(catalog.rules(), solved, &path, SMALL_BLOCKS, false).unwrap();
        assert!(!path.exists() && files() == before + 1);
        tables.tablebase().use_file(table.file(), &class, Metric::Dtw).unwrap();
        let report = check(&tables, &class, &CheckOptions::default());
        assert_eq!(report.is_sound(), faults == 0, "{report:?}");
        assert_eq!(report.faults.iter().filter(|fault| fault.number == number).count(), faults);
        if faults == 0 {
            table.publish().unwrap();
        } else {
            drop(table);
            assert_eq!(files(), before);
        }
    }
    tables.tablebase().close_tables();
    assert!(check(&tables, &class, &CheckOptions::default()).is_sound());
    assert!(path.is_file());
}
