//! The lines of chess engines: a greeting, `isready`, `position`, `go`, `bestmove`.

use super::connection::{Connection, shown};
use super::deadline::until;
use super::fault::Fault;
use super::question::{Asked, Limit, Ready, Reply};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long an engine has to answer the first `isready`; one that does not is not asked again.
const READY: Duration = Duration::from_secs(2);
/// An answer whose end nobody knows has ended when nothing comes for so long.
const QUIET: Duration = Duration::from_millis(400);
/// Moves that are none.
const NO_MOVES: [&str; 6] = ["0000", "(none)", "none", "null", "nullmove", "resign"];

/// How many lines are shown that are no answer.
const SHOWN: usize = 3;

fn ends_in_ok(word: &str) -> bool {
    word.to_ascii_lowercase().ends_with("ok")
}

/// What is to say of an engine that has not answered `go`, though it has said these lines. One that tells what it thinks is
/// only slow.
fn unanswered(fault: Fault, said: &VecDeque<String>) -> Fault {
    let thinks = |line: &String| line.split_whitespace().next().is_none_or(|word| word.eq_ignore_ascii_case("info"));
    match fault {
        Fault::Timeout { .. } if !said.iter().all(thinks) => {
            Fault::NoAnswer { fault: Box::new(fault), said: said.iter().map(|line| shown(line)).collect() }
        }
        fault => fault,
    }
}

impl Connection {
    pub(super) fn greet_by_uci(&mut self) -> Result<(), Fault> {
        let hello = self.profile.hello().to_owned();
        if !hello.is_empty() {
            let mut nearly = None;
            self.hello_by_uci(&hello, &mut nearly).map_err(|fault| self.ungreeted(fault, nearly))?;
        }
        for line in self.profile.init.clone() {
            self.process.say(&line);
        }
        Ok(())
    }

    /// Greets it. A line that looks like an answer and is none goes to `nearly`.
    fn hello_by_uci(&mut self, hello: &str, nearly: &mut Option<String>) -> Result<(), Fault> {
        let deadline = until(self.patience);
        self.process.say(hello);
        loop {
            // Whatever it prints before counts for nothing.
            let line = self.process.line(deadline)?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["id", "name", name @ ..] => self.name = Some(name.join(" ")),
                [word] if word.len() > 2 && ends_in_ok(word) => return Ok(()),
                ["id" | "info", ..] => {}
                [.., last] if ends_in_ok(last.trim_end_matches(['.', '!'])) => *nearly = Some(line),
                _ => {}
            }
        }
    }

    /// Waits until the engine is ready, if it answers `isready`. Whether it does is found out the first time.
    fn wait_by_uci(&mut self, patience: Duration) -> Result<(), Fault> {
        match self.ready {
            Ready::Yes => {
                self.process.say("isready");
                let deadline = until(patience.max(self.patience));
                while self.process.line(deadline)?.trim() != "readyok" {}
            }
            Ready::No => self.process.skip()?,
            Ready::Unknown => {
                self.process.say("isready");
                let deadline = until(READY.min(self.patience));
                // One that breaks down meanwhile has shown nothing.
                self.ready = loop {
                    match self.process.line_before(deadline)? {
                        Some(line) if line.trim() == "readyok" => break Ready::Yes,
                        Some(_) => {}
                        None => break Ready::No,
                    }
                };
            }
        }
        Ok(())
    }

    /// Puts a position, and waits until the engine has understood it as far as that can be known.
    fn place_by_uci(&mut self, asked: &Asked, patience: Duration) -> Result<(), Fault> {
        let new_game = self.profile.new_game().to_owned();
        if asked.new_game && !new_game.is_empty() {
            self.process.say(&new_game);
        }
        self.wait_by_uci(patience)?;
        let position = self.place(asked);
        self.process.say(&position);
        Ok(())
    }

    pub(super) fn ask_by_uci(&mut self, asked: &Asked, limit: &Limit) -> Result<Reply, Fault> {
        self.place_by_uci(asked, limit.patience)?;
        let mut go = "go".to_owned();
        let words = &self.profile.limits;
        let parts = [
            (&words.depth, limit.depth.map(u64::from)),
            (&words.movetime, limit.movetime),
            (&words.nodes, limit.nodes),
        ];
        for (word, number) in parts {
            if let Some(number) = number {
                go.push_str(&format!(" {word} {number}"));
            }
        }
        let begin = Instant::now();
        self.process.say(&go);
        let deadline = until(limit.patience);
        let mut said = VecDeque::new();
        loop {
            let line = self.process.line(deadline).map_err(|fault| unanswered(fault, &said))?;
            let mut words = line.split_whitespace();
            if !words.next().is_some_and(|word| word.trim_end_matches(':').eq_ignore_ascii_case("bestmove")) {
                if said.len() == SHOWN {
                    said.pop_front();
                }
                said.push_back(line);
                continue;
            }
            let time = begin.elapsed();
            return match words.next() {
                Some(word) if NO_MOVES.iter().any(|none| word.eq_ignore_ascii_case(none)) => {
                    Err(Fault::NoMove { line })
                }
                Some(word) => Ok(Reply { text: word.to_owned(), time }),
                None => Err(Fault::NoMove { line }),
            };
        }
    }

    pub(super) fn command_by_uci(
        &mut self,
        asked: &Asked,
        line: &str,
        patience: Duration,
        whole: &dyn Fn(&[String]) -> bool,
    ) -> Result<Vec<String>, Fault> {
        self.place_by_uci(asked, patience)?;
        self.process.say(line);
        let ready = self.ready == Ready::Yes;
        let mut waits = ready;
        if waits {
            self.process.say("isready");
        }
        let deadline = until(patience);
        let mut lines = Vec::new();
        while waits || !whole(&lines) {
            // An engine that answers in a thread of its own may be ready before it has answered.
            let silent = lines.is_empty() && !ready;
            let end = if waits || silent { deadline } else { until(QUIET).min(deadline) };
            match self.process.line_before(end)? {
                None => break,
                Some(line) if waits && line.trim() == "readyok" => waits = false,
                Some(line) => lines.push(line),
            }
        }
        Ok(lines)
    }
}
