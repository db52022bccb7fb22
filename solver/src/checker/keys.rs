//! Values of moves as bytes that can be compared, many at a time.
//!
//! The key of a code in one byte is greater the better the position is for the side that moved there. With the codes of
//! distances up to 253 plies and one key for "no move" all 256 bytes are taken, so the greatest key of a set of moves is
//! a plain maximum of bytes. The loops are over arrays of fixed size, for the compiler to turn into vector code.

use dsq_tables::format::ESCAPE;

/// How many squares the last piece can have, and one place more: see [`NOWHERE`].
pub(super) const PLACES: usize = 128;
/// A place that no square has. One square at least is closed to every piece: the den it must enter ends the game.
pub(super) const NOWHERE: u8 = 127;
/// How many places are worked on at once.
const WIDTH: usize = 64;

/// A byte for each square of the last piece, by its place among them.
pub(super) type Row = [u8; PLACES];

/// The key of no move.
const NONE: u8 = 0;
/// The key of a move to a draw. Worse ones lose, later ones better: 1 to 127; better ones win, sooner ones better.
const DRAW: u8 = 128;

/// The key of the move to a position with this code, not [`ESCAPE`].
#[inline(always)]
fn key(code: u8) -> u8 {
    // An even code is a position the other side wins: the move loses, and the further away the better. An odd code is one
    // that it loses.
    let half = code >> 1;
    let decided = if code & 1 == 0 { half } else { !half };
    if code == 0 { DRAW } else { decided }
}

/// The code of a position whose best move has this key; [`ESCAPE`] stands for 255 too, and is no answer.
#[inline(always)]
fn code_of(key: u8, no_move: u8) -> u8 {
    let twice = key.wrapping_mul(2);
    let decided = if key < DRAW { twice + 1 } else { twice.wrapping_neg() };
    match key {
        NONE => no_move,
        DRAW => 0,
        _ => decided,
    }
}

/// The best moves of all positions that differ only in the square of the last piece.
pub(super) struct Best {
    /// The key of the best move found.
    keys: Row,
    /// Not 0 where some move leads to a long distance, for which there is no key.
    doubts: Row,
    /// How many parts of [`WIDTH`] places are in use.
    parts: usize,
}

/// The moves of the last piece: what each square is worth as a target.
pub(super) struct Targets {
    keys: Row,
    doubts: Row,
    /// Whether there are doubts at all.
    doubtful: bool,
}

impl Best {
    /// For a last piece with so many squares.
    pub(super) fn new(places: usize) -> Best {
        Best { keys: [NONE; PLACES], doubts: [0; PLACES], parts: places.div_ceil(WIDTH) }
    }

    /// Forgets all moves.
    pub(super) fn clear(&mut self) {
        self.keys = [NONE; PLACES];
        self.doubts = [0; PLACES];
    }

    /// Answers no position any more.
    pub(super) fn doubt_all(&mut self) {
        self.doubts = [1; PLACES];
    }

    /// One more move of every position, to the positions with these codes; but not of those at the places `except`.
    pub(super) fn raise(&mut self, codes: &Row, except: &[u8]) {
        let (old_keys, old_doubts) = (self.keys, self.doubts);
        let keys = self.keys.as_chunks_mut::<WIDTH>().0.iter_mut();
        let doubts = self.doubts.as_chunks_mut::<WIDTH>().0.iter_mut();
        let codes = codes.as_chunks::<WIDTH>().0.iter();
        for ((keys, doubts), codes) in keys.zip(doubts).zip(codes).take(self.parts) {
            for ((best, doubt), &code) in keys.iter_mut().zip(doubts).zip(codes) {
                *best = (*best).max(key(code));
                *doubt |= u8::from(code == ESCAPE);
            }
        }
        for &place in except {
            self.keys[usize::from(place)] = old_keys[usize::from(place)];
            self.doubts[usize::from(place)] = old_doubts[usize::from(place)];
        }
    }

    /// One more move of the position at a place.
    pub(super) fn raise_at(&mut self, place: u8, code: u32) {
        let place = usize::from(place);
        match u8::try_from(code) {
            Ok(code) if code != ESCAPE => self.keys[place] = self.keys[place].max(key(code)),
            _ => self.doubts[place] = 1,
        }
    }

    /// One more move of every position: the last piece goes from each place to the one that `step` names.
    pub(super) fn raise_by_steps(&mut self, step: &Row, targets: &Targets) {
        let places = self.parts * WIDTH;
        for (best, &to) in self.keys[..places].iter_mut().zip(step) {
            *best = (*best).max(targets.keys[usize::from(to) % PLACES]);
        }
        if targets.doubtful {
            for (doubt, &to) in self.doubts[..places].iter_mut().zip(step) {
                *doubt |= targets.doubts[usize::from(to) % PLACES];
            }
        }
    }

    /// One more move of the position at a place: the last piece goes to another.
    pub(super) fn raise_by_jump(&mut self, from: u8, to: u8, targets: &Targets) {
        let (from, to) = (usize::from(from), usize::from(to));
        self.keys[from] = self.keys[from].max(targets.keys[to]);
        self.doubts[from] |= targets.doubts[to];
    }

    /// The codes of the positions: `no_move` where there is no move, [`ESCAPE`] where the keys have no answer.
    /// `immobile` gets a 1 for each position without a move.
    pub(super) fn answer(&self, no_move: u8, codes: &mut Row, immobile: &mut Row) {
        for place in 0..self.parts * WIDTH {
            let code = code_of(self.keys[place], no_move);
            codes[place] = if self.doubts[place] == 0 { code } else { ESCAPE };
            immobile[place] = u8::from(self.keys[place] == NONE);
        }
    }
}

impl Targets {
    /// The positions with the last piece at each place have these codes; at the places `taken` it cannot go.
    pub(super) fn new(codes: &Row, taken: &[u8]) -> Targets {
        let mut best = Best::new(PLACES);
        best.raise(codes, &[]);
        for &place in taken.iter().chain(&[NOWHERE]) {
            best.keys[usize::from(place)] = NONE;
            best.doubts[usize::from(place)] = 0;
        }
        Targets { doubtful: best.doubts.iter().any(|&doubt| doubt != 0), keys: best.keys, doubts: best.doubts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsq_tables::value::Value;

    #[test]
    fn keys_order_codes_as_the_values_before_the_move_and_give_the_code_back() {
        let before = |code: u8| Value::from_code(code.into()).before_move();
        for a in 0..ESCAPE {
            assert_ne!(key(a), NONE);
            for b in 0..ESCAPE {
                assert_eq!(key(a).cmp(&key(b)), before(a).cmp(&before(b)), "codes {a}, {b}");
            }
            for no_move in [0, 1] {
                assert_eq!(u32::from(code_of(key(a), no_move)), before(a).code());
                assert_eq!(code_of(NONE, no_move), no_move);
            }
        }
    }
}
