//! A rule set as it is written: the TOML file.

use super::settings::{JumpLimit, JumpStop, Settings};
use super::{MAX_ANIMALS, NAMES, RuleError, named};
use crate::board::{Board, Square};
use serde::Deserialize;
use std::path::Path;

/// A rule set as it is written: name, board, animals, settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSpec {
    /// The name, which is also the name of the folder of its tables.
    pub name: String,
    /// One line on what it is and where it comes from.
    pub title: String,
    /// The board.
    pub board: Board,
    /// The animals in the order of the file.
    pub animals: Vec<AnimalSpec>,
    /// The settings.
    pub settings: Settings,
    /// The general form of capture rules: exceptions to everything else, the last one that fits counts.
    pub captures: Vec<CaptureSpec>,
}

/// An animal as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnimalSpec {
    /// Its upper-case letter.
    pub letter: char,
    /// Its name, lower case.
    pub name: String,
    /// Other upper-case letters that are read for it.
    pub aliases: Vec<char>,
    /// Other names that are read for it in settings.
    pub other_names: Vec<String>,
    /// Its steps for White as files to the right and ranks up; turned by 180 degrees for Black.
    pub steps: Vec<(i8, i8)>,
    /// Its jumps over water.
    pub jumps: JumpLimit,
    /// What stops its jumps, where that differs from the setting for all.
    pub jump_stopped_by: Option<JumpStop>,
    /// The start squares of White's and Black's animal; none where it is not in the first position.
    pub start: [Option<Square>; 2],
}

impl AnimalSpec {
    /// True if this is its name or another name read for it.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.other_names.iter().any(|other| other == name)
    }
}

/// An exception to the capture rules in its general form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureSpec {
    /// Letter of the attacker; none for all.
    pub attacker: Option<char>,
    /// Letter of the victim; none for all.
    pub victim: Option<char>,
    /// The terrain it is taken from.
    pub from: Terrain,
    /// The terrain it is taken on.
    pub to: Terrain,
    /// Whether the capture is allowed.
    pub allowed: bool,
}

/// The kind of a square in a capture rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terrain {
    /// Every square.
    #[default]
    Any,
    /// Not water.
    Land,
    /// Water.
    Water,
    /// A trap of either side.
    Trap,
}

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
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
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
#[serde(deny_unknown_fields)]
struct RawCapture {
    attacker: Option<char>,
    victim: Option<char>,
    #[serde(default)]
    from: Terrain,
    #[serde(default)]
    to: Terrain,
    allowed: bool,
}

