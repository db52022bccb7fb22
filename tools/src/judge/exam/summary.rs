//! What came of the work of an engine.

use super::game::{Game, Response};
use super::participant::Candidate;
use super::run::Outcome;
use crate::driver::Fault;
use crate::judge::dialect::Notation;
use crate::judge::finding::Source;
use crate::judge::hints::{Illegals, Wrong};
use crate::judge::tally::{Counts, Tally};
use crate::judge::verdict::material_of;
use dsq_tables::rules::Rules;
use std::collections::BTreeMap;
use std::time::Duration;

/// So often it says something about the engine.
const FEWEST: u64 = 3;

/// What came of the work of an engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// What it is called in the report.
    pub label: String,
    /// The command that started it.
    pub command: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// How many positions it was asked about, or games it played.
    pub games: u64,
    /// How many it was not asked about, because it could not be started any more.
    pub not_asked: u64,
    /// Why it was asked nothing at all, if it could not be started or did not answer its greeting.
    pub unstarted: Option<String>,
    /// The moves.
    pub tally: Tally,
    /// How often there was no move, by the reason.
    pub failures: BTreeMap<&'static str, u64>,
    /// How the games ended.
    pub ends: BTreeMap<&'static str, u64>,
    /// Games in which no win was thrown away, and none was won.
    pub wins_not_taken: u64,
    /// The longest time for a move.
    pub slowest: Duration,
    /// The time for all moves.
    pub time: Duration,
    /// What the illegal moves have in common.
    pub hints: Vec<String>,
    illegal: Illegals,
    notation: Notation,
    /// How the engine is given a position.
    place: String,
}

impl Summary {
    /// Nothing yet.
    #[must_use]
    pub fn new(candidate: &Candidate) -> Summary {
        Summary {
            label: candidate.label.clone(),
            command: candidate.command.clone(),
            name: None,
            games: 0,
            not_asked: 0,
            unstarted: None,
            tally: Tally::default(),
            failures: BTreeMap::new(),
            ends: BTreeMap::new(),
            wins_not_taken: 0,
            slowest: Duration::ZERO,
            time: Duration::ZERO,
            hints: Vec::new(),
            illegal: Illegals::default(),
            notation: candidate.dialect.notation().clone(),
            place: candidate.profile.position().to_owned(),
        }
    }

    /// Takes in a game, or the one move of an examination.
    pub fn add(&mut self, rules: &Rules, game: &Game) {
        self.games += 1;
        self.wins_not_taken += u64::from(game.is_win_not_taken());
        if let Some(end) = game.end {
            *self.ends.entry(end.name()).or_default() += 1;
        }
        for turn in &game.turns {
            self.slowest = self.slowest.max(turn.time);
            self.time = self.time.saturating_add(turn.time);
            match &turn.response {
                Response::Move { squares, verdict, .. } => {
                    self.tally.add(&self.label, &material_of(rules, &turn.position), verdict);
                    if let Some(illegal) = &verdict.illegal {
                        self.illegal.add(|| Wrong {
                            position: turn.position,
                            squares: *squares,
                            settings: illegal.settings.clone(),
                            given: true,
                            mirrored: false,
                        });
                    }
                }
                Response::Failure { kind, .. } => *self.failures.entry(kind).or_default() += 1,
            }
        }
    }

    /// Takes in how the work ended.
    pub fn end(&mut self, rules: &Rules, outcome: Outcome) {
        self.name = outcome.name;
        self.unstarted = outcome.unstarted.map(|failed| failed.line());
        // A run that was stopped has not given up on the engine.
        self.not_asked = if outcome.stopped { 0 } else { outcome.not_asked.try_into().unwrap_or(u64::MAX) };
        self.hints = self.illegal.hints(rules, &self.notation, Source::Engine);
        let no_move = self.failures.get(Fault::NO_MOVE).copied().unwrap_or(0);
        if no_move >= FEWEST && no_move == self.failed() + self.counts().moves() {
            // It is only asked where there is one.
            self.hints.push(format!(
                "it says in every position that there is no move; does it understand `{}`?",
                self.place.replace("{position}", "…").replace("{board}", "…").replace("{side}", "…")
            ));
        }
    }

    /// The counts of all moves.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.tally.all
    }

    /// How often there was no move.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// The time for a move on the average.
    #[must_use]
    pub fn average(&self) -> Duration {
        let moves = u32::try_from(self.counts().moves()).unwrap_or(u32::MAX);
        self.time.checked_div(moves).unwrap_or_default()
    }

    /// True if a value was thrown away, a move was illegal, or there was none.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.counts().faults() + self.failed() + self.not_asked + self.wins_not_taken > 0
    }
}
