//! Why a move is illegal, and under which rules it would not be.

use dsq_tables::board::Square;
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::{AnimalSpec, Form, NAMES, Piece, RuleSpec, Rules, SETTINGS, SettingInfo};
use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

/// What kind of wrong a move is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Why {
    /// The game is over.
    Over,
    /// There is no piece.
    NoPiece,
    /// The piece is one of the side that is not to move.
    OtherSide,
    /// It goes where a piece of its own side stands.
    OwnPiece,
    /// A piece stops the jump.
    Stopped,
    /// It may not take what stands there.
    Capture,
    /// It goes into its own den.
    OwnDen,
    /// It does not swim.
    Water,
    /// It may not enter the trap.
    Trap,
    /// It does not go that far, or that way.
    Reach,
}

/// Why a move is illegal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Illegal {
    /// What kind of wrong it is.
    pub why: Why,
    /// What is wrong, in words.
    pub reason: String,
    /// Every single change of a setting, as `KEY=VALUE`, that makes it legal.
    pub settings: Vec<String>,
    /// The rule sets that come with the program, on the same board, in which it is legal.
    pub rule_sets: Vec<&'static str>,
}

/// Explains a move that is not legal.
#[must_use]
pub fn explain(rules: &Rules, position: &Position, squares: Move) -> Illegal {
    let fen = position.to_fen(rules);
    let legal_by = |other: &Rules| {
        // Animals are numbered by strength, so a position of one rule set goes to another by its letters.
        Position::from_fen(other, &fen)
            .is_ok_and(|position| position.finished(other).is_none() && position.find_move(other, squares).is_some())
    };
    let with = |(key, value): &(String, String)| {
        let mut spec = rules.spec().clone();
        spec.set(key, value).is_ok() && Rules::compile(spec).is_ok_and(|changed| legal_by(&changed))
    };
    // Who moves what is no matter of the rules.
    let moved = position.piece_on(squares.from).filter(|piece| piece.side == position.turn());
    let mut settings = Vec::new();
    for change in moved.map(|piece| candidates(rules, position, piece, squares)).unwrap_or_default() {
        let text = format!("{}={}", change.0, change.1);
        if !settings.contains(&text) && with(&change) {
            settings.push(text);
        }
    }
    let same_board = |other: &&Arc<Rules>| other.board() == rules.board();
    let rule_sets = match moved {
        Some(_) => named().iter().filter(same_board).filter(|other| legal_by(other)).collect(),
        None => Vec::new(),
    };
    let rule_sets = NAMES.into_iter().filter(|name| rule_sets.iter().any(|rules: &&Arc<Rules>| rules.name() == *name));
    let (why, reason) = reason(rules, position, squares);
    Illegal { why, reason, settings, rule_sets: rule_sets.collect() }
}

/// The rule sets that come with the program.
fn named() -> &'static [Arc<Rules>] {
    static NAMED: OnceLock<Vec<Arc<Rules>>> = OnceLock::new();
    NAMED.get_or_init(|| NAMES.into_iter().filter_map(|name| Rules::load(name).ok()).collect())
}

/// A key and a value of a setting.
type Change = (String, String);

