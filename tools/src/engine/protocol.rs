//! The lines of the engine: UCI as far as it makes sense here.

use super::game::Played;
use super::player::{News, Player};
use super::search::{DEEPEST, Found, Limits};
use crate::error::words_of_fen;
use crate::lines::read_line;
use dsq_tables::fen::Fen;
use dsq_tables::moves::Move;
use dsq_tables::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::value::Value;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// The longest line that is read: some thousand moves. What is longer is cut and then refused as it stands.
const LONGEST_LINE: usize = 1 << 16;
/// How many lines wait at most.
const MOST_LINES: usize = 1024;
/// How long a search takes if nothing is said.
const TIME: Duration = Duration::from_secs(1);
/// The answer where there is no move.
const NO_MOVE: &str = "0000";

/// Reads lines from standard input and answers until the input ends or says so.
pub fn run(player: &Player, out: &mut dyn Write) -> io::Result<()> {
    let (sender, lines) = mpsc::sync_channel(MOST_LINES);
    // It ends with the input, or with the program.
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(line)) = read_line(&mut input, LONGEST_LINE) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let rules = player.tables().rules().clone();
    let game = Fen::parse(&rules, "startpos").map(Played::from).map_err(|error| words_of_fen(&error));
    Talk { player, rules, lines, waiting: VecDeque::new(), game, ended: false, quit: false }.run(out)
}

struct Talk<'a> {
    player: &'a Player,
    rules: Arc<Rules>,
    lines: Receiver<String>,
    /// Lines that came while a move was chosen. They are done afterwards, in turn.
    waiting: VecDeque<String>,
    /// The positions of the game, or what is wrong with the last one that was given.
    game: Result<Played, String>,
    /// True once there is no more input.
    ended: bool,
    quit: bool,
}

/// What a `go` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Go {
    Move { limits: Limits, infinite: bool },
    Perft(u32),
}

