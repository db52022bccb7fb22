//! From the table of a class back to the positions of one of its materials.

use dsq_tables::board::{Board, Side, Square};
use dsq_tables::class::{Member, Route};
use dsq_tables::format::SideSummary;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::Rules;
use dsq_tables::table::Table;

/// The counts of a material with one side to move, out of the table of its class.
pub fn summary(table: &Table, member: &Member, turn: Side) -> SideSummary {
    let sides = &table.summary().sides;
    sides.get(member.route(turn).side().index()).copied().unwrap_or_default()
}

/// The FEN of the position that has this number in the table of the class, as a position of the material with `turn` to move.
pub fn fen(rules: &Rules, member: &Member, turn: Side, number: u64) -> Option<String> {
    let route = member.route(turn);
    let stored = member.class().position(route.side(), number)?;
    let order = member.class().index().pieces();
    let squares: Vec<Square> = order.map(|piece| stored.square(piece)).collect::<Option<_>>()?;
    Some(back(rules.board(), route, &squares, turn)?.to_fen(rules))
}

/// The position that a route takes to these squares of the class, in the order of its index.
fn back(board: &Board, route: &Route, squares: &[Square], turn: Side) -> Option<Position> {
    let mut setup = Setup::empty(turn);
    for (&piece, &target) in route.pieces().iter().zip(squares) {
        // Every square has exactly one origin, since a route turns the board as a whole.
        let origin = board.all().squares().find(|&square| route.square(square) == target)?;
        setup.place(piece, origin);
    }
    Some(setup.assume_legal())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dsq_tables::class::Catalog;
    use dsq_tables::material::Material;

    #[test]
    fn a_number_goes_back_to_a_position_of_the_material() {
        for set in ["classic", "leiden"] {
            let catalog = Catalog::new(Rules::load(set).unwrap());
            let rules = catalog.rules().clone();
            for text in ["R-E", "E-R", "P-C", "D-W", "LT-R", "E-RL", "RC-TR", "TE-PL"] {
                let material = Material::parse(&rules, text).unwrap();
                let member = catalog.member(material).unwrap();
                let index = member.class().index();
                for turn in Side::BOTH {
                    let step = usize::try_from(index.size() / 500).unwrap().max(1);
                    for number in (0..index.size()).step_by(step) {
                        let position =
                            Position::from_fen(&rules, &fen(&rules, &member, turn, number).unwrap()).unwrap();
                        assert_eq!((Material::of(&position), position.turn()), (material, turn));
                        let squares = member.route(turn).squares(&position).unwrap();
                        assert_eq!(index.number(&squares), number);
                    }
                    assert_eq!(fen(&rules, &member, turn, index.size()), None);
                }
            }
        }
    }
}
