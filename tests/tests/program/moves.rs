//! `dsq moves` and `dsq perft`.

use super::only;
use dsq_tests::program::Dsq;
use dsq_tests::{files_of, move_texts, rules};
use serde_json::json;
use tempfile::TempDir;

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
