//! The report of `check engine`.

use super::{accuracy, html, text};
use crate::judge::exam::{Candidate, Game, Mode, Response, Summary, Turn};
use crate::judge::finding::{Finding, Source};
use crate::judge::tally::Counts;
use crate::judge::verdict::{Kind, UnderLimit, Verdict};
use crate::number::{count, duration, grouped, plies, whole};
use crate::output::board;
use crate::output::columns::{Align, Columns};
use crate::output::words::side;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// The materials with the lowest accuracy that are printed; the page and JSON have all.
const MATERIALS: usize = 10;

/// What is reported of a turn.
#[derive(Clone, Debug)]
pub enum Reported {
    /// A move that is not the best.
    Move(Box<Finding>),
    /// No move.
    Failure {
        /// Where, as `position 3`.
        place: String,
        /// The engine.
        player: String,
        /// The position.
        position: Position,
        /// What went wrong.
        words: String,
        /// The last lines that were exchanged.
        tail: Vec<String>,
    },
}

impl Reported {
    /// What is reported of a turn; nothing of a best move, and of one that the tables do not know.
    pub fn new(rules: &Arc<Rules>, engine: &Candidate, game: &Game, turn: &Turn) -> Option<Reported> {
        let place = match game.end {
            Some(_) => format!("game {}, ply {}", game.number, turn.ply),
            None => format!("position {}", game.number),
        };
        match &turn.response {
            Response::Move { verdict, .. } if matches!(verdict.kind, Kind::Best | Kind::NotInTables) => None,
            Response::Move { squares, written, verdict, tail } => {
                let last = (!tail.is_empty()).then(|| format!("last lines: {}", tail.join(" | ")));
                let limit = verdict.limit.filter(|limit| limit.matters()).map(UnderLimit::words);
                Some(Reported::Move(Box::new(Finding {
                    place,
                    player: engine.label.clone(),
                    rules: rules.clone(),
                    position: turn.position,
                    squares: *squares,
                    written: written.clone(),
                    source: Source::Engine,
                    theirs: engine.theirs(),
                    verdict: Verdict::clone(verdict),
                    notes: limit.into_iter().chain(last).collect(),
                })))
            }
            Response::Failure { words, tail, .. } => Some(Reported::Failure {
                place,
                player: engine.label.clone(),
                position: turn.position,
                words: words.clone(),
                tail: tail.clone(),
            }),
        }
    }
}

/// Prints what is to be reported of a turn.
pub fn print_reported(
    out: &mut dyn Write,
    rules: &Rules,
    reported: &Reported,
    causes: &mut text::Causes,
) -> io::Result<()> {
    match reported {
        Reported::Move(finding) => {
            text::print_finding(out, finding, causes)?;
            writeln!(out)
        }
        Reported::Failure { place, player, position, words, tail } => {
            writeln!(out, "{place}, {player}: no move: {words}\n")?;
            board::print(out, rules, position)?;
            writeln!(out, "\n  {}", position.to_fen(rules))?;
            for line in tail {
                writeln!(out, "    {line}")?;
            }
            writeln!(out)
        }
    }
}

/// What was asked, in words.
pub fn task(rules: &Rules, mode: Mode, positions: usize) -> String {
    let positions = count(whole(positions), "position");
    let limit = rules.quiet_limit().map(|limit| format!(", a draw after {} without a capture", plies(limit)));
    let rules = format!("{}{}", rules.name(), limit.unwrap_or_default());
    match mode {
        Mode::Examination => format!("One move in each of {positions} of {rules}."),
        Mode::PlayOut => format!("A game from each of {positions} of {rules}, against perfect play."),
    }
}

