//! The report as text and as a page.

use super::{C33, C37, dsq};
use std::fs;
use tempfile::TempDir;

#[test]
fn the_report_shows_each_fault_with_its_board() {
    let (_tables, dsq) = dsq();
    let text = format!(
        "[White \"Anna\"]\n[Black \"Bert\"]\n[FEN \"{C33}\"]\n1. c2c3 *\n\n[FEN \"{C37}\"]\n1. c3c2 *\n\n\
         [FEN \"7/7/7/7/7/eR5/7/7/7 w\"]\n1. b4a4 b4b5 *\n"
    );
    let ran = dsq.run_with_input(&["check", "games", "-"], text.clone()).expect_code(1);
    for part in [
        "Anna - Bert",
        "game 1, ply 1, white (Anna): c2c3 turns a win in 15 plies into a loss in 8 plies",
        "   3  D . . . . t .",
        "kept the win: c2d2 a3a2 a3b3 a3a4 (15 plies)",
        "game 2, ply 1, white: c3c2 wins in 29 plies instead of 25 plies",
        "b4a4 is illegal: the white rat on b4 may not take the black elephant on a4",
        "legal with --set rat-takes-elephant=always",
        "1 move after that not judged",
        "3 games, 3 moves, 2 judged by the tables, 2 faults",
        "DL-T",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is not in {}", ran.stdout);
    }
    let brief = dsq.run_with_input(&["check", "games", "-", "-q"], text).expect_code(1);
    assert!(!brief.stdout.contains("instead of 25") && brief.stdout.contains("c2c3"), "{}", brief.stdout);
}

#[test]
fn the_page_is_whole_and_takes_nothing_from_the_record_as_its_own() {
    let (_tables, dsq) = dsq();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("report.html");
    fs::write(&path, "the old page").unwrap();
    let text = format!(
        "[White \"<script>alert('x')</script>\"]\n[Black \"\\\"><img src=x onerror=y>\"]\n[FEN \"{C33}\"]\n1. c2c3 *\n\n\
         [FEN \"{C37}\"]\n1. c3c2 <b>bad</b>\n"
    );
    let ran = dsq.run_with_input(&["check", "games", "-", "--html", path.to_str().unwrap()], text).expect_code(2);
    assert!(ran.stdout.contains("1 fault"), "{ran:#?}");
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    for forbidden in ["<script", "<img", "<b>bad", "http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.replace("src=x onerror", "").contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert_eq!(page.matches("<svg").count(), 1, "one fault, one board");
    assert!(page.contains("c2c3") && page.contains("instead of 25") && page.contains("DL-T"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left in the folder");
    // A page that cannot be written is said, and the report is there all the same.
    let nowhere = folder.path().join("no/such/folder.html");
    let record = format!("[FEN \"{C37}\"]\n1. c3c2 *");
    let ran = dsq.run_with_input(&["check", "games", "-", "--html", nowhere.to_str().unwrap()], record).expect_code(2);
    assert!(ran.error_line().contains("folder.html") && ran.stdout.contains("1 game"), "{ran:#?}");
}
