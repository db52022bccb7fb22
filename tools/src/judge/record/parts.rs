//! What a game record is made of, whichever form it has.

/// A game as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Its moves.
    pub moves: Vec<Written>,
    /// The result that comes after the moves.
    pub result: Option<String>,
    /// What keeps the rest of it from being read.
    pub broken: Option<Broken>,
}

/// What is said about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// What it is about.
    pub name: String,
    /// What is said.
    pub value: String,
    /// Its line.
    pub line: usize,
}

/// A move as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The word.
    pub text: String,
    /// Its line.
    pub line: usize,
}

/// What is wrong in a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The line.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl Record {
    /// The value of a tag, if it has one that is not empty, `?` or `-`.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.find(name).map(|tag| tag.value.trim()).filter(|value| !["", "?", "-"].contains(value))
    }

    /// The line of a tag, or that of the game if there is no such tag.
    #[must_use]
    pub fn line_of(&self, name: &str) -> usize {
        self.find(name).map_or(self.line, |tag| tag.line)
    }

    fn find(&self, name: &str) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.name.eq_ignore_ascii_case(name))
    }
}

/// The beginning of a text that may be long, for messages.
pub fn beginning(text: &str) -> String {
    const LONGEST: usize = 40;
    let beginning = visible(&text.chars().take(LONGEST).collect::<String>());
    if text.chars().nth(LONGEST).is_some() { beginning + "…" } else { beginning }
}

/// A text without characters that would do something to a terminal.
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
