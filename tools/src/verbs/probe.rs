//! `probe`: values of positions.

use super::positions::{Answered, Asked, answer_all};
use crate::cli::Probe as Args;
use crate::context::{Context, letters};
use crate::error::{Code, Failure, code_of, words_of};
use crate::output::probe as text;
use crate::output::records::{End, Kind, Limit, MoveValue, NoAnswer, Probe as Record};
use dsq_tables::board::Side;
use dsq_tables::fen::{Fen, Letters};
use dsq_tables::format::Metric;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use dsq_tables::quiet::{Dtc, Outcome};
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{LimitedMove, LineEnd, Probe, Tablebase, TablebaseError};
use dsq_tables::value::{Value, Wdl};
use std::io::Write;
use std::sync::Arc;

/// Answers positions from the command line or from standard input.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, &args.letters)?;
    let (tables, none) = context.tables(&rules);
    // Looked for once: without any of them, nothing more is to be looked up.
    let limited = !tables.files_of(Metric::Dtc).is_empty();
    let prober = Prober { context, args, rules, letters, tables, none, limited };
    let apart = !context.json() && !args.short;
    let place = |fen: &str| prober.place(fen);
    answer_all(context, &args.fens, apart, out, &place, &|asked, out| prober.answer(asked, out))
}

/// What was asked for; none if a table for it is not there.
fn if_there<T>(answer: Result<T, TablebaseError>) -> Result<Option<T>, TablebaseError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(TablebaseError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

struct Prober<'a> {
    context: &'a Context,
    args: &'a Args,
    rules: Arc<Rules>,
    letters: Letters,
    tables: Tablebase,
    /// The complaint if there are no tables at all.
    none: Option<TablebaseError>,
    /// Whether there are tables of distances to conversion.
    limited: bool,
}

/// Everything about a position.
struct Answer {
    known: Known,
    record: Record,
}

/// What the tables know of a position and its moves.
pub enum Known {
    /// Values with their distances, or who has won.
    Distances(Probe, Vec<(LegalMove, Value)>),
    /// The same with what a limit of plies without a capture makes of it, or with the distance to conversion; the moves without
    /// that if not all are known with it.
    Limited(Value, Limited, Vec<(LegalMove, Value)>),
    /// Only tables without distances are there, and perhaps who wins under a limit.
    Wdl(Wdl, Option<Outcome>, Vec<(LegalMove, Wdl)>),
}

/// What tables of distances to conversion know of a position.
pub struct Limited {
    /// The value with no such ply behind it.
    pub dtc: Dtc,
    /// Who wins under the limit.
    pub outcome: Outcome,
    /// The moves, best first; none if a table that one of them leads to is not there.
    pub moves: Option<Vec<LimitedMove>>,
    /// The line of best play and how it ends, if it was asked for.
    pub line: Option<(Vec<Move>, LineEnd)>,
}

