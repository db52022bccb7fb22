#![allow(clippy::unwrap_used)]
use super::error::DialectError;
use super::notation::Between;
use super::view::Turn;
use super::{Case, Dialect, DialectFile, Notation, named};
use crate::driver::{GREETINGS, Profile, Protocol};
use dsq_tables::board::{Side, Square};
use dsq_tables::moves::Move;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{MAX_ANIMALS, NAMES, Piece, Rules};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;
use std::sync::Arc;

fn classic() -> Arc<Rules> {
    Rules::load("classic").unwrap()
}

fn dialect(text: &str) -> Result<Dialect, DialectError> {
    Dialect::new(&classic(), DialectFile::parse(text, "test").unwrap().notation)
}

fn start() -> Position {
    Position::start(&classic())
}

#[test]
fn our_own_way_is_the_default() {
    let dialect = dialect("").unwrap();
    let start = start();
    assert_eq!(dialect.write_position(&start), start.to_fen(&classic()));
    assert_eq!(dialect.read_position("startpos").unwrap().position, start);
    assert_eq!(dialect.read_position("startpos b").unwrap().position.turn(), Side::Black);
    let squares = dialect.read_move("A3xa4").unwrap();
    assert_eq!(dialect.write_move(squares, true), "a3a4");
}

#[test]
fn letters_case_blanks_and_words_are_those_of_the_notation() {
    let dialect = dialect(
        "[notation]\nfirst = \"lower\"\nbetween-ranks = \" \"\nsides = [\"r\", \"b\"]\ntail = \"- - 0 1\"\n\
         move-case = \"upper\"\nquiet-sign = \"-\"\ncapture-sign = \"x\"\nletters = { lion = \"I\", leopard = \"L\" }\n",
    )
    .unwrap();
    let written = dialect.write_position(&start());
    assert_eq!(written, "I5T 1D3C1 R1L1W1E 7 7 7 e1w1l1r 1c3d1 t5i r - - 0 1");
    assert_eq!(dialect.read_position(&written).unwrap().position, start());
    assert_eq!(dialect.read_position(&written.replace(" r ", " B ")).unwrap().position.turn(), Side::Black);
    let squares = dialect.read_move("a3a4").unwrap();
    assert_eq!(
        (dialect.write_move(squares, false), dialect.write_move(squares, true)),
        ("A3-A4".into(), "A3xA4".into())
    );
    assert_eq!(dialect.read_move("a3:a4"), None);
}

#[test]
fn a_mirrored_board_exchanges_left_and_right() {
    let dialect = dialect("[notation]\nmirror = true\n").unwrap();
    assert_eq!(dialect.write_position(&start()), "t5l/1c3d1/e1w1p1r/7/7/7/R1P1W1E/1D3C1/L5T w");
    let squares = dialect.read_move("a1b1").unwrap();
    assert_eq!(squares.to_text(classic().board()), "g1f1");
}

#[test]
fn mirrored_and_turned_by_half_the_lowest_rank_comes_first() {
    let dialect = dialect("[notation]\nmirror = true\nturn = \"half\"\n").unwrap();
    assert_eq!(dialect.write_position(&start()), "T5L/1C3D1/E1W1P1R/7/7/7/r1p1w1e/1d3c1/l5t w");
    // Squares are named by what is drawn.
    assert_eq!(dialect.read_move("a9a8").unwrap().to_text(classic().board()), "a1a2");
}

#[test]
fn a_board_on_its_side_has_seven_rows_of_nine() {
    let left = dialect("[notation]\nturn = \"left\"\n").unwrap();
    // White's side comes to the right: our rank 1 is the last column.
    assert_eq!(left.write_board(&start()), "t1e3R1L/1c5D1/2w3P2/9/2p3W2/1d5C1/l1r3E1T");
    assert_eq!(left.write_square(classic().board().parse_square("a1").unwrap()), "i1");
    assert_eq!(left.write_square(classic().board().parse_square("g9").unwrap()), "a7");
    let right = dialect("[notation]\nturn = \"right\"\n").unwrap();
    assert_eq!(right.write_board(&start()), "T1E3r1l/1C5d1/2W3p2/9/2P3w2/1D5c1/L1R3e1t");
    let half = dialect("[notation]\nturn = \"half\"\n").unwrap();
    assert_eq!(half.write_board(&start()), "L5T/1D3C1/R1P1W1E/7/7/7/e1w1p1r/1c3d1/t5l");
}

