//! Tables without distances, made from distances in memory or in a table.

use super::encoding::Encoding;
use crate::solved::Solved;
use dsq_tables::board::Side;
use dsq_tables::class::Class;
use dsq_tables::error::TablebaseError;
use dsq_tables::format::{MAX_BLOCK_LEN, Summary, TableWriter, UnnamedTable, WriteError, compress_wdl_block};
use dsq_tables::rules::Rules;
use dsq_tables::table::{Table, header_with};
use dsq_tables::value::{TableValue, Wdl};
use dsq_tables::without_distances::drop_distances;
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;

/// So many times the positions of a block with distances share a block without: it has as many bytes before compression.
const POSITIONS_FACTOR: u32 = 4;
/// How many blocks are compressed before they are written.
const BATCH: u64 = 64;

/// Why a table without distances was not made.
#[derive(Debug, thiserror::Error)]
pub enum WdlError {
    /// The table with the distances cannot be read.
    #[error("{0}")]
    Read(#[from] TablebaseError),
    /// The table cannot be written.
    #[error("{0}")]
    Write(#[from] WriteError),
}

/// Where the distances are.
#[derive(Clone, Copy, Debug)]
pub enum Distances<'a> {
    /// In memory.
    Solved(&'a Solved),
    /// In a table of distances; it is read block by block.
    Table(&'a Table),
}

impl Distances<'_> {
    fn class(&self) -> &Class {
        match self {
            Distances::Solved(solved) => &solved.class,
            Distances::Table(table) => table.class(),
        }
    }

    fn summary(&self) -> &Summary {
        match self {
            Distances::Solved(solved) => solved.summary(),
            Distances::Table(table) => table.summary(),
        }
    }

    /// A byte for each of the numbers with one side to move: the code of win, draw or loss (see [`Wdl::code`]).
    ///
    /// # Errors
    /// [`TablebaseError`]: the table is damaged.
    pub fn codes(&self, side: Side, numbers: Range<u64>) -> Result<Vec<u8>, TablebaseError> {
        match self {
            Distances::Solved(solved) => {
                let values = solved.side(side);
                let mut codes = values.bytes()[numbers.start as usize..numbers.end as usize].to_vec();
                drop_distances(&mut codes, values.exceptions_in(numbers).into_iter());
                Ok(codes)
            }
            Distances::Table(table) => table.wdl_codes(side, numbers),
        }
    }
}

/// Writes the table of a class without distances: to a temporary name, which becomes `path` when the table is published. The
/// same values give the same bytes, wherever they come from and whatever the number of threads. A block holds four times the
/// positions that `encoding` says.
///
/// # Errors
/// [`WdlError`]; nothing is left behind then.
pub fn write_wdl_table(
    rules: &Rules,
    distances: Distances<'_>,
    path: &Path,
    encoding: Encoding,
    parallel: bool,
) -> Result<UnnamedTable, WdlError> {
    let class = distances.class();
    let len = encoding.block_len.saturating_mul(POSITIONS_FACTOR).min(MAX_BLOCK_LEN);
    let mut writer = TableWriter::create(path, header_with(rules, class, Wdl::METRIC, len), encoding.level)?;
    let (positions, len) = (class.index().size(), u64::from(len));
    let blocks = positions.div_ceil(len);
    for side in Side::BOTH.into_iter().take(class.sides()) {
        for first in (0..blocks).step_by(BATCH as usize) {
            let batch = first..(first + BATCH).min(blocks);
            let compress = |block: u64| {
                let codes = distances.codes(side, block * len..((block + 1) * len).min(positions))?;
                let compressed = compress_wdl_block(&codes, encoding.level);
                let failed = |cause| WriteError::Block { path: path.to_owned(), index: block, cause };
                compressed.map_err(|cause| WdlError::Write(failed(cause)))
            };
            let compressed: Vec<_> =
                if parallel { batch.into_par_iter().map(compress).collect() } else { batch.map(compress).collect() };
            for block in compressed {
                writer.write_block(&block?)?;
            }
        }
    }
    let mut summary = distances.summary().clone();
    for side in &mut summary.sides {
        (side.longest_win, side.longest_loss) = (None, None);
    }
    Ok(writer.finish_unnamed(summary)?)
}
