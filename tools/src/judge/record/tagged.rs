//! Games with tags in brackets: `[White "Anna"]`, then moves with or without numbers, comments and a result.

use super::parts::{Broken, Record, Tag, Written, beginning, visible};

const RESULTS: [&str; 6] = ["1-0", "0-1", "1/2-1/2", "½-½", "0-0", "*"];

/// Reads all games. Of a game that is broken the moves before the break are kept, and what follows it up to the tags of the
/// next game is skipped.
pub(super) fn read(text: &str) -> Vec<Record> {
    let mut reader = Reader { text, at: 0, line: 1, games: Vec::new(), game: None, part: Part::Tags };
    while let Some(next) = reader.skip_blanks() {
        let line = reader.line;
        if let Err(reason) = reader.item(next) {
            reader.give_up(line, reason);
        }
    }
    reader.end_game();
    reader.games
}

/// How far the game is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Tags,
    Moves,
    /// The result is read: whatever follows is another game.
    Done,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    games: Vec<Record>,
    game: Option<Record>,
    part: Part,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) {
        self.line += self.rest()[..bytes].matches('\n').count();
        self.at += bytes;
    }

    /// Goes to the next thing that is no blank, and says with what it begins.
    fn skip_blanks(&mut self) -> Option<char> {
        let rest = self.rest();
        self.advance(rest.len() - rest.trim_start().len());
        self.rest().chars().next()
    }

    fn skip_line(&mut self) {
        self.advance(self.rest().find('\n').unwrap_or(self.rest().len()));
    }

    /// The game that is read, begun here if there is none.
    fn game(&mut self) -> &mut Record {
        let line = self.line;
        self.game.get_or_insert_with(|| Record { line, ..Record::default() })
    }

    fn end_game(&mut self) {
        self.games.extend(self.game.take());
        self.part = Part::Tags;
    }

    /// Reads whatever begins with this character.
    fn item(&mut self, next: char) -> Result<(), String> {
        let begins_line = self.text[..self.at].ends_with('\n') || self.at == 0;
        match next {
            '%' if begins_line => self.skip_line(),
            ';' => self.skip_line(),
            '[' => self.tag()?,
            '{' => self.comment()?,
            '(' => self.variation()?,
            ')' | '}' | ']' => return Err(format!("{next:?} closes nothing")),
            '$' => self.advance(1 + digits(&self.rest()[1..])),
            _ => self.word(),
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<(), String> {
        if self.part != Part::Tags {
            self.end_game();
        }
        // Even a broken tag begins a game.
        self.game();
        let ((name, value), length) = tag(self.rest()).ok_or_else(|| {
            let line = self.rest().lines().next().unwrap_or_default();
            format!("a tag is [Name \"value\"], this is {}", beginning(line.trim_end()))
        })?;
        if self.game().tags.iter().any(|tag| tag.name.eq_ignore_ascii_case(&name)) {
            // A game without moves ends with an empty line.
            let before = &self.text[..self.at];
            if before[before.trim_end().len()..].matches('\n').count() < 2 {
                return Err(format!("the tag {name} appears twice"));
            }
            self.end_game();
        }
        let tag = Tag { name, value: visible(&value), line: self.line };
        self.game().tags.push(tag);
        self.advance(length);
        Ok(())
    }

    fn comment(&mut self) -> Result<(), String> {
        let length = comment(self.rest()).ok_or("the comment that begins here is not closed")?;
        self.advance(length);
        Ok(())
    }

    /// Other moves than those that were played.
    fn variation(&mut self) -> Result<(), String> {
        let open = || "the variation that begins here is not closed".to_owned();
        let rest = self.rest();
        let (mut depth, mut at) = (0u32, 0);
        loop {
            let found = rest[at..].find(['(', ')', '{', ';', '[']).ok_or_else(open)?;
            at += found;
            match rest.as_bytes()[at] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'{' => at += comment(&rest[at..]).ok_or_else(open)? - 1,
                b';' => at += rest[at..].find('\n').ok_or_else(open)?,
                _ if tag(&rest[at..]).is_some() => return Err(open()),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                self.advance(at);
                return Ok(());
            }
        }
    }

    /// A number, a result, a sign or a move.
    fn word(&mut self) {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "{}()[];$".contains(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        if RESULTS.contains(&word) {
            // A result without moves is no game.
            if let Some(game) = &mut self.game {
                game.result.get_or_insert_with(|| word.to_owned());
                self.part = Part::Done;
            }
        } else if let Some(text) = move_of(word) {
            if self.part == Part::Done {
                self.end_game();
            }
            let written = Written { text: text.to_owned(), line: self.line };
            self.game().moves.push(written);
            self.part = Part::Moves;
        }
        self.advance(end);
    }

    /// Ends a game that cannot be read on, and goes to the next one.
    fn give_up(&mut self, line: usize, reason: String) {
        // In the tags, those that follow are of the same game, and so are the moves after them.
        let mut after_tags = self.part != Part::Tags || !self.rest().starts_with('[');
        self.game().broken = Some(Broken { line, reason });
        self.end_game();
        loop {
            self.skip_line();
            if self.rest().is_empty() {
                return;
            }
            self.advance(1);
            let next = self.rest().lines().next().unwrap_or_default().trim();
            if tag(next).is_none() {
                after_tags |= !next.is_empty() && !next.starts_with('[');
            } else if after_tags {
                return;
            }
        }
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The move in a word without its number and without signs of praise; none if nothing is left.
fn move_of(word: &str) -> Option<&str> {
    let number = digits(word);
    let after = word[number..].trim_start_matches(['.', '…']);
    let has_dots = after.len() + number < word.len();
    // Four digits are a move where squares have numbers for names.
    let text = if number > 0 && (has_dots || number == word.len() && number < 4) { after } else { word };
    let text = text.trim_start_matches(['.', '…']).trim_end_matches(['!', '?', '+', '#']);
    (!text.is_empty()).then_some(text)
}

/// The length of the comment at the beginning of a text; none if it is not closed. One with a line that is a tag was not
/// closed where it should have been: it is the next game that begins there.
fn comment(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let swallows = text[..end].lines().skip(1).any(|line| tag(line.trim()).is_some());
    (!swallows).then_some(end + 1)
}

/// The name and the value of the tag at the beginning of a text, and its length.
fn tag(text: &str) -> Option<((String, String), usize)> {
    let inside = text.strip_prefix('[')?.trim_start();
    let name = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|&length| length > 0)?;
    let (name, rest) = inside.split_at(name);
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    let after = loop {
        match chars.next()? {
            (at, '"') => break &quoted[at + 1..],
            (_, '\n') => return None,
            (_, '\\') => match chars.next()?.1 {
                c @ ('"' | '\\') => value.push(c),
                c => value.extend(['\\', c]),
            },
            (_, c) => value.push(c),
        }
    };
    let after = after.trim_start().strip_prefix(']')?;
    Some(((name.to_owned(), value), text.len() - after.len()))
}
