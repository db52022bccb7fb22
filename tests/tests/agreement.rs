//! The bit-parallel solver against the simple one, and against itself in other ways: number for number, both sides to
//! move, draws included.

use dsq_solver::generate::{self, Request, Silent, SpillRequest};
use dsq_solver::kernel::{Isa, Options};
use dsq_solver::solved::Solved;
use dsq_solver::write::{Encoding, write_table};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use dsq_tables::rules::{NAMES, NoMove, Rules};
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Value;
use dsq_tests::STUDIED;
use dsq_tests::boards::{self, CIRCLE, CROOKED, HANDED, TURNED, WIDE};
use dsq_tests::{
    Changes, Random, SMALL_BLOCKS, Solutions, Tables, assert_same_solution, catalog, class_of, classes_up_to, files_of,
    random_position, value, value_by_moves, with_threads,
};
use rayon::prelude::*;
use std::sync::Arc;

/// One thread for each class.
const ALONE: bool = false;

fn options(parallel: bool) -> Options<'static> {
    Options { parallel, ..Options::default() }
}

/// Solves classes with both solvers, each from the same solutions below, and compares them.
fn compare(solutions: &Solutions, classes: &[Arc<Class>]) {
    classes.par_iter().with_max_len(1).for_each(|class| {
        let solved = solutions.solve(class, &options(ALONE));
        assert_same_solution(solutions.catalog().rules(), &solved, &solutions.solve_by_reference(class));
    });
}

/// Both solvers on these classes and all those below them.
fn compare_with_closure(catalog: &Arc<Catalog>, classes: impl IntoIterator<Item = Arc<Class>>) -> usize {
    let classes = catalog.closure(classes);
    let below: Vec<_> = classes.iter().flat_map(|class| catalog.below(class)).collect();
    let solutions = Solutions::of(catalog, below);
    compare(&solutions, &classes);
    classes.len()
}

#[test]
fn both_solvers_agree_on_every_class_of_two_and_three_pieces() {
    for rules in STUDIED {
        let catalog = catalog(rules, &[]);
        let classes = classes_up_to(&catalog, 3);
        assert_eq!(compare_with_closure(&catalog, classes.clone()), classes.len(), "{rules}");
    }
}

#[test]
fn both_solvers_agree_on_two_pieces_and_a_choice_of_three_under_every_named_rule_set() {
    for (seed, rules) in (404..).zip(NAMES.into_iter().filter(|rules| !STUDIED.contains(rules))) {
        let catalog = catalog(rules, &[]);
        let mut random = Random::new(seed);
        let mut classes = catalog.classes(2);
        let threes = catalog.classes(3);
        classes.extend((0..3).map(|_| random.pick(&threes).clone()));
        assert!(compare_with_closure(&catalog, classes) > 3, "{rules}");
    }
}

fn count_of(class: &Class, rules: &Rules, letters: &str) -> usize {
    class.material().pieces().filter(|piece| letters.contains(rules.letter(piece.animal))).count()
}

/// A choice of four-piece classes that meets everything that makes a class hard: two rats, a rat among jumpers, equal
/// numbers, a class that is its own colour swap, three against one, no rat at all.
fn four_piece_classes(catalog: &Catalog, random: &mut Random) -> Vec<Arc<Class>> {
    let rules = catalog.rules();
    let classes = catalog.classes(4);
    let mut chosen: Vec<Arc<Class>> = Vec::new();
    let two_and_two = |class: &Class| class.material().count_of(Side::White) == 2;
    let rats = |class: &Class| count_of(class, rules, "R");
    let jumpers = |class: &Class| count_of(class, rules, "TL");
    let mut choose = |kind: &str, wanted: &dyn Fn(&Class) -> bool| {
        let fitting: Vec<&Arc<Class>> = classes
            .iter()
            .filter(|class| wanted(class) && !chosen.iter().any(|other| other.name() == class.name()))
            .collect();
        assert!(!fitting.is_empty(), "{}: no class is left with {kind}", rules.name());
        chosen.push((*random.pick(&fitting)).clone());
    };
    choose("two rats and jumpers", &|class| rats(class) == 2 && jumpers(class) == 2);
    choose("two rats, its own swap", &|class| rats(class) == 2 && class.is_symmetric());
    choose("two rats", &|class| rats(class) == 2 && !class.is_symmetric());
    choose("a rat and jumpers, two and two", &|class| rats(class) == 1 && jumpers(class) > 0 && two_and_two(class));
    choose("a rat and jumpers, three and one", &|class| rats(class) == 1 && jumpers(class) > 1 && !two_and_two(class));
    choose("a rat and no jumper", &|class| rats(class) == 1 && jumpers(class) == 0);
    choose("its own swap, no rat", &|class| rats(class) == 0 && class.is_symmetric());
    choose("jumpers on both sides", &|class| rats(class) == 0 && jumpers(class) > 1 && two_and_two(class));
    choose("no rat and no jumper", &|class| rats(class) == 0 && jumpers(class) == 0);
    choose("anything", &|_| true);
    choose("anything else", &|_| true);
    chosen
}

