//! The answer of `rules`.

use dsq_tables::board::Square;
use dsq_tables::rules::{CaptureSpec, Rules, SettingInfo, Terrain};
use serde::Serialize;

/// A rule set in the answer of `rules`.
#[derive(Serialize, Debug)]
pub struct RuleSet {
    /// Its name.
    pub name: String,
    /// What it is.
    pub title: String,
    /// What its tables are checked by.
    pub fingerprint: String,
    /// The board, the last rank first.
    pub board: Vec<String>,
    /// The animals from weak to strong.
    pub animals: Vec<AnimalLetter>,
    /// Every setting.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// Exceptions to all of them, the last one that fits counts.
    pub captures: Vec<Capture>,
    /// The rule file, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toml: Option<String>,
}

/// A setting in the answer of `rules --settings`.
#[derive(Serialize, Debug)]
pub struct Setting {
    /// Its key, with `A` and `B` for names of animals.
    pub key: &'static str,
    /// What its values are, in words.
    pub values: String,
    /// What it is where nothing is said.
    pub default: &'static str,
    /// What it means.
    pub help: &'static str,
}

impl Setting {
    /// The record of a setting.
    pub fn new(info: &SettingInfo) -> Setting {
        Setting { key: info.key, values: info.values(), default: info.default, help: info.help }
    }
}

/// An animal of a rule set.
#[derive(Serialize, Debug)]
pub struct AnimalLetter {
    /// Its letter.
    pub letter: char,
    /// Its name.
    pub name: String,
    /// Other letters that are read for it.
    pub aliases: Vec<char>,
    /// Other names that are read for it in settings.
    pub other_names: Vec<String>,
    /// White's steps as files to the right and ranks up; Black's are turned round.
    pub steps: Vec<(i8, i8)>,
    /// Where White's stands in the starting position.
    pub start: Option<String>,
    /// Where Black's stands in the starting position.
    pub black_start: Option<String>,
}

/// An exception to the capture rules.
#[derive(Serialize, Debug)]
pub struct Capture {
    /// Letter of the attacker; none for all.
    pub attacker: Option<char>,
    /// Letter of the victim; none for all.
    pub victim: Option<char>,
    /// The terrain it is taken from.
    pub from: &'static str,
    /// The terrain it is taken on.
    pub to: &'static str,
    /// Whether the capture is allowed.
    pub allowed: bool,
}

impl Capture {
    fn new(spec: &CaptureSpec) -> Capture {
        let CaptureSpec { attacker, victim, from, to, allowed } = *spec;
        Capture { attacker, victim, from: terrain(from), to: terrain(to), allowed }
    }
}

fn terrain(terrain: Terrain) -> &'static str {
    match terrain {
        Terrain::Any => "any",
        Terrain::Land => "land",
        Terrain::Water => "water",
        Terrain::Trap => "trap",
    }
}

/// The value of a setting: a number or a truth value where it is one, else text.
fn typed(value: String) -> serde_json::Value {
    match (value.parse::<bool>(), value.parse::<u32>()) {
        (Ok(truth), _) => truth.into(),
        (_, Ok(number)) => number.into(),
        _ => value.into(),
    }
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
                    aliases: animal.aliases.clone(),
                    other_names: animal.other_names.clone(),
                    steps: animal.steps.clone(),
                    start: square(animal.start[0]),
                    black_start: square(animal.start[1]),
                })
                .collect(),
            settings: settings.into_iter().map(|(key, value)| (key, typed(value))).collect(),
            captures: spec.captures.iter().map(Capture::new).collect(),
            toml,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn settings_have_the_types_they_have_in_a_rule_file() {
        let changes = [("draw-after-quiet-plies", "60"), ("elimination-wins", "false")];
        let rules = Rules::load_with("classic", changes).unwrap();
        let record = RuleSet::new(&rules, None);
        let setting = |key: &str| record.settings.get(key).cloned().unwrap();
        assert_eq!(setting("draw-after-quiet-plies"), 60);
        assert_eq!(setting("elimination-wins"), false);
        assert_eq!(setting("tiger-jumps"), "both");
        assert_eq!(setting("rat-takes-elephant"), "land");
    }
}