#[test]
fn squares_can_have_any_names() {
    let names: Vec<String> = (0..9)
        .map(|row| (0..7).map(|column| format!("{}", 10 + 7 * row + column)).collect::<Vec<_>>().join(" "))
        .collect();
    let text = format!("[notation]\nsquares = {names:?}\n");
    let numbered = dialect(&text).unwrap();
    let squares = numbered.read_move("5245").unwrap();
    assert_eq!(squares.to_text(classic().board()), "a3a4");
    assert_eq!(numbered.write_move(squares, false), "5245");
    // From 1 on, 11 and 1 would be written as 1 and 11 are.
    let names: Vec<String> = (0..9)
        .map(|row| (0..7).map(|column| format!("{}", 1 + 7 * row + column)).collect::<Vec<_>>().join(" "))
        .collect();
    let text = format!("[notation]\nsquares = {names:?}\n");
    assert!(matches!(dialect(&text), Err(DialectError::Ambiguous { .. })));
    assert!(dialect(&format!("{text}quiet-sign = \"-\"\ncapture-sign = \"-\"\n")).is_ok());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refused = |text: &str| {
        let file = DialectFile::parse(&format!("[notation]\n{text}\n"), "mine.toml");
        file.map_or_else(
            |error| error.to_string(),
            |file| Dialect::new(&classic(), file.notation).unwrap_err().to_string(),
        )
    };
    assert!(refused("letters = { lion = \"P\" }").contains("P would be both leopard and lion"));
    assert!(refused("letters = { dragon = \"X\" }").contains("dragon"));
    assert!(refused("letters = { lion = \"1\" }").contains("not one letter"));
    assert!(refused("squares = [\"a b\"]").contains("1 rows, this board as it is drawn has 9"));
    assert!(refused("sides = [\"w\", \"W\"]").contains("two different words"));
    assert!(refused("quiet-sign = \"to\"").contains("quiet-sign"));
    let rows: Vec<String> =
        (1..=9).map(|row| ["a", "b", "c", "d", "e", "f"].map(|file| format!("{file}{row}")).join(" ")).collect();
    assert!(refused(&format!("squares = {rows:?}")).contains("6 names in row 1, this board as it is drawn has 7"));
    let rows: Vec<&str> = std::iter::repeat_n("a b c d e f g", 9).collect();
    assert!(refused(&format!("squares = {rows:?}")).contains("\"a\" appears twice, in rows 1 and 2"));
}

