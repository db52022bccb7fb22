//! The engines that are checked.

use super::notation::{NotationChanges, dialect_file, notation};
use crate::driver::Protocol;
use crate::error::Failure;
use crate::judge::dialect::{Dialect, DialectFile};
use crate::judge::exam::Candidate;
use crate::number::{count, whole};
use dsq_tables::rules::Rules;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The most characters of a command that are shown as the name of an engine.
const LONGEST_LABEL: usize = 32;

/// Which engines are checked, and how to talk to them.
#[derive(Clone, Debug)]
pub struct Engines {
    /// The commands that start them, for the shell.
    pub commands: Vec<String>,
    /// Names or files of dialects: one for all, or one for each; with a command of its own if there are no commands.
    pub dialects: Vec<PathBuf>,
    /// Which lines are exchanged; none for what the dialect says.
    pub protocol: Option<Protocol>,
    /// The first word that is said to them; none for what the dialect says.
    pub hello: Option<String>,
    /// Lines that are said after the greeting, besides those of the dialect.
    pub init: Vec<String>,
    /// How long they may take to greet.
    pub patience: Duration,
    /// After so many starts in a row without an answer one is not asked any more; 0 for never.
    pub give_up: u32,
    /// How they write, where it differs from the dialect.
    pub notation: NotationChanges,
}

/// The engines: the commands with their dialects, or the dialects with commands of their own.
pub fn candidates(rules: &Arc<Rules>, engines: &Engines) -> Result<Vec<Candidate>, Failure> {
    let (commands, dialects) = (engines.commands.len(), engines.dialects.len());
    if commands > 0 && dialects > 1 && commands != dialects {
        let words = format!(
            "{} and {}; expected one dialect, or one for each command",
            count(whole(commands), "command"),
            count(whole(dialects), "dialect")
        );
        return Err(Failure::bad(words));
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for index in 0..commands.max(dialects).max(1) {
        let path = engines.dialects.get(index).or_else(|| engines.dialects.first());
        let file = dialect_file(path.map(PathBuf::as_path))?;
        let typed = engines.commands.get(index);
        // A file describes its engine from wherever it is used.
        let folder = path.filter(|_| typed.is_none()).and_then(|path| path.parent());
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
        let command = command(typed, &file)?;
        let dialect = Dialect::new(rules, notation(&file, &engines.notation)?).map_err(|error| {
            // It is the fault of the file if it is there without the options as well.
            match Dialect::new(rules, file.notation.clone()) {
                Err(own) => Failure::bad(file.refuse(&own)),
                Ok(_) => Failure::bad(error),
            }
        })?;
        let mut profile = file.protocol;
        profile.kind = engines.protocol.unwrap_or(profile.kind);
        profile.hello = engines.hello.clone().or(profile.hello);
        profile.init.extend(engines.init.iter().cloned());
        // The file has been checked as it stands; this is for what the options make of it.
        profile.check().map_err(|error| match error.field {
            "hello" | "init" => Failure::bad(format_args!("--{error}")),
            _ => Failure::bad(format_args!("--protocol: {error}")),
        })?;
        let label = label(&command, &candidates);
        let (dialect, patience, give_up) = (Arc::new(dialect), engines.patience, engines.give_up);
        candidates.push(Candidate { label, command, folder, profile, dialect, patience, give_up });
    }
    Ok(candidates)
}

/// The command that starts an engine: the one that was typed, else that of the dialect file.
fn command(typed: Option<&String>, file: &DialectFile) -> Result<String, Failure> {
    const OTHER: &str = "--cmd 'COMMAND' names one";
    match (typed, &file.protocol.command) {
        (Some(typed), _) if typed.trim().is_empty() => Err(Failure::bad("--cmd: the command is empty")),
        (Some(command), _) => Ok(command.clone()),
        (None, Some(command)) if command.trim().is_empty() => {
            let reason = format!("command: it is empty, so there is no engine; {OTHER} too");
            Err(Failure::bad(file.wrong("protocol", "command", None, &reason)))
        }
        (None, Some(command)) => Ok(command.clone()),
        (None, None) => Err(Failure::bad(format_args!("there is no engine: {OTHER}, or `command` in a dialect file"))),
    }
}

/// What an engine is called: its command, without folders and cut if it is long, with a number if there is another one of that
/// name.
fn label(command: &str, others: &[Candidate]) -> String {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or(program);
    }
    let words = words.join(" ");
    let cut: String = words.chars().take(LONGEST_LABEL).collect();
    let short = if cut.len() < words.len() { format!("{cut}…") } else { words };
    let taken = |label: &str| others.iter().any(|other| other.label == label);
    let mut label = short.clone();
    let mut number = 2;
    while taken(&label) {
        label = format!("{short} #{number}");
        number += 1;
    }
    label
}