/// Prints the counts of all engines side by side, and what is to be known of each.
pub fn print_end(out: &mut dyn Write, task: &str, mode: Mode, summaries: &[Summary]) -> io::Result<()> {
    writeln!(out, "{task}\n")?;
    let headings = summaries.iter().map(|summary| (summary.label.as_str(), Align::Right));
    let mut columns = Columns::new(&std::iter::once(("", Align::Left)).chain(headings).collect::<Vec<_>>());
    for row in rows(mode, summaries) {
        columns.row(row);
    }
    columns.print(out)?;
    let worst = worst(summaries);
    if !worst.is_empty() {
        writeln!(out, "\nvalue kept, worst materials first (own - other side's):")?;
        let headings = summaries.iter().map(|summary| (summary.label.as_str(), Align::Right));
        let mut columns = Columns::new(&std::iter::once(("", Align::Left)).chain(headings).collect::<Vec<_>>());
        for row in worst {
            columns.row(row);
        }
        columns.print(out)?;
    }
    for summary in summaries {
        for note in notes(summary) {
            writeln!(out, "\n{}: {note}", summary.label)?;
        }
    }
    Ok(())
}

/// The rows of counts: what is counted, then a number for each engine.
fn rows(mode: Mode, summaries: &[Summary]) -> Vec<Vec<String>> {
    let row = |name: &str, cell: &dyn Fn(&Summary) -> String| {
        std::iter::once(name.to_owned()).chain(summaries.iter().map(cell)).collect::<Vec<_>>()
    };
    let number = |name: &str, cell: &dyn Fn(&Summary) -> u64| row(name, &|summary| grouped(cell(summary)));
    let kind = |name: &str, kind: Kind| number(name, &move |summary| summary.counts().of(kind));
    let keys = |of: fn(&Summary) -> &BTreeMap<&'static str, u64>| {
        summaries.iter().flat_map(|summary| of(summary).keys().copied()).collect::<BTreeSet<&'static str>>()
    };
    let mut rows = Vec::new();
    if mode == Mode::PlayOut {
        rows.push(number("games", &|summary| summary.games));
        for end in keys(|summary| &summary.ends) {
            rows.push(number(&format!("  {end}"), &|summary| summary.ends.get(end).copied().unwrap_or(0)));
        }
        rows.push(number("wins not taken", &|summary| summary.wins_not_taken));
    }
    rows.push(number("moves", &|summary| summary.counts().moves()));
    rows.push(row("value kept", &|summary| accuracy(summary.counts())));
    rows.push(kind("best", Kind::Best));
    rows.push(kind("slower win", Kind::Slower));
    rows.push(kind("faster loss", Kind::FasterLoss));
    rows.push(number("plies lost", &|summary| summary.counts().plies_lost));
    rows.push(kind("win to draw", Kind::WinToDraw));
    rows.push(kind("win to loss", Kind::WinToLoss));
    rows.push(kind("draw to loss", Kind::DrawToLoss));
    rows.push(kind("illegal", Kind::Illegal));
    let not_in_tables = summaries.iter().any(|summary| summary.counts().of(Kind::NotInTables) > 0);
    if not_in_tables {
        rows.push(kind("not in tables", Kind::NotInTables));
    }
    rows.push(number("no move", &Summary::failed));
    for failure in keys(|summary| &summary.failures) {
        rows.push(number(&format!("  {failure}"), &|summary| summary.failures.get(failure).copied().unwrap_or(0)));
    }
    if summaries.iter().any(|summary| summary.not_asked > 0) {
        rows.push(number("not asked", &|summary| summary.not_asked));
    }
    let time = |time: Duration| duration(time.as_secs_f64());
    let of_moves = |summary: &Summary, of: Duration| match summary.counts().moves() {
        0 => "-".to_owned(),
        _ => time(of),
    };
    rows.push(row("time, average", &|summary| of_moves(summary, summary.average())));
    rows.push(row("time, longest", &|summary| of_moves(summary, summary.slowest)));
    rows
}

/// The materials in which some engine threw a value away: how many of the values each engine kept.
fn worst(summaries: &[Summary]) -> Vec<Vec<String>> {
    let lost = |counts: &Counts| counts.at_stake - counts.kept();
    let mut materials: BTreeMap<&String, u64> = BTreeMap::new();
    for (material, counts) in summaries.iter().flat_map(|summary| &summary.tally.materials) {
        *materials.entry(material).or_default() += lost(counts);
    }
    let mut materials: Vec<(&String, u64)> = materials.into_iter().filter(|&(_, lost)| lost > 0).collect();
    materials.sort_by_key(|&(_, lost)| std::cmp::Reverse(lost));
    let cell = |material: &String, summary: &Summary| match summary.tally.materials.get(material) {
        Some(counts) if counts.at_stake > 0 => format!("{} of {}", grouped(counts.kept()), grouped(counts.at_stake)),
        _ => "-".to_owned(),
    };
    let row = |(material, _): &(&String, u64)| {
        let cells = summaries.iter().map(|summary| cell(material, summary));
        std::iter::once((*material).clone()).chain(cells).collect()
    };
    materials.iter().take(MATERIALS).map(row).collect()
}

