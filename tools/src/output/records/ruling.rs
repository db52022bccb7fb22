//! The answer of `check rules`.

use crate::judge::exam::Candidate;
use crate::judge::ruling::{self, Answer, Answered, Counted};
use crate::output::number::{count, whole};
use dsq_tables::board::Board;
use dsq_tables::rules::Rules;
use serde::Serialize;

/// What an engine has told about its rules.
#[derive(Serialize, Debug)]
pub struct Ruling {
    /// What it is called in the report.
    pub engine: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// The command that started it.
    pub command: String,
    /// How it was asked, in words.
    pub asked: String,
    /// The rule sets that fit.
    pub rule_sets: Vec<&'static str>,
    /// The rule set that was asked about.
    pub rules: String,
    /// Whether it fits.
    pub rules_fit: bool,
    /// The rule set nearest to the answers.
    pub nearest: Nearest,
    /// The answers.
    pub answers: Vec<RuleAnswer>,
    /// Counts of moves of two large positions; empty if the engine does not count.
    pub counts: Vec<RuleCount>,
}

/// A rule set with changed settings.
#[derive(Serialize, Debug)]
pub struct Nearest {
    /// The rule set.
    pub rules: &'static str,
    /// The changed settings, as for `--set`.
    pub set: Vec<String>,
    /// Whether it explains all answers.
    pub explains_answers: bool,
    /// Whether it has all counts; `null` if there are none.
    pub explains_counts: Option<bool>,
}

/// What the engine has told about a move.
#[derive(Serialize, Debug)]
pub struct RuleAnswer {
    /// The setting.
    pub setting: &'static str,
    /// The position.
    pub position: &'static str,
    /// The move that may be legal.
    #[serde(rename = "move")]
    pub text: String,
    /// `legal`, `illegal`, or `unknown`.
    pub answer: &'static str,
    /// What the engine did, in words.
    pub said: String,
    /// False if a weak engine could have answered the same by other rules.
    pub sure: bool,
    /// The values of the setting that fit.
    pub values: Vec<&'static str>,
}

/// A count of moves.
#[derive(Serialize, Debug)]
pub struct RuleCount {
    /// The position.
    pub position: &'static str,
    /// Plies.
    pub depth: u32,
    /// What the engine counted.
    pub nodes: u64,
    /// What the nearest rule set has.
    pub expected_nodes: u64,
}

impl RuleAnswer {
    /// The record of an answer.
    pub fn new(board: &Board, answered: &Answered) -> RuleAnswer {
        let Answered { key, fen, squares, answer, values } = answered;
        let text = squares.to_text(board);
        let legal = |is: bool| if is { "legal" } else { "illegal" };
        let (word, said) = match answer {
            Ok(Answer::Moves(moves)) => {
                (legal(moves.contains(squares)), format!("lists {}", count(whole(moves.len()), "move")))
            }
            Ok(Answer::Count(moves)) => ("unknown", format!("counts {}", count(*moves, "move"))),
            Ok(Answer::Accepts(accepts)) => {
                (legal(*accepts), if *accepts { "goes on after it" } else { "does not go on after it" }.to_owned())
            }
            Ok(Answer::Plays(played)) if played == squares => ("legal", "makes it".to_owned()),
            Ok(Answer::Plays(played)) => ("unknown", format!("makes {}", played.to_text(board))),
            Ok(Answer::NoMove) => ("illegal", "has no move".to_owned()),
            Err(words) => ("unknown", words.clone()),
        };
        let sure = answer.as_ref().is_ok_and(Answer::is_sure);
        RuleAnswer { setting: key, position: fen, text, answer: word, said, sure, values: values.clone() }
    }
}

impl Ruling {
    /// The record of what an engine has told.
    pub fn new(rules: &Rules, candidate: &Candidate, ruling: &ruling::Ruling) -> Ruling {
        let nearest = &ruling.nearest;
        let same = |counted: &Counted| counted.nodes == counted.expected;
        Ruling {
            engine: candidate.label.clone(),
            name: ruling.name.clone(),
            command: candidate.command.clone(),
            asked: ruling.ways.clone(),
            rule_sets: ruling.fitting.clone(),
            rules: rules.name().to_owned(),
            rules_fit: ruling.asked_fits,
            nearest: Nearest {
                rules: nearest.name,
                set: nearest.changes.iter().map(|(key, value)| format!("{key}={value}")).collect(),
                explains_answers: nearest.fits,
                explains_counts: (!ruling.counts.is_empty()).then(|| ruling.counts.iter().all(same)),
            },
            answers: ruling.answers.iter().map(|answered| RuleAnswer::new(rules.board(), answered)).collect(),
            counts: ruling
                .counts
                .iter()
                .map(|&Counted { fen, depth, nodes, expected }| RuleCount {
                    position: fen,
                    depth,
                    nodes,
                    expected_nodes: expected,
                })
                .collect(),
        }
    }
}
