//! What is printed, as text, JSON and a page.

use super::{Check, verdicts};
use crate::program::check::text;
use crate::program::tables;
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

#[test]
fn several_engines_stand_side_by_side() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("report.html");
    let words = ["--count", "30", "--difficulty", "won:9,drawn:2", "--html", page.to_str().unwrap(), "--faults", "2"];
    let check = Check::new(&tables, &words)
        .engine("--play best")
        .engine("--play throw")
        .engine("--play best --trouble none:10");
    let ran = check.run().expect_code(1);
    let row = |name: &str| {
        let line =
            ran.stdout.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{ran:#?}"));
        line.trim_start()[name.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("moves"), ["30", "30", "27"]);
    assert_eq!(row("no move"), ["0", "0", "3"]);
    assert_eq!(row("best")[0], "30");
    assert!(ran.stdout.contains("more faults; --faults, --json and --html show all of them"), "{ran:#?}");
    let none = Check::new(&tables, &["--count", "3", "--faults", "0"]).engine("--trouble garbage").run().expect_code(1);
    assert!(none.stdout.contains(": 3 faults; --faults,"), "{none:#?}");
    assert!(ran.stdout.contains("kept the win:") || ran.stdout.contains("kept the draw:"), "{ran:#?}");
    let page = fs::read_to_string(page).unwrap();
    let thrown = page.matches("<section class=\"fault\">").count();
    let (moves, _, _) = check.json(1);
    let faults = ["win-to-draw", "win-to-loss", "draw-to-loss", "no-move"];
    assert_eq!(thrown, moves.iter().filter(|object| faults.contains(&text(object, "verdict"))).count());
    assert_eq!(page.matches("<svg").count(), thrown);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
}

#[test]
fn what_an_engine_says_cannot_break_the_page() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("report.html");
    let engine = "while read line; do case $line in uci) echo 'id name <script>alert(1)</script>'; echo uciok;; isready) echo readyok;; go*) echo '<b>'; echo 'bestmove <img src=x>';; esac; done";
    let words = ["--count", "2", "--html", page.to_str().unwrap(), "--cmd", engine];
    let (moves, _, _) = Check::new(&tables, &words).json(1);
    assert_eq!(verdicts(&moves), BTreeMap::from([("garbage", 2)]));
    let page = fs::read_to_string(page).unwrap();
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>\n"), "{page}");
    assert!(page.contains("&lt;img"));
}
