#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn our_own_way_is_the_default() {
    let rules = Rules::load("classic").unwrap();
    let dialect = Dialect::new(&rules, Notation::default()).unwrap();
    let start = Position::start(&rules);
    assert_eq!(dialect.write_position(&start), start.to_fen(&rules));
    assert_eq!(dialect.read_position("startpos").unwrap().position, start);
}
