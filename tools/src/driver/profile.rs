//! How to talk to an engine: the `[protocol]` part of a dialect file.

use super::template::{self, LineError};
use serde::Deserialize;

/// The greetings of the protocols that are made after UCI, as the dialects of the program have them.
pub const GREETINGS: [&str; 4] = ["uci", "jcei", "uji", "uaci"];

/// How to talk to an engine.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    default,
    expecting = "a table of fields, such as hello = \"uci\""
)]
pub struct Profile {
    /// The command that starts it; none if it is given elsewhere.
    pub command: Option<String>,
    /// Which lines are exchanged.
    pub kind: Protocol,
    /// The first word that is said to it, nothing if empty; none for `uci` or, by GTP, `name`.
    pub hello: Option<String>,
    /// Lines that are said after the greeting.
    pub init: Vec<String>,
    /// Whether it is asked `isready`.
    pub ready: bool,
    /// What is said before a new game, nothing if empty; none for `ucinewgame` or, by GTP, nothing.
    pub new_game: Option<String>,
    /// How it is given a position, with `{position}`, `{board}` and `{side}` in it; none for `position fen {position}` or, by GTP,
    /// `setfen {board} {side}`.
    pub position: Option<String>,
    /// True if the moves of the game are sent after the position it begins with, false if the position to move in is given.
    pub moves: bool,
    /// The words for the limits.
    pub limits: LimitWords,
    /// True if it answers the piece to move first, and its target when it is asked again (GTP).
    pub in_halves: bool,
    /// Commands that count moves, with `{depth}` in them.
    pub perft: Vec<String>,
    /// Commands that list the legal moves.
    pub list: Vec<String>,
    /// True if it comes from a file, and not with the program.
    #[serde(skip)]
    pub from_file: bool,
}

/// Which lines are exchanged.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// As chess engines do: position, go, bestmove.
    #[default]
    Uci,
    /// As Go programs do: setfen, genmove, =.
    Gtp,
}

/// The words after `go`.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    default,
    expecting = "a table of words, such as { movetime = \"time\" }"
)]
pub struct LimitWords {
    /// Plies.
    pub depth: String,
    /// Milliseconds.
    pub movetime: String,
    /// Positions.
    pub nodes: String,
}

impl Default for LimitWords {
    fn default() -> LimitWords {
        LimitWords { depth: "depth".to_owned(), movetime: "movetime".to_owned(), nodes: "nodes".to_owned() }
    }
}

impl Default for Profile {
    fn default() -> Profile {
        Profile {
            command: None,
            kind: Protocol::Uci,
            hello: None,
            init: Vec::new(),
            ready: true,
            new_game: None,
            position: None,
            moves: true,
            limits: LimitWords::default(),
            in_halves: false,
            perft: ["perft {depth}", "go perft {depth}"].map(str::to_owned).to_vec(),
            list: ["moves", "legalmoves"].map(str::to_owned).to_vec(),
            from_file: false,
        }
    }
}

impl Profile {
    /// The first word.
    #[must_use]
    pub fn hello(&self) -> &str {
        self.hello.as_deref().unwrap_or(self.by_protocol("uci", "name"))
    }

    /// What is said before a new game.
    #[must_use]
    pub fn new_game(&self) -> &str {
        self.new_game.as_deref().unwrap_or(self.by_protocol("ucinewgame", ""))
    }

    /// How it is given a position.
    #[must_use]
    pub fn position(&self) -> &str {
        self.position.as_deref().unwrap_or(self.by_protocol("position fen {position}", "setfen {board} {side}"))
    }

    /// Checks the lines for what cannot be sent, or would not say what it should.
    ///
    /// # Errors
    /// [`LineError`]: which field, and why.
    pub fn check(&self) -> Result<(), LineError> {
        let LimitWords { depth, movetime, nodes } = &self.limits;
        let plain: [(&'static str, &str); 5] = [
            ("hello", self.hello()),
            ("new-game", self.new_game()),
            ("limits.depth", depth),
            ("limits.movetime", movetime),
            ("limits.nodes", nodes),
        ];
        for (field, line) in plain {
            let wordless = field.starts_with("limits") && line.trim().is_empty();
            let checked = if wordless { Err("the word is missing".to_owned()) } else { template::check(line, &[]) };
            checked.map_err(|reason| LineError { field, index: None, reason })?;
        }
        for (field, lines, known) in
            [("init", &self.init, &[][..]), ("list", &self.list, &[]), ("perft", &self.perft, &["{depth}"])]
        {
            for (index, line) in lines.iter().enumerate() {
                let missing = known.iter().find(|part| !line.contains(**part));
                template::check(line, known)
                    .and_then(|()| missing.map_or(Ok(()), |part| Err(format!("{part} is missing in {line:?}"))))
                    .map_err(|reason| LineError { field, index: Some(index), reason })?;
            }
        }
        self.check_position().map_err(|reason| LineError { field: "position", index: None, reason })
    }

    /// A position must be sent with its side to move; by GTP `genmove` says that too.
    fn check_position(&self) -> Result<(), String> {
        let line = self.position();
        template::check(line, &["{position}", "{board}", "{side}"])?;
        let has = |part: &str| line.contains(part);
        if !has("{position}") && !has("{board}") {
            return Err(format!("neither {{position}} nor {{board}} is in {line:?}"));
        }
        if self.kind == Protocol::Uci && !has("{position}") && !has("{side}") {
            return Err(format!("{{side}} is missing in {line:?}: {{board}} does not tell who is to move"));
        }
        Ok(())
    }

    fn by_protocol(&self, uci: &'static str, gtp: &'static str) -> &'static str {
        match self.kind {
            Protocol::Uci => uci,
            Protocol::Gtp => gtp,
        }
    }
}
