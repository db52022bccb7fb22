//! `probe`: values of positions.

use crate::cli::Probe as Args;
use crate::context::{Context, letters};
use crate::error::{Code, Failure, code_of, say, words_of};
use crate::fen_args;
use crate::output::number::count;
use crate::output::records::{MoveValue, NoAnswer, Probe as Record};
use crate::output::{json, probe as text};
use dsq_tables::fen::{Fen, FenError, Letters};
use dsq_tables::material::Material;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Probe, Tablebase, TablebaseError};
use dsq_tables::value::Value;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// The longest line that is read as a position; what is longer is none.
const LONGEST_LINE: usize = 4096;

/// Answers positions from the command line or from standard input.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, &args.letters)?;
    let (tables, none) = context.tables(&rules);
    let prober = Prober { rules, letters, tables, none, line: args.line, json: context.json() };
    if args.fens == ["-"] {
        return prober.answer_lines(context, &mut io::stdin().lock(), out);
    }
    let mut worst = Code::Done;
    for (index, fen) in fen_args::group(&args.fens).iter().enumerate() {
        if index > 0 && !prober.json {
            writeln!(out)?;
        }
        if let Err((code, words)) = prober.answer(fen, out)? {
            // In the order in which it happened, where both go to one terminal.
            out.flush()?;
            say(words);
            worst = worst.max(code);
        }
    }
    Ok(worst)
}

struct Prober {
    rules: Arc<Rules>,
    letters: Letters,
    tables: Tablebase,
    /// The complaint if there are no tables at all.
    none: Option<TablebaseError>,
    line: bool,
    json: bool,
}

/// Everything about a position.
struct Answer {
    probe: Probe,
    moves: Vec<(LegalMove, Value)>,
    record: Record,
}

/// Why there is no answer: what to say and how it counts.
type Refusal = (Code, String);

impl Prober {
    /// Answers one position a line until the input ends.
    fn answer_lines(&self, context: &Context, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<Code, Failure> {
        let (mut number, mut worst) = (0u64, Code::Done);
        let mut refused: Vec<(Code, u64)> = Vec::new();
        while let Some(line) =
            read_line(input).map_err(|error| Failure::bad(format_args!("standard input: {error}")))?
        {
            number += 1;
            let fen = line.trim();
            if fen.is_empty() {
                continue;
            }
            let answered = self.answer(fen, out)?;
            if !self.json && answered.is_ok() {
                writeln!(out)?;
            }
            // Whoever waits for an answer before it asks again must get it.
            out.flush()?;
            let Err((code, words)) = answered else { continue };
            worst = worst.max(code);
            match refused.iter_mut().find(|(other, _)| *other == code) {
                Some((_, times)) => *times += 1,
                None => refused.push((code, 1)),
            }
            // With JSON the same words stand in the output.
            if !self.json {
                say(format_args!("line {number}: {words}"));
            }
        }
        for (code, times) in refused.into_iter().filter(|_| self.json) {
            let what = match code {
                Code::Missing => "not in the tables",
                Code::Damaged => "in tables that cannot be used",
                _ => "refused",
            };
            context.note(format_args!("{} of {number} {what}", count(times, "line")));
        }
        Ok(worst)
    }

    /// Answers one position: prints the answer, or (with JSON) why there is none.
    fn answer(&self, fen: &str, out: &mut dyn Write) -> Result<Result<(), Refusal>, Failure> {
        let position = match Fen::parse_with(&self.rules, &self.letters, fen) {
            Ok(fen) => fen.position,
            Err(error) => return self.refuse_text(fen, &error, out),
        };
        match self.look_up(&position) {
            Ok(answer) if self.json => json(out, &answer.record)?,
            Ok(Answer { probe, moves, record }) => {
                text::print(out, &self.rules, &position, probe, &moves, &record)?;
            }
            Err(error) => return self.refuse_position(&position, &error, out),
        }
        Ok(Ok(()))
    }

    fn look_up(&self, position: &Position) -> Result<Answer, TablebaseError> {
        let probe = self.tables.probe(position)?;
        let (value, dtw_plies, winner) = match probe {
            Probe::Finished(finished) => ("finished", None, Some(finished.winner.name())),
            Probe::Value(value) => (value.name(), value.plies(), None),
        };
        // A finished game has no moves.
        let moves = self.tables.probe_moves(position)?;
        let line = if self.line { self.tables.line(position)? } else { Vec::new() };
        let record = Record {
            position: position.to_fen(&self.rules),
            rules: self.rules.name().to_owned(),
            side_to_move: position.turn().name(),
            value,
            dtw_plies,
            winner,
            moves: moves.iter().map(|(legal, value)| MoveValue::new(&self.rules, legal, *value)).collect(),
            line: line.iter().map(|squares| squares.to_text(self.rules.board())).collect(),
        };
        Ok(Answer { probe, moves, record })
    }

    fn refuse_text(&self, fen: &str, error: &FenError, out: &mut dyn Write) -> Result<Result<(), Refusal>, Failure> {
        let words = error.to_string();
        if self.json {
            json(out, &NoAnswer { position: fen.to_owned(), error: words.clone(), missing: None })?;
        }
        Ok(Err((Code::Bad, words)))
    }

    fn refuse_position(
        &self,
        position: &Position,
        error: &TablebaseError,
        out: &mut dyn Write,
    ) -> Result<Result<(), Refusal>, Failure> {
        let missing = match error {
            TablebaseError::Missing { material, .. } | TablebaseError::TooManyPieces { material, .. } => {
                Some(material.clone())
            }
            TablebaseError::NoTables { .. } => Some(Material::of(position).to_text(&self.rules)),
            _ => None,
        };
        if self.json {
            let words = if error.is_missing() { "not in tables".to_owned() } else { error.to_string() };
            json(out, &NoAnswer { position: position.to_fen(&self.rules), error: words, missing })?;
        }
        // Without a single table it is the folder that is worth a word.
        let folder = self.none.as_ref().filter(|_| matches!(error, TablebaseError::Missing { .. }));
        Ok(Err((code_of(error), words_of(folder.unwrap_or(error)))))
    }
}

/// The next line of the input without its end, none at the end. Of a line that is too long only the beginning is kept, and
/// bytes that are no UTF-8 are replaced: neither is a position, and both are refused as such.
fn read_line(input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let mut line: Vec<u8> = Vec::new();
    let mut any = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            break;
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend(&part[..part.len().min(LONGEST_LINE - line.len())]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(any.then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_are_read_whatever_they_hold() {
        let long = "x".repeat(3 * LONGEST_LINE);
        let text = format!("one\r\n\n{long}\n\u{e4}");
        let mut bytes = text.into_bytes();
        bytes.extend(b"\n\xff\xfe\nlast");
        for capacity in [1, 7, 100_000] {
            let mut input = io::BufReader::with_capacity(capacity, bytes.as_slice());
            let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut input).unwrap()).collect();
            assert_eq!(lines.len(), 6);
            assert_eq!(
                [&lines[0], &lines[1], &lines[3], &lines[4], &lines[5]],
                ["one\r", "", "ä", "\u{fffd}\u{fffd}", "last"]
            );
            assert_eq!(lines[2], "x".repeat(LONGEST_LINE));
        }
    }
}
