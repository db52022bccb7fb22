//! Finding out by which rules an engine plays: [`questions`] are the positions in which rules differ, [`ask`] gets the answers,
//! [`run`] says which rule sets and settings fit them.

mod ask;
mod questions;
mod read;

pub use ask::{Answer, Stopped};

use crate::driver::Limit;
use crate::judge::exam::Candidate;
use ask::Asking;
use dsq_tables::moves::Move;
use dsq_tables::perft::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::{NAMES, RuleError, Rules};
use questions::{COUNTED, SETTINGS};
use std::sync::Arc;

/// The rule set on whose board the questions stand.
const BASE: &str = "classic";

/// What an engine has told about its rules.
#[derive(Debug)]
pub struct Ruling {
    /// What it calls itself.
    pub name: Option<String>,
    /// How it was asked, in words.
    pub ways: String,
    /// Its answers.
    pub answers: Vec<Answered>,
    /// The rule sets that come with the program and fit all answers and counts.
    pub fitting: Vec<&'static str>,
    /// The rule set nearest to the answers, with the settings that have to be changed.
    pub nearest: Nearest,
    /// Whether the rule set that was asked about fits all answers and counts.
    pub asked_fits: bool,
    /// Counts of moves of two large positions.
    pub counts: Vec<Counted>,
}

/// An answer.
#[derive(Debug)]
pub struct Answered {
    /// The setting it is about.
    pub key: &'static str,
    /// The position.
    pub fen: &'static str,
    /// The move that may be legal.
    pub squares: Move,
    /// The answer, or why there is none.
    pub answer: Result<Answer, String>,
    /// The values of the setting that fit; all if there is no answer.
    pub values: Vec<&'static str>,
}

/// A setting and its value.
pub type Change = (&'static str, &'static str);

/// A rule set with changed settings.
#[derive(Debug)]
pub struct Nearest {
    /// The rule set.
    pub name: &'static str,
    /// The changed settings.
    pub changes: Vec<Change>,
    /// True if it fits all answers.
    pub fits: bool,
}

/// A count of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The position.
    pub fen: &'static str,
    /// Plies.
    pub depth: u32,
    /// What the engine counted.
    pub nodes: u64,
    /// What the nearest rule set has.
    pub expected: u64,
}

impl Ruling {
    /// True if the engine has told anything at all.
    #[must_use]
    pub fn has_answers(&self) -> bool {
        self.answers.iter().any(|answered| answered.answer.is_ok())
    }
}

/// The rules by which positions are put to engines: as the common ones, and more animals swim, so that they can stand where they
/// do by some rules.
///
/// # Errors
/// None in a sound build.
pub fn asking_rules() -> Result<Arc<Rules>, RuleError> {
    Rules::load_with(BASE, [("swimmers", "RDW")])
}

/// True if the questions make sense for a rule set: it has the common board and animals.
///
/// # Errors
/// None in a sound build.
pub fn applies_to(rules: &Rules) -> Result<bool, RuleError> {
    let base = Rules::load(BASE)?;
    let letters = |rules: &Rules| {
        let mut letters: Vec<char> = rules.letters().chars().collect();
        letters.sort_unstable();
        letters
    };
    Ok(base.board() == rules.board() && letters(&base) == letters(rules))
}

/// Asks an engine. `rules` are those it is said to have.
///
/// # Errors
/// [`Stopped`]: somebody wants the program to end.
pub fn run(
    candidate: &Candidate,
    rules: &Arc<Rules>,
    limit: Limit,
    depth: u32,
) -> Result<Result<Ruling, RuleError>, Stopped> {
    let mut asking = Asking::new(candidate, limit)?;
    let mut answers = Vec::new();
    for setting in &SETTINGS {
        for &(fen, text) in setting.questions {
            let Some(squares) = Move::parse(rules.board(), text) else { continue };
            let answer = if asking.is_hopeless() {
                Err("the engine does not answer".to_owned())
            } else {
                asking.ask(fen, squares)?
            };
            answers.push(Answered { key: setting.key, fen, squares, answer, values: setting.values.to_vec() });
        }
    }
    let mut counts = Vec::new();
    for fen in COUNTED {
        for depth in 1..=depth {
            let Some(nodes) = asking.count(fen, depth)? else { break };
            counts.push(Counted { fen, depth, nodes, expected: 0 });
        }
    }
    let (name, ways) = (asking.name().map(str::to_owned), asking.ways());
    Ok(conclude(rules, answers, counts).map(|conclusion| Ruling { name, ways, ..conclusion }))
}

