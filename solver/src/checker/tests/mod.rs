#![allow(clippy::unwrap_used)]

mod lines;

use super::blocks::{Blocks, SharedBlocks};
use super::{CheckObserver, CheckOptions, Report, Sample, check_dtw};
use crate::reference::Solution;
use crate::reference::tests::{Solved, solve_all};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{Longest, SideSummary, Summary, TableWriter, split_codes};
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::table::header_of;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// Few positions in a block, so that small tables have many.
const BLOCK_LEN: u32 = 1000;

/// A folder with tables made by the reference solver.
struct Folder {
    dir: TempDir,
    catalog: Arc<Catalog>,
    solved: Solved,
}

impl Folder {
    /// Classes by a member, with everything below.
    fn new(rules: &str, changes: &[(&str, &str)], materials: &[&str]) -> Folder {
        let catalog = Arc::new(Catalog::new(Rules::load_with(rules, changes.iter().copied()).unwrap()));
        let classes: Vec<_> = materials.iter().map(|text| class_of(&catalog, text)).collect();
        let solved = solve_all(&catalog, classes);
        let folder = Folder { dir: TempDir::new().unwrap(), catalog, solved };
        for (material, solution) in &folder.solved {
            let class = folder.catalog.member(*material).unwrap().class().clone();
            folder.write(&class, solution, BLOCK_LEN, |_| {});
        }
        folder
    }

    /// All classes with so many pieces.
    fn with_pieces(rules: &str, changes: &[(&str, &str)], pieces: usize) -> (Folder, Vec<Arc<Class>>) {
        let catalog = Catalog::new(Rules::load_with(rules, changes.iter().copied()).unwrap());
        let classes = catalog.classes(pieces);
        let names: Vec<&str> = classes.iter().map(|class| class.name()).collect();
        let folder = Folder::new(rules, changes, &names);
        (folder, classes)
    }

    fn class(&self, text: &str) -> Arc<Class> {
        class_of(&self.catalog, text)
    }

    fn open(&self) -> Tablebase {
        Tablebase::open(self.dir.path(), self.catalog.rules().clone()).unwrap()
    }

    /// Writes a table, with a summary that fits unless `edit` changes it.
    fn write(&self, class: &Class, solution: &Solution, block_len: u32, edit: impl FnOnce(&mut Summary)) {
        let tablebase = Tablebase::at(self.dir.path(), self.catalog.clone(), 0);
        let path = tablebase.path_of(class);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let header = header_of(self.catalog.rules(), class, block_len);
        let mut writer = TableWriter::create(&path, header, 1).unwrap();
        for block in solution.sides.iter().flat_map(|side| side.chunks(block_len as usize)) {
            let (codes, exceptions) = split_codes(block);
            writer.write_values(&codes, &exceptions).unwrap();
        }
        let mut summary = count(class, solution);
        edit(&mut summary);
        writer.finish(summary).unwrap();
    }

    /// Writes a table with one value changed.
    fn change(&self, class: &Class, side: Side, number: u64, value: Value) {
        let mut solution = self.solved[&class.material()].clone();
        solution.sides[side.index()][number as usize] = value.code();
        self.write(class, &solution, BLOCK_LEN, |_| {});
    }

    /// The last position whose value fulfils a condition, after the first block.
    fn find(&self, class: &Class, wanted: impl Fn(Value) -> bool) -> (Side, u64, Value) {
        let sides = Side::BOTH.into_iter().zip(&self.solved[&class.material()].sides);
        let all = sides.flat_map(|(side, codes)| (0..).zip(codes).map(move |(number, &code)| (side, number, code)));
        let valued = all.filter(|&(side, number, _)| class.position(side, number).is_some());
        let found = valued.map(|(side, number, code)| (side, number, Value::from_code(code)));
        found
            .filter(|&(_, number, value)| number > u64::from(BLOCK_LEN) && wanted(value))
            .last()
            .unwrap_or_else(|| panic!("no such value in {}", class.name()))
    }
}

fn class_of(catalog: &Catalog, text: &str) -> Arc<Class> {
    catalog.member(Material::parse(catalog.rules(), text).unwrap()).unwrap().class().clone()
}

fn count(class: &Class, solution: &Solution) -> Summary {
    let count_side = |(codes, &stalemates): (&Vec<u32>, &u64)| {
        let mut summary = SideSummary { stalemates, ..SideSummary::default() };
        for (number, &code) in (0..).zip(codes) {
            let Some(squares) = class.index().squares(number) else { continue };
            let weight = class.index().weight(&squares);
            let line = |plies| Some(Longest { plies, position: number });
            summary.positions += weight;
            match Value::from_code(code) {
                Value::Draw => summary.drawn += weight,
                Value::Win(plies) => {
                    summary.won += weight;
                    summary.longest_win = summary.longest_win.filter(|line| line.plies >= plies).or(line(plies));
                }
                Value::Loss(plies) => {
                    summary.lost += weight;
                    summary.longest_loss = summary.longest_loss.filter(|line| line.plies >= plies).or(line(plies));
                }
            }
        }
        summary
    };
    Summary { sides: solution.sides.iter().zip(&solution.stalemates).map(count_side).collect() }
}

