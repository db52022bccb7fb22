//! Making tables: what is asked and everything it rests on, skipping what exists.

use crate::arena::Arena;
use crate::encode::{Encoding, TableStream, write_table};
use crate::kernel::{self, SolveError};
pub use crate::plan::{Plan, PlannedTable, plan};
use crate::plan::{check_room, full_positions, limit_of, memory_of};
use crate::shelf::Shelf;
use crate::solved::Solved;
use crate::wdl::{Distances, WdlError, write_wdl_table};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{Metric, Summary, UnnamedTable, WriteError, is_temporary_name};
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use rayon::prelude::*;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// What to make.
#[derive(Clone, Debug)]
pub struct Request {
    /// The classes that were asked for; what they rest on is added.
    pub classes: Vec<Arc<Class>>,
    /// The folder of tablebases; the tables go to a folder of the rule set inside it.
    pub folder: PathBuf,
    /// Prove each table with the checker before it gets its name.
    pub verify: bool,
    /// The memory limit in bytes; 80 % of what is available if not given.
    pub memory: Option<u64>,
    /// How the tables are compressed.
    pub encoding: Encoding,
    /// What the tables hold. Those without distances are made from those with them where these are there and whole. Else
    /// the class is solved in memory, which takes the distances of everything below it: these tables are made and stay.
    pub metric: Metric,
    /// When distances and checkpoints go to files, and where.
    pub spill: SpillRequest,
}

