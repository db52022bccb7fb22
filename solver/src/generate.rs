//! Making tables: what is asked and everything it rests on, skipping what exists.

mod work;

use crate::arena::Arena;
use crate::encode::Encoding;
use crate::plan::check_room;
pub use crate::plan::{Plan, PlannedTable, free_space, plan};
use crate::shelf::Shelf;
use crate::wdl::WdlError;
use dsq_tables::atomic_file::is_temporary_name;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{Metric, WriteError};
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use work::Run;

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
    /// the class is solved in memory, which takes the distances of everything below it: these tables are made and stay. Distances to
    /// conversion take the distances to win of the same classes as well.
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
        folder.display(), decimal(*needed), decimal(*free)
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
    /// A class has positions that are won or lost under the limit of plies without a capture and not so without it.
    #[error(
        "class {class}: who wins under the limit contradicts its table of distances to win; check that with `dsq verify`"
    )]
    Contradiction {
        /// The class.
        class: String,
    },
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

/// A number of bytes on a disk for people: powers of ten, as disks are sold.
fn decimal(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A number of bytes of memory for people, as `--memory` takes it.
fn human(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mib @ 1..1024 => format!("{mib} MiB"),
        mib => format!("{:.1} GiB", mib as f64 / 1024.0),
    }
}

pub(crate) use work::{LARGE, SHELF_PART};

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
    if let Some(work) = request.spill.folder.as_ref().filter(|work| work.exists() && !work.is_dir()) {
        let cause = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(GenerateError::Io { path: work.clone(), action: "keep the files of the work in it", cause });
    }
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
        limit: plan.limit,
        solved: Shelf::new(plan.limit / SHELF_PART),
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
