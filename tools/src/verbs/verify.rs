//! `verify`: proves tables right.

use super::stock::{in_order, present, status_of, stored};
use crate::context::{Context, materials};
use crate::error::{Code, Failure, code_of, say, words_of};
use crate::interrupt;
use crate::number::{count, float, whole};
use crate::output::records::{CountFault, Fault, ForeignTables, MadeFor, TableStatus, Verdict, Verified};
use crate::output::{json, verify as text, words};
use crate::progress::Progress;
use crate::terms::{METRICS, main_metric};
use dsq_solver::checker::{self, Against, CheckObserver, CheckOptions, Sample, SummaryFault, check_table};
use dsq_tables::class::Class;
use dsq_tables::material::Material;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::{Metric, Score};
use std::io::Write;
use std::sync::Arc;

/// How many positions a second a thread checks, about; only to guess the time until the first ones are.
const SPEED: f64 = 5e7;
/// The same of a sample, whose positions are looked at one by one.
const SAMPLE_SPEED: f64 = 5e6;

/// About how long it takes to check so many stored positions, in seconds.
pub fn guess_seconds(positions: u64) -> f64 {
    float(positions) / (SPEED * float(whole(rayon::current_num_threads())))
}

/// What is asked.
pub struct Request {
    /// Materials whose tables are checked.
    pub materials: Vec<String>,
    /// The tables up to so many pieces that are there, besides those; without materials and a number all that are there.
    pub pieces: Option<u8>,
    /// What is checked of each.
    pub what: What,
}

/// What is checked of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Only its checksums.
    Checksums,
    /// Its checksums, and the values of some positions.
    Sample {
        /// How many.
        positions: u64,
        /// Which ones.
        seed: u64,
    },
    /// Its checksums, and the values of all positions.
    Everything,
}

impl What {
    /// The word of JSON.
    const fn name(self) -> &'static str {
        match self {
            What::Checksums => "checksums",
            What::Sample { .. } => "sample",
            What::Everything => "full",
        }
    }
}

/// Checks tables one after the other.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let materials = materials(&rules, &request.materials)?;
    let tables = context.some_tables(&rules)?;
    let classes = chosen(&tables, &materials, request.pieces);
    if classes.is_empty() {
        let pieces = request.pieces.unwrap_or_default();
        return Err(Failure::Said(Code::Missing, format!("no table of up to {pieces} pieces to verify")));
    }
    interrupt::watch(|| {})?;
    let kind = request.what.name();
    let (most, speed) = match request.what {
        What::Sample { positions, .. } => (positions, SAMPLE_SPEED),
        What::Checksums | What::Everything => (u64::MAX, SPEED),
    };
    let watcher = Watcher { progress: Progress::new(context.progress()) };
    let positions = classes.iter().map(|class| stored(&class.0).min(most));
    let positions = positions.fold(0, u64::saturating_add);
    let done = |index: usize| format!("{index} of {}", count(whole(classes.len()), "table"));
    if request.what != What::Checksums {
        watcher.progress.begin(positions, float(positions) / speed, done(0));
    }
    let mut worst = Code::Done;
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut foreign: Vec<ForeignTables> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for (index, (class, metric)) in classes.iter().enumerate() {
        watcher.progress.count(done(index));
        watcher.progress.at_work(class.name().to_owned());
        let outcome = check(&tables, class, *metric, request.what, &watcher);
        if interrupt::asked() {
            let (made, left) = (count(whole(index), "table"), whole(classes.len() - index));
            return Err(Failure::Said(Code::Stopped, format!("stopped: {made} checked, {left} not")));
        }
        worst = worst.max(match &outcome {
            Ok(checked) if checked.is_sound() => Code::Done,
            Ok(_) => Code::Faults,
            Err(error) => code_of(error),
        });
        let verdict = verdict(&tables, class, *metric, &outcome);
        verdicts.push(verdict);
        let made_for = outcome.as_ref().err().and_then(MadeFor::of).filter(|_| verdict == Verdict::Foreign);
        let failed = outcome.as_ref().err().map(words_of);
        let record = record(tables.rules().name(), class, *metric, kind, verdict, outcome);
        let printed = watcher.progress.suspend(|| {
            let printed = match &made_for {
                _ if context.json() => json(out, &record),
                // Tables of other rules are mostly all of a folder; they are reported together.
                Some(_) => Ok(()),
                None => text::print(out, &record),
            };
            printed.and_then(|()| out.flush())
        });
        printed?;
        match (&made_for, failed) {
            (Some(made_for), _) => ForeignTables::add(&mut foreign, made_for),
            // One damaged table keeps all those from being checked that rest on it; once is enough to hear of it.
            (None, Some(words)) if !said.contains(&words) => {
                watcher.progress.say(&words);
                said.push(words);
            }
            (None, _) => {}
        }
    }
    drop(watcher);
    if !context.json() {
        text::print_end(out, kind, &verdicts)?;
    }
    out.flush()?;
    for group in &foreign {
        say(words::foreign(group));
    }
    if worst == Code::Faults {
        let wrong = verdicts.iter().filter(|&&verdict| verdict != Verdict::Right).count();
        say(format_args!("{} not right", count(whole(wrong), "table")));
    }
    Ok(worst)
}

