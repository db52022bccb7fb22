//! The lines of Go programs: a command, and an answer that begins with `=` or `?`.

use super::connection::Connection;
use super::deadline::{Deadline, until};
use super::fault::Fault;
use super::question::{Asked, Limit, Reply};
use std::time::{Duration, Instant};

/// Moves that are none.
const NO_MOVES: [&str; 4] = ["pass", "resign", "none", "0000"];

impl Connection {
    pub(super) fn greet_by_gtp(&mut self) -> Result<(), Fault> {
        let deadline = until(self.patience);
        let hello = self.profile.hello().to_owned();
        if !hello.is_empty() {
            // That it does not know the word is an answer too.
            if let Ok(name) = self.answer(&hello, deadline).map_err(|fault| self.ungreeted(fault, None))? {
                self.name = Some(name).filter(|name| hello == "name" && !name.is_empty());
            }
        }
        for line in self.profile.init.clone() {
            self.answered(&line, deadline)?;
        }
        Ok(())
    }

    /// Says a line; what comes after `=`, or the line that begins with `?`.
    fn answer(&mut self, line: &str, deadline: Deadline) -> Result<Result<String, String>, Fault> {
        self.process.skip()?;
        self.process.say(line);
        loop {
            let line = self.process.line(deadline)?;
            let line = line.trim();
            if let Some(text) = line.strip_prefix('=') {
                // A number right after the sign is that of the command.
                return Ok(Ok(text.trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned()));
            }
            if line.starts_with('?') {
                return Ok(Err(line.to_owned()));
            }
        }
    }

    fn answered(&mut self, question: &str, deadline: Deadline) -> Result<String, Fault> {
        self.answer(question, deadline)?.map_err(|line| Fault::Refused { question: question.to_owned(), line })
    }

    fn place_by_gtp(&mut self, asked: &Asked, patience: Duration) -> Result<(), Fault> {
        let new_game = self.profile.new_game().to_owned();
        if asked.new_game && !new_game.is_empty() {
            // That there is no such command does no harm.
            let _ = self.answer(&new_game, until(patience))?;
        }
        let position = self.place(asked);
        self.answered(&position, until(patience)).map(|_| ())
    }

    pub(super) fn ask_by_gtp(&mut self, asked: &Asked, limit: &Limit) -> Result<Reply, Fault> {
        self.place_by_gtp(asked, limit.patience)?;
        let begin = Instant::now();
        let deadline = until(limit.patience);
        let question = format!("genmove {}", asked.now.side);
        let mut text = String::new();
        for _ in 0..if self.profile.in_halves { 2 } else { 1 } {
            let part = self.answered(&question, deadline)?;
            // What comes after a blank is no part of the move.
            let part = part.split_whitespace().next().unwrap_or_default();
            if part.is_empty() || NO_MOVES.iter().any(|none| part.eq_ignore_ascii_case(none)) {
                return Err(Fault::NoMove { line: format!("= {part}").trim().to_owned() });
            }
            text.push_str(part);
        }
        Ok(Reply { text, time: begin.elapsed() })
    }

    pub(super) fn command_by_gtp(
        &mut self,
        asked: &Asked,
        line: &str,
        patience: Duration,
    ) -> Result<Vec<String>, Fault> {
        self.place_by_gtp(asked, patience)?;
        let deadline = until(patience);
        let mut lines = vec![self.answered(line, deadline)?];
        // The answer ends with an empty line.
        while let Some(line) = self.process.line_before(deadline)? {
            if line.trim().is_empty() {
                break;
            }
            lines.push(line);
        }
        Ok(lines)
    }
}
