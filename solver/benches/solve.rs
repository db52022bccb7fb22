//! How fast tables are made: the kernel against a rival that solves one position at a time, encoding, decoding; all in one
//! run and in turns. `scripts/bench`, or `cargo bench -p dsq-solver --bench solve`, behind `--`: see `--help`.
//!
//! Before anything is timed, the values of all contenders are compared.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod measure;
mod rival;

use dsq_solver::buffer_pool::BufferPool;
use dsq_solver::kernel::{Isa, Options, Solution, solve};
use dsq_solver::solved::Solved;
use dsq_solver::write::{Encoding, write_table};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::Tablebase;
use measure::{Contender, Phases, Spread, ratios, status, take_turns};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rival::Rival;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

const HELP: &str = "\
Times the solver against a one-position-at-a-time rival, in turns.

    --five              the 5-piece materials too: some minutes and 5 GiB
    --rounds N          how often each takes its turn (default 7; 3 for 5 pieces)
    --rules NAME        the rule set (default leiden)
    --material TEXT     this material only, as RL-TE; may be given several times
";

/// Without rats and with them.
const SMALL: [&str; 4] = ["TE-L", "RL-E", "WL-CT", "RL-TE"];
const FIVE: [&str; 2] = ["WLE-CT", "RT-WLE"];

struct Args {
    five: bool,
    rounds: Option<usize>,
    rules: String,
    materials: Vec<String>,
}

/// What was typed; none if nothing is to be measured.
fn args() -> Result<Option<Args>, String> {
    let mut args = Args { five: false, rounds: None, rules: "leiden".to_owned(), materials: Vec::new() };
    let mut bench = false;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--bench" => bench = true,
            "--five" => args.five = true,
            "--rounds" => args.rounds = Some(value()?.parse().map_err(|error| format!("--rounds: {error}"))?),
            "--rules" => args.rules = value()?,
            "--material" => args.materials.push(value()?),
            "--help" => {
                print!("{HELP}");
                return Ok(None);
            }
            _ => return Err(format!("{word} is not known; --help lists what is")),
        }
    }
    if !bench {
        // `cargo test` runs benchmarks, too, to see whether they start.
        println!("nothing measured: run with cargo bench");
    }
    Ok(bench.then_some(args))
}

fn main() {
    let args = match args() {
        Ok(Some(args)) => args,
        Ok(None) => return,
        Err(message) => {
            eprintln!("solve: {message}");
            std::process::exit(2);
        }
    };
    let catalog = Arc::new(Catalog::new(Rules::load(&args.rules).unwrap()));
    let pool = |threads: usize| ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let bench = Bench { catalog, one: pool(1), all: pool(0), rounds: args.rounds };
    let mut materials = args.materials;
    if materials.is_empty() {
        materials.extend(SMALL.map(str::to_owned));
        materials.extend(FIVE.into_iter().filter(|_| args.five).map(str::to_owned));
    }
    println!("rules {}, {} threads, instructions {:?}", args.rules, bench.all.current_num_threads(), Isa::all());
    println!("positions: both sides to move, mirror images counted; medians, least–greatest in brackets");
    println!("CPU: time of all threads on a processor; MiB: what the first run added, the tables below not counted");
    for material in materials {
        println!();
        bench.material(&material);
    }
}

struct Bench {
    catalog: Arc<Catalog>,
    one: ThreadPool,
    all: ThreadPool,
    rounds: Option<usize>,
}

impl Bench {
    fn material(&self, text: &str) {
        let catalog = &*self.catalog;
        let material = Material::parse(catalog.rules(), text).unwrap();
        let class = catalog.member(material).unwrap().class().clone();
        let solved = self.solve_all(&class);
        let expected = &solved[&class.material()];
        let below = |class: &Arc<Class>, side| solved.get(&class.material()).map(|solved| solved.side(side).clone());
        let folder = tempfile::tempdir().unwrap();
        let tablebase = Tablebase::at(folder.path(), self.catalog.clone(), 0);
        std::fs::create_dir_all(tablebase.rules_folder()).unwrap();
        let path = tablebase.path_of(&class);
        let bytes =
            write_table(catalog.rules(), expected, &path, Encoding::default(), true).unwrap().publish().unwrap();

        let pieces = material.count();
        let stored = class.index().size() * class.sides() as u64;
        let positions: u64 = expected.summary().sides.iter().map(|side| side.positions).sum();
        println!(
            "{text} ({pieces} pieces, class {}): {:.2} M positions, {:.2} M stored, {:.3} bits each in {} bytes",
            class.name(),
            positions as f64 / 1e6,
            stored as f64 / 1e6,
            (bytes * 8) as f64 / stored as f64,
            bytes,
        );

        let (pool, rival) = (BufferPool::new(), RefCell::new(None));
        let kernel = |isa: Isa, parallel: bool| self.kernel(&class, &below, expected, &pool, isa, parallel);
        let rival = |parallel: bool| self.rival(&class, &below, expected, &rival, parallel);
        let one = format!("{:>2} thread ", 1);
        let all = format!("{:>2} threads", self.all.current_num_threads());
        let mut contenders: Vec<Contender<'_>> = Vec::new();
        // The best instructions first: it shows the memory, which all share.
        for isa in Isa::all().into_iter().rev() {
            let name = format!("kernel {one} {}", format!("{isa:?}").to_lowercase());
            let contender = Contender::new(name, kernel(isa, false));
            contenders.push(if isa == Isa::best() { contender.first() } else { contender });
        }
        let slower = 1..contenders.len();
        let (best, rival_one, kernel_all, rival_all) = (0, slower.end, slower.end + 1, slower.end + 2);
        contenders.push(Contender::new(format!("rival  {one}"), rival(false)).first());
        contenders.push(Contender::new(format!("kernel {all}"), kernel(Isa::best(), true)));
        contenders.push(Contender::new(format!("rival  {all}"), rival(true)));
        for (threads, parallel) in [(&one, false), (&all, true)] {
            let path = folder.path().join("encoded");
            contenders.push(Contender::new(format!("encode {threads}"), move |_: &Phases| {
                let encode = || write_table(catalog.rules(), expected, &path, Encoding::default(), parallel)?.publish();
                assert_eq!(self.pool(parallel).install(encode).unwrap(), bytes);
            }));
        }
        let (table, sides) = (tablebase.table(&class).unwrap(), class.sides());
        contenders.push(Contender::new(format!("decode {one}"), move |_: &Phases| {
            assert_eq!(Solved::read(&table).unwrap().sides().len(), sides);
        }));

        take_turns(&mut contenders, self.rounds.unwrap_or(if pieces < 5 { 7 } else { 3 }));
        for contender in &contenders {
            print_contender(contender, positions as f64);
        }
        let ratio = |what: &str, slow: usize, fast: usize| {
            let (wall, cpu) = ratios(&contenders[slow], &contenders[fast]);
            let cpu = cpu.map_or_else(String::new, |cpu| format!("   CPU {}", times(cpu)));
            println!("  {what:<52} clock {}{cpu}", times(wall));
        };
        ratio("rival / kernel, 1 thread each", rival_one, best);
        ratio("rival / kernel, all threads each", rival_all, kernel_all);
        ratio("kernel, 1 thread / all threads", best, kernel_all);
        for other in slower {
            ratio(&format!("{} / {}", contenders[other].name, contenders[best].name), other, best);
        }
        if let Some(peak) = status("VmHWM") {
            println!("  peak memory of the process, with the buffers of all of them: {} MiB", peak >> 20);
        }
    }