#[test]
fn faults_of_the_notation_are_reported_with_file_line_and_field() {
    let rows = |change: &dyn Fn(usize, usize) -> Option<&'static str>| {
        let name = |row: usize, column: usize| {
            change(row, column).map_or_else(
                || format!("{}{}", char::from(b'a' + u8::try_from(column).unwrap()), 9 - row),
                str::to_owned,
            )
        };
        let row = |row: usize| format!("{:?}", (0..7).map(|column| name(row, column)).collect::<Vec<_>>().join(" "));
        format!("[notation]\nsquares = [\n{}]\n", (0..9).map(row).collect::<Vec<_>>().join(",\n"))
    };
    let twice = rows(&|row, column| (row == 4 && column == 2).then_some("A8"));
    let narrow = rows(&|row, column| (row == 3 && column == 2).then_some(" "));
    for (text, line, part) in [
        ("[notation]\nsides = [\"w\", \"W\"]\n", 2, "sides: \"w\" and \"W\" are not two different words"),
        ("[notation]\nmirror = true\nsides = [\"light side\", \"b\"]\n", 3, "sides: "),
        ("[notation]\n\nquiet-sign = \"to\"\n", 3, "quiet-sign: \"to\""),
        ("[notation]\ncapture-sign = \" \"\n", 2, "capture-sign: \" \""),
        (&twice, 7, "squares: the name \"A8\" appears twice, in rows 2 and 5"),
        (&narrow, 6, "squares: 6 names in row 4"),
        ("[notation]\nfirst = \"lower\"\nsquares = [\"a b\"]\n", 3, "squares: 1 rows"),
        ("[notation]\nletters = { lion = \"I\",\n cat = \"1\" }\n", 3, "letters \"cat=1\": "),
        ("[notation.letters]\nlion = \"I\"\ndragon = \"D\"\n", 3, "letters \"dragon=D\": "),
        ("[notation]\n\nletters = { lion = \"P\" }\n", 3, "letters: P would be both leopard and lion"),
    ] {
        let error = match DialectFile::parse(text, "mine.toml") {
            Ok(file) => file.refuse(&Dialect::new(&classic(), file.notation.clone()).unwrap_err()),
            Err(error) => error,
        };
        let error = error.to_string();
        assert!(error.starts_with(&format!("dialect file mine.toml: line {line}: {part}")), "{error}");
    }
}

#[test]
fn wrong_types_are_reported_with_the_field_and_in_words_of_the_file() {
    for (text, line, parts) in [
        ("[protocol]\nlimits = \"depth\"\n", 2, ["limits: ", "a table of words, such as { movetime = \"time\" }"]),
        ("[protocol]\nlimits = { depth = 3 }\n", 2, ["limits.depth: ", "expected a string"]),
        ("[protocol]\nhello = 3\n", 2, ["hello: ", "expected a string"]),
        ("[protocol]\ninit = [\"a\",\n3]\n", 3, ["init: ", "expected a string"]),
        ("[protocol]\nperft = \"perft {depth}\"\n", 2, ["perft: ", "expected a sequence"]),
        ("[protocol]\nready = \"no\"\n", 2, ["ready: ", "expected a boolean"]),
        ("[protocol]\nkind = 3\n", 2, ["kind: ", ""]),
        ("[notation]\nletters = { lion = \"II\" }\n", 2, ["letters.lion: ", "expected a character"]),
        ("[notation]\nletters = [\"I\"]\n", 2, ["letters: ", "expected a map"]),
        ("[notation]\nsides = [\"w\"]\n", 2, ["sides: ", "an array of length 2"]),
        ("[notation]\nturn = \"up\"\n", 2, ["turn: ", "`half`"]),
        ("protocol = 3\n", 1, ["protocol: ", "a table of fields"]),
        ("title = \"x\"\nnotation = \"mine\"\n", 2, ["notation: ", "a table of fields"]),
    ] {
        let error = DialectFile::parse(text, "mine.toml").unwrap_err().to_string();
        assert!(error.starts_with(&format!("dialect file mine.toml: line {line}: {}", parts[0])), "{error}");
        assert!(error.contains(parts[1]), "{error}");
        for name in ["struct", "enum", "tuple", "LimitWords", "Profile", "Notation", "Protocol"] {
            assert!(!error.contains(name), "{error}");
        }
    }
}

#[test]
fn a_dialect_file_is_refused_by_its_line() {
    let refused = |text: &str| DialectFile::parse(text, "mine.toml").unwrap_err().to_string();
    let line = refused("title = \"x\"\n[notation]\nmiror = true\n");
    assert!(line.starts_with("dialect file mine.toml: line 3:") && line.contains("miror"), "{line}");
    assert!(refused("[notation]\nturn = \"up\"\n").contains("line 2"));
    assert!(refused("[notation]\nletters = { lion = \"II\" }\n").contains("line 2"));
}