/// What is to be known of an engine as a whole.
fn notes(summary: &Summary) -> Vec<String> {
    let mut notes: Vec<String> = summary.hints.clone();
    if let Some(reason) = &summary.unstarted {
        notes.push(unstarted(reason));
    } else if summary.not_asked > 0 {
        notes.push(format!(
            "given up after several starts without an answer; not asked about {}",
            count(summary.not_asked, "position")
        ));
    }
    notes
}

/// What is said of an engine that could not be asked anything, given what went wrong.
pub fn unstarted(reason: &str) -> String {
    format!("it never answered its greeting, and was asked nothing: {reason}")
}

/// Writes all of it as a page.
pub fn page(
    out: &mut dyn Write,
    rules: &Rules,
    task: &str,
    mode: Mode,
    summaries: &[Summary],
    reported: &[Reported],
) -> io::Result<()> {
    html::begin(out, "Engines, judged by the tables")?;
    writeln!(out, "<p>{}</p>", html::escape(task))?;
    writeln!(out, "<h2>Summary</h2>")?;
    let labels: Vec<&str> = std::iter::once("").chain(summaries.iter().map(|summary| summary.label.as_str())).collect();
    html::table(out, &labels, &[], rows(mode, summaries).into_iter())?;
    for summary in summaries {
        let name = summary.name.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
        let about = format!("{}: {}{name}", summary.label, summary.command);
        writeln!(out, "<p>{}</p>", html::escape(&about))?;
        for note in notes(summary) {
            writeln!(out, "<p>{}</p>", html::escape(&format!("{}: {note}", summary.label)))?;
        }
    }
    for summary in summaries {
        writeln!(out, "<h2>{} by material</h2>", html::escape(&summary.label))?;
        html::counts(out, "own - other side's", &summary.tally.materials)?;
    }
    let failures: Vec<&Reported> =
        reported.iter().filter(|reported| matches!(reported, Reported::Failure { .. })).collect();
    let no_failures = failures.is_empty();
    if !no_failures {
        writeln!(out, "<h2>No move</h2>\n<p>{}</p>", html::LEGEND)?;
    }
    for failure in failures {
        print_failure(out, rules, failure)?;
    }
    let moves = reported.iter().filter_map(|reported| match reported {
        Reported::Move(finding) => Some(Finding::clone(finding)),
        Reported::Failure { .. } => None,
    });
    html::findings(out, &moves.collect::<Vec<_>>(), no_failures)?;
    html::end(out)
}

fn print_failure(out: &mut dyn Write, rules: &Rules, reported: &Reported) -> io::Result<()> {
    let Reported::Failure { place, player, position, words, tail } = reported else { return Ok(()) };
    writeln!(out, "<section class=\"fault\">")?;
    html::board(out, rules, position, None)?;
    writeln!(out, "<div><h3>{}, {}</h3>", html::escape(place), html::escape(player))?;
    writeln!(out, "<p>No move: {}</p>", html::escape(words))?;
    writeln!(out, "<p><code>{}</code></p>", html::escape(&position.to_fen(rules)))?;
    writeln!(out, "<pre>{}</pre></div>\n</section>", html::escape(&tail.join("\n")))
}

/// What is said of a game that was played to its end; nothing if there is nothing to be said.
pub fn game_line(engine: &str, game: &Game) -> Option<String> {
    let end = game.end?.name();
    let turn = side(game.start.turn());
    game.is_win_not_taken().then(|| {
        format!(
            "game {}, {engine} ({turn}): always winning and never won: {end} after {}",
            game.number,
            plies(game.plies)
        )
    })
}
