//! Tables with distances, from a solved class or from its values as they come.

use super::encoding::Encoding;
use crate::solved::{Counter, SideCodes, Solved};
use dsq_tables::class::Class;
use dsq_tables::format::{BlockError, CompressedBlock, Summary, TableWriter, UnnamedTable, WriteError, compress_block};
use dsq_tables::rules::Rules;
use dsq_tables::table::header_with;
use dsq_tables::value::Metric;
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many blocks are compressed before they are written: enough for many threads, little memory.
const BATCH: usize = 256;

/// Writes the table of a solved class: to a temporary name, which becomes `path` when the table is published.
/// The same class gives the same bytes, whatever the number of threads.
///
/// # Errors
/// [`WriteError`]: disk full, folder read-only and the like; nothing is left behind then.
pub fn write_table(
    rules: &Rules,
    solved: &Solved,
    path: &Path,
    encoding: Encoding,
    parallel: bool,
) -> Result<UnnamedTable, WriteError> {
    let mut writer = BlockWriter::create(rules, &solved.class, solved.metric, path, encoding, parallel)?;
    for side in solved.sides() {
        writer.blocks(side, 0, side.bytes().len())?;
    }
    writer.table.finish_unnamed(solved.summary().clone())
}

/// Writes a table whose values come part by part.
#[derive(Debug)]
pub struct TableStream {
    writer: BlockWriter,
    class: Arc<Class>,
    metric: Metric,
    side: usize,
    /// Values that do not fill a block yet, from this number on.
    rest: SideCodes,
    first: u64,
    counters: Vec<Counter>,
}

impl TableStream {
    /// Begins a table of distances of a metric, under a temporary name.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn create(
        rules: &Rules,
        class: &Arc<Class>,
        metric: Metric,
        path: &Path,
        encoding: Encoding,
        parallel: bool,
    ) -> Result<TableStream, WriteError> {
        let writer = BlockWriter::create(rules, class, metric, path, encoding, parallel)?;
        let counters = vec![Counter::default(); class.sides()];
        Ok(TableStream {
            writer,
            class: class.clone(),
            metric,
            side: 0,
            rest: SideCodes::default(),
            first: 0,
            counters,
        })
    }

    /// Takes the next values, of the side to move 0 or 1, in order.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn put(&mut self, side: usize, part: SideCodes) -> Result<(), WriteError> {
        if side != self.side {
            self.flush(true)?;
            (self.side, self.first) = (side, 0);
        }
        if let Some(counter) = self.counters.get_mut(side) {
            counter.add(self.class.index(), &part);
        }
        self.rest.append(part);
        self.flush(false)
    }

    fn flush(&mut self, all: bool) -> Result<(), WriteError> {
        let len = self.rest.bytes().len();
        let block = self.writer.encoding.block_len as usize;
        let whole = if all { len } else { len - len % block };
        self.writer.blocks(&self.rest, self.first, whole)?;
        self.rest = self.rest.split_off(whole, self.first + whole as u64);
        self.first += whole as u64;
        Ok(())
    }

    /// Ends the table. `drawn` has for each side the positions drawn because there is no legal move. Returns the table,
    /// which has no name yet, and the counts in it.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn finish(mut self, drawn: &[u64]) -> Result<(UnnamedTable, Summary), WriteError> {
        self.flush(true)?;
        let sides =
            self.counters.iter().zip(drawn).map(|(counter, &drawn)| counter.summary(self.metric, drawn)).collect();
        let summary = Summary { sides };
        let table = self.writer.table.finish_unnamed(summary.clone())?;
        Ok((table, summary))
    }
}

/// Compresses blocks, in parallel if that is asked for, and writes them in order.
#[derive(Debug)]
struct BlockWriter {
    table: TableWriter,
    encoding: Encoding,
    parallel: bool,
    path: PathBuf,
}

impl BlockWriter {
    fn create(
        rules: &Rules,
        class: &Class,
        metric: Metric,
        path: &Path,
        encoding: Encoding,
        parallel: bool,
    ) -> Result<BlockWriter, WriteError> {
        let table = TableWriter::create(path, header_with(rules, class, metric, encoding.block_len), encoding.level)?;
        Ok(BlockWriter { table, encoding, parallel, path: path.to_owned() })
    }

    /// Writes the first `len` of the values, whose first number is `first`; the last block may be short.
    fn blocks(&mut self, values: &SideCodes, first: u64, len: usize) -> Result<(), WriteError> {
        let block_len = self.encoding.block_len as usize;
        let blocks: Vec<usize> = (0..len).step_by(block_len).collect();
        for batch in blocks.chunks(BATCH) {
            let compress =
                |&start: &usize| compress(values, first, start..(start + block_len).min(len), self.encoding.level);
            let compressed: Vec<_> = if self.parallel {
                batch.par_iter().map(compress).collect()
            } else {
                batch.iter().map(compress).collect()
            };
            for (start, block) in batch.iter().zip(compressed) {
                let index = (first + *start as u64) / block_len as u64;
                let path = self.path.clone();
                self.table.write_block(&block.map_err(|cause| WriteError::Block { path, index, cause })?)?;
            }
        }
        Ok(())
    }
}

fn compress(values: &SideCodes, first: u64, places: Range<usize>, level: i32) -> Result<CompressedBlock, BlockError> {
    let numbers = first + places.start as u64..first + places.end as u64;
    compress_block(&values.bytes()[places], &values.exceptions_in(numbers), level)
}
