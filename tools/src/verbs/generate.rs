//! `generate`: solves materials and writes their tables.

use crate::cli::Generate as Args;
use crate::command_line;
use crate::context::{Context, materials};
use crate::error::{Code, Failure, code_of, words_of};
use crate::interrupt;
use crate::output::number::{bytes, count, duration, float, rounded, whole};
use crate::output::records::{Estimate, Generated};
use crate::output::{generate as text, json, words};
use crate::progress::Progress;
use dsq_solver::encode::Encoding;
use dsq_solver::generate::{self, GenerateError, Observer, Plan, Request, TableReport};
use dsq_solver::memory;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::format::Longest;
use dsq_tables::tablebase::{DEFAULT_CACHE_BYTES, Tablebase};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// All materials of up to so many pieces if nothing else is asked for.
const PIECES: u8 = 3;

/// Solves what is asked and everything it needs, or says what that would take.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let catalog = Arc::new(Catalog::new(context.rules()?));
    let request = Request {
        classes: asked(&catalog, args)?,
        folder: context.folder().to_owned(),
        verify: args.verify,
        memory: args.memory,
        encoding: Encoding::default(),
    };
    if args.estimate { estimate(context, &catalog, request, out) } else { solve(context, &catalog, &request, out) }
}

/// The classes that are asked for.
fn asked(catalog: &Catalog, args: &Args) -> Result<Vec<Arc<Class>>, Failure> {
    let mut classes = Vec::new();
    for material in materials(catalog.rules(), &args.materials)? {
        classes.extend(catalog.member(material).map(|member| member.class().clone()));
    }
    let pieces = args.pieces.or(classes.is_empty().then_some(PIECES));
    for pieces in 2..=pieces.unwrap_or(0) {
        classes.extend(catalog.classes(pieces.into()));
    }
    Ok(classes)
}

fn estimate(
    context: &Context,
    catalog: &Arc<Catalog>,
    mut request: Request,
    out: &mut dyn Write,
) -> Result<Code, Failure> {
    // What does not fit is still worth an estimate.
    let limit = request.memory.replace(u64::MAX).or_else(memory::default_limit);
    let plan = generate::plan(catalog, &request).map_err(failure)?;
    let missing = || plan.tables.iter().filter(|table| !table.present);
    let record = Estimate {
        rules: catalog.rules().name().to_owned(),
        folder: rules_folder(context, catalog),
        tables: whole(missing().count()),
        present: whole(plan.tables.len() - missing().count()),
        positions: missing().fold(0, |sum, table| sum.saturating_add(table.positions)),
        stored_positions: missing().fold(0, |sum, table| sum.saturating_add(table.stored)),
        bytes: plan.disk_bytes,
        memory_bytes: plan.memory_bytes,
        seconds: plan.seconds,
        memory_limit_bytes: limit,
    };
    if context.json() {
        json(out, &record)?;
    } else {
        text::print_estimate(out, &record)?;
    }
    Ok(Code::Done)
}

fn solve(context: &Context, catalog: &Arc<Catalog>, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    interrupt::watch()?;
    let watcher = Watcher::new(context);
    let start = Instant::now();
    let report = generate::run(catalog, request, &watcher).map_err(failure)?;
    drop(watcher);
    let seconds = start.elapsed().as_secs_f64();
    let record = Generated {
        rules: catalog.rules().name().to_owned(),
        folder: rules_folder(context, catalog),
        made: whole(report.made),
        kept: whole(report.kept),
        positions: report.positions,
        bytes: report.bytes,
        seconds,
        positions_per_second: rounded(float(report.positions) / seconds.max(1e-9)),
        verified: request.verify,
        next: next_command(context, catalog, request),
    };
    if context.json() {
        json(out, &record)?;
    } else {
        text::print(out, &record)?;
    }
    Ok(Code::Done)
}

fn rules_folder(context: &Context, catalog: &Catalog) -> String {
    context.folder().join(catalog.rules().folder_name()).display().to_string()
}

