//! The settings of a rule set: every row in which the rules people play differ.
//!
//! A setting is a key and a value, the same in a rule file and on the command line. Keys that speak of animals are made
//! from the names of the animals of the rule set, so that no animal is special here.

use super::RuleError;
use super::spec::AnimalSpec;
use std::collections::BTreeMap;

/// The keys of all settings, for messages.
pub const SETTING_KEYS: &str = "ranks, swimmers, A-takes-B, A-takes-trapped-B, A-takes-B-from-water, \
     A-takes-B-into-water, shore-captures, A-jumps, jump-stopped-by, A-jump-stopped-by, traps, trap-immune, trap-barred, \
     trapped-can-capture, own-den, no-move, elimination-wins, draw-after-quiet-plies (A and B: names of animals)";

/// Whether one animal takes another where neither is weakened by a trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Not at all (`false`, `never`).
    Never,
    /// From land to land (`land`).
    Land,
    /// From land to land and from water to water (`true`).
    Same,
    /// Also across the shore, both ways (`always`).
    Always,
}

/// What differs from rank order for one attacker and one victim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairRule {
    /// Whether it takes a free victim; by rank if not said.
    pub takes: Option<Takes>,
    /// Whether it takes a victim that a trap weakens; yes if not said.
    pub takes_trapped: Option<bool>,
    /// Whether it takes from water to land.
    pub from_water: Option<bool>,
    /// Whether it takes from land into water.
    pub into_water: Option<bool>,
}

/// Which pieces on the squares in between stop a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JumpStop {
    /// Any piece.
    #[default]
    Any,
    /// Only a piece of the other side.
    Enemy,
    /// None.
    None,
}

/// Which jumps an animal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JumpLimit {
    /// Sideways, along a rank.
    pub along_ranks: bool,
    /// Lengthwise, along a file.
    pub along_files: bool,
    /// The most squares that can be jumped over; no limit if not said.
    pub longest: Option<u8>,
}

/// Whom a trap weakens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Traps {
    /// A piece in a trap of the other side.
    #[default]
    Intruders,
    /// Every piece in any trap.
    Universal,
    /// Nobody.
    None,
}

/// Animals that may not enter traps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrapBar {
    /// The letters of the animals.
    pub animals: Vec<char>,
    /// Only the traps of their own side are closed to them.
    pub own_only: bool,
}

/// The result for a side that has no legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NoMove {
    /// It has lost.
    #[default]
    Loss,
    /// The game is drawn.
    Draw,
}

/// All settings of a rule set, resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Letters from weak to strong; letters of one group are equal.
    pub ranks: Vec<Vec<char>>,
    /// Letters of the animals that enter the water.
    pub swimmers: Vec<char>,
    /// Exceptions to rank order: letters of attacker and victim.
    pub pairs: BTreeMap<(char, char), PairRule>,
    /// Whether captures across the shore are allowed where no pair says otherwise.
    pub shore_captures: bool,
    /// What stops a jump.
    pub jump_stopped_by: JumpStop,
    /// Whom traps weaken.
    pub traps: Traps,
    /// Letters of the animals that traps do not weaken.
    pub trap_immune: Vec<char>,
    /// Who may not enter traps.
    pub trap_barred: TrapBar,
    /// Whether a weakened piece can capture.
    pub trapped_can_capture: bool,
    /// Whether a piece may enter its own den (and then not capture out of it).
    pub own_den: bool,
    /// The result of a side without a move.
    pub no_move: NoMove,
    /// Whether a side without pieces has lost.
    pub elimination_wins: bool,
    /// A draw after so many plies without a capture; 0 for no such rule. Not part of distance to win.
    pub draw_after_quiet_plies: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            ranks: Vec::new(),
            swimmers: Vec::new(),
            pairs: BTreeMap::new(),
            shore_captures: false,
            jump_stopped_by: JumpStop::default(),
            traps: Traps::default(),
            trap_immune: Vec::new(),
            trap_barred: TrapBar::default(),
            trapped_can_capture: true,
            own_den: false,
            no_move: NoMove::default(),
            elimination_wins: true,
            draw_after_quiet_plies: 0,
        }
    }
}

/// A key and a value as they were written, to report them.
struct Written<'a> {
    key: &'a str,
    value: &'a str,
}

