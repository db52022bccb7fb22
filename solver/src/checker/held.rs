//! Decoded blocks, kept by one thread.
//!
//! The children of a block's positions are in the same few blocks again and again. A thread that keeps them to itself
//! finds one by two array look-ups, without a lock or a hash.

use dsq_tables::board::Side;
use dsq_tables::format::{DecodedBlock, ESCAPE, FormatError};
use dsq_tables::table::Table;
use dsq_tables::tablebase::TablebaseError;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of decoded blocks that each thread keeps.
const BUDGET: usize = 64 << 20;

/// The decoded blocks of some tables.
pub(super) struct Held<'a> {
    tables: Vec<HeldTable<'a>>,
    /// The blocks that are there, oldest first: table, side to move, number.
    queue: VecDeque<(usize, Side, usize)>,
    bytes: usize,
    budget: usize,
}

struct HeldTable<'a> {
    table: &'a Table,
    block_len: u64,
    /// By side to move and number of the block.
    blocks: [Vec<Option<Box<HeldBlock>>>; 2],
}

struct HeldBlock {
    block: DecodedBlock,
    /// Asked for since it was last thought of dropping it.
    used: bool,
}

impl<'a> Held<'a> {
    pub(super) fn new(tables: &'a [Arc<Table>]) -> Held<'a> {
        Held::with_budget(tables, BUDGET)
    }

    pub(super) fn with_budget(tables: &'a [Arc<Table>], budget: usize) -> Held<'a> {
        let held =
            |table: &'a Arc<Table>| HeldTable { table, block_len: table.block_len().max(1), blocks: [vec![], vec![]] };
        Held { tables: tables.iter().map(held).collect(), queue: VecDeque::new(), bytes: 0, budget }
    }

    /// The code of a position: the table by its place among those given, the side to move in it and the number.
    pub(super) fn code(&mut self, table: usize, side: Side, number: u64) -> Result<u32, TablebaseError> {
        let held = &mut self.tables[table];
        let block = number / held.block_len;
        // Both are checked where they are used.
        let (index, place) = (block as usize, (number % held.block_len) as usize);
        if let Some(Some(held)) = held.blocks[side.index()].get_mut(index) {
            held.used = true;
            match held.block.bytes().get(place) {
                Some(&byte) if byte != ESCAPE => return Ok(byte.into()),
                _ => {}
            }
        } else {
            self.load(table, side, block)?;
        }
        let held = &self.tables[table];
        let block = held.blocks[side.index()].get(index).and_then(Option::as_ref);
        let code = block.and_then(|held| held.block.code(u32::try_from(place).ok()?));
        // Past the end of the table; the table itself says so.
        code.map_or_else(|| held.table.code(side, number), Ok)
    }

    fn load(&mut self, table: usize, side: Side, number: u64) -> Result<(), TablebaseError> {
        let held = &self.tables[table];
        let file = held.table.file();
        let block = file
            .decode_block(side.index() as u8, number)
            .map_err(|error: FormatError| TablebaseError::File(error.at(file.path())))?;
        while self.bytes > self.budget
            && let Some(oldest) = self.queue.pop_front()
        {
            self.drop_or_keep(oldest);
        }
        // It is in the table, so its number is that of something in memory.
        let index = number as usize;
        self.bytes += block.memory();
        let blocks = &mut self.tables[table].blocks[side.index()];
        if blocks.len() <= index {
            blocks.resize_with(index + 1, || None);
        }
        blocks[index] = Some(Box::new(HeldBlock { block, used: true }));
        self.queue.push_back((table, side, index));
        Ok(())
    }

    /// Drops a block unless it was used since the last time.
    fn drop_or_keep(&mut self, oldest: (usize, Side, usize)) {
        let (table, side, index) = oldest;
        let Some(slot) = self.tables[table].blocks[side.index()].get_mut(index) else { return };
        match slot {
            Some(held) if held.used => {
                held.used = false;
                self.queue.push_back(oldest);
            }
            _ => {
                self.bytes -= slot.take().map_or(0, |held| held.block.memory());
            }
        }
    }
}