#[test]
#[ignore = "slow: the reference solver takes seconds for each class of four pieces"]
fn both_solvers_agree_on_a_choice_of_classes_of_four_pieces() {
    for (seed, rules) in (2014..).zip(STUDIED) {
        let catalog = catalog(rules, &[]);
        let classes = four_piece_classes(&catalog, &mut Random::new(seed));
        assert!(classes.len() >= 10);
        let below: Vec<_> = classes.iter().flat_map(|class| catalog.below(class)).collect();
        compare(&Solutions::of(&catalog, below), &classes);
    }
}

/// Every setting that changes how the solver works, alone and together. The named rule sets are tested elsewhere.
const VARIANTS: [(&str, Changes<'static>); 18] = [
    ("classic", &[("no-move", "draw")]),
    ("classic", &[("elimination-wins", "false")]),
    ("classic", &[("own-den", "allowed")]),
    ("classic", &[("traps", "universal")]),
    ("classic", &[("traps", "none")]),
    ("classic", &[("swimmers", "RDW")]),
    ("classic", &[("swimmers", "")]),
    ("classic", &[("jump-stopped-by", "enemy")]),
    ("classic", &[("jump-stopped-by", "none"), ("leopard-jumps", "both:2")]),
    ("classic", &[("tiger-jumps", "files")]),
    ("classic", &[("trap-barred", "E")]),
    ("classic", &[("trap-barred", "own:RL"), ("trap-immune", "E")]),
    // The domains of the two elephants overlap, and neither holds the other.
    ("classic", &[("trap-barred", "own:E")]),
    ("classic", &[("rat-takes-elephant", "always")]),
    ("classic", &[("trapped-can-capture", "false")]),
    ("leiden", &[("no-move", "draw"), ("elimination-wins", "false"), ("own-den", "allowed")]),
    ("leiden", &[("swimmers", "RDL"), ("shore-captures", "any"), ("traps", "universal"), ("no-move", "draw")]),
    ("leiden", &[("own-den", "allowed"), ("trap-barred", "own:EC"), ("tiger-jumps", "ranks")]),
];

#[test]
fn both_solvers_agree_under_every_setting_that_matters_to_them() {
    VARIANTS.par_iter().with_max_len(1).for_each(|&(name, changes)| {
        let catalog = catalog(name, changes);
        assert_ne!(catalog.rules().name(), name, "{changes:?} changes nothing");
        let mut classes = catalog.classes(2);
        // A trap stands in the way of no two rats; a rat, a jumper, an elephant and a swimming dog between them meet all.
        classes.extend(["RL-E", "DL-R", "TW-R", "RE-R", "TE-E"].map(|material| class_of(&catalog, material)));
        compare_with_closure(&catalog, classes);
    });
}

#[test]
fn both_solvers_agree_on_other_boards() {
    let boards = [
        (CIRCLE, 4, &[][..]),
        (WIDE, 2, &["RM-L", "RS-D", "PL-R", "E-MD"]),
        (CROOKED, 2, &["RT-L", "KC-R", "LT-K", "K-RK"]),
        (HANDED, 3, &[]),
        (TURNED, 3, &[]),
    ];
    boards.par_iter().with_max_len(1).for_each(|&(text, pieces, more)| {
        let catalog = Arc::new(Catalog::new(boards::compile(text)));
        let mut classes = classes_up_to(&catalog, pieces);
        classes.extend(more.iter().map(|material| class_of(&catalog, material)));
        assert!(compare_with_closure(&catalog, classes) > 10);
    });
}

#[test]
#[ignore = "slow: the reference solver takes seconds for each class of four pieces"]
fn both_solvers_agree_on_four_pieces_under_other_settings() {
    for (changes, material) in [
        (&[("no-move", "draw"), ("own-den", "allowed")], "RL-RE"),
        (&[("swimmers", "RD"), ("elimination-wins", "false")], "RDT-L"),
        (&[("trap-barred", "own:E"), ("own-den", "allowed")], "RE-TE"),
    ] {
        let catalog = catalog("classic", changes);
        let class = class_of(&catalog, material);
        compare(&Solutions::of(&catalog, catalog.below(&class)), &[class]);
    }
}

#[test]
fn both_solvers_agree_where_distances_do_not_fit_in_a_byte() {
    for rules in STUDIED {
        let catalog = catalog(rules, &[]);
        let classes = ["CD-W", "RL-E", "RT-R", "LT-L", "CT-P"].map(|material| class_of(&catalog, material));
        let below = classes.iter().flat_map(|class| catalog.below(class));
        let far = Solutions::of(&catalog, below).shifted(300);
        compare(&far, &classes);
        let exceptions = |class| {
            let solved = far.solve(class, &options(ALONE));
            solved.sides().iter().map(|side| side.exceptions().len()).sum::<usize>()
        };
        assert!(classes.iter().map(exceptions).all(|count| count > 0), "{rules}: the case must need exceptions");
    }
}

#[test]
fn codes_kept_as_exceptions_while_solving_come_out_the_same() {
    for rules in STUDIED {
        let catalog = catalog(rules, &[]);
        let classes = ["RL-E", "RC-R", "CT-T"].map(|material| class_of(&catalog, material));
        let usual = Solutions::of(&catalog, classes.iter().cloned());
        let escaped = Solutions::with_escape(&catalog, classes.iter().cloned(), 20);
        for solved in usual.all() {
            assert_same_solved(escaped.get(&solved.class), solved, "with exceptions");
        }
        let longer =
            |class: &Arc<Class>| usual.get(class).sides().iter().flat_map(|side| side.bytes()).any(|&byte| byte >= 20);
        assert!(classes.iter().all(longer), "{rules}: these must have been through the exceptions");
    }
}

#[test]
fn every_set_of_instructions_gives_the_same_values() {
    let all = Isa::all();
    assert!(all.contains(&Isa::Portable));
    let wide = Arc::new(Catalog::new(boards::compile(WIDE)));
    let cases = [(catalog("classic", &[]), "RL-RE"), (catalog("leiden", &[]), "CT-WL"), (wide, "RM-L")];
    for (catalog, material) in cases {
        let class = class_of(&catalog, material);
        let solutions = Solutions::of(&catalog, catalog.below(&class));
        let portable = solutions.solve(&class, &Options { isa: Isa::Portable, ..options(ALONE) });
        for &isa in &all {
            let other = solutions.solve(&class, &Options { isa, ..options(ALONE) });
            assert_same_solved(&other, &portable, &format!("with {isa:?}"));
        }
    }
}

fn assert_same_solved(one: &Solved, other: &Solved, what: &str) {
    assert!(one.sides() == other.sides(), "{} {what}: values differ", one.class.name());
    assert_eq!(one.summary(), other.summary(), "{} {what}", one.class.name());
}

#[test]
fn any_number_of_threads_solves_a_class_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for (rules, materials) in [("classic", ["RL-E", "RE-R", "CL-T"]), ("leiden", ["RT-R", "RC-L", "DP-E"])] {
        let catalog = catalog(rules, &[]);
        for material in materials {
            let class = class_of(&catalog, material);
            let below = Solutions::of(&catalog, catalog.below(&class));
            let alone = below.solve(&class, &options(ALONE));
            let write = |solved: &Solved, name: &str, parallel: bool| {
                let path = folder.path().join(name);
                write_table(catalog.rules(), solved, &path, SMALL_BLOCKS, parallel).unwrap().publish().unwrap();
                std::fs::read(path).unwrap()
            };
            let expected = write(&alone, "alone", false);
            for threads in [1, 2, 5] {
                let solved = with_threads(threads, || below.solve(&class, &options(!ALONE)));
                assert_same_solved(&solved, &alone, &format!("{threads} threads"));
                let bytes = with_threads(threads, || write(&solved, "threads", true));
                assert!(bytes == expected, "{rules} {material}: the file differs with {threads} threads");
            }
        }
    }
}

