//! Progress on standard error: the whole of the work, and what is at work now; bars on a terminal, else plain lines.

use crate::error;
use crate::number::{duration, float, rate, rounded};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::{Display, Write};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often speed and time left are shown again.
const TICK: Duration = Duration::from_millis(200);

/// How often at most a plain line is said where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Not at all.
    No,
    /// As bars, on a terminal.
    Bars,
    /// As a plain line now and then, for logs.
    Lines,
}

/// A bar that counts positions, and a line of words below it, or plain lines now and then. Draws nothing unless shown.
pub struct Progress {
    multi: MultiProgress,
    /// Made when the size of the work is known: a bar before that would show nothing but noughts.
    bar: OnceLock<ProgressBar>,
    line: ProgressBar,
    plain: Option<Mutex<Plain>>,
}

/// What plain lines tell.
struct Plain {
    last: Instant,
    count: String,
    at_work: String,
}

impl Progress {
    /// Progress that is shown in some way.
    pub fn new(shown: Shown) -> Progress {
        let bars = shown == Shown::Bars;
        let target = if bars { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let multi = MultiProgress::with_draw_target(target);
        let line = multi.add(ProgressBar::new_spinner());
        if bars {
            line.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        }
        let plain = Plain { last: Instant::now(), count: String::new(), at_work: String::new() };
        let plain = (shown == Shown::Lines).then(|| Mutex::new(plain));
        Progress { multi, bar: OnceLock::new(), line, plain }
    }

    /// Begins to count: so many positions, which are guessed to take so many seconds, with words beside the bar.
    pub fn begin(&self, positions: u64, seconds: f64, words: String) {
        self.remember(|plain| plain.count.clone_from(&words));
        let bar = ProgressBar::with_draw_target(Some(positions), ProgressDrawTarget::hidden());
        let bar = self.multi.insert(0, bar.with_style(style(seconds)).with_prefix(words));
        if self.plain.is_none() {
            bar.enable_steady_tick(TICK);
        }
        let _ = self.bar.set(bar);
    }

    /// So many more positions are done.
    pub fn advance(&self, positions: u64) {
        if let Some(bar) = self.bar.get() {
            bar.inc(positions);
        }
        self.remember(|_| {});
    }

    /// Shows words beside the bar.
    pub fn count(&self, words: String) {
        self.remember(|plain| plain.count.clone_from(&words));
        if let Some(bar) = self.bar.get() {
            bar.set_prefix(words);
        }
    }

    /// Shows what is at work.
    pub fn at_work(&self, words: String) {
        self.remember(|plain| plain.at_work.clone_from(&words));
        self.line.set_message(words);
    }

    /// Changes what plain lines tell, and says one if it is time.
    fn remember(&self, change: impl FnOnce(&mut Plain)) {
        let Some(plain) = &self.plain else { return };
        let mut plain = plain.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut plain);
        if plain.last.elapsed() >= PAUSE {
            plain.last = Instant::now();
            let (done, all) = self.bar.get().map_or((0, 0), |bar| (bar.position(), bar.length().unwrap_or(0)));
            error::say(plain_line(&plain.count, &plain.at_work, done, all));
        }
    }

    /// Says a line on standard error, above the bars.
    pub fn say(&self, words: impl Display) {
        self.suspend(|| error::say(words));
    }

    /// Does something with the bars out of the way.
    pub fn suspend<R>(&self, work: impl FnOnce() -> R) -> R {
        self.multi.suspend(work)
    }
}

/// A line that tells how far the work is.
fn plain_line(count: &str, at_work: &str, done: u64, all: u64) -> String {
    let part = (all > 0).then(|| format!("{} % of the positions", rounded(float(done) * 100.0 / float(all))));
    let words =
        [(!count.is_empty()).then(|| count.to_owned()), part, (!at_work.is_empty()).then(|| at_work.to_owned())];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.line.finish_and_clear();
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn style(seconds: f64) -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:30} {prefix}, {speed}, {left} left");
    // Without colours, so that NO_COLOR has nothing to forbid.
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let speed = |state: &ProgressState, out: &mut dyn Write| {
        let _ = out.write_str(&rate(state.pos(), state.elapsed().as_secs_f64()));
    };
    let left = move |state: &ProgressState, out: &mut dyn Write| {
        let left = time_left(state.pos(), state.len().unwrap_or(0), state.elapsed().as_secs_f64(), seconds);
        // A guess is not worth more than whole seconds.
        let _ = if left < 1.0 { out.write_str("under 1 s") } else { out.write_str(&duration(left)) };
    };
    style.progress_chars("=> ").with_key("speed", speed).with_key("left", left)
}

/// The time left by the speed up to now, or by the guess as long as nothing is done.
fn time_left(done: u64, all: u64, elapsed: f64, guess: f64) -> f64 {
    if done == 0 {
        return (guess - elapsed).max(0.0);
    }
    elapsed * float(all.saturating_sub(done)) / float(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_speed() {
        assert!((time_left(25, 100, 10.0, 1.0) - 30.0).abs() < 1e-9);
        assert!((time_left(0, 100, 2.0, 5.0) - 3.0).abs() < 1e-9);
        assert!(time_left(0, 100, 9.0, 5.0).abs() < 1e-9);
        assert!(time_left(120, 100, 9.0, 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_plain_line_tells_what_is_known() {
        assert_eq!(
            plain_line("3 of 52 tables", "RL-E: ply 7", 1, 3),
            "3 of 52 tables, 33 % of the positions, RL-E: ply 7"
        );
        assert_eq!(plain_line("", "RL-E", 0, 0), "RL-E");
    }
}
