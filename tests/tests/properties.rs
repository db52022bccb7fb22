//! What holds for every position, every class and every file, tried on random ones.

use dsq_solver::solved::{SideCodes, Solved};
use dsq_tables::board::{Side, Square, Symmetry};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::fen::Fen;
use dsq_tables::material::Material;
use dsq_tables::moves::Move;
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{Animal, Piece, Rules};
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tests::boards::{self, CIRCLE, CROOKED, WIDE};
use dsq_tests::{
    Changes, Random, SMALL_BLOCKS, Shared, Tables, catalog, class_of, colours_swapped, random_position, rules,
    squares_in_order, value,
};
use proptest::prelude::*;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// Rule sets that differ in everything a position or an index can depend on.
const RULE_SETS: [(&str, Changes<'static>); 8] = [
    ("classic", &[]),
    ("leiden", &[]),
    ("classic", &[("own-den", "allowed")]),
    ("classic", &[("swimmers", "RDL")]),
    ("classic", &[("swimmers", "RW"), ("own-den", "allowed"), ("trap-barred", "RE")]),
    ("leiden", &[("trap-barred", "own:CT"), ("no-move", "draw")]),
    ("leiden", &[("traps", "universal"), ("tiger-jumps", "files"), ("elimination-wins", "false")]),
    ("leiden", &[("swimmers", ""), ("jump-stopped-by", "none")]),
];

static CATALOGS: LazyLock<Vec<Arc<Catalog>>> = LazyLock::new(|| {
    let named = RULE_SETS.iter().map(|(name, changes)| catalog(name, changes));
    let other = [CIRCLE, WIDE, CROOKED].map(|text| Arc::new(Catalog::new(boards::compile(text))));
    named.chain(other).collect()
});

/// The rule sets with the common board, which is its own mirror image and looks the same from both sides.
const EVEN: usize = RULE_SETS.len();
/// Those and the ones with other boards.
const ALL: usize = EVEN + 3;

/// So many random cases. Those that fail are printed, not kept in files among the sources.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A position with its rules, to be shown in few words if something is wrong with it.
struct Placed(Arc<Rules>, Position);

impl fmt::Debug for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by the rules of {}", self.1.to_fen(&self.0), self.0.name())
    }
}

/// Any legal position: up to all pieces, one of them perhaps in the enemy den.
fn any_position(rule_sets: usize) -> impl Strategy<Value = Placed> {
    let places = proptest::collection::vec(proptest::option::of(any::<prop::sample::Index>()), 16);
    (0..rule_sets, places, any::<bool>()).prop_filter_map("no piece can stand there", |(place, places, black)| {
        let rules = CATALOGS[place].rules().clone();
        let squares: Vec<Square> = rules.board().all().squares().collect();
        let mut setup = Setup::empty(if black { Side::Black } else { Side::White });
        for (animal, places) in rules.animals().zip(places.chunks(2)) {
            for (side, place) in Side::BOTH.into_iter().zip(places) {
                let (piece, Some(place)) = (Piece { side, animal }, place) else { continue };
                setup.place(piece, *place.get(&squares));
                if setup.check(&rules).is_err() {
                    setup.remove(piece);
                }
            }
        }
        let position = setup.position(&rules).ok()?;
        Some(Placed(rules, position))
    })
}

fn mirrored(rules: &Rules, squares: Move) -> Move {
    mapped(rules, squares, Symmetry::Mirror)
}

fn mapped(rules: &Rules, squares: Move, symmetry: Symmetry) -> Move {
    let place = |square| rules.board().map(symmetry, square);
    Move { from: place(squares.from), to: place(squares.to) }
}