impl Talk<'_> {
    fn run(mut self, out: &mut dyn Write) -> io::Result<()> {
        while let Some(line) = self.next() {
            self.answer(&line, out)?;
            out.flush()?;
            if self.quit {
                break;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    fn answer(&mut self, line: &str, out: &mut dyn Write) -> io::Result<()> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uci") => {
                writeln!(out, "id name dsq {}", env!("CARGO_PKG_VERSION"))?;
                writeln!(out, "info string rules {}", self.rules.name())?;
                writeln!(out, "uciok")
            }
            Some("isready") => writeln!(out, "readyok"),
            Some("position") => {
                self.game = read_game(&self.rules, &words.collect::<Vec<_>>());
                match &self.game {
                    Ok(_) => Ok(()),
                    Err(words) => writeln!(out, "info string {words}"),
                }
            }
            Some("go") => {
                let (go, complaints) = read_go(&words.collect::<Vec<_>>());
                for words in complaints {
                    writeln!(out, "info string go: {words}")?;
                }
                self.go(go, out)
            }
            Some("quit") => {
                self.quit = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn go(&mut self, go: Go, out: &mut dyn Write) -> io::Result<()> {
        let Ok(game) = &self.game else { return writeln!(out, "bestmove {NO_MOVE}") };
        let game = game.clone();
        match go {
            Go::Perft(depth) => self.perft(&game.positions, depth, out),
            Go::Move { limits, infinite } => {
                let chosen = self.choose(&game, limits, infinite, out)?;
                let text = chosen.map_or_else(|| NO_MOVE.to_owned(), |squares| squares.to_text(self.rules.board()));
                writeln!(out, "bestmove {text}")
            }
        }
    }

    /// The move for the last position of a game. With `infinite` it is not given before somebody asks for it.
    fn choose(
        &mut self,
        game: &Played,
        limits: Limits,
        infinite: bool,
        out: &mut dyn Write,
    ) -> io::Result<Option<Move>> {
        let begin = Instant::now();
        let (player, rules) = (self.player, self.rules.clone());
        // Both write: what is reported and the answer to `isready`.
        let written = std::cell::RefCell::new((out, Ok(())));
        let write = |text: &str| {
            let mut written = written.borrow_mut();
            if written.1.is_ok() {
                written.1 = writeln!(written.0, "{text}").and_then(|()| written.0.flush());
            }
            written.1.is_err()
        };
        let mut wanted = self.waiting.iter().any(|line| ends_at_once(line, infinite));
        let mut asked = || {
            wanted = wanted || self.hear(infinite, &mut |text| write(text));
            wanted
        };
        let mut tell = |news: News<'_>| {
            write(&match news {
                News::Table(value) => format!("info string {}", in_words(value)),
                News::Limit(outcome, value) => {
                    format!("info string {} under the limit; without it: {}", outcome.name(), in_words(value))
                }
                News::Depth(found) => depth_line(&rules, found, begin.elapsed()),
                News::Complaint(words) => format!("info string {words}"),
            });
        };
        let chosen = player.choose(game, limits, &mut asked, &mut tell);
        if infinite {
            while !asked() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        written.into_inner().1?;
        Ok(chosen)
    }

    /// Looks at the lines that have come while a move is chosen. True if it is wanted now.
    fn hear(&mut self, infinite: bool, write: &mut dyn FnMut(&str) -> bool) -> bool {
        loop {
            if self.waiting.len() >= MOST_LINES {
                // Whoever writes that much does not wait for this move.
                return infinite;
            }
            match self.lines.try_recv() {
                Ok(line) if word(&line) == "isready" => {
                    if write("readyok") {
                        return true;
                    }
                }
                Ok(line) => {
                    let ends = ends_at_once(&line, infinite);
                    self.waiting.push_back(line);
                    if ends {
                        return true;
                    }
                }
                Err(TryRecvError::Empty) => return self.ended && infinite,
                Err(TryRecvError::Disconnected) => {
                    self.ended = true;
                    // Nobody can say `stop` any more; a search with a limit is done in full.
                    return infinite;
                }
            }
        }
    }

    fn perft(&self, game: &[Position], depth: u32, out: &mut dyn Write) -> io::Result<()> {
        let Some(position) = game.last() else { return Ok(()) };
        let parts = if depth == 0 { Vec::new() } else { perft::divide(&self.rules, position, depth) };
        for (legal, nodes) in &parts {
            writeln!(out, "{}: {nodes}", legal.squares.to_text(self.rules.board()))?;
        }
        let all: u64 = if depth == 0 { 1 } else { parts.iter().map(|(_, nodes)| nodes).sum() };
        writeln!(out, "\nNodes searched: {all}")
    }
}

/// The first word of a line.
fn word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// True if a line ends the search before it at once. A search with a limit ends by itself, so that lines can be sent all together
/// and a `quit` after them.
fn ends_at_once(line: &str, infinite: bool) -> bool {
    match word(line) {
        "stop" => true,
        "quit" => infinite,
        _ => false,
    }
}

/// Reads what comes after `position`: the positions of the game, or what is wrong.
fn read_game(rules: &Rules, words: &[&str]) -> Result<Played, String> {
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let (place, moves) = words.split_at(end);
    let fen = match place {
        ["startpos", ..] => place.join(" "),
        ["fen", fields @ ..] if !fields.is_empty() => fields.join(" "),
        _ => return Err("position: expected startpos or fen F, and then moves M... if there are any".to_owned()),
    };
    let mut game = Played::from(Fen::parse(rules, &fen).map_err(|error| words_of_fen(&error))?);
    for (number, text) in moves.iter().skip(1).enumerate() {
        let position = game.positions.last().ok_or_else(String::new)?;
        let squares = Move::parse(rules.board(), text);
        let legal = squares.and_then(|squares| position.find_move(rules, squares));
        let Some(legal) = legal else {
            return Err(format!("position: move {} ({text:?}) is not legal in {}", number + 1, position.to_fen(rules)));
        };
        let next = position.after(&legal);
        game.positions.push(next);
        game.clock = legal.quiet_plies_after(game.clock);
    }
    Ok(game)
}

/// Reads what comes after `go`. What is not understood is left out, and reported.
fn read_go(words: &[&str]) -> (Go, Vec<String>) {
    fn number<T: FromStr>(text: Option<&&str>, word: &str, complaints: &mut Vec<String>) -> Option<T> {
        let number = text.and_then(|text| text.parse().ok());
        if number.is_none() {
            let found =
                text.map_or_else(|| "there is nothing".to_owned(), |text| format!("{:?} is not one", shown(text)));
            complaints.push(format!("{word} needs a number from 0 up after it, but {found}; ignored"));
        }
        number
    }
    let mut complaints = Vec::new();
    let (mut perft, mut depth, mut nodes, mut time, mut infinite) = (None, None, None, None, false);
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        match word {
            "perft" => perft = number(rest.next(), word, &mut complaints),
            "depth" => depth = number(rest.next(), word, &mut complaints),
            "nodes" => nodes = number(rest.next(), word, &mut complaints),
            "movetime" => time = number::<u64>(rest.next(), word, &mut complaints),
            "infinite" => infinite = true,
            // Words of UCI that say nothing here; moves come after the last one.
            "wtime" | "btime" | "winc" | "binc" | "movestogo" | "mate" => {
                rest.next();
            }
            "ponder" => {}
            "searchmoves" => break,
            _ => complaints.push(format!("{:?} is not known; ignored", shown(word))),
        }
    }
    if let Some(depth) = perft {
        return (Go::Perft(depth), complaints);
    }
    let limited = depth.is_some() || nodes.is_some() || infinite;
    let time = time.map(Duration::from_millis).or_else(|| (!limited).then_some(TIME));
    let limits = Limits {
        depth: depth.unwrap_or(DEEPEST),
        nodes: nodes.unwrap_or(u64::MAX),
        deadline: time.and_then(|time| Instant::now().checked_add(time)),
    };
    (Go::Move { limits, infinite }, complaints)
}

/// The beginning of a word that may be long.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

fn in_words(value: Value) -> String {
    match value {
        Value::Win(plies) => format!("in the tables: a win in {}", crate::number::plies(plies)),
        Value::Draw => "in the tables: a draw".to_owned(),
        Value::Loss(plies) => format!("in the tables: a loss in {}", crate::number::plies(plies)),
    }
}

/// The usual line of a search. A mate is counted in moves of the side that is mated or mates, as everywhere.
fn depth_line(rules: &Rules, found: &Found, time: Duration) -> String {
    let score = match found.end_plies() {
        Some(plies) if plies > 0 => format!("mate {}", (plies + 1) / 2),
        Some(plies) => format!("mate {}", plies / 2),
        None => format!("cp {}", found.score),
    };
    let line: Vec<String> = found.line.iter().map(|squares| squares.to_text(rules.board())).collect();
    let (depth, nodes, time) = (found.depth, found.nodes, time.as_millis());
    format!("info depth {depth} score {score} nodes {nodes} time {time} pv {}", line.join(" "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn game(text: &str) -> Result<Vec<String>, String> {
        let rules = Rules::load("classic").unwrap();
        let game = read_game(&rules, &text.split_whitespace().collect::<Vec<_>>())?;
        Ok(game.positions.iter().map(|position| position.to_fen(&rules)).collect())
    }

    #[test]
    fn positions_are_read_with_their_moves() {
        assert_eq!(game("startpos").unwrap(), ["l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w"]);
        assert_eq!(game("startpos moves a3a4 g7g6").unwrap().len(), 3);
        assert_eq!(game("startpos b").unwrap(), ["l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L b"]);
        assert_eq!(game("startpos b moves g7g6").unwrap().len(), 2);
        let games = game("fen t6/7/T6/7/7/7/7/7/7 w - - 0 1 moves a7a6").unwrap();
        assert_eq!(games[1], "t6/7/7/T6/7/7/7/7/7 b");
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_is_wrong() {
        for (text, part) in [
            ("", "expected startpos or fen"),
            ("start", "expected startpos or fen"),
            ("fen", "expected startpos or fen"),
            ("fen 7/7 w", "2 ranks"),
            ("startpos moves a3a4 a4a5", "move 2 (\"a4a5\") is not legal in"),
            ("startpos c", "\"c\""),
            ("startpos moves hello", "move 1 (\"hello\")"),
        ] {
            assert!(game(text).unwrap_err().contains(part), "{text}");
        }
    }

    fn go(text: &str) -> (Go, Vec<String>) {
        read_go(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn limits_are_read_and_what_is_of_no_use_here_is_skipped() {
        assert_eq!(go("perft 3"), (Go::Perft(3), Vec::new()));
        let (Go::Move { limits, infinite }, complaints) = go("depth 5 wtime 3 ponder nodes 700 searchmoves a3a4")
        else {
            panic!("no move")
        };
        let expected = Limits { depth: 5, nodes: 700, deadline: None };
        assert_eq!((limits, infinite, complaints), (expected, false, Vec::new()));
        let (Go::Move { limits, infinite }, complaints) = go("infinite") else { panic!("no move") };
        assert_eq!((limits.depth, limits.deadline, infinite, complaints), (DEEPEST, None, true, Vec::new()));
        for text in ["", "movetime 5"] {
            let (Go::Move { limits, infinite }, complaints) = go(text) else { panic!("no move") };
            assert!(limits.deadline.is_some() && !infinite && complaints.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_left_out_and_reported() {
        for (text, parts) in [
            ("depth x", &["depth needs a number from 0 up after it, but \"x\" is not one"][..]),
            ("depth", &["depth needs a number from 0 up after it, but there is nothing"]),
            ("movetime -1", &["movetime needs a number from 0 up after it, but \"-1\" is not one"]),
            ("nodes 99999999999999999999999", &["nodes needs"]),
            ("perft x", &["perft needs"]),
            ("dept 3", &["\"dept\" is not known", "\"3\" is not known"]),
        ] {
            let (Go::Move { limits, infinite }, complaints) = go(text) else { panic!("no move") };
            assert!(limits.deadline.is_some() && limits.depth == DEEPEST && !infinite, "{text}");
            assert_eq!(complaints.len(), parts.len(), "{complaints:?}");
            assert!(complaints.iter().zip(parts).all(|(complaints, part)| complaints.contains(part)), "{complaints:?}");
        }
        let (Go::Move { limits, .. }, complaints) = go("depth x nodes 5") else { panic!("no move") };
        assert_eq!((limits.nodes, limits.deadline, complaints.len()), (5, None, 1));
    }
}
