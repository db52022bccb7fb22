//! Making tables: what is asked and everything it rests on, skipping what exists.

use crate::encode::{Encoding, write_table};
use crate::kernel::{self, SolveError};
use crate::memory;
use crate::solved::Solved;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{WriteError, is_temporary_name};
use dsq_tables::material::Material;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What to make.
#[derive(Clone, Debug)]
pub struct Request {
    /// The classes that were asked for; what they rest on is added.
    pub classes: Vec<Arc<Class>>,
    /// The folder of tablebases; the tables go to a folder of the rule set inside it.
    pub folder: PathBuf,
    /// Prove each table with the checker after it is made.
    pub verify: bool,
    /// The memory limit in bytes; 80 % of what is available if not given.
    pub memory: Option<u64>,
    /// How the tables are compressed.
    pub encoding: Encoding,
}

/// What a run would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All tables, those that others rest on first.
    pub tables: Vec<PlannedTable>,
    /// About the most memory that is needed at one time, in bytes.
    pub memory_bytes: u64,
    /// About the size of the tables that are still to be made, in bytes.
    pub disk_bytes: u64,
    /// About the time that is needed for them, in seconds.
    pub seconds: f64,
}

/// A table of a plan.
#[derive(Clone, Debug)]
pub struct PlannedTable {
    /// The class.
    pub class: Arc<Class>,
    /// Whether its file is there already. Whether that is whole is seen when the run begins.
    pub present: bool,
    /// Positions on the full board, both sides to move, mirror images counted.
    pub positions: u64,
    /// Positions that the file stores.
    pub stored: u64,
}

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Tables made.
    pub made: usize,
    /// Tables that were there.
    pub kept: usize,
    /// Positions in the tables made: both sides to move, mirror images counted.
    pub positions: u64,
    /// Bytes of the tables made.
    pub bytes: u64,
}

/// A table that was made.
#[derive(Clone, Debug)]
pub struct TableReport {
    /// The class.
    pub class: Arc<Class>,
    /// Positions on the full board, both sides to move.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Time from the start of the sweep to the named file, in seconds.
    pub seconds: f64,
    /// The longest win or loss in plies.
    pub longest_plies: u32,
}

/// Hears how a run goes on, from many threads.
pub trait Observer: Sync {
    /// The run begins.
    fn planned(&self, _plan: &Plan) {}
    /// A table is begun.
    fn table_started(&self, _class: &Class) {}
    /// A ply of a table is done.
    fn ply(&self, _class: &Class, _ply: u32) {}
    /// A table is done and has its name.
    fn table_finished(&self, _report: &TableReport) {}
    /// Something a user should know.
    fn note(&self, _text: &str) {}
    /// Whether to end the run. Tables that are done stay.
    fn stop(&self) -> bool {
        false
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {}

/// Why a run ended early. Tables that were done stay; nothing half written is left under a table's name.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Asked to stop.
    #[error("stopped; run the same command again to go on")]
    Stopped,
    /// A table would not fit in memory.
    #[error(
        "class {class} needs about {needed:.1} GiB of memory, the limit is {limit:.1} GiB{}",
        fits.as_ref().map_or_else(String::new, |fits| format!("; {fits}"))
    )]
    TooLarge {
        /// The class.
        class: String,
        /// What it needs, in GiB.
        needed: f64,
        /// The limit, in GiB.
        limit: f64,
        /// What would fit.
        fits: Option<String>,
    },
    /// The folder cannot be made or locked, or a file cannot be removed.
    #[error("{}: cannot {action}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// A table could not be written.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// A file under the name of a table is not that table.
    #[error("{0}")]
    Table(#[from] TablebaseError),
    /// The checker found faults in a table just made. The file was removed.
    #[error("class {class}: the checker found {faults} faults; the table was removed. First: {first}")]
    Faulty {
        /// The class.
        class: String,
        /// How many.
        faults: u64,
        /// The first one.
        first: String,
    },
}

/// About how many bits a stored position takes in a table.
const BITS_PER_POSITION: f64 = 0.62;
/// What a table takes beside its blocks, in bytes.
const BYTES_PER_TABLE: u64 = 600;
/// From so many stored positions on, a table is solved alone, with all threads.
const LARGE: u64 = 30_000_000;
/// How often a waiting run asks again, and a running one whether to stop.
const PATIENCE: Duration = Duration::from_millis(200);

