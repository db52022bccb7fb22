//! `dsq stats`.

use super::{assert_says, dsq, keys, only, tables};
use dsq_tables::board::Side;
use dsq_tables::material::Material;
use dsq_tables::position::{Position, Setup};
use dsq_tests::program::Dsq;
use dsq_tests::{Tables, class_of, position, rules, value};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

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