#[test]
fn a_wrong_position_is_refused_as_it_was_written() {
    let refused = |notation: &str, text: &str| {
        dialect(&format!("[notation]\n{notation}\n")).unwrap().read_position(text).unwrap_err().to_string()
    };
    assert!(refused("first = \"lower\"", "7/7/7/7/7/7/2x4/7/7 w").contains("'x'"));
    assert!(refused("mirror = true", "7/7/7/7/7/7/2X4/7/7 w").contains("square e3"));
    assert!(refused("mirror = true", "7/7/7/7/7/7/2X4/7/7 w").contains("as on our board"));
    assert!(refused("turn = \"left\"", "9/9/9/9/9/9/8 w").contains("rank 1 (\"8\"): 8 squares"));
    assert!(refused("turn = \"left\"", "7/7/7/7/7/7/7/7/7 w").contains("9 ranks, this board has 7"));
    assert!(refused("sides = [\"w\", \"l\"]", "7/7/7/7/7/7/2E4/7/7 b").contains("neither w nor l"));
    assert!(refused("", "").contains("empty"));
    assert!(refused("", "7/7/7/7/7/7/2E4/7/7").contains("side to move is missing"));
}

/// A notation that every rule set can have.
fn notations() -> impl Strategy<Value = Notation> {
    let turns = select(vec![Turn::None, Turn::Left, Turn::Right, Turn::Half]);
    let cases = || select(vec![Case::Upper, Case::Lower]);
    let sides = select(vec![None, Some(["r", "b"]), Some(["w", "l"]), Some(["b", "w"])]);
    let between = select(vec![Between::Slash, Between::Blank]);
    let signs = || select(vec!["", "-", "x", ":", "=>"]);
    (turns, any::<bool>(), cases(), cases(), sides, between, signs(), signs(), any::<bool>(), any::<bool>()).prop_map(
        |(turn, mirror, first, move_case, sides, between_ranks, quiet, capture, letters, tail)| Notation {
            // Every rule set has a tiger, and none an animal Z.
            letters: if letters { BTreeMap::from([("tiger".to_owned(), 'Z')]) } else { BTreeMap::new() },
            first,
            mirror,
            turn,
            squares: Vec::new(),
            between_ranks,
            sides: sides.map(|words| words.map(str::to_owned)),
            tail: if tail { "- - 3 4".to_owned() } else { String::new() },
            move_case,
            quiet_sign: quiet.to_owned(),
            capture_sign: capture.to_owned(),
        },
    )
}

/// Pieces on squares where they can stand, each animal of each side put somewhere or left out.
fn placed(rules: &Rules, places: &[Option<Index>], turn: Side) -> Option<Position> {
    let mut setup = Setup::empty(turn);
    let pieces = Side::BOTH.into_iter().flat_map(|side| rules.animals().map(move |animal| Piece { side, animal }));
    for (piece, place) in pieces.zip(places) {
        let squares: Vec<Square> = rules.movement(piece).domain().squares().collect();
        if let Some(place) = place {
            let square = *place.get(&squares);
            if setup.piece_on(square).is_none() {
                setup.place(piece, square);
            }
        }
    }
    setup.position(rules).ok()
}

