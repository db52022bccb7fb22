//! What is likely wrong when many moves of an engine are illegal.

use dsq_tables::board::Symmetry;
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;

/// Fewer illegal moves than this tell nothing.
const FEWEST: usize = 3;

/// What the illegal moves of an engine have in common, in words; each with the position in which it was made.
#[must_use]
pub fn hints(rules: &Rules, illegal: &[(Position, Move)]) -> Vec<String> {
    if illegal.len() < FEWEST {
        return Vec::new();
    }
    let board = rules.board();
    let mapped = |symmetry, Move { from, to }| Move { from: board.map(symmetry, from), to: board.map(symmetry, to) };
    let start = Position::start(rules);
    let in_start = |turn, symmetry| {
        move |(_, squares): &&(Position, Move)| {
            let mut start = start;
            start.set_turn(turn);
            start.find_move(rules, mapped(symmetry, *squares)).is_some()
        }
    };
    let nearly_all = |count: usize| count * 5 >= illegal.len() * 4;
    let mut hints = Vec::new();
    for symmetry in [Symmetry::Identity, Symmetry::Mirror] {
        let count = illegal
            .iter()
            .filter(|item| in_start(item.0.turn(), symmetry)(item) || in_start(start.turn(), symmetry)(item))
            .count();
        if nearly_all(count) {
            let array = if symmetry == Symmetry::Mirror { "the mirrored first position" } else { "the first position" };
            hints.push(format!(
                "{count} of {} illegal moves would be legal in {array}: it seems to ignore the position that it is given",
                illegal.len()
            ));
            break;
        }
    }
    for (symmetry, what) in [
        (Symmetry::Mirror, "with left and right exchanged; does it need --mirror?"),
        (Symmetry::HalfTurn, "on the board turned by 180 degrees; does it need a dialect with turn = \"half\"?"),
        (Symmetry::Flip, "with the ranks counted from the other side"),
    ] {
        let legal =
            |(position, squares): &&(Position, Move)| position.find_move(rules, mapped(symmetry, *squares)).is_some();
        let count = illegal.iter().filter(legal).count();
        if nearly_all(count) {
            hints.push(format!("{count} of {} illegal moves would be legal {what}", illegal.len()));
        }
    }
    hints
}
