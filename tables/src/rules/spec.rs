//! A rule set as it is written: the TOML file.

use super::keys::Key;
use super::settings::{JumpLimit, JumpStop, Settings};
use super::source::Place;
use super::words::Written;
use super::{NAMES, RuleError, file, named};
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

pub(super) const ORTHOGONAL: [(i8, i8); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// The steps that have a name.
pub(super) fn steps_of(word: &str) -> Option<Vec<(i8, i8)>> {
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
        let (spec, source) = file::read(&text, name_or_path)?;
        if NAMES.contains(&spec.name.as_str()) && named::text(&spec.name) != Some(&text) {
            let named = RuleSpec::load(&spec.name)?;
            if super::Rules::compile(named)?.fingerprint() != super::Rules::compile(spec.clone())?.fingerprint() {
                let reason = format!(
                    "{:?} is the name of a rule set that comes with the program, and these rules differ; choose another name",
                    spec.name
                );
                return Err(source.refuse(&Place::section("name"), reason));
            }
        }
        Ok(spec)
    }

    /// Reads a rule set from the text of a rule file; `source_name` is for messages. What can be read can be played: it
    /// compiles.
    ///
    /// # Errors
    /// [`RuleError`] names the line and the field.
    pub fn parse(text: &str, source_name: &str) -> Result<RuleSpec, RuleError> {
        file::read(text, source_name).map(|(spec, _)| spec)
    }

    /// Changes one setting, as `--set KEY=VALUE` does.
    ///
    /// # Errors
    /// [`RuleError::UnknownSetting`] or [`RuleError::SettingValue`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), RuleError> {
        let written = Written { key: key.trim(), value: value.trim() };
        let key = Key::read(&self.animals, key)?;
        self.settings.set(&mut self.animals, &key, &written)
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