impl Prober<'_> {
    /// Where a position is looked up, if it is one.
    fn place(&self, fen: &str) -> Option<(Material, Side, u64)> {
        let fen = Fen::parse_with(&self.rules, &self.letters, fen).ok()?;
        self.tables.locate(&fen.position)
    }

    /// Answers one position: prints the answer, or why there is none where the form of the output has a place for it.
    fn answer(&self, asked: &Asked<'_>, out: &mut dyn Write) -> Answered {
        let (position, quiet_plies) = match Fen::parse_with(&self.rules, &self.letters, asked.fen) {
            Ok(fen) => (fen.position, fen.quiet_plies.unwrap_or(0)),
            Err(error) => {
                if self.args.short {
                    text::print_unknown(out, &self.rules, asked.fen)?;
                }
                return asked.refuse(self.context, &self.rules, &error, out);
            }
        };
        match self.look_up(&position, quiet_plies) {
            Ok(answer) if self.context.json() => asked.json(out, &answer.record)?,
            Ok(answer) if self.args.short => text::print_short(out, &self.rules, &answer.record)?,
            Ok(Answer { known, record }) => {
                text::print(out, &self.rules, &position, &known, &record, self.args.line)?;
            }
            Err(error) => return self.refuse(asked, &position, &error, out),
        }
        Ok(Ok(()))
    }

    /// The answer with distances, or without them if a table with them is not there, for the position or after a move, and all
    /// are there of one kind or the other.
    fn look_up(&self, position: &Position, quiet_plies: u32) -> Result<Answer, TablebaseError> {
        match self.with_distances(position, quiet_plies) {
            Err(missing @ TablebaseError::Missing { .. }) => match self.without_distances(position, quiet_plies) {
                Err(TablebaseError::Missing { .. }) => Err(missing),
                answer => answer,
            },
            answer => answer,
        }
    }

    fn without_distances(&self, position: &Position, quiet_plies: u32) -> Result<Answer, TablebaseError> {
        let value = self.tables.probe_wdl(position)?;
        let moves = self.tables.probe_moves_wdl(position)?;
        let limit = self.rules.quiet_limit();
        let outcome = if_there(self.tables.probe_dtc(position))?.map(|dtc| dtc.outcome(quiet_plies, limit));
        let record = |(legal, value): &(LegalMove, Wdl)| MoveValue::without_distance(&self.rules, legal, *value);
        let record = Record {
            position: position.to_fen(&self.rules),
            rules: self.rules.name().to_owned(),
            side_to_move: position.turn().name(),
            value: value.name(),
            dtw_plies: None,
            dtc_plies: None,
            limit: limit.map(|plies| Limit {
                plies,
                quiet_plies,
                reached: quiet_plies >= plies,
                value: outcome.map(Outcome::name),
            }),
            metric: Some(Metric::Wdl.name()),
            end: End::new(None, moves.is_empty()),
            moves: moves.iter().map(record).collect(),
            line: Vec::new(),
            line_end: None,
        };
        Ok(Answer { known: Known::Wdl(value, outcome, moves), record })
    }

    fn with_distances(&self, position: &Position, quiet_plies: u32) -> Result<Answer, TablebaseError> {
        let probe = self.tables.probe(position)?;
        let (value, dtw_plies, finished) = match probe {
            Probe::Finished(finished) => ("finished", None, Some(finished)),
            Probe::Value(value) => (value.name(), value.plies(), None),
        };
        // A finished game has no moves, and no limit.
        let limited = if finished.is_some() { None } else { self.limited(position, quiet_plies)? };
        let limit = self.rules.quiet_limit().filter(|_| finished.is_none());
        let value_under_limit = limited.as_ref().map(|limited| limited.outcome.name());
        // Where not all moves are known under the limit, the line is that without it.
        let known = limited.as_ref().filter(|limited| limited.moves.is_some());
        let moves = if known.is_some() { Vec::new() } else { self.tables.probe_moves(position)? };
        let (line, line_end) = match known.map(|limited| limited.line.clone()) {
            Some(line) => line.map_or((Vec::new(), None), |(line, end)| (line, Some(end.name()))),
            None if self.args.line => (self.tables.line(position, None)?.moves, None),
            None => (Vec::new(), None),
        };
        let records: Vec<MoveValue> = match limited.as_ref().and_then(|limited| limited.moves.as_ref()) {
            Some(moves) => moves.iter().map(|limited| MoveValue::limited(&self.rules, limited)).collect(),
            None => moves.iter().map(|(legal, value)| MoveValue::new(&self.rules, legal, *value)).collect(),
        };
        let record = Record {
            position: position.to_fen(&self.rules),
            rules: self.rules.name().to_owned(),
            side_to_move: position.turn().name(),
            value,
            dtw_plies,
            dtc_plies: limited.as_ref().map(|limited| limited.dtc.plies()),
            limit: limit.map(|plies| Limit {
                plies,
                quiet_plies,
                reached: quiet_plies >= plies,
                value: value_under_limit,
            }),
            metric: None,
            end: End::new(finished, records.is_empty()),
            moves: records,
            line: line.iter().map(|squares| squares.to_text(self.rules.board())).collect(),
            line_end,
        };
        let known = match (limited, probe) {
            (Some(limited), Probe::Value(value)) => Known::Limited(value, limited, moves),
            (_, probe) => Known::Distances(probe, moves),
        };
        Ok(Answer { known, record })
    }

    /// What tables of distances to conversion know of a position in which the game is not over, if they are there for it.
    fn limited(&self, position: &Position, quiet_plies: u32) -> Result<Option<Limited>, TablebaseError> {
        if !self.limited {
            return Ok(None);
        }
        let Some(dtc) = if_there(self.tables.probe_dtc(position))? else { return Ok(None) };
        let outcome = dtc.outcome(quiet_plies, self.rules.quiet_limit());
        let moves = if_there(self.tables.probe_moves_limited(position, quiet_plies))?;
        let line = match &moves {
            Some(_) if self.args.line => {
                if_there(self.tables.line(position, Some(quiet_plies)))?.map(|line| (line.moves, line.end))
            }
            _ => None,
        };
        Ok(Some(Limited { dtc, outcome, moves, line }))
    }

    fn refuse(&self, asked: &Asked<'_>, position: &Position, error: &TablebaseError, out: &mut dyn Write) -> Answered {
        let code = code_of(error);
        let fen = position.to_fen(&self.rules);
        if self.context.json() {
            let (kind, words) = match code {
                Code::Missing => (Kind::NotInTables, "not in tables".to_owned()),
                Code::Damaged => (Kind::DamagedTable, error.to_string()),
                _ => (Kind::UnreadableTable, error.to_string()),
            };
            let mut record = NoAnswer::new(&self.rules, fen, kind, words);
            self.name_missing(&mut record, position, error);
            asked.json(out, &record)?;
        } else if self.args.short {
            text::print_unknown(out, &self.rules, &fen)?;
        }
        // Without a single table it is the folder that is worth a word.
        let folder = self.none.as_ref().filter(|_| matches!(error, TablebaseError::Missing { .. }));
        Ok(Err((code, words_of(folder.unwrap_or(error)))))
    }

    /// Says which material and which table an answer needs.
    fn name_missing(&self, record: &mut NoAnswer, position: &Position, error: &TablebaseError) {
        match error {
            TablebaseError::Missing { material, class, .. } => {
                record.missing = Some(material.clone());
                record.class = Some(class.clone());
            }
            TablebaseError::TooManyPieces { material, pieces } => {
                record.missing = Some(material.clone());
                record.reason = Some(format!("{pieces} pieces, a table has at most {MAX_PIECES}"));
            }
            TablebaseError::NoTables { .. } => {
                let material = Material::of(position);
                record.missing = Some(material.to_text(&self.rules));
                let member = self.tables.catalog().member(material);
                record.class = member.map(|member| member.class().name().to_owned());
            }
            _ => {}
        }
    }
}
