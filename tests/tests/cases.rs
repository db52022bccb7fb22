//! Small positions with a question and the right answer, from public bug reports, unit tests, rule pages and the play of
//! public engines. Every test is named after its case. Where a rule set or setting allows what `classic` does not, or the
//! reverse, that side is tested as well.

use dsq_tables::board::Side;
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::Piece;
use dsq_tables::value::Value;
use dsq_tests::{Changes, Shared, Tables, catalog, class_of, move_texts, position, rules};
use std::sync::Arc;

const START: &str = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w";

/// The legal moves under `classic`, in square order.
fn moves(fen: &str) -> Vec<String> {
    move_texts(&rules("classic", &[]), fen)
}

fn allows(name: &str, changes: Changes<'_>, fen: &str, text: &str) -> bool {
    move_texts(&rules(name, changes), fen).iter().any(|other| other == text)
}

fn classic_allows(fen: &str, text: &str) -> bool {
    allows("classic", &[], fen, text)
}

/// Tables of the materials that the cases with values need.
fn tables() -> Arc<Tables> {
    static SHARED: Shared = Shared::new();
    SHARED.get(|| {
        let catalog = catalog("classic", &[]);
        let classes = ["C-D", "E-E", "T-T", "DL-T", "DP-T", "P-D"].map(|material| class_of(&catalog, material));
        Tables::generate(&catalog, classes)
    })
}

/// The value of a position and of its legal moves, for the side that makes them.
fn values(fen: &str) -> (Value, Vec<(String, Value)>) {
    let tables = tables();
    let position = position(tables.rules(), fen);
    let text = |squares: Move| squares.to_text(tables.rules().board());
    let moves = tables.tablebase().probe_moves(&position).unwrap();
    let moves = moves.into_iter().map(|(legal, value)| (text(legal.squares), value)).collect();
    (dsq_tests::value(tables.tablebase(), &position), moves)
}

fn value_of(moves: &[(String, Value)], text: &str) -> Value {
    moves.iter().find(|(other, _)| other == text).unwrap_or_else(|| panic!("{text} is not legal: {moves:?}")).1
}

/// The moves that win, fastest first.
fn winning(moves: &[(String, Value)]) -> Vec<&str> {
    moves.iter().filter(|(_, value)| matches!(value, Value::Win(_))).map(|(text, _)| text.as_str()).collect()
}

#[test]
fn c01_a_piece_in_a_trap_can_still_capture() {
    let fen = "7/2eR3/7/7/7/7/7/7/7 w";
    assert!(classic_allows(fen, "d8c8"));
    let no_captures = [("trapped-can-capture", "false")];
    assert!(!allows("classic", &no_captures, fen, "d8c8"));
    // It is the capture that is lost, not the move: here the elephant stands beside, on c9.
    let beside = "2e4/3R3/7/7/7/7/7/7/7 w";
    assert!(classic_allows(beside, "d8c8"));
    assert!(allows("classic", &no_captures, beside, "d8c8"));
}

#[test]
fn c03_the_own_den_is_never_entered() {
    // With a black piece far away: without any the game would be over, and there would be no moves.
    let fen = "e6/7/7/7/7/7/7/3E3/7 w";
    assert_eq!(moves(fen), ["d2c2", "d2e2", "d2d3"]);
    assert!(allows("classic", &[("own-den", "allowed")], fen, "d2d1"));
}

#[test]
fn c04_a_piece_in_its_own_trap_keeps_its_rank() {
    let fen = "7/7/7/7/7/7/3c3/3L3/7 b";
    assert!(!classic_allows(fen, "d3d2"));
    assert!(allows("classic", &[("traps", "universal")], fen, "d3d2"));
}

#[test]
fn c05_an_intruder_in_a_trap_is_taken_by_every_animal() {
    let fen = "7/7/7/7/7/7/7/2Rl3/7 w";
    assert!(classic_allows(fen, "c2d2"));
    assert!(!allows("classic", &[("traps", "none")], fen, "c2d2"));
    for victim in "rcdwptle".chars() {
        for attacker in "RCDWPTLE".chars() {
            assert!(classic_allows(&format!("7/7/7/7/7/7/7/2{attacker}{victim}3/7 w"), "c2d2"), "{attacker}x{victim}");
        }
    }
}

#[test]
fn c06_a_rat_in_the_water_takes_nothing_on_land() {
    let fen = "7/7/7/7/7/eR5/7/7/7 w";
    assert_eq!(moves(fen), ["b4b3", "b4c4", "b4b5"]);
    assert!(allows("classic", &[("rat-takes-elephant", "always")], fen, "b4a4"));
}

