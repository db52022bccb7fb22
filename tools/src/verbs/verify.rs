//! `verify`: proves tables right.

use super::list::{in_order, present, status_of, stored};
use crate::cli::Verify as Args;
use crate::context::{Context, materials};
use crate::error::{Code, Failure, code_of, say, words_of};
use crate::interrupt;
use crate::output::number::{float, whole};
use crate::output::records::{CountFault, Fault, ForeignTables, MadeFor, TableStatus, Verdict, Verified};
use crate::output::words::count;
use crate::output::{json, verify as text, words};
use crate::progress::Progress;
use dsq_solver::checker::{self, Against, CheckObserver, CheckOptions, Report, Sample, SummaryFault, check_table};
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

/// Checks tables one after the other.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let materials = materials(&rules, &args.materials)?;
    let tables = context.some_tables(&rules)?;
    let classes = chosen(&tables, &materials, args.pieces);
    if classes.is_empty() {
        let pieces = args.pieces.unwrap_or_default();
        return Err(Failure::Said(Code::Missing, format!("no table of up to {pieces} pieces to verify")));
    }
    interrupt::watch()?;
    let kind = match () {
        () if args.checksums => "checksums",
        () if args.sample.is_some() => "sample",
        () => "full",
    };
    let watcher = Watcher { progress: Progress::new(context.progress()) };
    let positions = classes.iter().map(|class| stored(&class.0).min(args.sample.unwrap_or(u64::MAX)));
    let positions = positions.fold(0, u64::saturating_add);
    let done = |index: usize| format!("{index} of {}", count(whole(classes.len()), "table"));
    if !args.checksums {
        let speed = if args.sample.is_some() { SAMPLE_SPEED } else { SPEED };
        watcher.progress.begin(positions, float(positions) / speed, done(0));
    }
    let mut worst = Code::Done;
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut foreign: Vec<ForeignTables> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for (index, (class, metric)) in classes.iter().enumerate() {
        watcher.progress.count(done(index));
        watcher.progress.at_work(class.name().to_owned());
        let outcome = check(&tables, class, *metric, args, &watcher);
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
        let record = record(tables.rules().name(), class, *metric, kind, verdict, &outcome);
        let printed = watcher.progress.suspend(|| {
            let printed = match &made_for {
                _ if context.json() => json(out, &record),
                // Tables of other rules are mostly all of a folder; they are told about together.
                Some(_) => Ok(()),
                None => text::print(out, &record),
            };
            printed.and_then(|()| out.flush())
        });
        printed?;
        match (&made_for, &outcome) {
            (Some(made_for), _) => ForeignTables::add(&mut foreign, made_for),
            (None, Err(error)) => {
                // One damaged table keeps all those from being checked that rest on it; once is enough to hear of it.
                let words = words_of(error);
                if !said.contains(&words) {
                    watcher.progress.say(&words);
                    said.push(words);
                }
            }
            (None, Ok(_)) => {}
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
    let mut there: [Vec<Material>; Metric::ALL.len()] = Default::default();
    for (there, metric) in there.iter_mut().zip(Metric::ALL) {
        let present = present(tables, metric);
        there.extend(present.iter().map(|class| class.material()));
        classes.extend(present.into_iter().filter(|class| all && class.material().count() <= most));
    }
    in_order(&mut classes);
    classes.dedup_by_key(|class| class.material());
    let mut chosen = Vec::new();
    for class in classes {
        let material = class.material();
        let metrics = Metric::ALL.into_iter().zip(&there).filter(|(_, there)| there.contains(&material));
        let metrics: Vec<Metric> = metrics.map(|(metric, _)| metric).collect();
        let metrics = if metrics.is_empty() { vec![Metric::Dtw] } else { metrics };
        chosen.extend(metrics.into_iter().map(|metric| (class.clone(), metric)));
    }
    chosen
}

/// What a check came to.
enum Checked {
    /// Only the checksums.
    Checksums,
    /// All values, or a sample.
    Values(Report<Score>),
}

impl Checked {
    fn is_sound(&self) -> bool {
        match self {
            Checked::Checksums => true,
            Checked::Values(report) => report.is_sound(),
        }
    }
}

/// Checks a table; nothing but its checksums if only those are asked for.
fn check(
    tables: &Tablebase,
    class: &Arc<Class>,
    metric: Metric,
    args: &Args,
    watcher: &Watcher,
) -> Result<Checked, TablebaseError> {
    tables.table_with(class, metric)?.check_file()?;
    if args.checksums {
        return Ok(Checked::Checksums);
    }
    let sample = args.sample.map(|positions| Sample { positions, seed: args.seed });
    let options = CheckOptions { sample, ..CheckOptions::default() };
    check_table(tables, class, metric, &options, watcher).map(Checked::Values)
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

fn record(
    rules: &str,
    class: &Class,
    metric: Metric,
    check: &'static str,
    status: Verdict,
    outcome: &Result<Checked, TablebaseError>,
) -> Verified {
    let mut record = Verified {
        rules: rules.to_owned(),
        class: class.name().to_owned(),
        metric: metric.name(),
        ok: status == Verdict::Right,
        status,
        check,
        against: None,
        positions: 0,
        wrong: 0,
        faults: Vec::new(),
        count_faults: Vec::new(),
        error: outcome.as_ref().err().map(ToString::to_string),
    };
    let count_faults = |faults: &[SummaryFault]| -> Vec<CountFault> {
        let record = |fault: &SummaryFault| CountFault {
            side_to_move: fault.side.name(),
            field: fault.field,
            found: fault.found.clone(),
            expected: fault.expected.clone(),
        };
        faults.iter().map(record).collect()
    };
    let Ok(Checked::Values(report)) = outcome else { return record };
    record.positions = report.positions;
    record.wrong = report.wrong;
    record.against = metric.thinned_from().map(|source| match report.against {
        Against::Distances => source.name(),
        Against::Moves => "moves",
    });
    record.faults = report.faults.iter().map(|fault| fault_of(metric, fault)).collect();
    record.count_faults = count_faults(&report.summary_faults);
    record
}

/// A wrong value in a table of a metric.
fn fault_of(metric: Metric, fault: &checker::Fault<Score>) -> Fault {
    let (found, expected) = (fault.found, fault.expected);
    let values = Fault {
        value: found.outcome.name(),
        expected_value: expected.outcome.name(),
        ..Fault::at(fault.fen.clone(), fault.decided_by.clone())
    };
    match metric {
        Metric::Dtw => Fault { dtw_plies: found.plies, expected_dtw_plies: expected.plies, ..values },
        Metric::Wdl => values,
        Metric::Dtc => Fault { dtc_plies: Some(found.plies), expected_dtc_plies: Some(expected.plies), ..values },
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
