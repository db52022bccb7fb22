//! What is refused, and with which words: each fault of a rule file with its line and its field.

#![allow(clippy::unwrap_used)]

use super::*;

/// A sound rule file. The lines are counted from 1; `name` is the first.
const FILE: &str = r#"name = "brook"
title = "two pools"
board = """
.tdt.
..t..
.~.~.
.~.~.
..T..
.TDT.
"""

[settings]
swimmers = "R"
cat-jumps = "both"
traps = "universal"

[[animal]]
letter = "R"
name = "rat"
aliases = "M"
start = "e2"

[[animal]]
letter = "C"
name = "cat"
other-names = ["kitten", "tom"]
steps = "orthogonal"
start = "a1"
black-start = "e6"

[[capture]]
attacker = "R"
victim = "C"
to = "land"
allowed = true
"#;

/// The words of the error of the file with one change.
#[track_caller]
fn refused(from: &str, to: &str) -> String {
    assert!(FILE.contains(from), "{from}");
    RuleSpec::parse(&FILE.replacen(from, to, 1), "brook.toml").unwrap_err().to_string()
}

#[track_caller]
fn assert_refused(cases: &[(&str, &str, &str)]) {
    for (from, to, expected) in cases {
        let words = refused(from, to);
        let expected = format!("rule set brook.toml: {expected}");
        assert!(words.starts_with(&expected), "{to:?} instead of {from:?}:\n{words}\nand not\n{expected}");
    }
}

#[test]
fn the_file_itself_is_sound() {
    let spec = RuleSpec::parse(FILE, "brook.toml").unwrap();
    assert_eq!(Rules::compile(spec).unwrap().letters(), "RC");
}

#[test]
fn what_is_not_toml_is_refused_with_its_line_as_it_is_written() {
    assert_refused(&[
        ("traps = \"universal\"", "traps = universal", "line 15: string values must be quoted"),
        ("traps = \"universal\"", "traps = ", "line 15: "),
        ("traps = \"universal\"", "traps = \"universal", "line 15: invalid basic string"),
        ("[[capture]]", "[[capture]", "line 31: "),
        ("name = \"cat\"", "name = \"cat\"\nname = \"cat\"", "line 26: duplicate key, at \"name = \\\"cat\\\"\""),
    ]);
}

/// Such a string goes on to the end of the file, where it would help nobody to look.
#[test]
fn a_string_that_is_not_closed_is_refused_where_it_begins() {
    assert_refused(&[
        (".TDT.\n\"\"\"", ".TDT.", "line 3: board: invalid multi-line basic string"),
        ("\"universal\"", "\"\"\"universal\"", "line 15: settings.traps: invalid multi-line basic string"),
        ("name = \"cat\"", "name = \'\'\'cat", "line 25: animal 2: name: invalid multi-line literal string"),
    ]);
}

#[test]
fn a_field_that_is_missing_or_unknown_or_of_a_wrong_type_is_refused_with_its_line() {
    assert_refused(&[
        ("name = \"brook\"", "", "line 1: name: it is missing"),
        ("[settings]", "[setting]", "line 12: setting: unknown field `setting`"),
        ("name = \"brook\"", "name = 5", "line 1: name: invalid type: integer `5`"),
        ("letter = \"C\"", "", "line 23: animal 2 (\"cat\"): letter: it is missing"),
        ("name = \"cat\"", "", "line 23: animal 2: name: it is missing"),
        ("name = \"cat\"", "nane = \"cat\"", "line 25: animal 2: nane: unknown field `nane`"),
        ("letter = \"C\"", "letter = \"CC\"", "line 24: animal 2 (\"cat\"): letter: invalid value"),
        ("[\"kitten\", \"tom\"]", "[\n\"kitten\", \n5]", "line 28: animal 2 (\"cat\"): other-names: invalid type"),
        ("to = \"land\"", "to = \"air\"", "line 34: capture 1: to: unknown variant `air`"),
        ("allowed = true", "", "line 31: capture 1: allowed: it is missing"),
        ("[[capture]]", "[capture]", "line 31: capture: invalid type: map"),
        ("allowed = true", "allowed = true\n[x]", "line 36: x: unknown field `x`"),
        (
            "traps = \"universal\"",
            "[settings.traps]\nx = 1",
            "line 15: settings.traps: expected text in quotes, a number",
        ),
        ("traps = \"universal\"", "traps = 1.5", "line 15: settings.traps: expected text in quotes, a number"),
    ]);
    let animals = FILE.find("[[animal]]").unwrap()..FILE.find("[[capture]]").unwrap();
    let without = FILE.replacen(&FILE[animals], "", 1);
    let words = RuleSpec::parse(&without, "brook.toml").unwrap_err().to_string();
    assert_eq!(words, "rule set brook.toml: line 1: animal: it is missing");
    let words = RuleSpec::parse("name = \"a\"\nboard = \".\"\nanimal = [5]\n", "a.toml").unwrap_err().to_string();
    assert_eq!(words, "rule set a.toml: line 3: animal 1: invalid type: integer `5`, expected a section [[animal]]");
}

