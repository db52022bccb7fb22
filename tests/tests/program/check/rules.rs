//! `dsq check rules`: by which rules an engine plays.

use super::{assert_gone, dialect, marker, text};
use dsq_tests::program::Dsq;
use serde_json::Value as Json;
use tempfile::TempDir;

fn rules_of(script: &str, words: &[&str], code: i32) -> Json {
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    let (folder, marker) = (TempDir::new().unwrap(), marker());
    let command = format!("'{program}' {script} --marker {marker}");
    // Whether it lists or counts is said: to find out takes its time, and is tried elsewhere.
    let list = if script.contains("--lists") { "\"moves\"" } else { "" };
    let perft = if script.contains("--counts") { "\"perft {depth}\"" } else { "" };
    let plain = dialect(&folder, &format!("[protocol]\nperft = [{perft}]\nlist = [{list}]\n"));
    let mut asked = vec!["check", "rules", "--movetime", "50", "--timeout", "2000", "--cmd", &command];
    asked.extend(words);
    if !words.contains(&"--dialect") {
        asked.extend(["--dialect", &plain]);
    }
    let answer = Dsq::in_folder(folder.path()).json().run(&asked).expect_code(code).json();
    assert_gone(&marker);
    answer
}

#[test]
fn the_rule_set_of_an_engine_is_found_by_lists_counts_or_moves() {
    for name in ["classic", "leiden", "wikipedia-es", "wikipedia", "knowlton", "shou-dou-qi"] {
        for (script, sure) in
            [("--lists --counts", true), ("--counts", true), ("--lists", true), ("--play greedy", false)]
        {
            let answer = rules_of(&format!("--rules {name} {script}"), &["--depth", "3", "--rules", name], 0);
            let sets: Vec<&str> =
                answer["rule_sets"].as_array().unwrap().iter().map(|set| set.as_str().unwrap()).collect();
            assert!(sets.contains(&name) && (sets.len() == 1 || !sure), "{name}, {script}: {sets:?}");
            assert_eq!(answer["rules_fit"], true);
            let counts = answer["counts"].as_array().unwrap();
            // A list counts one ply.
            let expected = if script.contains("--counts") { 6 } else { 2 * usize::from(script.contains("--lists")) };
            assert_eq!(counts.len(), expected, "{script}");
            let failures = answer["failures"].as_object().unwrap();
            assert!(failures.is_empty() && answer["impossible_moves"] == 0, "{answer}");
            assert!(counts.iter().all(|count| count["nodes"] == count["expected_nodes"]), "{answer}");
        }
    }
}

#[test]
fn settings_that_no_rule_set_has_are_found_and_the_rule_set_asked_about_is_refused() {
    for (setting, script) in [
        ("elephant-takes-trapped-rat=false", "--counts"),
        ("jump-stopped-by=enemy", "--counts --play divide"),
        ("rat-takes-elephant=always", "--play greedy"),
        ("own-den=allowed", "--play greedy"),
        ("traps=none", "--checks --play greedy"),
    ] {
        let answer = rules_of(&format!("--set {setting} {script}"), &["--depth", "3"], 1);
        assert_eq!(answer["rule_sets"], Json::Array(Vec::new()), "{setting}: {answer}");
        assert_eq!(answer["nearest"]["rules"], "classic", "{setting}: {answer}");
        assert_eq!(answer["nearest"]["set"], Json::from(vec![setting]), "{answer}");
        assert_eq!(
            (&answer["nearest"]["explains_answers"], &answer["rules_fit"]),
            (&Json::Bool(true), &Json::Bool(false))
        );
    }
}

#[test]
fn another_notation_is_named_and_nothing_is_certain() {
    for (script, hint) in [
        ("--lists --lower", "--first lower"),
        ("--lists --counts --lower", "--first lower"),
        ("--counts --play divide --lower", "--first lower"),
        ("--lists --counts --mirror-moves", "--mirror"),
        ("--play first --mirror-moves", "--mirror"),
    ] {
        let answer = rules_of(script, &["--depth", "2"], 1);
        assert!(answer["impossible_moves"].as_u64().unwrap() > 0, "{script}: {answer}");
        let hints = answer["hints"].to_string();
        assert!(hints.contains("illegal moves") && hints.contains(hint), "{script}: {hints}");
        assert!(["unclear", "nothing"].contains(&text(&answer, "conclusion")), "{script}: {answer}");
    }
    // Two letters exchanged make other rules of it, which do not explain the counts.
    let answer = rules_of("--lists --counts --letters CEEC", &["--depth", "3"], 1);
    assert_eq!((text(&answer, "conclusion"), &answer["rules_fit"]), ("unclear", &Json::Bool(false)), "{answer}");
}

