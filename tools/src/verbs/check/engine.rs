//! `check engine`: judges engines at work on positions of the tables.

use super::candidates::{Engines, candidates};
use crate::command_line::suggest;
use crate::context::{Context, materials};
use crate::driver::{self, Limit};
use crate::error::{Code, Failure, code_of, say, words_of_fen, words_with};
use crate::interrupt;
use crate::judge::exam::run::{Task, run as work};
use crate::judge::exam::sample::{self, Difficulty};
use crate::judge::exam::{Candidate, Game, Mode, Summary};
use crate::judge::verdict::Judge;
use crate::number::{self, count, plies, whole};
use crate::output::check::engine::{self as report, Reported};
use crate::output::check::text::Causes;
use crate::output::json;
use crate::output::records::{EngineGame, EngineMove, EngineSummary};
use crate::progress::{Progress, Shown};
use crate::target::Target;
use dsq_tables::fen::Fen;
use dsq_tables::material::Material;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is asked.
pub struct Request {
    /// The engines.
    pub engines: Engines,
    /// How long they may think, and how long they are waited for.
    pub limit: Limit,
    /// The positions.
    pub positions: Positions,
    /// Which numbers decide where chance does.
    pub seed: u64,
    /// One move in each position, or a game.
    pub mode: Mode,
    /// The most plies of a game.
    pub max_plies: u32,
    /// How many copies of an engine work at the same time.
    pub parallel: usize,
    /// How many faults of each engine are printed with their boards.
    pub faults: u32,
    /// A page to write as well.
    pub html: Option<PathBuf>,
}

/// Where the positions come from.
pub enum Positions {
    /// A file with one a line.
    File(PathBuf),
    /// They are drawn at random.
    Drawn {
        /// Of these materials.
        materials: Vec<String>,
        /// And of all with so many pieces; 3 if there are no materials.
        pieces: Option<u8>,
        /// How many.
        count: u32,
        /// Which ones.
        seed: u64,
        /// Of which kinds, in turn.
        difficulties: Vec<Difficulty>,
    },
}

/// Judges the engines, one after the other.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let candidates = candidates(&rules, &request.engines)?;
    let judge = Judge::new(context.some_tables(&rules)?);
    if let Some(limit) = rules.quiet_limit().filter(|_| !judge.is_limited()) {
        let limit = plies(limit);
        context.note(format_args!(
            "there are no tables for the draw after {limit} without a capture: the values ignore it"
        ));
    }
    let positions = positions(context, judge.tables(), &request.positions)?;
    let target = request.html.as_deref().map(Target::create).transpose()?;
    interrupt::watch(driver::end_all)?;
    let task = Task {
        judge: &judge,
        positions: &positions,
        mode: request.mode,
        limit: request.limit,
        max_plies: request.max_plies,
        seed: request.seed,
        parallel: request.parallel,
    };
    let mut run = Run { context, request, rules, summaries: Vec::new(), reported: Vec::new(), keep: target.is_some() };
    let mut stopped = false;
    for candidate in &candidates {
        stopped = run.engine(&task, candidate, out)?;
        if stopped {
            break;
        }
    }
    if let Some(code) = run.complain() {
        // There is nothing to report; what has been at the place of the page stays there.
        return Ok(code);
    }
    run.end(positions.len(), target, out)?;
    if stopped {
        let asked: u64 = run.summaries.iter().map(|summary| summary.games).sum();
        let all = whole(positions.len() * candidates.len());
        return Err(Failure::Said(Code::Stopped, format!("stopped: {asked} of {} done", count(all, "position"))));
    }
    Ok(if run.summaries.iter().any(Summary::is_faulty) { Code::Faults } else { Code::Done })
}

struct Run<'a> {
    context: &'a Context,
    request: &'a Request,
    rules: Arc<Rules>,
    summaries: Vec<Summary>,
    reported: Vec<Reported>,
    /// Whether what is reported is kept for the page.
    keep: bool,
}

