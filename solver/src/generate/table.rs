//! One table after the other, from the tables below it to its name.

use super::cache::SolvedCache;
use super::error::GenerateError;
use super::limit::{DrawsByLimit, WithoutLimit};
use super::plan::{Plan, PlannedTable, full_positions, solved_as};
use super::report::{Observer, Report, TableReport};
use super::request::Request;
use super::work_folder::{clear_work_folder, work_folder};
use crate::buffer_pool::BufferPool;
use crate::checker::{CheckObserver, CheckOptions, check_table};
use crate::kernel::{self, Measure, SolveError, Storage};
use crate::solved::{SideCodes, Solved, put_part};
use crate::write::{Distances, TableStream, write_table, write_wdl_table};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{Summary, UnnamedTable};
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::Metric;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Decoded blocks that the checker keeps of the tables below.
const CHECKER_CACHE_BYTES: u64 = 64 << 20;

/// Makes the tables of a run.
pub struct Maker<'a> {
    pub catalog: &'a Arc<Catalog>,
    pub request: &'a Request,
    pub observer: &'a dyn Observer,
    pub tablebase: Tablebase,
    pub plan: &'a Plan,
    /// Values of the classes that the current level needs.
    pub solved: SolvedCache,
    pub pool: BufferPool,
    /// The most pieces of a table of the run: no other table needs those.
    pub most_pieces: usize,
    pub report: Mutex<Report>,
    /// Set when one of several tables at work has failed.
    pub halt: AtomicBool,
}

/// A class that was solved in memory, and whose table is still to be written.
pub struct Unwritten {
    class: Arc<Class>,
    metric: Metric,
    values: Solved,
    start: Instant,
}

impl Unwritten {
    /// How many bytes of memory the values take.
    pub fn memory(&self) -> u64 {
        self.values.memory()
    }
}

