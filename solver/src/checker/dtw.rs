//! The check of a table of distances to win.
//!
//! Most positions are found right many at a time, line by line; every other one is judged by its legal moves.

use super::blocks::{Blocks, SharedBlocks};
use super::count::{Checked, Found, Tally, compare_counts};
use super::keys::{Best, PLACES};
use super::lines::Lines;
use super::moves::Moves;
use super::options::{CheckObserver, CheckOptions};
use super::report::{Report, SummaryFault};
use super::scan::{Judge, scan};
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{ESCAPE, Longest, SideSummary};
use dsq_tables::index::Squares;
use dsq_tables::moves::LegalMove;
use dsq_tables::position::Position;
use dsq_tables::table::Table;
use dsq_tables::tablebase::Tablebase;
use dsq_tables::value::{Value, Wdl};
use std::ops::Range;

/// Checks every value of the table of distances to win of a class, or a sample of them, against the values after each move. The
/// tables of all captures must be there. Works on the threads of the current rayon pool.
///
/// # Errors
/// [`TablebaseError`]: a table is missing or cannot be read; the first one in the order of the table.
pub fn check_dtw(
    tablebase: &Tablebase,
    class: &Class,
    options: &CheckOptions,
    observer: &dyn CheckObserver,
) -> Result<Report<Value>, TablebaseError> {
    let moves = Moves::new(tablebase, class)?;
    let shared = SharedBlocks::new(&moves.tables, options.shared_bytes);
    let judge = ByMoves { class, moves: &moves, lines: Lines::new(moves.rules, class), shared: &shared };
    scan(moves.rules, &moves.tables[0], &judge, options, observer)
}

/// Judges distances to win by the moves.
pub(super) struct ByMoves<'a> {
    pub(super) class: &'a Class,
    pub(super) moves: &'a Moves<'a, Value>,
    /// What positions that differ only in the last piece share; none if the class has no such lines.
    pub(super) lines: Option<Lines>,
    pub(super) shared: &'a SharedBlocks<'a>,
}

impl<'a> Judge for ByMoves<'a> {
    type Value = Value;
    type Kept = Blocks<'a>;

    fn kept(&self) -> Blocks<'a> {
        Blocks::new(self.shared)
    }

    fn distances(&self) -> Option<&Table> {
        None
    }

    fn judge(
        &self,
        blocks: &mut Blocks<'a>,
        side: Side,
        number: u64,
        _: Option<Wdl>,
    ) -> Result<(Value, bool), TablebaseError> {
        self.moves.judge(blocks, side, number)
    }

    fn after(
        &self,
        blocks: &mut Blocks<'a>,
        position: &Position,
        squares: &Squares,
        legal: &LegalMove,
    ) -> Result<Value, TablebaseError> {
        self.moves.after(blocks, position, squares, legal)
    }

    /// Checks consecutive numbers line by line. What does not come out right like that is judged one by one.
    fn check_many(
        &self,
        blocks: &mut Blocks<'a>,
        found: &mut Found<Value>,
        side: Side,
        numbers: Range<u64>,
        max_faults: usize,
    ) -> Result<bool, TablebaseError> {
        let Some(lines) = &self.lines else { return Ok(false) };
        let index = self.class.index();
        let last = self.moves.pieces.len() - 1;
        // Codes of 0 and 1.
        let no_move = self.moves.no_move.code() as u8;
        let mut best = Best::new(lines.places());
        let (mut bytes, mut expected, mut immobile) = ([0; PLACES], [0; PLACES], [0; PLACES]);
        let mut tally = Tally::new();
        for line in numbers.start / lines.len()..numbers.end.div_ceil(lines.len()) {
            let start = line * lines.len();
            let end = start + lines.len();
            let (from, to) = (start.max(numbers.start), end.min(numbers.end));
            let bytes = &mut bytes[..(to - from) as usize];
            blocks.bytes(0, side, from, bytes)?;
            let Some(squares) = (start..end).find_map(|number| index.squares(number)) else { continue };
            if lines.best(self.moves, blocks, &squares, side, &mut best).is_err() {
                // Whoever needs what cannot be read will say so.
                best.doubt_all();
            }
            best.answer(no_move, &mut expected, &mut immobile);
            let weight = index.weight(&squares);
            let squares_of_last = index.free(last, &squares).squares().skip((from - start) as usize);
            for ((number, &byte), square) in (from..to).zip(bytes.iter()).zip(squares_of_last) {
                if squares[..last].contains(&square) {
                    continue;
                }
                let place = lines.place(square);
                if byte == expected[place] && byte != ESCAPE {
                    tally.count(byte, number, weight, immobile[place] != 0);
                } else {
                    let value = Value::from_code(blocks.code(0, side, number)?);
                    let right = self.moves.judge(blocks, side, number)?;
                    found.enter(Checked { side, number, weight, found: value }, right, max_faults);
                }
            }
        }
        tally.add_to(found, side);
        Ok(true)
    }

    fn compare_summary(
        &self,
        table: &Table,
        side: Side,
        stored: &SideSummary,
        counted: &mut SideSummary,
    ) -> Result<Vec<SummaryFault>, TablebaseError> {
        let mut faults = compare_counts::<Value>(side, stored, counted);
        for (fields, stored, counted, win) in [
            (["longest win", "value of the longest win"], stored.longest_win, counted.longest_win, true),
            (["longest loss", "value of the longest loss"], stored.longest_loss, counted.longest_loss, false),
        ] {
            let mut compare = |field: &'static str, found: Option<u32>, expected: Option<u32>| {
                if found != expected {
                    let text = |figure: Option<u32>| figure.map_or("none".to_owned(), |figure| figure.to_string());
                    faults.push(SummaryFault { side, field, found: text(found), expected: text(expected) });
                }
            };
            let plies = |longest: Option<Longest>| longest.map(|longest| longest.plies);
            compare(fields[0], plies(stored), plies(counted));
            // Any position with that value will do.
            if let Some(stored) = stored {
                let value = if win { Value::Win(stored.plies) } else { Value::Loss(stored.plies) };
                compare(fields[1], Some(value.code()), Some(table.code(side, stored.position)?));
            }
        }
        Ok(faults)
    }
}
