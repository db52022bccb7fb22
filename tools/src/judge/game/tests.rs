#![allow(clippy::unwrap_used)]
use super::*;
use crate::judge::dialect::Turn;
use crate::judge::record;
use dsq_tables::class::Catalog;
use dsq_tables::tablebase::Tablebase;
use std::path::Path;

/// A judge without any table: moves are legal or not, and that is all.
fn judge(changes: &[(&str, &str)]) -> Judge {
    let rules = Rules::load_with("classic", changes.iter().copied()).unwrap();
    Judge::new(Tablebase::at(Path::new("no such folder"), Arc::new(Catalog::new(rules)), 1 << 20))
}

fn judged(changes: &[(&str, &str)], notation: Notation, text: &str) -> Game {
    let judge = judge(changes);
    let dialect = Dialect::new(judge.rules(), notation).unwrap();
    judge_game(&judge, &dialect, &record::read(text)[0]).unwrap()
}

fn mirrored() -> Notation {
    Notation { mirror: true, ..Notation::default() }
}

/// The rat on g3 walks into the water and stays there; in the mirrored array the elephant stands there.
const INTO_WATER: &str = "1. g3f3 a7b7 2. f3f4 b7b6";

#[test]
fn the_start_array_is_known_by_the_moves() {
    let start = |notation: Notation, text: &str| judged(&[], notation, text).start;
    assert_eq!(start(Notation::default(), INTO_WATER), Some(StartArray::Ours));
    assert_eq!(start(Notation::default(), "1. a3b3 g7f7 2. b3b4"), Some(StartArray::Mirrored));
    assert_eq!(start(mirrored(), "1. a3b3 g7f7 2. b3b4"), Some(StartArray::Mirrored));
    assert_eq!(start(mirrored(), INTO_WATER), Some(StartArray::Ours));
    assert_eq!(start(Notation::default(), "1. a3a4 a7a6"), Some(StartArray::Either));
    // Where nothing can be read there is nothing to tell.
    assert_eq!(start(Notation::default(), "{\"moves\": [\"a3a4\", }"), None);
    assert_eq!(start(Notation::default(), "{\"moves\": [\"castles\"]}"), None);
    assert_eq!(start(Notation::default(), "{\"moves\": []}"), Some(StartArray::Either));
}

#[test]
fn the_start_array_is_known_by_the_first_position() {
    let start = |notation: Notation, fen: &str| judged(&[], notation, &format!("[FEN \"{fen}\"]\n*")).start;
    let (ours, other) = ("l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L b", "t5l/1c3d1/e1w1p1r/7/7/7/R1P1W1E/1D3C1/L5T w");
    assert_eq!(start(Notation::default(), ours), Some(StartArray::Ours));
    assert_eq!(start(Notation::default(), other), Some(StartArray::Mirrored));
    assert_eq!(start(mirrored(), ours), Some(StartArray::Ours));
    assert_eq!(start(mirrored(), other), Some(StartArray::Mirrored));
    assert_eq!(start(Notation::default(), "7/7/7/7/7/7/D4t1/2L4/7 w"), None);
}

#[test]
fn a_game_is_judged_up_to_what_cannot_be() {
    let game = judged(&[], Notation::default(), "1. a3a4 a7a6 2. a4a6 b8b7 3. a1a2");
    assert_eq!((game.moves.len(), game.unjudged, game.broken), (3, 2, None));
    assert_eq!(game.moves[2].verdict.kind, Kind::Illegal);
    assert_eq!(game.moves[1].verdict.kind, Kind::NotInTables);
    assert_eq!(game.moves[1].verdict.missing.as_deref(), Some("RCDWPTLE-RCDWPTLE"));
    let game = judged(&[], Notation::default(), "1. a3a4\na7a6 2. castles b8b7");
    assert_eq!((game.moves.len(), game.unjudged), (2, 2));
    assert_eq!(game.broken, Some(Broken { line: 2, reason: "ply 3: \"castles\" is no move".into() }));
    let game = judged(&[], Notation::default(), "[FEN \"7/7 w\"]\na3a4");
    assert_eq!((game.moves.len(), game.unjudged), (0, 1));
    assert!(game.broken.unwrap().reason.contains("2 ranks"));
}

#[test]
fn nothing_is_played_after_the_end() {
    let den = judged(&[], Notation::default(), "[FEN \"7/3R3/7/7/7/7/7/7/e6 w\"]\n1. d8d9 a1a2");
    assert_eq!(den.moves[0].verdict.illegal, None);
    assert_eq!(den.moves[1].verdict.illegal.as_ref().unwrap().reason, "the game is over");
    // Values are known without a table where a side has no pieces left.
    let taken = judged(&[], Notation::default(), "[FEN \"7/7/7/7/7/7/7/7/Ec5 w\"]\n1. a1b1 b1b2");
    assert_eq!(taken.moves[1].verdict.illegal.as_ref().unwrap().reason, "the game is over");
    assert_eq!(taken.moves[1].verdict.before, None);
}

#[test]
fn repetitions_are_counted() {
    let text = "[FEN \"e6/7/7/7/7/7/7/7/E6 w\"]\n1. a1a2 a9a8 2. a2a1 a8a9 3. a1a2 a9a8 4. a2a1 a8a9";
    let game = judged(&[], Notation::default(), text);
    let times: Vec<u32> = game.moves.iter().map(|judged| judged.occurrence).collect();
    assert_eq!(times, [1, 1, 1, 2, 2, 2, 2, 3]);
    assert!(game.moves[7].notes()[0].contains("time 3"));
    assert!(game.moves[0].notes().is_empty());
}

#[test]
fn the_move_limit_counts_plies_without_a_capture() {
    let text = "[FEN \"e6/7/7/7/7/7/7/7/E5r w - - 2 9\"]\n1. a1a2 g1f1 2. a2a1 f1g1 3. a1a2 g1f1";
    let quiet = |changes: &[(&str, &str)]| -> Vec<Option<Limit>> {
        judged(changes, Notation::default(), text).moves.iter().map(|judged| judged.limit).collect()
    };
    let limits = quiet(&[("draw-after-quiet-plies", "4")]);
    let found: Vec<(u32, bool)> = limits.iter().flatten().map(|limit| (limit.clock, limit.matters)).collect();
    // With the second ply the limit is reached and the game over.
    assert_eq!(found, [(2, false), (3, false)]);
    let game = judged(&[("draw-after-quiet-plies", "4")], Notation::default(), text);
    assert_eq!((game.limit_reached, game.after_limit, game.unjudged), (Some(4), 4, 4));
    let decided = game.results.decided.as_ref().map(|(result, why)| (*result, why.as_str()));
    assert_eq!(decided, Some((GameResult::Draw, "4 plies without a capture")));
    // One that is taken or over by then is not.
    let game = judged(&[("draw-after-quiet-plies", "9")], Notation::default(), text);
    assert_eq!((game.limit_reached, game.after_limit), (None, 0));
    assert!(quiet(&[]).iter().all(Option::is_none));
}

#[test]
fn moves_are_read_on_a_turned_board() {
    let notation = Notation { turn: Turn::Left, ..Notation::default() };
    // Our a1 is the last square of the lowest row there.
    let game = judged(&[], notation, "1. i1h1");
    assert_eq!(game.moves[0].squares.to_text(judge(&[]).rules().board()), "a1a2");
    assert_eq!(game.moves[0].written.as_deref(), Some("i1h1"));
}
