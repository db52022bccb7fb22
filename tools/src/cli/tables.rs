//! What is typed after the verbs about tables: `generate`, `verify`, `stats`, `list`, `export`.

use super::common::Common;
use super::values::{gibibytes, metric};
use crate::verbs::export::Format;
use crate::verbs::generate::Profile;
use crate::verbs::{export, generate, list, stats, verify};
use clap::{Args, value_parser};
use dsq_tables::value::Metric;
use std::path::PathBuf;
use std::time::Duration;

/// Solve materials and write their tables.
///
/// Solves what is asked for and everything it needs (the materials that captures lead to), and skips every table that exists
/// and is intact. A run that was stopped or killed continues with the next table when it is started again.
///
/// Tables of --metric wdl are made from the dtw tables where these exist and are intact. Otherwise the material is solved, which
/// takes the distances of everything that captures lead to: these dtw tables are made as well, and kept.
///
/// Tables of --metric dtc say how soon the next capture that keeps the win can be forced. With a draw after so many plies
/// without a capture (--set draw-after-quiet-plies=N) they say who wins under it, whatever the halfmove clock of a position
/// says; the dtw tables of the same materials are made as well. Each limit has tables of its own.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq generate                              all materials of up to 3 pieces\n  \
                  dsq generate RL-E PT-L                    two materials and what they need\n  \
                  dsq generate --rules leiden --pieces 4    all of up to 4 pieces by other rules\n  \
                  dsq generate --pieces 5 --estimate        how much that would be\n  \
                  dsq generate --metric dtc --set draw-after-quiet-plies=60\n  \
                                                            who wins where 60 plies without a capture draw")]
pub struct Generate {
    /// Materials: White's letters, a hyphen, Black's letters [default: all of up to 3 pieces]
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,
    /// All materials of up to this many pieces
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    /// What the tables hold: dtw is the distance to win in plies; wdl is win, draw or loss, in about a quarter of the space;
    /// dtc is the distance to conversion in plies, with who wins under a limit of plies without a capture
    #[arg(long, value_name = "METRIC", value_parser = metric(), default_value_t)]
    pub metric: Metric,
    /// How tables are compressed
    #[arg(long, value_enum, default_value_t = Profile::Balanced)]
    pub profile: Profile,
    /// Only print how many tables and positions it would be, and about how many bytes, how much memory and time
    #[arg(long)]
    pub estimate: bool,
    /// How much memory may be used, in GiB
    #[arg(long, value_name = "GiB", value_parser = gibibytes)]
    pub memory: Option<u64>,

    /// The folder for the files of tables whose distances do not fit in memory [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,

    /// Keep distances in files, with checkpoints, even where they fit in memory
    #[arg(long)]
    pub spill: bool,

    /// Seconds between two checkpoints of such a table; 0 for one after each ply [default: at most 2 % of the time]
    #[arg(long, value_name = "SECONDS")]
    pub checkpoint: Option<u64>,
    /// Verify every table before it gets its name
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub common: Common,
}

impl From<Generate> for generate::Request {
    fn from(typed: Generate) -> generate::Request {
        generate::Request {
            materials: typed.materials,
            pieces: typed.pieces,
            metric: typed.metric,
            profile: typed.profile,
            estimate: typed.estimate,
            memory: typed.memory,
            spill: typed.spill,
            spill_folder: typed.tmp,
            checkpoint_every: typed.checkpoint.map(Duration::from_secs),
            verify: typed.verify,
        }
    }
}

/// Prove that tables are right: checksums first, then every value compared with those of its children, by forward moves.
///
/// Without MATERIAL and --pieces all tables that exist are checked. The first faults of each table are shown as FENs.
///
/// A wdl table is compared with the dtw table of the same material if there is one. Otherwise its values are compared with those
/// of their children, wdl as well. That finds most faults, but cannot tell draws from wins and losses that lead to each other
/// forever.
///
/// Of dtc tables those for the limit of the rule set are checked (--set draw-after-quiet-plies=N).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq verify\n  dsq verify RL-E\n  dsq verify --checksums\n  \
                  dsq verify --pieces 4 --sample 100000 --seed 7")]