fn moves(rules: &Rules, position: &Position, map: impl Fn(Move) -> Move) -> Vec<(Move, Option<Animal>)> {
    let mut moves: Vec<_> =
        position.legal_moves(rules).iter().map(|legal| (map(legal.squares), legal.capture)).collect();
    moves.sort_unstable_by_key(|&(squares, _)| squares);
    moves
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn a_position_survives_being_written_and_read(Placed(rules, position) in any_position(ALL)) {
        let text = position.to_fen(&rules);
        prop_assert_eq!(Position::from_fen(&rules, &text), Ok(position));
        prop_assert_eq!(Position::from_fen(&rules, &text).unwrap().to_fen(&rules), text.clone());
        let fen = Fen::parse(&rules, &format!("  {text}  - - 7 12 ")).unwrap();
        prop_assert_eq!((fen.position, fen.quiet_plies, fen.move_number), (position, Some(7), Some(12)));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[1-9a-zA-Z/ \\-~äß]{0,80}", tail in "( [wbr\\-0-9]{1,12}){0,4}") {
        let rules = CATALOGS[0].rules();
        for text in [text.clone(), format!("{text}{tail}"), format!("7/7/7/7/7/7/7/7/{text}{tail}")] {
            // What is read is a legal position that prints and reads back.
            if let Ok(position) = Position::from_fen(rules, &text) {
                prop_assert_eq!(position.check(rules), Ok(()));
                prop_assert_eq!(Position::from_fen(rules, &position.to_fen(rules)), Ok(position));
            }
        }
    }

    #[test]
    fn the_moves_of_the_mirror_image_are_the_mirror_images(Placed(rules, position) in any_position(EVEN)) {
        let image = position.mapped(&rules, Symmetry::Mirror);
        prop_assert_eq!(image.mapped(&rules, Symmetry::Mirror), position);
        let there = moves(&rules, &image, |squares| squares);
        prop_assert_eq!(there, moves(&rules, &position, |squares| mirrored(&rules, squares)));
        let winner = |position: &Position| position.finished(&rules).map(|finished| finished.winner);
        prop_assert_eq!(winner(&image), winner(&position));
    }

    #[test]
    fn the_moves_with_the_colours_swapped_are_those_of_the_turned_board(Placed(rules, position) in any_position(EVEN)) {
        for symmetry in [Symmetry::HalfTurn, Symmetry::Flip] {
            let swapped = colours_swapped(&rules, &position, symmetry);
            prop_assert_eq!(colours_swapped(&rules, &swapped, symmetry), position);
            let there = moves(&rules, &swapped, |squares| squares);
            prop_assert_eq!(there, moves(&rules, &position, |squares| mapped(&rules, squares, symmetry)));
            let winner = |position: &Position| position.finished(&rules).map(|finished| finished.winner);
            prop_assert_eq!(winner(&swapped), winner(&position).map(Side::other));
        }
    }
}

/// A class with its catalog, to be shown in few words.
struct Classed(Arc<Catalog>, Arc<Class>);

impl fmt::Debug for Classed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by the rules of {}", self.1.name(), self.0.rules().name())
    }
}

/// A class of two to five pieces.
fn any_class() -> impl Strategy<Value = Classed> {
    (0..ALL, 2usize..=5, any::<prop::sample::Index>()).prop_map(|(catalog, pieces, place)| {
        let catalog = &CATALOGS[catalog];
        Classed(catalog.clone(), place.get(&catalog.classes(pieces)).clone())
    })
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn a_number_stands_for_one_placement(Classed(_, class) in any_class(), place in any::<prop::sample::Index>()) {
        let index = class.index();
        let number = place.index(usize::try_from(index.size()).unwrap()) as u64;
        match index.squares(number) {
            Some(squares) => prop_assert_eq!(index.number(&squares), number),
            None => prop_assert!(!index.is_dense()),
        }
        prop_assert_eq!(index.squares(index.size() + number), None);
    }

    #[test]
    fn a_placement_has_one_number_and_shares_it_only_with_its_mirror_image(
        Classed(catalog, class) in any_class(),
        seed: u64,
    ) {
        let rules = catalog.rules();
        let index = class.index();
        let position = random_position(rules, class.material(), Side::White, &mut Random::new(seed));
        let squares = squares_in_order(&class, &position);
        let number = index.number(&squares);
        prop_assert!(number < index.size());
        let back = class.position(Side::White, number);
        if !index.has_mirror() {
            prop_assert_eq!((back, index.weight_at(number)), (Some(position), 1));
            return Ok(());
        }
        let image = position.mapped(rules, Symmetry::Mirror);
        prop_assert!(back == Some(position) || back == Some(image), "{:?}", back);
        let image_number = index.number(&squares_in_order(&class, &image));
        prop_assert_eq!(index.weight_at(number) == 2, image_number == number && image != position);
    }
}

