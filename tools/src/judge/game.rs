//! Whole games, move by move.

use super::dialect::{Dialect, Notation};
use super::finding::{Finding, Source};
use super::hints::Wrong;
use super::record::{Broken, Record, Written, beginning};
use super::verdict::{Judge, Kind, Verdict, material_of};
use crate::number;
use dsq_tables::board::{Side, Symmetry};
use dsq_tables::moves::Move;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::TablebaseError;
use std::collections::HashMap;
use std::sync::Arc;

/// A game with its moves judged.
#[derive(Debug, Default)]
pub struct Game {
    /// The names of White and Black, where they are known.
    pub names: [Option<String>; 2],
    /// Which start array it seems to use, if it begins with one.
    pub start: Option<StartArray>,
    /// Whether the record gives the position it begins with.
    pub given: bool,
    /// The moves that were judged.
    pub moves: Vec<Judged>,
    /// What the record says of its end, and the last position.
    pub results: Results,
    /// How many moves come after one that is illegal or cannot be read, or after the end of the game.
    pub unjudged: usize,
    /// How many of them come after the draw by the limit of plies without a capture of the rule set.
    pub after_limit: usize,
    /// The limit, if the game reached it and was not over otherwise.
    pub limit_reached: Option<u32>,
    /// What kept the rest from being judged.
    pub broken: Option<Broken>,
}

/// Which of the two start arrays, which are mirror images of each other, a game seems to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartArray {
    /// That of the rule set.
    Ours,
    /// Its mirror image.
    Mirrored,
    /// The moves are as good for one as for the other.
    Either,
}

/// A move with its verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Its number, from 1.
    pub ply: usize,
    /// Its line.
    pub line: usize,
    /// The position before it.
    pub position: Position,
    /// The move.
    pub squares: Move,
    /// The move as it was written, if that is not our way.
    pub written: Option<String>,
    /// What it is worth.
    pub verdict: Verdict,
    /// How often the position after it has been there, this time counted.
    pub occurrence: u32,
    /// What the move limit of the rule set means here, if it has one.
    pub limit: Option<Limit>,
}

/// What a limit of plies without a capture means for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The limit.
    pub plies: u32,
    /// The halfmove clock before the move: plies since the last capture.
    pub clock: u32,
    /// Whether it matters: it changes who wins; where there are no tables for it, whether it would be reached before the win or loss
    /// if nothing were taken.
    pub matters: bool,
}

impl Judged {
    /// The material, as the side that moves sees it.
    #[must_use]
    pub fn material(&self, rules: &Rules) -> String {
        material_of(rules, &self.position)
    }

    /// What is to be known besides the value, which knows nothing of the game before.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.occurrence > 1 {
            let times = self.occurrence;
            notes.push(format!("the position after the move occurs for time {times}; a rule on repetition may apply"));
        }
        if let Some(Limit { plies, clock, matters: true }) = self.limit {
            notes.push(match self.verdict.limit {
                Some(under) => under.words(),
                None => format!(
                    "{} without a capture, and the rule set has a draw after {plies}; the values ignore that",
                    number::plies(clock)
                ),
            });
        }
        notes
    }
}

impl Game {
    /// The name of a side, else its colour.
    #[must_use]
    pub fn player(&self, side: Side) -> &str {
        self.names[side.index()].as_deref().unwrap_or(side.name())
    }

    /// The illegal move that ends it, if there is one. `mirror` tells whether left and right were exchanged already.
    #[must_use]
    pub fn wrong(&self, mirror: bool) -> Option<Wrong> {
        let Judged { position, squares, verdict, .. } = self.moves.last()?;
        let illegal = verdict.illegal.as_ref()?;
        Some(Wrong {
            position: *position,
            squares: *squares,
            settings: illegal.settings.clone(),
            given: self.given,
            mirrored: self.start == Some(if mirror { StartArray::Ours } else { StartArray::Mirrored }),
        })
    }

    /// The moves that are not the best, to report.
    pub fn findings<'a>(
        &'a self,
        judge: &'a Judge,
        dialect: &'a Arc<Dialect>,
        number: usize,
    ) -> impl Iterator<Item = Finding> + 'a {
        let theirs = Some(dialect).filter(|dialect| *dialect.notation() != Notation::default());
        let reported = |judged: &&Judged| !matches!(judged.verdict.kind, Kind::Best | Kind::NotInTables);
        self.moves.iter().filter(reported).map(move |judged| {
            let side = judged.position.turn();
            let name = self.names[side.index()].as_ref();
            Finding {
                place: format!("game {number}, ply {}", judged.ply),
                player: name.map_or_else(|| side.name().to_owned(), |name| format!("{} ({name})", side.name())),
                rules: judge.rules().clone(),
                position: judged.position,
                squares: judged.squares,
                written: judged.written.clone(),
                source: Source::Record,
                theirs: theirs.cloned(),
                verdict: judged.verdict.clone(),
                notes: judged.notes(),
            }
        })
    }
}