impl Run<'_> {
    /// Lets an engine work. True if somebody wants the program to end.
    fn engine(&mut self, task: &Task<'_>, candidate: &Candidate, out: &mut dyn Write) -> Result<bool, Failure> {
        let mut summary = Summary::new(candidate);
        let mut shown = 0;
        let mut hidden = 0u64;
        let mut causes = Causes::default();
        // Bars would stand in the way of the faults that are printed meanwhile.
        let shown_as = if self.context.progress() == Shown::No { Shown::No } else { Shown::Lines };
        let progress = Progress::new(shown_as);
        let outcome = work(task, candidate, |game: Game| {
            summary.add(&self.rules, &game);
            progress.count(format!("{}: {} of {}", candidate.label, summary.games, task.positions.len()));
            progress.advance(0);
            for turn in &game.turns {
                if self.context.json() {
                    json(out, &EngineMove::new(&self.rules, &candidate.label, game.number, turn))?;
                }
                let Some(reported) = Reported::new(&self.rules, candidate, &game, turn) else { continue };
                if !self.context.json() && turn.is_fault() {
                    if shown < self.request.faults {
                        shown += 1;
                        report::print_reported(out, &self.rules, &reported, &mut causes)?;
                    } else {
                        hidden += 1;
                    }
                }
                if self.keep {
                    self.reported.push(reported);
                }
            }
            if self.context.json() {
                if let Some(record) = EngineGame::new(&self.rules, &candidate.label, &game) {
                    json(out, &record)?;
                }
            } else if let Some(line) = report::game_line(&candidate.label, &game) {
                writeln!(out, "{line}\n")?;
            }
            Ok::<(), Failure>(out.flush()?)
        })?;
        let stopped = outcome.stopped;
        summary.end(&self.rules, outcome);
        if hidden > 0 {
            let faults = count(hidden, if shown > 0 { "more fault" } else { "fault" });
            writeln!(out, "{}: {faults}; --faults, --json and --html show all of them\n", candidate.label)?;
        }
        self.summaries.push(summary);
        Ok(stopped)
    }

    /// Says why no engine at all was asked anything, if so.
    fn complain(&self) -> Option<Code> {
        let reasons = self.summaries.iter().map(|summary| Some((&summary.label, summary.unstarted.as_ref()?)));
        let reasons: Vec<(&String, &String)> = reasons.collect::<Option<_>>()?;
        reasons.iter().for_each(|(label, reason)| say(format_args!("{label}: {}", report::unstarted(reason))));
        (!reasons.is_empty()).then_some(Code::Bad)
    }

    /// Prints the end of the report, and writes the page.
    fn end(&mut self, positions: usize, target: Option<Target>, out: &mut dyn Write) -> Result<(), Failure> {
        let mode = self.request.mode;
        let task = report::task(&self.rules, mode, positions);
        if let Some(mut target) = target {
            let written = report::page(&mut target, &self.rules, &task, mode, &self.summaries, &self.reported);
            target.finish(written.map_err(Failure::output))?;
        }
        if self.context.json() {
            json(out, &EngineSummary::new(&self.rules, mode, positions, &self.summaries))?;
        } else {
            report::print_end(out, &task, mode, &self.summaries)?;
        }
        Ok(out.flush()?)
    }
}

/// Reads a file with one position a line.
fn read(rules: &Rules, path: &Path) -> Result<Vec<Position>, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::file(path, &error))?;
    let mut positions = Vec::new();
    for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let refuse = |words: String| Failure::bad(format_args!("{}: line {}: {words}", path.display(), number + 1));
        let Fen { position, quiet_plies, .. } =
            Fen::parse(rules, line).map_err(|error| refuse(words_of_fen(&error)))?;
        if let Some(count) = quiet_plies.filter(|&count| count > 0 && rules.quiet_limit().is_some()) {
            let words = format!("a halfmove clock of {}: every position begins with none here", plies(count));
            return Err(refuse(format!("{words}; take the clock out")));
        }
        if position.finished(rules).is_some() {
            return Err(refuse("the game is over".to_owned()));
        }
        if !position.has_move(rules) {
            return Err(refuse("there is no legal move".to_owned()));
        }
        positions.push(position);
    }
    if positions.is_empty() {
        return Err(Failure::bad(format_args!("{}: there is no position in it", path.display())));
    }
    Ok(positions)
}

/// The positions that are asked for.
fn positions(context: &Context, tables: &Tablebase, wanted: &Positions) -> Result<Vec<Position>, Failure> {
    let rules = tables.rules();
    let (typed, pieces, count, seed, difficulties) = match wanted {
        Positions::File(path) => return read(rules, path),
        Positions::Drawn { materials, pieces, count, seed, difficulties } => {
            (materials, *pieces, *count, *seed, difficulties)
        }
    };
    let mut materials = materials(rules, typed)?;
    let pieces = pieces.or(materials.is_empty().then_some(3));
    let typed: Vec<String> = materials.iter().map(|material| material.to_text(rules)).collect();
    materials.extend(pieces.map(|pieces| Material::all(rules, pieces.into())).unwrap_or_default());
    let wanted = usize::try_from(count).unwrap_or(usize::MAX);
    let positions = sample::draw(tables, &materials, difficulties, wanted, seed);
    let positions = positions.map_err(|error| match (&error, pieces) {
        // Whoever wants all materials of a size makes them all at once.
        (TablebaseError::Missing { material, .. }, Some(pieces)) if !typed.contains(material) => {
            let all = |verb: &str, _: &[&str]| suggest(verb, &["--pieces", &pieces.to_string()]);
            Failure::Said(code_of(&error), words_with(&error, &all))
        }
        _ => error.into(),
    })?;
    if positions.is_empty() {
        return Err(Failure::bad("--difficulty: no such position was found among many that were drawn"));
    }
    if positions.len() < wanted {
        let found = number::count(whole(positions.len()), "position");
        context.note(format_args!("--difficulty: only {found} of {wanted} found among many that were drawn"));
    }
    Ok(positions)
}
