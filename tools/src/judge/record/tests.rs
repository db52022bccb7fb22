#![allow(clippy::unwrap_used)]
use super::*;

/// The moves of all games, those of a game in a line.
fn moves(text: &str) -> Vec<String> {
    let words =
        |record: &Record| record.moves.iter().map(|written| written.text.as_str()).collect::<Vec<_>>().join(" ");
    read(text).iter().map(words).collect()
}

/// Where and why each game is broken, if it is.
fn breaks(text: &str) -> Vec<Option<(usize, String)>> {
    read(text).into_iter().map(|record| record.broken.map(|broken| (broken.line, broken.reason))).collect()
}

#[test]
fn everything_around_the_moves_is_left_out() {
    let text = "[White \"A \\\"the\\\" B\\\\\"]\n[ Black \"\" ]\n% a line for others\n; and one more\n\n{before} 1. a3a4 {one\ntwo} \
                a7a6!? $14 2.g3-f3 (2. A1a2 {)} (x) ; ) \n a9a8) 2... b8xb7+ ; rest\n 3 e3e4?? 12... 1/2-1/2\n";
    let records = read(text);
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!(record.tag("white"), Some("A \"the\" B\\"));
    assert_eq!((record.tag("Black"), record.tag("Rules"), record.line), (None, None, 1));
    let words: Vec<&str> = record.moves.iter().map(|written| written.text.as_str()).collect();
    assert_eq!(words, ["a3a4", "a7a6", "g3-f3", "b8xb7", "e3e4"]);
    let lines: Vec<usize> = record.moves.iter().map(|written| written.line).collect();
    assert_eq!(lines, [6, 7, 7, 8, 9]);
    assert_eq!(record.broken, None);
}

#[test]
fn every_tag_knows_its_line() {
    let text = "\n[White \"A\"]\n\n[FEN \"x\"] [Black \"B\"]\na3a4 *\n\n[FEN \"y\"]\na3a4\n";
    let records = read(text);
    let lines = |record: &Record| ["White", "fen", "Black", "Rules"].map(|name| record.line_of(name));
    // Of a tag that is not there the line of the game.
    assert_eq!(records.iter().map(lines).collect::<Vec<_>>(), [[2, 4, 4, 2], [7, 7, 7, 7]]);
    assert_eq!(read("\n\n{\"moves\": [], \"fen\": \"x\"}")[0].line_of("FEN"), 3);
}

#[test]
fn games_are_told_apart_by_tags_and_results() {
    assert_eq!(moves("a3a4 1-0 a1a2 * g1g2"), ["a3a4", "a1a2", "g1g2"]);
    assert_eq!(
        moves("[White \"A\"]\na3a4\n[White \"B\"]\na1a2\n\n[White \"C\"]\n\n[White \"D\"]\n1-0"),
        ["a3a4", "a1a2", "", ""]
    );
    assert_eq!(moves(""), Vec::<String>::new());
    assert_eq!(moves("\u{feff}\r\n*\r\n"), Vec::<String>::new());
    assert_eq!(moves("[FEN \"x\"]\r\n1. a3a4\r\n"), ["a3a4"]);
}

#[test]
fn numbers_are_no_moves_and_numbered_squares_are() {
    assert_eq!(moves("1. 5245 1... 1018 2 0000"), ["5245 1018 0000"]);
}

#[test]
fn a_broken_game_leaves_the_others_as_they_are() {
    let good = "[White \"good\"]\n1. a3a4 *\n\n";
    let cases = [
        ("[White \"bad]\n[Black \"B\"]\n\n1. a1a2\n\n", 1, "a tag is", ""),
        ("[White bad]\n[FEN \"x\"]\n\n1. a1a2\n\n", 1, "a tag is", ""),
        ("[White \"x\"]\n[white \"y\"]\n1. a1a2\n\n", 2, "appears twice", ""),
        ("[White \"x\"]\n1. a1a2 { no end\nb1b2\n\n", 2, "comment", "a1a2"),
        ("[White \"x\"]\n{ no end\n", 2, "comment", ""),
        ("[White \"x\"]\n1. a1a2 ( no end\n\n", 2, "variation", "a1a2"),
        ("[White \"x\"]\n1. a1a2 ({ no end)\n\n", 2, "variation", "a1a2"),
        ("[White \"x\"]\n1. a1a2 ) b1b2\n\n", 2, "closes nothing", "a1a2"),
        ("[White \"x\"]\n1. a1a2\n} b1b2\n\n", 3, "closes nothing", "a1a2"),
    ];
    for (bad, line, reason, before) in cases {
        let text = format!("{bad}{good}{good}");
        let found = breaks(&text);
        assert_eq!(found.len(), 3, "{text}");
        let (at, words) = found[0].clone().unwrap();
        assert!(at == line && words.contains(reason), "{text}: line {at}: {words}");
        assert_eq!(found[1..], [None, None], "{text}");
        assert_eq!(moves(&text), [before, "a3a4", "a3a4"], "{text}");
    }
    // At the end of the file nothing follows.
    assert_eq!(breaks("1. a3a4 {")[0].as_ref().unwrap().0, 1);
    assert_eq!(breaks("1. a3a4 (")[0].as_ref().unwrap().0, 1);
    assert_eq!(breaks("[")[0].as_ref().unwrap().0, 1);
}

#[test]
fn objects_are_read_one_a_line() {
    let text = "\n{\"fen\": \"x w\", \"moves\": [\"a3a4\", \"A7-A6\"], \"white\": \"W\", \"id\": 7}\n{\"moves\":[]}\n\n{\"fen\":3,\"moves\":[]}\n{\"fen\":\"x\"}\nword\n{";
    let records = read(text);
    assert_eq!(records.iter().map(|record| record.line).collect::<Vec<_>>(), [2, 3, 5, 6, 7, 8]);
    assert_eq!((records[0].tag("FEN"), records[0].tag("White")), (Some("x w"), Some("W")));
    assert_eq!(moves(text), ["a3a4 A7-A6", "", "", "", "", ""]);
    let broken = breaks(text);
    assert_eq!(broken[..2], [None, None]);
    for (found, words) in broken[2..].iter().zip(["invalid type: integer", "missing field `moves`", "expected", "EOF"])
    {
        let (_, reason) = found.clone().unwrap();
        assert!(reason.contains(words) && reason.contains("column"), "{reason}");
    }
}

#[test]
fn a_terminal_gets_no_control_characters() {
    let records = read("[White \"\u{1b}[31mred\u{7}\"]\na3a4");
    assert_eq!(records[0].tag("White"), Some("\u{fffd}[31mred\u{fffd}"));
    let (_, reason) = breaks("[\u{1b}[2J").remove(0).unwrap();
    assert!(!reason.contains('\u{1b}'), "{reason:?}");
    assert_eq!(beginning(&"ä".repeat(41)), "ä".repeat(40) + "…");
    assert_eq!(beginning("ä"), "ä");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_makes_it_panic_or_hang(text in "[a-d1-3 \\[\\]{}();\"\\\\\n*$.x!-]{0,200}|\\PC{0,60}") {
        for record in read(&text) {
            proptest::prop_assert!(record.line >= 1 && record.line <= text.matches('\n').count() + 1);
        }
    }
}
