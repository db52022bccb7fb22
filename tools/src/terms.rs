//! The terms of the field, for prose. JSON, CSV and the lines of the engine have the words of [`Outcome::name`] instead, which
//! other programs rely on.

use dsq_tables::quiet::Outcome;

/// Who wins, as it is said in a sentence. A *cursed win* is `spoilt-win` in JSON, a *blessed loss* `saved-loss`: draws by the limit
/// of plies without a capture, called so since there are Syzygy tables for chess.
pub const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::SpoiltWin => "cursed win",
        Outcome::Draw => "draw",
        Outcome::SavedLoss => "blessed loss",
        Outcome::Loss => "loss",
    }
}
