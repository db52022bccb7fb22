//! How long a look-up takes: from decoded blocks, and with a block to decode. `cargo bench -p dsq-solver --bench probe`.

#![allow(missing_docs, clippy::unwrap_used)]

use divan::Bencher;
use divan::counter::ItemsCount;
use dsq_solver::generate::{Request, Silent, SpillRequest, run};
use dsq_solver::write::Encoding;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::Metric;
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::table::DEFAULT_BLOCK_LEN;
use dsq_tables::tablebase::Tablebase;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A four-piece class with a rat, 4.6 million positions a side.
const MATERIAL: &str = "RL-TE";
const POSITIONS: usize = 1 << 16;
/// How tables can be written.
const PROFILES: [(&str, Encoding, Metric); 4] = [
    ("balanced", Encoding { level: 3, block_len: DEFAULT_BLOCK_LEN }, Metric::Dtw),
    ("server", Encoding::SERVER, Metric::Dtw),
    ("archive", Encoding::ARCHIVE, Metric::Dtw),
    ("wdl", Encoding { level: 3, block_len: DEFAULT_BLOCK_LEN }, Metric::Wdl),
];

fn main() {
    divan::main();
}

struct Setting {
    catalog: Arc<Catalog>,
    class: Arc<Class>,
    /// Tables as they are made if nothing is said.
    folder: tempfile::TempDir,
    /// The class in each of [`PROFILES`].
    profiles: Vec<tempfile::TempDir>,
    /// Random positions of the class.
    positions: Vec<Position>,
}

fn setting() -> &'static Setting {
    static SETTING: OnceLock<Setting> = OnceLock::new();
    SETTING.get_or_init(|| {
        let rules = Rules::load("classic").unwrap();
        let catalog = Arc::new(Catalog::new(rules.clone()));
        let class = catalog.member(Material::parse(&rules, MATERIAL).unwrap()).unwrap().class().clone();
        let make = |encoding: Encoding, metric: Metric| {
            let folder = tempfile::tempdir().unwrap();
            let request = Request {
                classes: vec![class.clone()],
                folder: folder.path().to_owned(),
                verify: false,
                memory: None,
                encoding,
                spill: SpillRequest::default(),
                metric,
            };
            run(&catalog, &request, &Silent).unwrap();
            folder
        };
        let folder = make(Encoding::default(), Metric::Dtw);
        let profiles = PROFILES.iter().map(|&(_, encoding, metric)| make(encoding, metric)).collect();
        let mut random = fastrand::Rng::with_seed(1);
        let positions = (0..POSITIONS)
            .map(|_| {
                let side = if class.is_symmetric() || random.bool() { Side::White } else { Side::Black };
                class.position(side, random.u64(..class.index().size())).unwrap()
            })
            .collect();
        Setting { catalog, class, folder, profiles, positions }
    })
}

fn tables(folder: &Path, cache: u64) -> Tablebase {
    Tablebase::at(folder, setting().catalog.clone(), cache)
}

/// Look-ups in one measured run.
const BATCH: usize = 1024;

/// A run of random look-ups, another one each time.
fn look_up(tables: &Tablebase, metric: Metric, place: &AtomicUsize) {
    let first = place.fetch_add(BATCH, Ordering::Relaxed) % POSITIONS;
    for position in &setting().positions[first..][..BATCH] {
        let position = divan::black_box(position);
        match metric {
            Metric::Wdl => drop(divan::black_box(tables.probe_wdl(position).unwrap())),
            _ => drop(divan::black_box(tables.probe(position).unwrap())),
        }
    }
}

/// Every block is in the cache. One item is one look-up.
#[divan::bench(threads = [1, 2])]
fn warm(bencher: Bencher<'_, '_>) {
    let setting = setting();
    let tables = tables(setting.folder.path(), 1 << 30);
    setting.positions.iter().for_each(|position| assert!(tables.probe(position).is_ok()));
    let place = AtomicUsize::new(0);
    bencher.counter(ItemsCount::new(BATCH)).bench(|| look_up(&tables, Metric::Dtw, &place));
}

/// Nothing is kept: a block is checked and decoded for every look-up. One item is one look-up.
#[divan::bench(args = PROFILES.map(|(name, ..)| name))]
fn cold_block(bencher: Bencher<'_, '_>, profile: &str) {
    let setting = setting();
    let number = PROFILES.iter().position(|(name, ..)| *name == profile).unwrap();
    let metric = PROFILES[number].2;
    let tables = tables(setting.profiles[number].path(), 0);
    assert!(tables.table_with(&setting.class, metric).is_ok());
    let place = AtomicUsize::new(0);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| look_up(&tables, metric, &place));
}

/// Opening a table and checking everything but its blocks.
#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let setting = setting();
    bencher.bench_local(|| tables(setting.folder.path(), 0).table(&setting.class).unwrap().len_bytes());
}