#[test]
fn a_value_without_sense_is_refused_with_its_line_and_field() {
    let long_name = "a".repeat(65);
    assert_refused(&[
        ("\"brook\"", "\"Brook\"", "line 1: name: \"Brook\" is not made of"),
        ("\"brook\"", "\"-brook\"", "line 1: name: \"-brook\" is not made of"),
        ("\"brook\"", &format!("\"{long_name}\""), "line 1: name: \"aaaa"),
        ("\"brook\"", "\"../brook\"", "line 1: name: "),
        ("..t..", "..t.", "line 3: board: line 2 of the map has 4 squares, line 1 has 5"),
        ("..t..", "..x..", "line 3: board: line 2, column 3 of the map: 'x'"),
        ("letter = \"C\"", "letter = \"c\"", "line 24: animal 2 (\"cat\"): letter: 'c' is not a capital letter"),
        ("letter = \"C\"", "letter = \"R\"", "line 24: animal 2 (\"cat\"): letter: R is already the letter of another"),
        ("letter = \"C\"", "letter = \"M\"", "line 24: animal 2 (\"cat\"): letter: M is already the letter of another"),
        ("aliases = \"M\"", "aliases = \"m\"", "line 20: animal 1 (\"rat\"): aliases: 'm' is not a capital letter"),
        ("aliases = \"M\"", "aliases = \"MM\"", "line 20: animal 1 (\"rat\"): aliases: M stands twice"),
        ("aliases = \"M\"", "aliases = \"R\"", "line 20: animal 1 (\"rat\"): aliases: R stands twice"),
        ("name = \"cat\"", "name = \"Cat\"", "line 25: animal 2 (\"Cat\"): name: \"Cat\" is not made of"),
        ("name = \"cat\"", "name = \"rat\"", "line 25: animal 2 (\"rat\"): name: another animal is called \"rat\""),
        ("\"tom\"]", "\"rat\"]", "line 26: animal 2 (\"cat\"): other-names: another animal is called \"rat\""),
        ("\"tom\"]", "\"\"]", "line 26: animal 2 (\"cat\"): other-names: \"\" is not made of"),
        ("\"orthogonal\"", "\"sideways\"", "line 27: animal 2 (\"cat\"): steps: \"sideways\" is not orthogonal, king"),
        ("\"orthogonal\"", "[[0, 1], [1]]", "line 27: animal 2 (\"cat\"): steps: [1] is not a step: two numbers"),
        ("\"orthogonal\"", "[[0, 6]]", "line 27: animal 2 (\"cat\"): steps: [0, 6] is not a step on this board"),
        ("\"orthogonal\"", "[[0, 0]]", "line 27: animal 2 (\"cat\"): steps: [0, 0] is not a step on this board"),
        ("\"a1\"", "\"f1\"", "line 28: animal 2 (\"cat\"): start: \"f1\" is not a square of this board"),
        ("\"e6\"", "\"e7\"", "line 29: animal 2 (\"cat\"): black-start: \"e7\" is not a square of this board"),
        ("attacker = \"R\"", "attacker = \"M\"", "line 32: capture 1: attacker: 'M' is not the letter"),
        ("victim = \"C\"", "victim = \"X\"", "line 33: capture 1: victim: 'X' is not the letter"),
    ]);
}

#[test]
fn a_name_that_would_make_keys_read_in_two_ways_is_refused() {
    for name in ["trapped-rat", "cat-takes-rat", "cat-jump", "big-jumps", "rat-from-water"] {
        let words = refused("name = \"cat\"", &format!("name = \"{name}\""));
        assert!(words.contains("line 25") && words.contains("part of the keys of settings"), "{words}");
        let words = refused("\"tom\"", &format!("\"{name}\""));
        assert!(words.contains("line 26") && words.contains("part of the keys of settings"), "{words}");
    }
    // A part of a word is none of these words.
    let text = FILE.replacen("\"tom\"", "\"jumper\"", 1);
    assert!(RuleSpec::parse(&text, "brook.toml").is_ok());
}