/// The tables to check, those first on which others rest. Of each class that is asked for all tables that are there, that with
/// distances first; if there is none, that with distances, which is missing.
fn chosen(tables: &Tablebase, materials: &[Material], pieces: Option<u8>) -> Vec<(Arc<Class>, Metric)> {
    let members = materials.iter().filter_map(|&material| tables.catalog().member(material));
    let mut classes: Vec<Arc<Class>> = members.map(|member| member.class().clone()).collect();
    let all = materials.is_empty() || pieces.is_some();
    let most = pieces.map_or(usize::MAX, usize::from);
    let there = METRICS.map(|metric| (metric, present(tables, metric)));
    for (_, present) in &there {
        classes.extend(present.iter().filter(|class| all && class.material().count() <= most).cloned());
    }
    in_order(&mut classes);
    classes.dedup_by_key(|class| class.material());
    let mut chosen = Vec::new();
    for class in classes {
        let material = class.material();
        let is_there = |present: &[Arc<Class>]| present.iter().any(|class| class.material() == material);
        let metrics = there.iter().filter(|(_, present)| is_there(present));
        let mut metrics: Vec<Metric> = metrics.map(|&(metric, _)| metric).collect();
        if metrics.is_empty() {
            metrics.push(main_metric());
        }
        chosen.extend(metrics.into_iter().map(|metric| (class.clone(), metric)));
    }
    chosen
}

/// What a check came to.
#[derive(Default)]
struct Checked {
    /// What the values were compared with, if that is not always the same.
    against: Option<&'static str>,
    positions: u64,
    wrong: u64,
    faults: Vec<Fault>,
    summary_faults: Vec<SummaryFault>,
}

impl Checked {
    fn is_sound(&self) -> bool {
        self.wrong == 0 && self.summary_faults.is_empty()
    }
}

/// Checks a table; nothing but its checksums if only those are asked for.
fn check(
    tables: &Tablebase,
    class: &Arc<Class>,
    metric: Metric,
    what: What,
    watcher: &Watcher,
) -> Result<Checked, TablebaseError> {
    tables.table_with(class, metric)?.check_file()?;
    let sample = match what {
        What::Checksums => return Ok(Checked::default()),
        What::Sample { positions, seed } => Some(Sample { positions, seed }),
        What::Everything => None,
    };
    let options = CheckOptions { sample, ..CheckOptions::default() };
    let report = check_table(tables, class, metric, &options, watcher)?;
    let against = metric.thinned_from().map(|source| match report.against {
        Against::Distances => source.name(),
        Against::Moves => "moves",
    });
    let fault = |fault: checker::Fault<Score>| Fault {
        position: fault.fen,
        metric,
        found: fault.found,
        expected: fault.expected,
        decided_by: fault.decided_by,
    };
    let faults = report.faults.into_iter().map(fault).collect();
    let (positions, wrong, summary_faults) = (report.positions, report.wrong, report.summary_faults);
    Ok(Checked { against, positions, wrong, faults, summary_faults })
}

/// What came of the check of a table. An error can be about it or about one that it rests on.
fn verdict(tables: &Tablebase, class: &Class, metric: Metric, outcome: &Result<Checked, TablebaseError>) -> Verdict {
    let error = match outcome {
        Ok(checked) if checked.is_sound() => return Verdict::Right,
        Ok(_) => return Verdict::Wrong,
        Err(error) => error,
    };
    let about = match error {
        TablebaseError::Missing { path, .. }
        | TablebaseError::OtherRules { path, .. }
        | TablebaseError::OtherTable { path, .. } => Some(path.as_path()),
        TablebaseError::File(error) => Some(error.path()),
        _ => None,
    };
    match status_of(error) {
        _ if about != Some(tables.path_with(class, metric).as_path()) => Verdict::Unchecked,
        TableStatus::Missing => Verdict::Missing,
        TableStatus::Foreign => Verdict::Foreign,
        TableStatus::Damaged | TableStatus::Present => Verdict::Damaged,
    }
}

/// The record of a check.
fn record(
    rules: &str,
    class: &Class,
    metric: Metric,
    check: &'static str,
    status: Verdict,
    outcome: Result<Checked, TablebaseError>,
) -> Verified {
    let error = outcome.as_ref().err().map(ToString::to_string);
    let checked = outcome.unwrap_or_default();
    let count_fault = |fault: SummaryFault| CountFault {
        side_to_move: fault.side.name(),
        field: fault.field,
        found: fault.found,
        expected: fault.expected,
    };
    Verified {
        rules: rules.to_owned(),
        class: class.name().to_owned(),
        metric,
        ok: status == Verdict::Right,
        status,
        check,
        against: checked.against,
        positions: checked.positions,
        wrong: checked.wrong,
        faults: checked.faults,
        count_faults: checked.summary_faults.into_iter().map(count_fault).collect(),
        error,
    }
}

/// Shows how a check goes on.
struct Watcher {
    progress: Progress,
}

impl CheckObserver for Watcher {
    fn advanced(&self, positions: u64) {
        self.progress.advance(positions);
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}
