//! An engine for tests, which plays as it is told: well or badly, in any dialect, or not at all. It shares nothing with the
//! program under test but rules and tables; how others write it has worked out for itself.
//!
//! `scripted_engine [--dir FOLDER] [--rules NAME] [--play HOW] [--trouble WHAT[:N]] [dialect options]`, see [`Script::read`].
#![allow(clippy::unwrap_used)]

use dsq_tables::board::Square;
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::perft::divide;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::{Value, Wdl};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "--sleep") {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    let script = Script::read(&words);
    for line in &script.banner {
        say(line);
    }
    let start = Position::start(&script.rules);
    let mut engine = Engine { position: Some(start), start, from: None, asked: 0, script };
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        if line.trim() == "quit" && !engine.script.stays {
            return;
        }
        engine.answer(&line);
    }
    if engine.script.stays {
        hang();
    }
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    // Whoever is killed while it prints must not panic.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// What it is told to do.
struct Script {
    rules: Arc<Rules>,
    tables: Option<Tablebase>,
    play: String,
    /// What goes wrong, at which question: at every one if it is 1, at every second one if it is 2.
    trouble: Option<(String, u32)>,
    hello: String,
    banner: Vec<String>,
    no_ready: bool,
    stays: bool,
    counts: bool,
    lists: bool,
    /// It refuses moves that are not legal.
    checks: bool,
    gtp: bool,
    halves: bool,
    tongue: Tongue,
    /// Handed on to its children, so that they can be found.
    marker: String,
}

impl Script {
    fn read(words: &[String]) -> Script {
        let has = |name: &str| words.iter().any(|word| word == name);
        let all = |name: &str| {
            let pairs = words.windows(2).filter(|pair| pair[0] == name).map(|pair| pair[1].clone());
            pairs.collect::<Vec<_>>()
        };
        let value = |name: &str| all(name).pop();
        let rules = Rules::load_with(
            &value("--rules").unwrap_or("classic".into()),
            all("--set").iter().map(|set| set.split_once('=').unwrap()),
        )
        .unwrap();
        let trouble = value("--trouble").map(|text| match text.split_once(':') {
            Some((what, every)) => (what.to_owned(), every.parse().unwrap()),
            None => (text, 1),
        });
        let pair = |text: String| text.split_once('/').map(|(a, b)| [a.to_owned(), b.to_owned()]).unwrap();
        Script {
            tables: value("--dir").map(|dir| Tablebase::open(Path::new(&dir), rules.clone()).unwrap()),
            rules,
            play: value("--play").unwrap_or("best".into()),
            trouble,
            hello: value("--hello").unwrap_or("uci".into()),
            banner: all("--banner"),
            no_ready: has("--no-ready"),
            stays: has("--stays"),
            counts: has("--counts"),
            lists: has("--lists"),
            checks: has("--checks"),
            gtp: has("--gtp") || has("--halves"),
            halves: has("--halves"),
            tongue: Tongue {
                lower: has("--lower"),
                mirror: has("--mirror"),
                mirror_moves: has("--mirror-moves"),
                turned: has("--turned"),
                blanks: has("--blanks"),
                upper_moves: has("--upper-moves"),
                letters: value("--letters").unwrap_or_default(),
                sides: value("--sides").map_or(["w".into(), "b".into()], pair),
                signs: value("--signs").map_or([String::new(), String::new()], pair),
                place: value("--place").unwrap_or("position fen".into()),
                time: value("--time").unwrap_or("movetime".into()),
            },
            marker: value("--marker").unwrap_or_default(),
        }
    }
}

/// How it writes.
struct Tongue {
    lower: bool,
    mirror: bool,
    /// It writes its moves as if left and right were exchanged, and reads positions as they are.
    mirror_moves: bool,
    /// Seven rows of nine, our file a at the top and rank 1 at the left; rows are numbered from 0.
    turned: bool,
    blanks: bool,
    upper_moves: bool,
    /// Our letter and theirs, as `LIPL`.
    letters: String,
    sides: [String; 2],
    /// Between the squares of a quiet move and of a capture.
    signs: [String; 2],
    /// The words before a position.
    place: String,
    /// The word before a time.
    time: String,
}

impl Tongue {
    fn ours(&self, theirs: char) -> char {
        let letters: Vec<char> = self.letters.chars().collect();
        let found = letters.chunks(2).find(|pair| pair[1] == theirs.to_ascii_uppercase());
        let ours = found.map_or(theirs.to_ascii_uppercase(), |pair| pair[0]);
        // Their own letter for one animal must not be read as ours of another.
        assert!(found.is_some() || !letters.chunks(2).any(|pair| pair[0] == ours), "{theirs} is no letter here");
        if theirs.is_ascii_uppercase() != self.lower { ours } else { ours.to_ascii_lowercase() }
    }

