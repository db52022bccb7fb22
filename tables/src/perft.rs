//! Counting the leaves of the move tree.

use crate::moves::LegalMove;
use crate::position::Position;
use crate::rules::Rules;

/// The number of move sequences of exactly `depth` plies. A game that is over, at the root or below it, counts
/// no further: it has no moves.
#[must_use]
pub fn perft(rules: &Rules, position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => {
            let mut count = 0;
            position.for_each_move(rules, |_| count += 1);
            count
        }
        _ => {
            let mut nodes = 0;
            position.for_each_move(rules, |legal| nodes += perft(rules, &position.after(&legal), depth - 1));
            nodes
        }
    }
}

/// [`perft`] for each legal move, in square order.
#[must_use]
pub fn divide(rules: &Rules, position: &Position, depth: u32) -> Vec<(LegalMove, u64)> {
    let count = |legal: LegalMove| (legal, perft(rules, &position.after(&legal), depth.saturating_sub(1)));
    position.legal_moves(rules).into_iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn counts(rules: &str, changes: &[(&str, &str)], fen: &str, depth: u32) -> Vec<u64> {
        let rules = Rules::load_with(rules, changes.iter().copied()).unwrap();
        let position = Position::from_fen(&rules, fen).unwrap();
        (1..=depth).map(|depth| perft(&rules, &position, depth)).collect()
    }

    // Five public programs agree with the first four numbers of `classic`, two with all.
    #[test]
    fn the_first_position_has_the_known_counts() {
        assert_eq!(counts("classic", &[], "startpos", 6), [24, 576, 12_240, 260_099, 5_111_620, 100_453_636]);
        assert_eq!(counts("leiden", &[], "startpos", 6), [24, 576, 12_240, 260_100, 5_111_725, 100_459_989]);
    }

    #[test]
    fn the_mirrored_first_position_has_the_same_counts() {
        let mirrored = "t5l/1c3d1/e1w1p1r/7/7/7/R1P1W1E/1D3C1/L5T w";
        assert_eq!(counts("classic", &[], mirrored, 5), [24, 576, 12_240, 260_099, 5_111_620]);
    }

    #[test]
    fn every_setting_changes_the_counts_of_two_positions_as_known() {
        const X1: &str = "2t4/3Ce2/7/3T3/7/L1R4/1Er4/2Dl3/7 w";
        const X2: &str = "7/3R3/2E1e2/1r1t3/L2l3/7/4T2/2Pw3/1c5 b";
        let none1 = [18, 204, 3213, 36_084, 564_866];
        let none2 = [18, 286, 4663, 71_574, 1_152_633];
        type Changes = &'static [(&'static str, &'static str)];
        let table: [(Changes, [u64; 5], [u64; 5]); 10] = [
            (&[], none1, none2),
            (&[("elephant-takes-rat", "true")], [19, 214, 3488, 38_608, 620_271], [18, 287, 4705, 72_529, 1_176_619]),
            (&[("elephant-takes-trapped-rat", "false")], none1, [18, 286, 4636, 71_201, 1_137_368]),
            (
                &[("rat-takes-rat-from-water", "true")],
                [19, 214, 3476, 38_567, 615_182],
                [18, 286, 4663, 71_574, 1_152_635],
            ),
            (&[("rat-takes-rat-into-water", "true")], [18, 217, 3409, 39_997, 618_665], none2),
            (
                &[("rat-takes-rat-from-water", "true"), ("rat-takes-rat-into-water", "true")],
                [19, 227, 3672, 42_480, 668_981],
                [18, 286, 4663, 71_574, 1_152_635],
            ),
            (&[("rat-takes-elephant", "always")], [18, 204, 3213, 36_087, 564_917], [18, 286, 4689, 71_936, 1_167_547]),
            (&[("tiger-jumps", "files")], [16, 180, 2537, 28_334, 401_738], [17, 269, 4089, 62_408, 933_012]),
            (&[("jump-stopped-by", "enemy")], [19, 216, 3559, 39_982, 648_767], [19, 303, 5136, 79_083, 1_310_747]),
            (&[("traps", "universal")], [18, 204, 3225, 36_251, 570_768], [18, 286, 4679, 71_781, 1_162_109]),
        ];
        for (changes, one, two) in table {
            assert_eq!(counts("classic", changes, X1, 5), one, "X1 {changes:?}");
            assert_eq!(counts("classic", changes, X2, 5), two, "X2 {changes:?}");
        }
    }

    #[test]
    fn a_game_that_is_over_counts_no_further() {
        // Elimination, seen from both sides; a den that is entered, seen from both sides.
        for fen in
            ["7/7/7/7/7/7/7/2L4/7 w", "7/7/7/7/7/7/7/2L4/7 b", "3E3/7/3e3/7/7/7/7/7/7 w", "3E3/7/3e3/7/7/7/7/7/7 b"]
        {
            assert_eq!(counts("classic", &[], fen, 3), [0, 0, 0], "{fen}");
            let rules = Rules::load("classic").unwrap();
            let position = Position::from_fen(&rules, fen).unwrap();
            assert_eq!((perft(&rules, &position, 0), divide(&rules, &position, 2)), (1, Vec::new()), "{fen}");
        }
        assert_eq!(counts("classic", &[("elimination-wins", "false")], "7/7/7/7/7/7/7/2L4/7 w", 2), [4, 0]);
    }

    #[test]
    fn divide_adds_up() {
        let rules = Rules::load("classic").unwrap();
        let start = Position::start(&rules);
        let parts = divide(&rules, &start, 3);
        assert_eq!(parts.len(), 24);
        assert_eq!(parts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 12_240);
    }
}
