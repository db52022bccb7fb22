//! Rule files made at random: both solvers agree on them, and what is said of classes, files and the checker holds there
//! too.
//!
//! A file that fails is made smaller and printed. `PROPTEST_CASES=5000` tries more files.

mod rule_files;

use dsq_solver::checker::{CheckOptions, check_dtw};
use dsq_solver::kernel::{Isa, Measure, Options, SpillTo};
use dsq_solver::solved::Solved;
use dsq_tables::board::{Board, Side, Symmetry};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{NoMove, RuleError, RuleSpec, Rules};
use dsq_tables::value::Dtc;
use dsq_tables::value::Value;
use dsq_tests::counting::solve_all;
use dsq_tests::{Random, SMALL_BLOCKS, Solutions, Tables, assert_same_solution, random_position, value};
use proptest::prelude::*;
use rule_files::{RuleFile, rule_files};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// The boards on which the solvers are compared. A word of 64 bits holds the largest.
const SIZES: RangeInclusive<usize> = 3..=8;

/// How many files were like this or that, so that it shows if whole kinds are never tried.
#[derive(Debug, Default)]
struct Tally(BTreeMap<&'static str, u32>);

impl Tally {
    fn note(&mut self, kind: &'static str, is_so: bool) {
        *self.0.entry(kind).or_default() += u32::from(is_so);
    }

    fn count(&self, kind: &str) -> u32 {
        self.0.get(kind).copied().unwrap_or_default()
    }
}

const SOLVED: &str = "solved";
const REFUSED: &str = "refused as unsound";

/// Tries what is to hold of random rule files on so many of them that can be played; `PROPTEST_CASES` asks for more. Those
/// that are refused do not count.
fn try_files(least: u32, sizes: RangeInclusive<usize>, holds: impl Fn(&RuleFile, &Arc<Catalog>, &mut Tally)) -> Tally {
    let asked = std::env::var("PROPTEST_CASES").is_ok();
    let usual = ProptestConfig::default();
    let cases = if asked { usual.cases.max(least) } else { least };
    let config = ProptestConfig { cases, failure_persistence: None, max_global_rejects: 10 * cases, ..usual };
    let tally = RefCell::new(Tally::default());
    proptest!(config, |(file in rule_files(sizes))| {
        let rules = compile(&file);
        tally.borrow_mut().note(REFUSED, rules.is_none());
        let Some(rules) = rules else { return Err(TestCaseError::reject(REFUSED)) };
        let mut noted = tally.borrow_mut();
        holds(&file, &Arc::new(Catalog::new(rules)), &mut noted);
        noted.note(SOLVED, true);
    });
    let tally = tally.into_inner();
    println!("{tally:?}");
    assert!(tally.count(SOLVED) >= least, "{tally:?}");
    tally
}

/// The rules of a file; none if they cannot be played for one of the reasons that are known.
fn compile(file: &RuleFile) -> Option<Arc<Rules>> {
    let known = [
        "has no den",
        "no square to stand on",
        "cannot stand on its start square",
        "starts on",
        "can enter the den of",
    ];
    match RuleSpec::parse(&file.text(), "random").and_then(Rules::compile) {
        Ok(rules) => Some(Arc::new(rules)),
        Err(RuleError::Field { reason, .. }) if known.iter().any(|known| reason.contains(known)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// What is printed of rules reads back to the same.
fn assert_prints_what_it_reads(rules: &Rules) {
    let again = RuleSpec::parse(&rules.spec().to_toml(), "printed").unwrap();
    assert_eq!(&again, rules.spec());
    assert_eq!(Rules::compile(again).unwrap().fingerprint(), rules.fingerprint());
}

fn assert_same_solved(one: &Solved, other: &Solved, what: &str) {
    assert!(one.sides() == other.sides(), "{} {what}: values differ", one.class.name());
    assert_eq!(one.summary(), other.summary(), "{} {what}", one.class.name());
}

/// Solves a class in every way there is and by the reference solver.
fn compare(solutions: &Solutions, class: &Arc<Class>, random: &mut Random) {
    let alone = Options { parallel: false, ..Options::default() };
    let usual = solutions.solve(class, &alone);
    assert_same_solution(solutions.catalog().rules(), &usual, &solutions.solve_by_reference(class));
    for isa in Isa::all() {
        for parallel in [false, true] {
            // The first code that can be an exception is that of a win in one ply.
            let escape_from = 2 + random.below(30) as u32;
            let other = solutions.solve(class, &Options { parallel, escape_from, isa, ..Options::default() });
            assert_same_solved(&other, &usual, &format!("{isa:?}, parallel {parallel}, exceptions from {escape_from}"));
        }
    }
}

/// Who wins under a limit, for every position and count, by the solver that carries the count.
fn compare_under_a_limit(catalog: &Arc<Catalog>, classes: &[Arc<Class>], limit: u32) -> u32 {
    let measure = Measure::Conversion { limit: Some(limit) };
    let options = Options { measure, parallel: false, ..Options::default() };
    let solutions = Solutions::with_options(catalog, classes.iter().cloned(), &options);
    let counted = solve_all(catalog, classes, limit);
    let mut lost_with_captures_alone = 0;
    for solved in solutions.all() {
        let class = &solved.class;
        for (side, codes) in Side::BOTH.into_iter().zip(solved.sides()) {
            for number in 0..class.index().size() {
                let Some(position) = class.position(side, number) else { continue };
                let value = Dtc::from_code(codes.code(number));
                lost_with_captures_alone += u32::from(value == Dtc::Loss(1));
                for count in 0..=limit {
                    let found = value.outcome(count, Some(limit)).under_limit();
                    let expected = counted[&class.material()].wdl(side, number, count);
                    let fen = || position.to_fen(catalog.rules());
                    assert_eq!(found, expected, "{} after {count} of {limit}: {value:?}", fen());
                }
            }
        }
    }
    lost_with_captures_alone
}

/// The value of a position by the values of the positions after its moves.
fn value_by_moves(solutions: &Solutions, position: &Position) -> Value {
    let rules = solutions.catalog().rules();
    let stuck = if rules.no_move() == NoMove::Loss { Value::Loss(0) } else { Value::Draw };
    let child = |legal| {
        let next = position.after(&legal);
        let value = match next.finished(rules) {
            Some(finished) if finished.winner == next.turn() => Value::Win(0),
            Some(_) => Value::Loss(0),
            None if next.has_pieces(next.turn()) => solutions.value(&next),
            None => stuck,
        };
        value.before_move()
    };
    position.legal_moves(rules).into_iter().map(child).max().unwrap_or(stuck)
}

fn assert_follows_from_its_moves(solutions: &Solutions, position: &Position) {
    let (found, expected) = (solutions.value(position), value_by_moves(solutions, position));
    assert_eq!(found, expected, "{}", position.to_fen(solutions.catalog().rules()));
}

/// Every position of every material of two pieces has the best value of its moves. That proves the values whatever the
/// classes are, the mirror and the ways into the tables with them.
fn assert_two_pieces_follow_from_their_moves(solutions: &Solutions) -> usize {
    let rules = solutions.catalog().rules();
    let mut positions = 0;
    for material in Material::all(rules, 2) {
        let pieces: Vec<_> = material.pieces().collect();
        let [first, second] = [0, 1].map(|place: usize| rules.movement(pieces[place]).domain());
        for turn in Side::BOTH {
            let mut setup = Setup::empty(turn);
            for one in first.squares() {
                for other in second.without(one.bit()).squares() {
                    setup.place(pieces[0], one);
                    setup.place(pieces[1], other);
                    assert_follows_from_its_moves(solutions, &setup.position(rules).unwrap());
                    positions += 1;
                }
            }
        }
    }
    positions
}

/// Random positions of every member of the solved classes have the best value of their moves.
fn assert_members_follow_from_their_moves(solutions: &Solutions, pieces: usize, random: &mut Random) {
    let rules = solutions.catalog().rules();
    for material in Material::all(rules, pieces) {
        let class = solutions.catalog().member(material).unwrap().class().clone();
        let is_solved = solutions.all().any(|solved| solved.class.material() == class.material());
        let has_positions = || (0..class.index().size()).any(|number| class.position(Side::White, number).is_some());
        if !is_solved || !has_positions() {
            continue;
        }
        for turn in Side::BOTH {
            for _ in 0..50 {
                let position = random_position(rules, material, turn, random);
                assert_follows_from_its_moves(solutions, &position);
            }
        }
    }
}

/// True if the board is the same turned like this, the colours swapped or not.
fn looks_the_same(board: &Board, symmetry: Symmetry, swaps: bool) -> bool {
    let same = |side: Side| {
        let other = if swaps { side.other() } else { side };
        let image = |set| board.map_set(symmetry, set);
        image(board.den(side)) == board.den(other) && image(board.traps(side)) == board.traps(other)
    };
    board.map_set(symmetry, board.water()) == board.water() && Side::BOTH.into_iter().all(same)
}

/// No setting tells left from right or White from Black. So board and steps alone say which likenesses the classes must
/// have found; that they have found none too many shows in the values.
fn assert_likenesses_are_found(catalog: &Catalog, tally: &mut Tally) {
    let rules = catalog.rules();
    let board = rules.board();
    let same_mirrored = |steps: &[(i8, i8)]| steps.iter().all(|&(right, up)| steps.contains(&(-right, up)));
    let even_steps = rules.animals().all(|animal| same_mirrored(&rules.animal(animal).steps));
    let has_mirror = even_steps && looks_the_same(board, Symmetry::Mirror, false);
    let can_swap =
        looks_the_same(board, Symmetry::HalfTurn, true) || even_steps && looks_the_same(board, Symmetry::Flip, true);
    tally.note("with a mirror", has_mirror);
    tally.note("with colours to swap", can_swap);
    let class_of = |material| catalog.member(material).unwrap().class().clone();
    for white in rules.animals() {
        for black in rules.animals() {
            let class = class_of(Material::from_animals(&[white], &[black]));
            let swapped = class_of(Material::from_animals(&[black], &[white]));
            assert!(!has_mirror || class.index().has_mirror(), "{} has a mirror", class.name());
            assert!(!can_swap || class.material() == swapped.material(), "{} can be swapped", class.name());
            assert!(!can_swap || white != black || class.is_symmetric(), "{} is its own swap", class.name());
        }
    }
}

/// Each material is in one class, and the classes count their members.
fn assert_classes_count_their_members(catalog: &Catalog, pieces: usize) {
    let mut members: BTreeMap<Material, usize> = BTreeMap::new();
    for material in Material::all(catalog.rules(), pieces) {
        *members.entry(catalog.member(material).unwrap().class().material()).or_default() += 1;
    }
    let classes = catalog.classes(pieces);
    for class in &classes {
        assert_eq!(members.remove(&class.material()), Some(class.members()), "{}", class.name());
    }
    // Those that are left have no position.
    for material in members.into_keys() {
        assert_eq!(
            catalog.member(material).unwrap().class().index().size(),
            0,
            "{}",
            material.to_text(catalog.rules())
        );
    }
}

/// What the file is like.
fn note_kinds(file: &RuleFile, solutions: &Solutions, tally: &mut Tally) {
    let (rules, text) = (solutions.catalog().rules(), file.text());
    let board = rules.board();
    let sides = || solutions.all().flat_map(|solved| &solved.summary().sides);
    let edges = || {
        let movements = Material::all(rules, 2).into_iter().flat_map(Material::pieces).map(|p| rules.movement(p));
        movements.flat_map(|movement| movement.domain().squares().flat_map(|from| movement.edges(from)))
    };
    tally.note("not square", board.files() != board.ranks());
    tally.note("with several dens", Side::BOTH.into_iter().any(|side| board.den(side).count() > 1));
    tally.note("with traps", Side::BOTH.into_iter().any(|side| !board.traps(side).is_empty()));
    tally.note("with jumps that can be stopped", edges().any(|edge| !edge.between.is_empty()));
    tally.note("with steps of its own", text.contains("steps = ["));
    tally.note("with exceptions", text.contains("[[capture]]"));
    tally.note("with holes in an index", solutions.all().any(|solved| !solved.class.index().is_dense()));
    tally.note("with stalemates", sides().any(|side| side.stalemates > 0));
    tally.note("with draws", sides().any(|side| side.drawn > 0));
    tally.note("with far wins", sides().any(|side| side.longest_win.is_some_and(|longest| longest.plies > 15)));
    tally.note("with two swimmers", rules.spec().settings.swimmers.len() == 2);
}

fn two_pieces_hold(file: &RuleFile, catalog: &Arc<Catalog>, tally: &mut Tally) {
    assert_prints_what_it_reads(catalog.rules());
    assert_classes_count_their_members(catalog, 2);
    assert_likenesses_are_found(catalog, tally);
    let classes = catalog.classes(2);
    let solutions = Solutions::of(catalog, classes.iter().cloned());
    let mut random = Random::new(file.seed);
    for class in &classes {
        compare(&solutions, class, &mut random);
    }
    assert!(classes.is_empty() || assert_two_pieces_follow_from_their_moves(&solutions) > 0);
    note_kinds(file, &solutions, tally);
}

#[test]
fn a_limit_holds_for_every_count() {
    const FORCED: &str = "with a loss by captures alone";
    let tally = try_files(30, 3..=6, |file, catalog, tally| {
        let mut random = Random::new(file.text().len() as u64);
        let three = catalog.classes(3);
        let mut classes = catalog.classes(2);
        let chosen = (0..3).filter(|_| !three.is_empty());
        classes.extend(chosen.map(|_| random.pick(&three).clone()).collect::<Vec<_>>());
        let limit = 1 + random.below(9) as u32;
        tally.note(FORCED, compare_under_a_limit(catalog, &classes, limit) > 0);
    });
    // Losses in an odd number of plies are what distances to the end never have.
    assert!(tally.count(FORCED) > 0, "{tally:?}");
}

#[test]
fn both_solvers_agree_on_two_pieces_under_random_rules() {
    let tally = try_files(250, SIZES, two_pieces_hold);
    for (kind, count) in &tally.0 {
        assert!(count * 25 >= tally.count(SOLVED), "too few rule files {kind}: {tally:?}");
    }
}

#[test]
fn both_solvers_agree_on_two_pieces_under_random_rules_on_large_boards() {
    try_files(20, 9..=12, two_pieces_hold);
}

/// So many of the classes, perhaps one of them twice; none if there are none.
fn choose(classes: &[Arc<Class>], count: usize, random: &mut Random) -> Vec<Arc<Class>> {
    let count = if classes.is_empty() { 0 } else { count };
    (0..count).map(|_| random.pick(classes).clone()).collect()
}

/// Both solvers agree on the classes, also with the distances in files, and the members have the best values of their moves.
fn chosen_hold(catalog: &Arc<Catalog>, chosen: &[Arc<Class>], random: &mut Random) {
    let solutions = Solutions::of(catalog, chosen.iter().cloned());
    for class in chosen {
        compare(&solutions, class, random);
        for lean in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let spill = Some(SpillTo { folder: folder.path(), every: Some(Duration::ZERO) });
            let spilled = solutions.solve(class, &Options { spill, lean, ..Options::default() });
            assert_same_solved(&spilled, solutions.get(class), "with distances in files");
        }
    }
    let pieces: BTreeSet<usize> = chosen.iter().map(|class| class.material().count()).collect();
    for pieces in pieces {
        assert_classes_count_their_members(catalog, pieces);
        assert_members_follow_from_their_moves(&solutions, pieces, random);
    }
}

#[test]
fn both_solvers_agree_on_three_pieces_under_random_rules() {
    try_files(25, SIZES, |file, catalog, _| {
        let mut random = Random::new(file.seed);
        let chosen = choose(&catalog.classes(3), 3, &mut random);
        chosen_hold(catalog, &chosen, &mut random);
    });
}

#[test]
fn both_solvers_agree_on_four_to_six_pieces_under_random_rules_on_small_boards() {
    let own_swap = "with a class that is its own colour swap";
    let tally = try_files(25, 3..=4, |file, catalog, tally| {
        let mut random = Random::new(file.seed);
        let mut classes: Vec<Arc<Class>> = (4..=6).flat_map(|pieces| catalog.classes(pieces)).collect();
        classes.retain(|class| class.index().size() <= 40_000);
        let mut chosen = choose(&classes, 2, &mut random);
        classes.retain(|class| class.is_symmetric());
        tally.note(own_swap, !classes.is_empty());
        chosen.extend(choose(&classes, 1, &mut random));
        chosen_hold(catalog, &chosen, &mut random);
    });
    assert!(tally.count(own_swap) * 10 > tally.count(SOLVED), "{tally:?}");
}

#[test]
fn the_checker_finds_tables_under_random_rules_sound() {
    try_files(25, SIZES, |file, catalog, _| {
        let mut random = Random::new(file.seed);
        let mut classes = catalog.classes(2);
        classes.extend(choose(&catalog.classes(3), 1, &mut random));
        let tables = Tables::encoded(catalog, classes.iter().cloned(), SMALL_BLOCKS);
        let solutions = Solutions::of(catalog, classes.iter().cloned());
        for class in catalog.closure(classes) {
            let report = check_dtw(tables.tablebase(), &class, &CheckOptions::default(), &()).unwrap();
            assert!(report.is_sound(), "{}: {report:?}", class.name());
            let solved = solutions.get(&class);
            assert_eq!(report.summary.as_ref(), Some(solved.summary()), "{}", class.name());
            for number in (0..class.index().size()).step_by(7) {
                let Some(position) = class.position(Side::White, number) else { continue };
                assert_eq!(value(tables.tablebase(), &position), solved.side(Side::White).value(number));
            }
        }
    });
}
