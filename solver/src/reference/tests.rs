#![allow(clippy::unwrap_used)]

use super::*;
use dsq_tables::board::Square;
use dsq_tables::material::{MAX_PIECES, Material};
use std::collections::HashMap;
use std::sync::Arc;

/// Solutions of classes by the material that represents them.
pub(crate) type Solved = HashMap<Material, Solution>;

/// Looks a position up in solved classes.
pub(crate) fn look_up(catalog: &Catalog, solved: &Solved, position: &Position) -> Value {
    let member = catalog.member(Material::of(position)).unwrap();
    let route = member.route(position.turn());
    let number = member.class().index().number(&route.squares(position).unwrap());
    let sides = &solved[&member.class().material()].sides;
    Value::from_code(sides[route.side().index()][usize::try_from(number).unwrap()])
}

/// Solves classes and everything below them.
pub(crate) fn solve_all(catalog: &Catalog, classes: impl IntoIterator<Item = Arc<Class>>) -> Solved {
    let mut solved = Solved::new();
    for class in catalog.closure(classes) {
        let solution = solve(catalog, &class, &|position| look_up(catalog, &solved, position)).unwrap();
        solved.insert(class.material(), solution);
    }
    solved
}

fn catalog(rules: &str, changes: &[(&str, &str)]) -> Catalog {
    Catalog::new(Rules::load_with(rules, changes.iter().copied()).unwrap())
}

/// The values of both sides to move by definition: what can be forced within 0, 1, 2, ... plies, until nothing
/// changes any more.
fn by_definition(catalog: &Catalog, class: &Class, below: impl Fn(&Position) -> Value) -> [Vec<Option<Value>>; 2] {
    enum Child {
        Known(Value),
        At(usize, usize),
    }
    let rules = catalog.rules();
    let index = class.index();
    let no_move = if rules.no_move() == NoMove::Loss { Value::Loss(0) } else { Value::Draw };
    let children = Side::BOTH.map(|side| {
        let of_position = |position: Position| {
            let child = |legal: &LegalMove| {
                let next = position.after(legal);
                if next.finished(rules).is_some() {
                    Child::Known(Value::Loss(0))
                } else if !next.has_pieces(next.turn()) {
                    Child::Known(no_move)
                } else if legal.capture.is_some() {
                    Child::Known(below(&next))
                } else {
                    let mut squares = [Square::new(0); MAX_PIECES];
                    for (slot, piece) in squares.iter_mut().zip(index.pieces()) {
                        *slot = next.square(piece).unwrap();
                    }
                    Child::At(side.other().index(), usize::try_from(index.number(&squares)).unwrap())
                }
            };
            position.legal_moves(rules).iter().map(child).collect::<Vec<Child>>()
        };
        (0..index.size()).map(|number| class.position(side, number).map(of_position)).collect::<Vec<_>>()
    });
    let start = |children: &Option<Vec<Child>>| {
        children.as_ref().map(|children| if children.is_empty() { no_move } else { Value::Draw })
    };
    let mut values = [0, 1].map(|side: usize| children[side].iter().map(start).collect::<Vec<_>>());
    loop {
        let value_of = |child: &Child| match child {
            Child::Known(value) => *value,
            Child::At(side, number) => values[*side][*number].unwrap(),
        };
        let best = |children: &Option<Vec<Child>>| {
            let children = children.as_ref()?;
            Some(children.iter().map(|child| value_of(child).before_move()).max().unwrap_or(no_move))
        };
        let next = [0, 1].map(|side: usize| children[side].iter().map(best).collect::<Vec<_>>());
        if next == values {
            return values;
        }
        values = next;
    }
}

fn assert_same(class: &Class, solution: &Solution, values: &[Vec<Option<Value>>; 2]) {
    assert_eq!(solution.sides.len(), class.sides());
    for (codes, values) in solution.sides.iter().zip(values) {
        let expected: Vec<u32> = values.iter().map(|value| value.map_or(0, Value::code)).collect();
        assert_eq!(*codes, expected, "{}", class.name());
    }
}

#[test]
fn two_pieces_are_solved_as_the_definition_says() {
    let variants: [(&str, &[(&str, &str)]); 6] = [
        ("classic", &[]),
        ("leiden", &[]),
        ("classic", &[("no-move", "draw")]),
        ("classic", &[("elimination-wins", "false")]),
        ("leiden", &[("elimination-wins", "false"), ("no-move", "draw")]),
        ("classic", &[("own-den", "allowed")]),
    ];
    for (rules, changes) in variants {
        let catalog = catalog(rules, changes);
        for class in catalog.classes(2) {
            let solution = solve(&catalog, &class, &|_| unreachable!("no capture leaves two sides")).unwrap();
            let values = by_definition(&catalog, &class, |_| unreachable!("no capture leaves two sides"));
            assert_same(&class, &solution, &values);
        }
    }
}