/// When the distances of a table go to files while it is solved, with checkpoints from which the next run goes on.
#[derive(Clone, Debug, Default)]
pub struct SpillRequest {
    /// Also where they fit in memory; otherwise only where they do not.
    pub always: bool,
    /// The folder for the files; `.work` in the folder of the tables if not given.
    pub folder: Option<PathBuf>,
    /// How often a checkpoint is written; so that it takes at most a fiftieth of the time if not given.
    pub checkpoint_every: Option<Duration>,
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
    /// What the table holds.
    pub metric: Metric,
    /// Positions on the full board, both sides to move.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Time from the start of the sweep to the named file, in seconds, that of the checker not counted.
    pub seconds: f64,
    /// Time of the checker, in seconds; 0 if it was not asked for.
    pub verify_seconds: f64,
    /// The longest win or loss in plies; 0 where it is not known.
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
        "class {class} needs about {} of memory, the limit is {}{}",
        human(*needed), human(*limit),
        fits.as_ref().map_or_else(String::new, |fits| format!("; {fits}"))
    )]
    TooLarge {
        /// The class.
        class: String,
        /// What it needs, in bytes.
        needed: u64,
        /// The limit, in bytes.
        limit: u64,
        /// What would fit.
        fits: Option<String>,
    },
    /// The file system has not enough room for the tables.
    #[error(
        "{}: what is to be made needs about {} on disk, {} are free",
        folder.display(), human(*needed), human(*free)
    )]
    NoRoom {
        /// The folder of the tables.
        folder: PathBuf,
        /// What they need, in bytes.
        needed: u64,
        /// What is free for this user, in bytes.
        free: u64,
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
    /// A table that others rest on cannot be read.
    #[error("{0}")]
    Table(#[from] TablebaseError),
    /// A file under the name of a table is not that table, but may be of use to somebody.
    #[error("{0}; nothing is overwritten: move it away or remove it, and run again")]
    Foreign(TablebaseError),
    /// The checker found faults in a table just made. It got no name.
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

impl From<WdlError> for GenerateError {
    fn from(error: WdlError) -> GenerateError {
        match error {
            WdlError::Read(error) => GenerateError::Table(error),
            WdlError::Write(error) => GenerateError::Write(error),
        }
    }
}

/// A number of bytes for people.
fn human(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mib @ 1..1024 => format!("{mib} MiB"),
        mib => format!("{:.1} GiB", mib as f64 / 1024.0),
    }
}

/// From so many stored positions on, a table is solved alone, with all threads.
pub(crate) const LARGE: u64 = 30_000_000;
/// One part of so many of the memory keeps the values that the next tables rest on.
pub(crate) const SHELF_PART: u64 = 6;
/// Decoded blocks that the checker keeps of the tables below.
const CHECKER_CACHE_BYTES: u64 = 64 << 20;
/// How often a waiting run asks again, and a running one whether to stop.
const PATIENCE: Duration = Duration::from_millis(200);

/// Makes what is missing. A second run in the same folder waits until the first one has ended.
///
/// # Errors
/// [`GenerateError`]; the tables made until then stay.
pub fn run(catalog: &Arc<Catalog>, request: &Request, observer: &dyn Observer) -> Result<Report, GenerateError> {
    let plan = plan(catalog, request)?;
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), 64 << 20);
    let folder = tablebase.rules_folder();
    check_room(&plan, &folder, request.spill.folder.as_deref())?;
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
                fs::remove_file(entry.path()).map_err(io_error("remove a temporary file in"))?;
                observer.note(&format!("{}: left by a run that was killed; removed", entry.path().display()));
            }
        }
    }
    observer.planned(&plan);
    let run = Run {
        catalog,
        request,
        observer,
        tablebase,
        arena: Arena::new(),
        solved: Shelf::new(limit_of(request) / SHELF_PART),
        most_pieces: plan.tables.last().map_or(0, |table| table.class.material().count()),
        report: Mutex::default(),
        halt: AtomicBool::new(false),
    };
    let mut level = Vec::new();
    let mut tables = plan.tables.iter().peekable();
    while let Some(table) = tables.next() {
        level.push(&table.class);
        let pieces = table.class.material().count();
        let next = tables.peek().map(|next| (next.class.material().count(), next.metric));
        if next != Some((pieces, table.metric)) {
            run.level(&level, table.metric)?;
            level.clear();
        }
        if next.is_none_or(|(next, _)| next != pieces) {
            // A capture takes one piece, so the next level needs this one only.
            run.solved.forget_below(pieces);
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
    // Whatever else lies there is left alone; a pipe would not even open.
    if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(error(&path, "lock")(io::Error::other("it is not a regular file")));
    }
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(error(&path, "open for writing"))?;
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
    solved: Shelf,
    arena: Arena,
    /// The most pieces of a table of the run: nothing rests on those.
    most_pieces: usize,
    report: Mutex<Report>,
    /// Set when one of several tables at work has failed.
    halt: AtomicBool,
}

