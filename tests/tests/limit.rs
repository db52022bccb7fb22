//! The limit of plies without a capture: tables of distances to conversion against a solver that carries the count.

use dsq_solver::checker::{CheckOptions, check_dtc};
use dsq_solver::generate::{self, Request, Silent, SpillRequest};
use dsq_solver::kernel::{self, Isa, Measure, Options, SolveError, SpillTo};
use dsq_solver::solved::{SideCodes, Solved};
use dsq_solver::write::{Encoding, write_table};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{Metric, TableWriter};
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::table::header_with;
use dsq_tables::tablebase::{LineEnd, MoveValue, Tablebase};
use dsq_tables::value::{Dtc, Outcome};
use dsq_tables::value::{Value, Wdl};
use dsq_tests::counting::solve_all;
use dsq_tests::{Changes, Random, SMALL_BLOCKS, Solutions, catalog, class_of, files_of, position, random_position};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

fn request(folder: &Path, classes: &[Arc<Class>]) -> Request {
    Request {
        classes: classes.to_vec(),
        folder: folder.to_owned(),
        verify: false,
        memory: None,
        encoding: Encoding::default(),
        metric: Metric::Dtc,
        spill: SpillRequest::default(),
    }
}

fn with_limit(rules: &str, changes: Changes<'_>, limit: u32) -> Arc<Catalog> {
    let limit = limit.to_string();
    let changes = [changes, &[("draw-after-quiet-plies", limit.as_str())]].concat();
    catalog(rules, &changes)
}

/// Tables of both distances.
struct Made {
    folder: TempDir,
    tables: Tablebase,
}

fn make(catalog: &Arc<Catalog>, classes: &[Arc<Class>]) -> Made {
    let folder = TempDir::new().unwrap();
    generate::run(catalog, &request(folder.path(), classes), &Silent).unwrap();
    if catalog.rules().quiet_limit().is_none() {
        let request = Request { metric: Metric::Dtw, ..request(folder.path(), classes) };
        generate::run(catalog, &request, &Silent).unwrap();
    }
    let tables = Tablebase::at(folder.path(), catalog.clone(), 64 << 20);
    Made { folder, tables }
}

/// Compares every position of the classes and of those below them with the solver that carries the count, for every count.
/// Returns how many wins the limit spoils.
fn assert_right_for_every_count(catalog: &Arc<Catalog>, tables: &Tablebase, classes: &[Arc<Class>]) -> u64 {
    let limit = catalog.rules().quiet_limit().unwrap();
    let solved = solve_all(catalog, classes, limit);
    let mut spoilt = 0;
    for class in catalog.closure(classes.iter().cloned()) {
        let counted = &solved[&class.material()];
        let (dtc, dtw) = (tables.table_with(&class, Metric::Dtc).unwrap(), tables.table(&class).unwrap());
        for side in Side::BOTH.into_iter().take(class.sides()) {
            for number in 0..class.index().size() {
                let Some(position) = class.position(side, number) else { continue };
                let value = Dtc::from_code(dtc.code(side, number).unwrap());
                let without = Wdl::from_code(dtw.code(side, number).unwrap());
                for count in 0..=limit {
                    let outcome = value.outcome(count, Some(limit));
                    let expected = counted.wdl(side, number, count);
                    let here = (outcome.under_limit(), outcome.without_limit());
                    let fen = || position.to_fen(catalog.rules());
                    assert_eq!(here, (expected, without), "{} after {count} of {limit}: {value:?}", fen());
                }
                spoilt += u64::from(value == Dtc::SpoiltWin);
            }
        }
    }
    spoilt
}

/// Every class of two pieces, and some of three.
fn chosen(catalog: &Catalog, seed: u64, count: usize) -> Vec<Arc<Class>> {
    let mut random = Random::new(seed);
    let three = catalog.classes(3);
    let mut classes = catalog.classes(2);
    classes.extend((0..count).map(|_| random.pick(&three).clone()));
    classes
}

