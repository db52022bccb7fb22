//! Finding out by which rules an engine plays: [`questions`] are the positions in which rules differ, [`ask`] gets the answers,
//! [`run`] says which rule sets and settings fit them.

mod ask;
mod questions;
mod read;
mod strange;

pub use ask::{Answer, Unasked};

use crate::driver::Limit;
use crate::judge::exam::Candidate;
use ask::Asking;
use dsq_tables::moves::Move;
use dsq_tables::perft::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::{NAMES, RuleError, Rules};
use questions::{COUNTED, SETTINGS, Setting};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rule set on whose board the questions stand.
const BASE: &str = "classic";

/// What was found out about the rules of an engine.
#[derive(Debug)]
pub struct Ruling {
    /// What it calls itself.
    pub name: Option<String>,
    /// How it was asked, in words.
    pub ways: String,
    /// Its answers.
    pub answers: Vec<Answered>,
    /// How much the answers are worth.
    pub conclusion: Conclusion,
    /// The settings about which nothing was learned: all values fit.
    pub undecided: Vec<&'static str>,
    /// The rule sets that come with the program and fit all answers and counts.
    pub fitting: Vec<&'static str>,
    /// The rule set nearest to the answers, with the settings that have to be changed.
    pub nearest: Nearest,
    /// Whether the rule set that was asked about fits all answers and counts.
    pub asked_fits: bool,
    /// Counts of moves of two large positions.
    pub counts: Vec<Counted>,
    /// How many questions failed, by the word for what went wrong. Positions that the nearest rules do not know do not count.
    pub failures: BTreeMap<&'static str, u64>,
    /// How many moves it named that are legal under no rules.
    pub impossible: u64,
    /// What those have in common, with what would cure it.
    pub hints: Vec<String>,
}

/// How much is known of the rules of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// No answer depends on how well it plays.
    Certain,
    /// Some answers do.
    Likely,
    /// No rules that were tried explain all answers and counts, or it named moves that are legal under no rules.
    Unclear,
    /// Nothing was found out.
    Nothing,
}

impl Conclusion {
    /// The word of JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Conclusion::Certain => "certain",
            Conclusion::Likely => "likely",
            Conclusion::Unclear => "unclear",
            Conclusion::Nothing => "nothing",
        }
    }
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
    /// What went wrong, as a word of JSON; also where there is an answer all the same.
    pub failure: Option<&'static str>,
    /// Whether the move is legal by the answer; none if that is not known.
    pub legal: Option<bool>,
    /// The values of the setting that fit; all if there is no answer, or it says nothing.
    pub values: Vec<&'static str>,
}

impl Answered {
    fn new(setting: &Setting, fen: &'static str, squares: Move, answer: Result<Answer, String>) -> Answered {
        Answered { key: setting.key, fen, squares, answer, failure: None, legal: None, values: setting.values.to_vec() }
    }

    /// The answer, if it says anything about the rules.
    #[must_use]
    pub fn given(&self) -> Option<&Answer> {
        self.answer.as_ref().ok().filter(|answer| !answer.is_silent(self.squares))
    }

