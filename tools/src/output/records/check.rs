//! The answers of `check`.

use crate::judge::game::{Game, GameResult, Judged, StartArray};
use crate::judge::record::Broken;
use crate::judge::tally::{Counts, Tally};
use crate::judge::verdict::{Kind, Outcome, Verdict};
use dsq_tables::board::Side;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use serde::Serialize;
use std::collections::BTreeMap;

/// A move in the answer of `check`. All values are for the side that moved, counted from the position before the move.
#[derive(Serialize, Debug)]
pub struct MoveVerdict {
    /// The number of the game, from 1.
    pub game: usize,
    /// The number of the move in the game, from 1.
    pub ply: usize,
    /// The position before the move.
    pub position: String,
    /// The move, our way.
    #[serde(rename = "move")]
    pub text: String,
    /// The move as it was written, if that is another way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// `win`, `draw` or `loss` before the move.
    pub value_before: Option<&'static str>,
    /// The same after it.
    pub value_after: Option<&'static str>,
    /// Plies to the end before the move.
    pub dtw_before: Option<u32>,
    /// Plies to the end if it is played, the move itself counted.
    pub dtw_after: Option<u32>,
    /// What the move does.
    pub verdict: Kind,
    /// By how many plies the win comes later or the loss sooner; only where the value is kept and the distance is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies_lost: Option<u32>,
    /// The moves that keep value and distance; not of a best move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Vec<String>>,
    /// The moves that keep the value, best first; not of a best move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_by: Option<Vec<String>>,
    /// Why the move is illegal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Settings, each of which makes the move legal by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_with: Option<Vec<String>>,
    /// Rule sets that come with the program in which the move is legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_in: Option<Vec<&'static str>>,
    /// The material without a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// `wdl` if the distances are not known because only tables without them are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<&'static str>,
    /// How often the position after the move has been there in this game, if more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<u32>,
    /// Plies without a capture before the move, if the rule set has a limit and it matters here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_plies: Option<u32>,
    /// What the limit makes of the position before the move: `win`, `spoilt-win`, `draw`, `saved-loss` or `loss`; only where the
    /// values hold under it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_before: Option<&'static str>,
    /// The same of the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_after: Option<&'static str>,
}

impl MoveVerdict {
    /// The record of a verdict.
    pub fn new(rules: &Rules, game: usize, ply: usize, position: &Position, text: String, verdict: &Verdict) -> Self {
        let value = |outcome: Option<Outcome>| outcome.map(|outcome| outcome.value.name());
        let plies = |outcome: Option<Outcome>| outcome.and_then(|outcome| outcome.plies);
        let tells = !matches!(verdict.kind, Kind::Best | Kind::NotInTables) && verdict.before.is_some();
        let texts = |best: bool| {
            let wanted = |(_, outcome): &&(LegalMove, Outcome)| !best || Some(*outcome) == verdict.before;
            let moves = verdict.keeping.iter().filter(wanted);
            tells.then(|| moves.map(|(legal, _)| legal.squares.to_text(rules.board())).collect())
        };
        MoveVerdict {
            game,
            ply,
            position: position.to_fen(rules),
            text,
            written: None,
            value_before: value(verdict.before),
            value_after: value(verdict.after),
            dtw_before: plies(verdict.before),
            dtw_after: plies(verdict.after),
            verdict: verdict.kind,
            plies_lost: verdict.lost_plies().filter(|&plies| plies > 0),
            best: texts(true),
            kept_by: texts(false),
            reason: verdict.illegal.as_ref().map(|illegal| illegal.reason.clone()),
            legal_with: verdict.illegal.as_ref().map(|illegal| illegal.settings.clone()),
            legal_in: verdict.illegal.as_ref().map(|illegal| illegal.rule_sets.clone()),
            missing: verdict.missing.clone(),
            metric: verdict.without_distances.then_some("wdl"),
            occurrence: None,
            quiet_plies: verdict.limit.filter(|limit| limit.matters()).map(|limit| limit.clock),
            limit_before: verdict.limit.map(|limit| limit.before.name()),
            limit_after: verdict.limit.and_then(|limit| limit.after).map(|after| after.name()),
        }
    }

    /// The record of a move of a game.
    pub fn of_game(rules: &Rules, game: usize, judged: &Judged) -> MoveVerdict {
        let text = judged.squares.to_text(rules.board());
        MoveVerdict {
            written: judged.written.clone(),
            occurrence: Some(judged.occurrence).filter(|&times| times > 1),
            quiet_plies: judged.limit.filter(|limit| limit.matters).map(|limit| limit.clock),
            ..MoveVerdict::new(rules, game, judged.ply, &judged.position, text, &judged.verdict)
        }
    }
}

