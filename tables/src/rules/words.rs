//! How the values of settings are read and written.

use super::error::RuleError;
use super::settings::{JumpLimit, JumpStop, NoMove, Takes, Traps};
use super::spec::AnimalSpec;
use std::fmt;

pub(super) const TRUTH: [(&str, bool); 2] = [("true", true), ("false", false)];
pub(super) const JUMP_STOPS: [(&str, JumpStop); 3] =
    [("any", JumpStop::Any), ("enemy", JumpStop::Enemy), ("none", JumpStop::None)];
pub(super) const TRAPS: [(&str, Traps); 3] =
    [("intruders", Traps::Intruders), ("universal", Traps::Universal), ("none", Traps::None)];
pub(super) const NO_MOVES: [(&str, NoMove); 2] = [("loss", NoMove::Loss), ("draw", NoMove::Draw)];
pub(super) const OWN_DEN: [(&str, bool); 2] = [("forbidden", false), ("allowed", true)];
pub(super) const SHORE: [(&str, bool); 2] = [("none", false), ("any", true)];
pub(super) const TAKES: [(&str, Takes); 5] = [
    ("true", Takes::Same),
    ("false", Takes::Never),
    ("never", Takes::Never),
    ("land", Takes::Land),
    ("always", Takes::Always),
];

/// Along ranks, along files.
pub(super) const JUMPS: [(&str, (bool, bool)); 4] =
    [("none", (false, false)), ("ranks", (true, false)), ("files", (false, true)), ("both", (true, true))];

/// The words without their meanings.
pub(super) fn all<T>(words: &[(&'static str, T)]) -> Vec<&'static str> {
    words.iter().map(|&(word, _)| word).collect()
}

/// The first word with this meaning.
pub(super) fn word<T: PartialEq>(words: &[(&str, T)], meaning: T) -> String {
    words.iter().find(|(_, other)| *other == meaning).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

impl fmt::Display for JumpLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&word(&JUMPS, (self.along_ranks, self.along_files)))?;
        match self.longest {
            Some(span) => write!(f, ":{span}"),
            None => Ok(()),
        }
    }
}

/// A key and a value as they were written, to report them.
pub(super) struct Written<'a> {
    pub key: &'a str,
    pub value: &'a str,
}

impl Written<'_> {
    pub(super) fn refuse(&self, expected: impl Into<String>) -> RuleError {
        RuleError::SettingValue { key: self.key.to_owned(), value: self.value.to_owned(), expected: expected.into() }
    }

    pub(super) fn boolean(&self) -> Result<bool, RuleError> {
        self.choice(&TRUTH)
    }

    pub(super) fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Result<T, RuleError> {
        choices
            .iter()
            .find(|(word, _)| *word == self.value)
            .map(|&(_, meaning)| meaning)
            .ok_or_else(|| self.refuse(format!("it is one of {}", all(choices).join(", "))))
    }

    pub(super) fn letters(&self, text: &str, animals: &[AnimalSpec]) -> Result<Vec<char>, RuleError> {
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

    pub(super) fn ranks(&self, animals: &[AnimalSpec]) -> Result<Vec<Vec<char>>, RuleError> {
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

    pub(super) fn jumps(&self) -> Result<JumpLimit, RuleError> {
        let words = all(&JUMPS).join(", ");
        let expected = format!("it is one of {words}, with the longest span after a colon where there is one (both:2)");
        let (directions, span) = match self.value.split_once(':') {
            Some((directions, span)) => (directions, Some(span)),
            None => (self.value, None),
        };
        let along = JUMPS.iter().find(|(word, _)| *word == directions.trim());
        let Some(&(_, (along_ranks, along_files))) = along else { return Err(self.refuse(expected)) };
        let longest = match span.map(|span| span.trim().parse::<u8>()) {
            None => None,
            Some(Ok(span)) if span > 0 => Some(span),
            Some(_) => return Err(self.refuse(expected)),
        };
        Ok(JumpLimit { along_ranks, along_files, longest })
    }
}
