//! How a table is checked, and who watches.

use super::sample::Sample;

/// How many bytes of decoded values the threads of a check share by default.
pub const DEFAULT_SHARED_BYTES: u64 = 2 << 30;

/// How a table is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Checks only some positions; none means all of them, and the summary of the table as well.
    pub sample: Option<Sample>,
    /// How many wrong values are reported one by one; all are counted.
    pub max_faults: usize,
    /// How many bytes of decoded values may be kept in memory until the check ends, for all threads together; each thread
    /// has 64 MiB more. It has no influence on what is found.
    pub shared_bytes: u64,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { sample: None, max_faults: 10, shared_bytes: DEFAULT_SHARED_BYTES }
    }
}

/// Watches a check and can end it.
pub trait CheckObserver: Sync {
    /// So many more positions are checked.
    fn advanced(&self, _positions: u64) {}

    /// True if the check shall end early.
    fn stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl CheckObserver for () {}