/// A game in the summary of `check games`.
#[derive(Serialize, Debug)]
pub struct GameSummary {
    /// Its number, from 1.
    pub game: usize,
    /// Its file.
    pub file: String,
    /// The line on which it begins.
    pub line: usize,
    /// The name of White, if it is known.
    pub white: Option<String>,
    /// The name of Black, if it is known.
    pub black: Option<String>,
    /// The rule set by which it was judged.
    pub rules: String,
    /// The start array that it seems to use, its first and last rank or `either`; none if it begins with another position.
    pub start_array: Option<String>,
    /// How many moves were judged, those outside of the tables counted.
    pub moves: usize,
    /// How many faults it has.
    pub faults: usize,
    /// `1-0`, `0-1` or `1/2-1/2`, if the record says one of them.
    pub result: Option<&'static str>,
    /// The same by the last position, if the game is over there.
    pub decided: Option<&'static str>,
    /// True if the two differ.
    pub result_contradicted: bool,
    /// How many moves come after one that is illegal or cannot be read.
    pub unjudged: usize,
    /// What kept the rest from being judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<GameError>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// What is wrong with a game.
#[derive(Serialize, Clone, Debug)]
pub struct GameError {
    /// The line.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl GameSummary {
    /// The record of a game. `array` gives a start array its name.
    pub fn new(
        (number, file, line): (usize, &str, usize),
        rules: &str,
        game: &Game,
        array: &dyn Fn(StartArray) -> String,
        notes: Vec<String>,
    ) -> GameSummary {
        let [white, black] = game.names.clone();
        let error = |Broken { line, reason }: &Broken| GameError { line: *line, reason: reason.clone() };
        GameSummary {
            game: number,
            file: file.to_owned(),
            line,
            white,
            black,
            rules: rules.to_owned(),
            start_array: game.start.map(array),
            moves: game.moves.len(),
            faults: game.moves.iter().filter(|judged| judged.verdict.kind.is_fault()).count(),
            result: game.results.given().map(GameResult::name),
            decided: game.results.decided.as_ref().map(|(result, _)| result.name()),
            result_contradicted: game.results.is_contradicted(),
            unjudged: game.unjudged,
            error: game.broken.as_ref().map(error),
            notes,
        }
    }

    /// How a side is called in the report.
    pub fn name(&self, side: Side) -> &str {
        let name = if side == Side::White { &self.white } else { &self.black };
        name.as_deref().unwrap_or("?")
    }
}

/// Counts of moves.
#[derive(Serialize, Clone, Debug)]
pub struct MoveCounts {
    /// All moves.
    pub moves: u64,
    /// Those that the tables judged.
    pub judged: u64,
    /// Those of them made where a win or a draw could be thrown away.
    pub at_stake: u64,
    /// Those of them that kept the value.
    pub kept: u64,
    /// By how many plies wins came later and losses sooner, where the value was kept.
    pub plies_lost: u64,
    /// How many moves got each verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
}

impl MoveCounts {
    /// The record of some counts.
    pub fn new(counts: &Counts) -> MoveCounts {
        MoveCounts {
            moves: counts.moves(),
            judged: counts.judged(),
            at_stake: counts.at_stake,
            kept: counts.kept(),
            plies_lost: counts.plies_lost,
            verdicts: Kind::ALL.into_iter().map(|kind| (kind.name(), counts.of(kind))).collect(),
        }
    }
}

/// The counts of a player.
#[derive(Serialize, Debug)]
pub struct PlayerCounts {
    /// The name, or the colour where there is none.
    pub player: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: MoveCounts,
}

/// The counts of a material.
#[derive(Serialize, Debug)]
pub struct MaterialCounts {
    /// The letters of the side that moves, a hyphen, those of the other side.
    pub material: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: MoveCounts,
}

/// The last object of `check games`.
#[derive(Serialize, Debug)]
pub struct CheckSummary {
    /// The games.
    pub games: Vec<GameSummary>,
    /// What is likely wrong where many moves are illegal.
    pub hints: Vec<String>,
    /// All moves.
    #[serde(flatten)]
    pub counts: MoveCounts,
    /// By player.
    pub by_player: Vec<PlayerCounts>,
    /// By material.
    pub by_material: Vec<MaterialCounts>,
}

impl CheckSummary {
    /// The record of a run.
    pub fn new(games: Vec<GameSummary>, hints: Vec<String>, tally: &Tally) -> CheckSummary {
        let counts = MoveCounts::new;
        let player = |(player, of): (&String, &Counts)| PlayerCounts { player: player.clone(), counts: counts(of) };
        let material =
            |(material, of): (&String, &Counts)| MaterialCounts { material: material.clone(), counts: counts(of) };
        CheckSummary {
            games,
            hints,
            counts: counts(&tally.all),
            by_player: tally.players.iter().map(player).collect(),
            by_material: tally.materials.iter().map(material).collect(),
        }
    }
}
