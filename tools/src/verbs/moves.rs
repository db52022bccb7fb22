//! `moves`: the legal moves of a position.

use crate::cli::Moves as Args;
use crate::context::{Context, letters};
use crate::error::{Code, Failure};
use crate::fen_args;
use crate::output::json;
use crate::output::records::{Move, Moves};
use crate::output::words;
use dsq_tables::fen::Fen;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::io::{self, Write};

/// Lists the moves.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, &args.letters)?;
    let position = Fen::parse_with(&rules, &letters, &fen_args::single(&args.fen)?)?.position;
    let record = record(&rules, &position);
    if context.json() {
        json(out, &record)?;
    } else {
        print(out, &rules, &position, &record)?;
    }
    Ok(Code::Done)
}

fn record(rules: &Rules, position: &Position) -> Moves {
    Moves {
        position: position.to_fen(rules),
        rules: rules.name().to_owned(),
        side_to_move: position.turn().name(),
        winner: position.finished(rules).map(|finished| finished.winner.name()),
        moves: position.legal_moves(rules).iter().map(|legal| Move::new(rules, legal)).collect(),
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
