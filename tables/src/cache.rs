//! Decoded blocks kept in memory, shared by all tables and threads.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::format::{DecodedBlock, FormatError, TableFile};

/// Memory of a usual block, to size the tables of the cache by.
const USUAL_BLOCK: u64 = 1 << 16;

thread_local! {
    /// Memory for blocks that are not kept, so that a look-up without a cache takes none anew.
    static UNKEPT: RefCell<DecodedBlock> = RefCell::new(DecodedBlock::new());
}

/// A table, by [`TableFile::id`], and the number of a block in its file.
type Key = (u64, u64);

/// Weighs a block by its memory in bytes.
#[derive(Debug, Clone)]
struct ByMemory;

impl Weighter<Key, Arc<DecodedBlock>> for ByMemory {
    fn weight(&self, _: &Key, block: &Arc<DecodedBlock>) -> u64 {
        u64::try_from(block.memory()).unwrap_or(u64::MAX)
    }
}

/// A cache of decoded blocks with a bound on its memory.
///
/// Put it into an [`Arc`] to share it. Blocks of a table that is gone are pushed out in time; a
/// table that is opened again does not find them, since it has a new number.
pub struct BlockCache {
    /// Nothing if the budget is 0.
    blocks: Option<Cache<Key, Arc<DecodedBlock>, ByMemory>>,
}

impl BlockCache {
    /// A cache that keeps at most about `byte_budget` bytes of values. With a budget of 0 it keeps
    /// nothing and every look-up decodes a block.
    #[must_use]
    pub fn new(byte_budget: u64) -> Self {
        let blocks = (byte_budget > 0).then(|| {
            let items = usize::try_from(byte_budget.div_ceil(USUAL_BLOCK)).unwrap_or(usize::MAX);
            // Only a guess of the number of blocks; a huge one would cost memory by itself.
            Cache::with_weighter(items.min(1 << 20), byte_budget, ByMemory)
        });
        Self { blocks }
    }

    /// The values of a block of one side, decoded now or before. Threads that want the same block
    /// at the same time wait for one of them to decode it.
    ///
    /// # Errors
    /// [`FormatError`]: damage, or [`FormatError::NoSuchBlock`]. Errors are not kept.
    pub fn block(&self, table: &TableFile, side: u8, block: u64) -> Result<Arc<DecodedBlock>, FormatError> {
        let decode = || table.decode_block(side, block).map(Arc::new);
        match (&self.blocks, table.geometry().block_index(side, block)) {
            (Some(blocks), Some(index)) => blocks.get_or_insert_with(&(table.id(), index), decode),
            _ => decode(),
        }
    }

    /// The code of a position: 0 for a draw, else plies + 1.
    ///
    /// # Errors
    /// [`FormatError`]: damage, or [`FormatError::NoSuchPosition`].
    pub fn code(&self, table: &TableFile, side: u8, position: u64) -> Result<u32, FormatError> {
        let missing = || FormatError::NoSuchPosition { side, position };
        let (block, place) = table.geometry().locate(side, position).ok_or_else(missing)?;
        if self.blocks.is_none() {
            return UNKEPT.with_borrow_mut(|kept| {
                table.decode_block_into(side, block, kept)?;
                kept.code(place).ok_or_else(missing)
            });
        }
        let block = self.block(table, side, block)?;
        block.code(place).ok_or_else(missing)
    }

    /// Bytes of the values that are kept now.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.blocks.as_ref().map_or(0, Cache::weight)
    }
}

impl fmt::Debug for BlockCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockCache").field("memory", &self.memory()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;
    use crate::format::{ErrorKind, Header, Metric, SideSummary, Summary, TableWriter, split_codes};

    const POSITIONS: u32 = 40_000;
    const BLOCK: u32 = 1000;

    fn code(seed: u32, side: u8, position: u32) -> u32 {
        (position * 7 + seed * 13 + u32::from(side) * 31) % 300
    }

    fn table(path: &Path, seed: u32) -> TableFile {
        let header = Header {
            rules_name: "test".into(),
            fingerprint: 1,
            material: "A-B".into(),
            metric: Metric::Dtw,
            pieces: Vec::new(),
            files: 7,
            ranks: 9,
            mirror: false,
            sides: 2,
            positions: POSITIONS.into(),
            block_len: BLOCK,
            generator: String::new(),
            quiet_limit: 0,
        };
        let mut writer = TableWriter::create(path, header, 1).unwrap();
        for side in 0..2 {
            let codes: Vec<u32> = (0..POSITIONS).map(|p| code(seed, side, p)).collect();
            for part in codes.chunks(BLOCK.try_into().unwrap()) {
                let (bytes, exceptions) = split_codes(part);
                writer.write_values(&bytes, &exceptions).unwrap();
            }
        }
        writer.finish(Summary { sides: vec![SideSummary::default(); 2] }).unwrap();
        TableFile::open(path).unwrap()
    }

    #[test]
    fn every_budget_gives_the_values_and_keeps_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let tables = [0, 1].map(|seed| table(&folder.path().join(format!("{seed}")), seed));
        for budget in [0, 1, 500, 20_000, 1 << 30] {
            let cache = BlockCache::new(budget);
            for position in (0..POSITIONS).step_by(37).chain([POSITIONS - 1]) {
                for (seed, table) in (0..).zip(&tables) {
                    for side in 0..2 {
                        let found = cache.code(table, side, position.into()).unwrap();
                        assert_eq!(found, code(seed, side, position));
                    }
                }
                assert!(cache.memory() <= budget);
            }
        }
    }

    #[test]
    fn a_kept_block_is_not_decoded_again() {
        let folder = tempfile::tempdir().unwrap();
        let table = table(&folder.path().join("t"), 0);
        let cache = BlockCache::new(1 << 20);
        let first = cache.block(&table, 1, 3).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.block(&table, 1, 3).unwrap()));
        assert!(cache.memory() >= u64::from(BLOCK));
    }

    #[test]
    fn positions_out_of_range_are_errors_of_the_caller() {
        let folder = tempfile::tempdir().unwrap();
        let table = table(&folder.path().join("t"), 0);
        for cache in [BlockCache::new(0), BlockCache::new(1 << 20)] {
            for (side, position) in [(0, POSITIONS.into()), (0, u64::MAX), (2, 0), (255, 0)] {
                let error = cache.code(&table, side, position).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Usage);
            }
            assert_eq!(cache.block(&table, 0, 40).unwrap_err().kind(), ErrorKind::Usage);
        }
    }

    #[test]
    fn threads_share_tables_and_cache() {
        let folder = tempfile::tempdir().unwrap();
        let table = table(&folder.path().join("t"), 5);
        let cache = BlockCache::new(10_000);
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (table, cache) = (&table, &cache);
                scope.spawn(move || {
                    for position in (start..POSITIONS).step_by(101) {
                        let found = cache.code(table, 1, position.into()).unwrap();
                        assert_eq!(found, code(5, 1, position));
                    }
                });
            }
        });
    }
}
