//! Writes table files: under a temporary name first, so that a table is there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::atomic_file::AtomicFile;

use super::block::{CompressedBlock, compress_block, compress_wdl_block};
use super::error::{Section, WriteError};
use super::header::{Geometry, Header, Summary};
use super::{
    END_MARK, ENTRY_LEN, FOOTER_FILE_SUM, FOOTER_LEN, FOOTER_OWN_SUM, START_LEN, START_MARK, SUM_LEN, VERSION,
    checksum, to_u64, wire,
};
use crate::value::Packing;

/// Bytes gathered before the system is asked to write.
const BUFFER_LEN: usize = 1 << 18;

/// Writes one table.
///
/// The blocks come in order: all of side 0, then all of side 1. The bytes of the file depend on
/// header, blocks and summary only. A writer that is dropped before [`finish`](Self::finish)
/// returned removes what it wrote.
#[derive(Debug)]
pub struct TableWriter {
    path: PathBuf,
    geometry: Geometry,
    level: i32,
    /// The file, until an error; what comes after a failed write could not be trusted.
    output: Option<Output>,
    directory: Vec<u8>,
    written: u64,
}

impl TableWriter {
    /// Starts the file that [`finish`](Self::finish) will put at `path`, in place of one that may
    /// be there. `level` is the zstd level of [`write_values`](Self::write_values).
    ///
    /// # Errors
    /// [`WriteError::Field`] if the header is out of bounds, [`WriteError::Io`] if the folder is
    /// missing, read-only or full.
    pub fn create(path: &Path, header: Header, level: i32) -> Result<Self, WriteError> {
        let section = Section::Header;
        let geometry =
            Geometry::new(&header).map_err(|cause| WriteError::Field { path: path.to_owned(), section, cause })?;
        let encode_error = |reason: String| WriteError::Encode { path: path.to_owned(), section, reason };
        let raw = wire::encode_header(&(&header).into()).map_err(encode_error)?;
        let raw_len = u32::try_from(raw.len()).map_err(|error| encode_error(error.to_string()))?;

        let file = AtomicFile::create(path).map_err(|cause| WriteError::Io {
            path: path.to_owned(),
            action: "create a temporary file beside it",
            cause,
        })?;
        let mut writer = Self {
            path: path.to_owned(),
            geometry,
            level,
            output: Some(Output::new(file)),
            directory: Vec::new(),
            written: 0,
        };
        let mut start = Vec::with_capacity(START_LEN + raw.len() + SUM_LEN);
        start.extend_from_slice(&START_MARK);
        start.extend_from_slice(&VERSION.to_le_bytes());
        start.extend_from_slice(&raw_len.to_le_bytes());
        start.extend_from_slice(&raw);
        append_checksum(&mut start);
        writer.put(&start)?;
        Ok(writer)
    }

    /// Where the table will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the positions are cut into blocks.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The zstd level given to [`create`](Self::create).
    #[must_use]
    pub fn level(&self) -> i32 {
        self.level
    }

    /// Writes the next block.
    ///
    /// # Errors
    /// [`WriteError::Mismatch`] if the table has no more blocks or the block has not the size that
    /// comes next or another metric (the writer can go on), [`WriteError::Io`] if the disk is full (it cannot).
    pub fn write_block(&mut self, block: &CompressedBlock) -> Result<(), WriteError> {
        let Some(expected) = self.geometry.positions_in(self.written) else {
            let found = self.written.saturating_add(1);
            return Err(self.mismatch("the number of blocks", self.geometry.blocks(), found));
        };
        if block.positions() != expected {
            let found = block.positions().into();
            return Err(self.mismatch("the number of positions", expected.into(), found));
        }
        let packed = self.geometry.metric().packing() == Packing::TwoBits;
        if block.is_packed() != packed {
            return Err(self.mismatch("the form of a block", packed.into(), block.is_packed().into()));
        }
        let offset = self.output.as_ref().map_or(0, |output| output.offset);
        self.put(block.bytes())?;
        self.directory.extend_from_slice(&offset.to_le_bytes());
        self.directory.extend_from_slice(&block.checksum().to_le_bytes());
        self.written += 1;
        Ok(())
    }

    /// Compresses the next block in this thread and writes it; see [`compress_block`] and [`compress_wdl_block`]
    /// for the form of the values. A table without distances has no exceptions; those given are not looked at.
    ///
    /// # Errors
    /// As [`write_block`](Self::write_block), and [`WriteError::Block`].
    pub fn write_values(&mut self, codes: &[u8], exceptions: &[u32]) -> Result<(), WriteError> {
        let block = match self.geometry.metric().packing() {
            Packing::Bytes => compress_block(codes, exceptions, self.level),
            Packing::TwoBits => compress_wdl_block(codes, self.level),
        };
        let block = block.map_err(|cause| WriteError::Block { path: self.path.clone(), index: self.written, cause })?;
        self.write_block(&block)
    }

