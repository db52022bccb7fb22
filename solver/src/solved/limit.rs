//! Which draws are won or lost but for a limit of plies without a capture.

use super::codes::SideCodes;
use dsq_tables::format::ESCAPE;
use dsq_tables::index::Index;
use dsq_tables::value::{Coded, Dtc, Wdl};

impl SideCodes {
    /// Marks cursed wins and blessed losses among the draws, in distances to conversion: these are the numbers from
    /// `first` on of a class with this index, and `known` has who wins without the limit, as [`Wdl::code`] has it. False if
    /// the two contradict each other: what is won or lost under the limit is so without it, and if there is none (`limited` is
    /// false) the two agree.
    #[must_use]
    pub fn mark_draws_by_limit(&mut self, index: &Index, first: u64, known: &[u8], limited: bool) -> bool {
        let (draw, spoilt, saved) = (Dtc::Draw.code() as u8, Dtc::SpoiltWin.code() as u8, Dtc::SavedLoss.code() as u8);
        let (win, loss) = (Wdl::Win.code(), Wdl::Loss.code());
        // The byte of a number without a position means nothing.
        let exists = |place: usize| index.is_dense() || index.weight_at(first + place as u64) > 0;
        let mut agree = self.bytes().len() == known.len();
        for (place, (byte, &known)) in self.bytes_mut().iter_mut().zip(known).enumerate() {
            match *byte {
                ESCAPE => {}
                0 if limited && known == win => *byte = spoilt,
                0 if limited && known == loss => *byte = saved,
                code => {
                    let here = if code == draw { Wdl::Draw.code() } else { win - (code & 1) };
                    agree &= here == known || !exists(place);
                }
            }
        }
        let long = |&(number, code): &(u64, u32)| {
            let place = (number - first) as usize;
            known
                .get(place)
                .is_some_and(|&known| Dtc::from_code(code).who_wins().without_limit().code() == known || !exists(place))
        };
        agree && self.exceptions().iter().all(long)
    }
}
