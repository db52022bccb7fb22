//! Whole lines of positions against one position at a time.

use super::*;
use crate::checker::blocks::{Blocks, SharedBlocks};
use crate::checker::dtw::ByMoves;
use crate::checker::keys::{Best, PLACES};
use crate::checker::lines::Lines;
use crate::checker::moves::Moves;
use crate::checker::scan::Scan;
use dsq_tables::board::Board;
use dsq_tables::format::ESCAPE;

/// Codes that each fit in a byte, and so do the values a ply before.
fn short(hash: u64) -> u32 {
    (hash % 254) as u32
}

/// Codes of all kinds, one in 16 an exception; also those of which the value a ply before is the first exception.
fn long(hash: u64) -> u32 {
    if hash.is_multiple_of(16) { 200 + (hash / 16 % 200) as u32 } else { short(hash / 16) }
}

/// Tables of classes and all below with codes that mean nothing, so that every single move decides somewhere.
fn tables(rules: Arc<Rules>, classes: &[Arc<Class>], codes: fn(u64) -> u32) -> Folder {
    let catalog = Arc::new(Catalog::new(rules));
    let folder = Folder { dir: TempDir::new().unwrap(), catalog, solved: Solved::new() };
    let mut random = fastrand::Rng::with_seed(1);
    let mut next = || codes(random.u64(..1 << 31));
    for class in folder.catalog.closure(classes.iter().cloned()) {
        let sides = (0..class.sides()).map(|_| (0..class.index().size()).map(|_| next()).collect());
        let solution = Solution { sides: sides.collect(), stalemates: vec![0; class.sides()] };
        folder.write(&class, &solution, 10 * BLOCK_LEN, |_| {});
    }
    folder
}

/// Compares every so-manieth line of a class with the forward move generator; how many positions there were and how many
/// of them had no answer.
fn compare(tablebase: &Tablebase, class: &Class, every: usize) -> (u64, u64) {
    let moves: Moves<Value> = Moves::new(tablebase, class).unwrap();
    let shared = SharedBlocks::new(&moves.tables, u64::MAX);
    let mut blocks = Blocks::new(&shared);
    let lines = Lines::new(moves.rules, class).unwrap();
    let index = class.index();
    assert_eq!(index.size() % lines.len(), 0);
    let mut best = Best::new(lines.places());
    let (mut codes, mut immobile) = ([0; PLACES], [0; PLACES]);
    let (mut positions, mut doubts) = (0, 0);
    for side in Side::BOTH.into_iter().take(class.sides()) {
        for line in (0..index.size() / lines.len()).step_by(every) {
            let numbers = line * lines.len()..(line + 1) * lines.len();
            let placed: Vec<_> = numbers.filter_map(|number| index.squares(number)).collect();
            let Some(some) = placed.first() else { continue };
            lines.best(&moves, &mut blocks, some, side, &mut best).unwrap();
            best.answer(moves.no_move.code().try_into().unwrap(), &mut codes, &mut immobile);
            for squares in &placed {
                positions += 1;
                let place = lines.place(squares[index.pieces().len() - 1]);
                if codes[place] == ESCAPE {
                    doubts += 1;
                    continue;
                }
                let right = moves.best(&mut blocks, squares, side).unwrap();
                let code = right.unwrap_or(moves.no_move).code();
                let of = (class.name(), side, squares);
                assert_eq!((codes[place].into(), immobile[place] != 0), (code, right.is_none()), "{of:?}");
            }
        }
    }
    (positions, doubts)
}

/// Compares all classes of two pieces and those of some materials, by short and by long distances.
fn compare_all(rules: &Arc<Rules>, materials: &[&str], every: usize) {
    let catalog = Catalog::new(rules.clone());
    let mut classes = catalog.classes(2);
    classes.extend(materials.iter().map(|text| class_of(&catalog, text)));
    for (codes, long) in [(short as fn(u64) -> u32, false), (long, true)] {
        let folder = tables(rules.clone(), &classes, codes);
        let tablebase = folder.open();
        for class in &classes {
            let every = if class.material().count() > 2 { every } else { 1 };
            let (positions, doubts) = compare(&tablebase, class, every);
            assert!(positions > 0);
            // Without long distances there is no excuse.
            let expected = if long { 1..positions * 2 / 3 } else { 0..1 };
            assert!(expected.contains(&doubts), "{}: {doubts} of {positions}", class.name());
        }
    }
}