proptest! {
    // Cases that fail are printed, not kept in files among the sources.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(
        name in select(NAMES.to_vec()),
        notation in notations(),
        places in proptest::collection::vec(proptest::option::of(any::<Index>()), 2 * MAX_ANIMALS),
        black in any::<bool>(),
        squares in any::<[Index; 2]>(),
        capture in any::<bool>(),
    ) {
        let rules = Rules::load(name).unwrap();
        let dialect = Dialect::new(&rules, notation.clone()).unwrap();
        let turn = if black { Side::Black } else { Side::White };
        if let Some(position) = placed(&rules, &places, turn) {
            let text = dialect.write_position(&position);
            let read = dialect.read_position(&text).unwrap();
            prop_assert_eq!(read.position, position, "{}", text);
            prop_assert_eq!(read.quiet_plies, if notation.tail.is_empty() { None } else { Some(3) });
        }
        let all: Vec<Square> = rules.board().all().squares().collect();
        let [from, to] = squares.map(|index| *index.get(&all));
        let squares = Move { from, to };
        let text = dialect.write_move(squares, capture);
        prop_assert_eq!(dialect.read_move(&text), Some(squares), "{}", &text);
        prop_assert_eq!(dialect.read_move(&text.to_lowercase()), Some(squares), "{}", &text);
        prop_assert_eq!(dialect.read_square(&dialect.write_square(from).to_lowercase()), Some(from));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ -~]{0,60}|[a-zA-Z0-9/ ]{0,80}|\\PC{0,30}", notation in notations()) {
        let dialect = Dialect::new(&classic(), notation).unwrap();
        if let Ok(fen) = dialect.read_position(&text) {
            let again = dialect.read_position(&dialect.write_position(&fen.position)).unwrap();
            prop_assert_eq!(again.position, fen.position);
        }
        if let Some(squares) = dialect.read_move(&text) {
            prop_assert_eq!(dialect.read_move(&dialect.write_move(squares, false)), Some(squares));
        }
    }
}

#[test]
fn lines_that_would_be_sent_as_they_should_not_are_refused_with_their_place() {
    for (text, line, part) in [
        ("[protocol]\nposition = \"fen {pos}\"\n", 2, "position: {pos} is not known, only {position}, {board}, {side}"),
        ("[protocol]\n\nposition = \"position {side}\"\n", 3, "position: neither {position} nor {board}"),
        ("[protocol]\nposition = \"fen {board}\"\n", 2, "position: {side} is missing"),
        ("protocol.kind = \"gtp\"\nprotocol.position = \"clear\"\n", 2, "position: neither"),
        ("[protocol]\nperft = [\n\"perft {depth}\",\n\"count {n}\"]\n", 4, "perft: {n} is not known, only {depth}"),
        ("[protocol]\nperft = [\"perft\"]\n", 2, "perft: {depth} is missing"),
        ("[protocol]\nlist = [\"moves {position}\"]\n", 2, "list: {position} is not known: nothing is filled in"),
        ("[protocol]\ninit = [\"a\",\n\"use {threads}\"]\n", 3, "init: {threads}"),
        ("[protocol]\nhello = \"{hello}\"\n", 2, "hello: {hello}"),
        ("[protocol]\nnew-game = \"new\\ngame\"\n", 2, "new-game: \"new\\ngame\" is more than one line"),
        ("[protocol]\nlimits = { depth = \"d\", nodes = \"\" }\n", 2, "limits.nodes: the word is missing"),
        ("[protocol.limits]\nmovetime = \"{time}\"\n", 2, "limits.movetime: {time}"),
        ("title = \"x\"\n[notation]\ntail = \"{counters}\"\n", 3, "tail: {counters}"),
        // Unknown fields, wherever they stand.
        ("[protokoll]\n", 1, "protokoll"),
        ("[protocol]\nlimits = { plies = \"depth\" }\n", 2, "plies"),
    ] {
        let error = DialectFile::parse(text, "mine.toml").unwrap_err().to_string();
        assert!(error.starts_with(&format!("dialect file mine.toml: line {line}: ")), "{error}");
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    }
    for text in [
        "[protocol]\nkind = \"gtp\"\nposition = \"board {board}\"\n",
        "[protocol]\nposition = \"{board} {side} {position}\"\ninit = [\"option {\\\"a\\\": 1}\"]\nperft = []\n",
    ] {
        assert!(DialectFile::parse(text, "mine.toml").is_ok(), "{text}");
    }
}

#[test]
fn the_greetings_that_are_known_are_those_of_the_dialects() {
    let files = named::NAMES.map(|name| DialectFile::read(std::path::Path::new(name)).unwrap().protocol);
    let greetings = files.iter().filter(|profile| profile.kind == Protocol::Uci).map(Profile::hello);
    let unique: std::collections::BTreeSet<&str> = greetings.collect();
    assert_eq!(unique, GREETINGS.into_iter().collect());
}
