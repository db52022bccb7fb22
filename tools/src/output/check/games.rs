//! The report of `check games`.

use super::text::Causes;
use super::{html, text};
use crate::judge::finding::Finding;
use crate::judge::tally::Tally;
use crate::number::{count, whole};
use crate::output::records::GameSummary;
use dsq_tables::board::Side;
use std::io::{self, Write};

/// Prints the report of one game. `brief` leaves out what is no fault.
pub fn print(
    out: &mut dyn Write,
    game: &GameSummary,
    findings: &[Finding],
    causes: &mut Causes,
    brief: bool,
) -> io::Result<()> {
    let reported = |finding: &&Finding| finding.verdict.kind.is_fault() || !brief;
    let reported: Vec<&Finding> = findings.iter().filter(reported).collect();
    writeln!(out, "{}", heading(game))?;
    if let Some(array) = &game.start_array {
        writeln!(out, "  start array {}", array_words(array))?;
    }
    text::print_findings(out, &reported, causes)?;
    for line in endings(game) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

/// Prints the counts of all games.
pub fn print_end(out: &mut dyn Write, games: &[GameSummary], hints: &[String], tally: &Tally) -> io::Result<()> {
    writeln!(out, "{}\n", totals(games, tally))?;
    for hint in hints {
        writeln!(out, "{hint}\n")?;
    }
    text::print_tally(out, tally)
}

/// Writes all of it as a page.
pub fn page(
    out: &mut dyn Write,
    games: &[GameSummary],
    hints: &[String],
    findings: &[Finding],
    tally: &Tally,
) -> io::Result<()> {
    html::begin(out, "Game records, judged by the tables")?;
    writeln!(out, "<p>{}</p>", html::escape(&totals(games, tally)))?;
    for hint in hints {
        writeln!(out, "<p>{}</p>", html::escape(hint))?;
    }
    html::tally(out, tally)?;
    writeln!(out, "<h2>Games</h2>")?;
    let row = |game: &GameSummary| {
        let notes: Vec<String> = endings(game).collect();
        vec![
            game.game.to_string(),
            format!("{}, line {}", game.file, game.line),
            game.name(Side::White).to_owned(),
            game.name(Side::Black).to_owned(),
            game.rules.clone(),
            game.start_array.clone().unwrap_or_default(),
            game.moves.to_string(),
            game.faults.to_string(),
            notes.join("; "),
        ]
    };
    let headings = ["game", "file", "White", "Black", "rules", "start array", "moves", "faults", ""];
    html::table(out, &headings, &[1, 2, 3, 4, 5, 8], games.iter().map(row))?;
    html::findings(out, findings, true)?;
    html::end(out)
}

fn heading(game: &GameSummary) -> String {
    let [white, black] = Side::BOTH.map(|side| game.name(side));
    let players = if (white, black) == ("?", "?") { String::new() } else { format!(": {white} - {black}") };
    format!("game {} ({}, line {}){players}   ({})", game.game, game.file, game.line, game.rules)
}

/// What a start array is called in a sentence.
fn array_words(array: &str) -> String {
    if array == "either" { "unknown: the moves go with both".to_owned() } else { format!("{array}, as it seems") }
}

/// What is said at the end of a game.
fn endings(game: &GameSummary) -> impl Iterator<Item = String> {
    let broken = game.error.as_ref().map(|error| format!("line {}: {}", error.line, error.reason));
    let unjudged =
        (game.unjudged > 0).then(|| format!("{} after that not judged", count(whole(game.unjudged), "move")));
    [broken, unjudged].into_iter().flatten().chain(game.notes.iter().cloned())
}

fn totals(games: &[GameSummary], tally: &Tally) -> String {
    let broken = games.iter().filter(|game| game.error.is_some()).count();
    let broken = if broken > 0 { format!(" ({} broken)", whole(broken)) } else { String::new() };
    let (moves, judged) = (tally.all.moves(), tally.all.judged());
    format!(
        "{}{broken}, {}, {judged} judged by the tables, {}",
        count(whole(games.len()), "game"),
        count(moves, "move"),
        count(tally.all.faults(), "fault")
    )
}