impl Written<'_> {
    fn refuse(&self, expected: impl Into<String>) -> RuleError {
        RuleError::SettingValue { key: self.key.to_owned(), value: self.value.to_owned(), expected: expected.into() }
    }

    fn boolean(&self) -> Result<bool, RuleError> {
        self.choice(&[("true", true), ("false", false)])
    }

    fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, RuleError> {
        choices.iter().find(|(word, _)| *word == self.value).map(|&(_, meaning)| meaning).ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
            self.refuse(format!("it is one of {}", words.join(", ")))
        })
    }

    fn letters(&self, text: &str, animals: &[AnimalSpec]) -> Result<Vec<char>, RuleError> {
        let mut letters = Vec::new();
        for letter in text.chars().filter(|c| !matches!(c, ' ' | ',')) {
            if !animals.iter().any(|animal| animal.letter == letter) {
                return Err(self.refuse(format!("{letter:?} is not the letter of an animal of this rule set")));
            }
            if letters.contains(&letter) {
                return Err(self.refuse(format!("{letter} stands twice")));
            }
            letters.push(letter);
        }
        Ok(letters)
    }

    fn ranks(&self, animals: &[AnimalSpec]) -> Result<Vec<Vec<char>>, RuleError> {
        let mut groups: Vec<Vec<char>> = Vec::new();
        let mut tie = false;
        for letter in self.value.chars() {
            match letter {
                ' ' | ',' => continue,
                '(' | '[' if !tie => {
                    groups.push(Vec::new());
                    tie = true;
                }
                ')' | ']' if tie => tie = false,
                _ if animals.iter().any(|animal| animal.letter == letter) => {
                    if groups.iter().flatten().any(|&other| other == letter) {
                        return Err(self.refuse(format!("{letter} stands twice")));
                    }
                    match groups.last_mut() {
                        Some(group) if tie => group.push(letter),
                        _ => groups.push(vec![letter]),
                    }
                }
                _ => {
                    return Err(self.refuse(format!(
                        "at {letter:?}: it is the letters of all animals from weak to strong, ties in brackets"
                    )));
                }
            }
        }
        let missing = animals.iter().find(|animal| !groups.iter().flatten().any(|&letter| letter == animal.letter));
        match missing {
            Some(animal) => Err(self.refuse(format!("{} ({}) is missing", animal.letter, animal.name))),
            None if tie || groups.iter().any(Vec::is_empty) => Err(self.refuse("a bracket is left open or empty")),
            None => Ok(groups),
        }
    }

    fn jumps(&self) -> Result<JumpLimit, RuleError> {
        let expected =
            "it is none, ranks, files or both, with the longest span after a colon where there is one (both:2)";
        let (directions, span) = match self.value.split_once(':') {
            Some((directions, span)) => (directions, Some(span)),
            None => (self.value, None),
        };
        let (along_ranks, along_files) = match directions.trim() {
            "none" => (false, false),
            "ranks" => (true, false),
            "files" => (false, true),
            "both" => (true, true),
            _ => return Err(self.refuse(expected)),
        };
        let longest = match span.map(|span| span.trim().parse::<u8>()) {
            None => None,
            Some(Ok(span)) if span > 0 => Some(span),
            Some(_) => return Err(self.refuse(expected)),
        };
        Ok(JumpLimit { along_ranks, along_files, longest })
    }
}

const JUMP_STOPS: [(&str, JumpStop); 3] =
    [("any", JumpStop::Any), ("enemy", JumpStop::Enemy), ("none", JumpStop::None)];
const TRAPS: [(&str, Traps); 3] =
    [("intruders", Traps::Intruders), ("universal", Traps::Universal), ("none", Traps::None)];
const NO_MOVES: [(&str, NoMove); 2] = [("loss", NoMove::Loss), ("draw", NoMove::Draw)];
const OWN_DEN: [(&str, bool); 2] = [("forbidden", false), ("allowed", true)];
const SHORE: [(&str, bool); 2] = [("none", false), ("any", true)];
const TAKES: [(&str, Takes); 5] = [
    ("true", Takes::Same),
    ("false", Takes::Never),
    ("never", Takes::Never),
    ("land", Takes::Land),
    ("always", Takes::Always),
];

/// Why a setting of the source texts cannot be one here.
const NOT_OF_THE_POSITION: [(&str, &str); 3] = [
    (
        "hidden-pieces",
        "hidden pieces are not a function of the position, so no table over positions can hold their value",
    ),
    (
        "turns-in-water",
        "turns spent in the water are history, not position, so no table over positions can hold the value",
    ),
    ("turns-in-den", "turns spent in the den are history, not position, so no table over positions can hold the value"),
];

