//! Numbers that look random and can be had again: the one generator of the program.
//!
//! It is `splitmix64` (Steele, Lea and Flood, 2014): a counter that grows by a fixed odd step, each value of it mixed by shifts and
//! multiplications. It passes the usual statistical tests, has a period of 2^64, and takes a few instructions a number. What is
//! drawn with it (positions of `check engine`, choices among equal moves) depends on the seed and nothing else, not on threads,
//! machines or versions of a library; that is why it stands here. It is of no use for secrets.

/// The step of the counter: 2^64 divided by the golden ratio, made odd, so that the counter meets all numbers.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Another odd number, which spreads the numbers of sequences over the seeds.
const SPREAD: u64 = 0xd1b5_4a32_d192_ed03;

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// One of many sequences of a seed: each `part` has a sequence of its own, so that what is drawn for one thing does not depend
    /// on how much was drawn for another.
    pub fn new(seed: u64, part: u64) -> Random {
        let mut random = Random(seed);
        Random(random.number() ^ part.wrapping_mul(SPREAD))
    }

    /// The next number, any of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One of the items; none if there are none. The first ones are more likely by at most one in 2^64 / length, which is nothing
    /// for lists that fit in memory.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let length = u64::try_from(items.len()).ok().filter(|&length| length > 0)?;
        items.get(usize::try_from(self.number() % length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_can_be_had_again_and_others_differ() {
        let numbers = |seed, part| {
            let mut random = Random::new(seed, part);
            std::array::from_fn::<u64, 4, _>(|_| random.number())
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert!(numbers(1, 2) != numbers(1, 3) && numbers(1, 2) != numbers(2, 2));
        assert_eq!(Random::new(0, 0).pick::<u8>(&[]), None);
    }

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The published first numbers of the sequence that begins with 0.
        let mut random = Random(0);
        let numbers = std::array::from_fn::<u64, 3, _>(|_| random.number());
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
