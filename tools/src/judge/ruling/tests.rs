#![allow(clippy::unwrap_used)]
use super::*;
use dsq_tables::moves::LegalMove;

/// How an engine answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Lists,
    Counts,
    /// It wins when it can, and else makes its first move.
    Wins,
    /// The same, and it enters a den rather than take the last piece.
    Enters,
    /// It makes any move, by this number.
    Random(usize),
}

/// The answers of an engine with these rules.
fn answers(rules: &Rules, way: Way) -> Vec<Answered> {
    let mut answers = Vec::new();
    let asking = asking_rules().unwrap();
    for setting in &SETTINGS {
        for &(fen, text) in setting.questions {
            let squares = Move::parse(rules.board(), text).unwrap();
            let answer = Position::from_fen(rules, fen).map_err(|error| error.to_string()).map(|position| {
                let legal = position.legal_moves(rules);
                let played = |legal: &LegalMove| Answer::Plays(legal.squares);
                let wins = |legal: &LegalMove| position.after(legal).finished(rules).is_some();
                let enters = |legal: &LegalMove| wins(legal) && legal.capture.is_none();
                match way {
                    Way::Lists => Answer::Moves(legal.iter().map(|legal| legal.squares).collect()),
                    Way::Counts => Answer::Count(legal.len().try_into().unwrap()),
                    _ if legal.is_empty() => Answer::NoMove,
                    Way::Random(number) => played(&legal[(number + answers.len()) % legal.len()]),
                    Way::Wins | Way::Enters => {
                        let entry = || legal.iter().find(|legal| enters(legal)).filter(|_| way == Way::Enters);
                        let win = entry().or_else(|| legal.iter().find(|legal| wins(legal)));
                        let played = win.unwrap_or(&legal[0]).squares;
                        match ask::would_decline(&asking, &position, squares, played) {
                            true => Answer::Declines(played),
                            false => Answer::Plays(played),
                        }
                    }
                }
            });
            answers.push(Answered::new(setting, fen, squares, answer));
        }
    }
    answers
}

fn counts(rules: &Rules) -> Vec<Counted> {
    let all = COUNTED.into_iter().flat_map(|fen| (1..=3).map(move |depth| (fen, depth)));
    all.map(|(fen, depth)| {
        let nodes = perft(rules, &Position::from_fen(rules, fen).unwrap(), depth);
        Counted { fen, depth, nodes, expected: 0 }
    })
    .collect()
}