    /// Reads a position, and how many words it took.
    fn read(&self, rules: &Rules, words: &[&str]) -> (Position, usize) {
        let rows = if self.turned { 7 } else { 9 };
        let (texts, used): (Vec<&str>, usize) =
            if self.blanks { (words[..rows].to_vec(), rows) } else { (words[0].split('/').collect(), 1) };
        assert_eq!(texts.len(), rows, "rows of {words:?}");
        let mut grid = [['.'; 7]; 9];
        for (row, text) in texts.iter().enumerate() {
            let mut column = 0;
            for c in text.chars() {
                if let Some(digit) = c.to_digit(10) {
                    column += digit as usize;
                    continue;
                }
                let (file, rank) = if self.turned { (row, column) } else { (column, 8 - row) };
                grid[rank][if self.mirror { 6 - file } else { file }] = self.ours(c);
                column += 1;
            }
            assert_eq!(column, if self.turned { 9 } else { 7 }, "columns of {text}");
        }
        let side = self.sides.iter().position(|side| side == words[used]).expect("a side to move");
        let ranks: Vec<String> = grid.iter().rev().map(|rank| rank.iter().collect()).collect();
        let board = ranks.join("/").replace('.', "1");
        (Position::from_fen(rules, &format!("{board} {}", ["w", "b"][side])).unwrap(), used + 1)
    }

    fn square(&self, rules: &Rules, square: Square) -> String {
        let (file, rank) = (rules.board().file(square), rules.board().rank(square));
        let file = if self.mirror || self.mirror_moves { 6 - file } else { file };
        let (letter, number) = if self.turned { (rank, file) } else { (file, rank + 1) };
        format!("{}{number}", char::from(b'a' + letter))
    }

    fn write(&self, rules: &Rules, squares: Move, capture: bool) -> String {
        let sign = &self.signs[usize::from(capture)];
        let text = format!("{}{sign}{}", self.square(rules, squares.from), self.square(rules, squares.to));
        if self.upper_moves { text.to_uppercase() } else { text }
    }

    fn find(&self, rules: &Rules, position: &Position, text: &str) -> Option<LegalMove> {
        let written = |legal: &LegalMove| self.write(rules, legal.squares, legal.capture.is_some());
        position.legal_moves(rules).into_iter().find(|legal| written(legal) == text)
    }
}

struct Engine {
    /// None after what it has refused.
    position: Option<Position>,
    start: Position,
    /// The piece that moves, where moves are told in halves.
    from: Option<Move>,
    asked: u32,
    script: Script,
}

impl Engine {
    fn answer(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let place = self.script.tongue.place.clone();
        match words.as_slice() {
            [] => {}
            _ if self.script.gtp => self.answer_gtp(&words),
            [word] if *word == self.script.hello => {
                say("id name Scripted");
                say(&format!("{}ok", self.script.hello));
            }
            ["isready"] if !self.script.no_ready => say("readyok"),
            ["perft", depth] | ["go", "perft", depth] if self.script.counts => self.count(depth.parse().unwrap()),
            ["moves"] if self.script.lists => self.list(),
            // As many engines do: it knows no such word, and thinks without a limit.
            ["go", "perft", _] => hang(),
            ["go", rest @ ..] => {
                let known = ["depth", "nodes", self.script.tongue.time.as_str()];
                assert!(rest.iter().step_by(2).all(|word| known.contains(word)), "go {rest:?}");
                self.asked += 1;
                if let Some(text) = self.text() {
                    say(&format!("bestmove {text}"));
                }
            }
            _ if line.starts_with(&place) => self.place(&words[place.split_whitespace().count()..]),
            _ => {}
        }
    }

    fn answer_gtp(&mut self, words: &[&str]) {
        match words {
            ["name"] => say("= Scripted\n"),
            ["setfen", rest @ ..] => {
                self.from = None;
                self.place(rest);
                say("=\n");
            }
            ["genmove", side] => {
                let turn = self.position.unwrap().turn();
                assert_eq!(*side, self.script.tongue.sides[turn.index()], "the side to move");
                if let Some(squares) = self.from.take() {
                    say(&format!("= {}\n", self.script.tongue.square(&self.script.rules, squares.to)));
                } else if self.script.halves {
                    let legal = self.choose();
                    self.from = legal.map(|legal| legal.squares);
                    let from = |squares: Move| self.script.tongue.square(&self.script.rules, squares.from);
                    say(&format!("= {}\n", self.from.map_or("0000".to_owned(), from)));
                } else {
                    self.asked += 1;
                    if let Some(text) = self.text() {
                        say(&format!("= {text}\n"));
                    }
                }
            }
            ["moves"] if self.script.lists => {
                print!("= ");
                self.list();
                say("");
            }
            _ => say("? unknown command\n"),
        }
    }

    fn place(&mut self, words: &[&str]) {
        let Script { rules, tongue, .. } = &self.script;
        let (position, used) = tongue.read(rules, words);
        let mut position = Some(position);
        let moves = words[used..].strip_prefix(&["moves"]).unwrap_or_default();
        for text in moves {
            let Some(now) = position else { break };
            position = match tongue.find(rules, &now, text) {
                Some(legal) => Some(now.after(&legal)),
                None if self.script.checks => None,
                None => panic!("{text} is not legal in {}", now.to_fen(rules)),
            };
        }
        self.position = position;
    }

