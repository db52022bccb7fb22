//! Decoded blocks of the tables of a check.
//!
//! The children of a block's positions are in the same few blocks again and again. As many decoded blocks as a budget
//! allows stay for the whole check and are shared by all threads: read without a lock, decoded when first asked for.
//! What does not fit is kept by each thread for itself, the blocks used last. So a block is found by two array look-ups.

use dsq_tables::board::Side;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{DecodedBlock, ESCAPE, FormatError};
use dsq_tables::table::Table;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes of decoded blocks that each thread keeps beside the shared ones.
const OWN_BUDGET: usize = 64 << 20;

/// The blocks that all threads share.
pub(super) struct SharedBlocks<'a> {
    tables: Vec<SharedTable<'a>>,
    bytes: AtomicU64,
    budget: u64,
}

struct SharedTable<'a> {
    table: &'a Table,
    block_len: u64,
    /// By side to move and number of the block.
    blocks: [Vec<OnceLock<DecodedBlock>>; 2],
}

impl<'a> SharedBlocks<'a> {
    /// Nothing is decoded yet; at most `budget` bytes will be.
    pub(super) fn new(tables: &'a [Arc<Table>], budget: u64) -> SharedBlocks<'a> {
        let shared = |table: &'a Arc<Table>| {
            let blocks = |side: Side| {
                let sides = if budget == 0 { 0 } else { table.class().sides() };
                let count = if side.index() < sides { table.blocks_per_side() } else { 0 };
                (0..count).map(|_| OnceLock::new()).collect()
            };
            SharedTable { table, block_len: table.block_len().max(1), blocks: Side::BOTH.map(blocks) }
        };
        SharedBlocks { tables: tables.iter().map(shared).collect(), bytes: AtomicU64::new(0), budget }
    }

    /// Takes a block in; gives it back if it is over the budget.
    fn keep(&self, table: usize, side: Side, index: usize, block: DecodedBlock) -> Result<(), DecodedBlock> {
        let Some(slot) = self.tables[table].blocks[side.index()].get(index) else { return Err(block) };
        let bytes = block.memory() as u64;
        if self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > self.budget {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(block);
        }
        if slot.set(block).is_err() {
            // Another thread was faster with the same block.
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The decoded blocks as one thread sees them.
pub(super) struct Blocks<'a> {
    shared: &'a SharedBlocks<'a>,
    /// By table, side to move and number of the block.
    own: Vec<[Vec<Option<Box<OwnBlock>>>; 2]>,
    /// The own blocks, oldest first: table, side to move, number.
    queue: VecDeque<(usize, Side, usize)>,
    bytes: usize,
    budget: usize,
}

struct OwnBlock {
    block: DecodedBlock,
    /// Asked for since it was last thought of dropping it.
    used: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(shared: &'a SharedBlocks<'a>) -> Blocks<'a> {
        Blocks::with_budget(shared, OWN_BUDGET)
    }

    pub(super) fn with_budget(shared: &'a SharedBlocks<'a>, budget: usize) -> Blocks<'a> {
        let own = shared.tables.iter().map(|_| [vec![], vec![]]).collect();
        Blocks { shared, own, queue: VecDeque::new(), bytes: 0, budget }
    }

    /// The code of a position: the table by its place among those given, the side to move in it and the number.
    pub(super) fn code(&mut self, table: usize, side: Side, number: u64) -> Result<u32, TablebaseError> {
        let source = &self.shared.tables[table];
        // The place is below the length of a block.
        let (index, place) = (number / source.block_len, (number % source.block_len) as usize);
        let block = self.block(table, side, index)?;
        match block.bytes().get(place) {
            Some(&byte) if byte != ESCAPE => Ok(byte.into()),
            // An exception, or past the end of the table; the table itself says so.
            _ => {
                let code = u32::try_from(place).ok().and_then(|place| block.code(place));
                code.map_or_else(|| source.table.code(side, number), Ok)
            }
        }
    }

    /// The bytes of consecutive positions from `first` on, as the blocks have them: [`ESCAPE`] for long distances.
    pub(super) fn bytes(
        &mut self,
        table: usize,
        side: Side,
        first: u64,
        into: &mut [u8],
    ) -> Result<(), TablebaseError> {
        let source = &self.shared.tables[table];
        let (mut number, mut rest) = (first, into);
        while !rest.is_empty() {
            let (index, place) = (number / source.block_len, (number % source.block_len) as usize);
            let bytes = self.block(table, side, index)?.bytes().get(place..).unwrap_or_default();
            let count = bytes.len().min(rest.len());
            if count == 0 {
                // Past the end of the table; the table itself says so.
                rest.fill(ESCAPE);
                return source.table.code(side, number).map(|_| ());
            }
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&bytes[..count]);
            (number, rest) = (number + count as u64, later);
        }
        Ok(())
    }

    fn block(&mut self, table: usize, side: Side, number: u64) -> Result<&DecodedBlock, TablebaseError> {
        let source = &self.shared.tables[table];
        // A block in memory has a number that is one of memory; any other is looked for in the file by its own number.
        let index = number as usize;
        if let Some(block) = source.blocks[side.index()].get(index).and_then(OnceLock::get) {
            return Ok(block);
        }
        if !matches!(self.own[table][side.index()].get(index), Some(Some(_))) {
            let file = source.table.file();
            let block = file
                .decode_block(side.index() as u8, number)
                .map_err(|error: FormatError| TablebaseError::File(error.at(file.path())))?;
            match self.shared.keep(table, side, index, block) {
                Err(block) => self.keep(table, side, index, block),
                Ok(()) => {
                    if let Some(block) = source.blocks[side.index()].get(index).and_then(OnceLock::get) {
                        return Ok(block);
                    }
                }
            }
        }
        match self.own[table][side.index()].get_mut(index) {
            Some(Some(own)) => {
                own.used = true;
                Ok(&own.block)
            }
            _ => unreachable!("a block that was decoded is kept by all or by this thread"),
        }
    }

    fn keep(&mut self, table: usize, side: Side, index: usize, block: DecodedBlock) {
        while self.bytes > self.budget
            && let Some(oldest) = self.queue.pop_front()
        {
            self.drop_or_keep(oldest);
        }
        self.bytes += block.memory();
        let blocks = &mut self.own[table][side.index()];
        if blocks.len() <= index {
            blocks.resize_with(index + 1, || None);
        }
        blocks[index] = Some(Box::new(OwnBlock { block, used: true }));
        self.queue.push_back((table, side, index));
    }

    /// Drops a block unless it was used since the last time.
    fn drop_or_keep(&mut self, oldest: (usize, Side, usize)) {
        let (table, side, index) = oldest;
        let Some(slot) = self.own[table][side.index()].get_mut(index) else { return };
        match slot {
            Some(own) if own.used => {
                own.used = false;
                self.queue.push_back(oldest);
            }
            _ => {
                self.bytes -= slot.take().map_or(0, |own| own.block.memory());
            }
        }
    }
}
