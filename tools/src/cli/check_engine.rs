//! What is typed after `dsq check engine` and `dsq check rules`.

use super::common::Common;
use super::notation::NotationArgs;
use crate::driver::{Limit, Protocol};
use crate::judge::exam::Mode;
use crate::judge::exam::sample::Difficulty;
use crate::verbs::check::candidates::Engines;
use crate::verbs::check::engine::{self, Positions};
use crate::verbs::check::rules;
use clap::{Args, value_parser};
use std::path::PathBuf;
use std::time::Duration;

/// The longest time that can be given: a day.
const LONGEST: u64 = 86_400_000;
/// The time to think in milliseconds if nothing is said.
const MOVETIME: u64 = 1000;
/// How many milliseconds longer than that to wait for an answer.
const MARGIN: u64 = 2000;
/// How many milliseconds to wait for an answer where there is no time to think.
const TIMEOUT: u64 = 60_000;

/// Judge the play of engines by the tables.
///
/// An engine is any command that speaks UCI or something like it, or GTP. It is asked for a move in each position
/// (examination), or plays games against perfect play (play-out). What it throws away is shown with a board; then come the
/// counts, those of several engines side by side.
///
/// An engine that hangs, crashes, prints without end or answers nonsense is reported with its last lines, and restarted for the
/// next position. It is killed with everything it has started when the time is up.
///
/// Exit code 1 if a win or a draw was thrown away, a move was illegal, or there was none; 2 if no engine answers its greeting.
#[derive(Args, Debug)]
#[command(after_help = "Dialects: uci, jcei, uji, uaci, lion-i, gtp, gtp-halves, or a file (docs/engines.md).\n\n\
                  Examples:\n  dsq check engine --cmd 'dsq engine' --movetime 100\n  \
                  dsq check engine --cmd ./mine --hello jcei --depth 6 --material RL-E,PT-L --count 200\n  \
                  dsq check engine --cmd ./old --cmd ./new --movetime 50 --difficulty won:15 --html report.html\n  \
                  dsq check engine --cmd ./mine --dialect gtp --mode play-out --count 20\n  \
                  dsq check engine --cmd ./mine --positions positions.txt --json")]
pub struct EngineCheck {
    #[command(flatten)]
    pub engine: EngineArgs,

    /// How long it thinks, in milliseconds [default: 1000 if there is no other limit]
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..=LONGEST), help_heading = "Limits")]
    pub movetime: Option<u64>,
    /// How deep it thinks, in plies
    #[arg(long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..), help_heading = "Limits")]
    pub depth: Option<u32>,
    /// How many positions it searches
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), help_heading = "Limits")]
    pub nodes: Option<u64>,
    /// How long to wait for an answer, in milliseconds [default: 2000 more than the time to think, 60000 if there is none]
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..=LONGEST), help_heading = "Limits")]
    pub timeout: Option<u64>,

    /// A file with one position per line; empty lines and those that begin with # are skipped
    #[arg(long, value_name = "FILE", conflicts_with_all = ["material", "pieces", "count", "difficulty"], help_heading = "Positions")]
    pub positions: Option<PathBuf>,
    /// Draw positions of these materials
    #[arg(long, value_name = "MATERIAL,...", value_delimiter = ',', help_heading = "Positions")]
    pub material: Vec<String>,
    /// Draw positions of all materials with this many pieces [default: 3 if there is no material]
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(2..=8), help_heading = "Positions")]
    pub pieces: Option<u8>,
    /// How many positions to draw
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Positions")]
    pub count: u32,
    /// The seed that decides which positions are drawn
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Positions")]
    pub seed: u64,
    /// What kinds of positions to draw, in turn if there are several: any, won, won:PLIES (in that many or more), won:longest, drawn,
    /// drawn:MOVES (at most that many keep the draw), lost, lost:PLIES, lost:longest
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', default_value = "any", help_heading = "Positions")]
    pub difficulty: Vec<Difficulty>,

    /// What the engine is asked for
    #[arg(long, value_enum, default_value_t = Mode::Examination)]
    pub mode: Mode,
    /// The most plies of a play-out
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value_parser!(u32).range(1..=10_000))]
    pub max_plies: u32,
    /// How many copies of the engine work at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
    pub parallel: u16,
    /// How many faults of each engine to show with a board; JSON and the page have all
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub faults: u32,
    /// Also write the report as an HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