/// Judges the moves of a game up to the first that is illegal or cannot be read.
///
/// # Errors
/// [`TablebaseError`]: a table cannot be used.
pub fn judge_game(judge: &Judge, dialect: &Dialect, record: &Record) -> Result<Game, TablebaseError> {
    let rules = judge.rules();
    let name = |tag: &str| record.tag(tag).map(str::to_owned);
    let mut game = Game { names: [name("White"), name("Black")], broken: record.broken.clone(), ..Game::default() };
    let fen = match dialect.read_position(record.tag("FEN").unwrap_or("startpos")) {
        Ok(fen) => fen,
        Err(error) => {
            game.unjudged = record.moves.len();
            game.broken = Some(Broken { line: record.line_of("FEN"), reason: error.to_string() });
            return Ok(game);
        }
    };
    game.given = record.tag("FEN").is_some_and(|fen| !fen.trim_start().starts_with("startpos"));
    game.start = start_array(rules, dialect, record, &fen.position);
    let limit = rules.quiet_limit();
    let mut position = fen.position;
    let mut clock = fen.quiet_plies.unwrap_or(0);
    let mut seen = HashMap::from([(position, 1u32)]);
    for (index, Written { text, line }) in record.moves.iter().enumerate() {
        let Some(squares) = dialect.read_move(text) else {
            game.unjudged = record.moves.len() - index;
            let reason = format!("ply {}: {:?} is no move", index + 1, beginning(text));
            game.broken = Some(Broken { line: *line, reason });
            break;
        };
        if limit.is_some_and(|limit| clock >= limit) {
            // The game was over; what else was played is not judged.
            game.after_limit = record.moves.len() - index;
            game.unjudged = game.after_limit;
            break;
        }
        let verdict = judge.judge(&position, clock, squares)?;
        let legal = position.find_move(rules, squares).filter(|_| verdict.illegal.is_none());
        let next = legal.map(|legal| position.after(&legal));
        let occurrence = next.map_or(1, |next| {
            let times = seen.entry(next).or_default();
            *times += 1;
            *times
        });
        let plies_to_go = verdict.before.and_then(|before| before.plies);
        let matters = |limit: u32| match verdict.limit {
            Some(under) => under.matters(),
            None => plies_to_go.is_some_and(|plies| plies > limit - clock),
        };
        let limit = limit.map(|plies| Limit { plies, clock, matters: matters(plies) });
        let written = Some(text).filter(|text| **text != squares.to_text(rules.board())).cloned();
        game.moves.push(Judged { ply: index + 1, line: *line, position, squares, written, verdict, occurrence, limit });
        let (Some(legal), Some(next)) = (legal, next) else {
            game.unjudged = record.moves.len() - index - 1;
            break;
        };
        clock = legal.quiet_plies_after(clock);
        position = next;
    }
    game.limit_reached = limit.filter(|&limit| clock >= limit && decided(rules, &position).is_none());
    let whole = game.unjudged == game.after_limit
        && game.broken.is_none()
        && game.moves.iter().all(|it| it.verdict.illegal.is_none());
    game.results = Results::new(
        record,
        whole.then(|| decided(rules, &position).or(game.limit_reached.map(drawn_by_limit))).flatten(),
    );
    Ok(game)
}

/// Which start array a game seems to use; none if it begins with neither, the two are the same, or
/// nothing of it can be read.
fn start_array(rules: &Rules, dialect: &Dialect, record: &Record, begin: &Position) -> Option<StartArray> {
    let ours = Position::start(rules);
    let mirrored = ours.mapped(rules, Symmetry::Mirror);
    // As the record sees it: its own mirror image, if it is read as one.
    let as_seen = |array: StartArray| match (array, dialect.notation().mirror) {
        (StartArray::Ours, true) => StartArray::Mirrored,
        (StartArray::Mirrored, true) => StartArray::Ours,
        (array, _) => array,
    };
    if ours == mirrored || ours.pieces().next().is_none() {
        return None;
    }
    if record.tag("FEN").is_some_and(|fen| !fen.trim_start().starts_with("startpos")) {
        let same = |array: &Position| array.pieces().eq(begin.pieces());
        return match () {
            () if same(&ours) => Some(as_seen(StartArray::Ours)),
            () if same(&mirrored) => Some(as_seen(StartArray::Mirrored)),
            () => None,
        };
    }
    let read = |first: &Written| dialect.read_move(&first.text).is_some();
    if !record.moves.first().map_or(record.broken.is_none(), read) {
        // Nothing of it could be read.
        return None;
    }
    // Without a FEN the moves decide: those of one array are not all legal in the other.
    let plies = |symmetry: Symmetry| {
        let board = rules.board();
        let mut position = *begin;
        let legal = |written: &&Written| {
            let Some(Move { from, to }) = dialect.read_move(&written.text) else { return false };
            let squares = Move { from: board.map(symmetry, from), to: board.map(symmetry, to) };
            let found = position.find_move(rules, squares).filter(|_| position.finished(rules).is_none());
            if let Some(found) = found {
                position = position.after(&found);
            }
            found.is_some()
        };
        record.moves.iter().take_while(legal).count()
    };
    let (given, other) = (plies(Symmetry::Identity), plies(Symmetry::Mirror));
    Some(match given.cmp(&other) {
        std::cmp::Ordering::Greater => as_seen(StartArray::Ours),
        std::cmp::Ordering::Less => as_seen(StartArray::Mirrored),
        std::cmp::Ordering::Equal => StartArray::Either,
    })
}

mod result;
pub use result::{GameResult, Results};
use result::{decided, drawn_by_limit};

#[cfg(test)]
mod tests;
