//! The game up to the position to move in.

use dsq_tables::fen::Fen;
use dsq_tables::position::Position;

/// A game so far.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its positions; the last one is the one to move in.
    pub positions: Vec<Position>,
    /// The halfmove clock of the last one: plies since the last capture.
    pub clock: u32,
}

impl From<Fen> for Played {
    fn from(fen: Fen) -> Played {
        Played { positions: vec![fen.position], clock: fen.quiet_plies.unwrap_or(0) }
    }
}
