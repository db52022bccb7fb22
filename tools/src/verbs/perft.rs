//! `perft`: how many sequences of legal moves there are.

use crate::context::{Context, letters};
use crate::error::{Code, Failure};
use crate::number::{duration, float, grouped, rounded};
use crate::output::records::{MoveNodes, Perft};
use crate::output::{json, perft as text};
use dsq_tables::fen::Fen;
use dsq_tables::perft::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use rayon::prelude::*;
use std::io::Write;
use std::time::Instant;

/// What is asked.
pub struct Request {
    /// The position: one FEN, or what was given in its place.
    pub fens: Vec<String>,
    /// Letters of animals that differ from those of the rule set, as `lion=I,leopard=L`.
    pub letters: Option<String>,
    /// The length of the sequences in plies.
    pub depth: u32,
    /// Whether the count of each move is asked for.
    pub divide: bool,
}

/// Prints the counts.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, request.letters.as_deref())?;
    let [fen] = request.fens.as_slice() else {
        return Err(Failure::bad(format_args!("expected one position, found {}", request.fens.len())));
    };
    let position = Fen::parse_with(&rules, &letters, fen)?.position;
    let start = Instant::now();
    let record = count(&rules, &position, request.depth, request.divide);
    let seconds = start.elapsed().as_secs_f64();
    let nodes = record.nodes;
    let speed = rounded(float(nodes) / seconds.max(1e-9));
    context.detail(format_args!("{} in {}, {} a second", grouped(nodes), duration(seconds), grouped(speed)));
    if context.json() {
        json(out, &record)?;
    } else {
        text::print(out, &record)?;
    }
    Ok(Code::Done)
}

/// How many sequences of `depth` plies begin in a position; with `parts`, also for each move.
pub fn count(rules: &Rules, position: &Position, depth: u32, parts: bool) -> Perft {
    let divided = divide(rules, position, depth);
    Perft {
        position: position.to_fen(rules),
        rules: rules.name().to_owned(),
        depth,
        nodes: if depth == 0 { 1 } else { divided.iter().map(|part| part.nodes).sum() },
        divide: parts.then_some(divided),
    }
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
