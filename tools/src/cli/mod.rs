//! What is typed. The comments here are the words of `--help`.

pub mod check;
pub mod check_engine;
mod values;

use crate::context::MOST_THREADS;
use check::Check;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, value_parser};
use std::path::PathBuf;
use values::{RuleSetParser, depth, gibibytes, key_value};

/// Generate, verify and query endgame tables of Dou Shou Qi (Jungle, Animal Chess).
///
/// A table holds, for every position of a material, who wins with best play and in how many plies (single moves).
/// `dsq generate` makes the tables, `dsq probe` answers from them.
///
/// Exit codes: 0 done; 1 a check found faults; 2 bad usage or bad input; 3 not in the tables; 4 damaged or
/// foreign table (made for other rules or by another version); 130 stopped by Ctrl-C.
#[derive(Parser, Debug)]
#[command(
    name = "dsq",
    version,
    max_term_width = 110,
    after_help = "Examples:\n  dsq generate\n  dsq probe 't6/7/T6/7/7/7/7/7/7 w' --line\n  dsq stats RL-E\n\n\
                  `dsq VERB --help` tells more about each verb."
)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options of every verb, before or after it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// The rule set: a name that `dsq rules` lists, or a rule file [default: classic]
    #[arg(long, value_name = "NAME|FILE", value_parser = RuleSetParser, hide_possible_values = true)]
    pub rules: Option<String>,
    /// Change one setting of the rule set, as tiger-jumps=files (`dsq rules --settings` lists them); can be given more
    /// than once
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// The folder of the tables [default: $DSQ_DIR, else ./tablebase]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// How many threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=i64::from(MOST_THREADS)))]
    pub threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// No progress, no notes, no suggestions
    #[arg(short, long)]
    pub quiet: bool,
    /// Say more on standard error
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

impl Common {
    /// These options, given before the verb, with those given after it, which count more.
    pub fn with(self, after: Common) -> Common {
        Common {
            rules: after.rules.or(self.rules),
            set: self.set.into_iter().chain(after.set).collect(),
            dir: after.dir.or(self.dir),
            threads: after.threads.or(self.threads),
            json: self.json || after.json,
            quiet: self.quiet || after.quiet,
            verbose: self.verbose.saturating_add(after.verbose),
        }
    }
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Verb {
    Generate(Generate),
    Probe(Probe),
    Moves(Moves),
    Perft(Perft),
    Verify(Verify),
    Check(Check),
    Stats(Stats),
    List(List),
    Rules(Rules),
    Export(Export),
    Engine(Engine),
    Completions(Completions),
}

/// Solve materials and write their tables.
///
/// Solves what is asked and everything it needs (the materials that captures lead to), and skips every table that is there
/// and whole. A run that was stopped or killed goes on with the next table when it is started again.
///
/// Tables of --metric wdl are made from those of dtw where these are there and whole. Else the material is solved, which takes
/// the distances of everything that captures lead to: these dtw tables are made as well and stay.
///
/// Tables of --metric dtc say how soon the next capture that keeps the win can be forced. With a draw after so many plies
/// without a capture (--set draw-after-quiet-plies=N) they say who wins under it, for any number of such plies behind a
/// position; the dtw tables of the same materials are made as well. Each limit has tables of its own.
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
    /// All materials of up to so many pieces
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    /// What the tables hold: dtw is the distance to win in plies; wdl is win, draw or loss, in about a quarter of the space;
    /// dtc is the distance to conversion in plies, with who wins under a limit of plies without a capture
    #[arg(long, value_enum, default_value_t = Metric::Dtw)]
    pub metric: Metric,
    /// How tables are compressed
    #[arg(long, value_enum, default_value_t = Profile::Balanced)]
    pub profile: Profile,
    /// Only say how many tables and positions it would be, and about how many bytes, how much memory and time
    #[arg(long)]
    pub estimate: bool,
    /// How much memory may be used, in GiB
    #[arg(long, value_name = "GiB", value_parser = gibibytes)]
    pub memory: Option<u64>,

    /// The folder for the files of tables whose distances do not fit in memory [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,

    /// Keep distances in files, with checkpoints, also where they fit in memory
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

/// How tables are compressed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Quick to make, small, quick to read
    Balanced,
    /// Small blocks for programs that ask for single positions: opened in 0.6 of the time, an eighth more space
    Server,
    /// A tenth less space, for four times the time to compress; as quick to read as balanced
    Archive,
}

/// What the distances in a table count.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    /// Distance to win: plies to the end of the game
    Dtw,
    /// Win, draw or loss, without a distance
    Wdl,
    /// Distance to conversion: plies to the next capture that keeps the win, under the limit of plies without a capture that
    /// the rule set has (--set draw-after-quiet-plies=N)
    Dtc,
}

