//! Ctrl-C: the first one asks for a clean end, the second one ends at once.

use crate::error::{Code, Failure};
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C (and the usual signals to end) only ask to stop; see [`asked`]. The second one ends the program at once,
/// after `last`.
pub fn watch(last: fn()) -> Result<(), Failure> {
    let on_signal = move || {
        if STOP.swap(true, Ordering::SeqCst) {
            last();
            std::process::exit(Code::Stopped.number().into());
        }
    };
    ctrlc::set_handler(on_signal).map_err(|error| Failure::bad(format_args!("signals: {error}")))
}

/// Asks to stop, as Ctrl-C does: the run has failed, and nothing that is still at work is of use.
pub fn ask() {
    STOP.store(true, Ordering::SeqCst);
}

/// True once somebody has asked to stop.
pub fn asked() -> bool {
    STOP.load(Ordering::SeqCst)
}
