//! Reads a rule file.

use super::error::RuleError;
use super::keys::{Key, WORDS_OF_KEYS};
use super::movement::movements;
use super::settings::{JumpLimit, Settings};
use super::source::{Place, Source};
use super::spec::{AnimalSpec, CaptureSpec, ORTHOGONAL, RuleSpec, Terrain, steps_of};
use super::words::Written;
use crate::board::{Board, Symmetry};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFile {
    name: String,
    #[serde(default)]
    title: String,
    board: String,
    animal: Vec<RawAnimal>,
    #[serde(default)]
    settings: toml::Table,
    #[serde(default)]
    capture: Vec<RawCapture>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a section [[animal]]")]
struct RawAnimal {
    letter: char,
    name: String,
    #[serde(default)]
    aliases: String,
    #[serde(default)]
    other_names: Vec<String>,
    steps: Option<toml::Value>,
    start: Option<String>,
    black_start: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section [[capture]]")]
struct RawCapture {
    attacker: Option<char>,
    victim: Option<char>,
    #[serde(default)]
    from: Terrain,
    #[serde(default)]
    to: Terrain,
    allowed: bool,
}

/// Reads a rule set that can be played from the text of a rule file; `source_name` is for messages.
pub(super) fn read<'a>(text: &'a str, source_name: &'a str) -> Result<(RuleSpec, Source<'a>), RuleError> {
    let (source, raw) = Source::read::<RawFile>(text, source_name)?;
    if !is_plain(&raw.name) || raw.name.starts_with('-') {
        let reason = format!("{:?} {PLAIN}, and begins with no hyphen", raw.name);
        return Err(source.refuse(&Place::section("name"), reason));
    }
    let board = Board::from_map(&raw.board);
    let board = board.map_err(|error| source.refuse(&Place::section("board"), error.to_string()))?;
    let mut animals: Vec<AnimalSpec> = Vec::new();
    for (index, raw) in raw.animal.iter().enumerate() {
        let animal = animal(raw, &board, &animals)
            .map_err(|(key, reason)| source.refuse(&Place::entry("animal", index, &raw.name).key(key), reason))?;
        animals.push(animal);
    }
    let mut captures = Vec::new();
    for (index, rule) in raw.capture.into_iter().enumerate() {
        let RawCapture { attacker, victim, from, to, allowed } = rule;
        for (key, letter) in [("attacker", attacker), ("victim", victim)] {
            if let Some(letter) = letter.filter(|&letter| !animals.iter().any(|animal| animal.letter == letter)) {
                let reason = format!("{letter:?} is not the letter of an animal of this rule set");
                return Err(source.refuse(&Place::entry("capture", index, "").key(key), reason));
            }
        }
        captures.push(CaptureSpec { attacker, victim, from, to, allowed });
    }
    let settings =
        Settings { ranks: animals.iter().map(|animal| vec![animal.letter]).collect(), ..Settings::default() };
    let mut spec = RuleSpec { name: raw.name, title: raw.title, board, animals, settings, captures };
    set_all(&mut spec, raw.settings, &source)?;
    movements(&spec).map_err(|fault| source.refuse(&fault.place, fault.reason))?;
    Ok((spec, source))
}

/// What a name must be, for messages.
const PLAIN: &str = "is not made of 1 to 64 lower-case letters, digits and hyphens";

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Reads an animal; `others` are those before it. An error is a key and what is wrong.
fn animal(raw: &RawAnimal, board: &Board, others: &[AnimalSpec]) -> Result<AnimalSpec, (&'static str, String)> {
    for (index, name) in std::iter::once(&raw.name).chain(&raw.other_names).enumerate() {
        let key = if index == 0 { "name" } else { "other-names" };
        if !is_plain(name) {
            return Err((key, format!("{name:?} {PLAIN}")));
        }
        if let Some(word) = WORDS_OF_KEYS.into_iter().find(|&word| name.split('-').any(|part| part == word)) {
            return Err((key, format!("{name:?} has the word {word:?}, which is part of the keys of settings")));
        }
        if others.iter().any(|other| other.is_called(name)) {
            return Err((key, format!("another animal is called {name:?}")));
        }
    }
    let aliases: Vec<char> = raw.aliases.chars().collect();
    for (index, letter) in std::iter::once(raw.letter).chain(aliases.iter().copied()).enumerate() {
        let key = if index == 0 { "letter" } else { "aliases" };
        if !letter.is_ascii_uppercase() {
            return Err((key, format!("{letter:?} is not a capital letter A to Z")));
        }
        if others.iter().any(|other| other.letter == letter || other.aliases.contains(&letter)) {
            return Err((key, format!("{letter} is already the letter of another animal")));
        }
        if index > 0 && (letter == raw.letter || aliases[..index - 1].contains(&letter)) {
            return Err((key, format!("{letter} stands twice")));
        }
    }
    let square = |key: &'static str, name: &Option<String>| match name {
        None => Ok(None),
        Some(name) => {
            let square =
                board.parse_square(name).ok_or_else(|| (key, format!("{name:?} is not a square of this board")));
            square.map(Some)
        }
    };
    let white = square("start", &raw.start)?;
    let black = square("black-start", &raw.black_start)?;
    Ok(AnimalSpec {
        letter: raw.letter,
        name: raw.name.clone(),
        aliases,
        other_names: raw.other_names.clone(),
        steps: steps(raw, board).map_err(|reason| ("steps", reason))?,
        jumps: JumpLimit::default(),
        jump_stopped_by: None,
        start: [white, black.or(white.map(|square| board.map(Symmetry::HalfTurn, square)))],
    })
}

