//! The answers of `check engine`.

use super::check::{MaterialCounts, MoveCounts, MoveVerdict};
use crate::judge::exam::{Game, Mode, Response, Summary, Turn};
use crate::judge::verdict::Outcome;
use crate::number::millis;
use dsq_tables::rules::Rules;
use serde::Serialize;
use std::collections::BTreeMap;

/// What an engine did when it was to move.
#[derive(Serialize, Debug)]
pub struct EngineMove {
    /// What it is called in the report.
    pub engine: String,
    /// What it did.
    #[serde(flatten)]
    pub response: EngineResponse,
    /// How long it took.
    pub milliseconds: u64,
    /// The last lines that were exchanged, if there is no move or an illegal one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
}

/// A move or none.
#[derive(Serialize, Debug)]
#[serde(untagged)]
pub enum EngineResponse {
    /// A move.
    Move(Box<MoveVerdict>),
    /// None.
    None(NoMove),
}

/// Where there is no move: the fields of one as far as they are known.
#[derive(Serialize, Debug)]
pub struct NoMove {
    /// The number of the game, from 1.
    pub game: usize,
    /// The number of the move in the game, from 1.
    pub ply: u32,
    /// The position.
    pub position: String,
    /// Nothing.
    #[serde(rename = "move")]
    pub text: Option<String>,
    /// The value of the position.
    pub value_before: Option<&'static str>,
    /// Nothing.
    pub value_after: Option<&'static str>,
    /// Plies to the end.
    pub dtw_before: Option<u32>,
    /// Nothing.
    pub dtw_after: Option<u32>,
    /// `timeout`, `crash`, `flood`, `garbage`, `no-move`, `refused` or `start`.
    pub verdict: &'static str,
    /// What went wrong, in words.
    pub reason: String,
}

impl EngineMove {
    /// The record of a turn.
    pub fn new(rules: &Rules, engine: &str, game: usize, turn: &Turn) -> EngineMove {
        let (response, tail) = match &turn.response {
            Response::Move { squares, written, verdict, tail } => {
                let text = squares.to_text(rules.board());
                let ply = usize::try_from(turn.ply).unwrap_or(usize::MAX);
                let record = MoveVerdict {
                    written: written.clone(),
                    ..MoveVerdict::new(rules, game, ply, &turn.position, text, verdict)
                };
                (EngineResponse::Move(Box::new(record)), tail)
            }
            Response::Failure { kind, words, before, tail } => {
                let value = |outcome: &Outcome| outcome.value.name();
                let none = NoMove {
                    game,
                    ply: turn.ply,
                    position: turn.position.to_fen(rules),
                    text: None,
                    value_before: before.as_ref().map(value),
                    value_after: None,
                    dtw_before: before.and_then(|before| before.plies),
                    dtw_after: None,
                    verdict: kind,
                    reason: words.clone(),
                };
                (EngineResponse::None(none), tail)
            }
        };
        EngineMove { engine: engine.to_owned(), response, milliseconds: millis(turn.time), last_lines: tail.clone() }
    }
}

/// A game that was played to its end.
#[derive(Serialize, Debug)]
pub struct EngineGame {
    /// What the engine is called in the report.
    pub engine: String,
    /// The number of the game, from 1.
    pub game: usize,
    /// The position it began with, the engine to move.
    pub position: String,
    /// How it ended, for the engine.
    pub end: &'static str,
    /// How many plies were played.
    pub plies: u32,
    /// True if no win was thrown away and the engine did not win all the same.
    pub win_not_taken: bool,
}

impl EngineGame {
    /// The record of a game; none for an examination.
    pub fn new(rules: &Rules, engine: &str, game: &Game) -> Option<EngineGame> {
        Some(EngineGame {
            engine: engine.to_owned(),
            game: game.number,
            position: game.start.to_fen(rules),
            end: game.end?.name(),
            plies: game.plies,
            win_not_taken: game.is_win_not_taken(),
        })
    }
}

/// The last object of `check engine`.
#[derive(Serialize, Debug)]
pub struct EngineSummary {
    /// The rule set.
    pub rules: String,
    /// `examination` or `play-out`.
    pub mode: &'static str,
    /// How many positions there were.
    pub positions: usize,
    /// The engines, in the order of the command line.
    pub engines: Vec<CheckedEngine>,
}

/// What came of the work of an engine.
#[derive(Serialize, Debug)]
pub struct CheckedEngine {
    /// What it is called in the report.
    pub engine: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// The command that started it.
    pub command: String,
    /// How many positions it was asked about, or games it played.
    pub games: u64,
    /// How many it was not asked about, because it could not be started any more.
    pub not_asked: u64,
    /// Why it was asked nothing at all, if it could not be started or did not answer its greeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstarted: Option<String>,
    /// The moves.
    #[serde(flatten)]
    pub counts: MoveCounts,
    /// How often there was no move, by the reason.
    pub failures: BTreeMap<&'static str, u64>,
    /// How the games ended; empty for an examination.
    pub ends: BTreeMap<&'static str, u64>,
    /// Games in which no win was thrown away and none was won.
    pub wins_not_taken: u64,
    /// The longest time for a move.
    pub slowest_milliseconds: u64,
    /// The time for a move on the average.
    pub average_milliseconds: u64,
    /// What is likely wrong where many moves are illegal.
    pub hints: Vec<String>,
    /// By material, as the side that moves sees it.
    pub by_material: Vec<MaterialCounts>,
}

impl CheckedEngine {
    /// The record of a summary.
    pub fn new(summary: &Summary) -> CheckedEngine {
        let material = |(material, counts): (&String, &_)| MaterialCounts {
            material: material.clone(),
            counts: MoveCounts::new(counts),
        };
        CheckedEngine {
            engine: summary.label.clone(),
            name: summary.name.clone(),
            command: summary.command.clone(),
            games: summary.games,
            not_asked: summary.not_asked,
            unstarted: summary.unstarted.clone(),
            counts: MoveCounts::new(summary.counts()),
            failures: summary.failures.clone(),
            ends: summary.ends.clone(),
            wins_not_taken: summary.wins_not_taken,
            slowest_milliseconds: millis(summary.slowest),
            average_milliseconds: millis(summary.average()),
            hints: summary.hints.clone(),
            by_material: summary.tally.materials.iter().map(material).collect(),
        }
    }
}

impl EngineSummary {
    /// The record of a run.
    pub fn new(rules: &Rules, mode: Mode, positions: usize, summaries: &[Summary]) -> EngineSummary {
        let engines = summaries.iter().map(CheckedEngine::new).collect();
        EngineSummary { rules: rules.name().to_owned(), mode: mode.name(), positions, engines }
    }
}
