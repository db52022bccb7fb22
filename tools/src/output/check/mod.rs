//! The reports of `check`.

pub mod engine;
pub mod games;
pub mod html;
pub mod rules;
pub mod text;

use crate::command_line::quoted;
use crate::judge::finding::Finding;
use crate::judge::tally::Counts;
use crate::judge::verdict::{Kind, Outcome};
use crate::number::plies;
use dsq_tables::value::Wdl;

/// What a move does, in words.
pub fn consequence(finding: &Finding) -> String {
    let verdict = &finding.verdict;
    let (before, after) = (verdict.before.map(thing), verdict.after.map(thing));
    let [before, after] = [before, after].map(Option::unwrap_or_default);
    let ends = |outcome: Option<Outcome>| outcome.and_then(|outcome| outcome.plies).map(plies).unwrap_or_default();
    match verdict.kind {
        Kind::WinToDraw | Kind::WinToLoss | Kind::DrawToLoss => format!("turns {before} into {after}"),
        Kind::Slower => format!("wins in {} instead of {}", ends(verdict.after), ends(verdict.before)),
        Kind::FasterLoss => format!("loses in {} instead of {}", ends(verdict.after), ends(verdict.before)),
        Kind::Illegal => {
            let reason = verdict.illegal.as_ref().map(|illegal| illegal.reason.as_str());
            format!("is illegal: {}", reason.unwrap_or_default())
        }
        Kind::Best => format!("keeps {before}"),
        Kind::NotInTables => "is not in the tables".to_owned(),
    }
}

/// A value as a thing that one has.
fn thing(outcome: Outcome) -> String {
    let within = outcome.plies.map(|count| format!(" in {}", plies(count))).unwrap_or_default();
    match outcome.value {
        Wdl::Win => format!("a win{within}"),
        Wdl::Draw => "a draw".to_owned(),
        Wdl::Loss => format!("a loss{within}"),
    }
}

/// What stands below a move: what would have been better, under which rules it would be legal, and the notes.
pub fn remarks(finding: &Finding) -> Vec<String> {
    let verdict = &finding.verdict;
    let mut remarks = Vec::new();
    if let Some(illegal) = &verdict.illegal {
        if !illegal.settings.is_empty() {
            let options = illegal.settings.iter().map(|setting| format!("--set {}", quoted(setting)));
            remarks.push(format!("legal with {}", options.collect::<Vec<_>>().join(", or with ")));
        }
        if !illegal.rule_sets.is_empty() {
            remarks.push(format!("legal under the rule sets {}", illegal.rule_sets.join(", ")));
        }
    }
    if let Some(before) = verdict.before.filter(|before| before.value != Wdl::Loss || verdict.kind.is_judged()) {
        remarks.push(keeping(finding, before));
    }
    if let Some(theirs) = &finding.theirs {
        let moves = verdict.keeping.iter().map(|(legal, _)| theirs.write_move(legal.squares, legal.capture.is_some()));
        let moves = moves.collect::<Vec<_>>().join(" ");
        let position = theirs.write_position(&finding.position);
        let kept = if moves.is_empty() { String::new() } else { format!("; the value is kept by {moves}") };
        remarks.push(format!("in the notation of the {}: {position}{kept}", finding.source.name()));
    }
    if verdict.without_distances {
        remarks.push("there are only tables without distances".to_owned());
    }
    remarks.extend(finding.notes.iter().cloned());
    remarks
}

/// The moves that keep the value, with those together that end in the same ply.
fn keeping(finding: &Finding, before: Outcome) -> String {
    let what = match before.value {
        Wdl::Win => "kept the win",
        Wdl::Draw => "kept the draw",
        Wdl::Loss => "lost as late as possible",
    };
    let moves = finding.verdict.keeping.iter();
    // Of a lost position every move keeps the value; worth telling are those that take longest.
    let moves = moves.filter(|(_, outcome)| before.value != Wdl::Loss || *outcome == before);
    let mut groups: Vec<(Option<u32>, Vec<String>)> = Vec::new();
    for (legal, outcome) in moves {
        let text = legal.squares.to_text(finding.rules.board());
        match groups.last_mut() {
            Some((plies, texts)) if *plies == outcome.plies => texts.push(text),
            _ => groups.push((outcome.plies, vec![text])),
        }
    }
    let groups = groups.into_iter().map(|(count, texts)| {
        let within = count.map(|count| format!(" ({})", plies(count))).unwrap_or_default();
        format!("{}{within}", texts.join(" "))
    });
    format!("{what}: {}", groups.collect::<Vec<_>>().join(", "))
}

/// The share of moves that kept what was at stake, in percent.
pub fn accuracy(counts: &Counts) -> String {
    if counts.at_stake == 0 {
        return "-".to_owned();
    }
    let tenths = u128::from(counts.kept()) * 1000 / u128::from(counts.at_stake);
    // Rounded down, so that 100 means all.
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// The headings of a table of counts after its first one, and what is in them.
pub const HEADINGS: [&str; 9] =
    ["judged", "best", "slower", "faster loss", "win to draw", "win to loss", "draw to loss", "illegal", "value kept"];

/// A row of a table of counts.
pub fn cells(counts: &Counts) -> [String; 9] {
    let of = |kind| crate::number::grouped(counts.of(kind));
    [
        crate::number::grouped(counts.judged()),
        of(Kind::Best),
        of(Kind::Slower),
        of(Kind::FasterLoss),
        of(Kind::WinToDraw),
        of(Kind::WinToLoss),
        of(Kind::DrawToLoss),
        of(Kind::Illegal),
        accuracy(counts),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::judge::verdict::Verdict;

    #[test]
    fn accuracy_is_rounded_down() {
        let outcome = |value| Some(Outcome { value, plies: None });
        let verdict = |kind, after| Verdict {
            kind,
            before: outcome(Wdl::Draw),
            after: outcome(after),
            keeping: Vec::new(),
            without_distances: false,
            limit: None,
            illegal: None,
            missing: None,
        };
        let mut counts = Counts::default();
        assert_eq!(accuracy(&counts), "-");
        for _ in 0..2000 {
            counts.add(&verdict(Kind::Best, Wdl::Draw));
        }
        assert_eq!(accuracy(&counts), "100.0 %");
        counts.add(&verdict(Kind::DrawToLoss, Wdl::Loss));
        assert_eq!(accuracy(&counts), "99.9 %");
    }
}