#[test]
fn a_setting_that_cannot_be_is_refused_with_its_line_and_field() {
    assert_refused(&[
        ("traps = ", "trapz = ", "line 15: settings.trapz: it is not known; "),
        ("traps = ", "trap-imune = ", "line 15: settings.trap-imune: it is not known; the settings are ranks, "),
        ("traps = ", "\"a b\" = ", "line 15: settings.\"a b\": it is not known; "),
        ("cat-jumps", "dog-jumps", "line 14: settings.dog-jumps: it is not known; \"dog\" is not an animal"),
        (
            "\"universal\"",
            "\"all\"",
            "line 15: settings.traps: value \"all\" is not possible: it is one of intruders, ",
        ),
        ("\"universal\"", "5", "line 15: settings.traps: value \"5\" is not possible: it is one of intruders, "),
        ("\"both\"", "\"both:0\"", "line 14: settings.cat-jumps: value \"both:0\" is not possible: it is one of none"),
        (
            "swimmers = \"R\"",
            "swimmers = \"RX\"",
            "line 13: settings.swimmers: value \"RX\" is not possible: 'X' is not",
        ),
        ("swimmers = \"R\"", "swimmers = \"RR\"", "line 13: settings.swimmers: value \"RR\" is not possible: R stands"),
        (
            "swimmers = \"R\"",
            "ranks = \"C\"",
            "line 13: settings.ranks: value \"C\" is not possible: R (rat) is missing",
        ),
        ("traps = ", "draw-after-quiet-plies = ", "line 15: settings.draw-after-quiet-plies: value \"universal\" is"),
        (
            "traps = ",
            "kitten-jumps = \"both\"\ntraps = ",
            "line 15: settings.kitten-jumps: it is the same as settings.cat",
        ),
    ]);
}

/// The keys of the three rules that are known from variants, and why each cannot be.
const NOT_OF_THE_POSITION: [(&str, &str); 3] = [
    ("hidden-pieces", "hidden pieces are not a function of the position"),
    ("turns-in-water", "turns spent in the water are history, not position"),
    ("turns-in-den", "turns spent in the den are history, not position"),
];

#[test]
fn a_rule_that_is_not_of_the_position_is_refused_with_the_reason() {
    for (key, reason) in NOT_OF_THE_POSITION {
        for value in ["true", "3"] {
            let words = refused("traps = \"universal\"", &format!("{key} = {value}"));
            assert!(words.starts_with(&format!("rule set brook.toml: line 15: settings.{key}: {reason}")), "{words}");
            let words = Rules::load_with("classic", [(key, value)]).unwrap_err().to_string();
            assert!(words.starts_with(&format!("setting {key:?}: {reason}")), "{words}");
        }
    }
}

#[test]
fn rules_that_cannot_be_played_are_refused_with_the_reason() {
    let too_many: String = ('D'..='T')
        .filter(|&c| !matches!(c, 'M' | 'R'))
        .map(|c| format!("[[animal]]\nletter = \"{c}\"\nname = \"{}\"\n", c.to_lowercase()))
        .collect();
    let wide = format!("..t..\n{}", "..t..\n".repeat(20));
    assert_refused(&[
        // A side without a den.
        (".TDT.", ".T.T.", "line 3: board: white has no den"),
        (".tdt.", ".t.t.", "line 3: board: black has no den"),
        // More squares than there can be.
        ("..t..\n", &wide, "line 3: board: 5 files and 26 ranks are too many; at most 26 files and 128 squares"),
        ("..t..", &".".repeat(27), "line 3: board: line 2 of the map has 27 squares"),
        // A den that cannot be entered: cat and rat may not enter the traps around it.
        (
            "traps = \"universal\"",
            "trap-barred = \"RC\"",
            "line 3: board: no animal of white can enter the den of black on c6",
        ),
        // An animal without squares: there is no land for the cat.
        (
            ".tdt.\n..t..\n.~.~.\n.~.~.\n..T..\n.TDT.",
            "~~d~~\n~~~~~\n~~~~~\n~~~~~\n~~~~~\n~~D~~",
            "line 23: animal 2 (\"cat\"): white's has no square",
        ),
        // Start squares.
        (
            "\"a1\"",
            "\"b3\"",
            "line 28: animal 2 (\"cat\"): start: white's cannot stand on its start square b3: it is water",
        ),
        (
            "\"e6\"",
            "\"b3\"",
            "line 29: animal 2 (\"cat\"): black-start: black's cannot stand on its start square b3: it is water",
        ),
        (
            "\"a1\"",
            "\"c1\"",
            "line 28: animal 2 (\"cat\"): start: white's cannot stand on its start square c1: it is its own den",
        ),
        (
            "\"a1\"",
            "\"c6\"",
            "line 28: animal 2 (\"cat\"): start: white's cannot stand on its start square c6: it is the den of",
        ),
        (
            "..t..",
            "d.t..",
            "line 21: animal 1 (\"rat\"): start: black's cannot stand on its start square a5 (white's, turned by 180 degrees): it is its own den",
        ),
        ("\"a1\"", "\"e2\"", "line 28: animal 2 (\"cat\"): start: white's starts on e2, as white's rat does"),
        ("\"e6\"", "\"a5\"", "line 29: animal 2 (\"cat\"): black-start: black's starts on a5, as black's rat does"),
        ("\"e6\"", "\"a1\"", "line 29: animal 2 (\"cat\"): black-start: black's starts on a1, as white's cat does"),
        (
            "[[capture]]",
            &format!("{too_many}[[capture]]"),
            "line 17: animal: 17 animals; between 1 and 16 are possible",
        ),
    ]);
}