impl Settings {
    /// Changes one setting. `animals` are those of the rule set; settings of one animal alone are kept there.
    ///
    /// # Errors
    /// [`RuleError::UnknownSetting`] or [`RuleError::SettingValue`].
    pub(super) fn set(&mut self, animals: &mut [AnimalSpec], key: &str, value: &str) -> Result<(), RuleError> {
        let key = key.trim();
        let written = Written { key, value: value.trim() };
        match key {
            "ranks" => self.ranks = written.ranks(animals)?,
            "swimmers" => self.swimmers = written.letters(written.value, animals)?,
            "shore-captures" => self.shore_captures = written.choice(&SHORE)?,
            "jump-stopped-by" => {
                self.jump_stopped_by = written.choice(&JUMP_STOPS)?;
                // "For all": an earlier word on one animal no longer counts.
                animals.iter_mut().for_each(|animal| animal.jump_stopped_by = None);
            }
            "traps" => self.traps = written.choice(&TRAPS)?,
            "trap-immune" => self.trap_immune = written.letters(written.value, animals)?,
            "trap-barred" => {
                let own = written.value.strip_prefix("own:");
                let letters = written.letters(own.unwrap_or(written.value), animals)?;
                self.trap_barred = TrapBar { own_only: own.is_some() && !letters.is_empty(), animals: letters };
            }
            "trapped-can-capture" => self.trapped_can_capture = written.boolean()?,
            "own-den" => self.own_den = written.choice(&OWN_DEN)?,
            "no-move" => self.no_move = written.choice(&NO_MOVES)?,
            "elimination-wins" => self.elimination_wins = written.boolean()?,
            "draw-after-quiet-plies" => {
                self.draw_after_quiet_plies =
                    written.value.parse().map_err(|_| written.refuse("it is a number of plies, 0 for none"))?;
            }
            _ => return self.set_of_animals(animals, &written),
        }
        Ok(())
    }

    /// The settings whose keys hold names of animals.
    fn set_of_animals(&mut self, animals: &mut [AnimalSpec], written: &Written<'_>) -> Result<(), RuleError> {
        let hint = hint_at(animals, written.key);
        let unknown = || RuleError::UnknownSetting { key: written.key.to_owned(), hint: hint.clone() };
        if let Some((_, reason)) = NOT_OF_THE_POSITION.iter().find(|(key, _)| *key == written.key) {
            return Err(written.refuse(*reason));
        }
        let letter = |name: &str| animals.iter().find(|animal| animal.is_called(name)).map(|animal| animal.letter);
        if let Some((attacker, rest)) = written.key.split_once("-takes-") {
            let attacker = letter(attacker).ok_or_else(unknown)?;
            let (trapped, rest) = rest.strip_prefix("trapped-").map_or((false, rest), |rest| (true, rest));
            if let (true, Some(victim)) = (trapped, letter(rest)) {
                self.pairs.entry((attacker, victim)).or_default().takes_trapped = Some(written.boolean()?);
            } else if let (false, Some(victim)) = (trapped, letter(rest)) {
                self.pairs.entry((attacker, victim)).or_default().takes = Some(written.choice(&TAKES)?);
            } else if let (false, Some(victim)) = (trapped, rest.strip_suffix("-from-water").and_then(letter)) {
                self.pairs.entry((attacker, victim)).or_default().from_water = Some(written.boolean()?);
            } else if let (false, Some(victim)) = (trapped, rest.strip_suffix("-into-water").and_then(letter)) {
                self.pairs.entry((attacker, victim)).or_default().into_water = Some(written.boolean()?);
            } else {
                return Err(unknown());
            }
            return Ok(());
        }
        let of_one = |suffix: &str| {
            let name = written.key.strip_suffix(suffix)?;
            animals.iter().position(|animal| animal.is_called(name))
        };
        if let Some(index) = of_one("-jump-stopped-by") {
            animals[index].jump_stopped_by = Some(written.choice(&JUMP_STOPS)?);
        } else if let Some(index) = of_one("-jumps") {
            animals[index].jumps = written.jumps()?;
        } else {
            return Err(unknown());
        }
        Ok(())
    }