const ORTHOGONAL: [(i8, i8); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// The steps that have a name.
fn steps_of(word: &str) -> Option<Vec<(i8, i8)>> {
    match word {
        "orthogonal" => Some(ORTHOGONAL.to_vec()),
        "king" => Some(ORTHOGONAL.iter().chain(&DIAGONAL).copied().collect()),
        "silver" => Some(std::iter::once((0, 1)).chain(DIAGONAL).collect()),
        _ => None,
    }
}

impl RuleSpec {
    /// A rule set by name, or from a file if there is no such name.
    ///
    /// # Errors
    /// [`RuleError`]: no such name or file, or what is wrong in it.
    pub fn load(name_or_path: &str) -> Result<RuleSpec, RuleError> {
        if let Some(text) = named::text(name_or_path) {
            return RuleSpec::parse(text, name_or_path);
        }
        let path = Path::new(name_or_path);
        if !path.is_file() {
            if path.exists() {
                let reason = "it is not a regular file".to_owned();
                return Err(RuleError::Unreadable { path: name_or_path.to_owned(), reason });
            }
            let name: String = name_or_path.chars().take(100).collect();
            return Err(RuleError::UnknownName { name });
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| RuleError::Unreadable { path: name_or_path.to_owned(), reason: error.to_string() })?;
        let spec = RuleSpec::parse(&text, name_or_path)?;
        if NAMES.contains(&spec.name.as_str()) && named::text(&spec.name) != Some(&text) {
            let named = RuleSpec::load(&spec.name)?;
            if super::Rules::compile(named)?.fingerprint() != super::Rules::compile(spec.clone())?.fingerprint() {
                let reason = format!(
                    "{:?} is the name of a rule set that comes with the program, and these rules differ; choose another name",
                    spec.name
                );
                return Err(RuleError::Field { source_name: name_or_path.to_owned(), field: "name".into(), reason });
            }
        }
        Ok(spec)
    }

    /// Reads a rule set from the text of a rule file; `source_name` is for messages.
    ///
    /// # Errors
    /// [`RuleError`] names the line or the field.
    pub fn parse(text: &str, source_name: &str) -> Result<RuleSpec, RuleError> {
        let raw: RawFile = toml::from_str(text).map_err(|error| RuleError::Syntax {
            source_name: source_name.to_owned(),
            line: error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1),
            reason: error.message().replace('\n', " "),
        })?;
        let refuse =
            |field: String, reason: String| RuleError::Field { source_name: source_name.to_owned(), field, reason };
        let name_is_plain = |name: &str| {
            !name.is_empty()
                && name.len() <= 64
                && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        if !name_is_plain(&raw.name) || raw.name.starts_with('-') {
            let reason = format!("{:?} is not made of at most 64 lower-case letters, digits and hyphens", raw.name);
            return Err(refuse("name".into(), reason));
        }
        let board = Board::from_map(&raw.board)
            .map_err(|error| refuse("board".into(), error.to_string().replacen("board: ", "", 1)))?;
        if raw.animal.is_empty() || raw.animal.len() > MAX_ANIMALS {
            let reason = format!("{} animals; between 1 and {MAX_ANIMALS} are possible", raw.animal.len());
            return Err(refuse("animal".into(), reason));
        }
        let mut animals: Vec<AnimalSpec> = Vec::new();
        for (index, animal) in raw.animal.into_iter().enumerate() {
            let field = |part: &str| format!("animal {} ({:?}): {part}", index + 1, animal.name);
            if !name_is_plain(&animal.name) {
                return Err(refuse(
                    field("name"),
                    "it is made of at most 64 lower-case letters, digits and hyphens".into(),
                ));
            }
            let letters: Vec<char> = std::iter::once(animal.letter).chain(animal.aliases.chars()).collect();
            for &letter in &letters {
                let taken = |other: &AnimalSpec| other.letter == letter || other.aliases.contains(&letter);
                if !letter.is_ascii_uppercase() {
                    return Err(refuse(field("letter"), format!("{letter:?} is not a capital letter A to Z")));
                }
                if animals.iter().any(taken) || letters.iter().filter(|&&other| other == letter).count() > 1 {
                    return Err(refuse(field("letter"), format!("{letter} is already the letter of another animal")));
                }
            }
            if animals.iter().any(|other| other.is_called(&animal.name)) {
                return Err(refuse(field("name"), "another animal has that name".into()));
            }
            let bad_steps = |found: &str| {
                let reason = format!("{found} is not orthogonal, king, silver or a list of [files, ranks]");
                refuse(field("steps"), reason)
            };
            let (steps, named) = match &animal.steps {
                None => (ORTHOGONAL.to_vec(), true),
                Some(toml::Value::String(word)) => {
                    (steps_of(word).ok_or_else(|| bad_steps(&format!("{word:?}")))?, true)
                }
                Some(list) => {
                    let steps: Result<Vec<(i8, i8)>, _> = list.clone().try_into();
                    (steps.map_err(|_| bad_steps(&list.to_string()))?, false)
                }
            };
            let out_of_range = |&(files, ranks): &(i8, i8)| {
                (files, ranks) == (0, 0)
                    || files.unsigned_abs() >= board.files()
                    || ranks.unsigned_abs() >= board.ranks()
            };
            // A word means what there is room for; a list is taken by its word.
            if let Some(step) = steps.iter().find(|step| out_of_range(step) && !named) {
                return Err(refuse(field("steps"), format!("{step:?} is not a step on this board")));
            }
            let square = |part: &str, name: &Option<String>| match name {
                None => Ok(None),
                Some(name) => board
                    .parse_square(name)
                    .map(Some)
                    .ok_or_else(|| refuse(field(part), format!("{name:?} is not a square of this board"))),
            };
            let white = square("start", &animal.start)?;
            let black = match square("black-start", &animal.black_start)? {
                Some(square) => Some(square),
                None => white.map(|square| board.map(crate::board::Symmetry::HalfTurn, square)),
            };
            animals.push(AnimalSpec {
                letter: animal.letter,
                aliases: animal.aliases.chars().collect(),
                other_names: animal.other_names.clone(),
                steps,
                jumps: JumpLimit::default(),
                jump_stopped_by: None,
                start: [white, black],
                name: animal.name,
            });
        }
        let settings =
            Settings { ranks: animals.iter().map(|animal| vec![animal.letter]).collect(), ..Settings::default() };
        let known = |letter: Option<char>| letter.is_none_or(|l| animals.iter().any(|animal| animal.letter == l));
        let mut captures = Vec::new();
        for (index, rule) in raw.capture.into_iter().enumerate() {
            if !known(rule.attacker) || !known(rule.victim) {
                let reason = "attacker and victim are letters of animals of this rule set".to_owned();
                return Err(refuse(format!("capture {}", index + 1), reason));
            }
            let RawCapture { attacker, victim, from, to, allowed } = rule;
            captures.push(CaptureSpec { attacker, victim, from, to, allowed });
        }
        let mut spec = RuleSpec { name: raw.name, title: raw.title, board, animals, settings, captures };
        // The setting for all comes first, so that it does not undo the one for a single animal.
        let mut settings: Vec<_> = raw.settings.into_iter().collect();
        settings.sort_by_key(|(key, _)| key != "jump-stopped-by");
        for (key, value) in settings {
            let text = match &value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Boolean(_) | toml::Value::Integer(_) => value.to_string(),
                _ => return Err(refuse(format!("settings.{key}"), "it is a word, a number, true or false".into())),
            };
            spec.set(&key, &text).map_err(|error| {
                let reason = match error {
                    RuleError::SettingValue { value, expected, .. } => {
                        format!("value {value:?} is not possible: {expected}")
                    }
                    other => other.to_string(),
                };
                refuse(format!("settings.{key}"), reason)
            })?;
        }
        Ok(spec)
    }

    /// Changes one setting, as `--set KEY=VALUE` does.
    ///
    /// # Errors
    /// [`RuleError::UnknownSetting`] or [`RuleError::SettingValue`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), RuleError> {
        self.settings.set(&mut self.animals, key, value)
    }

    /// The rule file of this rule set; [`RuleSpec::parse`] reads it back to the same.
    #[must_use]
    pub fn to_toml(&self) -> String {
        use std::fmt::Write as _;
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = String::from("# Another name is needed where other rules are written below.\n");
        let _ = write!(text, "name = {}\ntitle = {}\n", quoted(&self.name), quoted(&self.title));
        let _ = write!(
            text,
            "\n# the last rank first: . land, ~ water, D d dens of White and Black, T t their traps\nboard = \"\"\"\n{}\"\"\"\n",
            self.board.to_map()
        );
        text.push_str("\n[settings]\n");
        for (key, value) in self.settings.to_pairs(&self.animals) {
            let plain = matches!(value.as_str(), "true" | "false") || value.parse::<u32>().is_ok();
            let _ = writeln!(text, "{key} = {}", if plain { value } else { quoted(&value) });
        }
        for animal in &self.animals {
            let _ = writeln!(text, "\n[[animal]]\nletter = \"{}\"\nname = {}", animal.letter, quoted(&animal.name));
            if !animal.aliases.is_empty() {
                let _ = writeln!(text, "aliases = {}", quoted(&animal.aliases.iter().collect::<String>()));
            }
            if !animal.other_names.is_empty() {
                let names: Vec<String> = animal.other_names.iter().map(|name| quoted(name)).collect();
                let _ = writeln!(text, "other-names = [{}]", names.join(", "));
            }
            if let Some(word) =
                ["orthogonal", "king", "silver"].into_iter().find(|word| steps_of(word) == Some(animal.steps.clone()))
            {
                let _ = writeln!(text, "steps = \"{word}\"");
            } else {
                let steps: Vec<String> = animal.steps.iter().map(|(f, r)| format!("[{f}, {r}]")).collect();
                let _ = writeln!(text, "steps = [{}]", steps.join(", "));
            }
            for (key, square) in [("start", animal.start[0]), ("black-start", animal.start[1])] {
                if let Some(square) = square {
                    let _ = writeln!(text, "{key} = \"{}\"", self.board.name(square));
                }
            }
        }
        for rule in &self.captures {
            text.push_str("\n[[capture]]\n");
            for (key, letter) in [("attacker", rule.attacker), ("victim", rule.victim)] {
                if let Some(letter) = letter {
                    let _ = writeln!(text, "{key} = \"{letter}\"");
                }
            }
            for (key, terrain) in [("from", rule.from), ("to", rule.to)] {
                let _ = writeln!(text, "{key} = \"{}\"", format!("{terrain:?}").to_lowercase());
            }
            let _ = writeln!(text, "allowed = {}", rule.allowed);
        }
        text
    }
}