#[test]
fn c07_of_two_equals_the_attacker_survives() {
    let rules = rules("classic", &[]);
    let before = position(&rules, "7/7/7/3w3/3W3/7/7/7/7 w");
    let take = before.legal_moves(&rules).into_iter().find(|legal| legal.capture.is_some()).unwrap();
    assert_eq!(take.squares.to_text(rules.board()), "d5d6");
    let after = before.after(&take);
    assert_eq!(after.to_fen(&rules), "7/7/7/3W3/7/7/7/7/7 b");
    let finished = after.finished(&rules).unwrap();
    assert_eq!((finished.winner, finished.den), (Side::White, None));
}

#[test]
fn c08_two_pieces_that_neither_take_nor_pass_draw_but_not_by_every_move() {
    let (value, moves) = values("4d2/7/7/7/7/C6/7/7/7 w");
    assert_eq!(value, Value::Draw);
    assert_eq!(value_of(&moves, "a4a5"), Value::Draw);
    assert_eq!(value_of(&moves, "a4a3"), Value::Loss(22));
    assert_eq!(moves.len(), 2);
}

#[test]
fn c11_a_rat_on_land_does_not_take_a_rat_in_the_water() {
    let fen = "7/7/2r4/2R4/7/7/7/7/7 b";
    assert!(!classic_allows(fen, "c7c6"));
    assert!(allows("leiden", &[], fen, "c7c6"));
    assert!(allows("classic", &[("rat-takes-rat-into-water", "true")], fen, "c7c6"));
    assert!(!allows("classic", &[("rat-takes-rat-from-water", "true")], fen, "c7c6"));
}

#[test]
fn c14_the_rats_start_on_the_side_of_their_own_lion() {
    let rules = rules("classic", &[]);
    let start = position(&rules, START);
    let rat = rules.animal_by_letter('R').unwrap();
    let square_of = |side| {
        let square = start.square(Piece { side, animal: rat }).unwrap();
        rules.board().name(square)
    };
    assert_eq!((square_of(Side::White), square_of(Side::Black)), ("g3".into(), "a7".into()));
    assert_eq!(Position::start(&rules), start);
    assert_eq!(moves(START).len(), 24);
    let mirrored = "t5l/1c3d1/e1w1p1r/7/7/7/R1P1W1E/1D3C1/L5T w";
    assert_eq!(moves(mirrored).len(), 24);
}

#[test]
fn c15_a_rat_in_the_water_does_not_take_a_stronger_animal_on_the_bank() {
    assert_eq!(moves("7/7/1c5/1R5/7/7/7/7/7 w"), ["b6b5", "b6a6", "b6c6"]);
}

#[test]
fn c16_a_jump_takes_what_a_step_would_take() {
    assert!(classic_allows("7/7/1w5/7/7/7/1L5/7/7 w", "b3b7"));
    // Equal rank as well, a stronger animal not.
    assert!(classic_allows("7/7/1l5/7/7/7/1L5/7/7 w", "b3b7"));
    assert!(!classic_allows("7/7/1e5/7/7/7/1L5/7/7 w", "b3b7"));
}

#[test]
fn c18_the_tiger_jumps_sideways_unless_the_rule_set_says_files_only() {
    // With a black piece far away, as above.
    let fen = "7/7/7/7/T6/7/7/7/e6 w";
    let files_only = [("tiger-jumps", "files")];
    assert_eq!(moves(fen), ["a5a4", "a5d5", "a5a6"]);
    assert_eq!(move_texts(&rules("classic", &files_only), fen), ["a5a4", "a5a6"]);
    // Lengthwise it still jumps, and the lion jumps both ways.
    assert!(allows("classic", &files_only, "7/7/7/7/7/7/1T5/7/e6 w", "b3b7"));
    assert!(allows("classic", &files_only, "7/7/7/7/L6/7/7/7/e6 w", "a5d5"));
}

#[test]
fn c19_the_owner_of_a_trap_is_not_weakened_in_it() {
    let fen = "7/3w3/3C3/7/7/7/7/7/7 w";
    assert!(!classic_allows(fen, "d7d8"));
    assert!(allows("classic", &[("traps", "universal")], fen, "d7d8"));
}

#[test]
fn c20_a_rat_on_land_takes_the_elephant_on_land() {
    let fen = "7/7/7/7/7/R6/e6/7/7 w";
    assert!(classic_allows(fen, "a4a3"));
    assert!(!allows("classic", &[("rat-takes-elephant", "never")], fen, "a4a3"));
}

#[test]
fn c23_a_rat_anywhere_on_the_way_stops_a_jump() {
    for fen in ["7/7/7/7/L1r4/7/7/7/7 w", "7/7/7/7/Lr5/7/7/7/7 w"] {
        assert!(!classic_allows(fen, "a5d5"), "{fen}");
        assert!(allows("classic", &[("jump-stopped-by", "none")], fen, "a5d5"), "{fen}");
    }
    let own = "7/7/7/7/L1R4/7/7/7/e6 w";
    assert!(!classic_allows(own, "a5d5"));
    assert!(allows("classic", &[("jump-stopped-by", "enemy")], own, "a5d5"));
}