    fn count(&self, depth: u32) {
        let Script { rules, tongue, .. } = &self.script;
        let parts = divide(rules, &self.position.unwrap(), depth);
        let nodes: u64 = parts.iter().map(|(_, nodes)| nodes).sum();
        if self.script.play == "divide" {
            for (legal, nodes) in &parts {
                say(&format!("{}: {nodes}", tongue.write(rules, legal.squares, false)));
            }
        }
        say(&format!("perft({depth}) = {nodes}  (1 ms)"));
    }

    fn list(&self) {
        let Script { rules, tongue, .. } = &self.script;
        let moves = self.position.unwrap().legal_moves(rules);
        let texts: Vec<String> = moves.iter().map(|legal| tongue.write(rules, legal.squares, false)).collect();
        say(&format!("Legal moves ({}): {}", texts.len(), texts.join(" ")));
    }

    /// The move to answer with, or what it does instead.
    fn text(&mut self) -> Option<String> {
        if let Some((what, every)) = self.script.trouble.clone()
            && self.asked.is_multiple_of(every)
            && let Some(text) = self.trouble(&what)
        {
            return Some(text).filter(|text| !text.is_empty());
        }
        let Script { rules, tongue, .. } = &self.script;
        Some(match self.choose() {
            Some(legal) => tongue.write(rules, legal.squares, legal.capture.is_some()),
            None => "0000".to_owned(),
        })
    }

    /// Does what it should not. A text is said in place of a move, an empty one means nothing; none means that it then plays.
    // That nobody waits for its children is what it is for.
    #[allow(clippy::zombie_processes)]
    fn trouble(&self, what: &str) -> Option<String> {
        let child = |group: bool| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--sleep", "--marker", &self.script.marker]).stdin(Stdio::null());
            #[cfg(unix)]
            if group {
                use std::os::unix::process::CommandExt;
                command.process_group(0);
            }
            command.spawn().unwrap();
        };
        match what {
            "hang" => hang(),
            "crash" => std::process::exit(3),
            "abort" => std::process::abort(),
            "flood" => loop {
                say("info string more and more");
            },
            "torrent" => loop {
                let mut out = io::stdout().lock();
                if out.write_all(&[b'x'; 1 << 16]).is_err() {
                    hang();
                }
            },
            "garbage" => Some("hello".to_owned()),
            "unreadable" => {
                let mut out = io::stdout().lock();
                out.write_all(b"\xff\xfe\x00\x01\nbestmove \xff\xfe\n").and_then(|()| out.flush()).unwrap();
                Some(String::new())
            }
            "none" => Some("0000".to_owned()),
            "illegal" => Some(self.script.tongue.write(
                &self.script.rules,
                Move { from: Square::new(0), to: Square::new(62) },
                false,
            )),
            "silent" => Some(String::new()),
            "late" => {
                std::thread::sleep(Duration::from_millis(200));
                None
            }
            "chatter" => {
                for number in 0..5000 {
                    say(&format!("info depth 1 nodes {number}"));
                }
                None
            }
            "stderr" => {
                for number in 0..5000 {
                    eprintln!("warning {number}");
                }
                None
            }
            "child" => {
                child(false);
                std::process::exit(0)
            }
            "children" => {
                child(false);
                None
            }
            "daemon" => {
                child(true);
                None
            }
            _ => panic!("no such trouble: {what}"),
        }
    }

    /// The move that is played.
    fn choose(&self) -> Option<LegalMove> {
        let rules = &self.script.rules;
        let position = self.position?;
        let legal = position.legal_moves(rules);
        let wins = |legal: &&LegalMove| position.after(legal).finished(rules).is_some();
        match self.script.play.as_str() {
            // A capture that wins at once, else the first move.
            "greedy" | "divide" => legal.iter().find(wins).or(legal.first()).copied(),
            "first" => legal.first().copied(),
            "last" => legal.last().copied(),
            // Any move, by chance, and the same in the same position.
            play if play.starts_with("random:") => {
                let words = format!("{play} {}", position.to_fen(rules));
                let seed = words.bytes().fold(0u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
                let count = u64::try_from(legal.len()).unwrap();
                (count > 0).then(|| legal[usize::try_from(dsq_tests::Random::new(seed).below(count)).unwrap()])
            }
            "start" => self.start.legal_moves(rules).first().copied(),
            play => {
                let moves = self.script.tables.as_ref().expect("--dir").probe_moves(&position).unwrap();
                let best = moves.first()?.1;
                let worse = |(_, value): &&(LegalMove, Value)| match play {
                    // Throws away as little of the value as it can, if it can.
                    "throw" => Wdl::from(*value) < Wdl::from(best),
                    // Keeps the value and not the distance, if it can.
                    "slower" => Wdl::from(*value) == Wdl::from(best) && *value < best,
                    "best" | "worst" => false,
                    _ => panic!("no such play: {play}"),
                };
                let chosen = if play == "worst" { moves.last() } else { moves.iter().find(worse).or(moves.first()) };
                chosen.map(|&(legal, _)| legal)
            }
        }
    }
}
