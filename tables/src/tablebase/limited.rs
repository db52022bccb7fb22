//! Probing under a limit of plies without a capture.

use super::{Tablebase, TablebaseError};
use crate::moves::LegalMove;
use crate::position::Position;

use crate::value::{Outcome, Value};
use std::cmp::Reverse;

/// A legal move and what it does under the limit. All values are for the side that makes it, counted from the position
/// before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitedMove {
    /// The move.
    pub legal: LegalMove,
    /// Who wins under the limit.
    pub outcome: Outcome,
    /// Plies to the next capture that keeps the win under the limit, or to the end of the game, this one counted; none if
    /// there is no such capture whatever the count.
    pub dtc_plies: Option<u32>,
    /// The value without the limit.
    pub value: Value,
}

impl Tablebase {
    /// Every legal move of a position that `count` quiet plies are behind, the best first, equal ones in square order.
    ///
    /// Better is what has the better outcome. Of moves that win:
    ///
    /// - If the position is won in at most as many plies as the limit leaves, a shorter distance to win (DTW) is better. Then
    ///   the fastest win needs no look at the limit.
    /// - Otherwise a shorter distance to conversion (DTC) is better, then a shorter distance to win.
    ///
    /// So who always plays the first move keeps the value and never repeats a position in a won game, whatever the other
    /// side does. In the second case the distance to conversion shrinks with every ply; in the first one the distance to win
    /// does, and what the limit leaves shrinks no faster, so the first case lasts until the next capture and beyond. A position
    /// of the second case cannot come up again in the first one, because there the limit leaves less than it left before, and
    /// that was too little. Where shorter distances to win were preferred among all moves that win under the limit, a
    /// position could be repeated.
    ///
    /// Of moves that do not win, the better one has the better value without the limit: who would win wins soon, who would
    /// lose loses late.
    ///
    /// # Errors
    /// [`TablebaseError`]: a position after a move is not in the tables, of either distance, or a table cannot be used.
    pub fn probe_moves_limited(&self, position: &Position, count: u32) -> Result<Vec<LimitedMove>, TablebaseError> {
        let limit = self.rules().quiet_limit();
        let mut moves = Vec::new();
        for legal in position.legal_moves(self.rules()) {
            let next = position.after(&legal);
            let dtc = self.probe_dtc(&next)?;
            let outcome = match dtc.outcome(legal.quiet_plies_after(count), limit).before_move() {
                // The game was over before.
                Outcome::Win if limit.is_some_and(|limit| count >= limit) => Outcome::SpoiltWin,
                Outcome::Loss if limit.is_some_and(|limit| count >= limit) => Outcome::SavedLoss,
                outcome => outcome,
            };
            let dtc_plies = dtc.before_move(legal.capture.is_some(), None).plies();
            let value = self.probe(&next)?.value_for(next.turn()).before_move();
            moves.push(LimitedMove { legal, outcome, dtc_plies, value });
        }
        let fastest = moves.iter().map(|limited| limited.value).max();
        let left = limit.map(|limit| limit.saturating_sub(count));
        let in_time = match (fastest, left) {
            (Some(Value::Win(plies)), Some(left)) => plies <= left,
            _ => true,
        };
        moves.sort_by_key(|limited| {
            let conversion = match limited.outcome {
                Outcome::Win if !in_time => limited.dtc_plies,
                _ => None,
            };
            (Reverse(limited.outcome), conversion, Reverse(limited.value))
        });
        Ok(moves)
    }
}
