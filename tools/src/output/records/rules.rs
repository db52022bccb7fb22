//! The answer of `rules`.

use dsq_tables::board::Square;
use dsq_tables::rules::Rules;
use serde::Serialize;

/// A rule set in the answer of `rules`.
#[derive(Serialize, Debug)]
pub struct RuleSet {
    /// Its name.
    pub name: String,
    /// What it is.
    pub title: String,
    /// What its tables are held against.
    pub fingerprint: String,
    /// The board, the last rank first.
    pub board: Vec<String>,
    /// The animals from weak to strong.
    pub animals: Vec<AnimalLetter>,
    /// Every setting.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The rule file, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toml: Option<String>,
}

/// An animal of a rule set.
#[derive(Serialize, Debug)]
pub struct AnimalLetter {
    /// Its letter.
    pub letter: char,
    /// Its name.
    pub name: String,
    /// Where White's stands in the first position.
    pub start: Option<String>,
    /// Where Black's stands in the first position.
    pub black_start: Option<String>,
}

impl RuleSet {
    /// The record of a rule set.
    pub fn new(rules: &Rules, toml: Option<String>) -> RuleSet {
        let spec = rules.spec();
        let square = |square: Option<Square>| square.map(|square| rules.board().name(square));
        let animals = rules.animals().map(|animal| rules.animal(animal));
        let settings = spec.settings.to_pairs(&spec.animals);
        RuleSet {
            name: rules.name().to_owned(),
            title: spec.title.clone(),
            fingerprint: format!("{:016x}", rules.fingerprint()),
            board: rules.board().to_map().lines().map(str::to_owned).collect(),
            animals: animals
                .map(|animal| AnimalLetter {
                    letter: animal.letter,
                    name: animal.name.clone(),
                    start: square(animal.start[0]),
                    black_start: square(animal.start[1]),
                })
                .collect(),
            settings: settings.into_iter().map(|(key, value)| (key, value.into())).collect(),
            toml,
        }
    }
}
