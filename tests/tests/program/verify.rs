//! `dsq verify`.

use super::{assert_says, dsq, some_tables};
use dsq_solver::solved::{SideCodes, Solved};
use dsq_tables::board::Side;
use dsq_tests::class_of;

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
