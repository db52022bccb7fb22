//! The answer of `verify` for people.

use super::records::{CountFault, Fault, Verdict, Verified};
use crate::number::{count, grouped, plies, whole};
use crate::terms::main_metric;
use dsq_tables::value::Score;
use std::io::{self, Write};

/// How wide the names of tables are.
const NAME_WIDTH: usize = 9;

/// Prints a line for a table, and one for each of its first faults.
pub fn print(out: &mut dyn Write, record: &Verified) -> io::Result<()> {
    let Verified { class, positions, wrong, .. } = record;
    let result = match record.status {
        Verdict::Right if record.check == "checksums" => "ok".to_owned(),
        Verdict::Right => {
            let against = match record.against {
                Some("dtw") => " as in the table with distances",
                Some(_) => " agree with their moves, which does not tell a draw from an endless win",
                None => "",
            };
            format!("ok, {}{against}", count(*positions, "position"))
        }
        Verdict::Wrong => format!("WRONG, {} of {}", grouped(*wrong), count(*positions, "position")),
        Verdict::Unchecked => "not checked: a table that it depends on cannot be used".to_owned(),
        Verdict::Damaged | Verdict::Foreign | Verdict::Missing => record.status.words().to_owned(),
    };
    let metric = if record.metric == main_metric() { String::new() } else { format!("{}: ", record.metric.name()) };
    writeln!(out, "{class:<NAME_WIDTH$} {metric}{result}")?;
    for fault in &record.faults {
        let Fault { position, found, expected, decided_by, .. } = fault;
        let by = decided_by.as_ref().map(|text| format!(" by {text}")).unwrap_or_default();
        let (found, right) = (in_words(*found), in_words(*expected));
        writeln!(out, "  {position}: {found}, but it is a {right}{by}")?;
    }
    for CountFault { side_to_move, field, found, expected } in &record.count_faults {
        writeln!(out, "  stored counts, {side_to_move} to move: {field} is {found}, but the values give {expected}")?;
    }
    Ok(())
}

/// Prints what came of all tables.
pub fn print_end(out: &mut dyn Write, kind: &str, verdicts: &[Verdict]) -> io::Result<()> {
    let what = match kind {
        "checksums" => "right checksums",
        "sample" => "right in the sample",
        _ => "right",
    };
    let all = whole(verdicts.len());
    let number = |verdict: Verdict| whole(verdicts.iter().filter(|&&other| other == verdict).count());
    if number(Verdict::Right) == all {
        return writeln!(out, "{what}: {} of {}", grouped(all), count(all, "table"));
    }
    let part = |verdict: Verdict| {
        let words = if verdict == Verdict::Right { what } else { verdict.words() };
        Some(number(verdict)).filter(|&number| number > 0).map(|number| format!("{} {words}", grouped(number)))
    };
    let parts: Vec<String> = Verdict::ALL.into_iter().filter_map(part).collect();
    writeln!(out, "of {}: {}", count(all, "table"), parts.join(", "))
}

/// A value with its distance. The outcome has its name of JSON: what is wrong is a value in a file.
fn in_words(score: Score) -> String {
    let value = score.outcome.name();
    match score.plies {
        Some(count) => format!("{value} in {}", plies(count)),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dsq_tables::value::Outcome;

    #[test]
    fn the_end_counts_what_there_is() {
        let end = |kind: &str, verdicts: &[Verdict]| {
            let mut out = Vec::new();
            print_end(&mut out, kind, verdicts).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(end("full", &[Verdict::Right; 2]), "right: 2 of 2 tables\n");
        assert_eq!(end("full", &[Verdict::Missing]), "of 1 table: 1 missing\n");
        let verdicts = [Verdict::Damaged, Verdict::Right, Verdict::Unchecked, Verdict::Right];
        assert_eq!(end("checksums", &verdicts), "of 4 tables: 2 right checksums, 1 damaged, 1 not checked\n");
    }

    #[test]
    fn values_are_named_with_their_distance() {
        assert_eq!(in_words(Score { outcome: Outcome::Win, plies: Some(1) }), "win in 1 ply");
        assert_eq!(in_words(Score { outcome: Outcome::SpoiltWin, plies: None }), "spoilt-win");
    }
}