#[test]
fn any_number_of_threads_generates_the_same_files() {
    let catalog = catalog("classic", &[]);
    let generate = |threads: usize| {
        let folder = tempfile::tempdir().unwrap();
        let request = Request {
            classes: ["RL-E", "RE-R", "CL-T", "CD-P", "LT-R"].map(|material| class_of(&catalog, material)).to_vec(),
            folder: folder.path().to_owned(),
            verify: false,
            memory: None,
            encoding: Encoding::default(),
            spill: SpillRequest::default(),
            metric: dsq_tables::format::Metric::Dtw,
        };
        with_threads(threads, || generate::run(&catalog, &request, &Silent)).unwrap();
        files_of(folder.path())
    };
    let expected = generate(1);
    assert!(expected.len() > 5);
    for threads in [2, 4] {
        assert!(generate(threads) == expected, "the files differ with {threads} threads");
    }
}

#[test]
#[ignore = "slow: four pieces"]
fn any_number_of_threads_solves_four_pieces_to_the_same_bytes() {
    for (rules, material) in [("classic", "RL-RE"), ("leiden", "RCT-L")] {
        let catalog = catalog(rules, &[]);
        let class = class_of(&catalog, material);
        let below = Solutions::of(&catalog, catalog.below(&class));
        let alone = below.solve(&class, &options(ALONE));
        for threads in [1, 2, 3] {
            let solved = with_threads(threads, || below.solve(&class, &options(!ALONE)));
            assert_same_solved(&solved, &alone, &format!("{threads} threads"));
        }
    }
}

