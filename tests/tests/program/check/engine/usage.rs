//! Bad usage.

use super::Check;
use crate::program::tables;
use std::fs;
use tempfile::TempDir;

#[test]
fn bad_usage_is_refused_before_an_engine_is_started() {
    let tables = tables();
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (bad, empty) = (file("bad.txt", "7/7/7/3r3/3E3/7/7/7/7 w\nx\n"), file("empty.txt", "# nothing\n"));
    let (over, stuck) = (file("over.txt", "3E3/7/3e3/7/7/7/7/7/7 b\n"), file("stuck.txt", "7/7/7/7/7/7/7/d6/Rc5 w\n"));
    let unknown = file("unknown.toml", "[protocol]\nhallo = \"x\"\n");
    let lines = file("lines.toml", "[protocol]\ninit = [\"a\\nb\"]\n");
    let pos = file("pos.toml", "[protocol]\nhello = \"uci\"\nposition = \"position fen {pos}\"\n");
    let none = file("none.toml", "[protocol]\nposition = \"position\"\n");
    let sideless = file("sideless.toml", "[protocol]\nkind = \"gtp\"\nposition = \"board {board}\"\n");
    let letters = file("letters.toml", "[notation]\nfirst = \"lower\"\nletters = { lion = \"P\" }\n");
    let touched = folder.path().join("touched");
    let touch = format!("touch '{}'", touched.display());
    for (words, part) in [
        (&["--positions", &bad][..], "bad.txt: line 2: FEN"),
        (&["--positions", &empty], "no position"),
        (&["--positions", &over], "line 1: the game is over"),
        (&["--positions", &stuck], "line 1: there is no legal move"),
        (&["--positions", "/nowhere/x"], "/nowhere/x"),
        (&["--dialect", "klingon"], "\"klingon\" is not known"),
        (&["--dialect", &unknown], "line 2"),
        (&["--dialect", &lines], "lines.toml: line 2: init: \"a\\nb\" is more than one line"),
        (&["--init", "a\nb"], "--init: \"a\\nb\" is more than one line"),
        (&["--hello", "{name}"], "--hello: {name} is not known"),
        (&["--dialect", &pos], "pos.toml: line 3: position: {pos} is not known, only {position}, {board}, {side}"),
        (&["--dialect", &none], "none.toml: line 2: position: neither {position} nor {board}"),
        (&["--dialect", &sideless, "--protocol", "uci"], "--protocol: position: {side} is missing"),
        (&["--dialect", "uci", "--dialect", "gtp"], "1 command and 2 dialects"),
        (&["--dialect", &letters], "letters.toml: line 3: letters: P would be both leopard and lion"),
        // What the options alone make of it is no fault of the file.
        (&["--dialect", "uci", "--letters", "lion=P"], "dsq: letters: P would be both leopard and lion"),
        (&["--letters", "dragon=D"], "dragon"),
        (&["--material", "RR-E"], "twice"),
        (&["--difficulty", "won:67000"], "no such position"),
    ] {
        let words = [words, &["--cmd", &touch]].concat();
        let line = Check::new(&tables, &words).run().refused_with(2);
        assert!(line.contains(part), "{line}");
    }
    let none = Check::new(&tables, &[]).run().refused_with(2);
    assert!(none.contains("there is no engine: --cmd"), "{none}");
    let nobody = file("nobody.toml", "[protocol]\nhello = \"\"\ncommand = \" \"\n");
    let none = Check::new(&tables, &["--dialect", &nobody]).run().refused_with(2);
    assert!(none.contains("nobody.toml: line 3: command: it is empty") && none.contains("--cmd"), "{none}");
    for words in [
        &["--difficulty", "easy"][..],
        &["--mode", "chat"],
        &["--parallel", "0"],
        &["--positions", &bad, "--count", "3"],
    ] {
        let ran = Check::new(&tables, &[words, &["--cmd", &touch]].concat()).run().expect_code(2);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{ran:#?}");
    }
    let missing = Check::new(&tables, &["--material", "RL-TE", "--cmd", &touch]).run().refused_with(3);
    assert!(missing.contains("RL-TE"), "{missing}");
    assert!(missing.contains(" generate RL-TE"), "{missing}");
    // Who asks for all of a size is told how to make all of them, not one after the other.
    let missing = Check::new(&tables, &["--pieces", "4", "--cmd", &touch]).run().refused_with(3);
    assert!(missing.contains(" generate --pieces 4"), "{missing}");
    assert!(!touched.exists());
}
