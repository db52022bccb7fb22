//! A solved class becomes a table file.

use crate::solved::{SideCodes, Solved};
use dsq_tables::format::{CompressedBlock, TableWriter, WriteError, compress_block};
use dsq_tables::rules::Rules;
use dsq_tables::table::header_of;
use rayon::prelude::*;
use std::path::Path;

/// How tables are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// The zstd level.
    pub level: i32,
    /// Positions in a block.
    pub block_len: u32,
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding { level: 3, block_len: dsq_tables::table::DEFAULT_BLOCK_LEN }
    }
}

/// How many blocks are compressed before they are written: enough for many threads, little memory.
const BATCH: u64 = 256;

/// Writes the table of a solved class: to a temporary name first, which becomes `path` when everything is on the disk.
/// The same class gives the same bytes, whatever the number of threads. Returns the length of the file in bytes.
///
/// # Errors
/// [`WriteError`]: disk full, folder read-only and the like; nothing is left behind then.
pub fn write_table(
    rules: &Rules,
    solved: &Solved,
    path: &Path,
    encoding: Encoding,
    parallel: bool,
) -> Result<u64, WriteError> {
    let header = header_of(rules, &solved.class, encoding.block_len);
    let mut writer = TableWriter::create(path, header, encoding.level)?;
    let (positions, len) = (solved.class.index().size(), u64::from(encoding.block_len));
    let blocks = positions.div_ceil(len);
    for side in solved.sides() {
        for first in (0..blocks).step_by(BATCH as usize) {
            let batch = first..(first + BATCH).min(blocks);
            let compress = |block: u64| compress(side, block * len..((block + 1) * len).min(positions), encoding.level);
            let compressed: Vec<_> =
                if parallel { batch.into_par_iter().map(compress).collect() } else { batch.map(compress).collect() };
            for (index, block) in (first..).zip(compressed) {
                let block = block.map_err(|cause| WriteError::Block { path: path.to_owned(), index, cause })?;
                writer.write_block(&block)?;
            }
        }
    }
    writer.finish(solved.summary().clone())
}

fn compress(
    side: &SideCodes,
    numbers: std::ops::Range<u64>,
    level: i32,
) -> Result<CompressedBlock, dsq_tables::format::BlockError> {
    let exceptions = side.exceptions_in(numbers.clone());
    compress_block(&side.bytes()[numbers.start as usize..numbers.end as usize], &exceptions, level)
}