/// Solves a class under another member and looks every value up in the solution under the usual one.
fn compare_members(solutions: &Solutions, member: Material) {
    let catalog = solutions.catalog();
    let rules = catalog.rules();
    let own = catalog.class_as(member).unwrap();
    let name = format!("{} {} as {}", rules.name(), catalog.member(member).unwrap().class().name(), own.name());
    assert_eq!(own.material(), member, "{name}");
    let solved = solutions.solve(&own, &options(ALONE));
    for (side, codes) in Side::BOTH.into_iter().zip(solved.sides()) {
        for number in 0..own.index().size() {
            let Some(position) = own.position(side, number) else { continue };
            let (found, expected) = (codes.value(number), solutions.value(&position));
            assert!(found == expected, "{name}: {}: {found:?}, {expected:?}", position.to_fen(rules));
        }
    }
    let counts = |solved: &Solved| {
        let summary = solved.summary();
        let sides = summary.sides.iter().map(|side| {
            let longest = [side.longest_win, side.longest_loss].map(|longest| longest.map(|longest| longest.plies));
            (side.positions, side.won, side.drawn, side.lost, side.stalemates, longest)
        });
        let mut sides: Vec<_> = sides.collect();
        // Colours may be swapped, and the sides with them.
        sides.sort_unstable();
        sides
    };
    assert_eq!(counts(&solved), counts(solutions.get(&own_class(catalog, member))), "{name}");
}

fn own_class(catalog: &Catalog, member: Material) -> Arc<Class> {
    catalog.member(member).unwrap().class().clone()
}

/// Of each class with so many pieces, members other than the one it is named after.
fn other_members(catalog: &Catalog, pieces: usize, of_each: usize, random: &mut Random) -> Vec<Material> {
    let all = Material::all(catalog.rules(), pieces);
    let mut chosen = Vec::new();
    for class in catalog.classes(pieces) {
        let member_of = |material: &&Material| {
            let member = catalog.member(**material).unwrap();
            member.class().material() == class.material() && **material != class.material()
        };
        let mut others: Vec<Material> = all.iter().filter(member_of).copied().collect();
        for _ in 0..of_each.min(others.len()) {
            let place = random.below(others.len() as u64);
            chosen.push(others.swap_remove(place as usize));
        }
    }
    chosen
}

#[test]
fn two_members_of_a_class_solved_apart_agree_through_the_map() {
    for (seed, (name, changes)) in [
        ("classic", [].as_slice()),
        ("leiden", &[]),
        ("classic", &[("own-den", "allowed"), ("swimmers", "RD")]),
        ("leiden", &[("no-move", "draw"), ("jump-stopped-by", "enemy")]),
    ]
    .into_iter()
    .enumerate()
    {
        let catalog = catalog(name, changes);
        let solutions = Solutions::of(&catalog, classes_up_to(&catalog, 3));
        let mut random = Random::new(41_027 + seed as u64);
        let mut members = other_members(&catalog, 2, usize::MAX, &mut random);
        members.extend(other_members(&catalog, 3, 1, &mut random));
        assert!(members.len() > 50);
        members.par_iter().with_max_len(1).for_each(|&member| compare_members(&solutions, member));
    }
}