/// Tables of some hard materials under one of four rule sets.
fn tables(place: usize) -> Arc<Tables> {
    static SHARED: [Shared; 4] = [const { Shared::new() }; 4];
    SHARED[place].get(|| {
        let catalog = &CATALOGS[[0, 1, 2, 6][place]];
        let materials = ["RL-E", "RT-R", "CT-L", "DE-W", "PL-R"];
        Tables::generate(catalog, materials.map(|material| class_of(catalog, material)))
    })
}

/// A random position whose table is there, of any member of the classes.
fn any_valued_position() -> impl Strategy<Value = (usize, Placed)> {
    (0usize..4, any::<u64>()).prop_map(|(place, seed)| {
        let tables = tables(place);
        let mut random = Random::new(seed);
        let catalog = tables.catalog();
        let there = |material: &Material| {
            let member = catalog.member(*material).unwrap();
            tables.tablebase().path_of(member.class()).is_file()
        };
        let pieces = if random.below(4) == 0 { 2 } else { 3 };
        let materials: Vec<Material> = Material::all(tables.rules(), pieces).into_iter().filter(there).collect();
        let material = *random.pick(&materials);
        let turn = *random.pick(&Side::BOTH);
        let position = random_position(tables.rules(), material, turn, &mut random);
        (place, Placed(tables.rules().clone(), position))
    })
}

#[test]
fn a_position_its_mirror_image_and_its_colour_swaps_have_one_value() {
    // Held for the whole test: they go when nobody has them.
    let held: Vec<Arc<Tables>> = (0..4).map(tables).collect();
    let config = cases(2000);
    proptest!(config, |((place, Placed(rules, position)) in any_valued_position())| {
        let tablebase = held[place].tablebase();
        let expected = value(tablebase, &position);
        prop_assert_eq!(value(tablebase, &position.mapped(&rules, Symmetry::Mirror)), expected);
        for symmetry in [Symmetry::HalfTurn, Symmetry::Flip] {
            prop_assert_eq!(value(tablebase, &colours_swapped(&rules, &position, symmetry)), expected);
        }
    });
}

/// A table with long distances and short ones, in many blocks, and all its values.
struct Intact {
    tables: Tables,
    class: Arc<Class>,
    path: PathBuf,
    bytes: Vec<u8>,
    solved: Solved,
}

impl Intact {
    fn new() -> Intact {
        let catalog = catalog("classic", &[]);
        let class = class_of(&catalog, "R-L");
        let tables = Tables::encoded(&catalog, [class.clone()], SMALL_BLOCKS);
        let right = Solved::read(&tables.tablebase().table(&class).unwrap()).unwrap();
        // Some distances that need the exceptions of a block.
        let longer = |(number, code): (u64, u32)| if number % 7 == 0 && code > 0 { code + 400 } else { code };
        let side = |side: &Arc<SideCodes>| {
            let codes = (0..class.index().size()).map(|number| longer((number, side.code(number))));
            SideCodes::from_codes(&codes.collect::<Vec<u32>>())
        };
        let solved = Solved::new(class.clone(), right.sides().iter().map(side).collect(), &[]);
        assert!(solved.sides().iter().all(|side| !side.exceptions().is_empty()));
        tables.replace(&solved);
        let path = tables.tablebase().path_of(&class);
        let bytes = std::fs::read(&path).unwrap();
        Intact { tables, class, path, bytes, solved }
    }

    /// Puts other bytes under the name of the table, as a new file: the old one may still be mapped.
    fn open_with(&self, bytes: &[u8]) -> Tablebase {
        let beside = self.path.with_extension("beside");
        std::fs::write(&beside, bytes).unwrap();
        std::fs::rename(&beside, &self.path).unwrap();
        Tablebase::at(self.tables.folder(), self.tables.catalog().clone(), 1 << 20)
    }