#[test]
fn every_count_has_the_answer_of_the_solver_that_carries_it() {
    let mut spoilt = 0;
    for (limit, seed, count) in [(6, 1, 6), (10, 2, 6), (60, 3, 2)] {
        let catalog = with_limit("classic", &[], limit);
        let classes = chosen(&catalog, seed, count);
        let made = make(&catalog, &classes);
        spoilt += assert_right_for_every_count(&catalog, &made.tables, &classes);
    }
    // Otherwise this has shown nothing.
    assert!(spoilt > 1000, "{spoilt}");
}

#[test]
fn other_rules_have_the_same_answers() {
    let settings: [(&str, Changes<'_>, &str); 4] = [
        ("classic", &[("no-move", "draw")], "R-ET"),
        ("leiden", &[], "RL-E"),
        ("classic", &[("elimination-wins", "false")], "CL-T"),
        ("animal-checkers-5x5", &[], "RT-RT"),
    ];
    for (rules, changes, material) in settings {
        let catalog = with_limit(rules, changes, 8);
        let classes = [class_of(&catalog, material)];
        let made = make(&catalog, &classes);
        assert_right_for_every_count(&catalog, &made.tables, &classes);
    }
}

#[test]
fn the_longest_win_of_three_pieces_is_drawn_under_the_limit() {
    let fen = "6t/7/7/6W/7/7/7/7/E6 w";
    let catalog = with_limit("classic", &[], 60);
    let made = make(&catalog, &[class_of(&catalog, "WE-T")]);
    let position = position(catalog.rules(), fen);
    assert_eq!(made.tables.probe(&position).unwrap().value_for(Side::White), Value::Win(67));
    assert_eq!(made.tables.probe_outcome(&position, 0).unwrap(), Outcome::SpoiltWin);
    let moves = known_moves(&made.tables, &position, 0);
    assert!(moves.iter().all(|(_, value)| value.outcome < Outcome::Win));
    let line = made.tables.line(&position, Some(0)).unwrap();
    assert_eq!((line.moves.len(), line.end), (60, LineEnd::Limit));
    // Without a capture before the end both distances are the same.
    let catalog = with_limit("classic", &[], 67);
    let made = make(&catalog, &[class_of(&catalog, "WE-T")]);
    assert_eq!(made.tables.probe_dtc(&position).unwrap(), Dtc::Win(67));
    assert_eq!(made.tables.probe_outcome(&position, 1).unwrap(), Outcome::SpoiltWin);
    let line = made.tables.line(&position, Some(0)).unwrap();
    assert_eq!((line.moves.len(), line.end), (67, LineEnd::Over));
}

/// The moves of a position with a halfmove clock, best first, all of which must be in the tables.
fn known_moves(tables: &Tablebase, position: &Position, count: u32) -> Vec<(LegalMove, MoveValue)> {
    let analysis = tables.analyse(position, count).unwrap();
    assert_eq!(analysis.compared_by, Metric::Dtc);
    analysis.moves.into_iter().map(|analysed| (analysed.legal, analysed.value.unwrap())).collect()
}

/// Whether the distance of a position follows from those after its moves, and is as long as the distance to win unless some
/// move takes a piece or leads to a position where it is not.
fn assert_no_longer_than_to_win(tables: &Tablebase, position: &Position) {
    let fen = || position.to_fen(tables.rules());
    let turn = position.turn();
    let (dtc, dtw) = (tables.probe_dtc(position).unwrap(), tables.probe(position).unwrap().value_for(turn));
    assert_eq!(dtc.without_limit(), Wdl::from(dtw), "{}", fen());
    let (Some(short), Some(long)) = (dtc.plies(), dtw.plies()) else { return };
    assert!(short <= long, "{}: {short} to conversion, {long} to win", fen());
    if short == long {
        return;
    }
    // Some move that keeps the value is a capture with a game after it, or leads to where the same holds.
    let shorter = position.legal_moves(tables.rules()).into_iter().any(|legal| {
        let next = position.after(&legal);
        let after = tables.probe(&next).unwrap().value_for(next.turn());
        let keeps = Wdl::from(after.before_move()) == Wdl::from(dtw);
        let dtc = tables.probe_dtc(&next).unwrap().plies();
        keeps && (legal.capture.is_some() && after.plies() != Some(0) || dtc < after.plies())
    });
    assert!(shorter, "{}", fen());
}

#[test]
fn without_a_limit_no_distance_is_longer_than_to_win() {
    for (rules, materials) in [("classic", ["RL-E", "RT-RE"]), ("leiden", ["C-DP", "WE-T"])] {
        let catalog = catalog(rules, &[]);
        let classes: Vec<_> = materials.iter().map(|material| class_of(&catalog, material)).collect();
        let made = make(&catalog, &classes);
        for class in catalog.closure(classes.iter().cloned()) {
            // Where a capture ends the game the two are one.
            if class.material().count() == 2 {
                for side in Side::BOTH.into_iter().take(class.sides()) {
                    for number in 0..class.index().size() {
                        let Some(position) = class.position(side, number) else { continue };
                        let dtw = made.tables.probe(&position).unwrap().value_for(side);
                        assert_eq!(made.tables.probe_dtc(&position).unwrap(), Dtc::from(dtw));
                    }
                }
            }
            let mut random = Random::new(7);
            for number in 0..5000 {
                let turn = Side::BOTH[number % 2];
                let position = random_position(catalog.rules(), class.material(), turn, &mut random);
                assert_no_longer_than_to_win(&made.tables, &position);
            }
        }
    }
}

/// Plays a won position out by the first of the best moves against an opponent that plays at random, or a move that would bring a
/// position back. The value must be kept, and no position may come up twice. Returns the plies.
fn play_out(tables: &Tablebase, rules: &Rules, start: &Position, count: u32, random: &mut Random) -> u32 {
    let limit = rules.quiet_limit().unwrap();
    let (winner, fen) = (start.turn(), start.to_fen(rules));
    let (mut position, mut count, mut plies) = (*start, count, 0);
    let mut seen = vec![position];
    while position.finished(rules).is_none() {
        assert!(count < limit || position.legal_moves(rules).is_empty(), "{fen}: the limit is reached");
        let moves = known_moves(tables, &position, count);
        let legal = if position.turn() == winner {
            let (best, value) = moves.first().unwrap();
            assert_eq!(value.outcome, Outcome::Win, "{fen} at {} {count}", position.to_fen(rules));
            *best
        } else {
            let Some(_) = moves.first() else { break };
            let back = moves.iter().find(|(legal, _)| {
                let near = position.after(legal);
                near.legal_moves(rules).iter().any(|legal| seen.contains(&near.after(legal)))
            });
            match back {
                Some((legal, _)) if random.below(4) > 0 => *legal,
                _ => random.pick(&moves).0,
            }
        };
        position = position.after(&legal);
        count = if legal.capture.is_some() { 0 } else { count + 1 };
        plies += 1;
        assert!(!seen.contains(&position), "{fen}: {} again", position.to_fen(rules));
        seen.push(position);
    }
    plies
}

#[test]
fn the_best_move_wins_in_time_and_repeats_no_position() {
    for limit in [7, 12, 20] {
        let catalog = with_limit("classic", &[], limit);
        let class = class_of(&catalog, "RL-CE");
        let made = make(&catalog, std::slice::from_ref(&class));
        let mut random = Random::new(u64::from(limit));
        let (mut played, mut tight) = (0, 0);
        while played < 400 {
            let turn = Side::BOTH[(played % 2) as usize];
            let position = random_position(catalog.rules(), class.material(), turn, &mut random);
            let count = random.below(u64::from(limit)) as u32;
            if made.tables.probe_outcome(&position, count).unwrap() != Outcome::Win {
                continue;
            }
            let plies = made.tables.probe(&position).unwrap().value_for(turn).plies().unwrap();
            tight += u32::from(plies > limit - count);
            play_out(&made.tables, catalog.rules(), &position, count, &mut random);
            played += 1;
        }
        // In these the fastest win does not fit in what is left.
        assert!(tight > 20, "{tight}");
    }
}

#[test]
fn all_ways_to_make_them_give_the_same_bytes() {
    for limit in [0, 9] {
        let catalog = with_limit("classic", &[], limit);
        let classes = [class_of(&catalog, "RL-E"), class_of(&catalog, "RT-RT")];
        let made = make(&catalog, &classes);
        let expected = files_of(made.folder.path());
        let spilled = TempDir::new().unwrap();
        let spill = SpillRequest { always: true, ..SpillRequest::default() };
        generate::run(&catalog, &Request { spill, ..request(spilled.path(), &classes) }, &Silent).unwrap();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = TempDir::new().unwrap();
        threads.install(|| generate::run(&catalog, &request(alone.path(), &classes), &Silent)).unwrap();
        for (name, bytes) in files_of(spilled.path()).into_iter().chain(files_of(alone.path())) {
            assert!(expected[&name] == bytes, "{name}");
        }
        let small = TempDir::new().unwrap();
        let request = Request { encoding: SMALL_BLOCKS, verify: true, ..request(small.path(), &classes) };
        generate::run(&catalog, &request, &Silent).unwrap();
        assert_eq!(generate::run(&catalog, &request, &Silent).unwrap().made, 0);
    }
}

/// Goes through all games up to the next capture in which the winner plays the first move, in the order of our rule or by the
/// fastest win alone among the moves that win under the limit. Stops at one in which a position comes up twice.
fn repeats(tables: &Tablebase, winner: Side, fastest: bool, path: &mut Vec<Position>, count: u32) -> bool {
    let Some(&position) = path.last() else { return false };
    if position.finished(tables.rules()).is_some() {
        return false;
    }
    let mut moves = known_moves(tables, &position, count);
    if position.turn() == winner {
        moves.retain(|(_, value)| value.outcome == Outcome::Win);
        if fastest {
            moves.sort_by_key(|(_, value)| std::cmp::Reverse(value.dtw));
        }
        moves.truncate(1);
        assert!(!moves.is_empty(), "the win is lost");
    }
    for (legal, _) in moves.iter().filter(|(legal, _)| legal.capture.is_none()) {
        let next = position.after(legal);
        let again = path.contains(&next);
        path.push(next);
        if again || repeats(tables, winner, fastest, path, count + 1) {
            return true;
        }
        path.pop();
    }
    false
}

#[test]
fn the_fastest_win_alone_would_repeat_a_position() {
    let catalog = with_limit("classic", &[], 11);
    let made = make(&catalog, &[class_of(&catalog, "RT-RE")]);
    let start = position(catalog.rules(), "e6/5r1/7/3R3/3T3/7/7/7/7 w");
    assert_eq!(made.tables.probe(&start).unwrap().value_for(Side::White), Value::Win(13));
    let mut path = vec![start];
    assert!(repeats(&made.tables, Side::White, true, &mut path, 0));
    let again = path.last().unwrap().to_fen(catalog.rules());
    assert_eq!(again, "7/e3r2/3R3/3T3/7/7/7/7/7 w");
    assert!(!repeats(&made.tables, Side::White, false, &mut vec![start], 0));
}

#[test]
fn every_way_of_the_solver_counts_to_the_same_captures() {
    let cases: [(&str, Changes<'_>, &str); 4] = [
        ("classic", &[], "RL-E"),
        ("leiden", &[("no-move", "draw")], "CT-C"),
        ("animal-checkers-5x5", &[], "RTE-RT"),
        ("leiden", &[], "RT-RT"),
    ];
    for (rules, changes, material) in cases {
        let catalog = catalog(rules, changes);
        let class = class_of(&catalog, material);
        for limit in [None, Some(9)] {
            let measure = Measure::Conversion { limit };
            let usual = Options { measure, parallel: false, ..Options::default() };
            let solutions = Solutions::with_options(&catalog, catalog.below(&class), &usual);
            let expected = solutions.solve(&class, &usual);
            let same = |options: &Options<'_>, what: &str| {
                let found = solutions.solve(&class, options);
                assert!(found.sides() == expected.sides(), "{material} {limit:?}: {what}");
                assert_eq!(found.summary(), expected.summary(), "{material} {limit:?}: {what}");
            };
            for isa in Isa::all() {
                same(&Options { isa, parallel: true, ..usual }, "instructions");
            }
            same(&Options { lean: true, ..usual }, "lean");
            for lean in [false, true] {
                let folder = TempDir::new().unwrap();
                let spill = Some(SpillTo { folder: folder.path(), every: Some(Duration::ZERO) });
                same(&Options { spill, lean, escape_from: 20, ..usual }, "in files");
            }
            // Stopped again and again, it goes on from its checkpoints.
            let folder = TempDir::new().unwrap();
            let spill = Some(SpillTo { folder: folder.path(), every: Some(Duration::ZERO) });
            let mut runs = 0;
            let solved = loop {
                runs += 1;
                let seen = AtomicU32::new(0);
                let plies = if runs < 100 { 2 } else { u32::MAX };
                let below = |class: &Arc<Class>, side| Some(solutions.get(class).side(side).clone());
                let options = Options {
                    spill,
                    on_ply: &|_| {
                        seen.fetch_add(1, Ordering::Relaxed);
                    },
                    stop: &|| seen.load(Ordering::Relaxed) >= plies,
                    ..usual
                };
                match kernel::solve(&catalog, &class, &below, &options) {
                    Ok(solved) => break solved,
                    Err(SolveError::Stopped) => {}
                    Err(error) => panic!("{error}"),
                }
            };
            assert!(runs > 3, "{runs} runs");
            assert!(solved.sides() == expected.sides(), "{material} {limit:?}: in {runs} runs");
        }
    }
}

#[test]
fn the_checker_finds_a_changed_distance_and_count() {
    let mut random = Random::new(5);
    for limit in [0, 9] {
        let catalog = with_limit("classic", &[], limit);
        let class = class_of(&catalog, "RL-E");
        let made = make(&catalog, std::slice::from_ref(&class));
        let path = made.tables.path_with(&class, Metric::Dtc);
        let right = Solved::read(&made.tables.table_with(&class, Metric::Dtc).unwrap()).unwrap();
        let options = CheckOptions::default();
        let write = |solved: &Solved| {
            write_table(catalog.rules(), solved, &path, SMALL_BLOCKS, false).unwrap().publish().unwrap();
            made.tables.close_tables();
            check_dtc(&made.tables, &class, &options, &()).unwrap()
        };
        assert!(write(&right).is_sound());
        for _ in 0..30 {
            let (side, number) = (*random.pick(&Side::BOTH), random.below(class.index().size()));
            let old = right.side(side).code(number);
            // A distance one ply off, the other side, a draw, or what only a limit makes.
            let new = *random.pick(&[0, 1, 2, old + 2, old.saturating_sub(2), old + 1]);
            if new == old || class.position(side, number).is_none() {
                continue;
            }
            let sides = Side::BOTH.map(|other| {
                let codes = right.side(other);
                let mut codes: Vec<u32> = (0..).take(codes.bytes().len()).map(|number| codes.code(number)).collect();
                if other == side {
                    codes[number as usize] = new;
                }
                SideCodes::from_codes(&codes)
            });
            let report = write(&Solved::with_metric(class.clone(), Metric::Dtc, sides.to_vec(), &[]));
            let fault = report.faults.iter().find(|fault| (fault.side, fault.number) == (side, number)).unwrap();
            assert_eq!((fault.found, fault.expected), (Dtc::from_code(new), Dtc::from_code(old)));
        }
        // Right values with wrong counts.
        let mut counts = right.summary().clone();
        counts.sides[0].spoilt_wins += 1;
        counts.sides[1].longest_win.as_mut().unwrap().position += 1;
        let header = header_with(catalog.rules(), &class, Metric::Dtc, SMALL_BLOCKS.block_len);
        let mut writer = TableWriter::create(&path, header, SMALL_BLOCKS.level).unwrap();
        for side in right.sides() {
            for (block, bytes) in (0..).zip(side.bytes().chunks(SMALL_BLOCKS.block_len as usize)) {
                let first = block * u64::from(SMALL_BLOCKS.block_len);
                writer.write_values(bytes, &side.exceptions_in(first..first + bytes.len() as u64)).unwrap();
            }
        }
        writer.finish(counts).unwrap();
        made.tables.close_tables();
        let report = check_dtc(&made.tables, &class, &options, &()).unwrap();
        let fields: Vec<&str> = report.summary_faults.iter().map(|fault| fault.field).collect();
        assert_eq!((report.wrong, fields), (0, vec!["spoilt wins", "the longest win"]));
    }
}