#[test]
fn lines_agree_with_single_positions_under_all_rules() {
    let variants: [(&str, &[(&str, &str)]); 8] = [
        ("classic", &[]),
        ("leiden", &[]),
        ("leiden", &[("jump-stopped-by", "enemy"), ("no-move", "draw")]),
        ("classic", &[("jump-stopped-by", "none"), ("trapped-can-capture", "false")]),
        ("classic", &[("elimination-wins", "false"), ("no-move", "draw"), ("traps", "universal")]),
        ("classic", &[("own-den", "allowed")]),
        ("leiden", &[("own-den", "allowed"), ("elimination-wins", "false"), ("shore-captures", "any")]),
        ("classic", &[("swimmers", "RCT"), ("trap-barred", "E"), ("rat-jumps", "both")]),
    ];
    for (name, changes) in variants {
        let rules = Rules::load_with(name, changes.iter().copied()).unwrap();
        compare_all(&rules, &["RL-E", "RT-R", "CL-T", "E-LT", "R-RC"], 7);
    }
}

#[test]
fn lines_agree_with_single_positions_on_more_pieces() {
    for (name, changes) in
        [("classic", [].as_slice()), ("leiden", &[("own-den", "allowed"), ("jump-stopped-by", "enemy")])]
    {
        let rules = Rules::load_with(name, changes.iter().copied()).unwrap();
        compare_all(&rules, &["RT-RL", "RL-RL", "CLT-E"], 511);
    }
}

#[test]
fn lines_agree_with_single_positions_on_other_boards() {
    let turned = "
        .......tdt......
        ........t.......
        ...~~......~~...
        .....~.~~.~.....
        .....~.~~.~.....
        ...~~......~~...
        .......T........
        ......TDT.......";
    let crooked = "
        ..tddt..
        .~~..t..
        .~~.~~~.
        ........
        ..~~..~.
        .TT.....
        .TDT..~.";
    for (map, own_den, squares) in [(turned, "forbidden", 128), (turned, "allowed", 128), (crooked, "allowed", 56)] {
        let mut spec = Rules::load("classic").unwrap().spec().clone();
        spec.board = Board::from_map(map).unwrap();
        assert_eq!(spec.board.squares(), squares);
        spec.name = "other".to_owned();
        spec.animals.iter_mut().for_each(|animal| animal.start = [None; 2]);
        spec.animals[1].steps.push((1, 1));
        spec.set("own-den", own_den).unwrap();
        let rules = Rules::compile(spec).unwrap();
        compare_all(&Arc::new(rules), &["RL-E", "R-RC", "CL-T"], 97);
    }
}

#[test]
fn every_block_has_the_outcome_of_its_positions_one_by_one() {
    for (changes, codes) in [
        ([].as_slice(), short as fn(u64) -> u32),
        (&[("own-den", "allowed"), ("no-move", "draw")], |hash| long(hash) % 3),
        (&[("own-den", "allowed"), ("elimination-wins", "false")], long),
    ] {
        let rules = Rules::load_with("classic", changes.iter().copied()).unwrap();
        let class = class_of(&Catalog::new(rules.clone()), "RL-E");
        let folder = tables(rules, std::slice::from_ref(&class), codes);
        let tablebase = folder.open();
        let moves = Moves::new(&tablebase, &class).unwrap();
        let shared = SharedBlocks::new(&moves.tables, u64::MAX);
        let judge = |lines| ByMoves { class: &class, moves: &moves, lines, shared: &shared };
        let (many, one) = (judge(Lines::new(moves.rules, &class)), judge(None));
        let scan = |judge| Scan::new(moves.rules, &moves.tables[0], judge, 50);
        let (many, one) = (scan(&many), scan(&one));
        let mut blocks = Blocks::new(&shared);
        for block in 0..many.blocks {
            let found = many.check_block(&mut blocks, block, None).unwrap();
            assert!(found.positions > found.wrong && found.wrong > 0);
            assert_eq!(found, one.check_block(&mut blocks, block, None).unwrap());
        }
    }
}