#[test]
fn every_rule_set_of_the_common_board_is_recognised() {
    let mut seen = 0;
    for name in NAMES {
        let rules = Rules::load(name).unwrap();
        if !applies_to(&rules).unwrap() {
            continue;
        }
        seen += 1;
        let ruling = conclude(&rules, answers(&rules, Way::Lists), counts(&rules)).unwrap();
        assert_eq!(ruling.fitting, [name]);
        assert!(ruling.asked_fits && ruling.nearest.fits() && ruling.nearest.changes.is_empty());
        assert_eq!(ruling.nearest.name, name);
        assert!(ruling.counts.iter().all(|counted| counted.nodes == counted.expected));
        // By its moves only it is among those that fit.
        for way in [Way::Wins, Way::Enters] {
            let ruling = conclude(&rules, answers(&rules, way), Vec::new()).unwrap();
            assert!(ruling.fitting.contains(&name) && ruling.asked_fits, "{name}, {way:?}: {:?}", ruling.fitting);
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn what_an_engine_does_not_say_excludes_nothing() {
    let ways = [Way::Lists, Way::Counts, Way::Wins, Way::Enters, Way::Random(0), Way::Random(1)];
    let (mut narrowed, mut number) = (0, 0);
    for setting in &SETTINGS {
        for value in setting.values {
            let rules = Rules::load_with("classic", [(setting.key, *value)]).unwrap();
            for _ in 0..2 {
                number += 1;
                let way = ways[number % ways.len()];
                let ruling = conclude(&rules, answers(&rules, way), Vec::new()).unwrap();
                // Whoever plays by the rules is never said to break them.
                assert!(ruling.asked_fits && ruling.nearest.fits(), "{way:?} {} {value}: {ruling:#?}", setting.key);
                let sure = matches!(way, Way::Lists | Way::Counts);
                let conclusion = if sure { Conclusion::Certain } else { Conclusion::Likely };
                assert_eq!(ruling.conclusion, conclusion, "{way:?}");
                for answered in &ruling.answers {
                    let setting = SETTINGS.iter().find(|setting| setting.key == answered.key).unwrap();
                    let all = answered.values.len() == setting.values.len();
                    assert!(all || answered.legal.is_some(), "{way:?} {} {value}: {answered:?}", setting.key);
                    narrowed += usize::from(!all);
                    let undecided = ruling.undecided.contains(&answered.key);
                    assert!(all || !undecided, "{way:?} {}: {:?}", setting.key, ruling.undecided);
                }
            }
        }
    }
    assert!(narrowed > 500, "{narrowed}");
}

#[test]
fn what_fails_in_a_position_that_the_rules_do_not_have_is_no_failure() {
    let failures = |name: &str, changes: &[Change]| {
        let rules = Rules::load_with(name, changes.iter().copied()).unwrap();
        let mut all = answers(&rules, Way::Lists);
        for answered in &mut all {
            answered.failure = Some("crash");
        }
        conclude(&rules, all, Vec::new()).unwrap().failures
    };
    // No dog swims by these rules.
    assert_eq!(failures("classic", &[]), BTreeMap::from([("crash", 24)]));
    assert_eq!(failures("classic", &[("swimmers", "RD")]), BTreeMap::from([("crash", 25)]));
}

#[test]
fn where_nothing_is_found_out_all_is_undecided() {
    let rules = Rules::load("classic").unwrap();
    let mut nothing = answers(&rules, Way::Lists);
    for answered in &mut nothing {
        // Any move but the one in question.
        let other = Move { from: answered.squares.to, to: answered.squares.from };
        answered.answer = Ok(Answer::Plays(other));
    }
    let ruling = conclude(&rules, nothing, Vec::new()).unwrap();
    assert_eq!((ruling.conclusion, ruling.given()), (Conclusion::Nothing, 0));
    assert_eq!(ruling.undecided, SETTINGS.iter().map(|setting| setting.key).collect::<Vec<_>>());
    assert!(ruling.fitting.len() > 1 && ruling.asked_fits);
}

#[test]
fn what_the_nearest_rules_do_not_explain_is_counted() {
    let rules = Rules::load("classic").unwrap();
    let mut odd = answers(&rules, Way::Wins);
    for answered in &mut odd {
        if answered.key == "trapped-can-capture" || answered.key == "rat-takes-elephant" {
            answered.answer = Ok(Answer::NoMove);
        }
    }
    let ruling = conclude(&rules, odd, Vec::new()).unwrap();
    // In each of the three positions there are other moves, whatever may take what.
    assert_eq!((ruling.nearest.unexplained, ruling.nearest.fits(), ruling.asked_fits), (3, false, false));
    assert!(ruling.fitting.is_empty());
    assert_eq!(ruling.conclusion, Conclusion::Unclear);
    // Nor is anything certain if a count differs.
    let mut odd = counts(&rules);
    odd[0].nodes += 1;
    let ruling = conclude(&rules, answers(&rules, Way::Lists), odd).unwrap();
    assert_eq!((ruling.nearest.fits(), ruling.conclusion), (true, Conclusion::Unclear));
}

/// The rules with each value of each setting.
fn every_value() -> impl Iterator<Item = (&'static str, &'static str, Arc<Rules>)> {
    let values = SETTINGS.iter().flat_map(|setting| setting.values.iter().map(move |value| (setting.key, *value)));
    values.map(|(key, value)| (key, value, Rules::load_with("classic", [(key, value)]).unwrap()))
}

#[test]
fn nothing_else_wins_soon_where_a_capture_would() {
    let mut seen = 0;
    let asking = asking_rules().unwrap();
    for (key, value, rules) in every_value() {
        for (fen, text) in SETTINGS.iter().flat_map(|setting| setting.questions) {
            let squares = Move::parse(rules.board(), text).unwrap();
            let Ok(position) = Position::from_fen(&rules, fen) else { continue };
            for legal in position.legal_moves(&rules) {
                let other = legal.squares;
                // What does not count against an engine may win as well.
                if ask::would_decline(&asking, &position, squares, other) {
                    seen += 1;
                    let wins = ask::has_won_within(&rules, &position.after(&legal), 4);
                    assert!(!wins, "{key} {value}: {fen} {} wins as well as {text}", other.to_text(rules.board()));
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn entering_a_den_says_nothing_about_a_capture_that_wins_too() {
    let rules = Rules::load("classic").unwrap();
    let setting = SETTINGS.iter().find(|setting| setting.key == "trapped-can-capture").unwrap();
    for &(fen, text) in setting.questions {
        let position = Position::from_fen(&rules, fen).unwrap();
        let [squares, entry] = [text, "d8d9"].map(|text| Move::parse(rules.board(), text).unwrap());
        assert!(position.find_move(&rules, squares).is_some() && position.find_move(&rules, entry).is_some());
        assert!(!ask::would_decline(&rules, &position, squares, entry), "{fen}");
        // Who does not even enter the den does not win where he can.
        let other = Move::parse(rules.board(), "d8e8").unwrap();
        assert!(!ask::would_decline(&rules, &position, squares, other), "{fen}");
    }
    let ruling = conclude(&rules, answers(&rules, Way::Enters), Vec::new()).unwrap();
    assert!(ruling.asked_fits && ruling.undecided.contains(&"trapped-can-capture"), "{:?}", ruling.undecided);
}

#[test]
fn the_wins_are_wins_by_all_rules() {
    for (key, value, rules) in every_value() {
        for (fen, text) in ask::WINS {
            let position = Position::from_fen(&rules, fen).unwrap();
            let squares = Move::parse(rules.board(), text).unwrap();
            let legal = position.legal_moves(&rules);
            assert!(legal.len() >= 4, "{key} {value}: {fen}");
            let wins: Vec<Move> = legal
                .iter()
                .filter(|legal| position.after(legal).finished(&rules).is_some())
                .map(|legal| legal.squares)
                .collect();
            assert_eq!(wins, [squares], "{key} {value}: {fen} {text}");
        }
    }
}

#[test]
fn all_rules_have_the_same_moves_in_the_position_that_is_asked_about_first() {
    let all = |changes: &[Change]| {
        let rules = Rules::load_with("classic", changes.iter().copied()).unwrap();
        let position = Position::from_fen(&rules, ask::CONTROL).unwrap();
        [1, 2].map(|depth| perft(&rules, &position, depth))
    };
    let expected = all(&[]);
    for setting in &SETTINGS {
        for value in setting.values {
            assert_eq!(all(&[(setting.key, value)]), expected, "{} {value}", setting.key);
        }
    }
}

#[test]
fn every_setting_is_found_out() {
    for setting in &SETTINGS {
        for value in setting.values {
            let changes = [(setting.key, *value)];
            let rules = Rules::load_with("classic", changes).unwrap();
            let ruling = conclude(&rules, answers(&rules, Way::Lists), counts(&rules)).unwrap();
            assert!(ruling.asked_fits && ruling.nearest.fits(), "{changes:?}");
            let found = Rules::load_with(ruling.nearest.name, ruling.nearest.changes.iter().copied()).unwrap();
            for fen in COUNTED {
                let count = |rules: &Rules| perft(rules, &Position::from_fen(rules, fen).unwrap(), 3);
                assert_eq!(count(&found), count(&rules), "{changes:?}: {:?}", ruling.nearest);
            }
            let about = ruling.answers.iter().filter(|answered| answered.key == setting.key);
            assert!(about.into_iter().all(|answered| answered.values.contains(value)), "{changes:?}");
        }
    }
}

#[test]
fn other_rules_than_those_asked_about_do_not_fit() {
    let (classic, leiden) = (Rules::load("classic").unwrap(), Rules::load("leiden").unwrap());
    assert!(!conclude(&classic, answers(&leiden, Way::Lists), Vec::new()).unwrap().asked_fits);
    assert!(!conclude(&classic, Vec::new(), counts(&leiden)).unwrap().asked_fits);
    assert!(!applies_to(&Rules::load("mini-jungla").unwrap()).unwrap());
}
