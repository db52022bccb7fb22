//! What is typed after the verbs about positions: `probe`, `moves`, `perft`.

use super::common::Common;
use super::fens;
use super::values::depth;
use crate::verbs::positions::Source;
use crate::verbs::{moves, perft, probe};
use clap::Args;

/// Say who wins a position and how: value, distance, every legal move.
///
/// Value and distance of the position are for the side to move; those of a move are for the side that makes it, counted from
/// the position asked about. Moves come best first. Where there are only wdl tables, distances are not known.
///
/// With a draw after so many plies without a capture (--set draw-after-quiet-plies=N) and dtc tables for it, the answer also says
/// who wins under it, with the halfmove clock of the FEN (after the side to move: N, or - - N M); moves and line keep to it
/// then. In the picture of the board `.` is land, `~` water, `#` a trap, `*` a den.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq probe 't6/7/T6/7/7/7/7/7/7 w'\n  \
                  dsq probe 7/7/3e3/7/7/7/3E3/7/7 w --line\n  \
                  dsq probe - --json < positions.txt    one position per line, one JSON object per line\n  \
                  dsq probe - --short < positions.txt   one line of text for each")]
pub struct Probe {
    /// Positions (ranks from the top one down, then the side to move), or - to read one per line from standard input
    #[arg(value_name = "FEN", required = true)]
    pub fens: Vec<String>,
    /// Also show the line of best play to the end
    #[arg(long)]
    pub line: bool,
    /// One line for each position: FEN, value, plies, best move, with tabs between them and - for what is not there; with a limit
    /// of plies without a capture also who wins under it
    #[arg(long, conflicts_with_all = ["line", "json"])]
    pub short: bool,
    #[command(flatten)]
    pub letters: Letters,
    #[command(flatten)]
    pub common: Common,
}

impl From<Probe> for probe::Request {
    fn from(typed: Probe) -> probe::Request {
        let Probe { fens, line, short, letters, common: _ } = typed;
        probe::Request { positions: source(&fens), letters: letters.letters, line, short }
    }
}

/// List the legal moves of a position; needs no tables.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq moves startpos\n  dsq moves 't6/7/T6/7/7/7/7/7/7 w' --json\n  \
                  dsq moves - --json < positions.txt    one position per line, one JSON object per line")]
pub struct Moves {
    /// Positions, or - to read one per line from standard input
    #[arg(value_name = "FEN", required = true)]
    pub fens: Vec<String>,
    #[command(flatten)]
    pub letters: Letters,
    #[command(flatten)]
    pub common: Common,
}

impl From<Moves> for moves::Request {
    fn from(typed: Moves) -> moves::Request {
        moves::Request { positions: source(&typed.fens), letters: typed.letters.letters }
    }
}

/// Count the sequences of legal moves of a length; needs no tables.
///
/// A game that is over counts no further.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  dsq perft startpos 6\n  dsq perft '7/3R3/2E1e2/1r1t3/L2l3/7/4T2/2Pw3/1c5 b' 4 --divide"
)]
pub struct Perft {
    /// The position
    #[arg(value_name = "FEN", required = true, num_args = 1..)]
    pub fen: Vec<String>,
    /// The length in plies
    #[arg(value_name = "DEPTH", required = true, value_parser = depth)]
    pub depth: u32,
    /// Count for each move
    #[arg(long)]
    pub divide: bool,
    #[command(flatten)]
    pub letters: Letters,
    #[command(flatten)]
    pub common: Common,
}

impl From<Perft> for perft::Request {
    fn from(typed: Perft) -> perft::Request {
        let Perft { fen, depth, divide, letters, common: _ } = typed;
        perft::Request { fens: fens::group(&fen), letters: letters.letters, depth, divide }
    }
}

/// Letters of animals that differ from those of the rule set.
#[derive(Args, Debug)]
pub struct Letters {
    /// Read other letters for some animals, as lion=I,leopard=L
    #[arg(long, value_name = "NAME=LETTER,...")]
    pub letters: Option<String>,
}

/// Where the positions come from that some words name.
fn source(words: &[String]) -> Source {
    if words == ["-"] { Source::Input } else { Source::Fens(fens::group(words)) }
}