/// Which rules fit answers and counts.
fn conclude(rules: &Arc<Rules>, mut answers: Vec<Answered>, mut counts: Vec<Counted>) -> Result<Ruling, RuleError> {
    let mut fitting = Vec::new();
    let mut nearest: Option<(usize, Nearest, Arc<Rules>)> = None;
    for name in NAMES {
        let base = Rules::load(name)?;
        if !applies_to(&base)? {
            continue;
        }
        if fits(&base, &answers) && counts.iter().all(|counted| count(&base, counted) == Some(counted.nodes)) {
            fitting.push(name);
        }
        let (changes, changed) = changes(name, &answers)?;
        let fits = fits(&changed, &answers);
        // One that fits is nearer than any that does not.
        let distance = changes.len() + if fits { 0 } else { SETTINGS.len() };
        if nearest.as_ref().is_none_or(|(least, ..)| distance < *least) {
            nearest = Some((distance, Nearest { name, changes, fits }, changed));
        }
    }
    let (_, nearest, found) = match nearest {
        Some(nearest) => nearest,
        None => (0, Nearest { name: BASE, changes: Vec::new(), fits: false }, Rules::load(BASE)?),
    };
    for answered in &mut answers {
        if answered.answer.is_ok() {
            let mut values = answered.values.clone();
            values.retain(|value| fits_with(&nearest, answered, value).unwrap_or(false));
            answered.values = values;
        }
    }
    for counted in &mut counts {
        counted.expected = count(&found, counted).unwrap_or(0);
    }
    let asked_fits = fits(rules, &answers) && counts.iter().all(|counted| count(rules, counted) == Some(counted.nodes));
    Ok(Ruling { name: None, ways: String::new(), answers, fitting, nearest, asked_fits, counts })
}

/// True if all answers are those of these rules.
fn fits(rules: &Rules, answers: &[Answered]) -> bool {
    answers.iter().all(|answered| fits_one(rules, answered))
}

fn fits_one(rules: &Rules, Answered { fen, squares, answer, .. }: &Answered) -> bool {
    // A position that these rules do not know tells nothing about them.
    answer.as_ref().ok().and_then(|answer| answer.fits(rules, fen, *squares)).unwrap_or(true)
}

/// The count of moves by some rules.
fn count(rules: &Rules, counted: &Counted) -> Option<u64> {
    let position = Position::from_fen(rules, counted.fen).ok()?;
    Some(perft(rules, &position, counted.depth))
}

/// The fewest settings of a rule set that have to be changed for the answers, as far as they can be explained.
fn changes(name: &'static str, answers: &[Answered]) -> Result<(Vec<Change>, Arc<Rules>), RuleError> {
    let mut changes: Vec<Change> = Vec::new();
    let mut rules = Rules::load(name)?;
    for setting in &SETTINGS {
        let about: Vec<&Answered> = answers.iter().filter(|answered| answered.key == setting.key).collect();
        if about.iter().all(|answered| fits_one(&rules, answered)) {
            continue;
        }
        for value in setting.values {
            let tried = Rules::load_with(name, changes.iter().copied().chain([(setting.key, *value)]))?;
            if about.iter().all(|answered| fits_one(&tried, answered)) {
                changes.push((setting.key, value));
                rules = tried;
                break;
            }
        }
    }
    Ok((changes, rules))
}

/// Whether an answer fits a value of its setting, everything else being as in the nearest rule set.
fn fits_with(nearest: &Nearest, answered: &Answered, value: &'static str) -> Option<bool> {
    let others = nearest.changes.iter().copied().filter(|(key, _)| *key != answered.key);
    let rules = Rules::load_with(nearest.name, others.chain([(answered.key, value)])).ok()?;
    Some(fits_one(&rules, answered))
}

#[cfg(test)]
mod tests;
