//! `perft`: how many sequences of legal moves there are.

use crate::cli::Perft as Args;
use crate::context::{Context, letters};
use crate::error::{Code, Failure};
use crate::fen_args;
use crate::output::number::{duration, float, grouped, rounded};
use crate::output::records::{MoveNodes, Perft};
use crate::output::{columns, json};
use dsq_tables::fen::Fen;
use dsq_tables::perft::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use rayon::prelude::*;
use std::io::{self, Write};
use std::time::Instant;

/// Counts.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, &args.letters)?;
    let position = Fen::parse_with(&rules, &letters, &fen_args::single(&args.fen)?)?.position;
    let start = Instant::now();
    let divided = divide(&rules, &position, args.depth);
    let nodes = if args.depth == 0 { 1 } else { divided.iter().map(|part| part.nodes).sum() };
    let seconds = start.elapsed().as_secs_f64();
    let speed = rounded(float(nodes) / seconds.max(1e-9));
    context.detail(format_args!("{} in {}, {} a second", grouped(nodes), duration(seconds), grouped(speed)));
    let record = Perft {
        position: position.to_fen(&rules),
        rules: rules.name().to_owned(),
        depth: args.depth,
        nodes,
        divide: args.divide.then_some(divided),
    };
    if context.json() {
        json(out, &record)?;
    } else {
        print(out, &record)?;
    }
    Ok(Code::Done)
}

/// The count of every move, in square order. The parts are those of two plies, so that all threads have work.
fn divide(rules: &Rules, position: &Position, depth: u32) -> Vec<MoveNodes> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let moves = position.legal_moves(rules);
    let count = |next: Position| match rest.checked_sub(1) {
        None => 1,
        Some(rest) => {
            let replies = next.legal_moves(rules);
            replies.par_iter().map(|reply| perft(rules, &next.after(reply), rest)).sum()
        }
    };
    moves
        .par_iter()
        .map(|legal| MoveNodes { text: legal.squares.to_text(rules.board()), nodes: count(position.after(legal)) })
        .collect()
}

fn print(out: &mut dyn Write, record: &Perft) -> io::Result<()> {
    // Plain digits: these numbers are compared more often than read.
    let Some(divided) = &record.divide else { return writeln!(out, "{}", record.nodes) };
    let mut table = columns::Columns::new(&[("move", columns::Align::Left), ("nodes", columns::Align::Right)]);
    for MoveNodes { text, nodes } in divided {
        table.row([text.clone(), nodes.to_string()]);
    }
    table.row(["total".to_owned(), record.nodes.to_string()]);
    table.print(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_parts_add_up_to_the_whole() {
        let rules = Rules::load("classic").unwrap();
        let start = Position::start(&rules);
        for (depth, nodes) in [(1, 24), (2, 576), (3, 12_240), (4, 260_099)] {
            let divided = divide(&rules, &start, depth);
            assert_eq!(divided.len(), 24);
            assert_eq!(divided.iter().map(|part| part.nodes).sum::<u64>(), nodes);
        }
        assert!(divide(&rules, &start, 0).is_empty());
    }
}