/// What a run would do. Nothing is written.
///
/// # Errors
/// [`GenerateError::TooLarge`] if a table that is still to be made does not fit in memory.
pub fn plan(catalog: &Arc<Catalog>, request: &Request) -> Result<Plan, GenerateError> {
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), 0);
    let mut tables = Vec::new();
    let (mut memory_bytes, mut disk_bytes, mut work) = (0u64, 0u64, 0u64);
    let limit = request.memory.or_else(memory::default_limit).unwrap_or(u64::MAX);
    let threads = rayon::current_num_threads() as u64;
    let mut small = 0u64;
    for class in catalog.closure(request.classes.iter().cloned()) {
        let stored = class.index().size().saturating_mul(class.sides() as u64);
        let present = tablebase.path_of(&class).is_file();
        let positions = full_positions(&class);
        if !present {
            let needed = memory_of(catalog, &class);
            if needed > limit {
                return Err(too_large(catalog, &class, needed, limit));
            }
            if stored < LARGE {
                small = small.max(needed);
            }
            memory_bytes = memory_bytes.max(needed);
            disk_bytes += (stored as f64 * BITS_PER_POSITION / 8.0) as u64 + BYTES_PER_TABLE;
            work = work.saturating_add(positions);
        }
        tables.push(PlannedTable { class, present, positions, stored });
    }
    let memory_bytes = memory_bytes.max(small.saturating_mul(threads));
    let seconds = if work == 0 { 0.0 } else { work as f64 / measured_speed(catalog) };
    Ok(Plan { tables, memory_bytes, disk_bytes, seconds })
}

/// Positions of a class on the full board, both sides to move.
fn full_positions(class: &Class) -> u64 {
    let index = class.index();
    let run = index.numbers_of_first_square().max(1);
    let one_side: u64 = if index.is_dense() {
        (0..index.size()).step_by(run as usize).map(|first| index.weight_at(first) * run).sum()
    } else {
        index.size().saturating_mul(if index.has_mirror() { 2 } else { 1 })
    };
    one_side.saturating_mul(2)
}

/// What solving a class needs: its sets, the tables below it, and its values in the end.
fn memory_of(catalog: &Catalog, class: &Class) -> u64 {
    let below = catalog.below(class);
    let loaded: u64 = below.iter().map(|class| class.index().size() * class.sides() as u64).sum();
    kernel::memory_needed(catalog, class).saturating_add(loaded)
}

fn too_large(catalog: &Catalog, class: &Class, needed: u64, limit: u64) -> GenerateError {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let fitting = (2..class.material().count())
        .rev()
        .find(|&pieces| catalog.classes(pieces).iter().all(|class| memory_of(catalog, class) <= limit));
    GenerateError::TooLarge {
        class: class.name().to_owned(),
        needed: gib(needed),
        limit: gib(limit),
        fits: fitting.map(|pieces| format!("all tables of {pieces} pieces would fit")),
    }
}

/// Positions a second that this machine solves now, measured on the smallest classes.
fn measured_speed(catalog: &Catalog) -> f64 {
    let done: Mutex<HashMap<Material, Arc<Solved>>> = Mutex::default();
    let below = |class: &Class| done.lock().unwrap_or_else(PoisonError::into_inner).get(&class.material()).cloned();
    let mut measured = (0, 0.0);
    let sample = catalog.classes(3).into_iter().max_by_key(|class| class.index().size());
    for class in catalog.closure(sample) {
        let start = Instant::now();
        let options = kernel::Options { parallel: false, ..kernel::Options::default() };
        let Ok(solved) = kernel::solve(catalog, &class, &below, &options) else { continue };
        measured = (full_positions(&class), start.elapsed().as_secs_f64());
        done.lock().unwrap_or_else(PoisonError::into_inner).insert(class.material(), Arc::new(solved));
    }
    let (positions, seconds) = measured;
    let threads = rayon::current_num_threads() as f64;
    (positions as f64 / f64::max(seconds, 1e-6) * threads).max(1e6)
}