pub struct Verify {
    /// Materials whose tables are checked
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,
    /// All existing tables of up to this many pieces, besides those that are named
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    /// Only the checksums
    #[arg(long, conflicts_with_all = ["sample", "seed"])]
    pub checksums: bool,
    /// Only this many positions of each table, chosen at random
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// The seed that decides which positions --sample chooses
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample")]
    pub seed: u64,
    #[command(flatten)]
    pub common: Common,
}

impl From<Verify> for verify::Request {
    fn from(typed: Verify) -> verify::Request {
        let Verify { materials, pieces, checksums, sample, seed, common: _ } = typed;
        let what = match sample {
            _ if checksums => verify::What::Checksums,
            Some(positions) => verify::What::Sample { positions, seed },
            None => verify::What::Everything,
        };
        verify::Request { materials, pieces, what }
    }
}

/// Counts, longest wins and sizes of tables.
///
/// Counted is every placement with no piece in a den and each piece on squares where its kind can stand; mirror images count
/// twice; finished games are not positions; won, drawn and lost are for the side to move. Bits per position are those of the
/// positions that the files hold. Without MATERIAL and --pieces the totals for each number of pieces are printed whose tables
/// are complete.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq stats RL-E\n  dsq stats --rules leiden --pieces 3 --json")]
pub struct Stats {
    /// Materials: White's letters, a hyphen, Black's letters
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,
    /// Totals over all ordered materials with exactly this many pieces, White to move
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    /// Of which tables [default: dtw where they exist, else wdl]
    #[arg(long, value_name = "METRIC", value_parser = metric())]
    pub metric: Option<Metric>,
    #[command(flatten)]
    pub common: Common,
}

impl From<Stats> for stats::Request {
    fn from(typed: Stats) -> stats::Request {
        let Stats { materials, pieces, metric, common: _ } = typed;
        stats::Request { materials, pieces, metric }
    }
}

/// List the tables that exist and those that are missing.
///
/// Files are opened, but not read in full: `dsq verify --checksums` does that.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq list\n  dsq list --pieces 4 --json")]
pub struct List {
    /// Name what is missing up to this many pieces [default: the most that a table has here, at least 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    #[command(flatten)]
    pub common: Common,
}

impl From<List> for list::Request {
    fn from(typed: List) -> list::Request {
        list::Request { pieces: typed.pieces }
    }
}

/// Write tables out in other formats.
///
/// csv: a header `fen,value,plies` and a line for every position of the material on the full board: White to move first, then
/// Black; the pieces in the order of the material (letters weak to strong), each going through its squares from a1 along the
/// ranks, the last piece fastest. Value (win, draw, loss) and plies are for the side to move; plies are empty for draws. With
/// --metric dtc plies are those to the next capture or the end, and under a limit values are win, spoilt-win (a cursed win), draw,
/// saved-loss (a blessed loss) and loss.
///
/// openml: the published data set 41027 with its header, materials and row order; takes no MATERIAL. Its values are those of
/// --rules leiden.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq export RL-E --format csv -o rl-e.csv\n  \
                  dsq export --rules leiden --format openml -o jungle.csv")]
pub struct Export {
    /// Materials: White's letters, a hyphen, Black's letters
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    pub format: Format,
    /// Of which tables: dtw, wdl (without plies), or dtc (for the limit of plies without a capture of the rule set)
    #[arg(long, value_name = "METRIC", value_parser = metric(), default_value_t)]
    pub metric: Metric,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

impl From<Export> for export::Request {
    fn from(typed: Export) -> export::Request {
        let Export { materials, format, metric, output, common: _ } = typed;
        export::Request { materials, format, metric, output }
    }
}