fn steps(raw: &RawAnimal, board: &Board) -> Result<Vec<(i8, i8)>, String> {
    let not_steps = |found: &str| format!("{found} is not orthogonal, king, silver or a list of [files, ranks]");
    match &raw.steps {
        None => Ok(ORTHOGONAL.to_vec()),
        // A word means what there is room for; a list is taken by its word.
        Some(toml::Value::String(word)) => steps_of(word).ok_or_else(|| not_steps(&format!("{word:?}"))),
        Some(list) => {
            let entries = list.as_array().ok_or_else(|| not_steps(&list.to_string()))?;
            let step = |entry: &toml::Value| {
                entry.clone().try_into().map_err(|_| format!("{entry} is not a step: two numbers, [files, ranks]"))
            };
            let steps: Vec<(i8, i8)> = entries.iter().map(step).collect::<Result<_, String>>()?;
            let is_too_far = |&(files, ranks): &(i8, i8)| {
                (files, ranks) == (0, 0)
                    || files.unsigned_abs() >= board.files()
                    || ranks.unsigned_abs() >= board.ranks()
            };
            match steps.iter().find(|step| is_too_far(step)) {
                Some((files, ranks)) => Err(format!("[{files}, {ranks}] is not a step on this board")),
                None => Ok(steps),
            }
        }
    }
}

fn set_all(spec: &mut RuleSpec, table: toml::Table, source: &Source<'_>) -> Result<(), RuleError> {
    let mut table: Vec<_> = table.into_iter().collect();
    // The setting for all comes first, so that it does not undo the one for a single animal.
    table.sort_by_key(|(key, _)| key != "jump-stopped-by");
    let mut said: Vec<(Key, String)> = Vec::new();
    for (word, value) in table {
        let refuse = |reason: String| source.refuse(&Place::setting(&word), reason);
        let value = match &value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Boolean(_) | toml::Value::Integer(_) => value.to_string(),
            _ => return Err(refuse("expected text in quotes, a number, true or false".into())),
        };
        let written = Written { key: &word, value: value.trim() };
        let key = Key::read(&spec.animals, &word).and_then(|key| {
            spec.settings.set(&mut spec.animals, &key, &written)?;
            Ok(key)
        });
        let key = key.map_err(|error| match error {
            // The field says which setting it is.
            RuleError::UnknownSetting { reason, .. } => refuse(reason),
            RuleError::SettingValue { value, expected, .. } => {
                refuse(format!("value {value:?} is not possible: {expected}"))
            }
            other => other,
        })?;
        if let Some((_, other)) = said.iter().find(|(other, _)| *other == key) {
            return Err(refuse(format!("it is the same as settings.{other}")));
        }
        said.push((key, word));
    }
    Ok(())
}
