//! The rule sets that come with the program: moves worked out by hand from the texts, and sound tables.

use dsq_solver::checker::{CheckOptions, Sample, check_dtw};
use dsq_tables::board::{Side, Symmetry};
use dsq_tables::material::Material;
use dsq_tables::rules::NAMES;
use dsq_tests::{Random, STUDIED, Tables, catalog, classes_up_to, colours_swapped, move_texts, random_position};
use dsq_tests::{rules, value};

/// The moves of a position as text, in any order.
fn assert_moves(name: &str, fen: &str, expected: &str) {
    let mut found: Vec<String> = move_texts(&rules(name, &[]), fen);
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected, "{name}: {fen}");
}

/// The example at the end of the text, all sixteen pieces. Where the text contradicts its own rules, the rules count: the
/// leopard on a5 jumps along its rank to d5, not to d6; the dog on f3 has g3 as well, which the text names right after it
/// says that there are two moves; the rat on a7 has a6 as well, which the text names as one that loses it.
#[test]
fn the_example_of_shou_dou_qi_has_the_moves_of_the_text() {
    let fen = "7/5c1/rd1wlp1/3e3/P3R2/3W2t/EL2CD1/2T4/7";
    let white = "e5e6 e5e4 e5d5 e5f5  e3d3 e3e2  f3f2 f3f4 f3g3  d4d5 d4d3  a5a6 a5a4 a5d5  c2c3 c2c1 c2b2 c2d2 \
                 b3c3 b3b2 b3b7  a3a4 a3a2";
    assert_moves("shou-dou-qi", &format!("{fen} w"), white);
    let black = "a7a8 a7a6  f8f9 f8e8 f8g8  b7b8 b7b6 b7c7  d7c7 d7d8  f7g7  g4g5 g4g3 g4d4  e7e8  d6d5";
    assert_moves("shou-dou-qi", &format!("{fen} b"), black);
}

/// Rats on both sides of the shore, a rat beside an elephant, and a tiger beside the water.
#[test]
fn the_three_readings_of_the_common_game_differ_as_their_texts_say() {
    // White's rat on land, Black's in the water.
    let shore = "7/7/7/7/7/Rr5/7/7/6E";
    let beside = "a4a3 a4a5 g1f1 g1g2";
    let water = "b4b3 b4b5 b4c4";
    for (name, into_water, from_water) in
        [("wikipedia-es", true, false), ("wikipedia", false, true), ("knowlton", true, true)]
    {
        let taking = |takes: bool, moves: &str, capture: &str| format!("{moves} {}", if takes { capture } else { "" });
        assert_moves(name, &format!("{shore} w"), &taking(into_water, beside, "a4b4"));
        assert_moves(name, &format!("{shore} b"), &taking(from_water, water, "b4a4"));
    }
    for (name, takes, sideways) in
        [("wikipedia-es", false, true), ("wikipedia", true, false), ("knowlton", false, true)]
    {
        let land = "7/7/7/7/7/7/7/Er5/7";
        assert_moves(name, &format!("{land} w"), if takes { "a2a1 a2a3 a2b2" } else { "a2a1 a2a3" });
        assert_moves(name, &format!("{land} b"), "b2b1 b2b3 b2c2 b2a2");
        let tiger = if sideways { "a5a4 a5a6 a5d5" } else { "a5a4 a5a6" };
        assert_moves(name, "7/7/7/7/T6/7/7/7/6e w", tiger);
        // Lengthwise all of them jump, and the lion both ways.
        assert_moves(name, "7/7/7/7/7/7/1T5/7/6e w", "b3a3 b3c3 b3b2 b3b7");
        assert_moves(name, "7/7/7/7/L6/7/7/7/6e w", "a5a4 a5a6 a5d5");
    }
    // The dog is above the wolf in two of the texts.
    for (name, dog) in [("wikipedia-es", true), ("wikipedia", false), ("knowlton", true)] {
        let expected = if dog { "a1a2 a1b1" } else { "a1b1" };
        assert_moves(name, "7/7/7/7/7/7/7/w6/D6 w", expected);
    }
}

