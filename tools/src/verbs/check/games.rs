//! `check games`: judges game records.

use super::notation::{NotationChanges, dialect_file, notation};
use crate::command_line::{TableRules, suggest_for};
use crate::context::{Context, RULES};
use crate::error::{Code, Failure, say, words_with};
use crate::judge::dialect::{Dialect, Notation};
use crate::judge::finding::{Finding, Source};
use crate::judge::game::{Game, Judged, Limit, StartArray, judge_game};
use crate::judge::hints::Illegals;
use crate::judge::record::{self, Broken, Record};
use crate::judge::tally::Tally;
use crate::judge::verdict::Judge;
use crate::number::{count, plies, whole};
use crate::output::check::games as report;
use crate::output::check::text::Causes;
use crate::output::json;
use crate::output::records::{CheckSummary, GameSummary, MoveVerdict};
use crate::target::Target;
use dsq_tables::board::Symmetry;
use dsq_tables::position::Position;
use dsq_tables::rules::{NAMES, Rules};
use dsq_tables::tablebase::TablebaseError;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The setting with the limit of plies without a capture, and the tag of a record that says which one it was played under.
const LIMIT: &str = "draw-after-quiet-plies";
const LIMIT_TAG: &str = "DrawAfterQuietPlies";

/// What a rule set is known by here.
fn key(name: &str, limit: Option<&str>) -> String {
    limit.map_or_else(|| name.to_owned(), |limit| format!("{name} {limit}"))
}

/// How many games are judged together, and kept in memory with their verdicts.
const TOGETHER: usize = 256;

/// What is asked.
pub struct Request {
    /// Files with games, or `-` for standard input.
    pub files: Vec<PathBuf>,
    /// A page to write as well.
    pub html: Option<PathBuf>,
    /// The name or the file of a dialect.
    pub dialect: Option<PathBuf>,
    /// How the records are written, where it differs from the dialect.
    pub notation: NotationChanges,
}

/// Judges the games of some files.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let notation = notation(&dialect_file(request.dialect.as_deref())?, &request.notation)?;
    let mut records = Vec::new();
    for path in &request.files {
        records.extend(read(path)?);
    }
    let mut sets = Sets { context, notation, sets: BTreeMap::new() };
    let base = context.options().rules.as_deref();
    if base.is_some() || records.iter().any(|(_, record)| record.tag("Rules").is_none()) {
        // What is wrong with the options is said once, and not of each game.
        sets.load(base.unwrap_or(RULES), None).as_ref().map_err(Failure::bad)?;
    }
    let chosen: Vec<Result<Chosen, String>> = records.iter().map(|(_, record)| sets.choose(record)).collect();
    let mut run = Run { keep: request.html.is_some(), ..Run::new(context) };
    for (index, records) in records.chunks(TOGETHER).enumerate() {
        let chosen = &chosen[index * TOGETHER..][..records.len()];
        let judged = records.par_iter().zip(chosen).map(|((_, record), chosen)| sets.judge(record, chosen));
        let judged: Vec<Result<Game, TablebaseError>> = judged.collect();
        for (((file, record), chosen), game) in records.iter().zip(chosen).zip(judged) {
            run.game(&sets, (file, record.line), chosen, &game?, out)?;
        }
    }
    run.end(&sets, request.html.as_deref(), out)?;
    Ok(run.code.max(sets.complain()))
}

/// The games of a file, each with the name of the file.
fn read(path: &Path) -> Result<Vec<(String, Record)>, Failure> {
    let mut bytes = Vec::new();
    let name = if path == Path::new("-") {
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::bad(format_args!("standard input: {error}")))?;
        "standard input".to_owned()
    } else {
        bytes = std::fs::read(path).map_err(|error| Failure::file(path, &error))?;
        path.display().to_string()
    };
    // Names may be in any encoding; moves and positions have plain letters.
    let records = record::read(&String::from_utf8_lossy(&bytes));
    if records.is_empty() {
        return Err(Failure::bad(format_args!("{name}: there is no game in it")));
    }
    Ok(records.into_iter().map(|record| (name.clone(), record)).collect())
}

/// A rule set with its tables and the notation for it.
struct Set {
    judge: Judge,
    dialect: Arc<Dialect>,
    /// The complaint if there are no tables at all.
    none: Option<TablebaseError>,
    /// What a command that makes them has to say beside what was typed.
    more: TableRules,
}

/// The rule sets of the games, by the names they were asked for.
struct Sets<'a> {
    context: &'a Context,
    notation: Notation,
    sets: BTreeMap<String, Result<Set, String>>,
}

/// By which rule set a game is judged.
struct Chosen {
    /// What the rule set is known by here.
    key: String,
    /// What is to be said about the choice.
    note: Option<String>,
}