/// The changes of one setting that could make the move of a piece legal: those of all settings, the narrowest first.
fn candidates(rules: &Rules, position: &Position, piece: Piece, squares: Move) -> Vec<Change> {
    let spec = rules.spec();
    let mover = rules.animal(piece.animal);
    let victim = position.piece_on(squares.to).filter(|victim| victim.side != piece.side);
    let victim = victim.map(|victim| rules.animal(victim.animal));
    let present = spec.settings.to_pairs(&spec.animals);
    let present = |key: &str| present.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str());
    let mut settings: Vec<&SettingInfo> = SETTINGS.iter().collect();
    // Of those that speak of the same animals, the one with more words is about less.
    settings.sort_by_key(|info| {
        let animals = info.animals();
        Reverse((animals, if animals > 0 { info.key.len() } else { 0 }))
    });
    let mut changes = Vec::new();
    for info in settings {
        let Some(key) = info.key_for(&mover.name, victim.map(|victim| victim.name.as_str())) else { continue };
        let now = present(&key).unwrap_or_default();
        let letters = || std::iter::once(mover).chain(victim).map(|animal| animal.letter);
        let values: Vec<String> = match info.form() {
            Form::Words => info.words().into_iter().map(str::to_owned).collect(),
            Form::Ranks => victim.map(|victim| ranks_with(spec, mover.letter, victim.letter)).into_iter().collect(),
            Form::Letters => letters().map(|letter| other_way(now, letter)).collect(),
            Form::OwnLetters => {
                let (own, listed) = now.strip_prefix("own:").map_or(("", now), |listed| ("own:", listed));
                let value = |letter| match other_way(listed, letter).as_str() {
                    "" => String::new(),
                    listed => format!("{own}{listed}"),
                };
                letters().map(value).collect()
            }
            Form::Jumps => vec![jumps_with(rules, mover, squares)],
            // Such a setting is noted only.
            Form::Number => Vec::new(),
        };
        changes.extend(values.into_iter().filter(|value| value != now).map(|value| (key.clone(), value)));
    }
    changes
}

/// A list of letters without a letter that is in it, or with one that is not.
fn other_way(letters: &str, letter: char) -> String {
    let mut others: String = letters.chars().filter(|&other| other != letter).collect();
    if others.len() == letters.len() {
        others.push(letter);
    }
    others
}

/// The order of strength with one animal just above another.
fn ranks_with(spec: &RuleSpec, mover: char, victim: char) -> String {
    let mut groups: Vec<String> = Vec::new();
    for group in &spec.settings.ranks {
        let others: String = group.iter().filter(|&&letter| letter != mover || letter == victim).collect();
        match others.chars().count() {
            0 => {}
            1 => groups.push(others.clone()),
            _ => groups.push(format!("({others})")),
        }
        if others.contains(victim) && mover != victim {
            groups.push(mover.to_string());
        }
    }
    groups.join(" ")
}

/// The jumps of an animal with the direction of a move among them, of any length.
fn jumps_with(rules: &Rules, mover: &AnimalSpec, squares: Move) -> String {
    let board = rules.board();
    let along_ranks = mover.jumps.along_ranks || board.rank(squares.from) == board.rank(squares.to);
    let along_files = mover.jumps.along_files || board.file(squares.from) == board.file(squares.to);
    match (along_ranks, along_files) {
        (true, true) => "both",
        (true, false) => "ranks",
        (false, true) => "files",
        (false, false) => "none",
    }
    .to_owned()
}