    /// Works out what the answer means, given the rules with each value of the setting.
    fn conclude(&mut self, by_value: &[(&'static str, Arc<Rules>)]) {
        let Some(answer) = self.given() else { return };
        let fits: Vec<(&'static str, Option<bool>)> = by_value
            .iter()
            .filter(|(_, rules)| fits_one(rules, self))
            .map(|(value, rules)| (*value, is_legal(rules, self.fen, self.squares)))
            .collect();
        let by_values = fits.first().and_then(|&(_, first)| first.filter(|_| fits.iter().all(|&(_, it)| it == first)));
        self.legal = match answer {
            Answer::Moves(moves) => Some(moves.contains(&self.squares)),
            Answer::Count(_) => by_values,
            Answer::Accepts(accepts) => Some(*accepts),
            Answer::Plays(_) => Some(true),
            Answer::Declines(_) | Answer::NoMove => Some(false),
        };
        self.values = fits.into_iter().map(|(value, _)| value).collect();
    }
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
    /// How many answers it does not explain.
    pub unexplained: usize,
}

impl Nearest {
    /// True if it explains all answers.
    #[must_use]
    pub const fn fits(&self) -> bool {
        self.unexplained == 0
    }

    /// Its rules with one setting changed.
    fn with(&self, key: &'static str, value: &'static str) -> Result<Arc<Rules>, RuleError> {
        let others = self.changes.iter().copied().filter(|(other, _)| *other != key);
        Rules::load_with(self.name, others.chain([(key, value)]))
    }
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
    /// How many answers say anything about the rules.
    #[must_use]
    pub fn given(&self) -> usize {
        self.answers.iter().filter(|answered| answered.given().is_some()).count()
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
/// [`Unasked`]: it could not be asked, or not to the end.
pub fn run(candidate: &Candidate, rules: &Arc<Rules>, limit: Limit, depth: u32) -> Result<Ruling, Unasked> {
    let mut asking = Asking::new(candidate, limit)?;
    let mut answers = Vec::new();
    for setting in &SETTINGS {
        for &(fen, text) in setting.questions {
            let Some(squares) = Move::parse(rules.board(), text) else { continue };
            let hopeless = asking.is_hopeless();
            // What went wrong before was no answer to this question.
            asking.take_failed();
            let answer =
                if hopeless { Err("the engine does not answer".to_owned()) } else { asking.ask(fen, squares)? };
            let failed = asking.take_failed().or(answer.is_err().then_some("no-answer"));
            let failure = if hopeless { Some("not-asked") } else { failed };
            answers.push(Answered { failure, ..Answered::new(setting, fen, squares, answer) });
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
    let ruling = conclude(rules, answers, counts)?;
    let impossible = asking.strange().count();
    let hints = asking.strange().hints(candidate.dialect.rules(), candidate.dialect.notation());
    let conclusion = match ruling.conclusion {
        Conclusion::Nothing => Conclusion::Nothing,
        _ if impossible > 0 => Conclusion::Unclear,
        conclusion => conclusion,
    };
    Ok(Ruling { name, ways, conclusion, impossible, hints, ..ruling })
}

/// Which rules fit answers and counts.
fn conclude(rules: &Arc<Rules>, mut answers: Vec<Answered>, mut counts: Vec<Counted>) -> Result<Ruling, RuleError> {
    let mut fitting = Vec::new();
    let mut nearest: Option<((usize, usize), Nearest, Arc<Rules>)> = None;
    for name in NAMES {
        let base = Rules::load(name)?;
        if !applies_to(&base)? {
            continue;
        }
        let fits = unexplained(&base, &answers) == 0;
        if fits && counts.iter().all(|counted| count(&base, counted) == Some(counted.nodes)) {
            fitting.push(name);
        }
        let (changes, changed) = changes(name, &answers)?;
        let unexplained = unexplained(&changed, &answers);
        // One that explains more is nearer, however many changes that takes.
        let distance = (unexplained, changes.len());
        if nearest.as_ref().is_none_or(|(least, ..)| distance < *least) {
            nearest = Some((distance, Nearest { name, changes, unexplained }, changed));
        }
    }
    let (nearest, found) = match nearest {
        Some((_, nearest, found)) => (nearest, found),
        None => {
            let base = Rules::load(BASE)?;
            let unexplained = unexplained(&base, &answers);
            (Nearest { name: BASE, changes: Vec::new(), unexplained }, base)
        }
    };
    for setting in &SETTINGS {
        // Everything else is as in the nearest rule set.
        let with = |&value| Ok((value, nearest.with(setting.key, value)?));
        let by_value = setting.values.iter().map(with).collect::<Result<Vec<_>, RuleError>>()?;
        let about = answers.iter_mut().filter(|answered| answered.key == setting.key);
        about.for_each(|answered| answered.conclude(&by_value));
    }
    for counted in &mut counts {
        counted.expected = count(&found, counted).unwrap_or(0);
    }
    let asked_fits =
        unexplained(rules, &answers) == 0 && counts.iter().all(|counted| count(rules, counted) == Some(counted.nodes));
    let conclusion = match () {
        () if counts.is_empty() && answers.iter().all(|answered| answered.given().is_none()) => Conclusion::Nothing,
        () if !nearest.fits() || counts.iter().any(|counted| counted.nodes != counted.expected) => Conclusion::Unclear,
        () if answers.iter().filter_map(Answered::given).all(Answer::is_sure) => Conclusion::Certain,
        () => Conclusion::Likely,
    };
    let undecided = SETTINGS.iter().filter(|setting| {
        let mut about = answers.iter().filter(|answered| answered.key == setting.key);
        about.all(|answered| answered.values.len() == setting.values.len())
    });
    let undecided = undecided.map(|setting| setting.key).collect();
    let mut failures = BTreeMap::new();
    // An engine need not know what to do with a position that its rules do not have.
    for answered in answers.iter().filter(|answered| Position::from_fen(&found, answered.fen).is_ok()) {
        answered.failure.iter().for_each(|failure| *failures.entry(*failure).or_default() += 1);
    }
    Ok(Ruling {
        name: None,
        ways: String::new(),
        answers,
        conclusion,
        undecided,
        fitting,
        nearest,
        asked_fits,
        counts,
        failures,
        impossible: 0,
        hints: Vec::new(),
    })
}

/// How many answers are not those of these rules.
fn unexplained<'a>(rules: &Rules, answers: impl IntoIterator<Item = &'a Answered>) -> usize {
    answers.into_iter().filter(|answered| !fits_one(rules, answered)).count()
}

fn fits_one(rules: &Rules, Answered { fen, squares, answer, .. }: &Answered) -> bool {
    // A position that these rules do not know tells nothing about them, and an answer about another move neither.
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
        let about = || answers.iter().filter(|answered| answered.key == setting.key);
        let mut least = unexplained(&rules, about());
        let mut best = None;
        for value in setting.values {
            if least == 0 {
                break;
            }
            let tried = Rules::load_with(name, changes.iter().copied().chain([(setting.key, *value)]))?;
            let left = unexplained(&tried, about());
            if left < least {
                least = left;
                best = Some(((setting.key, *value), tried));
            }
        }
        if let Some((change, tried)) = best {
            changes.push(change);
            rules = tried;
        }
    }
    Ok((changes, rules))
}

/// Whether a move is legal; none if the rules do not know the position.
fn is_legal(rules: &Rules, fen: &str, squares: Move) -> Option<bool> {
    Some(Position::from_fen(rules, fen).ok()?.find_move(rules, squares).is_some())
}

#[cfg(test)]
mod tests;
