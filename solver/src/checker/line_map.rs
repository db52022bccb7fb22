//! How the positions that differ only in the square of the last piece are found in another table.

use super::keys::{NOWHERE, PLACES, Row};
use dsq_tables::board::{Bitboard, Square};
use dsq_tables::index::Index;

/// How the places of the last piece of one class are found in a line of another: for each place the other one, once as it
/// is and once with the other line mirrored. None if the places are the same.
pub(super) struct LineMap(pub(super) [Option<Box<Row>>; 2]);

impl LineMap {
    /// `square` maps each square to where it goes. None if there are no such lines: too many squares.
    pub(super) fn new(from: &Index, to: &Index, square: impl Fn(Square) -> Square) -> Option<LineMap> {
        let (from_domain, to_domain) = (domain_of_last(from)?, domain_of_last(to)?);
        let map = |mirrored: bool| {
            let mut row = [NOWHERE; PLACES];
            for (place, from) in row.iter_mut().zip(from_domain.squares()) {
                let there = if mirrored { to.mirror(square(from)) } else { square(from) };
                *place = to_domain.contains(there).then(|| place_of(to_domain, there))?;
            }
            let count = from_domain.count() as usize;
            let same = row[..count].iter().enumerate().all(|(place, &there)| place == usize::from(there));
            Some((!same).then(|| Box::new(row)))
        };
        Some(LineMap([map(false)?, if to.has_mirror() { map(true)? } else { None }]))
    }
}

/// The squares of the last piece; none if there are so many that no place is free for [`NOWHERE`].
pub(super) fn domain_of_last(index: &Index) -> Option<Bitboard> {
    let domain = index.domain(index.pieces().len().checked_sub(1)?);
    (index.pieces().len() > 1 && domain.count() <= NOWHERE.into()).then_some(domain)
}

/// The place of a square among those of a domain of at most 127.
pub(super) fn place_of(domain: Bitboard, square: Square) -> u8 {
    domain.rank_of(square) as u8
}