#[test]
fn members_that_only_the_mirror_or_a_half_turn_takes_to_each_other_agree_through_the_map() {
    for (text, pairs) in [
        (HANDED, &[("N-R", "M-R"), ("NR-C", "MR-C"), ("NC-M", "MC-N"), ("RN-MC", "RM-NC")][..]),
        (TURNED, &[("N-R", "R-N"), ("NC-R", "R-NC"), ("RC-N", "N-RC"), ("RN-RC", "RC-RN")]),
    ] {
        let catalog = Arc::new(Catalog::new(boards::compile(text)));
        let solutions = Solutions::of(&catalog, pairs.iter().map(|(one, _)| class_of(&catalog, one)));
        for (one, other) in pairs {
            assert_eq!(class_of(&catalog, one).name(), class_of(&catalog, other).name());
            let members = [one, other].map(|text| Material::parse(catalog.rules(), text).unwrap());
            members.par_iter().with_max_len(1).for_each(|&member| compare_members(&solutions, member));
        }
    }
}

#[test]
#[ignore = "slow: three pieces under every member, four pieces under some"]
fn all_members_of_the_classes_of_three_pieces_and_some_of_four_agree_through_the_map() {
    for (seed, rules) in (7..).zip(STUDIED) {
        let catalog = catalog(rules, &[]);
        let mut random = Random::new(seed);
        let fours = other_members(&catalog, 4, 1, &mut random);
        let fours: Vec<Material> = (0..6).map(|_| *random.pick(&fours)).collect();
        let mut classes = classes_up_to(&catalog, 3);
        classes.extend(fours.iter().map(|&member| own_class(&catalog, member)));
        let solutions = Solutions::of(&catalog, classes);
        let mut members = other_members(&catalog, 3, usize::MAX, &mut random);
        members.extend(fours);
        members.par_iter().with_max_len(1).for_each(|&member| compare_members(&solutions, member));
    }
}

/// Random positions of every material whose table is there have the best value of their moves.
fn assert_members_follow_from_their_moves(tables: &Tables, pieces: usize, seed: u64) {
    let (tablebase, rules) = (tables.tablebase(), tables.rules());
    let stuck = if rules.no_move() == NoMove::Loss { Value::Loss(0) } else { Value::Draw };
    let materials: Vec<Material> = (2..=pieces).flat_map(|pieces| Material::all(rules, pieces)).collect();
    materials.par_iter().enumerate().for_each(|(place, &material)| {
        let mut random = Random::new(seed << 32 | place as u64);
        for turn in Side::BOTH {
            for _ in 0..200 {
                let position = random_position(rules, material, turn, &mut random);
                let expected = value_by_moves(tablebase, &position).unwrap_or(stuck);
                assert_eq!(value(tablebase, &position), expected, "{}", position.to_fen(rules));
            }
        }
    });
}

#[test]
fn every_member_of_every_class_follows_from_its_own_moves() {
    for (seed, rules) in (99..).zip(STUDIED) {
        assert_members_follow_from_their_moves(&Tables::up_to(rules, &[], 3), 3, seed);
    }
    for (seed, (text, pieces)) in (199..).zip([(CIRCLE, 3), (WIDE, 2), (CROOKED, 2), (HANDED, 3), (TURNED, 3)]) {
        let catalog = Arc::new(Catalog::new(boards::compile(text)));
        let tables = Tables::generate(&catalog, classes_up_to(&catalog, pieces));
        assert_members_follow_from_their_moves(&tables, pieces, seed);
    }
}

#[test]
fn many_threads_can_probe_through_a_small_cache() {
    let tables = Tables::up_to("classic", &[], 2);
    let rules = tables.rules();
    let mut random = Random::new(3);
    let materials = Material::all(rules, 2);
    let random_one = |_| {
        let (material, turn) = (*random.pick(&materials), *random.pick(&Side::BOTH));
        random_position(rules, material, turn, &mut random)
    };
    let positions: Vec<Position> = (0..2000).map(random_one).collect();
    let expected: Vec<Value> = positions.iter().map(|position| value(tables.tablebase(), position)).collect();
    for cache_bytes in [0, 5000, 1 << 20] {
        let tablebase = Tablebase::at(tables.folder(), tables.catalog().clone(), cache_bytes);
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (tablebase, positions, expected) = (&tablebase, &positions, &expected);
                scope.spawn(move || {
                    for place in (0..positions.len()).map(|place| (place * 7 + start * 500) % positions.len()) {
                        assert_eq!(value(tablebase, &positions[place]), expected[place]);
                    }
                });
            }
        });
    }
}
