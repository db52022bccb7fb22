//! A run at work: one table after the other, from the tables below it to its name.

use super::{GenerateError, Observer, Report, Request, TableReport};
use crate::arena::Arena;
use crate::checker::{CheckObserver, CheckOptions, check_dtc_table, check_table, check_wdl_table};
use crate::encode::{TableStream, write_table};
use crate::kernel::{self, Measure, SolveError, Storage};
use crate::plan::{full_positions, memory_of, storage_of};
use crate::shelf::Shelf;
use crate::solved::{SideCodes, Solved, put_part};
use crate::wdl::{Distances, write_wdl_table};
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::{Metric, Summary, UnnamedTable};
use dsq_tables::table::Table;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use rayon::prelude::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

/// From so many stored positions on, a table is solved alone, with all threads.
pub const LARGE: u64 = 30_000_000;
/// One part of so many of the memory keeps the values that the next tables rest on.
pub const SHELF_PART: u64 = 6;
/// Decoded blocks that the checker keeps of the tables below.
const CHECKER_CACHE_BYTES: u64 = 64 << 20;

/// A run.
pub struct Run<'a> {
    pub catalog: &'a Arc<Catalog>,
    pub request: &'a Request,
    pub observer: &'a dyn Observer,
    pub tablebase: Tablebase,
    /// The memory limit of the plan, in bytes.
    pub limit: u64,
    /// Values of the classes that the current level rests on.
    pub solved: Shelf,
    pub arena: Arena,
    /// The most pieces of a table of the run: nothing rests on those.
    pub most_pieces: usize,
    pub report: Mutex<Report>,
    /// Set when one of several tables at work has failed.
    pub halt: AtomicBool,
}