    /// The class and everything it rests on.
    fn solve_all(&self, class: &Arc<Class>) -> HashMap<Material, Arc<Solved>> {
        let mut solved: HashMap<Material, Arc<Solved>> = HashMap::new();
        for class in self.catalog.closure([class.clone()]) {
            let below =
                |class: &Arc<Class>, side| solved.get(&class.material()).map(|solved| solved.side(side).clone());
            let values = solve(&self.catalog, &class, &below, &Options::default()).unwrap();
            solved.insert(class.material(), Arc::new(values));
        }
        solved
    }

    fn pool(&self, parallel: bool) -> &ThreadPool {
        if parallel { &self.all } else { &self.one }
    }

    /// The kernel with buffers that it keeps, as in a run over many tables.
    fn kernel<'a>(
        &'a self,
        class: &'a Arc<Class>,
        below: &'a Solution<'a>,
        expected: &'a Solved,
        pool: &'a BufferPool,
        isa: Isa,
        parallel: bool,
    ) -> impl FnMut(&Phases) + 'a {
        let mut checked = false;
        move |phases| {
            let on_phase = |phase, time| phases.add(&format!("{phase:?}").to_lowercase(), time);
            let options = Options { parallel, isa, pool, on_phase: &on_phase, ..Options::default() };
            let solve = || solve(&self.catalog, class, below, &options).unwrap();
            let solved = self.pool(parallel).install(solve);
            if !std::mem::replace(&mut checked, true) {
                assert!(solved.sides() == expected.sides(), "{}: {isa:?} has other values", class.name());
            }
            solved.recycle(pool);
        }
    }

    /// The rival, which keeps its buffers as well.
    fn rival<'a>(
        &'a self,
        class: &'a Arc<Class>,
        below: &'a Solution<'a>,
        expected: &'a Solved,
        kept: &'a RefCell<Option<Rival>>,
        parallel: bool,
    ) -> impl FnMut(&Phases) + 'a {
        let mut checked = false;
        move |phases| {
            let mut kept = kept.borrow_mut();
            let rival = kept.get_or_insert_with(|| Rival::new(&self.catalog, class));
            let on_phase = |name: &str, time| phases.add(name, time);
            let values = self.pool(parallel).install(|| rival.solve(&self.catalog, below, parallel, &on_phase));
            if !std::mem::replace(&mut checked, true) {
                rival::assert_equal(expected, &values);
            }
        }
    }
}

fn print_contender(contender: &Contender<'_>, positions: f64) {
    let (wall, cpu) = (contender.wall(), contender.cpu());
    let speed = |seconds: f64| positions / 1e6 / seconds;
    let cpu = cpu.map_or_else(String::new, |cpu| format!("{:8.1} ms CPU", cpu.median * 1e3));
    let memory = contender.memory.map_or_else(String::new, |bytes| format!("{:6} MiB", bytes >> 20));
    let phases: Vec<String> =
        contender.phases().iter().map(|(name, seconds)| format!("{name} {:.1}", seconds * 1e3)).collect();
    println!(
        "  {:<28}{:7.1} M/s [{:.1}–{:.1}] {:8.1} ms {cpu}{memory}  {}",
        contender.name,
        speed(wall.median),
        speed(wall.greatest),
        speed(wall.least),
        wall.median * 1e3,
        phases.join(", "),
    );
    // Long runs show where they are.
    std::io::stdout().flush().unwrap();
}

fn times(spread: Spread) -> String {
    format!("{:5.2} [{:.2}–{:.2}]", spread.median, spread.least, spread.greatest)
}
