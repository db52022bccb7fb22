//! What the verbs that answer positions share: some FENs, or one a line from standard input.

use crate::context::Context;
use crate::error::{Code, Failure, say, words_of_fen};
use crate::lines::read_line;
use crate::number::count;
use crate::output::json;
use crate::output::records::{FromLine, Kind, NoAnswer};
use dsq_tables::board::Side;
use dsq_tables::fen::FenError;
use dsq_tables::material::Material;
use dsq_tables::rules::Rules;
use rayon::prelude::*;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::mpsc;

/// The longest line that is read as a position; what is longer is none.
const LONGEST_LINE: usize = 4096;

/// The most lines that are answered together, and kept in memory with their answers.
const MOST_LINES: usize = 1 << 14;

/// Where positions come from.
pub enum Source {
    /// One FEN after the other.
    Fens(Vec<String>),
    /// Standard input, one FEN a line.
    Input,
}

impl Source {
    /// True if there may be more than one.
    pub fn are_several(&self) -> bool {
        match self {
            Source::Fens(fens) => fens.len() > 1,
            Source::Input => true,
        }
    }
}

/// Answers a position.
pub type Answer<'a> = dyn Fn(&Asked<'_>, &mut dyn Write) -> Answered + Sync + 'a;
/// The class, the side to move in its table and the number there.
pub type InTable = (Material, Side, u64);
/// Where a position is looked up: those that are near each other are answered one after the other.
pub type Place<'a> = dyn Fn(&str) -> Option<InTable> + Sync + 'a;

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
    positions: &Source,
    apart: bool,
    out: &mut dyn Write,
    place: &Place<'_>,
    answer: &Answer<'_>,
) -> Result<Code, Failure> {
    let fens = match positions {
        Source::Fens(fens) => fens,
        Source::Input => return answer_lines(context, apart, out, place, answer),
    };
    let mut worst = Code::Done;
    for (index, fen) in fens.iter().enumerate() {
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

/// Answers one position a line until the input ends. All lines that have come while the last ones were answered are answered
/// together: looked up in the order of the tables, by all threads, and printed in the order of the input. So nobody who waits
/// for an answer before it asks again has to wait for more lines.
fn answer_lines(
    context: &Context,
    apart: bool,
    out: &mut dyn Write,
    place: &Place<'_>,
    answer: &Answer<'_>,
) -> Result<Code, Failure> {
    let (sender, lines) = mpsc::sync_channel(MOST_LINES);
    // It ends with the input, or with the program.
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = read_line(&mut input, LONGEST_LINE).transpose() {
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                return;
            }
        }
    });
    let (mut number, mut worst) = (0u64, Code::Done);
    let mut refused: Vec<(Code, u64)> = Vec::new();
    while let Ok(first) = lines.recv() {
        let mut chunk: Vec<(u64, String)> = Vec::new();
        let mut failed = None;
        for line in std::iter::once(first).chain(lines.try_iter()).take(MOST_LINES) {
            match line {
                Ok(line) => {
                    number += 1;
                    if !line.trim().is_empty() {
                        chunk.push((number, line));
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        for ((number, _), answered) in chunk.iter().zip(answer_chunk(&chunk, place, answer)) {
            let (text, answered) = answered?;
            out.write_all(&text)?;
            if apart && answered.is_ok() {
                writeln!(out)?;
            }
            let Err((code, words)) = answered else { continue };
            worst = worst.max(code);
            match refused.iter_mut().find(|(other, _)| *other == code) {
                Some((_, times)) => *times += 1,
                None => refused.push((code, 1)),
            }
            // With JSON the same words stand in the output.
            if !context.json() {
                // In the order in which it happened, where both go to one terminal.
                out.flush()?;
                say(format_args!("line {number}: {words}"));
            }
        }
        // Whoever waits for an answer before it asks again must get it.
        out.flush()?;
        if let Some(error) = failed {
            return Err(Failure::bad(format_args!("standard input: {error}")));
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

/// What is printed for a line, and whether there is an answer.
type Printed = Result<(Vec<u8>, Result<(), Refusal>), Failure>;

/// Answers lines in the order of the tables, and gives the answers back in the order of the lines.
fn answer_chunk(chunk: &[(u64, String)], place: &Place<'_>, answer: &Answer<'_>) -> Vec<Printed> {
    let one = |(number, line): &(u64, String)| -> Printed {
        let mut text = Vec::new();
        let fen = line.trim();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let answered = answer(&Asked { fen, line: Some((*number, line)) }, &mut text)?;
        Ok((text, answered))
    };
    if let [line] = chunk {
        return vec![one(line)];
    }
    let mut order: Vec<(Option<InTable>, usize)> =
        chunk.par_iter().enumerate().map(|(index, (_, line))| (place(line.trim()), index)).collect();
    order.sort_unstable_by_key(|&(place, index)| (place.map(|(material, ..)| material.count()), place, index));
    let mut answers: Vec<(usize, Printed)> =
        order.into_par_iter().map(|(_, index)| (index, one(&chunk[index]))).collect();
    answers.sort_unstable_by_key(|&(index, _)| index);
    answers.into_iter().map(|(_, printed)| printed).collect()
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
        let words = words_of_fen(error);
        if context.json() {
            self.json(out, &NoAnswer::new(rules, self.fen.to_owned(), Kind::BadInput, words.clone()))?;
        }
        Ok(Err((Code::Bad, words)))
    }
}