#[test]
fn every_den_can_be_entered_and_every_start_square_too() {
    let words = |changes: &[(&str, &str)]| {
        let change = |text: String, (from, to): &(&str, &str)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        };
        let text = changes.iter().fold(FILE.to_owned(), change);
        RuleSpec::parse(&text, "brook.toml").unwrap_err().to_string()
    };
    // Three dens in the corner, and no way to the one behind the two others.
    let dens = [(".tdt.\n..t..", "dd.t.\nd.t.."), ("start = \"e2\"", "start = \"d2\"")];
    assert_eq!(words(&dens), "rule set brook.toml: line 3: board: no animal of white can enter the den of black on a6");
    let trap = [("start = \"a1\"", "start = \"b1\""), ("traps = \"universal\"", "trap-barred = \"own:C\"")];
    let expected = "line 28: animal 2 (\"cat\"): start: white's cannot stand on its start square b1: it is a trap that";
    assert!(words(&trap).contains(expected), "{}", words(&trap));
}

#[test]
fn a_change_that_makes_rules_that_cannot_be_played_is_refused_with_the_change() {
    let error = Rules::load_with("classic", [("no-move", "draw"), ("trap-barred", "RCDWPTLE")]).unwrap_err();
    let expected = "rule set classic with no-move=draw trap-barred=RCDWPTLE: board: no animal of white can enter the den of \
                    black on d9";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_change_that_cannot_be_is_refused_with_its_key_and_no_line() {
    for (key, value, expected) in [
        (
            "tiger-jumps",
            "up",
            "setting tiger-jumps: value \"up\" is not possible: it is one of none, ranks, files, both, ",
        ),
        (
            "dragon-jumps",
            "both",
            "setting \"dragon-jumps\": it is not known; \"dragon\" is not an animal of this rule set",
        ),
        ("rat-takes-trapped-ct", "true", "setting \"rat-takes-trapped-ct\": it is not known; \"ct\" is not an animal"),
        (
            "dragon-takes-rat-from-water",
            "true",
            "setting \"dragon-takes-rat-from-water\": it is not known; \"dragon\" is",
        ),
        ("no_move", "draw", "setting \"no_move\": it is not known; is no-move meant?"),
        ("tiger-jump", "both", "setting \"tiger-jump\": it is not known; is tiger-jumps meant?"),
        ("ranks", "R C D W P T L", "setting ranks: value \"R C D W P T L\" is not possible: E (elephant) is missing"),
        ("ranks", "R R C D W P T L E", "setting ranks: value \"R R C D W P T L E\" is not possible: R stands twice"),
        (
            "ranks",
            "R C D W P (T L E",
            "setting ranks: value \"R C D W P (T L E\" is not possible: a bracket is left open",
        ),
        ("no-move", "win", "setting no-move: value \"win\" is not possible: it is one of loss, draw"),
    ] {
        let words = Rules::load_with("classic", [(key, value)]).unwrap_err().to_string();
        assert!(words.starts_with(expected), "{words}\nand not\n{expected}");
    }
    assert!(Rules::load("nowhere").unwrap_err().to_string().contains("classic, leiden"));
}

#[test]
fn the_name_of_a_rule_set_that_comes_with_the_program_is_refused_for_other_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let path = path.to_str().unwrap();
    std::fs::write(path, FILE.replacen("\"brook\"", "\"classic\"", 1)).unwrap();
    let words = RuleSpec::load(path).unwrap_err().to_string();
    assert!(
        words.starts_with(&format!("rule set {path}: line 1: name: \"classic\" is the name of a rule set")),
        "{words}"
    );
    // The same rules under another title are no other rules.
    let text = named::text("leiden").unwrap().replacen("title = \"", "title = \"mine: ", 1);
    std::fs::write(path, text).unwrap();
    assert_eq!(Rules::load(path).unwrap().fingerprint(), Rules::load("leiden").unwrap().fingerprint());
}

