//! `probe`: values of positions.

use super::positions::{Answered, Asked, Source, answer_all};
use crate::answer::Answer;
use crate::context::{Context, letters};
use crate::error::{Code, Failure, code_of, words_of};
use crate::output::probe as text;
use crate::output::records::{Kind, NoAnswer, Probe as Record};
use crate::terms::METRICS;
use dsq_tables::board::Side;
use dsq_tables::fen::{Fen, Letters};
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use std::io::Write;
use std::sync::Arc;

/// What is asked.
pub struct Request {
    /// The positions.
    pub positions: Source,
    /// Letters of animals that differ from those of the rule set, as `lion=I,leopard=L`.
    pub letters: Option<String>,
    /// Whether the line of best play is wanted.
    pub line: bool,
    /// Whether one line for each position is printed, and no board.
    pub short: bool,
}

/// Answers positions.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let letters = letters(&rules, request.letters.as_deref())?;
    let (tables, none) = context.tables(&rules);
    let under_limit = METRICS.into_iter().filter(|metric| metric.is_under_limit());
    let limit_tables = under_limit.into_iter().any(|metric| !tables.files_of(metric).is_empty());
    let prober = Prober { context, request, rules, letters, tables, none, limit_tables };
    let apart = !context.json() && !request.short;
    let place = |fen: &str| prober.place(fen);
    answer_all(context, &request.positions, apart, out, &place, &|asked, out| prober.answer(asked, out))
}

struct Prober<'a> {
    context: &'a Context,
    request: &'a Request,
    rules: Arc<Rules>,
    letters: Letters,
    tables: Tablebase,
    /// The complaint if there are no tables at all.
    none: Option<TablebaseError>,
    /// Whether there are tables that depend on the limit of plies without a capture.
    limit_tables: bool,
}

impl Prober<'_> {
    /// Where a position is looked up, if it is one.
    fn place(&self, fen: &str) -> Option<(Material, Side, u64)> {
        let fen = Fen::parse_with(&self.rules, &self.letters, fen).ok()?;
        self.tables.locate(&fen.position)
    }

    /// Answers one position: prints the answer, or why there is none where the form of the output has a place for it.
    fn answer(&self, asked: &Asked<'_>, out: &mut dyn Write) -> Answered {
        let (position, clock) = match Fen::parse_with(&self.rules, &self.letters, asked.fen) {
            Ok(fen) => (fen.position, fen.quiet_plies.unwrap_or(0)),
            Err(error) => {
                if self.request.short {
                    text::print_unknown(out, &self.rules, asked.fen)?;
                }
                return asked.refuse(self.context, &self.rules, &error, out);
            }
        };
        let answer = match Answer::look_up(&self.tables, &position, clock, self.request.line, self.limit_tables) {
            Ok(answer) => answer,
            Err(error) => return self.refuse(asked, &position, &error, out),
        };
        let record = Record::new(&self.rules, &position, &answer);
        if self.context.json() {
            asked.json(out, &record)?;
        } else if self.request.short {
            text::print_short(out, &self.rules, &answer, &record)?;
        } else {
            text::print(out, &self.rules, &position, &answer, &record, self.request.line)?;
        }
        Ok(Ok(()))
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
        } else if self.request.short {
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
