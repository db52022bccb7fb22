//! The terms of the field, for prose: what values and metrics are called. JSON, CSV and the lines of the engine have the names
//! that the library gives instead ([`Outcome::name`], [`Metric::name`]), which other programs rely on.

use crate::number::plies;
use dsq_tables::value::{Metric, Outcome};

/// Who wins, as it is said in a sentence. A *cursed win* is `spoilt-win` in JSON, a *blessed loss* `saved-loss`: draws by the limit
/// of plies without a capture, called so since there are Syzygy tables for chess.
pub const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::SpoiltWin => "cursed win",
        Outcome::Draw => "draw",
        Outcome::SavedLoss => "blessed loss",
        Outcome::Loss => "loss",
    }
}

/// All metrics, the one first whose tables say most about a position and are asked first.
pub const METRICS: [Metric; Metric::ALL.len()] = Metric::ALL;

/// The metric of the tables that all others rest on. What is said about tables is about these unless another metric is named.
pub fn main_metric() -> Metric {
    Metric::default()
}

/// What the tables of a metric hold, as the help of options says it.
pub fn metric_help(metric: Metric) -> String {
    let mut help = metric.descriptor().description.to_owned();
    if metric.is_under_limit() {
        help += ", under the limit of plies without a capture that the rule set has (--set draw-after-quiet-plies=N)";
    }
    help
}

/// What tables hold that are not of the [main metric](main_metric), as a heading.
pub const fn metric_heading(metric: Metric) -> &'static str {
    metric.descriptor().heading
}

/// The same with the limit that they hold under, in parentheses after a size or a name; nothing for the main metric.
pub fn metric_note(metric: Metric, limit: Option<u32>) -> String {
    if metric == main_metric() {
        return String::new();
    }
    let end = if metric.is_under_limit() { " or the end" } else { "" };
    let limit = limit.map(|limit| format!(", a draw after {} without one", plies(limit))).unwrap_or_default();
    format!(" ({}{end}{limit})", metric_heading(metric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_metrics_than_the_main_one_are_named() {
        assert_eq!(METRICS[0], main_metric());
        assert_eq!(
            METRICS.map(|metric| metric_note(metric, None)),
            ["", " (win/draw/loss only)", " (distances to the next capture or the end)"]
        );
        assert_eq!(
            metric_note(METRICS[2], Some(60)),
            " (distances to the next capture or the end, a draw after 60 plies without one)"
        );
    }
}