impl From<Metric> for dsq_tables::format::Metric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Dtw => Self::Dtw,
            Metric::Wdl => Self::Wdl,
            Metric::Dtc => Self::Dtc,
        }
    }
}

/// Tell who wins a position and how: value, distance, every legal move.
///
/// Value and distance of the position are for the side to move; those of a move are for the side that makes it, counted from
/// the position asked about. Moves come best first. Where only wdl tables are there, distances are not known.
///
/// With a draw after so many plies without a capture (--set draw-after-quiet-plies=N) and dtc tables for it, who wins under it is
/// told as well, with the count of such plies that the FEN has (after the side to move: N, or - - N M); moves and line keep
/// to it then. In the picture of the board `.` is land, `~` water, `#` a trap, `*` a den.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq probe 't6/7/T6/7/7/7/7/7/7 w'\n  \
                  dsq probe 7/7/3e3/7/7/7/3E3/7/7 w --line\n  \
                  dsq probe - --json < positions.txt    one position a line, one JSON object a line\n  \
                  dsq probe - --short < positions.txt   one line of text for each")]
pub struct Probe {
    /// Positions (ranks from the top one down, then the side to move), or - to read one a line from standard input
    #[arg(value_name = "FEN", required = true)]
    pub fens: Vec<String>,
    /// Also show the line of best play to the end
    #[arg(long)]
    pub line: bool,
    /// One line for each position: FEN, value, plies, best move, with tabs between and - for what there is not; with a limit of
    /// plies without a capture also who wins under it
    #[arg(long, conflicts_with_all = ["line", "json"])]
    pub short: bool,
    #[command(flatten)]
    pub letters: Letters,
    #[command(flatten)]
    pub common: Common,
}

/// List the legal moves of a position; needs no tables.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq moves startpos\n  dsq moves 't6/7/T6/7/7/7/7/7/7 w' --json\n  \
                  dsq moves - --json < positions.txt    one position a line, one JSON object a line")]
pub struct Moves {
    /// Positions, or - to read one a line from standard input
    #[arg(value_name = "FEN", required = true)]
    pub fens: Vec<String>,
    #[command(flatten)]
    pub letters: Letters,
    #[command(flatten)]
    pub common: Common,
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

/// Letters of animals that differ from those of the rule set.
#[derive(Args, Debug)]
pub struct Letters {
    /// Read other letters for some animals, as lion=I,leopard=L
    #[arg(long, value_name = "NAME=LETTER,...")]
    pub letters: Option<String>,
}

/// Prove tables right: checksums first, then every value against those of its children, by forward moves.
///
/// Without MATERIAL and --pieces all tables that are there are checked. The first faults of each table are shown as FENs.
///
/// A wdl table is held against the dtw table of the same material if that is there. Else its values are held against those of
/// their children, wdl as well. That finds most faults, but cannot tell draws from wins and losses that lead to each other for
/// ever.
///
/// Of dtc tables those for the limit of the rule set are checked (--set draw-after-quiet-plies=N).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq verify\n  dsq verify RL-E\n  dsq verify --checksums\n  \
                  dsq verify --pieces 4 --sample 100000 --seed 7")]
pub struct Verify {
    /// Materials whose tables are checked
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,
    /// The tables of up to so many pieces that are there, besides those that are named
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    /// Only the checksums
    #[arg(long, conflicts_with_all = ["sample", "seed"])]
    pub checksums: bool,
    /// Only so many positions of each table, chosen at random
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Which positions --sample chooses
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample")]
    pub seed: u64,
    #[command(flatten)]
    pub common: Common,
}

/// Counts, longest wins and sizes of tables.
///
/// Counted is every placement with no piece in a den and each piece on squares where its kind can stand; mirror images count
/// twice; finished games are not positions; won, drawn and lost are for the side to move. Bits per position are those of the
/// positions that the files hold. Without MATERIAL and --pieces there are the totals for each number of pieces whose tables
/// are all there.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq stats RL-E\n  dsq stats --rules leiden --pieces 3 --json")]
pub struct Stats {
    /// Materials: White's letters, a hyphen, Black's letters
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,
    /// Totals over all ordered materials with exactly so many pieces, White to move
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    /// Of which tables [default: dtw where they are there, else wdl]
    #[arg(long, value_enum)]
    pub metric: Option<Metric>,
    #[command(flatten)]
    pub common: Common,
}

/// List the tables that are there and those that are missing.
///
/// Files are opened, but not read in full: `dsq verify --checksums` does that.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq list\n  dsq list --pieces 4 --json")]
pub struct List {
    /// Name what is missing up to so many pieces [default: the most that a table has here, at least 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8))]
    pub pieces: Option<u8>,
    #[command(flatten)]
    pub common: Common,
}

/// List the rule sets, print one in full (a rule file that reads back), or list the settings.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq rules\n  dsq rules leiden\n  \
                  dsq rules classic --set tiger-jumps=files > mine.toml\n  \
                  dsq rules --settings    every KEY and VALUE of --set")]
pub struct Rules {
    /// A rule set
    #[arg(value_name = "NAME|FILE", value_parser = RuleSetParser, hide_possible_values = true)]
    pub name: Option<String>,
    /// List every setting with its values, its default and what it means
    #[arg(long, conflicts_with = "name")]
    pub settings: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Write tables out in other formats.
///
/// csv: a header `fen,value,plies` and a line for every position of the material on the full board: White to move first, then
/// Black; the pieces in the order of the material (letters weak to strong), each going through its squares from a1 along the
/// ranks, the last piece fastest. Value (win, draw, loss) and plies are for the side to move; plies are empty for draws. With
/// --metric dtc plies are those to the next capture or the end, and under a limit values are win, spoilt-win, draw, saved-loss
/// and loss.
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
    #[arg(long, value_enum, default_value_t = Metric::Dtw)]
    pub metric: Metric,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

/// A format of `export`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// FEN, value, plies
    Csv,
    /// The published data set of two-piece endings
    Openml,
}

/// Play as an engine: lines on standard input, answers on standard output, as chess engines do by UCI.
///
/// Perfect where the tables are: the fastest win, else a draw, else the slowest loss. Elsewhere it searches (alpha-beta, with
/// the tables at the leaves). It knows uci, isready, ucinewgame, position startpos|fen F [moves M...], go with depth, nodes,
/// movetime or infinite (one second if nothing is said), go perft N, stop and quit, and ignores everything else. A position that
/// cannot be is said in an info line, and `go` then answers `bestmove 0000`, as it does where there is no move.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq engine\n  dsq engine --rules leiden --dir tables\n  \
                  printf 'position fen t6/7/T6/7/7/7/7/7/7 w\\ngo depth 5\\n' | dsq engine")]
pub struct Engine {
    #[command(flatten)]
    pub common: Common,
}

/// Print a script that completes the words of `dsq` in a shell.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  dsq completions bash > ~/.local/share/bash-completion/completions/dsq")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    #[command(flatten)]
    pub common: Common,
}

