//! Progress bars on standard error: the whole of the work, and what is at work now.

use crate::error;
use crate::output::number::{duration, float, rate};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::{Display, Write};
use std::time::Duration;

/// How often speed and time left are shown anew.
const TICK: Duration = Duration::from_millis(200);

/// A bar that counts positions, and a line of words below it. Draws nothing unless shown.
pub struct Progress {
    multi: MultiProgress,
    bar: ProgressBar,
    line: ProgressBar,
}

impl Progress {
    /// Bars that are shown or not.
    pub fn new(shown: bool) -> Progress {
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let multi = MultiProgress::with_draw_target(target);
        let bar = multi.add(ProgressBar::new(0));
        let line = multi.add(ProgressBar::new_spinner());
        if shown {
            line.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(TICK);
        }
        Progress { multi, bar, line }
    }

    /// Begins to count: so many positions, which are guessed to take so many seconds.
    pub fn begin(&self, positions: u64, seconds: f64) {
        self.bar.set_style(style(seconds));
        self.bar.set_length(positions);
        self.bar.reset_elapsed();
    }

    /// So many more positions are done.
    pub fn advance(&self, positions: u64) {
        self.bar.inc(positions);
    }

    /// Shows words beside the bar.
    pub fn count(&self, words: String) {
        self.bar.set_prefix(words);
    }

    /// Shows what is at work.
    pub fn at_work(&self, words: String) {
        self.line.set_message(words);
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

impl Drop for Progress {
    fn drop(&mut self) {
        self.line.finish_and_clear();
        self.bar.finish_and_clear();
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
        let _ = out.write_str(&duration(left));
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
}