/// Makes what is missing. A second run in the same folder waits until the first one has ended.
///
/// # Errors
/// [`GenerateError`]; the tables made until then stay.
pub fn run(catalog: &Arc<Catalog>, request: &Request, observer: &dyn Observer) -> Result<Report, GenerateError> {
    let plan = plan(catalog, request)?;
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), 64 << 20);
    let folder = tablebase.rules_folder();
    let io_error = |action: &'static str| {
        let path = folder.clone();
        move |cause: io::Error| GenerateError::Io { path, action, cause }
    };
    let complete = plan.tables.iter().all(|table| table.present);
    let _lock = match lock(&folder, observer) {
        Ok(lock) => Some(lock),
        // Where nothing has to be written, a folder that cannot be written to will do.
        Err(GenerateError::Io { .. }) if complete => None,
        Err(error) => return Err(error),
    };
    if _lock.is_some() {
        for entry in fs::read_dir(&folder).map_err(io_error("read"))?.flatten() {
            if is_temporary_name(&entry.file_name()) {
                observer.note(&format!("{}: left by a run that was killed; removed", entry.path().display()));
                fs::remove_file(entry.path()).map_err(io_error("remove a temporary file in"))?;
            }
        }
    }
    observer.planned(&plan);
    let run = Run {
        catalog,
        request,
        observer,
        tablebase,
        solved: Mutex::default(),
        report: Mutex::default(),
        halt: AtomicBool::new(false),
    };
    let mut level = Vec::new();
    let mut tables = plan.tables.iter().map(|table| &table.class).peekable();
    while let Some(class) = tables.next() {
        level.push(class);
        let pieces = class.material().count();
        if tables.peek().is_none_or(|next| next.material().count() != pieces) {
            run.level(&level)?;
            run.forget_below(pieces);
            level.clear();
        }
    }
    Ok(run.report.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Takes the lock of the folder, waiting for another run if there is one.
fn lock(folder: &Path, observer: &dyn Observer) -> Result<File, GenerateError> {
    let error = |path: &Path, action: &'static str| {
        let path = path.to_owned();
        move |cause: io::Error| GenerateError::Io { path, action, cause }
    };
    fs::create_dir_all(folder).map_err(error(folder, "make the folder"))?;
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(error(&path, "open for writing"))?;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if observer.stop() => return Err(GenerateError::Stopped),
            Err(TryLockError::WouldBlock) => {
                if !told {
                    observer.note(&format!("{}: another run is at work here; waiting for it", folder.display()));
                    told = true;
                }
                std::thread::sleep(PATIENCE);
            }
            Err(TryLockError::Error(cause)) => return Err(error(&path, "lock")(cause)),
        }
    }
}

struct Run<'a> {
    catalog: &'a Arc<Catalog>,
    request: &'a Request,
    observer: &'a dyn Observer,
    tablebase: Tablebase,
    /// Values of the classes that the current level rests on.
    solved: Mutex<HashMap<Material, Arc<Solved>>>,
    report: Mutex<Report>,
    /// Set when one of several tables at work has failed.
    halt: AtomicBool,
}