impl Maker<'_> {
    /// Whether the run is to end.
    pub fn stopped(&self) -> bool {
        self.halt.load(Ordering::Relaxed) || self.observer.stop()
    }

    /// Makes a table, if it is not there.
    pub fn make(&self, table: &PlannedTable, parallel: bool) -> Result<(), GenerateError> {
        match self.solve(table, parallel)? {
            Some(unwritten) => self.write(unwritten, parallel),
            None => Ok(()),
        }
    }

    /// Solves a class, if its table is not there. What does not fit in memory is written at once, and nothing is returned.
    pub fn solve(&self, table: &PlannedTable, parallel: bool) -> Result<Option<Unwritten>, GenerateError> {
        let PlannedTable { class, metric, workspace, .. } = table;
        if self.is_whole(class, *metric)? {
            self.change_report(|report| report.kept += 1);
            return Ok(None);
        }
        if self.stopped() {
            return Err(GenerateError::Stopped);
        }
        self.observer.table_started(class);
        let start = Instant::now();
        let source = metric.thinned_from();
        if let Some(source) = source {
            if self.is_whole(class, source)? {
                return self.thin_out(class, (source, *metric), start, parallel).map(|()| None);
            }
            // The plan has them, but for those below a table with distances that was thought to be whole.
            self.catalog.below(class).iter().try_for_each(|below| self.make_all_below(below, source))?;
        }
        if workspace.storage == Storage::Lean {
            // All the memory there is goes to this class.
            self.solved.clear();
            self.pool.clear();
        }
        match (workspace.storage, source) {
            (Storage::Memory, _) => self.solve_in_memory(table, start, parallel).map(Some),
            (Storage::Files | Storage::Lean, None) => self.solve_in_files(table, start, parallel).map(|()| None),
            (Storage::Files | Storage::Lean, Some(source)) => {
                // What does not fit in memory is made with distances first.
                self.make(&self.plan.table(&self.tablebase, class, source), parallel)?;
                self.thin_out(class, (source, *metric), start, parallel).map(|()| None)
            }
        }
    }

    fn solve_in_memory(
        &self,
        table: &PlannedTable,
        start: Instant,
        parallel: bool,
    ) -> Result<Unwritten, GenerateError> {
        let mut sides: Vec<SideCodes> = Vec::new();
        let drawn = self.run_kernel(table, parallel, &mut |side, part| {
            put_part(&mut sides, side, part);
            Ok(())
        })?;
        let drawn = drawn.map_err(|error| self.in_work_folder(table, error))?;
        let (class, metric) = (table.class.clone(), table.metric);
        let values = Solved::with_metric(class.clone(), solved_as(metric), sides, &drawn);
        Ok(Unwritten { class, metric, values, start })
    }

    /// Solves a class with its distances in files, and writes the table as the values come.
    fn solve_in_files(&self, table: &PlannedTable, start: Instant, parallel: bool) -> Result<(), GenerateError> {
        let PlannedTable { class, metric, .. } = table;
        let path = self.tablebase.path_with(class, *metric);
        let (rules, encoding) = (self.catalog.rules(), self.request.encoding);
        loop {
            let mut stream = TableStream::create(rules, class, *metric, &path, encoding, parallel)?;
            let drawn = match self.run_kernel(table, parallel, &mut |side, part| Ok(stream.put(side, part)?))? {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.observer.note(&format!("{error}; the work on {} is begun again", class.name()));
                    drop(stream);
                    self.clear_work(class, *metric)?;
                    continue;
                }
                drawn => drawn.map_err(|error| self.in_work_folder(table, error))?,
            };
            let (unnamed, summary) = stream.finish(&drawn)?;
            return self.publish(class, *metric, unnamed, start, longest_of(&summary));
        }
    }

    /// Solves a class and hands its values over part by part. Returns for each side the positions that are drawn because there
    /// is no legal move, or the error of a file of the work.
    fn run_kernel(
        &self,
        table: &PlannedTable,
        parallel: bool,
        keep: &mut dyn FnMut(usize, SideCodes) -> Result<(), GenerateError>,
    ) -> Result<io::Result<Vec<u64>>, GenerateError> {
        let PlannedTable { class, metric, workspace, .. } = table;
        let (rules, solved_as) = (self.catalog.rules(), solved_as(*metric));
        // A table below that cannot be read is an error of its own, kept apart from one that is not there.
        let failed: Mutex<Option<TablebaseError>> = Mutex::default();
        let below = |class: &Arc<Class>, side| match self.values(class, side, solved_as, workspace.storage) {
            Ok(values) => Some(values),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        };
        let work = self.work_folder(table);
        let spill = kernel::SpillTo { folder: &work, every: self.request.spill.checkpoint_every };
        let options = kernel::Options {
            measure: Measure::of(*metric, rules),
            parallel,
            pool: &self.pool,
            spill: (workspace.storage != Storage::Memory).then_some(spill),
            lean: workspace.storage == Storage::Lean,
            on_ply: &|ply| self.observer.ply(class, ply),
            on_resume: &|ply| {
                self.observer.note(&format!("{}: goes on after ply {ply}, where a run was ended", class.name()));
            },
            stop: &|| self.stopped(),
            ..kernel::Options::default()
        };
        let mut draws = DrawsByLimit::new(class, self.without_limit(class, *metric)?, rules.quiet_limit().is_some());
        // What cannot be kept is an error of its own, kept apart from those of the solver.
        let mut unkept = None;
        let drawn = kernel::solve_into(self.catalog, class, &below, &options, &mut |side, mut part| {
            let kept = draws.mark(side, &mut part).and_then(|()| keep(side, part));
            kept.map_err(|error| {
                unkept = Some(error);
                io::Error::other("the table cannot be written")
            })
        });
        match (unkept, drawn) {
            (Some(error), _) => Err(error),
            (None, Ok(drawn)) => Ok(Ok(drawn)),
            (None, Err(SolveError::Io(cause))) => Ok(Err(cause)),
            (None, Err(SolveError::Stopped)) => Err(GenerateError::Stopped),
            (None, Err(SolveError::MissingBelow { class })) => {
                let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
                let path = self.tablebase.rules_folder();
                let missing = || TablebaseError::Missing { material: class.clone(), class, metric: solved_as, path };
                Err(GenerateError::Table(failed.unwrap_or_else(missing)))
            }
        }
    }

    /// Who wins the positions of a class without a limit, for values under one.
    fn without_limit(&self, class: &Arc<Class>, metric: Metric) -> Result<Option<WithoutLimit>, GenerateError> {
        let Some(source) = metric.needs_under_limit() else { return Ok(None) };
        Ok(Some(match self.solved.get(class.material(), source) {
            Some(solved) => WithoutLimit::Solved(solved),
            None => {
                let table = self.tablebase.table_with(class, source)?;
                // Only this class has it now: a map counts as memory as long as it is there.
                self.tablebase.close_tables();
                WithoutLimit::Table(table)
            }
        }))
    }

    /// The values of a class below with one side to move, from memory or from its table.
    fn values(
        &self,
        class: &Arc<Class>,
        side: Side,
        metric: Metric,
        storage: Storage,
    ) -> Result<Arc<SideCodes>, TablebaseError> {
        if let Some(solved) = self.solved.get(class.material(), metric) {
            return Ok(solved.side(side).clone());
        }
        let table = self.tablebase.table_with(class, metric)?;
        let codes = if storage == Storage::Lean {
            // There is no room for more than what is needed.
            Arc::new(SideCodes::read(&table, side)?)
        } else {
            let solved = Arc::new(Solved::read(&table)?);
            self.solved.put(&solved);
            solved.side(side).clone()
        };
        drop(table);
        self.tablebase.close_tables();
        Ok(codes)
    }

    /// Writes the table of a class that was solved in memory.
    pub fn write(&self, unwritten: Unwritten, parallel: bool) -> Result<(), GenerateError> {
        let Unwritten { class, metric, values, start } = unwritten;
        let (rules, encoding) = (self.catalog.rules(), self.request.encoding);
        let path = self.tablebase.path_with(&class, metric);
        let table = match metric.thinned_from() {
            Some(_) => write_wdl_table(rules, Distances::Solved(&values), &path, encoding, parallel)?,
            None => write_table(rules, &values, &path, encoding, parallel)?,
        };
        self.publish(&class, metric, table, start, longest_of(values.summary()))?;
        if class.material().count() < self.most_pieces {
            self.solved.put(&Arc::new(values.fitted()));
        } else {
            values.recycle(&self.pool);
        }
        Ok(())
    }

    /// Makes a table without distances from one with them.
    fn thin_out(
        &self,
        class: &Arc<Class>,
        (source, metric): (Metric, Metric),
        start: Instant,
        parallel: bool,
    ) -> Result<(), GenerateError> {
        let table = self.tablebase.table_with(class, source)?;
        let path = self.tablebase.path_with(class, metric);
        let (rules, encoding) = (self.catalog.rules(), self.request.encoding);
        let thin = write_wdl_table(rules, Distances::Table(&table), &path, encoding, parallel)?;
        drop(table);
        self.tablebase.close_tables();
        self.publish(class, metric, thin, start, 0)
    }

    /// Checks a table if that was asked for, gives it its name, and reports it.
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
        self.clear_work(class, metric)?;
        let seconds = start.elapsed().as_secs_f64() - verify_seconds;
        let positions = full_positions(class);
        let longest_plies = if metric.has_distances() { longest_plies } else { 0 };
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

    /// Makes sure that the table of a class and metric is there, and all below it.
    fn make_all_below(&self, class: &Arc<Class>, metric: Metric) -> Result<(), GenerateError> {
        if self.solved.get(class.material(), metric).is_some() || self.tablebase.table_with(class, metric).is_ok() {
            return Ok(());
        }
        self.catalog.below(class).iter().try_for_each(|below| self.make_all_below(below, metric))?;
        self.make(&self.plan.table(&self.tablebase, class, metric), false)
    }

    /// True if the table is there and whole. One that is damaged is made again; one of other rules or of another version
    /// is left as it is and ends the run.
    fn is_whole(&self, class: &Arc<Class>, metric: Metric) -> Result<bool, GenerateError> {
        match self.tablebase.table_with(class, metric).and_then(|table| table.check_file()) {
            Ok(()) => {
                // A map of a file that was read to its end counts as memory.
                self.tablebase.close_tables();
                self.clear_work(class, metric)?;
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

    /// Proves a table that has no name yet.
    fn verify(&self, class: &Arc<Class>, metric: Metric, file: &Path) -> Result<(), GenerateError> {
        let tablebase = Tablebase::at(&self.request.folder, self.catalog.clone(), CHECKER_CACHE_BYTES);
        tablebase.use_file(file, class, metric)?;
        let report = check_table(&tablebase, class, metric, &CheckOptions::default(), &Stopper(self))?;
        if self.stopped() {
            return Err(GenerateError::Stopped);
        }
        if report.is_sound() {
            return Ok(());
        }
        let first = report.faults.first().map_or_else(|| "the stored counts".to_owned(), |fault| fault.fen.clone());
        Err(GenerateError::Faulty { class: class.name().to_owned(), faults: report.wrong, first })
    }

    fn work_folder(&self, table: &PlannedTable) -> std::path::PathBuf {
        work_folder(&self.tablebase, &self.request.spill, &table.class, table.metric)
    }

    fn clear_work(&self, class: &Class, metric: Metric) -> Result<(), GenerateError> {
        clear_work_folder(&self.tablebase, &self.request.spill, class, metric)
    }

    /// An error of a file of the work on a table.
    fn in_work_folder(&self, table: &PlannedTable, cause: io::Error) -> GenerateError {
        GenerateError::Io { path: self.work_folder(table), action: "use the files of the work in", cause }
    }

    fn change_report(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The longest win or loss in plies.
fn longest_of(summary: &Summary) -> u32 {
    let longest = summary.sides.iter().flat_map(|side| [side.longest_win, side.longest_loss]);
    longest.flatten().map(|longest| longest.plies).max().unwrap_or(0)
}

/// Ends a check when the run is to end.
struct Stopper<'a, 'b>(&'a Maker<'b>);

impl CheckObserver for Stopper<'_, '_> {
    fn stop(&self) -> bool {
        self.0.stopped()
    }
}