    /// Probes every position of a damaged table: each answer is the right one or an error, and if any byte differs, the
    /// file check says so.
    fn assert_safe(&self, bytes: &[u8]) -> Result<(), TestCaseError> {
        let tablebase = self.open_with(bytes);
        let noticed = tablebase.table(&self.class).and_then(|table| table.check_file());
        if bytes == self.bytes {
            prop_assert!(noticed.is_ok());
        } else {
            let error = noticed.expect_err("the file differs");
            prop_assert!(error.is_damage(), "{error}");
            prop_assert!(!error.to_string().contains('\n'), "{error}");
        }
        // Where it does not even open, one position tells as much as all.
        let step = if tablebase.table(&self.class).is_ok() { 1 } else { 997 };
        for turn in Side::BOTH {
            for number in (0..self.class.index().size()).step_by(step) {
                let position = self.class.position(turn, number).unwrap();
                match tablebase.probe(&position) {
                    Ok(probe) => {
                        prop_assert_eq!(probe.value_for(turn), self.solved.side(turn).value(number));
                    }
                    Err(error) => prop_assert!(error.is_damage(), "{error}"),
                }
            }
        }
        Ok(())
    }
}

#[test]
fn an_intact_table_gives_its_values_and_passes_the_check() {
    let intact = Intact::new();
    intact.assert_safe(&intact.bytes).unwrap();
}

#[test]
fn a_table_cut_off_anywhere_is_an_error() {
    let intact = Intact::new();
    let config = cases(400);
    proptest!(config, |(place: prop::sample::Index)| {
        let length = place.index(intact.bytes.len());
        intact.assert_safe(&intact.bytes[..length])?;
        let tablebase = intact.open_with(&intact.bytes[..length]);
        let error = tablebase.table(&intact.class).unwrap_err();
        prop_assert!(matches!(error, TablebaseError::File(_)), "{error}");
    });
}

#[test]
fn flipped_bits_are_found_and_never_give_a_wrong_value() {
    let intact = Intact::new();
    let config = cases(400);
    let flips = proptest::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..6);
    proptest!(config, |(flips in flips)| {
        let mut bytes = intact.bytes.clone();
        for (place, bit) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        intact.assert_safe(&bytes)?;
    });
}

#[test]
fn overwritten_inserted_and_removed_bytes_are_found_and_never_give_a_wrong_value() {
    let intact = Intact::new();
    let config = cases(400);
    let garbage = proptest::collection::vec(any::<u8>(), 1..40);
    proptest!(config, |(place: prop::sample::Index, garbage in garbage, kind in 0..3)| {
        let mut bytes = intact.bytes.clone();
        let at = place.index(bytes.len());
        let end = (at + garbage.len()).min(bytes.len());
        match kind {
            0 => bytes[at..end].copy_from_slice(&garbage[..end - at]),
            1 => drop(bytes.splice(at..at, garbage)),
            _ => drop(bytes.drain(at..end)),
        }
        intact.assert_safe(&bytes)?;
    });
}

#[test]
fn blocks_that_changed_places_are_found_and_never_give_a_wrong_value() {
    let intact = Intact::new();
    let table = intact.tables.tablebase().table(&intact.class).unwrap();
    assert!(table.blocks_per_side() >= 3);
    let config = cases(200);
    proptest!(config, |(one: prop::sample::Index, other: prop::sample::Index, length in 1usize..300)| {
        let mut bytes = intact.bytes.clone();
        let (one, other) = (one.index(bytes.len()), other.index(bytes.len()));
        for step in 0..length {
            let (one, other) = ((one + step) % bytes.len(), (other + step) % bytes.len());
            bytes.swap(one, other);
        }
        intact.assert_safe(&bytes)?;
    });
}

#[test]
fn the_rule_sets_of_these_tests_differ() {
    let mut fingerprints: Vec<u64> =
        RULE_SETS.iter().map(|(name, changes)| rules(name, changes).fingerprint()).collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), RULE_SETS.len());
}
