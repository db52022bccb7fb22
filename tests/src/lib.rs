//! Helpers shared by the cross-crate tests.
//!
//! The tests stand in `tests/tests`, one file for each kind of proof. Everything here is for them alone: what fails,
//! panics.

#![allow(clippy::unwrap_used)]

pub mod boards;
pub mod counting;
pub mod program;

use dsq_solver::generate::{self, Report, Request, Silent, SpillRequest};
use dsq_solver::kernel;
use dsq_solver::reference;
use dsq_solver::solved::{SideCodes, Solved};
use dsq_solver::write::{Encoding, write_table};
use dsq_tables::board::{Side, Square, Symmetry};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::Metric;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::position::{Position, Setup};
use dsq_tables::rules::{Piece, Rules};
use dsq_tables::tablebase::{Probe, Tablebase};
use dsq_tables::value::Value;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use tempfile::TempDir;

/// Settings of a rule set that differ from its named form.
pub type Changes<'a> = &'a [(&'a str, &'a str)];

/// The rule sets that everything is tried under; the others differ from them by settings that are tried one by one.
pub const STUDIED: [&str; 2] = ["classic", "leiden"];

/// A rule set with some settings changed.
///
/// # Panics
/// If there is no such rule set or setting.
#[must_use]
pub fn rules(name: &str, changes: Changes<'_>) -> Arc<Rules> {
    Rules::load_with(name, changes.iter().copied()).unwrap()
}

/// The classes of a rule set with some settings changed.
///
/// # Panics
/// If there is no such rule set or setting.
#[must_use]
pub fn catalog(name: &str, changes: Changes<'_>) -> Arc<Catalog> {
    Arc::new(Catalog::new(rules(name, changes)))
}

/// The class of a material such as `RL-E`.
///
/// # Panics
/// If the text is no material.
#[must_use]
pub fn class_of(catalog: &Catalog, material: &str) -> Arc<Class> {
    let material = Material::parse(catalog.rules(), material).unwrap();
    catalog.member(material).unwrap().class().clone()
}

/// The classes of all materials with at most so many pieces.
#[must_use]
pub fn classes_up_to(catalog: &Catalog, pieces: usize) -> Vec<Arc<Class>> {
    (2..=pieces).flat_map(|pieces| catalog.classes(pieces)).collect()
}

/// A position from its FEN.
///
/// # Panics
/// If the text is no position of the rule set.
#[must_use]
pub fn position(rules: &Rules, fen: &str) -> Position {
    Position::from_fen(rules, fen).unwrap()
}

/// The legal moves of a position as they are written, in square order.
#[must_use]
pub fn move_texts(rules: &Rules, fen: &str) -> Vec<String> {
    let legal = position(rules, fen).legal_moves(rules);
    legal.iter().map(|legal| legal.squares.to_text(rules.board())).collect()
}

/// A repeatable sequence of numbers that look random (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// If the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// One of the items.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let place = self.below(items.len() as u64);
        &items[place as usize]
    }
}

/// A random position of a material in which the game is not over: every piece on a square of its domain, all different.
pub fn random_position(rules: &Rules, material: Material, turn: Side, random: &mut Random) -> Position {
    loop {
        let mut setup = Setup::empty(turn);
        for piece in material.pieces() {
            let squares: Vec<Square> = rules.movement(piece).domain().squares().collect();
            setup.place(piece, *random.pick(&squares));
        }
        if let Ok(position) = setup.position(rules)
            && position.finished(rules).is_none()
        {
            return position;
        }
    }
}

/// The position with the colours swapped and the board turned upside down by a symmetry: the same for the other side.
#[must_use]
pub fn colours_swapped(rules: &Rules, position: &Position, symmetry: Symmetry) -> Position {
    let mut swapped = Setup::empty(position.turn().other());
    for (piece, square) in position.pieces() {
        let piece = Piece { side: piece.side.other(), animal: piece.animal };
        swapped.place(piece, rules.board().map(symmetry, square));
    }
    swapped.assume_legal()
}

/// The value of a position by the values of the positions after its moves, which must be in the tables.
///
/// # Panics
/// If a table is missing or damaged.
#[must_use]
pub fn value_by_moves(tablebase: &Tablebase, position: &Position) -> Option<Value> {
    let child = |legal| {
        let next = position.after(&legal);
        tablebase.probe(&next).unwrap().value_for(next.turn()).before_move()
    };
    position.legal_moves(tablebase.rules()).into_iter().map(child).max()
}

/// The value of a position in which the game is not over.
///
/// # Panics
/// If it is over, or a table is missing or damaged.
#[must_use]
pub fn value(tablebase: &Tablebase, position: &Position) -> Value {
    match tablebase.probe(position).unwrap() {
        Probe::Value(value) => value,
        Probe::Finished(finished) => panic!("the game is over: {finished:?}"),
    }
}

