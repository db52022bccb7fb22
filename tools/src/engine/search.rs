//! Looking ahead: alpha-beta with the tables at the leaves, one ply deeper each time until the limit.

use super::evaluate::{BOUND, Evaluator};
use super::game::Played;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::position::Position;
use dsq_tables::rules::{NoMove, Rules};
use dsq_tables::tablebase::{Probe, Tablebase, TablebaseError};
use dsq_tables::value::{Value, Wdl};
use std::collections::HashSet;
use std::time::Instant;

/// The score of a game that is won now. One that is won in n plies has n less.
pub const WON: i32 = 10_000_000;

/// The deepest search.
pub const DEEPEST: u32 = 64;

/// How many positions are looked at between two looks at the clock and the input.
const PAUSE: u64 = 512;

/// Where a search ends at the latest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Plies.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// A moment.
    pub deadline: Option<Instant>,
}

/// What a search to some depth has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Plies.
    pub depth: u32,
    /// For the side to move.
    pub score: i32,
    /// Positions looked at up to now.
    pub nodes: u64,
    /// The best line, the move to make first.
    pub line: Vec<Move>,
}

impl Found {
    /// The plies to the end of the game if the search has seen it: positive if the side to move wins.
    pub fn end_plies(&self) -> Option<i32> {
        match self.score {
            score if score > BOUND => Some(WON - score),
            score if score < -BOUND => Some(-WON - score),
            _ => None,
        }
    }
}

/// A search of one position.
pub struct Search<'a> {
    rules: &'a Rules,
    tables: &'a Tablebase,
    evaluator: &'a Evaluator,
    limits: Limits,
    /// True if somebody wants the answer now.
    asked: &'a mut dyn FnMut() -> bool,
    stopped: bool,
    nodes: u64,
    /// The halfmove clock of the position that is searched: plies since the last capture.
    clock: u32,
    /// Positions of the game and of the line that is looked at: one that comes again is a draw.
    path: Vec<Position>,
    /// Materials whose tables are not there or cannot be used.
    without: HashSet<Material>,
    /// Why a table that is there cannot be used.
    complaint: Option<String>,
}