    /// Writes the rest, waits until all of it is on the disk and gives the file its name. Returns
    /// the length of the file in bytes.
    ///
    /// # Errors
    /// [`WriteError::Mismatch`] if blocks are missing, [`WriteError::Field`] if the summary is not
    /// about such a table, [`WriteError::Io`] if the system fails. The temporary file is gone then;
    /// the table is in place only if nothing but the last step, making its name durable, failed.
    pub fn finish(self, summary: Summary) -> Result<u64, WriteError> {
        self.finish_unnamed(summary)?.publish()
    }

    /// As [`finish`](Self::finish), but the table keeps its temporary name until it is [published](UnnamedTable::publish).
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_unnamed(mut self, summary: Summary) -> Result<UnnamedTable, WriteError> {
        if self.output.is_none() {
            return Err(WriteError::Failed { path: self.path.clone() });
        }
        if self.written != self.geometry.blocks() {
            let (expected, found) = (self.geometry.blocks(), self.written);
            return Err(self.mismatch("the number of blocks", expected, found));
        }
        let section = Section::Summary;
        summary.check(&self.geometry).map_err(|cause| WriteError::Field { path: self.path.clone(), section, cause })?;
        let mut raw = wire::encode_summary(&summary.to_raw(self.geometry.metric()))
            .map_err(|reason| WriteError::Encode { path: self.path.clone(), section, reason })?;
        debug_assert_eq!(to_u64(self.directory.len() / ENTRY_LEN), self.written);

        let mut directory = std::mem::take(&mut self.directory);
        let lengths = [to_u64(raw.len()), to_u64(directory.len())];
        append_checksum(&mut raw);
        append_checksum(&mut directory);
        let summary_at = self.put(&raw)?;
        let directory_at = self.put(&directory)?;

        let mut footer = Vec::with_capacity(FOOTER_LEN);
        for field in [summary_at, lengths[0], directory_at, lengths[1]] {
            footer.extend_from_slice(&field.to_le_bytes());
        }
        debug_assert_eq!(footer.len(), FOOTER_FILE_SUM);
        self.put(&footer)?;
        let whole = self.output.as_ref().map_or(0, |output| output.hash.digest());
        footer.extend_from_slice(&whole.to_le_bytes());
        debug_assert_eq!(footer.len(), FOOTER_OWN_SUM);
        append_checksum(&mut footer);
        footer.extend_from_slice(&VERSION.to_le_bytes());
        footer.extend_from_slice(&END_MARK);
        self.put(&footer[FOOTER_FILE_SUM..])?;
        let Some(output) = self.output.take() else {
            return Err(WriteError::Failed { path: self.path.clone() });
        };
        let length = output.offset;
        let file = output.file.into_inner().map_err(|error| self.io("write", error.into_error()))?;
        file.sync().map_err(|cause| self.io("flush", cause))?;
        Ok(UnnamedTable { file, length })
    }

    /// Writes bytes and returns where they start.
    fn put(&mut self, bytes: &[u8]) -> Result<u64, WriteError> {
        let Some(mut output) = self.output.take() else {
            return Err(WriteError::Failed { path: self.path.clone() });
        };
        let start = output.offset;
        output.put(bytes).map_err(|cause| self.io("write", cause))?;
        self.output = Some(output);
        Ok(start)
    }

    fn io(&self, action: &'static str, cause: io::Error) -> WriteError {
        WriteError::Io { path: self.path.clone(), action, cause }
    }

    fn mismatch(&self, what: &'static str, expected: u64, found: u64) -> WriteError {
        WriteError::Mismatch { path: self.path.clone(), what, expected, found }
    }
}

/// A table that is whole and on the disk, but still under its temporary name, for those who want to look at it before others
/// find it. It goes away with this value unless it is published.
#[derive(Debug)]
pub struct UnnamedTable {
    file: AtomicFile,
    length: u64,
}

impl UnnamedTable {
    /// Where the file is now.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.file.current_path()
    }

    /// Gives the table its name, in place of one that may be there. Returns the length of the file in bytes.
    ///
    /// # Errors
    /// [`WriteError::Io`]; the temporary file is gone then. The table is in place only if nothing but the last step, making
    /// its name durable, failed.
    pub fn publish(self) -> Result<u64, WriteError> {
        let path = self.file.path().to_owned();
        let published = self.file.publish_synced();
        published.map_err(|error| WriteError::Io { path, action: error.action, cause: error.cause })?;
        Ok(self.length)
    }
}

fn append_checksum(bytes: &mut Vec<u8>) {
    let sum = checksum(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// The file, with the checksum and number of all bytes so far.
struct Output {
    file: BufWriter<AtomicFile>,
    hash: Box<Xxh3>,
    offset: u64,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl Output {
    fn new(file: AtomicFile) -> Self {
        let file = BufWriter::with_capacity(BUFFER_LEN, file);
        Self { file, hash: Box::new(Xxh3::new()), offset: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.offset += to_u64(bytes.len());
        Ok(())
    }
}