/// What is wrong with a move that is not legal.
fn reason(rules: &Rules, position: &Position, squares: Move) -> (Why, String) {
    let board = rules.board();
    let (from, to) = (board.name(squares.from), board.name(squares.to));
    let turn = position.turn();
    let animal = |piece: Piece| format!("{} {}", piece.side.name(), rules.animal(piece.animal).name);
    if position.finished(rules).is_some() {
        return (Why::Over, "the game is over".to_owned());
    }
    let Some(piece) = position.piece_on(squares.from) else {
        return (Why::NoPiece, format!("no piece stands on {from}"));
    };
    if piece.side != turn {
        let words = format!("the {} on {from} is not of {}, whose turn it is", animal(piece), turn.name());
        return (Why::OtherSide, words);
    }
    let own = position.piece_on(squares.to).filter(|other| other.side == turn);
    if let Some(own) = own {
        let words = if squares.from == squares.to {
            "the piece stays where it is".to_owned()
        } else {
            format!("the {} stands on {to}", animal(own))
        };
        return (Why::OwnPiece, words);
    }
    let movement = rules.movement(piece);
    let mover = animal(piece);
    if let Some(edge) = movement.edges(squares.from).iter().find(|edge| edge.to == squares.to) {
        let stopped_by = movement.stopped_by();
        let stops = |square: &Square| {
            let stopper = position.piece_on(*square);
            stopper.is_some_and(|stopper| if stopper.side == turn { stopped_by.own } else { stopped_by.enemy })
        };
        if let Some(square) = edge.between.squares().find(stops) {
            let stopper = position.piece_on(square).map(animal).unwrap_or_default();
            let words = format!("the {stopper} on {} stops the jump of the {mover}", board.name(square));
            return (Why::Stopped, words);
        }
        let victim = position.piece_on(squares.to).map(animal).unwrap_or_default();
        return (Why::Capture, format!("the {mover} on {from} may not take the {victim} on {to}"));
    }
    let target = squares.to;
    match () {
        () if board.den(turn).contains(target) && !movement.domain().contains(target) => {
            (Why::OwnDen, format!("{to} is the own den of the {mover}"))
        }
        () if board.water().contains(target) && !movement.domain().contains(target) => {
            (Why::Water, format!("the {mover} does not swim, and {to} is water"))
        }
        () if !rules.goal(turn).contains(target) && !movement.domain().contains(target) => {
            (Why::Trap, format!("the {mover} may not enter the trap on {to}"))
        }
        () => (Why::Reach, format!("the {mover} does not go from {from} to {to}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn explained(name: &str, fen: &str, text: &str) -> Illegal {
        let rules = Rules::load(name).unwrap();
        let position = Position::from_fen(&rules, fen).unwrap();
        let squares = Move::parse(rules.board(), text).unwrap();
        assert!(position.find_move(&rules, squares).is_none() || position.finished(&rules).is_some());
        explain(&rules, &position, squares)
    }

    fn assert_legal_with(fen: &str, text: &str, setting: &str, rule_sets: &[&str]) {
        let illegal = explained("classic", fen, text);
        assert!(illegal.settings.iter().any(|other| other == setting), "{text}: {illegal:?}");
        assert_eq!(illegal.rule_sets, rule_sets, "{text}");
    }

    #[test]
    fn the_setting_is_named_that_would_make_a_move_legal() {
        assert_legal_with("7/7/7/7/7/7/Er5/7/7 w", "a3b3", "elephant-takes-rat=true", &["leiden", "wikipedia"]);
        assert_legal_with("7/7/7/7/7/eR5/7/7/7 w", "b4a4", "rat-takes-elephant=always", &[]);
        assert_legal_with(
            "7/7/7/7/7/rR5/7/7/7 w",
            "b4a4",
            "rat-takes-rat-from-water=true",
            &["leiden", "wikipedia", "knowlton"],
        );
        assert_legal_with(
            "7/7/7/7/7/Rr5/7/7/7 w",
            "a4b4",
            "rat-takes-rat-into-water=true",
            &["leiden", "wikipedia-es", "knowlton"],
        );
        assert_legal_with("7/7/7/7/D6/7/7/7/6e w", "a5b5", "swimmers=RD", &["shou-dou-qi"]);
        assert_legal_with("7/7/7/7/P6/7/7/7/6e w", "a5d5", "leopard-jumps=ranks", &["shou-dou-qi"]);
        assert_legal_with("7/7/7/7/TR5/7/7/7/6e w", "a5d5", "tiger-jump-stopped-by=enemy", &[]);
        assert_legal_with("7/7/7/7/Tr5/7/7/7/6e w", "a5d5", "jump-stopped-by=none", &[]);
        assert_legal_with("7/7/7/7/7/7/3e3/3C3/7 w", "d2d1", "own-den=allowed", &[]);
        assert_legal_with("7/7/7/7/7/7/3c3/3L3/7 b", "d3d2", "traps=universal", &["shou-dou-qi"]);
        let wolf = explained("classic", "7/7/7/7/3D3/3w3/7/7/7 w", "d5d4");
        assert!(wolf.settings.contains(&"ranks=R C W D P T L E".to_owned()), "{wolf:?}");
        assert_eq!(wolf.rule_sets, ["leiden", "wikipedia-es", "knowlton"]);
    }

    #[test]
    fn every_setting_of_the_list_is_tried() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, "7/7/7/7/7/7/Er5/7/7 w").unwrap();
        let squares = Move::parse(rules.board(), "a3b3").unwrap();
        let piece = position.piece_on(squares.from).unwrap();
        let changes = candidates(&rules, &position, piece, squares);
        for info in &SETTINGS {
            let key = info.key_for("elephant", Some("rat")).unwrap();
            let tried: Vec<&str> =
                changes.iter().filter(|(other, _)| *other == key).map(|(_, value)| value.as_str()).collect();
            assert_eq!(tried.is_empty(), info.form() == Form::Number, "{key}");
            // Each value that it can have, or all but the one that it has.
            if info.form() == Form::Words {
                let left = info.words().into_iter().filter(|word| !tried.contains(word)).count();
                assert!(left <= 1, "{key}: {tried:?}");
            }
            for value in tried {
                assert!(rules.spec().clone().set(&key, value).is_ok(), "{key}={value}");
            }
        }
        // The narrowest first.
        let place = |key: &str| changes.iter().position(|(other, _)| other == key).unwrap();
        assert!(place("elephant-takes-rat-from-water") < place("elephant-takes-rat"));
        assert!(place("elephant-takes-rat") < place("elephant-jumps") && place("elephant-jumps") < place("ranks"));
    }

    #[test]
    fn every_setting_that_is_named_makes_the_move_legal() {
        for (fen, text) in
            [("7/7/7/7/7/7/Er5/7/7 w", "a3b3"), ("7/7/7/7/3D3/3w3/7/7/7 w", "d5d4"), ("7/7/7/7/Tr5/7/7/7/6e w", "a5d5")]
        {
            let illegal = explained("classic", fen, text);
            assert!(!illegal.settings.is_empty());
            for setting in illegal.settings {
                let (key, value) = setting.split_once('=').unwrap();
                let rules = Rules::load_with("classic", [(key, value)]).unwrap();
                let position = Position::from_fen(&rules, fen).unwrap();
                let squares = Move::parse(rules.board(), text).unwrap();
                assert!(position.find_move(&rules, squares).is_some(), "{setting}");
            }
        }
    }

    #[test]
    fn what_no_rule_allows_has_a_reason_and_no_setting() {
        let cases = [
            ("7/7/7/7/7/7/E6/7/6e w", "b3b4", "no piece stands on b3"),
            ("7/7/7/7/7/7/E6/7/6e w", "g1g2", "the black elephant on g1 is not of white, whose turn it is"),
            ("7/7/7/7/7/7/EC5/7/6e w", "a3b3", "the white cat stands on b3"),
            ("7/7/7/7/7/7/E6/7/6e w", "a3a3", "the piece stays where it is"),
            ("7/7/7/7/7/7/E6/7/6e w", "a3a5", "the white elephant does not go from a3 to a5"),
            ("7/7/7/7/7/7/3C3/3l3/7 w", "d2d1", "the black lion on d2 is not of white, whose turn it is"),
        ];
        for (fen, text, reason) in cases {
            let illegal = explained("classic", fen, text);
            assert_eq!(
                (illegal.reason.as_str(), illegal.settings, illegal.rule_sets),
                (reason, vec![], vec![]),
                "{text}"
            );
        }
    }

    #[test]
    fn a_game_that_elimination_ends_could_go_on() {
        let over = explained("classic", "7/7/7/7/7/7/7/7/E6 w", "a1a2");
        assert_eq!(over.reason, "the game is over");
        assert_eq!(over.settings, ["elimination-wins=false"]);
    }

    #[test]
    fn reasons_name_what_stands_in_the_way() {
        let reason = |fen: &str, text: &str| explained("classic", fen, text).reason;
        assert_eq!(reason("7/7/7/7/Tr5/7/7/7/6e w", "a5d5"), "the black rat on b5 stops the jump of the white tiger");
        assert_eq!(reason("7/7/7/7/C6/7/7/7/6e w", "a5b5"), "the white cat does not swim, and b5 is water");
        assert_eq!(reason("7/7/7/7/7/7/3c3/3L3/7 w", "d2d1"), "d1 is the own den of the white lion");
        assert_eq!(
            reason("7/7/7/7/7/7/Er5/7/7 w", "a3b3"),
            "the white elephant on a3 may not take the black rat on b3"
        );
    }
}
