//! The moment up to which an answer is waited for.

use std::time::{Duration, Instant};

/// The moment when patience ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Deadline {
    /// The moment.
    pub at: Instant,
    /// How long that was from the beginning.
    pub patience: Duration,
}

/// The moment when patience ends that begins now.
pub fn until(patience: Duration) -> Deadline {
    let now = Instant::now();
    Deadline { at: now.checked_add(patience).unwrap_or(now), patience }
}
