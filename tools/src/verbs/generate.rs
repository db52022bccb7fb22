//! `generate`: solves materials and writes their tables.

use super::verify;
use crate::command_line;
use crate::context::{Context, materials};
use crate::error::{Code, Failure, code_of, words_of};
use crate::interrupt;
use crate::member;
use crate::number::{bytes, count, duration, float, plies, rounded, whole};
use crate::output::records::{Estimate, Generated};
use crate::output::{generate as text, json};
use crate::progress::Progress;
use dsq_solver::generate::{self, GenerateError, Observer, Plan, SpillRequest, TableReport, machine};
use dsq_solver::write::Encoding;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class, Member};
use dsq_tables::format::Longest;
use dsq_tables::material::Material;
use dsq_tables::tablebase::{DEFAULT_CACHE_BYTES, Tablebase};
use dsq_tables::value::Metric;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// All materials of up to so many pieces if nothing else is asked for.
const PIECES: u8 = 3;

/// What is asked.
pub struct Request {
    /// Materials; with `pieces` those besides.
    pub materials: Vec<String>,
    /// All materials of up to so many pieces.
    pub pieces: Option<u8>,
    /// What the tables hold.
    pub metric: Metric,
    /// How they are compressed.
    pub profile: Profile,
    /// Whether only an estimate is wanted.
    pub estimate: bool,
    /// How many bytes of memory may be used, if that is said.
    pub memory: Option<u64>,
    /// Whether distances are kept in files even where they fit in memory.
    pub spill: bool,
    /// The folder of those files; none for that of the tables.
    pub spill_folder: Option<PathBuf>,
    /// The time between two checkpoints; none for what costs little.
    pub checkpoint_every: Option<Duration>,
    /// Whether tables are verified before they get their names.
    pub verify: bool,
}

/// How tables are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Quick to make, small, quick to read.
    Balanced,
    /// Small blocks for programs that ask for single positions.
    Server,
    /// The smallest, slow to make.
    Archive,
}

impl From<Profile> for Encoding {
    fn from(profile: Profile) -> Encoding {
        match profile {
            Profile::Balanced => Encoding::default(),
            Profile::Server => Encoding::SERVER,
            Profile::Archive => Encoding::ARCHIVE,
        }
    }
}

/// Solves what is asked and everything it needs, or says what that would take.
pub fn run(context: &Context, asked: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let catalog = Arc::new(Catalog::new(context.rules()?));
    let named = materials(catalog.rules(), &asked.materials)?;
    let request = generate::Request {
        classes: classes(&catalog, &named, asked.pieces),
        folder: context.folder().to_owned(),
        verify: asked.verify,
        memory: asked.memory,
        encoding: asked.profile.into(),
        spill: SpillRequest {
            always: asked.spill,
            folder: asked.spill_folder.clone(),
            checkpoint_every: asked.checkpoint_every,
        },
        metric: asked.metric,
    };
    if asked.estimate {
        let record = estimate(context, &catalog, request)?;
        if context.json() {
            json(out, &record)?;
        } else {
            text::print_estimate(out, &record)?;
        }
    } else {
        let record = solve(context, &catalog, &request, named.first().copied())?;
        if context.json() {
            json(out, &record)?;
        } else {
            text::print(out, &record)?;
        }
    }
    Ok(Code::Done)
}

/// The classes of some materials, and all up to a number of pieces; if nothing is asked for, those up to [`PIECES`].
fn classes(catalog: &Catalog, materials: &[Material], pieces: Option<u8>) -> Vec<Arc<Class>> {
    let members = materials.iter().filter_map(|&material| catalog.member(material));
    let mut classes: Vec<Arc<Class>> = members.map(|member| member.class().clone()).collect();
    let pieces = pieces.or(classes.is_empty().then_some(PIECES));
    for pieces in 2..=pieces.unwrap_or(0) {
        classes.extend(catalog.classes(pieces.into()));
    }
    classes
}

/// What a run would take. Nothing is written.
fn estimate(context: &Context, catalog: &Arc<Catalog>, mut request: generate::Request) -> Result<Estimate, Failure> {
    let limit = request.memory.or_else(machine::default_memory_limit);
    let plan = match generate::plan(catalog, &request) {
        Err(GenerateError::TooLarge { .. }) => {
            // What does not fit is still worth an estimate.
            request.memory = Some(u64::MAX);
            generate::plan(catalog, &request)
        }
        plan => plan,
    };
    let plan = plan.map_err(failure)?;
    let missing = || plan.tables.iter().filter(|table| !table.present);
    Ok(Estimate {
        rules: catalog.rules().name().to_owned(),
        folder: rules_folder(context, catalog),
        tables: whole(missing().count()),
        present: whole(plan.tables.len() - missing().count()),
        positions: missing().fold(0, |sum, table| sum.saturating_add(table.positions)),
        stored_positions: missing().fold(0, |sum, table| sum.saturating_add(table.stored)),
        bytes: plan.disk_bytes,
        work_bytes: plan.work_bytes,
        free_bytes: machine::free_space(context.folder()),
        memory_bytes: plan.memory_bytes,
        seconds: plan.measured_seconds(catalog, request.encoding),
        verify_seconds: request
            .verify
            .then(|| verify::guess_seconds(missing().fold(0, |sum, table| sum.saturating_add(table.stored)))),
        memory_limit_bytes: limit,
    })
}