/// Every setting is read, and printed where it says something: by nothing but the list, with names of animals in it.
#[test]
fn every_setting_of_the_list_can_be_set_and_is_printed_and_nothing_else_is() {
    let mut spec = RuleSpec::load("classic").unwrap();
    let keys: Vec<String> = SETTINGS.iter().map(|info| info.key.replace('A', "lion").replace('B', "cat")).collect();
    for (info, key) in SETTINGS.iter().zip(&keys) {
        // The last word, so that it is not what the rule set says anyway.
        let value = info.words().last().map_or_else(|| if info.key == "ranks" { "CRDWPTLE" } else { "" }, |word| *word);
        let value = if info.key == "draw-after-quiet-plies" { "60" } else { value };
        spec.set(key, value).unwrap_or_else(|error| panic!("{error}"));
        for word in info.words() {
            let mut other = spec.clone();
            other.set(key, word).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let printed: Vec<String> = spec.settings.to_pairs(&spec.animals).into_iter().map(|(key, _)| key).collect();
    for key in &keys {
        assert!(printed.contains(key), "{key} is not printed");
    }
    let is_listed = |key: &String| {
        let names = spec.animals.iter().map(|animal| animal.name.as_str());
        let pairs = names.clone().flat_map(|first| names.clone().map(move |second| (first, second)));
        let mut listed = pairs.flat_map(|(first, second)| {
            SETTINGS.iter().map(move |info| info.key.replace('A', first).replace('B', second))
        });
        listed.any(|listed| listed == *key)
    };
    assert_eq!(printed.iter().find(|key| !is_listed(key)), None);
}

#[test]
fn the_defaults_of_the_list_are_those_of_a_file_that_says_nothing() {
    let settings = FILE.find("swimmers").unwrap()..FILE.find("[[animal]]").unwrap();
    let spec = RuleSpec::parse(&FILE.replacen(&FILE[settings], "", 1), "brook.toml").unwrap();
    let printed = spec.settings.to_pairs(&spec.animals);
    let mut compared = 0;
    for info in SETTINGS.iter().filter(|info| info.key != "ranks") {
        let key = info.key.replace('A', "cat");
        let Some((_, value)) = printed.iter().find(|(other, _)| *other == key) else {
            // What is not printed follows something else.
            assert!(info.default.starts_with("as ") || info.key.contains('B'), "{}", info.key);
            continue;
        };
        assert_eq!(info.default, if value.is_empty() { "none" } else { value }, "{}", info.key);
        compared += 1;
    }
    assert_eq!(compared, 12);
}

/// Each error has a line that the file has; nothing panics.
#[test]
fn a_damaged_file_is_refused_with_one_of_its_lines() {
    let refused = |text: &str| {
        let Err(error) = RuleSpec::parse(text, "brook.toml") else { return false };
        let line = match &error {
            RuleError::Syntax { line, .. } => *line,
            RuleError::Field { line, .. } => line.unwrap(),
            other => panic!("{other}"),
        };
        assert!((1..=text.lines().count() + 1).contains(&line), "{error}");
        true
    };
    let cut = (0..FILE.len()).filter(|&end| refused(&FILE[..end])).count();
    assert!(cut > FILE.len() / 2);
    for put in ["\"", "[", "=", "\n", "\u{e9}", ""] {
        let damaged =
            (0..FILE.len()).filter(|&at| refused(&format!("{}{put}{}", &FILE[..at], &FILE[at + 1..]))).count();
        assert!(damaged > FILE.len() / 4, "{put:?}: {damaged}");
    }
}
