//! Legal moves, forwards. Written for clarity: the checker that proves the tables uses it.

use crate::board::{Bitboard, Board, Square};
use crate::position::Position;
use crate::rules::{Animal, Piece, Rules};

/// A move from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the piece comes from.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

/// A legal move with what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegalMove {
    /// The squares.
    pub squares: Move,
    /// The piece that moves.
    pub piece: Piece,
    /// The animal of the other side that is taken.
    pub capture: Option<Animal>,
}

impl LegalMove {
    /// The halfmove clock after the move, the number of plies in a row without a capture, if it is so much before it.
    #[must_use]
    pub const fn quiet_plies_after(&self, quiet_plies: u32) -> u32 {
        if self.capture.is_some() { 0 } else { quiet_plies.saturating_add(1) }
    }
}

impl Move {
    /// The four characters of the move, as `a3a4`.
    #[must_use]
    pub fn to_text(self, board: &Board) -> String {
        board.name(self.from) + &board.name(self.to)
    }

    /// Reads a move in either case, also with `-` or `x` between the squares.
    #[must_use]
    pub fn parse(board: &Board, text: &str) -> Option<Move> {
        let text = text.trim();
        // The second square begins at the second letter that is not the sign of a capture.
        let second = text.char_indices().skip(2).find(|(_, c)| !c.is_ascii_digit()).map(|(index, _)| index)?;
        let (from, rest) = text.split_at(second);
        let from = board.parse_square(from)?;
        let parsed = board.parse_square(rest);
        let to = parsed.or_else(|| board.parse_square(rest.strip_prefix(['-', 'x', 'X'])?))?;
        Some(Move { from, to })
    }
}

impl Position {
    /// Calls `visit` with every legal move. There is none once the game is over: a den is entered, or a side has no pieces
    /// and has lost by that.
    pub fn for_each_move(&self, rules: &Rules, mut visit: impl FnMut(LegalMove)) {
        let side = self.turn();
        let own = self.occupied_by(side);
        let enemy = self.occupied_by(side.other());
        // In play a side without pieces, which has no move, is next; a board can be set up otherwise.
        let eliminated = enemy.is_empty() && rules.elimination_wins();
        if eliminated || own.intersects(rules.goal(side)) || enemy.intersects(rules.goal(side.other())) {
            return;
        }
        for (piece, from) in self.pieces_of(side) {
            let movement = rules.movement(piece);
            let stopped_by = movement.stopped_by();
            let stoppers = if stopped_by.own { own } else { Bitboard::EMPTY }
                | if stopped_by.enemy { enemy } else { Bitboard::EMPTY };
            for edge in movement.edges(from) {
                if own.contains(edge.to) || edge.between.intersects(stoppers) {
                    continue;
                }
                let mut capture = None;
                if enemy.contains(edge.to) {
                    let Some(victim) = self.piece_on(edge.to) else { continue };
                    if !rules.captures(piece, victim.animal, from).contains(edge.to) {
                        continue;
                    }
                    capture = Some(victim.animal);
                }
                visit(LegalMove { squares: Move { from, to: edge.to }, piece, capture });
            }
        }
    }

    /// All legal moves in square order: by the square they come from, then by their target.
    #[must_use]
    pub fn legal_moves(&self, rules: &Rules) -> Vec<LegalMove> {
        let mut moves = Vec::new();
        self.for_each_move(rules, |legal| moves.push(legal));
        moves.sort_unstable_by_key(|legal| legal.squares);
        moves
    }

    /// The legal move between these squares, if there is one.
    #[must_use]
    pub fn find_move(&self, rules: &Rules, squares: Move) -> Option<LegalMove> {
        self.legal_moves(rules).into_iter().find(|legal| legal.squares == squares)
    }

    /// The position after a legal move.
    #[must_use]
    pub fn after(&self, legal: &LegalMove) -> Position {
        let mut next = self.setup();
        if let Some(animal) = legal.capture {
            next.remove(Piece { side: legal.piece.side.other(), animal });
        }
        next.place(legal.piece, legal.squares.to);
        next.set_turn(legal.piece.side.other());
        // What a legal move leads to can be.
        Position(next)
    }

    /// True if the side to move has a legal move.
    #[must_use]
    pub fn has_move(&self, rules: &Rules) -> bool {
        let mut found = false;
        self.for_each_move(rules, |_| found = true);
        found
    }

    /// True if a side could make some capture of `victim` somewhere on the board with `attacker`.
    #[must_use]
    pub fn can_ever_capture(rules: &Rules, attacker: Piece, victim: Animal) -> bool {
        let squares = rules.movement(attacker).domain();
        squares.squares().any(|from| !rules.captures(attacker, victim, from).is_empty())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn moves_are_read_in_their_spellings() {
        let rules = Rules::load("classic").unwrap();
        let board = rules.board();
        for text in ["a3a4", "A3A4", "a3-a4", "a3xa4", "A3XA4", " a3a4 "] {
            assert_eq!(Move::parse(board, text).map(|m| m.to_text(board)), Some("a3a4".to_owned()), "{text}");
        }
        for text in ["", "a3", "a3a", "a3a44", "h3a4", "a0a1", "a3--a4", "ä3a4", "a3 a4", "0000"] {
            assert_eq!(Move::parse(board, text), None, "{text}");
        }
    }

    #[test]
    fn a_piece_alone_on_the_board_has_its_moves_unless_it_has_won() {
        let won = Rules::load("classic").unwrap();
        let rules = Rules::load_with("classic", [("elimination-wins", "false")]).unwrap();
        let position = Position::from_fen(&rules, "7/7/7/7/7/7/7/3E3/7 w").unwrap();
        let moves: Vec<String> =
            position.legal_moves(&rules).iter().map(|legal| legal.squares.to_text(rules.board())).collect();
        assert_eq!(moves, ["d2c2", "d2e2", "d2d3"]);
        assert!(position.finished(&won).is_some() && position.legal_moves(&won).is_empty());
    }

    #[test]
    fn a_finished_game_has_no_moves() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::from_fen(&rules, "3E3/7/3e3/7/7/7/7/7/7 b").unwrap();
        assert!(position.legal_moves(&rules).is_empty());
    }
}