/// Solves; `named` is the first material that was asked for by name.
fn solve(
    context: &Context,
    catalog: &Arc<Catalog>,
    request: &generate::Request,
    named: Option<Material>,
) -> Result<Generated, Failure> {
    interrupt::watch(|| {})?;
    let watcher = Watcher::new(context);
    let start = Instant::now();
    let result = generate::run(catalog, request, &watcher);
    let seconds = start.elapsed().as_secs_f64();
    let state = watcher.end();
    let report = result.map_err(|error| match error {
        GenerateError::Stopped if state.all > 0 => Failure::Said(Code::Stopped, stopped(&state)),
        error => failure(error),
    })?;
    // Tables made side by side take more time together than has passed; it is shared out as theirs is.
    let verify_seconds = seconds * state.verify_seconds / (state.solve_seconds + state.verify_seconds).max(1e-9);
    let solve_seconds = seconds - verify_seconds;
    Ok(Generated {
        rules: catalog.rules().name().to_owned(),
        folder: rules_folder(context, catalog),
        made: whole(report.made),
        kept: whole(report.kept),
        positions: report.positions,
        bytes: report.bytes,
        seconds,
        solve_seconds,
        verify_seconds,
        positions_per_second: rounded(float(report.positions) / solve_seconds.max(1e-9)),
        verified: request.verify,
        next: if context.is_quiet() { None } else { next_command(catalog, request, named) },
    })
}

/// What a run says that was stopped.
fn stopped(state: &State) -> String {
    let made = count(whole(state.done), "table");
    let left = whole(state.all - state.done);
    format!("{}; {made} made, {left} to go", GenerateError::Stopped)
}

fn rules_folder(context: &Context, catalog: &Catalog) -> String {
    context.folder().join(catalog.rules().folder_name()).display().to_string()
}

/// A command that works with the tables there are now: the longest win of the material asked for, else of the largest ones.
fn next_command(catalog: &Arc<Catalog>, request: &generate::Request, named: Option<Material>) -> Option<String> {
    let tables = Tablebase::at(&request.folder, catalog.clone(), DEFAULT_CACHE_BYTES);
    let most = request.classes.iter().map(|class| class.material().count()).max()?;
    let largest = request.classes.iter().map(|class| class.material()).filter(|material| material.count() == most);
    let materials: Vec<Material> = match named {
        Some(material) => vec![material],
        None => largest.collect(),
    };
    let mut best: Option<(Longest, Side, Member)> = None;
    for member in materials.into_iter().filter_map(|material| catalog.member(material)) {
        // A table that cannot be opened is not one to suggest.
        let Ok(table) = tables.table_with(member.class(), request.metric) else { continue };
        for side in Side::BOTH {
            let summary = member::summary(&table, &member, side);
            let longest = summary.longest_win.or(summary.longest_loss).unwrap_or(Longest { plies: 0, position: 0 });
            if best.as_ref().is_none_or(|(known, ..)| longest.plies > known.plies) {
                best = Some((longest, side, member.clone()));
            }
        }
    }
    let (longest, side, member) = best?;
    let fen = member::fen(catalog.rules(), &member, side, longest.position)?;
    // Without distances there is no line of best play.
    let words: &[&str] = if request.metric.has_distances() { &[&fen, "--line"] } else { &[&fen] };
    Some(command_line::suggest("probe", words))
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
    /// The times of all tables added up.
    solve_seconds: f64,
    verify_seconds: f64,
}

impl State {
    fn count(&self) -> String {
        format!("{} of {}", self.done, count(whole(self.all), "table"))
    }
}

impl Watcher<'_> {
    fn new(context: &Context) -> Watcher<'_> {
        let progress = Progress::new(context.progress());
        Watcher { context, progress, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what was shown away; what is left is how far the run has come.
    fn end(self) -> State {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &State) {
        self.progress.count(state.count());
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
        let positions = missing().fold(0, |sum: u64, table| sum.saturating_add(table.positions));
        let mut state = self.state();
        state.all = missing().count();
        if state.all > 0 {
            self.progress.begin(positions, plan.guessed_seconds(), state.count());
        }
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
            state.solve_seconds += report.seconds;
            state.verify_seconds += report.verify_seconds;
            // A damaged table was there when the plan was made.
            state.all = state.all.max(state.done);
            self.show(&state);
        }
        self.progress.advance(report.positions);
        if self.context.is_verbose() {
            self.progress.say(format_args!(
                "{name}: {}, {}, {}, {}",
                count(report.positions, "position"),
                bytes(report.bytes),
                duration(report.seconds),
                if report.metric.has_distances() {
                    format!("longest {}", plies(report.longest_plies))
                } else {
                    report.metric.descriptor().counts.to_owned()
                }
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
        GenerateError::Contradiction { .. } => Code::Damaged,
        GenerateError::Table(error) => return Failure::Said(code_of(error), words_of(error)),
        GenerateError::Foreign(cause) => code_of(cause),
        GenerateError::TooLarge { .. }
        | GenerateError::NoRoom { .. }
        | GenerateError::Io { .. }
        | GenerateError::Write(_) => Code::Bad,
    };
    Failure::Said(code, error.to_string())
}