fn check(tablebase: &Tablebase, class: &Class) -> Report<Value> {
    check_dtw(tablebase, class, &CheckOptions::default(), &()).unwrap()
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn right_tables_of_two_pieces_are_sound_under_all_rules() {
    let variants: [(&str, &[(&str, &str)]); 5] = [
        ("classic", &[]),
        ("leiden", &[]),
        ("leiden", &[("no-move", "draw")]),
        ("leiden", &[("elimination-wins", "false"), ("no-move", "draw")]),
        ("classic", &[("own-den", "allowed")]),
    ];
    for (rules, changes) in variants {
        let (folder, classes) = Folder::with_pieces(rules, changes, 2);
        let tablebase = folder.open();
        for class in classes {
            let report = check(&tablebase, &class);
            assert!(report.is_sound(), "{rules} {}: {report:?}", class.name());
            let positions = |side| (0..class.index().size()).filter(|&n| class.position(side, n).is_some()).count();
            assert_eq!(report.positions, (class.sides() * positions(Side::White)) as u64);
            assert_eq!(report.summary, Some(count(&class, &folder.solved[&class.material()])));
        }
    }
}

#[test]
fn right_tables_of_three_pieces_are_sound() {
    for (rules, changes, materials) in [
        ("classic", [].as_slice(), ["RE-E", "CL-T", "R-CR"]),
        ("leiden", &[], ["RE-R", "PL-P", "E-DT"]),
        ("classic", &[("own-den", "allowed"), ("no-move", "draw")], ["RC-E", "L-TR", "WD-C"]),
    ] {
        let folder = Folder::new(rules, changes, &materials);
        let tablebase = folder.open();
        for material in materials {
            let report = check(&tablebase, &folder.class(material));
            assert!(report.is_sound(), "{rules} {material}: {report:?}");
        }
    }
}

#[test]
fn a_single_changed_value_is_found() {
    let folder = Folder::new("leiden", &[], &["RT-E", "R-R"]);
    for (material, from, to) in [
        ("RT-E", "draw", Value::Win(3)),
        ("RT-E", "draw", Value::Loss(300)),
        ("RT-E", "win", Value::Draw),
        ("RT-E", "longer win", Value::Win(0)),
        ("RT-E", "loss", Value::Draw),
        ("RT-E", "shorter loss", Value::Loss(0)),
        ("R-R", "loss", Value::Draw),
        ("R-R", "win", Value::Loss(300)),
        ("R-R", "longer win", Value::Win(0)),
    ] {
        let class = folder.class(material);
        let (side, number, value) = folder.find(&class, |value| match value {
            Value::Win(plies) => from.ends_with("win") && plies > 10,
            Value::Draw => from == "draw",
            Value::Loss(plies) => from.ends_with("loss") && plies > 10,
        });
        let to = match (from, value) {
            ("longer win", Value::Win(plies)) => Value::Win(plies + 2),
            ("shorter loss", Value::Loss(plies)) => Value::Loss(plies - 2),
            _ => to,
        };
        folder.change(&class, side, number, to);
        let tablebase = folder.open();
        let options = CheckOptions { max_faults: 1000, ..CheckOptions::default() };
        let report = check_dtw(&tablebase, &class, &options, &()).unwrap();
        assert!(!report.is_sound() && report.wrong >= 1, "{material} {from}");
        assert_eq!(report.wrong as usize, report.faults.len());
        let fault = report.faults.iter().find(|fault| (fault.side, fault.number) == (side, number));
        // The changed position itself is wrong, with its true value expected.
        let fault = fault.unwrap();
        assert_eq!((fault.found, fault.expected), (to, value));
        let position = Position::from_fen(folder.catalog.rules(), &fault.fen).unwrap();
        assert_eq!(Some(position), class.position(side, number));
        let text = fault.decided_by.as_ref().unwrap();
        assert!(position.legal_moves(folder.catalog.rules()).iter().any(|legal| {
            let member = folder.catalog.member(Material::of(&position.after(legal)));
            legal.squares.to_text(folder.catalog.rules().board()) == *text && member.is_some()
        }));
        // The summary was counted with the change, so it is no fault.
        assert_eq!(report.summary_faults, []);

        for threads in [1, 3] {
            let again = with_threads(threads, || check_dtw(&tablebase, &class, &options, &()).unwrap());
            assert_eq!(again, report, "{threads} threads");
        }
        for shared_bytes in [0, 3000] {
            let little = CheckOptions { shared_bytes, ..options.clone() };
            let again = check_dtw(&tablebase, &class, &little, &()).unwrap();
            assert_eq!(again, report, "{shared_bytes} bytes");
        }
        let first = CheckOptions { max_faults: 1, ..CheckOptions::default() };
        let first = check_dtw(&tablebase, &class, &first, &()).unwrap();
        assert_eq!((first.wrong, first.faults.as_slice()), (report.wrong, &report.faults[..1]));
        folder.change(&class, side, number, value);
    }
}

#[test]
fn a_position_without_a_move_must_have_the_value_of_the_rule_set() {
    let folder = Folder::new("leiden", &[], &["C-PT"]);
    let rules = folder.catalog.rules();
    let mut seen = 0;
    for (material, solution) in &folder.solved {
        let class = folder.catalog.member(*material).unwrap().class().clone();
        let without_move = |side: Side| {
            let position =
                |number: &u64| class.position(side, *number).is_some_and(|position| !position.has_move(rules));
            (0..class.index().size()).filter(position).map(move |number| (side, number)).next_back()
        };
        let found = Side::BOTH.into_iter().take(class.sides()).filter_map(without_move).next_back();
        let Some((side, number)) = found else { continue };
        seen += 1;
        let right = Value::from_code(solution.sides[side.index()][number as usize]);
        folder.change(&class, side, number, Value::Win(5));
        let report = check(&folder.open(), &class);
        let fault = report.faults.iter().find(|fault| (fault.side, fault.number) == (side, number)).unwrap();
        assert_eq!((fault.found, fault.expected, &fault.decided_by), (Value::Win(5), right, &None));
        assert!(report.summary_faults.is_empty(), "{report:?}");
    }
    assert!(seen > 0);
}

#[test]
fn a_sample_reports_what_is_wrong_among_what_it_drew_and_nothing_else() {
    let folder = Folder::new("classic", &[], &["CL-D"]);
    let class = folder.class("CL-D");
    let tablebase = folder.open();
    let sample = |positions, seed| CheckOptions {
        sample: Some(Sample { positions, seed }),
        max_faults: 1000,
        ..CheckOptions::default()
    };
    for seed in 0..20 {
        let report = check_dtw(&tablebase, &class, &sample(500, seed), &()).unwrap();
        assert!(report.is_sound());
        assert_eq!((report.positions, &report.summary), (500, &None));
        let one = with_threads(1, || check_dtw(&tablebase, &class, &sample(500, seed), &()).unwrap());
        assert_eq!(one, report);
    }
    // A sample of everything is the full check.
    let all = check_dtw(&tablebase, &class, &sample(u64::MAX, 0), &()).unwrap();
    assert!(all.is_sound() && all.summary.is_some());

    let mut wrong = folder.solved[&class.material()].clone();
    for codes in &mut wrong.sides {
        codes.iter_mut().step_by(40).for_each(|code| *code += 2);
    }
    folder.write(&class, &wrong, BLOCK_LEN, |_| {});
    let tablebase = folder.open();
    let full = CheckOptions { max_faults: usize::MAX, ..CheckOptions::default() };
    let full = check_dtw(&tablebase, &class, &full, &()).unwrap();
    let report = check_dtw(&tablebase, &class, &sample(500, 1), &()).unwrap();
    assert!(report.wrong > 0 && report.faults.iter().all(|fault| full.faults.contains(fault)));
    assert_eq!(report.wrong as usize, report.faults.len());
}

#[test]
fn a_wrong_value_in_a_smaller_table_shows_above_it() {
    let folder = Folder::new("classic", &[], &["CT-D"]);
    let small = folder.class("T-D");
    let mut turned = folder.solved[&small.material()].clone();
    turned.sides.iter_mut().flatten().filter(|code| **code > 0).for_each(|code| *code += 1);
    folder.write(&small, &turned, BLOCK_LEN, |_| {});
    assert!(check(&folder.open(), &folder.class("CT-D")).wrong > 0);
}

#[test]
fn a_wrong_summary_is_a_fault_of_its_own() {
    let folder = Folder::new("classic", &[], &["C-D"]);
    let class = folder.class("C-D");
    let solution = &folder.solved[&class.material()];
    type Edit = fn(&mut SideSummary);
    let edits: [(&str, Edit); 7] = [
        ("positions", |side| side.positions += 1),
        ("won", |side| side.won -= 1),
        ("drawn", |side| side.drawn += 1),
        ("lost", |side| side.lost += 1),
        ("stalemates", |side| side.stalemates += 1),
        ("longest win", |side| side.longest_win = None),
        ("value of the longest loss", |side| side.longest_loss.as_mut().unwrap().position ^= 1),
    ];
    for (field, edit) in edits {
        folder.write(&class, solution, BLOCK_LEN, |summary| edit(summary.sides.last_mut().unwrap()));
        let report = check(&folder.open(), &class);
        assert!(!report.is_sound() && report.wrong == 0);
        let fields: Vec<&str> = report.summary_faults.iter().map(|fault| fault.field).collect();
        assert_eq!(fields, [field]);
    }
}

#[test]
fn missing_and_damaged_tables_are_errors() {
    let folder = Folder::new("classic", &[], &["CT-D"]);
    let (small, class) = (folder.class("T-D"), folder.class("CT-D"));
    let path = folder.open().path_of(&class);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    replace(&path, &bytes);
    let message = |threads| {
        let tablebase = folder.open();
        let check = || check_dtw(&tablebase, &class, &CheckOptions::default(), &()).unwrap_err();
        let error = with_threads(threads, check);
        assert!(error.is_damage(), "{error}");
        error.to_string()
    };
    assert_eq!(message(1), message(4));

    std::fs::remove_file(folder.open().path_of(&small)).unwrap();
    let error = check_dtw(&folder.open(), &class, &CheckOptions::default(), &()).unwrap_err();
    assert!(error.is_missing(), "{error}");
}

/// Puts other bytes at a path, without changing a file that may be mapped.
fn replace(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn an_observer_sees_the_progress_and_can_stop() {
    struct Watch {
        seen: AtomicU64,
        enough: u64,
    }
    impl CheckObserver for Watch {
        fn advanced(&self, positions: u64) {
            self.seen.fetch_add(positions, Ordering::Relaxed);
        }
        fn stop(&self) -> bool {
            self.seen.load(Ordering::Relaxed) >= self.enough
        }
    }
    let folder = Folder::new("classic", &[], &["CT-D"]);
    let class = folder.class("CT-D");
    for enough in [0, 5000, u64::MAX] {
        let watch = Watch { seen: AtomicU64::new(0), enough };
        let report = check_dtw(&folder.open(), &class, &CheckOptions::default(), &watch).unwrap();
        assert_eq!(report.positions, watch.seen.into_inner());
        assert_eq!(report.stopped, enough < u64::MAX);
        assert_eq!(report.summary.is_some(), enough == u64::MAX);
        assert!(report.positions < 20_000 || enough == u64::MAX);
    }
}

#[test]
fn blocks_that_were_dropped_are_read_again() {
    let folder = Folder::new("classic", &[], &["C-D", "T-D"]);
    // Codes of all sizes: bytes and exceptions.
    let class = folder.class("T-D");
    let mut solution = folder.solved[&class.material()].clone();
    for (code, other) in solution.sides.iter_mut().flatten().zip((0..).map(|n| n * 37 % 600)) {
        *code = other;
    }
    folder.write(&class, &solution, 64, |_| {});
    let tablebase = folder.open();
    let tables = [tablebase.table(&folder.class("C-D")).unwrap(), tablebase.table(&class).unwrap()];
    for (budget, of_all) in [(0, 0), (2000, 0), (usize::MAX, 0), (0, 2000), (2000, 20_000), (0, u64::MAX)] {
        let shared = SharedBlocks::new(&tables, of_all);
        let mut blocks = Blocks::with_budget(&shared, budget);
        for step in [1, 7, 640, 1009] {
            for number in (0..class.index().size()).map(|number| number * step % class.index().size()) {
                assert_eq!(
                    blocks.code(1, Side::Black, number).unwrap(),
                    solution.sides[1][number as usize],
                    "budget {budget}, number {number}"
                );
                let other = number % tables[0].class().index().size();
                assert_eq!(blocks.code(0, Side::White, other).unwrap(), tables[0].code(Side::White, other).unwrap());
            }
        }
        assert!(blocks.code(1, Side::White, class.index().size()).is_err());
        assert!(blocks.code(1, Side::White, u64::MAX).is_err());
    }
}

#[test]
#[ignore = "a measurement: run it with --release --nocapture"]
fn speed() {
    for (material, len) in [("CL-D", 1 << 14), ("RC-L", 1 << 14), ("CL-DT", 1 << 14), ("RCW-L", 1 << 14)] {
        let folder = Folder::new("classic", &[], &[material]);
        for (material, solution) in &folder.solved {
            folder.write(folder.catalog.member(*material).unwrap().class(), solution, len, |_| {});
        }
        let tablebase = folder.open();
        for threads in [1, 2] {
            let start = std::time::Instant::now();
            let report = with_threads(threads, || check(&tablebase, &folder.class(material)));
            let nanos = start.elapsed().as_nanos() / u128::from(report.positions);
            println!("{material}, {threads} threads: {} positions, {nanos} ns each", report.positions);
            assert!(report.is_sound());
        }
    }
}