#[test]
fn questions_without_an_answer_are_counted() {
    for (trouble, kind) in [("crash:5", "crash"), ("garbage:3", "garbage")] {
        let answer = rules_of(&format!("--play greedy --trouble {trouble}"), &[], 1);
        let failures = answer["failures"].as_object().unwrap();
        assert!(failures[kind].as_u64().unwrap() > 0 && failures.len() == 1, "{answer}");
        // What it answers fits all the same.
        assert_eq!(answer["rules_fit"], true, "{answer}");
    }
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    let folder = TempDir::new().unwrap();
    let plain = dialect(&folder, "[protocol]\nperft = []\nlist = []\n");
    let command = format!("'{program}' --play greedy --trouble crash:5");
    let words = ["check", "rules", "--movetime", "50", "--dialect", &plain, "--cmd", &command];
    let ran = Dsq::in_folder(folder.path()).run(&words).expect_code(1);
    let line = ran.stdout.lines().find(|line| line.contains(" questions failed: crash "));
    assert!(line.is_some_and(|line| line.contains(" of 25 ")), "{}", ran.stdout);
}

#[test]
fn an_engine_that_plays_at_random_tells_only_what_it_does() {
    for seed in 0..4 {
        let answer = rules_of(&format!("--play random:{seed} --rules leiden"), &["--rules", "leiden"], 0);
        assert_eq!(
            (&answer["rules_fit"], &answer["conclusion"]),
            (&Json::Bool(true), &Json::from("likely")),
            "{answer}"
        );
        assert_eq!(answer["nearest"]["unexplained_answers"], 0);
        assert!(text(&answer, "asked").contains("a move that it does not make says nothing"), "{answer}");
        let undecided: Vec<&str> =
            answer["undecided"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        // One win in three or four is found by chance, and nothing else tells anything.
        assert!(undecided.len() >= 3 && undecided.len() < 16, "{undecided:?}");
        for about in answer["answers"].as_array().unwrap() {
            let (key, values) = (text(about, "setting"), about["values"].as_array().unwrap().len());
            let all = if key == "ranks" || key == "swimmers" || key == "traps" { 3 } else { values };
            assert!(text(about, "answer") != "unknown" || values == all, "{about}");
            assert_eq!(about["sure"], false, "{about}");
        }
    }
    // The same in words, and what nobody's rules explain.
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    let folder = TempDir::new().unwrap();
    let plain = dialect(&folder, "[protocol]\nperft = []\nlist = []\n");
    let check = |script: &str| {
        let command = format!("'{program}' {script}");
        let words = ["check", "rules", "--movetime", "50", "--dialect", &plain, "--cmd", &command];
        Dsq::in_folder(folder.path()).run(&words)
    };
    let ran = check("--play random:1").expect_code(0);
    for part in ["likely: these rule sets fit: classic", "undecided, as all values fit: ", "likely, because"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // It says in every position that it has no move.
    let ran = check("--play greedy --trouble none").expect_code(1);
    let line = ran.stdout.lines().find(|line| line.contains("comes nearest")).unwrap();
    assert!(line.contains("and does not explain ") && line.contains(" of 24 answers: --rules "), "{line}");
    // It answers no question at all.
    let ran = check("--play greedy --trouble garbage").expect_code(1);
    assert!(ran.stdout.contains("nothing was found out about its rules"), "{}", ran.stdout);
    assert!(ran.error_line().contains("nothing was found out"), "{ran:#?}");
}

#[test]
fn an_engine_that_refuses_moves_tells_its_rules_by_that() {
    let answer = rules_of("--checks --play first --rules leiden", &["--rules", "leiden"], 0);
    assert!(text(&answer, "asked").contains("whether it goes on after a move"), "{answer}");
    let answers = answer["answers"].as_array().unwrap();
    let sure = answers.iter().filter(|answer| answer["sure"] == true).count();
    assert!(sure >= 24, "{answer}");
    assert_eq!(answer["rule_sets"], Json::from(vec!["leiden"]));
}

#[test]
fn rules_are_found_in_dialects_too_and_a_silent_engine_tells_nothing() {
    let uaci = "--hello uaci --turned --letters RM --sides r/b --place fen --time time --no-ready --play greedy";
    let answer = rules_of(&format!("{uaci} --rules leiden"), &["--dialect", "uaci", "--rules", "leiden"], 0);
    assert!(answer["rule_sets"].to_string().contains("leiden"), "{answer}");
    // It knows no command that lists or counts, and thinks without end when it is told to count.
    let answer = rules_of("--play greedy --rules knowlton", &["--dialect", "uci", "--rules", "knowlton"], 0);
    assert!(answer["rule_sets"].to_string().contains("knowlton"), "{answer}");
    let answer = rules_of("--halves --sides b/w --play greedy", &["--dialect", "gtp-halves"], 0);
    assert!(answer["rule_sets"].to_string().contains("classic"), "{answer}");
    let folder = TempDir::new().unwrap();
    let words = ["check", "rules", "--hello-timeout", "300", "--cmd", "cat >/dev/null"];
    let line = Dsq::in_folder(folder.path()).run(&words).refused_with(2);
    assert!(line.contains("never answered its greeting"), "{line}");
    let refused = Dsq::in_folder(folder.path()).rules("mini-jungla").run(&words).refused_with(2);
    assert!(refused.contains("mini-jungla"), "{refused}");
}
