#![allow(clippy::unwrap_used)]
use super::*;

/// The answers of an engine with these rules: what it lists, or the moves it makes if it always wins when it can and else makes
/// its first move.
fn answers(rules: &Rules, lists: bool) -> Vec<Answered> {
    let mut answers = Vec::new();
    for setting in &SETTINGS {
        for &(fen, text) in setting.questions {
            let squares = Move::parse(rules.board(), text).unwrap();
            let answer = Position::from_fen(rules, fen).map_err(|error| error.to_string()).map(|position| {
                let legal = position.legal_moves(rules);
                if lists {
                    return Answer::Moves(legal.iter().map(|legal| legal.squares).collect());
                }
                let wins = legal.iter().find(|legal| position.after(legal).finished(rules).is_some());
                wins.or(legal.first()).map_or(Answer::NoMove, |legal| Answer::Plays(legal.squares))
            });
            answers.push(Answered { key: setting.key, fen, squares, answer, values: setting.values.to_vec() });
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
        let ruling = conclude(&rules, answers(&rules, true), counts(&rules)).unwrap();
        assert_eq!(ruling.fitting, [name]);
        assert!(ruling.asked_fits && ruling.nearest.fits && ruling.nearest.changes.is_empty());
        assert_eq!(ruling.nearest.name, name);
        assert!(ruling.counts.iter().all(|counted| counted.nodes == counted.expected));
        // By its moves alone it is among those that fit.
        let ruling = conclude(&rules, answers(&rules, false), Vec::new()).unwrap();
        assert!(ruling.fitting.contains(&name) && ruling.asked_fits, "{name}: {:?}", ruling.fitting);
    }
    assert_eq!(seen, 6);
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
            let ruling = conclude(&rules, answers(&rules, true), counts(&rules)).unwrap();
            assert!(ruling.asked_fits && ruling.nearest.fits, "{changes:?}");
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
    assert!(!conclude(&classic, answers(&leiden, true), Vec::new()).unwrap().asked_fits);
    assert!(!conclude(&classic, Vec::new(), counts(&leiden)).unwrap().asked_fits);
    assert!(!applies_to(&Rules::load("mini-jungla").unwrap()).unwrap());
}