impl Sets<'_> {
    /// The rule set of a name, with a limit of plies without a capture if one is given.
    fn load(&mut self, name: &str, limit: Option<&str>) -> &Result<Set, String> {
        self.sets.entry(key(name, limit)).or_insert_with(|| {
            let more = limit.map(|limit| (LIMIT, limit));
            let rules = self.context.rules_with(name, more).map_err(|failure| match failure {
                Failure::Said(_, words) => words,
                Failure::Closed => String::new(),
            })?;
            let dialect = Dialect::new(&rules, self.notation.clone()).map_err(|error| error.to_string())?;
            let (tables, none) = self.context.tables(&rules);
            let more = TableRules {
                rules: (name != RULES).then(|| name.to_owned()),
                set: limit.map(|limit| (LIMIT.to_owned(), limit.to_owned())),
            };
            Ok(Set { judge: Judge::new(tables), dialect: Arc::new(dialect), none, more })
        })
    }

    fn get(&self, key: &str) -> Option<&Set> {
        self.sets.get(key)?.as_ref().ok()
    }

    /// The rule set of a game: that of the command line, else that of its tag, else the default.
    fn choose(&mut self, record: &Record) -> Result<Chosen, String> {
        let typed = self.context.options().rules.clone();
        let tag = record.tag("Rules").map(str::to_owned);
        let name = match (&typed, &tag) {
            (Some(typed), _) => typed.clone(),
            // Never a file: a record must not decide what is read.
            (None, Some(tag)) => NAMES
                .into_iter()
                .find(|name| name.eq_ignore_ascii_case(tag))
                .ok_or_else(|| {
                    format!("Rules {tag:?} is not a rule set that comes with the program; name one with --rules")
                })?
                .to_owned(),
            (None, None) => RULES.to_owned(),
        };
        let limit = record.tag(LIMIT_TAG).map(str::trim);
        let typed_limit = self.context.options().set.iter().any(|(key, _)| key.eq_ignore_ascii_case(LIMIT));
        let used = limit.filter(|_| !typed_limit);
        let set = self.load(&name, used).as_ref().map_err(Clone::clone)?;
        let own_limit = set.judge.rules().quiet_limit().unwrap_or(0).to_string();
        let own = &set.judge.rules().spec().name;
        let differs = |tag: &&String| !tag.eq_ignore_ascii_case(own) && !tag.eq_ignore_ascii_case(&name);
        let note = tag.as_ref().filter(differs).map(|tag| {
            format!("the record says Rules {tag:?}; judged by {}, as --rules says", set.judge.rules().name())
        });
        let other_limit = limit
            .filter(|limit| **limit != own_limit)
            .map(|limit| format!("the record says {LIMIT_TAG} {limit:?}; judged with {own_limit}, as --set says"));
        let note = match (note, other_limit) {
            (Some(note), Some(other)) => Some(format!("{note}; {other}")),
            (note, other) => note.or(other),
        };
        Ok(Chosen { key: key(&name, used), note })
    }

    fn judge(&self, record: &Record, chosen: &Result<Chosen, String>) -> Result<Game, TablebaseError> {
        match chosen.as_ref().map(|chosen| self.get(&chosen.key)) {
            Ok(Some(set)) => judge_game(&set.judge, &set.dialect, record),
            Ok(None) => Ok(Game::default()),
            Err(reason) => {
                let broken = Broken { line: record.line, reason: reason.clone() };
                Ok(Game { broken: Some(broken), unjudged: record.moves.len(), ..Game::default() })
            }
        }
    }

    /// Says which rule sets have no tables at all. A single position that is in none is no error.
    fn complain(&self) -> Code {
        let mut code = Code::Done;
        let sets = self.sets.values().flatten();
        for (set, none) in sets.filter_map(|set| Some((set, set.none.as_ref()?))) {
            say(words_with(none, &|verb, words| suggest_for(verb, words, &set.more)));
            code = Code::Missing;
        }
        code
    }
}

/// What came of all games so far.
struct Run<'a> {
    context: &'a Context,
    /// Whether findings are kept for the page.
    keep: bool,
    games: Vec<GameSummary>,
    findings: Vec<Finding>,
    tally: Tally,
    /// The illegal moves, by the names of the rule sets.
    illegals: BTreeMap<String, Illegals>,
    /// The causes of illegal moves that have been reported.
    causes: Causes,
    code: Code,
}

