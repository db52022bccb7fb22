//! A run: all tables of a plan, those with fewer pieces first.

use super::cache::SolvedCache;
use super::error::GenerateError;
use super::folder::{check_room, lock, remove_leftovers};
use super::plan::{PlannedTable, plan};
use super::report::{Observer, Report};
use super::request::Request;
use super::table::Maker;
use crate::buffer_pool::BufferPool;
use dsq_tables::class::Catalog;
use dsq_tables::tablebase::Tablebase;
use rayon::prelude::*;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

/// Decoded blocks of tables that are kept for single positions.
const BLOCK_CACHE_BYTES: u64 = 64 << 20;

/// Makes what is missing. A second run in the same folder waits until the first one has ended.
///
/// # Errors
/// [`GenerateError`]; the tables made until then stay.
pub fn run(catalog: &Arc<Catalog>, request: &Request, observer: &dyn Observer) -> Result<Report, GenerateError> {
    let plan = plan(catalog, request)?;
    let tablebase = Tablebase::at(&request.folder, catalog.clone(), BLOCK_CACHE_BYTES);
    let folder = tablebase.rules_folder();
    if let Some(work) = request.spill.folder.as_ref().filter(|work| work.exists() && !work.is_dir()) {
        let cause = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(GenerateError::Io { path: work.clone(), action: "keep the files of the work in it", cause });
    }
    check_room(&plan, &folder, request.spill.folder.as_deref())?;
    let complete = plan.tables.iter().all(|table| table.present);
    let lock = match lock(&folder, observer) {
        Ok(lock) => Some(lock),
        // Where nothing has to be written, a folder that cannot be written to will do.
        Err(GenerateError::Io { .. }) if complete => None,
        Err(error) => return Err(error),
    };
    if lock.is_some() {
        remove_leftovers(&folder, observer)?;
    }
    observer.planned(&plan);
    let maker = Maker {
        catalog,
        request,
        observer,
        tablebase,
        plan: &plan,
        pool: BufferPool::new(),
        solved: SolvedCache::new(plan.limits.cache()),
        most_pieces: plan.tables.last().map_or(0, PlannedTable::pieces),
        report: Mutex::default(),
        halt: AtomicBool::new(false),
    };
    let same_level = |one: &PlannedTable, next: &PlannedTable| one.pieces() == next.pieces();
    for level in plan.tables.chunk_by(same_level) {
        for tables in level.chunk_by(|one, next| one.metric == next.metric) {
            make_all(&maker, tables)?;
        }
        // A capture takes one piece, so the next level needs this one only.
        maker.solved.forget_below(level[0].pieces());
    }
    Ok(maker.report.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Tables with the same number of pieces and the same metric: small ones side by side, large ones one after the other.
fn make_all(maker: &Maker<'_>, tables: &[PlannedTable]) -> Result<(), GenerateError> {
    let (large, small): (Vec<&PlannedTable>, Vec<&PlannedTable>) = tables.iter().partition(|table| table.is_large());
    let only_one = small.len() == 1;
    let make = |table: &&PlannedTable| {
        let made = if maker.stopped() { Err(GenerateError::Stopped) } else { maker.make(table, only_one) };
        if made.is_err() {
            maker.halt.store(true, Ordering::Relaxed);
        }
        made
    };
    let results: Vec<Result<(), GenerateError>> = small.par_iter().with_max_len(1).map(make).collect();
    // What went wrong first matters, not that others were stopped because of it.
    let (stopped, failed): (Vec<_>, Vec<_>) =
        results.into_iter().filter_map(Result::err).partition(|error| matches!(error, GenerateError::Stopped));
    if let Some(error) = failed.into_iter().chain(stopped).next() {
        return Err(error);
    }
    one_after_the_other(maker, &large)
}

/// Large tables. While one is solved the one before it is compressed and written, if the memory allows it: parts of the
/// work on either keep only one thread busy.
fn one_after_the_other(maker: &Maker<'_>, tables: &[&PlannedTable]) -> Result<(), GenerateError> {
    std::thread::scope(|scope| {
        let mut before: Option<(u64, ScopedJoinHandle<'_, Result<(), GenerateError>>)> = None;
        for table in tables {
            let needed = table.workspace.memory_bytes;
            let too_much = |(bytes, _): &mut (u64, _)| {
                maker.request.verify || needed.saturating_add(*bytes) > maker.plan.limits.work()
            };
            if let Some((_, writing)) = before.take_if(too_much) {
                joined(writing)?;
            }
            let solved = maker.solve(table, true);
            if let Some((_, writing)) = before.take() {
                joined(writing)?;
            }
            if let Some(unwritten) = solved? {
                let bytes = unwritten.memory();
                before = Some((bytes, scope.spawn(move || maker.write(unwritten, true))));
            }
        }
        before.map_or(Ok(()), |(_, writing)| joined(writing))
    })
}

/// What a thread has returned; a panic goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
