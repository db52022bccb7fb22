//! `moves`: the legal moves of positions.

use super::positions::{Answered, Asked, answer_all, is_input};
use crate::cli::Moves as Args;
use crate::context::{Context, letters};
use crate::error::{Code, Failure};
use crate::fen_args;
use crate::output::records::{End, Move, Moves};
use crate::output::words;
use dsq_tables::fen::{Fen, Letters};
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::io::{self, Write};

/// Lists the moves of positions from the command line or from standard input.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, &args.letters)?;
    // Of one position nothing but its moves, one a line; of several it must be seen whose they are.
    let several = is_input(&args.fens) || fen_args::group(&args.fens).len() > 1;
    let apart = several && !context.json();
    let answer = |asked: &Asked<'_>, out: &mut dyn Write| answer(context, &rules, &letters, several, asked, out);
    answer_all(context, &args.fens, apart, out, &|_| None, &answer)
}

fn answer(
    context: &Context,
    rules: &Rules,
    letters: &Letters,
    several: bool,
    asked: &Asked<'_>,
    out: &mut dyn Write,
) -> Answered {
    let position = match Fen::parse_with(rules, letters, asked.fen) {
        Ok(fen) => fen.position,
        Err(error) => return asked.refuse(context, rules, &error, out),
    };
    let record = record(rules, &position);
    if context.json() {
        asked.json(out, &record)?;
    } else {
        if several {
            writeln!(out, "{}", record.position)?;
        }
        print(out, rules, &position, &record)?;
    }
    Ok(Ok(()))
}

fn record(rules: &Rules, position: &Position) -> Moves {
    let moves = position.legal_moves(rules);
    Moves {
        position: position.to_fen(rules),
        rules: rules.name().to_owned(),
        side_to_move: position.turn().name(),
        end: End::new(position.finished(rules), moves.is_empty()),
        moves: moves.iter().map(|legal| Move::new(rules, legal)).collect(),
    }
}

fn print(out: &mut dyn Write, rules: &Rules, position: &Position, record: &Moves) -> io::Result<()> {
    if let Some(finished) = position.finished(rules) {
        return writeln!(out, "{}", words::finished(rules.board(), finished));
    }
    if record.moves.is_empty() {
        return writeln!(out, "{} has no legal move", words::side(position.turn()));
    }
    for Move { text, capture } in &record.moves {
        match capture {
            Some(animal) => writeln!(out, "{text} takes {animal}")?,
            None => writeln!(out, "{text}")?,
        }
    }
    Ok(())
}