#[test]
fn captures_into_tables_with_any_distance_enter_at_their_ply() {
    // Values below that no rules would give: short and long ones side by side.
    let below = |position: &Position| {
        let places = position.pieces().map(|(_, square)| u32::from(square.number()));
        let mixed = places.fold(0u32, |mixed, place| (mixed ^ place).wrapping_mul(0x9e37_79b1) ^ mixed >> 15);
        match mixed % 3 {
            0 => Value::Win(2 * (mixed >> 8) % 150 + 1),
            1 => Value::Loss(2 * ((mixed >> 8) % 75)),
            _ => Value::Draw,
        }
    };
    for (rules, changes, material) in [
        ("leiden", [].as_slice(), "TP-T"),
        ("classic", &[("own-den", "allowed")], "T-LC"),
        ("classic", &[("no-move", "draw")], "PE-R"),
    ] {
        let catalog = catalog(rules, changes);
        let material = Material::parse(catalog.rules(), material).unwrap();
        let class = catalog.member(material).unwrap().class().clone();
        let solution = solve(&catalog, &class, &below).unwrap();
        assert!(solution.sides.iter().flatten().any(|&code| code > 120));
        assert_same(&class, &solution, &by_definition(&catalog, &class, below));
    }
}

#[test]
fn impossible_values_below_are_refused() {
    let catalog = catalog("classic", &[]);
    let class = catalog.member(Material::parse(catalog.rules(), "CP-C").unwrap()).unwrap().class().clone();
    for value in [Value::Win(2), Value::Loss(1), Value::Loss(u32::MAX - 1), Value::Win(u32::MAX)] {
        let error = solve(&catalog, &class, &|_| value).unwrap_err();
        assert!(matches!(error, ReferenceError::Below { value: found, .. } if found == value));
    }
    let six = Material::parse(catalog.rules(), "CWD-PTL").unwrap();
    let class = catalog.member(six).unwrap().class().clone();
    assert!(matches!(solve(&catalog, &class, &|_| Value::Draw), Err(ReferenceError::TooLarge { .. })));
}

/// Won, lost, drawn, without a move, longest, over all ordered materials with White to move.
fn totals(catalog: &Catalog, solved: &Solved, pieces: usize) -> (u64, u64, u64, u64, u32) {
    let rules = catalog.rules();
    let (mut won, mut lost, mut drawn, mut no_move, mut longest) = (0, 0, 0, 0, 0);
    let mut ways: HashMap<(Material, usize), u64> = HashMap::new();
    for material in Material::all(rules, pieces) {
        let member = catalog.member(material).unwrap();
        *ways.entry((member.class().material(), member.route(Side::White).side().index())).or_default() += 1;
    }
    for ((material, side), times) in ways {
        let member = catalog.member(material).unwrap();
        let index = member.class().index();
        let solution = &solved[&material];
        no_move += times * solution.stalemates[side];
        for (number, &code) in (0..).zip(&solution.sides[side]) {
            let Some(squares) = index.squares(number) else { continue };
            let weight = times * index.weight(&squares);
            match Value::from_code(code) {
                Value::Win(_) => won += weight,
                Value::Draw => drawn += weight,
                Value::Loss(_) => lost += weight,
            }
            longest = longest.max(code.saturating_sub(1));
        }
    }
    match rules.no_move() {
        NoMove::Loss => lost -= no_move,
        NoMove::Draw => drawn -= no_move,
    }
    (won, lost, drawn, no_move, longest)
}

#[test]
fn leiden_has_the_published_counts_of_two_and_three_pieces() {
    let catalog = catalog("leiden", &[]);
    let solved = solve_all(&catalog, catalog.classes(2).into_iter().chain(catalog.classes(3)));
    assert_eq!(totals(&catalog, &solved, 2), (82_852, 64_501, 12_715, 0, 34));
    assert_eq!(totals(&catalog, &solved, 3), (30_297_857, 23_369_820, 687_007, 1212, 67));
    for (fen, value) in [("7/7/3e3/7/7/7/3E3/7/7 w", Value::Loss(12)), ("t6/7/T6/7/7/7/7/7/7 w", Value::Win(19))] {
        let position = Position::from_fen(catalog.rules(), fen).unwrap();
        assert_eq!(look_up(&catalog, &solved, &position), value, "{fen}");
    }
}

#[test]
#[ignore = "a measurement: run it with --release --nocapture"]
fn speed_of_four_pieces() {
    let catalog = catalog("classic", &[]);
    for material in ["CL-DR", "RCW-L", "RT-RE", "CWT-P"] {
        let class = catalog.member(Material::parse(catalog.rules(), material).unwrap()).unwrap().class().clone();
        let solved = solve_all(&catalog, catalog.below(&class));
        let start = std::time::Instant::now();
        let solution = solve(&catalog, &class, &|position| look_up(&catalog, &solved, position)).unwrap();
        let longest = solution.sides.iter().flatten().max().unwrap() - 1;
        println!("{material}: {} numbers a side, longest {longest}, {:?}", class.index().size(), start.elapsed());
    }
}