/// A monkey is a king, a snake a silver general that looks to the other side; the single pools at the edge are jumped.
#[test]
fn gran_jungla_has_a_monkey_and_a_snake() {
    let white = "b2a1 b2b1 b2c1 b2a2 b2c2 b2a3 b2b3 b2c3  h2h3 h2g3 h2i3 h2g1 h2i1  a4a3 a4b4 a4a6";
    assert_moves("gran-jungla", "8e/9/9/9/9/L8/9/1M5S1/9 w", white);
    // Beside the water the snake keeps to the land.
    assert_moves("gran-jungla", "9/9/9/9/7s1/9/9/9/E8 b", "h5h4 h5i4 h5i6");
    // The single pools are one square long, so the leopard jumps them along the file; three squares are too far for it.
    assert_moves("gran-jungla", "9/9/9/9/9/P8/9/9/8e w", "a4a3 a4b4 a4a6");
    assert_moves("gran-jungla", "9/9/9/9/9/9/3P5/9/8e w", "d3c3 d3e3 d3d2");
}

#[test]
fn animal_checkers_has_its_captures_on_both_boards() {
    for (name, fen, white, black) in [
        ("animal-checkers", "7/7/7/2r4/2E4/7/7", "c3c2 c3b3 c3d3", "c4b4 c4d4 c4c5 c4c3"),
        // The own den is closed.
        ("animal-checkers-5x5", "5/5/2r2/2E2/5", "c2b2 c2d2", "c3b3 c3d3 c3c4 c3c2"),
        ("animal-checkers", "7/7/2t4/2TR3/7/7/7", "c4b4 c4c3 c4c5 d4d5 d4e4 d4d3", "c5b5 c5d5 c5c6 c5c4"),
    ] {
        assert_moves(name, &format!("{fen} w"), white);
        assert_moves(name, &format!("{fen} b"), black);
    }
}

#[test]
fn mini_jungla_has_two_narrow_rivers() {
    assert_moves("mini-jungla", "5/5/5/5/5/1T3/4e w", "b2a2 b2b1 b2c2 b2b6");
    assert_moves("mini-jungla", "5/5/5/T4/5/5/4e w", "a4a3 a4a5 a4c4");
    // A dog in the water stops it and takes nothing on land.
    assert_moves("mini-jungla", "5/5/5/Td3/5/5/4e w", "a4a3 a4a5");
    assert_moves("mini-jungla", "5/5/5/Rd3/5/5/4E b", "b4b3 b4b5 b4c4");
}

#[test]
fn the_tables_of_every_named_rule_set_are_sound_and_keep_its_symmetries() {
    for (seed, name) in (77..).zip(NAMES.into_iter().filter(|name| !STUDIED.contains(name))) {
        let catalog = catalog(name, &[]);
        let tables = Tables::generate(&catalog, classes_up_to(&catalog, 2));
        let all = CheckOptions { sample: None::<Sample>, ..CheckOptions::default() };
        for class in classes_up_to(&catalog, 2) {
            let report = check_dtw(tables.tablebase(), &class, &all, &()).unwrap();
            assert!(report.is_sound() && report.positions > 0, "{name} {}: {report:?}", class.name());
        }
        // All of them are symmetric: the mirror and turning the board with the colours change nothing.
        let mut random = Random::new(seed);
        for material in Material::all(tables.rules(), 2) {
            let position = random_position(tables.rules(), material, Side::White, &mut random);
            let images = [
                position.mapped(tables.rules(), Symmetry::Mirror),
                colours_swapped(tables.rules(), &position, Symmetry::HalfTurn),
                colours_swapped(tables.rules(), &position, Symmetry::Flip),
            ];
            let expected = value(tables.tablebase(), &position);
            for image in images {
                assert_eq!(value(tables.tablebase(), &image), expected, "{name}: {}", position.to_fen(tables.rules()));
            }
        }
    }
}