impl Run<'_> {
    /// All tables with the same number of pieces: small ones side by side, large ones one after the other.
    fn level(&self, classes: &[&Arc<Class>], metric: Metric) -> Result<(), GenerateError> {
        let is_small = |class: &&Arc<Class>| class.index().size() * (class.sides() as u64) < LARGE;
        let (small, large): (Vec<&Arc<Class>>, Vec<&Arc<Class>>) = classes.iter().copied().partition(is_small);
        let alone = small.len() == 1;
        let results: Vec<Result<(), GenerateError>> = small
            .par_iter()
            .with_max_len(1)
            .map(|class| {
                let result =
                    if self.stopped() { Err(GenerateError::Stopped) } else { self.table(class, metric, alone) };
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
        self.one_after_the_other(&large, metric)
    }

    /// Large tables. While one is solved the one before it is compressed and written, if the memory allows it: parts of the
    /// work on either keep only one thread busy.
    fn one_after_the_other(&self, classes: &[&Arc<Class>], metric: Metric) -> Result<(), GenerateError> {
        std::thread::scope(|scope| {
            let mut before: Option<(u64, ScopedJoinHandle<'_, Result<(), GenerateError>>)> = None;
            for class in classes {
                let needed = memory_of(self.catalog, class, self.request.spill.always, limit_of(self.request));
                let alone =
                    |(bytes, _): &mut (u64, _)| self.request.verify || needed.saturating_add(*bytes) > self.room();
                if let Some((_, writing)) = before.take_if(alone) {
                    joined(writing)?;
                }
                let made = self.solve(class, metric, true);
                if let Some((_, writing)) = before.take() {
                    joined(writing)?;
                }
                if let Some(unwritten) = made? {
                    let bytes = unwritten.values.memory();
                    before = Some((bytes, scope.spawn(move || self.write(unwritten, true))));
                }
            }
            before.map_or(Ok(()), |(_, writing)| joined(writing))
        })
    }

    /// The memory that is not kept for the values that other tables rest on.
    fn room(&self) -> u64 {
        let limit = limit_of(self.request);
        limit - limit / SHELF_PART
    }

    fn stopped(&self) -> bool {
        self.halt.load(Ordering::Relaxed) || self.observer.stop()
    }

    fn table(&self, class: &Arc<Class>, metric: Metric, parallel: bool) -> Result<(), GenerateError> {
        match self.solve(class, metric, parallel)? {
            Some(unwritten) => self.write(unwritten, parallel),
            None => Ok(()),
        }
    }

    /// Solves a class, if its table is not there. What does not fit in memory is written at once, and nothing is returned.
    fn solve(&self, class: &Arc<Class>, metric: Metric, parallel: bool) -> Result<Option<Unwritten>, GenerateError> {
        if self.is_whole(class, metric)? {
            self.change_report(|report| report.kept += 1);
            return Ok(None);
        }
        if self.stopped() {
            return Err(GenerateError::Stopped);
        }
        self.observer.table_started(class);
        let start = Instant::now();
        if metric == Metric::Wdl {
            if self.is_whole(class, Metric::Dtw)? {
                return self.thin_out(class, start, parallel).map(|()| None);
            }
            // The plan has them, but for those below a table with distances that was thought to be whole.
            self.catalog.below(class).iter().try_for_each(|below| self.distances(below))?;
        }
        // A table below that cannot be read is an error of its own, told apart from one that is not there.
        let failed: Mutex<Option<TablebaseError>> = Mutex::default();
        let below = |class: &Class| match self.values(class) {
            Ok(values) => Some(values),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        };
        let work = self.work_folder(class);
        let limit = limit_of(self.request);
        let spilled = self.request.spill.always || memory_of(self.catalog, class, false, limit) > limit;
        if spilled && metric == Metric::Wdl {
            // What does not fit in memory is made with distances first.
            self.table(class, Metric::Dtw, parallel)?;
            return self.thin_out(class, start, parallel).map(|()| None);
        }
        let spill = kernel::SpillTo { folder: &work, every: self.request.spill.checkpoint_every };
        let options = kernel::Options {
            parallel,
            arena: &self.arena,
            spill: spilled.then_some(spill),
            on_ply: &|ply| self.observer.ply(class, ply),
            stop: &|| self.stopped(),
            ..kernel::Options::default()
        };
        let solve_error = |error: SolveError| match error {
            SolveError::Stopped => GenerateError::Stopped,
            SolveError::Io(cause) => {
                GenerateError::Io { path: work.clone(), action: "use the files of the work in", cause }
            }
            SolveError::MissingBelow { class } => {
                let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                GenerateError::Table(failed.unwrap_or_else(|| TablebaseError::Missing {
                    material: class.clone(),
                    class,
                    path: self.tablebase.rules_folder(),
                }))
            }
        };
        if !spilled {
            let values = kernel::solve(self.catalog, class, &below, &options).map_err(solve_error)?;
            return Ok(Some(Unwritten { class: class.clone(), metric, values, start }));
        }
        let path = self.tablebase.path_of(class);
        let mut stream = TableStream::create(self.catalog.rules(), class, &path, self.request.encoding, parallel)?;
        let mut unwritten = None;
        let taken = kernel::solve_into(self.catalog, class, &below, &options, &mut |side, part| {
            stream.put(side, part).map_err(|error| {
                unwritten = Some(error);
                io::Error::other("the table cannot be written")
            })
        });
        let drawn = match (unwritten, taken) {
            (Some(error), _) => return Err(error.into()),
            (None, Err(SolveError::Io(error))) if error.kind() == io::ErrorKind::InvalidData => {
                self.observer.note(&format!("{error}; the work on {} is begun again", class.name()));
                drop(stream);
                self.clear_work(class)?;
                return self.solve(class, metric, parallel);
            }
            (None, taken) => taken.map_err(solve_error)?,
        };
        let (table, summary) = stream.finish(&drawn)?;
        self.publish(class, Metric::Dtw, table, start, longest_of(&summary))?;
        Ok(None)
    }

    /// Writes the table of a class that was solved in memory.
    fn write(&self, unwritten: Unwritten, parallel: bool) -> Result<(), GenerateError> {
        let Unwritten { class, metric, values, start } = unwritten;
        let (rules, encoding) = (self.catalog.rules(), self.request.encoding);
        let path = self.tablebase.path_with(&class, metric);
        let table = match metric {
            Metric::Wdl => write_wdl_table(rules, Distances::Solved(&values), &path, encoding, parallel)?,
            _ => write_table(rules, &values, &path, encoding, parallel)?,
        };
        let longest = if metric == Metric::Wdl { 0 } else { longest_of(values.summary()) };
        self.publish(&class, metric, table, start, longest)?;
        if class.material().count() < self.most_pieces {
            self.solved.put(&Arc::new(values.fitted()));
        } else {
            values.recycle(&self.arena);
        }
        Ok(())
    }

    /// Checks a table if that was asked for, gives it its name, and tells of it.
    fn publish(
        &self,
        class: &Arc<Class>,
        metric: Metric,
        table: UnnamedTable,
        start: Instant,
        longest_plies: u32,
    ) -> Result<(), GenerateError> {
        let checking = Instant::now();
        if self.request.verify {
            self.verify(class, metric, table.file())?;
        }
        let verify_seconds = if self.request.verify { checking.elapsed().as_secs_f64() } else { 0.0 };
        let bytes = table.publish()?;
        self.clear_work(class)?;
        let seconds = start.elapsed().as_secs_f64() - verify_seconds;
        let positions = full_positions(class);
        let class = class.clone();
        let report = TableReport { class, metric, positions, bytes, seconds, verify_seconds, longest_plies };
        self.change_report(|total| {
            total.made += 1;
            total.positions += report.positions;
            total.bytes += report.bytes;
        });
        self.observer.table_finished(&report);
        Ok(())
    }

    /// Makes a table without distances from the one with them.
    fn thin_out(&self, class: &Arc<Class>, start: Instant, parallel: bool) -> Result<(), GenerateError> {
        let table = self.tablebase.table(class)?;
        let path = self.tablebase.path_with(class, Metric::Wdl);
        let (rules, encoding) = (self.catalog.rules(), self.request.encoding);
        let thin = write_wdl_table(rules, Distances::Table(&table), &path, encoding, parallel)?;
        self.publish(class, Metric::Wdl, thin, start, 0)
    }

    /// Sees to it that the table with the distances of a class is there.
    fn distances(&self, class: &Arc<Class>) -> Result<(), GenerateError> {
        if self.solved.get(class.material()).is_some() || self.tablebase.table(class).is_ok() {
            return Ok(());
        }
        self.catalog.below(class).iter().try_for_each(|below| self.distances(below))?;
        self.table(class, Metric::Dtw, false)
    }

    /// True if the table is there and whole. One that is damaged is made again; one of other rules or of another version
    /// is left alone and ends the run.
    fn is_whole(&self, class: &Arc<Class>, metric: Metric) -> Result<bool, GenerateError> {
        match self.tablebase.table_with(class, metric).and_then(|table| table.check_file()) {
            Ok(()) => {
                self.clear_work(class)?;
                Ok(true)
            }
            Err(TablebaseError::Missing { .. }) => Ok(false),
            Err(TablebaseError::File(error)) if error.is_damage() => {
                self.observer.note(&format!("{error}; made again"));
                self.tablebase.close_tables();
                Ok(false)
            }
            Err(error) => Err(GenerateError::Foreign(error)),
        }
    }

    /// The folder for files of a class while it is solved.
    fn work_folder(&self, class: &Class) -> PathBuf {
        let folder = match &self.request.spill.folder {
            Some(folder) => folder.join(self.catalog.rules().folder_name()),
            None => self.tablebase.rules_folder().join(".work"),
        };
        folder.join(class.name())
    }

    /// Removes the files of the work on a class whose table is done, and the folder around them if nothing else is in it.
    fn clear_work(&self, class: &Class) -> Result<(), GenerateError> {
        let work = self.work_folder(class);
        if work.is_dir() {
            fs::remove_dir_all(&work).map_err(|cause| GenerateError::Io {
                path: work.clone(),
                action: "remove",
                cause,
            })?;
        }
        // Other classes may still have theirs; then it stays.
        let _ = work.parent().map(fs::remove_dir);
        Ok(())
    }

    /// The values of a class below, from memory or from its table.
    fn values(&self, class: &Class) -> Result<Arc<Solved>, TablebaseError> {
        if let Some(solved) = self.solved.get(class.material()) {
            return Ok(solved);
        }
        let member = self.catalog.member(class.material()).ok_or_else(|| TablebaseError::TooManyPieces {
            material: class.name().to_owned(),
            pieces: class.material().count(),
        })?;
        let solved = Arc::new(Solved::read(&*self.tablebase.table(member.class())?)?);
        self.solved.put(&solved);
        Ok(solved)
    }

    /// Proves a table that has no name yet.
    fn verify(&self, class: &Arc<Class>, metric: Metric, file: &Path) -> Result<(), GenerateError> {
        let tablebase = Tablebase::at(&self.request.folder, self.catalog.clone(), CHECKER_CACHE_BYTES);
        tablebase.use_file(file, class, metric)?;
        let options = crate::checker::CheckOptions::default();
        let (sound, wrong, first) = match metric {
            Metric::Wdl => {
                let report = crate::checker::check_wdl_table(&tablebase, class, &options, &Stopper(self))?;
                (report.is_sound(), report.wrong, report.faults.first().map(|fault| fault.fen.clone()))
            }
            _ => {
                let report = crate::checker::check_table(&tablebase, class, &options, &Stopper(self))?;
                (report.is_sound(), report.wrong, report.faults.first().map(|fault| fault.fen.clone()))
            }
        };
        if self.stopped() {
            return Err(GenerateError::Stopped);
        }
        if sound {
            return Ok(());
        }
        let first = first.unwrap_or_else(|| "the stored counts".to_owned());
        Err(GenerateError::Faulty { class: class.name().to_owned(), faults: wrong, first })
    }

    fn change_report(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A class that was solved in memory.
struct Unwritten {
    class: Arc<Class>,
    metric: Metric,
    values: Solved,
    start: Instant,
}

/// What a thread has returned; a panic goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The longest win or loss in plies.
fn longest_of(summary: &Summary) -> u32 {
    let longest = summary.sides.iter().flat_map(|side| [side.longest_win, side.longest_loss]);
    longest.flatten().map(|longest| longest.plies).max().unwrap_or(0)
}

/// Lets the checker hear when to stop.
struct Stopper<'a, 'b>(&'a Run<'b>);

impl crate::checker::CheckObserver for Stopper<'_, '_> {
    fn advanced(&self, _positions: u64) {}

    fn stop(&self) -> bool {
        self.0.stopped()
    }
}
