//! The simple judge of a limit: a solver that carries the count of quiet plies in the state.
//!
//! A state is a position and the number of plies since the last capture. A quiet move leads to a state with one more, a capture
//! to a smaller class with none, so the counts of a class are solved from the limit downwards, one look at every move each,
//! and no distances are needed. It shares nothing with the fast solver and knows nothing of distances to conversion.

use super::{ReferenceError, Slots};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::position::Position;
use dsq_tables::rules::{NoMove, Rules};
use dsq_tables::value::Wdl;

/// Who wins under a limit, for every position of a class and every count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    size: usize,
    /// By count up to the limit: White to move, then Black to move, by number.
    layers: Vec<Vec<Wdl>>,
}

impl Counted {
    /// Who wins the position with a number that so many quiet plies are behind, for the side to move; a draw for a number
    /// without a position, and past the limit.
    #[must_use]
    pub fn wdl(&self, side: Side, number: u64, count: u32) -> Wdl {
        let node = side.index() * self.size + number as usize;
        self.layers.get(count as usize).and_then(|layer| layer.get(node)).copied().unwrap_or(Wdl::Draw)
    }
}

/// Solves a class under a limit of quiet plies. `below` says who wins a position after a capture, which no quiet ply is behind,
/// for the side to move there; it is asked only when both sides still have pieces and no den is entered.
///
/// # Errors
/// [`ReferenceError::TooLarge`].
pub fn solve_counting(
    catalog: &Catalog,
    class: &Class,
    limit: u32,
    below: &dyn Fn(&Position) -> Wdl,
) -> Result<Counted, ReferenceError> {
    let too_large = || ReferenceError::TooLarge { class: class.name().to_owned() };
    let rules = catalog.rules();
    let size = u32::try_from(class.index().size()).map_err(|_| too_large())? as usize;
    let slots = Slots::of(class.index());
    // By node, which is a side to move and a number: quiet moves, and what the others and the want of any are worth.
    let mut quiet: Vec<usize> = Vec::new();
    let mut nodes: Vec<Node> = Vec::with_capacity(2 * size);
    for side in Side::BOTH {
        let other = (1 - side.index()) * size;
        for number in 0..size as u64 {
            let mut node = Node { quiet_end: 0, best: None, without_move: None };
            if let Some(squares) = class.index().squares(number) {
                let position = slots.position(&squares, side);
                let legal_moves = position.legal_moves(rules);
                if legal_moves.is_empty() {
                    node.without_move = Some(if rules.no_move() == NoMove::Loss { Wdl::Loss } else { Wdl::Draw });
                }
                for legal in legal_moves {
                    if rules.goal(side).contains(legal.squares.to) {
                        node.best = Some(Wdl::Win);
                    } else if legal.capture.is_some() {
                        node.best = node.best.max(Some(after_capture(rules, &position.after(&legal), below)));
                    } else {
                        quiet.push(other + slots.number_after(class.index(), &squares, &legal) as usize);
                    }
                }
            }
            node.quiet_end = quiet.len();
            nodes.push(node);
        }
    }
    // With the limit reached the game is drawn unless it is over already.
    let mut layers = vec![nodes.iter().map(|node| node.without_move.unwrap_or(Wdl::Draw)).collect::<Vec<Wdl>>()];
    for _ in 0..limit {
        let later = &layers[layers.len() - 1];
        let mut start = 0;
        let layer = nodes.iter().map(|node| {
            let targets = &quiet[start..node.quiet_end];
            start = node.quiet_end;
            let best = targets.iter().map(|&target| later[target].before_move()).max().max(node.best);
            node.without_move.or(best).unwrap_or(Wdl::Draw)
        });
        layers.push(layer.collect());
    }
    layers.reverse();
    Ok(Counted { size, layers })
}

/// A position with one side to move.
struct Node {
    /// Where its quiet moves end in the list of all; they begin where those of the node before end.
    quiet_end: usize,
    /// The best of captures and den entries.
    best: Option<Wdl>,
    /// The value if there is no legal move.
    without_move: Option<Wdl>,
}

/// The value of a capture for the side that made it.
fn after_capture(rules: &Rules, child: &Position, below: &dyn Fn(&Position) -> Wdl) -> Wdl {
    if child.has_pieces(child.turn()) {
        return below(child).before_move();
    }
    let lost = rules.elimination_wins() || rules.no_move() == NoMove::Loss;
    if lost { Wdl::Win } else { Wdl::Draw }
}