impl Run<'_> {
    /// All tables with the same number of pieces: small ones side by side, large ones one after the other.
    pub fn level(&self, classes: &[&Arc<Class>], metric: Metric) -> Result<(), GenerateError> {
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
                let storage = storage_of(self.catalog, class, solved_as(metric), self.request, self.limit);
                let needed = memory_of(self.catalog, class, solved_as(metric), storage, self.limit);
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
        self.limit - self.limit / SHELF_PART
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
        let storage = storage_of(self.catalog, class, solved_as(metric), self.request, self.limit);
        let below = |class: &Arc<Class>, side| match self.values(class, side, solved_as(metric), storage) {
            Ok(values) => Some(values),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        };
        let work = self.work_folder(class, metric);
        let spilled = storage != Storage::Memory;
        if storage == Storage::Lean {
            // All the memory there is goes to this class.
            self.solved.clear();
            self.arena.clear();
        }
        if spilled && metric == Metric::Wdl {
            // What does not fit in memory is made with distances first.
            self.table(class, Metric::Dtw, parallel)?;
            return self.thin_out(class, start, parallel).map(|()| None);
        }
        let spill = kernel::SpillTo { folder: &work, every: self.request.spill.checkpoint_every };
        let known = self.without_limit(class, metric)?;
        let options = kernel::Options {
            measure: Measure::of(metric, self.catalog.rules()),
            parallel,
            arena: &self.arena,
            spill: spilled.then_some(spill),
            lean: storage == Storage::Lean,
            on_ply: &|ply| self.observer.ply(class, ply),
            on_resume: &|ply| {
                self.observer.note(&format!("{}: goes on after ply {ply}, where a run was ended", class.name()));
            },
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
                    metric,
                    material: class.clone(),
                    class,
                    path: self.tablebase.rules_folder(),
                }))
            }
        };
        let limited = self.catalog.rules().quiet_limit().is_some();
        let mut told = (0, 0u64);
        let mut tell = |side: usize, part: &mut SideCodes| {
            let first = if told.0 == side { told.1 } else { 0 };
            told = (side, first + part.bytes().len() as u64);
            known.as_ref().map_or(Ok(()), |known| known.tell(class, Side::BOTH[side], first, part, limited))
        };
        // What cannot be kept is an error of its own, told apart from those of the solver.
        let mut solve = |keep: &mut dyn FnMut(usize, SideCodes) -> Result<(), GenerateError>| {
            let mut unkept = None;
            let drawn = kernel::solve_into(self.catalog, class, &below, &options, &mut |side, mut part| {
                let kept = tell(side, &mut part).and_then(|()| keep(side, part));
                kept.map_err(|error| {
                    unkept = Some(error);
                    io::Error::other("the table cannot be written")
                })
            });
            unkept.map_or(Ok(drawn), Err)
        };
        if !spilled {
            let mut sides: Vec<SideCodes> = Vec::new();
            let drawn = solve(&mut |side, part| {
                put_part(&mut sides, side, part);
                Ok(())
            })?;
            let values = Solved::with_metric(class.clone(), solved_as(metric), sides, &drawn.map_err(solve_error)?);
            return Ok(Some(Unwritten { class: class.clone(), metric, values, start }));
        }
        let path = self.tablebase.path_with(class, metric);
        let (rules, encoding) = (self.catalog.rules(), self.request.encoding);
        let mut stream = TableStream::create(rules, class, metric, &path, encoding, parallel)?;
        let drawn = match solve(&mut |side, part| Ok(stream.put(side, part)?))? {
            Err(SolveError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                self.observer.note(&format!("{error}; the work on {} is begun again", class.name()));
                drop(stream);
                self.clear_work(class, metric)?;
                return self.solve(class, metric, parallel);
            }
            drawn => drawn.map_err(solve_error)?,
        };
        let (table, summary) = stream.finish(&drawn)?;
        self.publish(class, metric, table, start, longest_of(&summary))?;
        Ok(None)
    }

    /// Who wins the positions of a class without a limit: what distances to conversion are held against, and what tells apart what
    /// a limit makes draws.
    fn without_limit(&self, class: &Arc<Class>, metric: Metric) -> Result<Option<Known>, GenerateError> {
        if metric != Metric::Dtc {
            return Ok(None);
        }
        let solved = self.solved.get(class.material(), Metric::Dtw);
        Ok(Some(match solved {
            Some(solved) => Known::Solved(solved),
            None => {
                let table = self.tablebase.table(class)?;
                // Only this class holds it: a map counts as memory as long as it is there.
                self.tablebase.close_tables();
                Known::Table(table)
            }
        }))
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
        self.clear_work(class, metric)?;
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
        drop(table);
        self.tablebase.close_tables();
        self.publish(class, Metric::Wdl, thin, start, 0)
    }

    /// Sees to it that the table with the distances of a class is there.
    fn distances(&self, class: &Arc<Class>) -> Result<(), GenerateError> {
        if self.solved.get(class.material(), Metric::Dtw).is_some() || self.tablebase.table(class).is_ok() {
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

    /// The folder for files of a class while it is solved.
    fn work_folder(&self, class: &Class, metric: Metric) -> PathBuf {
        let folder = match &self.request.spill.folder {
            Some(folder) => folder.join(self.catalog.rules().folder_name()),
            None => self.tablebase.rules_folder().join(".work"),
        };
        match (metric, self.catalog.rules().quiet_limit()) {
            (Metric::Dtc, limit) => folder.join(format!("{}.dtc{}", class.name(), limit.unwrap_or(0))),
            _ => folder.join(class.name()),
        }
    }

    /// Removes the files of the work on a class whose table is done, and the folder around them if nothing else is in it.
    fn clear_work(&self, class: &Class, metric: Metric) -> Result<(), GenerateError> {
        let work = self.work_folder(class, metric);
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

    /// Proves a table that has no name yet.
    fn verify(&self, class: &Arc<Class>, metric: Metric, file: &Path) -> Result<(), GenerateError> {
        let tablebase = Tablebase::at(&self.request.folder, self.catalog.clone(), CHECKER_CACHE_BYTES);
        tablebase.use_file(file, class, metric)?;
        let options = CheckOptions::default();
        let (sound, wrong, first) = match metric {
            Metric::Wdl => {
                let report = check_wdl_table(&tablebase, class, &options, &Stopper(self))?;
                (report.is_sound(), report.wrong, report.faults.first().map(|fault| fault.fen.clone()))
            }
            Metric::Dtc => {
                let report = check_dtc_table(&tablebase, class, &options, &Stopper(self))?;
                (report.is_sound(), report.wrong, report.faults.first().map(|fault| fault.fen.clone()))
            }
            _ => {
                let report = check_table(&tablebase, class, &options, &Stopper(self))?;
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

/// The metric that a class is solved with for a table of another one: tables without distances are made from those with them.
fn solved_as(metric: Metric) -> Metric {
    if metric == Metric::Wdl { Metric::Dtw } else { metric }
}

/// Who wins the positions of a class without a limit.
enum Known {
    Solved(Arc<Solved>),
    Table(Arc<Table>),
}

impl Known {
    /// Tells spoilt wins and saved losses from other draws in values with one side to move, whose numbers begin with `first`.
    fn tell(
        &self,
        class: &Class,
        side: Side,
        first: u64,
        part: &mut SideCodes,
        limited: bool,
    ) -> Result<(), GenerateError> {
        let distances = match self {
            Known::Solved(solved) => Distances::Solved(solved),
            Known::Table(table) => Distances::Table(table),
        };
        let known = distances.codes(side, first..first + part.bytes().len() as u64)?;
        if part.tell_spoilt(class.index(), first, &known, limited) {
            return Ok(());
        }
        Err(GenerateError::Contradiction { class: class.name().to_owned() })
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

impl CheckObserver for Stopper<'_, '_> {
    fn advanced(&self, _positions: u64) {}

    fn stop(&self) -> bool {
        self.0.stopped()
    }
}