/// A command that works with the tables there are now: the longest win among the largest ones asked for.
fn next_command(context: &Context, catalog: &Arc<Catalog>, request: &Request) -> Option<String> {
    let tables = Tablebase::at(&request.folder, catalog.clone(), DEFAULT_CACHE_BYTES);
    let most = request.classes.iter().map(|class| class.material().count()).max()?;
    let mut best: Option<(Longest, Side, &Arc<Class>)> = None;
    for class in request.classes.iter().filter(|class| class.material().count() == most) {
        // A table that cannot be opened is not one to suggest.
        let Ok(table) = tables.table(class) else { continue };
        for (side, summary) in Side::BOTH.into_iter().zip(&table.summary().sides) {
            let longest = summary.longest_win.or(summary.longest_loss).unwrap_or(Longest { plies: 0, position: 0 });
            if best.is_none_or(|(known, ..)| longest.plies > known.plies) {
                best = Some((longest, side, class));
            }
        }
    }
    let (longest, side, class) = best?;
    let fen = class.position(side, longest.position)?.to_fen(catalog.rules());
    Some(command_line::suggest("probe", &[&fen, "--line"], context.common()))
}

/// Shows how a run goes on.
struct Watcher<'a> {
    context: &'a Context,
    progress: Progress,
    state: Mutex<State>,
}

/// What is shown.
#[derive(Default)]
struct State {
    done: usize,
    all: usize,
    /// The tables at work with their plies, in the order in which they began.
    at_work: Vec<(String, u32)>,
}

impl Watcher<'_> {
    fn new(context: &Context) -> Watcher<'_> {
        let progress = Progress::new(context.shows_progress());
        Watcher { context, progress, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &State) {
        self.progress.count(format!("{} of {}", state.done, count(whole(state.all), "table")));
        let mut words = match state.at_work.first() {
            Some((class, ply)) => format!("{class}: ply {ply}"),
            None => String::new(),
        };
        if state.at_work.len() > 1 {
            words.push_str(&format!(", and {} more", state.at_work.len() - 1));
        }
        self.progress.at_work(words);
    }
}

impl Observer for Watcher<'_> {
    fn planned(&self, plan: &Plan) {
        let missing = || plan.tables.iter().filter(|table| !table.present);
        self.progress.begin(missing().fold(0, |sum, table| sum.saturating_add(table.positions)), plan.seconds);
        let mut state = self.state();
        state.all = missing().count();
        self.show(&state);
    }

    fn table_started(&self, class: &Class) {
        let mut state = self.state();
        state.at_work.push((class.name().to_owned(), 0));
        self.show(&state);
    }

    fn ply(&self, class: &Class, ply: u32) {
        let mut state = self.state();
        if let Some(entry) = state.at_work.iter_mut().find(|(name, _)| name == class.name()) {
            entry.1 = ply;
        }
        self.show(&state);
    }

    fn table_finished(&self, report: &TableReport) {
        let name = report.class.name();
        {
            let mut state = self.state();
            state.at_work.retain(|(other, _)| other != name);
            state.done += 1;
            // A damaged table was there when the plan was made.
            state.all = state.all.max(state.done);
            self.show(&state);
        }
        self.progress.advance(report.positions);
        if self.context.is_verbose() {
            self.progress.say(format_args!(
                "{name}: {}, {}, {}, longest {}",
                count(report.positions, "position"),
                bytes(report.bytes),
                duration(report.seconds),
                words::plies(report.longest_plies)
            ));
        }
    }

    fn note(&self, text: &str) {
        self.progress.suspend(|| self.context.note(text));
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

fn failure(error: GenerateError) -> Failure {
    let code = match &error {
        GenerateError::Stopped => Code::Stopped,
        GenerateError::Faulty { .. } => Code::Faults,
        GenerateError::Table(error) => return Failure::Said(code_of(error), words_of(error)),
        GenerateError::Foreign(cause) => code_of(cause),
        GenerateError::TooLarge { .. } | GenerateError::Io { .. } | GenerateError::Write(_) => Code::Bad,
    };
    Failure::Said(code, error.to_string())
}
