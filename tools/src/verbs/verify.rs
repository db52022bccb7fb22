//! `verify`: proves tables right.

use super::list::present;
use crate::cli::Verify as Args;
use crate::context::{Context, materials};
use crate::error::{Code, Failure, code_of, say, words_of};
use crate::interrupt;
use crate::output::number::{count, float, whole};
use crate::output::records::{CountFault, Fault, Verified};
use crate::output::{json, verify as text};
use crate::progress::Progress;
use dsq_solver::checker::{CheckObserver, CheckOptions, CheckReport, Sample, check_table};
use dsq_tables::class::Class;
use dsq_tables::material::Material;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use std::io::Write;
use std::sync::Arc;

/// How many positions a second are checked, about; only to guess the time until the first ones are.
const SPEED: f64 = 5e7;
/// The same of a sample, whose positions are looked at one by one.
const SAMPLE_SPEED: f64 = 5e6;

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
    let watcher = Watcher { progress: Progress::new(context.shows_progress()) };
    let positions = classes.iter().map(|class| size(class).min(args.sample.unwrap_or(u64::MAX)));
    let positions = positions.fold(0, u64::saturating_add);
    if !args.checksums {
        let speed = if args.sample.is_some() { SAMPLE_SPEED } else { SPEED };
        watcher.progress.begin(positions, float(positions) / speed);
    }
    let (mut worst, mut sound) = (Code::Done, 0u64);
    let mut said: Vec<String> = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        watcher.progress.count(format!("{index} of {}", count(whole(classes.len()), "table")));
        watcher.progress.at_work(class.name().to_owned());
        let outcome = check(&tables, class, args, &watcher);
        if interrupt::asked() {
            return Err(Failure::Said(Code::Stopped, "stopped; the other tables are not checked".to_owned()));
        }
        let code = match &outcome {
            Ok(None) => Code::Done,
            Ok(Some(report)) if report.is_sound() => Code::Done,
            Ok(Some(_)) => Code::Faults,
            Err(error) => code_of(error),
        };
        worst = worst.max(code);
        sound += u64::from(code == Code::Done);
        let record = record(tables.rules().name(), class, kind, &outcome);
        let printed = watcher.progress.suspend(|| {
            let printed = if context.json() { json(out, &record) } else { text::print(out, &record) };
            printed.and_then(|()| out.flush())
        });
        printed?;
        if let Err(error) = &outcome {
            // One damaged table keeps all those from being checked that rest on it; once is enough to hear of it.
            let words = words_of(error);
            if !said.contains(&words) {
                watcher.progress.say(&words);
                said.push(words);
            }
        }
    }
    drop(watcher);
    let all = whole(classes.len());
    if !context.json() {
        text::print_end(out, kind, sound, all)?;
    }
    if worst == Code::Faults {
        out.flush()?;
        say(format_args!("{} not right", count(all - sound, "table")));
    }
    Ok(worst)
}

/// The classes to check, those first on which others rest.
fn chosen(tables: &Tablebase, materials: &[Material], pieces: Option<u8>) -> Vec<Arc<Class>> {
    let members = materials.iter().filter_map(|&material| tables.catalog().member(material));
    let mut classes: Vec<Arc<Class>> = members.map(|member| member.class().clone()).collect();
    if materials.is_empty() || pieces.is_some() {
        let most = pieces.map_or(usize::MAX, usize::from);
        classes.extend(present(tables).into_iter().filter(|class| class.material().count() <= most));
    }
    classes.sort_by_key(|class| (class.material().count(), class.index().size(), class.name().to_owned()));
    classes.dedup_by_key(|class| class.material());
    classes
}

/// How many positions the table of a class holds.
fn size(class: &Class) -> u64 {
    class.index().size().saturating_mul(whole(class.sides()))
}

/// Checks a table; nothing but its checksums if only those are asked for.
fn check(
    tables: &Tablebase,
    class: &Arc<Class>,
    args: &Args,
    watcher: &Watcher,
) -> Result<Option<CheckReport>, TablebaseError> {
    tables.table(class)?.check_file()?;
    if args.checksums {
        return Ok(None);
    }
    let sample = args.sample.map(|positions| Sample { positions, seed: args.seed });
    let options = CheckOptions { sample, ..CheckOptions::default() };
    check_table(tables, class, &options, watcher).map(Some)
}

fn record(
    rules: &str,
    class: &Class,
    check: &'static str,
    outcome: &Result<Option<CheckReport>, TablebaseError>,
) -> Verified {
    let report = outcome.as_ref().ok().and_then(Option::as_ref);
    let faults = report.map(|report| &report.faults).into_iter().flatten();
    let count_faults = report.map(|report| &report.summary_faults).into_iter().flatten();
    Verified {
        rules: rules.to_owned(),
        class: class.name().to_owned(),
        ok: outcome.is_ok() && report.is_none_or(CheckReport::is_sound),
        check,
        positions: report.map_or(0, |report| report.positions),
        wrong: report.map_or(0, |report| report.wrong),
        faults: faults
            .map(|fault| Fault {
                position: fault.fen.clone(),
                value: fault.found.name(),
                dtw_plies: fault.found.plies(),
                expected_value: fault.expected.name(),
                expected_dtw_plies: fault.expected.plies(),
                decided_by: fault.decided_by.clone(),
            })
            .collect(),
        count_faults: count_faults
            .map(|fault| CountFault {
                side_to_move: fault.side.name(),
                field: fault.field,
                found: fault.found.clone(),
                expected: fault.expected.clone(),
            })
            .collect(),
        error: outcome.as_ref().err().map(ToString::to_string),
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
