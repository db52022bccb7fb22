//! What a run is asked to do.

use crate::write::Encoding;
use dsq_tables::class::Class;
use dsq_tables::value::Metric;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What to make.
#[derive(Clone, Debug)]
pub struct Request {
    /// The classes that were asked for; the classes that their captures lead to are added.
    pub classes: Vec<Arc<Class>>,
    /// The folder of tablebases; the tables go to a folder of the rule set inside it.
    pub folder: PathBuf,
    /// Prove each table with the checker before it gets its name.
    pub verify: bool,
    /// The memory limit in bytes; 80 % of what is available if not given.
    pub memory: Option<u64>,
    /// How the tables are compressed.
    pub encoding: Encoding,
    /// What the tables hold. Those without distances are made from those with them where these are there and whole. Else
    /// the class is solved in memory, for which the distances of everything below it are needed: these tables are made and
    /// stay. For distances to conversion the distances to win of the same classes are made as well.
    pub metric: Metric,
    /// When distances and checkpoints go to files, and where.
    pub spill: SpillRequest,
}

/// When the distances of a table go to files while it is solved, with checkpoints from which the next run goes on.
#[derive(Clone, Debug, Default)]
pub struct SpillRequest {
    /// Also where they fit in memory; otherwise only where they do not.
    pub always: bool,
    /// The folder for the files; `.work` in the folder of the tables if not given.
    pub folder: Option<PathBuf>,
    /// How often a checkpoint is written; so that it takes at most a fiftieth of the time if not given.
    pub checkpoint_every: Option<Duration>,
}