impl Run<'_> {
    /// All tables with the same number of pieces: small ones side by side, large ones one after the other.
    fn level(&self, classes: &[&Arc<Class>]) -> Result<(), GenerateError> {
        let is_small = |class: &&Arc<Class>| class.index().size() * (class.sides() as u64) < LARGE;
        let (small, large): (Vec<&Arc<Class>>, Vec<&Arc<Class>>) = classes.iter().copied().partition(is_small);
        let alone = small.len() == 1;
        let results: Vec<Result<(), GenerateError>> = small
            .par_iter()
            .with_max_len(1)
            .map(|class| {
                let result = if self.stopped() { Err(GenerateError::Stopped) } else { self.table(class, alone) };
                if result.is_err() {
                    self.halt.store(true, Ordering::Relaxed);
                }
                result
            })
            .collect();
        // What went wrong first matters, not that others were stopped because of it.
        let (stopped, failed): (Vec<_>, Vec<_>) =
            results.into_iter().filter_map(Result::err).partition(|error| matches!(error, GenerateError::Stopped));
        if let Some(error) = failed.into_iter().chain(stopped).next() {
            return Err(error);
        }
        large.iter().try_for_each(|class| self.table(class, true))
    }

    fn stopped(&self) -> bool {
        self.halt.load(Ordering::Relaxed) || self.observer.stop()
    }

    fn table(&self, class: &Arc<Class>, parallel: bool) -> Result<(), GenerateError> {
        if self.is_whole(class)? {
            self.change_report(|report| report.kept += 1);
            return Ok(());
        }
        if self.stopped() {
            return Err(GenerateError::Stopped);
        }
        self.observer.table_started(class);
        let start = Instant::now();
        // A table below that cannot be read is an error of its own, told apart from one that is not there.
        let failed: Mutex<Option<TablebaseError>> = Mutex::default();
        let below = |class: &Class| match self.values(class) {
            Ok(values) => Some(values),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        };
        let options = kernel::Options {
            parallel,
            on_ply: &|ply| self.observer.ply(class, ply),
            stop: &|| self.stopped(),
            ..kernel::Options::default()
        };
        let solved = kernel::solve(self.catalog, class, &below, &options).map_err(|error| match error {
            SolveError::Stopped => GenerateError::Stopped,
            SolveError::MissingBelow { class } => {
                let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                GenerateError::Table(failed.unwrap_or_else(|| TablebaseError::Missing {
                    material: class.clone(),
                    class,
                    path: self.tablebase.rules_folder(),
                }))
            }
        })?;
        let path = self.tablebase.path_of(class);
        let bytes = write_table(self.catalog.rules(), &solved, &path, self.request.encoding, parallel)?;
        if self.request.verify {
            self.verify(class, &path)?;
        }
        let longest = |side: &dsq_tables::format::SideSummary| {
            [side.longest_win, side.longest_loss].into_iter().flatten().map(|longest| longest.plies).max()
        };
        let report = TableReport {
            class: class.clone(),
            positions: full_positions(class),
            bytes,
            seconds: start.elapsed().as_secs_f64(),
            longest_plies: solved.summary().sides.iter().filter_map(longest).max().unwrap_or(0),
        };
        self.solved.lock().unwrap_or_else(PoisonError::into_inner).insert(class.material(), Arc::new(solved));
        self.change_report(|total| {
            total.made += 1;
            total.positions += report.positions;
            total.bytes += report.bytes;
        });
        self.observer.table_finished(&report);
        Ok(())
    }

    /// True if the table is there and whole. One that is damaged is made again; one of other rules or of another version
    /// is left alone and ends the run.
    fn is_whole(&self, class: &Arc<Class>) -> Result<bool, GenerateError> {
        match self.tablebase.table(class).and_then(|table| table.check_file()) {
            Ok(()) => Ok(true),
            Err(TablebaseError::Missing { .. }) => Ok(false),
            Err(TablebaseError::File(error)) if error.is_damage() => {
                self.observer.note(&format!("{error}; made again"));
                self.tablebase.close_tables();
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The values of a class below, from memory or from its table.
    fn values(&self, class: &Class) -> Result<Arc<Solved>, TablebaseError> {
        if let Some(solved) = self.solved.lock().unwrap_or_else(PoisonError::into_inner).get(&class.material()) {
            return Ok(solved.clone());
        }
        let member = self.catalog.member(class.material()).ok_or_else(|| TablebaseError::TooManyPieces {
            material: class.name().to_owned(),
            pieces: class.material().count(),
        })?;
        let solved = Arc::new(Solved::read(&*self.tablebase.table(member.class())?)?);
        let mut known = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(class.material()).or_insert(solved).clone())
    }

    /// A capture takes one piece, so the next level needs this one only.
    fn forget_below(&self, pieces: usize) {
        self.solved.lock().unwrap_or_else(PoisonError::into_inner).retain(|material, _| material.count() >= pieces);
    }

    fn verify(&self, class: &Arc<Class>, path: &Path) -> Result<(), GenerateError> {
        self.tablebase.close_tables();
        let report = crate::checker::check_table(
            &self.tablebase,
            class,
            &crate::checker::CheckOptions::default(),
            &Stopper(self),
        )?;
        if self.stopped() {
            return Err(GenerateError::Stopped);
        }
        if report.is_sound() {
            return Ok(());
        }
        fs::remove_file(path).map_err(|cause| GenerateError::Io { path: path.to_owned(), action: "remove", cause })?;
        let first = report.faults.first().map_or_else(|| "the stored counts".to_owned(), |fault| fault.fen.clone());
        Err(GenerateError::Faulty { class: class.name().to_owned(), faults: report.wrong, first })
    }

    fn change_report(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Lets the checker hear when to stop.
struct Stopper<'a, 'b>(&'a Run<'b>);

impl crate::checker::CheckObserver for Stopper<'_, '_> {
    fn advanced(&self, _positions: u64) {}

    fn stop(&self) -> bool {
        self.0.stopped()
    }
}
