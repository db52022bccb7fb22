//! What the verbs that answer positions share: several on the command line, or one a line from standard input.

use crate::context::Context;
use crate::error::{Code, Failure, say};
use crate::fen_args;
use crate::output::json;
use crate::output::number::count;
use crate::output::records::{FromLine, Kind, NoAnswer};
use dsq_tables::fen::FenError;
use dsq_tables::rules::Rules;
use serde::Serialize;
use std::io::{self, BufRead, Write};

/// The longest line that is read as a position; what is longer is none.
const LONGEST_LINE: usize = 4096;

/// A position that is asked for.
pub struct Asked<'a> {
    /// The words of the position.
    pub fen: &'a str,
    /// The number and the text of its line, if it comes from standard input.
    line: Option<(u64, &'a str)>,
}

/// Why there is no answer: how it counts and what to say.
pub type Refusal = (Code, String);

/// The answer is printed, or it is printed (with JSON) and returned why there is none.
pub type Answered = Result<Result<(), Refusal>, Failure>;

/// Answers one position after the other. `apart` keeps the answers apart by empty lines.
pub fn answer_all(
    context: &Context,
    words: &[String],
    apart: bool,
    out: &mut dyn Write,
    answer: &dyn Fn(&Asked<'_>, &mut dyn Write) -> Answered,
) -> Result<Code, Failure> {
    if is_input(words) {
        return answer_lines(context, &mut io::stdin().lock(), apart, out, answer);
    }
    let mut worst = Code::Done;
    for (index, fen) in fen_args::group(words).iter().enumerate() {
        if index > 0 && apart {
            writeln!(out)?;
        }
        if let Err((code, words)) = answer(&Asked { fen, line: None }, out)? {
            // In the order in which it happened, where both go to one terminal.
            out.flush()?;
            say(words);
            worst = worst.max(code);
        }
    }
    Ok(worst)
}

/// True if the positions come from standard input.
pub fn is_input(words: &[String]) -> bool {
    words == ["-"]
}

/// Answers one position a line until the input ends.
fn answer_lines(
    context: &Context,
    input: &mut dyn BufRead,
    apart: bool,
    out: &mut dyn Write,
    answer: &dyn Fn(&Asked<'_>, &mut dyn Write) -> Answered,
) -> Result<Code, Failure> {
    let (mut number, mut worst) = (0u64, Code::Done);
    let mut refused: Vec<(Code, u64)> = Vec::new();
    while let Some(line) = read_line(input).map_err(|error| Failure::bad(format_args!("standard input: {error}")))? {
        number += 1;
        let fen = line.trim();
        if fen.is_empty() {
            continue;
        }
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let answered = answer(&Asked { fen, line: Some((number, line)) }, out)?;
        if apart && answered.is_ok() {
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
        if !context.json() {
            say(format_args!("line {number}: {words}"));
        }
    }
    for (code, times) in refused.into_iter().filter(|_| context.json()) {
        let what = match code {
            Code::Missing => "not in the tables",
            Code::Damaged => "in tables that cannot be used",
            _ => "refused",
        };
        context.note(format_args!("{} of {number} {what}", count(times, "line")));
    }
    Ok(worst)
}

impl Asked<'_> {
    /// Prints the record of an answer, with the line it answers.
    pub fn json(&self, out: &mut dyn Write, record: &impl Serialize) -> io::Result<()> {
        match self.line {
            Some((input_line, input)) => json(out, &FromLine { input_line, input, record }),
            None => json(out, record),
        }
    }

    /// Refuses what is no position.
    pub fn refuse(&self, context: &Context, rules: &Rules, error: &FenError, out: &mut dyn Write) -> Answered {
        let words = error.to_string();
        if context.json() {
            self.json(out, &NoAnswer::new(rules, self.fen.to_owned(), Kind::BadInput, words.clone()))?;
        }
        Ok(Err((Code::Bad, words)))
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
