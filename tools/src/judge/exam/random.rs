//! Numbers that look random and can be had again.

/// The splitmix64 sequence of a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed, one of several independent ones.
    pub fn new(seed: u64, part: u64) -> Random {
        let mut random = Random(seed);
        Random(random.number() ^ part.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One of the items; none if there are none.
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
}