/// Classes solved in memory by the bit-parallel solver, with everything they rest on.
#[derive(Clone, Debug)]
pub struct Solutions {
    catalog: Arc<Catalog>,
    solved: HashMap<Material, Arc<Solved>>,
}

impl Solutions {
    /// Solves classes and everything below them.
    ///
    /// # Panics
    /// If the solver fails.
    #[must_use]
    pub fn of(catalog: &Arc<Catalog>, classes: impl IntoIterator<Item = Arc<Class>>) -> Solutions {
        Solutions::with_escape(catalog, classes, kernel::Options::default().escape_from)
    }

    /// The same, with the codes from `escape_from` on among the exceptions.
    ///
    /// # Panics
    /// If the solver fails.
    #[must_use]
    pub fn with_escape(
        catalog: &Arc<Catalog>,
        classes: impl IntoIterator<Item = Arc<Class>>,
        escape_from: u32,
    ) -> Solutions {
        let options = kernel::Options { parallel: false, escape_from, ..kernel::Options::default() };
        Solutions::with_options(catalog, classes, &options)
    }

    /// The same with these options, one class on each thread.
    ///
    /// # Panics
    /// If the solver fails.
    #[must_use]
    pub fn with_options(
        catalog: &Arc<Catalog>,
        classes: impl IntoIterator<Item = Arc<Class>>,
        options: &kernel::Options<'_>,
    ) -> Solutions {
        let mut solutions = Solutions { catalog: catalog.clone(), solved: HashMap::new() };
        let mut levels: BTreeMap<usize, Vec<Arc<Class>>> = BTreeMap::new();
        for class in catalog.closure(classes) {
            levels.entry(class.material().count()).or_default().push(class);
        }
        for classes in levels.into_values() {
            let solve = |class: &Arc<Class>| (class.material(), Arc::new(solutions.solve(class, options)));
            let solved: Vec<_> = classes.par_iter().with_max_len(1).map(solve).collect();
            solutions.solved.extend(solved);
        }
        solutions
    }

    /// Solves one more class with the solutions below it, without keeping it.
    ///
    /// # Panics
    /// If one of those is missing.
    #[must_use]
    pub fn solve(&self, class: &Arc<Class>, options: &kernel::Options<'_>) -> Solved {
        let below =
            |class: &Arc<Class>, side| self.solved.get(&class.material()).map(|solved| solved.side(side).clone());
        kernel::solve(&self.catalog, class, &below, options).unwrap()
    }

    /// Solves one more class with the reference solver, from the same solutions below it.
    ///
    /// # Panics
    /// If one of those is missing.
    #[must_use]
    pub fn solve_by_reference(&self, class: &Class) -> reference::Solution {
        reference::solve(&self.catalog, class, &|position| self.value(position)).unwrap()
    }

    /// The classes.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// A solved class.
    ///
    /// # Panics
    /// If it is not among them.
    #[must_use]
    pub fn get(&self, class: &Class) -> &Arc<Solved> {
        &self.solved[&class.material()]
    }

    /// All solved classes.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Solved>> {
        self.solved.values()
    }

    /// The value of a position of any member of a solved class.
    ///
    /// # Panics
    /// If its class is not among them.
    #[must_use]
    pub fn value(&self, position: &Position) -> Value {
        let member = self.catalog.member(Material::of(position)).unwrap();
        let route = member.route(position.turn());
        let number = member.class().index().number(&route.squares(position).unwrap());
        self.get(member.class()).side(route.side()).value(number)
    }

    /// The same with all distances so many plies longer.
    ///
    /// # Panics
    /// If the number of plies is odd, which would make losses of wins.
    #[must_use]
    pub fn shifted(&self, plies: u32) -> Solutions {
        assert!(plies.is_multiple_of(2));
        let longer = |code: u32| if code == 0 { 0 } else { code + plies };
        let shift = |(&material, solved): (&Material, &Arc<Solved>)| {
            let side = |side: &Arc<SideCodes>| {
                let codes: Vec<u32> = (0..).take(side.bytes().len()).map(|number| longer(side.code(number))).collect();
                SideCodes::from_codes(&codes)
            };
            let sides = solved.sides().iter().map(side).collect();
            (material, Arc::new(Solved::new(solved.class.clone(), sides, &[])))
        };
        Solutions { catalog: self.catalog.clone(), solved: self.solved.iter().map(shift).collect() }
    }
}

