//! Many illegal moves of one cause.

use super::{check, dsq, texts};
use serde_json::json;

#[test]
fn many_illegal_moves_of_one_cause_are_told_once_with_what_cures_them() {
    // Small letters for White, who begins.
    let fens = ["d6/7/2T4/7/7/7/1p5/7/7 w", "7/7/7/7/7/7/2p4/6D/7 w", "7/7/7/7/7/7/d4T1/2l4/7 w"];
    let moves = ["b3c3", "c3d3", "c2d2"];
    let games = fens.iter().zip(moves).cycle().take(9);
    let text: String = games.map(|(fen, text)| format!("[FEN \"{fen}\"]\n1. {text} *\n\n")).collect();
    let (moves, summary) = check(&[], &text, 1);
    assert_eq!(moves.len(), 9);
    for found in &moves {
        assert_eq!(found["verdict"], "illegal");
        assert!(found["reason"].as_str().unwrap().contains("whose turn it is"), "{found}");
    }
    let hints = texts(&summary["hints"]);
    assert_eq!(hints.len(), 1, "{hints:?}");
    assert!(hints[0].starts_with("9 of 9 illegal moves") && hints[0].contains("--first lower"), "{hints:?}");
    let (_tables, dsq) = dsq();
    let ran = dsq.run_with_input(&["check", "games", "-"], text.clone()).expect_code(1);
    assert_eq!(ran.stdout.matches("--first lower").count(), 1, "{}", ran.stdout);
    // One board, and one line for each of the others.
    assert_eq!(ran.stdout.matches("   a b c d e f g").count(), 1, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("(as in game 1, ply 1)").count(), 8, "{}", ran.stdout);
    // It is the cure.
    let (moves, summary) = check(&["--first", "lower"], &text, 0);
    assert!(moves.iter().all(|found| found["verdict"] == "best"), "{moves:?}");
    assert_eq!(summary["hints"], json!([]));
}

#[test]
fn every_common_cause_of_illegal_moves_is_named() {
    let hints = |text: &str| {
        let (_, summary) = check(&[], text, 1);
        summary["hints"].to_string()
    };
    // A record that Black begins, and what reads it.
    assert!(hints("1. a7a6 g3g4 *").contains("startpos b"));
    let (moves, _) = check(&[], "[FEN \"startpos b\"]\n1. a7a6 g3g4 *", 0);
    assert_eq!(moves.len(), 2);
    // Left and right exchanged, with and without a FEN.
    assert!(hints(&"1. a3b3 g7f7 2. b3b4 *\n".repeat(3)).contains("--mirror"));
    let mirrored = "[FEN \"7/7/7/7/7/7/D6/7/6e w\"]\n1. g3f3 *\n\n".repeat(3);
    assert!(hints(&mirrored).contains("--mirror"));
    // Another rule.
    let rule = "[FEN \"7/7/7/7/7/7/Er5/7/7 w\"]\n1. a3b3 *\n\n".repeat(3);
    assert!(hints(&rule).contains("3 of 3 illegal moves would be legal with --set elephant-takes-rat=true"));
    // Different causes have no common hint.
    let several = format!("{}{}", "[FEN \"7/7/7/7/7/7/Er5/7/7 w\"]\n1. a3b3 *\n\n".repeat(2), "1. a3a7 *\n".repeat(2));
    assert_eq!(hints(&several), "[]");
}