impl<'a> Search<'a> {
    /// A search that knows the game up to now, the position itself last.
    pub fn new(
        tables: &'a Tablebase,
        evaluator: &'a Evaluator,
        limits: Limits,
        played: &Played,
        asked: &'a mut dyn FnMut() -> bool,
    ) -> Search<'a> {
        let game = &played.positions;
        // What was before a capture does not come again.
        let material = game.last().map(Material::of);
        let path = game.iter().filter(|position| Some(Material::of(position)) == material).copied().collect();
        Search {
            rules: tables.rules(),
            tables,
            evaluator,
            limits,
            asked,
            stopped: false,
            nodes: 0,
            clock: played.clock,
            path,
            without: HashSet::new(),
            complaint: None,
        }
    }

    /// Why a table that is there cannot be used, if one was met.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// Looks for the best of some legal moves, one ply deeper each time, and reports each depth that was done in full. The
    /// first depth always is.
    pub fn run(&mut self, position: &Position, moves: &[LegalMove], mut tell: impl FnMut(&Found)) -> Option<Found> {
        let mut moves = moves.to_vec();
        self.order(&mut moves);
        let mut best = None;
        for depth in 1..=self.limits.depth.clamp(1, DEEPEST) {
            let Some(found) = self.best_of(position, &moves, depth) else { break };
            tell(&found);
            // The best move first: the next depth has the narrowest window as soon as can be.
            if let Some(place) = moves.iter().position(|legal| found.line.first() == Some(&legal.squares)) {
                moves[..=place].rotate_right(1);
            }
            // Nothing is nearer than an end inside of what was looked at.
            let seen = found.end_plies().is_some_and(|plies| plies.unsigned_abs() <= depth);
            best = Some(found);
            if seen || self.stopped {
                break;
            }
        }
        best
    }

    /// The best of the moves at the root; none if the search was stopped before it was done.
    fn best_of(&mut self, position: &Position, moves: &[LegalMove], depth: u32) -> Option<Found> {
        let mut best = None;
        let (mut alpha, beta) = (-WON, WON);
        let mut line = Vec::new();
        for legal in moves {
            let mut rest = Vec::new();
            let next = position.after(legal);
            let at = At { ply: 1, clock: legal.quiet_plies_after(self.clock) };
            let score = -self.value(&next, depth - 1, at, -beta, -alpha, &mut rest);
            if self.stopped && depth > 1 {
                return None;
            }
            if best.is_none_or(|best| score > best) {
                best = Some(score);
                alpha = alpha.max(score);
                line = std::iter::once(legal.squares).chain(rest).collect();
            }
        }
        best.map(|score| Found { depth, score, nodes: self.nodes, line })
    }

    /// The score of a position for its side to move. Nothing once the search is stopped.
    fn value(
        &mut self,
        position: &Position,
        depth: u32,
        at: At,
        mut alpha: i32,
        beta: i32,
        line: &mut Vec<Move>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(PAUSE) || self.nodes >= self.limits.nodes {
            self.look_up();
        }
        let At { ply, clock } = at;
        if self.stopped && ply > 1 {
            return 0;
        }
        if let Some(finished) = position.finished(self.rules) {
            let won = WON - i32::from(ply);
            return if finished.winner == position.turn() { won } else { -won };
        }
        if self.path.contains(position) {
            return 0;
        }
        let mut moves = position.legal_moves(self.rules);
        if moves.is_empty() {
            return match self.rules.no_move() {
                NoMove::Loss => i32::from(ply) - WON,
                NoMove::Draw => 0,
            };
        }
        if self.rules.quiet_limit().is_some_and(|limit| clock >= limit) {
            return 0;
        }
        if let Some(value) = self.in_tables(position, clock) {
            return score(value, ply);
        }
        if depth == 0 {
            return self.evaluator.guess(position);
        }
        self.order(&mut moves);
        self.path.push(*position);
        let mut best = -WON;
        for legal in &moves {
            let mut rest = Vec::new();
            let next = At { ply: ply + 1, clock: legal.quiet_plies_after(clock) };
            let score = -self.value(&position.after(legal), depth - 1, next, -beta, -alpha, &mut rest);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    line.clear();
                    line.push(legal.squares);
                    line.append(&mut rest);
                }
                if score >= beta {
                    break;
                }
            }
            if self.stopped {
                break;
            }
        }
        self.path.pop();
        best
    }

    /// The value by the tables, if they have the position. Under a limit a win or loss counts if it holds under it, for which there
    /// are tables of distances to conversion, or if it comes before the limit whatever is taken.
    fn in_tables(&mut self, position: &Position, clock: u32) -> Option<Value> {
        let material = Material::of(position);
        if material.count() > MAX_PIECES || self.without.contains(&material) {
            return None;
        }
        let look_up = || -> Result<Option<Value>, TablebaseError> {
            let Probe::Value(value) = self.tables.probe(position)? else { return Ok(None) };
            let (Some(plies), Some(limit)) = (value.plies(), self.rules.quiet_limit()) else { return Ok(Some(value)) };
            if plies <= limit.saturating_sub(clock) {
                return Ok(Some(value));
            }
            match self.tables.probe_outcome(position, clock) {
                Ok(outcome) if outcome.under_limit() == Wdl::Draw => Ok(Some(Value::Draw)),
                Ok(_) => Ok(Some(value)),
                // Nobody knows.
                Err(error) if error.is_missing() => Ok(None),
                Err(error) => Err(error),
            }
        };
        match look_up() {
            Ok(value) => value,
            Err(error) => {
                if !error.is_missing() && self.complaint.is_none() {
                    self.complaint = Some(error.to_string());
                }
                self.without.insert(material);
                None
            }
        }
    }

    /// Captures first, of the most valuable animal first.
    fn order(&self, moves: &mut [LegalMove]) {
        let gain = |legal: &LegalMove| {
            let victim = |animal| dsq_tables::rules::Piece { side: legal.piece.side.other(), animal };
            legal.capture.map_or(0, |animal| self.evaluator.worth(victim(animal)))
        };
        moves.sort_by_key(|legal| std::cmp::Reverse(gain(legal)));
    }

    fn look_up(&mut self) {
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.stopped = self.stopped || late || self.nodes >= self.limits.nodes || (self.asked)();
    }
}

/// Where a position stands in a search.
#[derive(Clone, Copy)]
struct At {
    /// Plies from the root.
    ply: u16,
    /// Its halfmove clock: plies since the last capture.
    clock: u32,
}

/// The score of a value in the tables.
fn score(value: Value, ply: u16) -> i32 {
    let end = |plies: u32| WON - i32::from(ply) - i32::try_from(plies).unwrap_or(i32::MAX).min(WON / 2);
    match value {
        Value::Win(plies) => end(plies),
        Value::Draw => 0,
        Value::Loss(plies) => -end(plies),
    }
}
