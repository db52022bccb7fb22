//! The answer of `check rules`.

use crate::judge::exam::Candidate;
use crate::judge::ruling::{self, Answer, Answered, Counted};
use crate::number::{count, whole};
use dsq_tables::board::Board;
use dsq_tables::rules::Rules;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was found out about the rules of an engine.
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
    /// `certain`; `likely` if some answers depend on how well it plays; `unclear` if the nearest rules do not explain all answers
    /// and counts, or it named moves that are legal under no rules; `nothing` if nothing was found out.
    pub conclusion: &'static str,
    /// How many answers tell anything.
    #[serde(rename = "told")]
    pub given: usize,
    /// How many questions failed, by what went wrong: `crash`, `timeout` and so on.
    pub failures: BTreeMap<&'static str, u64>,
    /// How many moves it named that are legal under no rules.
    pub impossible_moves: u64,
    /// What those have in common, with what would cure it.
    pub hints: Vec<String>,
    /// The settings about which nothing was learned: all values fit.
    pub undecided: Vec<&'static str>,
    /// The answers.
    pub answers: Vec<RuleAnswer>,
    /// Counts of moves of two large positions, of one ply if it only lists moves; empty if the engine does neither.
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
    /// How many answers it does not explain.
    pub unexplained_answers: usize,
    /// Whether it has all counts; `null` if there are none.
    pub explains_counts: Option<bool>,
}

/// What was found out about a move.
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
        let Answered { key, fen, squares, answer, legal, values, .. } = answered;
        let word = legal.map_or("unknown", |legal| if legal { "legal" } else { "illegal" });
        let said = match answer {
            Ok(Answer::Moves(moves)) => format!("lists {}", count(whole(moves.len()), "move")),
            Ok(Answer::Count(moves)) => format!("counts {}", count(*moves, "move")),
            Ok(Answer::Accepts(true)) => "goes on after it".to_owned(),
            Ok(Answer::Accepts(false)) => "does not go on after it".to_owned(),
            Ok(Answer::Plays(played)) if played == squares => "makes it".to_owned(),
            Ok(Answer::Plays(played)) => format!("makes {}", played.to_text(board)),
            Ok(Answer::Declines(played)) => format!("makes {}, no win", played.to_text(board)),
            Ok(Answer::NoMove) => "has no move".to_owned(),
            Err(words) => words.clone(),
        };
        let text = squares.to_text(board);
        let sure = answer.as_ref().is_ok_and(Answer::is_sure);
        RuleAnswer { setting: key, position: fen, text, answer: word, said, sure, values: values.clone() }
    }
}

impl Ruling {
    /// The record of what was found out.
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
                explains_answers: nearest.fits(),
                unexplained_answers: nearest.unexplained,
                explains_counts: (!ruling.counts.is_empty()).then(|| ruling.counts.iter().all(same)),
            },
            conclusion: ruling.conclusion.name(),
            given: ruling.given(),
            failures: ruling.failures.clone(),
            impossible_moves: ruling.impossible,
            hints: ruling.hints.clone(),
            undecided: ruling.undecided.clone(),
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
