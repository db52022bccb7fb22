//! Every setting: a position where it changes the legal moves or the value, worked out by hand, and the fingerprint with
//! it. The list of the settings in the docs and in the program.

use dsq_tables::material::Material;
use dsq_tables::rules::SETTINGS;
use dsq_tables::value::Value;
use dsq_tests::{Changes, Solutions, assert_same_solution, catalog, class_of, move_texts, position, rules};
use std::collections::BTreeSet;

/// What a position is asked for, and the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// The legal moves, in any order.
    Moves(&'static str),
    /// The value; the material has to be solved for it.
    Value(Value),
}
use Answer::{Moves, Value as Is};

/// Positions in which the values of a setting make a difference.
struct Case {
    /// The key in the list of settings.
    setting: &'static str,
    /// The key that is set.
    key: &'static str,
    /// The rule set, with what else is changed.
    rules: (&'static str, Changes<'static>),
    positions: &'static [&'static str],
    /// For each value that is tried the answers, one for each position. What the rule set says itself comes first.
    values: &'static [(&'static str, &'static [Answer])],
}

const CLASSIC: (&str, Changes<'static>) = ("classic", &[]);

const CASES: [Case; 18] = [
    // On d5 between the rivers a dog, a wolf below it; then the other way round. In `classic` the wolf is the stronger one.
    Case {
        setting: "ranks",
        key: "ranks",
        rules: CLASSIC,
        positions: &["7/7/7/7/3D3/3w3/7/7/7 w", "7/7/7/7/3W3/3d3/7/7/7 w"],
        values: &[
            ("R C D W P T L E", &[Moves("d5d6"), Moves("d5d4 d5d6")]),
            ("R C W D P T L E", &[Moves("d5d4 d5d6"), Moves("d5d6")]),
            ("R C (WD) P T L E", &[Moves("d5d4 d5d6"), Moves("d5d4 d5d6")]),
        ],
    },
    // A cat beside the water on b4.
    Case {
        setting: "swimmers",
        key: "swimmers",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/C6/7/7/6e w"],
        values: &[("R", &[Moves("a4a3 a4a5")]), ("RC", &[Moves("a4a3 a4a5 a4b4")])],
    },
    // Two rats: both on land, both in the water, one on each side of the shore, both ways. In `classic` pairs say that rats
    // take no rats across the shore, which counts more than `always`; so this is `shou-dou-qi`, where no pair says so.
    Case {
        setting: "A-takes-B",
        key: "rat-takes-rat",
        rules: ("shou-dou-qi", &[]),
        positions: &[
            "7/7/7/7/7/7/7/r6/R6 w",
            "7/7/7/7/1r5/1R5/7/7/7 w",
            "7/7/7/7/7/rR5/7/7/7 w",
            "7/7/7/7/7/Rr5/7/7/7 w",
        ],
        values: &[
            ("true", &[Moves("a1b1 a1a2"), Moves("b4a4 b4b3 b4c4 b4b5"), Moves("b4b3 b4c4 b4b5"), Moves("a4a3 a4a5")]),
            ("false", &[Moves("a1b1"), Moves("b4a4 b4b3 b4c4"), Moves("b4b3 b4c4 b4b5"), Moves("a4a3 a4a5")]),
            ("never", &[Moves("a1b1"), Moves("b4a4 b4b3 b4c4"), Moves("b4b3 b4c4 b4b5"), Moves("a4a3 a4a5")]),
            ("land", &[Moves("a1b1 a1a2"), Moves("b4a4 b4b3 b4c4"), Moves("b4b3 b4c4 b4b5"), Moves("a4a3 a4a5")]),
            (
                "always",
                &[
                    Moves("a1b1 a1a2"),
                    Moves("b4a4 b4b3 b4c4 b4b5"),
                    Moves("b4b3 b4c4 b4b5 b4a4"),
                    Moves("a4a3 a4a5 a4b4"),
                ],
            ),
        ],
    },
    // A rat in White's trap on d2, the elephant on c2. Down is White's other trap, which its own pieces may enter.
    Case {
        setting: "A-takes-trapped-B",
        key: "elephant-takes-trapped-rat",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/7/7/2Er3/7 w"],
        values: &[("true", &[Moves("c2b2 c2c1 c2c3 c2d2")]), ("false", &[Moves("c2b2 c2c1 c2c3")])],
    },
    // White's rat in the water on b4, Black's on land on a4; then the other way round, which this setting leaves as it is.
    Case {
        setting: "A-takes-B-from-water",
        key: "rat-takes-rat-from-water",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/rR5/7/7/7 w", "7/7/7/7/7/Rr5/7/7/7 w"],
        values: &[
            ("false", &[Moves("b4b3 b4b5 b4c4"), Moves("a4a3 a4a5")]),
            ("true", &[Moves("b4b3 b4b5 b4c4 b4a4"), Moves("a4a3 a4a5")]),
        ],
    },
    Case {
        setting: "A-takes-B-into-water",
        key: "rat-takes-rat-into-water",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/rR5/7/7/7 w", "7/7/7/7/7/Rr5/7/7/7 w"],
        values: &[
            ("false", &[Moves("b4b3 b4b5 b4c4"), Moves("a4a3 a4a5")]),
            ("true", &[Moves("b4b3 b4b5 b4c4"), Moves("a4a3 a4a5 a4b4")]),
        ],
    },
    // In `shou-dou-qi` the dog swims: from the water on b4 it would take the cat on a4, and from a4 the rat in the water.
    Case {
        setting: "shore-captures",
        key: "shore-captures",
        rules: ("shou-dou-qi", &[]),
        positions: &["7/7/7/7/7/cD5/7/7/7 w", "7/7/7/7/7/Dr5/7/7/7 w"],
        values: &[
            ("none", &[Moves("b4b3 b4b5 b4c4"), Moves("a4a3 a4a5")]),
            ("any", &[Moves("b4b3 b4b5 b4c4 b4a4"), Moves("a4a3 a4a5 a4b4")]),
        ],
    },
    // A tiger beside two squares of water along the rank (b4, c4), then below three along the file (b4 to b6).
    Case {
        setting: "A-jumps",
        key: "tiger-jumps",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/T6/7/7/6e w", "7/7/7/7/7/7/1T5/7/6e w"],
        values: &[
            ("both", &[Moves("a4a3 a4a5 a4d4"), Moves("b3a3 b3c3 b3b2 b3b7")]),
            ("none", &[Moves("a4a3 a4a5"), Moves("b3a3 b3c3 b3b2")]),
            ("ranks", &[Moves("a4a3 a4a5 a4d4"), Moves("b3a3 b3c3 b3b2")]),
            ("files", &[Moves("a4a3 a4a5"), Moves("b3a3 b3c3 b3b2 b3b7")]),
            // At most so many squares of water.
            ("both:3", &[Moves("a4a3 a4a5 a4d4"), Moves("b3a3 b3c3 b3b2 b3b7")]),
            ("both:2", &[Moves("a4a3 a4a5 a4d4"), Moves("b3a3 b3c3 b3b2")]),
            ("both:1", &[Moves("a4a3 a4a5"), Moves("b3a3 b3c3 b3b2")]),
        ],
    },
    // On c4, in the water that the tiger on a4 jumps over, White's own rat (whose moves are the last three), then Black's;
    // then Black's before a lion.
    Case {
        setting: "jump-stopped-by",
        key: "jump-stopped-by",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/T1R4/7/7/6e w", "7/7/7/7/7/T1r4/7/7/7 w", "7/7/7/7/7/L1r4/7/7/7 w"],
        values: &[
            ("any", &[Moves("a4a3 a4a5 c4c3 c4b4 c4d4 c4c5"), Moves("a4a3 a4a5"), Moves("a4a3 a4a5")]),
            ("enemy", &[Moves("a4a3 a4a5 a4d4 c4c3 c4b4 c4d4 c4c5"), Moves("a4a3 a4a5"), Moves("a4a3 a4a5")]),
            ("none", &[Moves("a4a3 a4a5 a4d4 c4c3 c4b4 c4d4 c4c5"), Moves("a4a3 a4a5 a4d4"), Moves("a4a3 a4a5 a4d4")]),
        ],
    },
    // The same, and the lion is stopped as before.
    Case {
        setting: "A-jump-stopped-by",
        key: "tiger-jump-stopped-by",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/T1R4/7/7/6e w", "7/7/7/7/7/T1r4/7/7/7 w", "7/7/7/7/7/L1r4/7/7/7 w"],
        values: &[
            ("any", &[Moves("a4a3 a4a5 c4c3 c4b4 c4d4 c4c5"), Moves("a4a3 a4a5"), Moves("a4a3 a4a5")]),
            ("enemy", &[Moves("a4a3 a4a5 a4d4 c4c3 c4b4 c4d4 c4c5"), Moves("a4a3 a4a5"), Moves("a4a3 a4a5")]),
            ("none", &[Moves("a4a3 a4a5 a4d4 c4c3 c4b4 c4d4 c4c5"), Moves("a4a3 a4a5 a4d4"), Moves("a4a3 a4a5")]),
        ],
    },
    // Black's lion in White's trap on d2, a rat beside it; White's lion in its own trap, Black's cat above it.
    Case {
        setting: "traps",
        key: "traps",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/7/7/2Rl3/7 w", "7/7/7/7/7/7/3c3/3L3/7 b"],
        values: &[
            ("intruders", &[Moves("c2b2 c2c1 c2c3 c2d2"), Moves("d3c3 d3e3 d3d4")]),
            ("universal", &[Moves("c2b2 c2c1 c2c3 c2d2"), Moves("d3c3 d3e3 d3d4 d3d2")]),
            ("none", &[Moves("c2b2 c2c1 c2c3"), Moves("d3c3 d3e3 d3d4")]),
        ],
    },
    // The lion in the trap again, then a tiger.
    Case {
        setting: "trap-immune",
        key: "trap-immune",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/7/7/2Rl3/7 w", "7/7/7/7/7/7/7/2Rt3/7 w"],
        values: &[
            ("", &[Moves("c2b2 c2c1 c2c3 c2d2"), Moves("c2b2 c2c1 c2c3 c2d2")]),
            ("L", &[Moves("c2b2 c2c1 c2c3"), Moves("c2b2 c2c1 c2c3 c2d2")]),
            ("LT", &[Moves("c2b2 c2c1 c2c3"), Moves("c2b2 c2c1 c2c3")]),
        ],
    },
    // A lion above its own trap on d2, then below Black's on d8.
    Case {
        setting: "trap-barred",
        key: "trap-barred",
        rules: CLASSIC,
        positions: &["7/7/7/7/7/7/3L3/7/6e w", "7/7/3L3/7/7/7/7/7/6e w"],
        values: &[
            ("", &[Moves("d3c3 d3e3 d3d4 d3d2"), Moves("d7c7 d7e7 d7d6 d7d8")]),
            ("L", &[Moves("d3c3 d3e3 d3d4"), Moves("d7c7 d7e7 d7d6")]),
            ("own:L", &[Moves("d3c3 d3e3 d3d4"), Moves("d7c7 d7e7 d7d6 d7d8")]),
        ],
    },
    // A rat in Black's trap on d8, below Black's den, beside an elephant; then outside of the trap, on c7.
    Case {
        setting: "trapped-can-capture",
        key: "trapped-can-capture",
        rules: CLASSIC,
        positions: &["7/2eR3/7/7/7/7/7/7/7 w", "7/2e4/2R4/7/7/7/7/7/7 w"],
        values: &[
            ("true", &[Moves("d8c8 d8e8 d8d7 d8d9"), Moves("c7b7 c7d7 c7c6 c7c8")]),
            ("false", &[Moves("d8e8 d8d7 d8d9"), Moves("c7b7 c7d7 c7c6 c7c8")]),
        ],
    },
    // An elephant above its own den.
    Case {
        setting: "own-den",
        key: "own-den",
        rules: CLASSIC,
        positions: &["e6/7/7/7/7/7/7/3E3/7 w"],
        values: &[("forbidden", &[Moves("d2c2 d2e2 d2d3")]), ("allowed", &[Moves("d2c2 d2e2 d2d3 d2d1")])],
    },
    // White's rat in the corner between a tiger and a dog, neither of which it takes.
    Case {
        setting: "no-move",
        key: "no-move",
        rules: ("animal-checkers-5x5", &[]),
        positions: &["5/5/5/t4/Rd3 w"],
        values: &[("loss", &[Is(Value::Loss(0))]), ("draw", &[Is(Value::Draw)])],
    },
    // Black's tiger stands before White's den on c1 and enters it next, so White's elephant must take it. That wins if a side
    // without pieces has lost; else Black is a side without a move, which draws here.
    Case {
        setting: "elimination-wins",
        key: "elimination-wins",
        rules: ("animal-checkers-5x5", &[("no-move", "draw")]),
        positions: &["5/5/5/1Et2/5 w"],
        values: &[("true", &[Is(Value::Win(1))]), ("false", &[Is(Value::Draw)])],
    },
    // It is noted and changes nothing. An elephant takes the other one: asked for are the value, then the moves.
    Case {
        setting: "draw-after-quiet-plies",
        key: "draw-after-quiet-plies",
        rules: ("animal-checkers-5x5", &[]),
        positions: &["5/5/2e2/2E2/5 w", "5/5/2e2/2E2/5 w"],
        values: &[
            ("0", &[Is(Value::Win(1)), Moves("c2b2 c2d2 c2c3")]),
            ("1", &[Is(Value::Win(1)), Moves("c2b2 c2d2 c2c3")]),
            ("60", &[Is(Value::Win(1)), Moves("c2b2 c2d2 c2c3")]),
        ],
    },
];

/// The setting without an effect on distance to win.
const NOTED_ONLY: &str = "draw-after-quiet-plies";

fn sorted(words: &str) -> Vec<String> {
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    words.sort();
    words
}

#[test]
fn every_value_of_a_setting_has_the_moves_and_values_worked_out_by_hand() {
    for case in &CASES {
        let (name, changes) = case.rules;
        for (value, answers) in case.values {
            let changes = [changes, &[(case.key, value)]].concat();
            let catalog = catalog(name, &changes);
            let rules = catalog.rules();
            assert_eq!(case.positions.len(), answers.len(), "{}", case.setting);
            for (fen, answer) in case.positions.iter().zip(*answers) {
                let said = format!("{name} with {changes:?}: {fen}");
                match answer {
                    Moves(moves) => assert_eq!(sorted(&move_texts(rules, fen).join(" ")), sorted(moves), "{said}"),
                    Is(value) => {
                        let position = position(rules, fen);
                        let material = Material::of(&position).to_text(rules);
                        let class = class_of(&catalog, &material);
                        let solutions = Solutions::of(&catalog, [class.clone()]);
                        assert_eq!(solutions.value(&position), *value, "{said}");
                        // The judge says the same.
                        let reference = solutions.solve_by_reference(&class);
                        assert_same_solution(rules, solutions.get(&class), &reference);
                    }
                }
            }
        }
    }
}

/// Two values of a setting have the same fingerprint where they answer alike, and another one where they do not.
#[test]
fn the_fingerprint_changes_with_the_answers() {
    for case in &CASES {
        let (name, changes) = case.rules;
        let with = |value: &str| rules(name, &[changes, &[(case.key, value)]].concat());
        let plain = rules(name, changes);
        assert_eq!(with(case.values[0].0).fingerprint(), plain.fingerprint(), "{}: not what it is first", case.setting);
        for (index, (one, answers)) in case.values.iter().enumerate() {
            for (other, other_answers) in &case.values[..index] {
                let same = with(one).fingerprint() == with(other).fingerprint();
                assert_eq!(same, answers == other_answers, "{} {} and {}", case.key, one, other);
            }
        }
        let different = case.values.iter().any(|(_, answers)| *answers != case.values[0].1);
        assert_eq!(different, case.setting != NOTED_ONLY, "{}: no position tells its values apart", case.setting);
        // What has no effect is noted all the same.
        if case.setting == NOTED_ONLY {
            let files: BTreeSet<String> = case.values.iter().map(|(value, _)| with(value).spec().to_toml()).collect();
            assert_eq!(files.len(), case.values.len());
        }
    }
}

#[test]
fn every_setting_of_the_list_has_a_case_with_each_of_its_words() {
    let listed: Vec<&str> = SETTINGS.iter().map(|info| info.key).collect();
    let cases: Vec<&str> = CASES.iter().map(|case| case.setting).collect();
    assert_eq!(cases, listed);
    for (info, case) in SETTINGS.iter().zip(&CASES) {
        for word in info.words() {
            assert!(case.values.iter().any(|(value, _)| *value == word), "{}: {word} is not tried", info.key);
        }
        // The key is that of the list with names of animals in it.
        let rules = rules(case.rules.0, case.rules.1);
        let names: Vec<&str> = rules.animals().map(|animal| rules.animal(animal).name.as_str()).collect();
        let is_of = |first: &&str| names.iter().any(|name| info.key.replace('A', first).replace('B', name) == case.key);
        assert!(names.iter().any(is_of), "{} is not {}", case.key, info.key);
    }
}

/// The table of settings in docs/rules.md says what the list says: the keys in their order, the words, the defaults.
#[test]
fn the_table_in_the_docs_is_the_list() {
    let text = include_str!("../../docs/rules.md");
    let (_, section) = text.split_once("### Settings\n").unwrap();
    let table = section.lines().skip_while(|line| !line.starts_with("| key |")).skip(2);
    let rows: Vec<Vec<&str>> = table
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let plain = |cell: &str| cell.replace('`', "");
    let keys: Vec<String> = rows.iter().map(|row| plain(row[0])).collect();
    assert_eq!(keys, SETTINGS.map(|info| info.key));
    for (info, row) in SETTINGS.iter().zip(&rows) {
        assert_eq!(plain(row[2]), info.default, "{}", info.key);
        let words: BTreeSet<&str> = row[1].split('`').skip(1).step_by(2).collect();
        for word in info.words() {
            assert!(words.contains(word), "{}: {word} is not in the docs", info.key);
        }
    }
}