/// An engine and how to talk to it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// The command that starts an engine, for the shell; can be given more than once [default: that of the dialect file, started
    /// in its folder]
    #[arg(long, value_name = "COMMAND")]
    pub cmd: Vec<String>,
    /// How it talks and writes: a name, or a file; one for all engines, or one for each
    #[arg(long, value_name = "NAME|FILE")]
    pub dialect: Vec<PathBuf>,
    /// The protocol [default: that of the dialect, else uci]
    #[arg(long, value_name = "PROTOCOL", value_enum)]
    pub protocol: Option<Protocol>,
    /// The first word sent to it, which a UCI engine answers with a line that ends in ok; '' for none
    #[arg(long, value_name = "WORD")]
    pub hello: Option<String>,
    /// A line sent after the greeting; can be given more than once
    #[arg(long, value_name = "LINE")]
    pub init: Vec<String>,
    /// How long it may take to answer the greeting, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = value_parser!(u64).range(1..=LONGEST))]
    pub hello_timeout: u64,
    /// Give up on it after this many starts in a row without an answer; 0 for never
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(..=1_000_000))]
    pub give_up: u32,
    #[command(flatten)]
    pub notation: NotationArgs,
}

/// Find out which rules an engine plays by.
///
/// The engine is asked about small positions in which the rules differ. Where it counts or lists moves (go perft N, perft N, moves,
/// or what a dialect file names), its numbers decide; otherwise whether it accepts a move, and as a last resort whether it makes a
/// move that would win at once. The last only makes a rule likely, and says nothing about an engine that misses such moves elsewhere.
///
/// The answer is the rule sets that fit, and the settings where none does. Move counts of two positions with many pieces then show
/// whether anything else is different.
///
/// Exit code 1 if the rule set of --rules does not fit, or nothing was found out; 2 if the engine does not answer its greeting.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  dsq check rules --cmd 'dsq engine --rules leiden'\n  \
                  dsq check rules --cmd ./mine --dialect gtp --json")]
pub struct RulesCheck {
    #[command(flatten)]
    pub engine: EngineArgs,
    /// How long it thinks about a move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = value_parser!(u64).range(1..=LONGEST))]
    pub movetime: u64,
    /// How long to wait for an answer, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = value_parser!(u64).range(1..=LONGEST))]
    pub timeout: u64,
    /// To what depth the moves of the two large positions are counted, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = value_parser!(u32).range(1..=6))]
    pub depth: u32,
    #[command(flatten)]
    pub common: Common,
}

impl From<EngineArgs> for Engines {
    fn from(typed: EngineArgs) -> Engines {
        Engines {
            commands: typed.cmd,
            dialects: typed.dialect,
            protocol: typed.protocol,
            hello: typed.hello,
            init: typed.init,
            patience: Duration::from_millis(typed.hello_timeout),
            give_up: typed.give_up,
            notation: typed.notation.into(),
        }
    }
}

impl EngineCheck {
    /// How long an engine may think, and how long to wait for it.
    fn limit(&self) -> Limit {
        let limited = self.depth.is_some() || self.nodes.is_some();
        let movetime = self.movetime.or((!limited).then_some(MOVETIME));
        let timeout = self.timeout.unwrap_or_else(|| movetime.map_or(TIMEOUT, |time| time.saturating_add(MARGIN)));
        Limit { depth: self.depth, movetime, nodes: self.nodes, patience: Duration::from_millis(timeout) }
    }
}

impl From<EngineCheck> for engine::Request {
    fn from(typed: EngineCheck) -> engine::Request {
        let limit = typed.limit();
        let positions = match typed.positions {
            Some(path) => Positions::File(path),
            None => Positions::Drawn {
                materials: typed.material,
                pieces: typed.pieces,
                count: typed.count,
                seed: typed.seed,
                difficulties: typed.difficulty,
            },
        };
        engine::Request {
            engines: typed.engine.into(),
            limit,
            positions,
            seed: typed.seed,
            mode: typed.mode,
            max_plies: typed.max_plies,
            parallel: typed.parallel.into(),
            faults: typed.faults,
            html: typed.html,
        }
    }
}

impl From<RulesCheck> for rules::Request {
    fn from(typed: RulesCheck) -> rules::Request {
        let limit = Limit {
            depth: None,
            movetime: Some(typed.movetime),
            nodes: None,
            patience: Duration::from_millis(typed.timeout.max(typed.movetime)),
        };
        rules::Request { engines: typed.engine.into(), limit, depth: typed.depth }
    }
}
