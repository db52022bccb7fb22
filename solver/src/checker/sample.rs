//! Which positions a sample has.

use std::ops::Range;

/// Which positions to check if not all.
///
/// The numbers of a table, one side to move after the other, are cut into as many equal parts as there are positions
/// wanted, and one number is drawn from each. Numbers without a position are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// How many positions. As many as the table has, or more, are all of them.
    pub positions: u64,
    /// Draws the same positions again.
    pub seed: u64,
}

impl Sample {
    /// The drawn numbers within `range`, ascending, of `total`.
    pub(super) fn numbers(self, total: u64, range: Range<u64>) -> impl Iterator<Item = u64> {
        // The parts need products of two numbers; all results are below `total` and fit again.
        let (count, total) = (u128::from(self.positions), u128::from(total.max(1)));
        let start = move |part: u64| (u128::from(part) * total / count.max(1)) as u64;
        let first = ((u128::from(range.start) * count / total) as u64).saturating_sub(1);
        (first..self.positions)
            .take_while(move |&part| start(part) < range.end)
            .map(move |part| {
                let (from, to) = (start(part), start(part + 1));
                from + mix(self.seed, part) % (to - from).max(1)
            })
            .filter(move |number| range.contains(number))
    }
}

/// The part-th number of the splitmix64 sequence of a seed.
fn mix(seed: u64, part: u64) -> u64 {
    let mut z = seed.wrapping_add(part.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_gives_one_number_however_the_table_is_cut() {
        for (positions, total) in [(0, 10), (1, 10), (7, 10), (9, 10), (10, 10), (1000, 123_457), (3, u64::MAX / 64)] {
            let sample = Sample { positions, seed: 5 };
            let whole: Vec<u64> = sample.numbers(total, 0..total).collect();
            assert_eq!(whole.len() as u64, positions);
            assert!(whole.is_sorted_by(|a, b| a < b));
            assert!(whole.iter().all(|&number| number < total));
            if total < 1_000_000 {
                for len in [1, 3, 64] {
                    let blocks = (0..total).step_by(len).map(|from| from..(from + len as u64).min(total));
                    let cut: Vec<u64> = blocks.flat_map(|block| sample.numbers(total, block)).collect();
                    assert_eq!(cut, whole);
                }
            }
        }
    }

    #[test]
    fn another_seed_draws_other_numbers() {
        let draw = |seed| Sample { positions: 50, seed }.numbers(1_000_000, 0..1_000_000).collect::<Vec<_>>();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