#[test]
fn c25_rank_comes_back_when_a_trap_is_left() {
    assert!(!classic_allows("7/7/2cT3/7/7/7/7/7/7 b", "c7d7"));
    assert!(classic_allows("7/2cT3/7/7/7/7/7/7/7 b", "c8d8"));
}

#[test]
fn c26_l_is_the_lion_and_a_letter_twice_on_one_side_is_refused() {
    let rules = rules("classic", &[]);
    let start = position(&rules, START);
    let piece_on = |square: &str| {
        let piece = start.piece_on(rules.board().parse_square(square).unwrap()).unwrap();
        rules.animal(piece.animal).name.as_str()
    };
    assert_eq!((piece_on("g1"), piece_on("e3")), ("lion", "leopard"));
    let two_lions = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1L1R/1C3D1/T5L w";
    let error = Position::from_fen(&rules, two_lions).unwrap_err().to_string();
    for part in ["white", "second", "lion", "(L)", "g1", "e3"] {
        assert!(error.contains(part), "{error:?} does not say {part:?}");
    }
}

#[test]
fn c27_j_is_another_letter_of_the_leopard() {
    let rules = rules("classic", &[]);
    let with_j = position(&rules, "l5t/1d3c1/r1j1w1e/7/7/7/E1W1J1R/1C3D1/T5L w");
    assert_eq!(with_j, position(&rules, START));
    assert_eq!(with_j.to_fen(&rules), START);
}

#[test]
fn c29_every_move_of_a_lost_position_is_named_with_its_distance() {
    let (value, moves) = values("7/7/3e3/7/7/7/3E3/7/7 w");
    assert_eq!(value, Value::Loss(12));
    let texts: Vec<&str> = moves.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["d3d2", "d3c3", "d3e3", "d3d4"]);
    assert!(moves.iter().all(|&(_, value)| value == Value::Loss(12)));
    let tables = tables();
    let line = tables.tablebase().line(&position(tables.rules(), "7/7/3e3/7/7/7/3E3/7/7 w"), None).unwrap();
    assert_eq!(line.moves.len(), 12);
}

#[test]
fn c30_the_tiger_on_the_move_wins_by_one_move_only() {
    let (value, moves) = values("t6/7/T6/7/7/7/7/7/7 w");
    assert_eq!(value, Value::Win(19));
    assert_eq!(winning(&moves), ["a7a6"]);
    assert_eq!(value_of(&moves, "a7a6"), Value::Win(19));
    assert_eq!(value_of(&moves, "a7a8"), Value::Loss(2));
    assert_eq!(value_of(&moves, "a7b7"), Value::Loss(20));
}

#[test]
fn c33_a_move_that_throws_a_win_away_is_told_from_those_that_keep_it() {
    let (value, moves) = values("7/7/7/7/7/7/D4t1/2L4/7 w");
    assert_eq!(value, Value::Win(15));
    let mut fastest: Vec<&str> =
        moves.iter().filter(|&&(_, value)| value == Value::Win(15)).map(|(text, _)| text.as_str()).collect();
    fastest.sort_unstable();
    assert_eq!(fastest, ["a3a2", "a3a4", "a3b3", "c2d2"]);
    assert_eq!(value_of(&moves, "c2c3"), Value::Loss(8));
}

#[test]
fn c35_one_move_keeps_the_win_and_others_draw_or_lose() {
    let (value, moves) = values("D6/7/2t4/7/7/7/1P5/7/7 w");
    assert_eq!(value, Value::Win(19));
    assert_eq!(winning(&moves), ["b3c3"]);
    assert_eq!(value_of(&moves, "b3a3"), Value::Draw);
    assert_eq!(value_of(&moves, "a9b9"), Value::Draw);
    assert_eq!(value_of(&moves, "a9a8"), Value::Loss(8));
}

#[test]
fn c37_a_slower_win_is_still_a_win() {
    let (value, moves) = values("7/7/7/7/7/7/2P4/6d/7 w");
    assert_eq!(value, Value::Win(25));
    assert_eq!(value_of(&moves, "c3c2"), Value::Win(29));
}

#[test]
fn c39_dog_and_wolf_change_places_between_rule_sets() {
    let (dog_takes, wolf_takes) = ("7/7/7/7/3D3/3w3/7/7/7 w", "7/7/7/7/3W3/3d3/7/7/7 w");
    assert!(!classic_allows(dog_takes, "d5d4"));
    assert!(classic_allows(wolf_takes, "d5d4"));
    assert!(allows("leiden", &[], dog_takes, "d5d4"));
    assert!(!allows("leiden", &[], wolf_takes, "d5d4"));
}