impl Verb {
    /// The common options given after the verb.
    pub fn common(&self) -> Common {
        match self {
            Verb::Generate(args) => args.common.clone(),
            Verb::Probe(args) => args.common.clone(),
            Verb::Moves(args) => args.common.clone(),
            Verb::Perft(args) => args.common.clone(),
            Verb::Verify(args) => args.common.clone(),
            Verb::Check(args) => args.common(),
            Verb::Stats(args) => args.common.clone(),
            Verb::List(args) => args.common.clone(),
            Verb::Rules(args) => args.common.clone(),
            Verb::Export(args) => args.common.clone(),
            Verb::Engine(args) => args.common.clone(),
            Verb::Completions(args) => args.common.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_has_an_example() {
        for verb in Cli::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("dsq {}", verb.get_name())), "{}", verb.get_name());
        }
    }

    #[test]
    fn common_options_count_before_and_after_the_verb() {
        let cli = Cli::try_parse_from([
            "dsq", "--set", "a=1", "--rules", "x", "--dir", "here", "-v", "moves", "startpos", "--set", "b=2",
            "--rules", "y", "--json", "-v",
        ])
        .unwrap();
        let common = cli.common.clone().with(cli.verb.common());
        assert_eq!(common.rules.as_deref(), Some("y"));
        assert_eq!(common.set, [("a".into(), "1".into()), ("b".into(), "2".into())]);
        assert_eq!(common.dir.as_deref(), Some(std::path::Path::new("here")));
        assert_eq!((common.json, common.quiet, common.verbose), (true, false, 2));
    }

    #[test]
    fn the_depth_is_the_last_word() {
        for (words, fen) in
            [(vec!["startpos", "5"], vec!["startpos"]), (vec!["7/7 x", "w", "3", "5"], vec!["7/7 x", "w", "3"])]
        {
            let cli = Cli::try_parse_from(["dsq", "perft"].into_iter().chain(words)).unwrap();
            let Verb::Perft(perft) = cli.verb else { panic!("another verb") };
            assert_eq!((perft.fen, perft.depth), (fen.into_iter().map(str::to_owned).collect(), 5));
        }
        assert!(Cli::try_parse_from(["dsq", "perft", "startpos", "31"]).is_err());
        assert!(Cli::try_parse_from(["dsq", "perft", "startpos"]).is_err());
    }
}
