//! The memory model: what a class takes while it is solved.

use super::layout::numbers::{count_of, rows_of};
use super::layout::{bits_of, lanes_of};
use super::measure::Measure;
use dsq_tables::board::Side;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::rules::Piece;

/// How the work on a class is kept: the less memory, the more time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Storage {
    /// Everything in memory.
    Memory,
    /// The distances in files, see [`Options::spill`](super::Options::spill).
    Files,
    /// The distances in files, and as little as possible beside the sets, see [`Options::lean`](super::Options::lean).
    Lean,
}

/// How many bytes the distances of a class take for one side to move while it is solved.
#[must_use]
pub fn cells(catalog: &Catalog, class: &Class) -> u64 {
    let rules = catalog.rules();
    let rows = rows_of(rules, class);
    rows.saturating_mul(lanes_of(rules.board()) as u64).saturating_mul(bits_of(rules.board()))
}

/// For how many sides to move the sets of a class are kept while it is solved.
#[must_use]
pub fn sides_kept(catalog: &Catalog, class: &Class) -> u64 {
    let pieces: Vec<Piece> = class.index().pieces().collect();
    let last = pieces.len() - 2;
    // A row goes to a row if the last two pieces are each other's counterpart; see `Swap`.
    let one = catalog.colour_swap(class).is_some_and(|route| route.pieces()[last] == pieces[last + 1]);
    if one { 1 } else { 2 }
}

/// About how many bytes [`solve`](super::solve()) needs for a class. The smaller tables are not counted unless they are read where they are.
#[must_use]
pub fn memory_needed(catalog: &Catalog, class: &Class, measure: Measure, storage: Storage) -> u64 {
    let rules = catalog.rules();
    let (bits, lanes) = (bits_of(rules.board()), lanes_of(rules.board()) as u64);
    let sides = sides_kept(catalog, class);
    // Per side: the sets and what each row depends on, then a byte for every bit and the bytes of the table: of a whole side,
    // or of one slice at a time.
    let sets = 2 + if measure.keeps_lost_before() { 1 } else { 0 };
    let dependencies = if storage == Storage::Lean { 0 } else { DEPENDENCIES_BYTES };
    let kept = rows_of(rules, class).saturating_mul(lanes * bits / 8 * sets + dependencies);
    let (distances, values) = (cells(catalog, class), class.index().size());
    let has_outer = class.index().pieces().count() > 2;
    let slices = if has_outer { u64::from(class.index().domain(0).count()).max(1) } else { 1 };
    let held = match storage {
        Storage::Memory => distances.saturating_add(values).saturating_mul(sides),
        // The bytes of a slice, and its values three times: as they are read out, put behind what was left over, and cut.
        Storage::Files | Storage::Lean => (distances / slices).saturating_add((values / slices).saturating_mul(3)),
    };
    let successors = memory_of_successors(catalog, class, sides, storage);
    // In files, the capture successors are given back before a slice is read.
    let held = if storage == Storage::Memory { held.saturating_add(successors) } else { held.max(successors) };
    kept.saturating_mul(sides).saturating_add(held)
}

/// What the positions take that captures lead to: two sets, and a byte for every bit or the values as they are in their table.
fn memory_of_successors(catalog: &Catalog, class: &Class, sides: u64, storage: Storage) -> u64 {
    let rules = catalog.rules();
    let (bits, lanes) = (bits_of(rules.board()), lanes_of(rules.board()) as u64);
    let pieces: Vec<Piece> = class.index().pieces().collect();
    let outers = pieces.len() - 2;
    // With one side's sets only its pieces are taken.
    let victims = (0..pieces.len()).filter(|&victim| sides == 2 || pieces[victim].side == Side::White);
    victims.fold(0u64, |sum, victim| {
        let choosing: Vec<Piece> = (0..outers).filter(|&slot| slot != victim).map(|slot| pieces[slot]).collect();
        let groups = count_of(rules, &choosing);
        let words = groups.saturating_mul(if victim < outers { lanes } else { 1 });
        let lean = storage == Storage::Lean;
        let values = match catalog.member(class.material().without(pieces[victim])) {
            Some(member) if lean => member.class().index().size(),
            None if lean => 0,
            _ => words.saturating_mul(bits + 1),
        };
        // Two flags for each group.
        sum.saturating_add(words.saturating_mul(bits / 8 * 2).saturating_add(values).saturating_add(groups * 2))
    })
}

/// What the list of a row's dependencies takes, in bytes: with six pieces up to 14.5 pairs of numbers, and where they begin.
const DEPENDENCIES_BYTES: u64 = 130;