/// Compares what both solvers make of a class, number by number.
///
/// # Panics
/// If they differ.
pub fn assert_same_solution(rules: &Rules, solved: &Solved, reference: &reference::Solution) {
    let class = &solved.class;
    let name = format!("{} {}", rules.name(), class.name());
    assert_eq!(solved.sides().len(), class.sides(), "{name}: sides");
    assert_eq!(reference.sides.len(), class.sides(), "{name}: sides of the reference");
    for (side, (codes, expected)) in Side::BOTH.into_iter().zip(solved.sides().iter().zip(&reference.sides)) {
        assert_eq!(codes.bytes().len() as u64, class.index().size(), "{name}: numbers");
        assert_eq!(expected.len() as u64, class.index().size(), "{name}: numbers of the reference");
        for (number, &code) in (0..).zip(expected) {
            if codes.code(number) == code {
                continue;
            }
            // A number that stands for no position may hold anything; it is never read.
            if let Some(position) = class.position(side, number) {
                let (found, expected) = (codes.value(number), Value::from_code(code));
                panic!("{name}, {}: {found:?}, by the reference {expected:?}", position.to_fen(rules));
            }
        }
    }
    let stalemates: Vec<u64> = solved.summary().sides.iter().map(|side| side.stalemates).collect();
    assert_eq!(stalemates, reference.stalemates, "{name}: positions without a move");
}

/// Few positions in a block, so that small tables have many blocks.
pub const SMALL_BLOCKS: Encoding = Encoding { level: 1, block_len: 300 };

/// Tables on disk, in a folder of their own that goes away with this value.
#[derive(Debug)]
pub struct Tables {
    folder: TempDir,
    tablebase: Tablebase,
    report: Report,
}

impl Tables {
    /// Generates the tables of classes and everything below them, as the program does.
    ///
    /// # Panics
    /// If that fails.
    #[must_use]
    pub fn generate(catalog: &Arc<Catalog>, classes: impl IntoIterator<Item = Arc<Class>>) -> Tables {
        Tables::encoded(catalog, classes, Encoding::default())
    }

    /// The same with a choice of blocks and compression.
    ///
    /// # Panics
    /// If that fails.
    #[must_use]
    pub fn encoded(
        catalog: &Arc<Catalog>,
        classes: impl IntoIterator<Item = Arc<Class>>,
        encoding: Encoding,
    ) -> Tables {
        let folder = TempDir::new().unwrap();
        let request = Request {
            classes: classes.into_iter().collect(),
            folder: folder.path().to_owned(),
            verify: false,
            memory: None,
            encoding,
            spill: SpillRequest::default(),
            metric: Metric::Dtw,
        };
        let report = generate::run(catalog, &request, &Silent).unwrap();
        let tablebase = Tablebase::at(folder.path(), catalog.clone(), 64 << 20);
        Tables { folder, tablebase, report }
    }

    /// Those of one rule set with all materials of at most so many pieces.
    ///
    /// # Panics
    /// If generating them fails.
    #[must_use]
    pub fn up_to(rules: &str, changes: Changes<'_>, pieces: usize) -> Tables {
        let catalog = catalog(rules, changes);
        let classes = classes_up_to(&catalog, pieces);
        Tables::generate(&catalog, classes)
    }

    /// The tables, for probing.
    #[must_use]
    pub fn tablebase(&self) -> &Tablebase {
        &self.tablebase
    }

    /// What generating them reported.
    #[must_use]
    pub fn report(&self) -> Report {
        self.report
    }

    /// The classes.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.tablebase.catalog()
    }

    /// The rule set.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        self.tablebase.rules()
    }

    /// The folder, as a program is given it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a table in place of the one that is there, with all checksums right.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn replace(&self, solved: &Solved) {
        let path = self.tablebase.path_of(&solved.class);
        write_table(self.rules(), solved, &path, SMALL_BLOCKS, false).unwrap().publish().unwrap();
        self.tablebase.close_tables();
    }
}

/// Tables that the tests of one file share: made when first asked for, removed when nobody holds them any more.
#[derive(Debug, Default)]
pub struct Shared(Mutex<Weak<Tables>>);

impl Shared {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Shared {
        Shared(Mutex::new(Weak::new()))
    }

    /// The tables, made by `make` if nobody has them now.
    ///
    /// # Panics
    /// If making them fails, or failed in another test.
    pub fn get(&self, make: impl FnOnce() -> Tables) -> Arc<Tables> {
        let mut shared = self.0.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let tables = Arc::new(make());
            *shared = Arc::downgrade(&tables);
            tables
        })
    }
}

/// The files of a folder and of those inside it with their bytes, by their path inside it. Those whose name begins with a
/// dot are left out: locks, and files that are not finished.
///
/// # Panics
/// If the folder cannot be read.
#[must_use]
pub fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let inside = files_of(&entry.path());
            files.extend(inside.into_iter().map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else if !name.starts_with('.') {
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
    files
}

/// The work, done with so many threads.
///
/// # Panics
/// If the threads cannot be started.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The squares of a position in the order of the index of a class; the class is represented by the position's material.
///
/// # Panics
/// If a piece is missing.
#[must_use]
pub fn squares_in_order(class: &Class, position: &Position) -> [Square; MAX_PIECES] {
    let mut squares = [Square::new(0); MAX_PIECES];
    for (slot, piece) in squares.iter_mut().zip(class.index().pieces()) {
        *slot = position.square(piece).unwrap();
    }
    squares
}
