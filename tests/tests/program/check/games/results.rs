//! The results that records claim.

use super::{check, dsq, texts};
use serde_json::{Value, json};

#[test]
fn a_result_that_the_last_position_contradicts_is_told() {
    let den = "7/3C3/7/7/7/7/7/7/e6 w";
    let last = "7/7/7/7/7/7/Ec5/7/7 w";
    for (fen, text, told, decided, why) in [
        (den, "d8d9", "0-1", "1-0", "a piece of white stands in the den on d9"),
        (den, "d8d9", "1/2-1/2", "1-0", "den"),
        (last, "a3b3", "0-1", "1-0", "black has no pieces left"),
    ] {
        let tag = format!("[Result \"{told}\"]\n[FEN \"{fen}\"]\n1. {text} *");
        let behind = format!("[FEN \"{fen}\"]\n1. {text} {told}");
        let object = json!({"fen": fen, "moves": [text], "result": told}).to_string();
        for record in [tag, behind, object] {
            let (_, summary) = check(&[], &record, 0);
            let game = &summary["games"][0];
            let fields = (&game["result"], &game["decided"], &game["result_contradicted"]);
            assert_eq!(fields, (&json!(told), &json!(decided), &json!(true)), "{record}");
            let notes = texts(&game["notes"]);
            let words = format!("the record says {told}, the last position {decided}: ");
            assert!(notes.iter().any(|note| note.starts_with(&words) && note.contains(why)), "{notes:?}");
        }
    }
    let (_tables, dsq) = dsq();
    let record = format!("[Result \"0-1\"]\n[FEN \"{den}\"]\n1. d8d9 0-1");
    let ran = dsq.run_with_input(&["check", "games", "-"], record).expect_code(0);
    assert!(ran.stdout.contains("the record says 0-1, the last position 1-0"), "{}", ran.stdout);
    // Nothing is contradicted by what goes together, says nothing, or is not over.
    for (record, result, decided) in [
        (format!("[Result \"1-0\"]\n[FEN \"{den}\"]\n1. d8d9 1-0"), json!("1-0"), json!("1-0")),
        (format!("[Result \"*\"]\n[FEN \"{den}\"]\n1. d8d9 *"), Value::Null, json!("1-0")),
        (format!("[Result \"0-1\"]\n[FEN \"{den}\"]\n1. d8c8 0-1"), json!("0-1"), Value::Null),
        // A move behind the break is missing.
        (format!("[Result \"0-1\"]\n[FEN \"{den}\"]\n1. d8d7 a1a2 2. a2a9 0-1"), json!("0-1"), Value::Null),
    ] {
        let code = i32::from(record.contains("a2a9"));
        let (_, summary) = check(&[], &record, code);
        let game = &summary["games"][0];
        let fields = (&game["result"], &game["decided"], &game["result_contradicted"]);
        assert_eq!(fields, (&result, &decided, &json!(false)), "{record}");
        assert_eq!(game["notes"], json!([]), "{record}");
    }
    // A side without a move: what that means is for the rule set to say.
    let record = "[Result \"1-0\"]\n[FEN \"7/7/7/7/7/7/D6/7/rC4E w\"]\n1. a3a2 *";
    let (_, summary) = check(&[], record, 0);
    let game = &summary["games"][0];
    assert_eq!((&game["decided"], &game["result_contradicted"]), (&json!("1-0"), &json!(false)), "{summary}");
    let (_, summary) = check(&["--set", "no-move=draw"], record, 3);
    let game = &summary["games"][0];
    assert_eq!((&game["decided"], &game["result_contradicted"]), (&json!("1/2-1/2"), &json!(true)), "{summary}");
    assert!(summary["games"][0]["notes"].to_string().contains("black has no legal move"));
    // The two places of a record can differ.
    let (_, summary) = check(&[], &format!("[Result \"1-0\"]\n[FEN \"{den}\"]\n1. d8d9 0-1"), 0);
    let notes = summary["games"][0]["notes"].to_string();
    assert!(notes.contains("the tag Result says 1-0, but 0-1 stands after the moves"), "{notes}");
    assert!(notes.contains("the record says 0-1, the last position 1-0"), "{notes}");
}