impl<'a> Run<'a> {
    fn new(context: &'a Context) -> Run<'a> {
        Run {
            context,
            keep: false,
            games: Vec::new(),
            findings: Vec::new(),
            tally: Tally::default(),
            illegals: BTreeMap::new(),
            causes: Causes::default(),
            code: Code::Done,
        }
    }

    /// Takes in a game and prints its report.
    fn game(
        &mut self,
        sets: &Sets<'_>,
        (file, line): (&str, usize),
        chosen: &Result<Chosen, String>,
        game: &Game,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let number = self.games.len() + 1;
        let json_asked = self.context.json();
        let chosen = chosen.as_ref().ok();
        let set = chosen.and_then(|chosen| sets.get(&chosen.key));
        let mut findings = Vec::new();
        if let Some(set) = set {
            let rules = set.judge.rules();
            for judged in &game.moves {
                let player = game.player(judged.position.turn());
                self.tally.add(player, &judged.material(rules), &judged.verdict);
                if json_asked {
                    json(out, &MoveVerdict::of_game(rules, number, judged))?;
                }
                if judged.verdict.kind.is_fault() {
                    self.code = self.code.max(Code::Faults);
                }
            }
            findings.extend(game.findings(&set.judge, &set.dialect, number));
        }
        let name = set.map_or("", |set| set.judge.rules().name());
        let array = |array: StartArray| set.map(|set| array_name(set.judge.rules(), array)).unwrap_or_default();
        let mut notes: Vec<String> = chosen.and_then(|chosen| chosen.note.clone()).into_iter().collect();
        let unknown = set.filter(|set| !set.judge.is_limited()).and_then(|set| set.judge.rules().quiet_limit());
        notes.extend(unknown.map(|limit| {
            format!("there are no tables for the draw after {} without a capture: the values ignore it", plies(limit))
        }));
        notes.extend(notes_of(game, sets.notation.mirror));
        if let (Some(chosen), Some(wrong)) = (chosen, game.wrong(sets.notation.mirror)) {
            self.illegals.entry(chosen.key.clone()).or_default().add(|| wrong);
        }
        let summary = GameSummary::new((number, file, line), name, game, &array, notes);
        if !json_asked {
            report::print(out, &summary, &findings, &mut self.causes, self.context.is_quiet())?;
        }
        if let Some(Broken { line, reason }) = &game.broken {
            self.code = self.code.max(Code::Bad);
            // In the order in which it happened, where both go to one terminal.
            out.flush()?;
            say(format_args!("{file}: line {line}: game {number}: {reason}"));
        }
        self.games.push(summary);
        if self.keep {
            self.findings.append(&mut findings);
        }
        Ok(())
    }

    /// Prints the end of the report, and writes the page.
    fn end(&mut self, sets: &Sets<'_>, html: Option<&Path>, out: &mut dyn Write) -> Result<(), Failure> {
        let hints: Vec<String> = self
            .illegals
            .iter()
            .filter_map(|(name, illegals)| Some((sets.get(name)?, illegals)))
            .flat_map(|(set, illegals)| illegals.hints(set.judge.rules(), &sets.notation, Source::Record))
            .collect();
        if !self.context.json() {
            report::print_end(out, &self.games, &hints, &self.tally)?;
        }
        let page = html.map(|path| -> Result<(), Failure> {
            let mut target = Target::create(path)?;
            let written = report::page(&mut target, &self.games, &hints, &self.findings, &self.tally);
            target.finish(written.map_err(Failure::output))
        });
        if self.context.json() {
            json(out, &CheckSummary::new(std::mem::take(&mut self.games), hints, &self.tally))?;
        }
        out.flush()?;
        page.unwrap_or(Ok(()))
    }
}

/// The first and the last rank of a start array.
fn array_name(rules: &Rules, array: StartArray) -> String {
    let symmetry = match array {
        StartArray::Ours => Symmetry::Identity,
        StartArray::Mirrored => Symmetry::Mirror,
        StartArray::Either => return "either".to_owned(),
    };
    let fen = Position::start(rules).mapped(rules, symmetry).to_fen(rules);
    let board = fen.split(' ').next().unwrap_or_default();
    let (first, last) = (board.split('/').next(), board.rsplit('/').next());
    format!("{}/…/{}", first.unwrap_or_default(), last.unwrap_or_default())
}

/// What is to be known of a game as a whole.
fn notes_of(game: &Game, mirror: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let illegal = game.moves.iter().any(|judged| judged.verdict.illegal.is_some());
    match game.start {
        Some(StartArray::Mirrored) if !mirror && illegal => {
            notes.push("its moves go further with the mirrored start array: --mirror reads them so".to_owned());
        }
        Some(StartArray::Ours) if mirror && illegal => {
            notes.push(
                "its moves go further with the start array as it is: without --mirror they are read so".to_owned(),
            );
        }
        _ => {}
    }
    notes.extend(game.results.notes());
    if let Some(Judged { ply, .. }) = game.moves.iter().find(|judged| judged.occurrence == 3) {
        notes.push(format!("after ply {ply} a position occurs for the third time: many rules end a game there"));
    }
    if let Some(limit) = game.limit_reached {
        let after = match game.after_limit {
            0 => String::new(),
            after => format!("; {} after it not judged", count(whole(after), "move")),
        };
        let ply = game.moves.len();
        notes.push(format!("after ply {ply} the game was a draw: {} without a capture{after}", plies(limit)));
    }
    let limit = |judged: &Judged| judged.limit.filter(|limit| limit.matters).map(|limit| (judged.clone(), limit));
    if let Some((Judged { ply, verdict, .. }, Limit { plies: limit, .. })) = game.moves.iter().find_map(limit) {
        notes.push(match verdict.limit {
            Some(_) => format!("from ply {ply} on the draw after {} without a capture changes who wins", plies(limit)),
            None => format!(
                "from ply {ply} on the draw after {} without a capture matters, which the values ignore",
                plies(limit)
            ),
        });
    }
    notes
}