    /// Every setting as key and value, in an order that never changes; what [`RuleSpec::set`](super::RuleSpec::set) reads.
    #[must_use]
    pub fn to_pairs(&self, animals: &[AnimalSpec]) -> Vec<(String, String)> {
        let name = |letter: char| {
            animals.iter().find(|animal| animal.letter == letter).map_or_else(String::new, |animal| animal.name.clone())
        };
        let ranks: Vec<String> = self
            .ranks
            .iter()
            .map(|group| {
                let letters: String = group.iter().collect();
                if group.len() == 1 { letters } else { format!("({letters})") }
            })
            .collect();
        let letters = |letters: &[char]| letters.iter().collect::<String>();
        let mut pairs: Vec<(String, String)> =
            vec![("ranks".into(), ranks.join(" ")), ("swimmers".into(), letters(&self.swimmers))];
        for (&(attacker, victim), rule) in &self.pairs {
            let (attacker, victim) = (name(attacker), name(victim));
            if let Some(takes) = rule.takes {
                pairs.push((format!("{attacker}-takes-{victim}"), word(&TAKES, takes)));
            }
            if let Some(takes) = rule.takes_trapped {
                pairs.push((format!("{attacker}-takes-trapped-{victim}"), takes.to_string()));
            }
            if let Some(takes) = rule.from_water {
                pairs.push((format!("{attacker}-takes-{victim}-from-water"), takes.to_string()));
            }
            if let Some(takes) = rule.into_water {
                pairs.push((format!("{attacker}-takes-{victim}-into-water"), takes.to_string()));
            }
        }
        pairs.push(("shore-captures".into(), word(&SHORE, self.shore_captures)));
        for animal in animals {
            pairs.push((format!("{}-jumps", animal.name), animal.jumps.to_string()));
        }
        pairs.push(("jump-stopped-by".into(), word(&JUMP_STOPS, self.jump_stopped_by)));
        for animal in animals {
            if let Some(stop) = animal.jump_stopped_by {
                pairs.push((format!("{}-jump-stopped-by", animal.name), word(&JUMP_STOPS, stop)));
            }
        }
        let own = if self.trap_barred.own_only { "own:" } else { "" };
        pairs.extend([
            ("traps".into(), word(&TRAPS, self.traps)),
            ("trap-immune".into(), letters(&self.trap_immune)),
            ("trap-barred".into(), format!("{own}{}", letters(&self.trap_barred.animals))),
            ("trapped-can-capture".into(), self.trapped_can_capture.to_string()),
            ("own-den".into(), word(&OWN_DEN, self.own_den)),
            ("no-move".into(), word(&NO_MOVES, self.no_move)),
            ("elimination-wins".into(), self.elimination_wins.to_string()),
            ("draw-after-quiet-plies".into(), self.draw_after_quiet_plies.to_string()),
        ]);
        pairs
    }
}

/// What may be wrong with a key: the name of an animal, or a letter too few or too many.
fn hint_at(animals: &[AnimalSpec], key: &str) -> String {
    let names: Vec<&str> = animals.iter().map(|animal| animal.name.as_str()).collect();
    let unknown = |name: &str| !animals.iter().any(|animal| animal.is_called(name));
    let mut parts: Vec<&str> = Vec::new();
    if let Some((attacker, rest)) = key.split_once("-takes-") {
        let rest = rest.strip_prefix("trapped-").unwrap_or(rest);
        let victim = rest.strip_suffix("-from-water").or_else(|| rest.strip_suffix("-into-water")).unwrap_or(rest);
        parts = vec![attacker, victim];
    } else if let Some(name) = key.strip_suffix("-jump-stopped-by").or_else(|| key.strip_suffix("-jumps")) {
        parts = vec![name];
    }
    if let Some(name) = parts.into_iter().find(|name| unknown(name)) {
        return format!("{name:?} is not an animal of this rule set ({})", names.join(", "));
    }
    let plain = SETTING_KEYS.split(' ').map(|word| word.trim_end_matches(','));
    let of_animals = names.iter().flat_map(|name| [format!("{name}-jumps"), format!("{name}-jump-stopped-by")]);
    let close = plain.map(str::to_owned).chain(of_animals).find(|other| {
        let (short, long) = if key.len() < other.len() { (key, other.as_str()) } else { (other.as_str(), key) };
        long.len() - short.len() <= 1 && long.starts_with(short) && short.len() > 3 || key.replace('_', "-") == *other
    });
    match close {
        Some(close) => format!("is {close} meant?"),
        None => format!("the settings are {SETTING_KEYS}"),
    }
}

fn word<T: PartialEq>(words: &[(&str, T)], meaning: T) -> String {
    words.iter().find(|(_, other)| *other == meaning).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

impl std::fmt::Display for JumpLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match (self.along_ranks, self.along_files) {
            (false, false) => "none",
            (true, false) => "ranks",
            (false, true) => "files",
            (true, true) => "both",
        })?;
        match self.longest {
            Some(span) => write!(f, ":{span}"),
            None => Ok(()),
        }
    }
}
