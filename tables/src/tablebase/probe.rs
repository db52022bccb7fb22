//! Single look-ups.

use super::store::Tablebase;
use crate::board::Side;
use crate::error::TablebaseError;
use crate::material::Material;
use crate::moves::LegalMove;
use crate::position::{Finished, Position};
use crate::rules::NoMove;
use crate::value::{Dtc, Outcome, TableValue, Value, Wdl};

/// The answer to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    /// The game is over.
    Finished(Finished),
    /// The value for the side to move.
    Value(Value),
}

impl Probe {
    /// The value for `turn`, the side to move; a finished game is won or lost in 0 plies.
    #[must_use]
    pub fn value_for(self, turn: Side) -> Value {
        match self {
            Probe::Value(value) => value,
            Probe::Finished(finished) if finished.winner == turn => Value::Win(0),
            Probe::Finished(_) => Value::Loss(0),
        }
    }
}

impl Tablebase {
    /// The value of a position, or who has won if the game is over. The position must be one that
    /// [`Position::check`] accepts.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables, or a table cannot be used.
    pub fn probe(&self, position: &Position) -> Result<Probe, TablebaseError> {
        match position.finished(self.rules()) {
            Some(finished) => Ok(Probe::Finished(finished)),
            None => self.value_of(position).map(Probe::Value),
        }
    }

    /// The value of a position with a halfmove clock of 0, from the table of that metric. A finished game is won or lost in 0
    /// plies. The position must be one that [`Position::check`] accepts.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables, or a table cannot be used.
    pub fn probe_value<V: TableValue>(&self, position: &Position) -> Result<V, TablebaseError> {
        match position.finished(self.rules()) {
            Some(finished) => Ok(if finished.winner == position.turn() { V::WON } else { V::LOST }),
            None => self.value_of(position),
        }
    }

    /// The value of a position in which the game is not over.
    fn value_of<V: TableValue>(&self, position: &Position) -> Result<V, TablebaseError> {
        let material = Material::of(position);
        if !material.has_both_sides() {
            return Ok(self.value_without_opponent(position));
        }
        self.code(position, material, V::METRIC).map(V::from_code)
    }

    /// Who wins a position, for the side to move: from the table without distances if there is one, else from the one with
    /// them. Which of the two is there is looked up once for each material; [`Tablebase::close_tables`] forgets it. A finished
    /// game is won or lost. The position must be one that [`Position::check`] accepts.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables ([`TablebaseError::Missing`] names the table with distances), or a table cannot
    /// be used.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, TablebaseError> {
        if let Some(finished) = position.finished(self.rules()) {
            return Ok(if finished.winner == position.turn() { Wdl::Win } else { Wdl::Loss });
        }
        let material = Material::of(position);
        if !material.has_both_sides() {
            return Ok(self.value_without_opponent(position));
        }
        self.code_for_wdl(position, material).map(Wdl::from_code)
    }

    /// The value of a position with a halfmove clock of 0, under the limit of the rule set if it has one, from the table of
    /// distances to conversion; see [`Dtc`].
    ///
    /// # Errors
    /// As [`Tablebase::probe_value`].
    pub fn probe_dtc(&self, position: &Position) -> Result<Dtc, TablebaseError> {
        self.probe_value(position)
    }

    /// Whether the rule set has a limit of plies without a capture and there are tables for it.
    #[must_use]
    pub fn has_limit_tables(&self) -> bool {
        self.rules().quiet_limit().is_some() && self.has_tables_of(Dtc::METRIC)
    }

    /// Who wins a position with this halfmove clock, under the limit of the rule set. Without a limit it is won or lost or
    /// drawn as the table of distances to conversion has it.
    ///
    /// # Errors
    /// As [`Tablebase::probe_value`].
    pub fn probe_outcome(&self, position: &Position, halfmove_clock: u32) -> Result<Outcome, TablebaseError> {
        // What is over is won or lost in 0 plies, which no clock makes a draw.
        Ok(self.probe_dtc(position)?.outcome(halfmove_clock, self.rules().quiet_limit()))
    }

    /// Where the value of a position stands: the class, the side to move in its table and the number there. None if the game
    /// is over or no table can have it. No file is opened.
    #[must_use]
    pub fn locate(&self, position: &Position) -> Option<(Material, Side, u64)> {
        let material = Material::of(position);
        if position.finished(self.rules()).is_some() || !material.has_both_sides() {
            return None;
        }
        let member = self.catalog().member(material)?;
        let route = member.route(position.turn());
        let number = member.class().index().number(&route.squares(position)?);
        Some((member.class().material(), route.side(), number))
    }

    /// The value where one side has no pieces and that does not end the game: it has no move when its turn comes.
    fn value_without_opponent<V: TableValue>(&self, position: &Position) -> V {
        let without_move = match self.rules().no_move() {
            NoMove::Loss => V::LOST,
            NoMove::Draw => V::DRAW,
        };
        let mut best = None;
        position.for_each_move(self.rules(), |legal| {
            let value = match position.after(&legal).finished(self.rules()) {
                Some(_) => V::LOST.back_up(true, None),
                None => without_move.back_up(false, None),
            };
            best = best.max(Some(value));
        });
        best.unwrap_or(without_move)
    }

    /// Every legal move with its value for the side that makes it, counted from this position; best first, equal ones in
    /// square order.
    ///
    /// # Errors
    /// [`TablebaseError`]: a position after a move is not in the tables, or a table cannot be used.
    pub fn probe_moves(&self, position: &Position) -> Result<Vec<(LegalMove, Value)>, TablebaseError> {
        let mut moves = Vec::new();
        for legal in position.legal_moves(self.rules()) {
            let next = position.after(&legal);
            let value = self.probe(&next)?.value_for(next.turn());
            moves.push((legal, value.before_move()));
        }
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        Ok(moves)
    }

    /// Every legal move with its value for the side that makes it, as [`Tablebase::probe_wdl`] knows it; best first, equal ones
    /// in square order.
    ///
    /// # Errors
    /// [`TablebaseError`]: a position after a move is not in the tables, or a table cannot be used.
    pub fn probe_moves_wdl(&self, position: &Position) -> Result<Vec<(LegalMove, Wdl)>, TablebaseError> {
        let mut moves = Vec::new();
        for legal in position.legal_moves(self.rules()) {
            moves.push((legal, self.probe_wdl(&position.after(&legal))?.before_move()));
        }
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        Ok(moves)
    }
}
