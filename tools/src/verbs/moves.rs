//! `moves`: the legal moves of positions.

use super::positions::{Answered, Asked, Source, answer_all};
use crate::context::{Context, letters};
use crate::error::{Code, Failure};
use crate::output::moves as text;
use crate::output::records::{End, Move, Moves};
use dsq_tables::fen::{Fen, Letters};
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::io::Write;

/// What is asked.
pub struct Request {
    /// The positions.
    pub positions: Source,
    /// Letters of animals that differ from those of the rule set, as `lion=I,leopard=L`.
    pub letters: Option<String>,
}

/// Prints the moves of some positions.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, request.letters.as_deref())?;
    // Of one position nothing but its moves, one a line; of several it must be seen whose they are.
    let several = request.positions.are_several();
    let apart = several && !context.json();
    let answer = |asked: &Asked<'_>, out: &mut dyn Write| answer(context, &rules, &letters, several, asked, out);
    answer_all(context, &request.positions, apart, out, &|_| None, &answer)
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
    let record = moves(rules, &position);
    if context.json() {
        asked.json(out, &record)?;
    } else {
        if several {
            writeln!(out, "{}", record.position)?;
        }
        text::print(out, rules, &position, &record)?;
    }
    Ok(Ok(()))
}

/// The legal moves of a position.
pub fn moves(rules: &Rules, position: &Position) -> Moves {
    let moves = position.legal_moves(rules);
    Moves {
        position: position.to_fen(rules),
        rules: rules.name().to_owned(),
        side_to_move: position.turn().name(),
        end: End::new(position.finished(rules), moves.is_empty()),
        moves: moves.iter().map(|legal| Move::new(rules, legal)).collect(),
    }
}
