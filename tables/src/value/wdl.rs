//! Win, draw or loss: what tables without distances hold.

use super::coded::{Coded, Descriptor, Packing};
use super::outcome::{Score, Wdl};

impl Wdl {
    /// The code in a table without distances: the least code of a [`Value`](super::Value) that is a win, draw or loss.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Wdl::Draw => 0,
            Wdl::Loss => 1,
            Wdl::Win => 2,
        }
    }

    /// The value of a code in a table without distances or with distances to win.
    #[must_use]
    pub const fn from_code(code: u32) -> Wdl {
        if code == 0 {
            Wdl::Draw
        } else if code % 2 == 1 {
            Wdl::Loss
        } else {
            Wdl::Win
        }
    }
}

impl Coded for Wdl {
    const DESCRIPTOR: Descriptor = Descriptor {
        code: 1,
        name: "wdl",
        counts: "win/draw/loss",
        heading: "win/draw/loss only",
        description: "Win, draw or loss, without a distance",
        bits_per_position: [0.66, 0.21, 0.165, 0.12, 0.1],
        packing: Packing::TwoBits,
        has_distances: false,
        under_limit: false,
    };
    const LOST: Wdl = Wdl::Loss;
    const WON: Wdl = Wdl::Win;
    const DRAW: Wdl = Wdl::Draw;

    fn from_code(code: u32) -> Wdl {
        Wdl::from_code(code)
    }

    fn code(self) -> u32 {
        self.code().into()
    }

    fn back_up(self, _: bool, _: Option<u32>) -> Wdl {
        self.before_move()
    }

    fn score(self) -> Score {
        Score { outcome: self.into(), plies: None }
    }
}
