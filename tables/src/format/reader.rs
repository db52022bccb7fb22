//! Reads table files. Nothing in a file is trusted: whatever its bytes are, the outcome is a value
//! the writer stored or an error.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use xxhash_rust::xxh3::Xxh3;

use super::block::DecodedBlock;
use super::error::{FormatError, OpenError, Section};
use super::header::{Geometry, Header, HeaderFault, Summary};
use super::{
    END_MARK, ENTRY_LEN, FOOTER_FILE_SUM, FOOTER_LEN, FOOTER_OWN_SUM, MAX_HEADER_LEN, MAX_SUMMARY_LEN, START_LEN,
    START_MARK, SUM_LEN, TAIL_LEN, VERSION, checksum, short_checksum, to_u64, wire,
};

/// Bytes hashed at a time where the sections do not matter.
const CHUNK_LEN: usize = 1 << 20;

/// An open table. All methods take `&self`; threads may share it.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    id: u64,
    map: Mmap,
    parts: Parts,
}

/// What opening a file found out.
#[derive(Debug)]
struct Parts {
    header: Header,
    geometry: Geometry,
    summary: Summary,
    blocks_at: usize,
    summary_at: usize,
    directory_at: usize,
    footer_at: usize,
}

impl TableFile {
    /// Opens and maps a table, and checks everything in it but the blocks: marks, versions, the
    /// checksums of header, summary, directory and footer, and all offsets.
    ///
    /// # Errors
    /// [`OpenError`]; its [`kind`](OpenError::kind) tells a missing file, a failing system, a file
    /// that is no table, another version of the format, damage and unsupported tables apart.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let map = map_file(path).map_err(|cause| OpenError::Io { path: path.to_owned(), cause: Arc::new(cause) })?;
        let parts = Parts::new(&map).map_err(|cause| cause.at(path))?;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let id = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Self { path: path.to_owned(), id, map, parts })
    }

    /// Where the table was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that no other table opened by this process has; the key of caches.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What the table is about.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.parts.header
    }

    /// How the positions are cut into blocks.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.parts.geometry
    }

    /// The statistics in the file.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.parts.summary
    }

    /// Length of the file in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        to_u64(self.map.len())
    }

    /// Number of blocks in the file, all sides together.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.parts.geometry.blocks()
    }

    /// The values of a block of one side, in memory of their own.
    ///
    /// # Errors
    /// [`FormatError`]: damage, or [`FormatError::NoSuchBlock`].
    pub fn decode_block(&self, side: u8, block: u64) -> Result<DecodedBlock, FormatError> {
        let mut decoded = DecodedBlock::new();
        self.decode_block_into(side, block, &mut decoded)?;
        decoded.shrink();
        Ok(decoded)
    }

    /// The values of a block of one side, in memory that is used again. After an error `into` is
    /// empty.
    ///
    /// # Errors
    /// [`FormatError`]: damage, or [`FormatError::NoSuchBlock`].
    pub fn decode_block_into(&self, side: u8, block: u64, into: &mut DecodedBlock) -> Result<(), FormatError> {
        into.clear();
        let (index, positions, at, bytes) = self.compressed_block(side, block)?;
        into.decode(self.parts.geometry.metric(), bytes, positions, index, at)
    }

    /// Checks the checksum of the whole file and those of all blocks, in one pass. Reads every
    /// byte, decodes nothing.
    ///
    /// # Errors
    /// [`FormatError`]: the first damage. A damaged block is named.
    pub fn check_file(&self) -> Result<(), FormatError> {
        let parts = &self.parts;
        let mut hash = Xxh3::new();
        hash.update(self.bytes(0..parts.blocks_at, Section::Header)?);
        for index in 0..parts.geometry.blocks() {
            hash.update(self.checked_block(index)?.1);
        }
        let sum_at = parts.footer_at + FOOTER_FILE_SUM;
        for chunk in self.bytes(parts.summary_at..sum_at, Section::Summary)?.chunks(CHUNK_LEN) {
            hash.update(chunk);
        }
        let expected = read_u64(&self.map, sum_at, Section::Footer)?;
        let found = hash.digest();
        if found != expected {
            let offset = to_u64(parts.footer_at);
            return Err(FormatError::FileChecksum { offset, expected, found });
        }
        Ok(())
    }

    /// Number in the file, number of positions, offset and checked bytes of a block.
    fn compressed_block(&self, side: u8, block: u64) -> Result<(u64, u32, u64, &[u8]), FormatError> {
        let geometry = &self.parts.geometry;
        let found = geometry.block_index(side, block).and_then(|index| Some((index, geometry.positions_in(index)?)));
        let Some((index, positions)) = found else {
            return Err(FormatError::NoSuchBlock { side, block });
        };
        let (at, bytes) = self.checked_block(index)?;
        Ok((index, positions, at, bytes))
    }

    /// Offset and bytes of a block whose checksum is right.
    fn checked_block(&self, index: u64) -> Result<(u64, &[u8]), FormatError> {
        let (range, expected) = self.parts.block(&self.map, index)?;
        let section = Section::Block(index);
        let offset = to_u64(range.start);
        let bytes = self.bytes(range, section)?;
        let found = short_checksum(bytes);
        if found != expected {
            let (expected, found) = (expected.into(), found.into());
            return Err(FormatError::Checksum { section, offset, expected, found });
        }
        Ok((offset, bytes))
    }

    fn bytes(&self, range: Range<usize>, section: Section) -> Result<&[u8], FormatError> {
        slice(&self.map, range, section)
    }
}

fn map_file(path: &Path) -> io::Result<Mmap> {
    // Asked before opening, because opening a pipe waits for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let file = File::open(path)?;
    // SAFETY: A mapping is sound while nobody changes or shortens the file under it. Table files
    // are never modified in place: the writer fills a temporary file and renames it into place, so
    // a table that is replaced or removed keeps its old content for as long as it is mapped. That
    // leaves strangers who edit the file; all accesses through the map are bounds-checked slices
    // and nothing read is trusted, so that they see errors, and shortening the file stops the
    // process (SIGBUS) rather than giving it other memory.
    let map = unsafe { Mmap::map(&file) }?;
    Ok(map)
}

impl Parts {
    fn new(map: &[u8]) -> Result<Self, FormatError> {
        let header_len = check_start(map)?;
        let (header, geometry) = read_header(map, header_len)?;
        let blocks_at = START_LEN + header_len + SUM_LEN;

        // `check_start` saw to it that the file has room for all of start, header and footer.
        let footer_at = map.len() - FOOTER_LEN;
        check_sum(map, footer_at..footer_at + FOOTER_OWN_SUM, Section::Footer)?;
        let field = |place: usize, what| footer_field(map, footer_at, place, what);
        let summary_at = field(0, "the offset of the summary")?;
        let summary_len = field(8, "the length of the summary")?;
        let directory_at = field(16, "the offset of the directory")?;
        let directory_len = field(24, "the length of the directory")?;

        // The sections follow each other without gaps, so lengths determine all offsets; sums in
        // 64 bits cannot overflow, since the fields are no longer than the file.
        let mismatch = |place: usize, what, expected, found: usize| FormatError::Mismatch {
            section: Section::Footer,
            offset: to_u64(footer_at + place),
            what,
            expected,
            found: to_u64(found),
        };
        if summary_len > MAX_SUMMARY_LEN {
            let max = to_u64(MAX_SUMMARY_LEN);
            return Err(mismatch(8, "the length of the summary", max, summary_len));
        }
        let expected = geometry.blocks() * to_u64(ENTRY_LEN);
        if to_u64(directory_len) != expected {
            return Err(mismatch(24, "the length of the directory", expected, directory_len));
        }
        let expected = to_u64(summary_at) + to_u64(summary_len) + to_u64(SUM_LEN);
        if to_u64(directory_at) != expected {
            return Err(mismatch(16, "the offset of the directory", expected, directory_at));
        }
        let end = to_u64(directory_at) + to_u64(directory_len) + to_u64(SUM_LEN);
        if to_u64(footer_at) != end {
            return Err(mismatch(0, "the offset of the footer", end, footer_at));
        }
        if summary_at < blocks_at {
            let least = to_u64(blocks_at);
            return Err(mismatch(0, "the offset of the summary", least, summary_at));
        }

        let summary = read_summary(map, summary_at, summary_len, &geometry)?;
        let parts = Self { header, geometry, summary, blocks_at, summary_at, directory_at, footer_at };
        let directory = directory_at..directory_at + directory_len;
        check_sum(map, directory, Section::Directory)?;
        parts.check_blocks(map)?;
        Ok(parts)
    }

    /// Checks that the blocks fill the space between header and summary, one after the other.
    fn check_blocks(&self, map: &[u8]) -> Result<(), FormatError> {
        let first = self.entry(map, 0)?.0;
        if first != to_u64(self.blocks_at) {
            return Err(FormatError::Mismatch {
                section: Section::Directory,
                offset: to_u64(self.directory_at),
                what: "the offset of the first block",
                expected: to_u64(self.blocks_at),
                found: first,
            });
        }
        for index in 0..self.geometry.blocks() {
            self.block(map, index)?;
        }
        Ok(())
    }

    /// Where the block `index` of the file is, and its checksum. The range is not empty and lies
    /// between header and summary; the directory is read anew from the map, so this is checked
    /// every time.
    fn block(&self, map: &[u8], index: u64) -> Result<(Range<usize>, u32), FormatError> {
        let (start, sum) = self.entry(map, index)?;
        let next = index + 1;
        let end = if next < self.geometry.blocks() { self.entry(map, next)?.0 } else { to_u64(self.summary_at) };
        let start_ok = (to_u64(self.blocks_at)..end).contains(&start);
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        match range {
            Some((start, end)) if start_ok && end <= self.summary_at => Ok((start..end, sum)),
            _ => Err(FormatError::Mismatch {
                section: Section::Block(index),
                offset: start,
                what: "the end of the block",
                expected: start.saturating_add(1),
                found: end,
            }),
        }
    }

    /// Offset and checksum of a block, as the directory has them.
    fn entry(&self, map: &[u8], index: u64) -> Result<(u64, u32), FormatError> {
        let section = Section::Directory;
        let at = usize::try_from(index)
            .ok()
            .and_then(|index| index.checked_mul(ENTRY_LEN))
            .and_then(|place| place.checked_add(self.directory_at))
            .filter(|&at| at < self.footer_at)
            .ok_or(FormatError::Mismatch {
                section,
                offset: to_u64(self.directory_at),
                what: "the number of a block",
                expected: self.geometry.blocks() - 1,
                found: index,
            })?;
        Ok((read_u64(map, at, section)?, read_u32(map, at + 8, section)?))
    }
}

/// Checks both ends of the file and returns the length of the header.
fn check_start(map: &[u8]) -> Result<usize, FormatError> {
    let section = Section::Start;
    let known = map.len().min(START_MARK.len());
    if map[..known] != START_MARK[..known] {
        // A file that ends like a table was one.
        return Err(match map.ends_with(&END_MARK) {
            true => FormatError::StartMark,
            false => FormatError::NotATable,
        });
    }
    let least = START_LEN + SUM_LEN + FOOTER_LEN;
    let too_short = FormatError::Truncated { section, offset: 0, expected: to_u64(least), found: to_u64(map.len()) };
    // Other versions may be shorter than this one, but not than start and end.
    let mark_at = map.len().checked_sub(END_MARK.len()).filter(|_| map.len() >= 2 * TAIL_LEN);
    let Some(mark_at) = mark_at else {
        return Err(too_short);
    };
    if map[mark_at..] != END_MARK {
        return Err(FormatError::EndMark { offset: to_u64(mark_at) });
    }
    let version = read_u32(map, START_MARK.len(), section)?;
    let version_at = map.len() - TAIL_LEN;
    let last_version = read_u32(map, version_at, Section::Footer)?;
    if version != last_version {
        return Err(FormatError::Mismatch {
            section: Section::Footer,
            offset: to_u64(version_at),
            what: "the version",
            expected: version.into(),
            found: last_version.into(),
        });
    }
    if version != VERSION {
        return Err(FormatError::OtherVersion { found: version, expected: VERSION });
    }
    if map.len() < least {
        return Err(too_short);
    }

    let found = read_u32(map, START_MARK.len() + 4, section)?;
    let max = MAX_HEADER_LEN.min(map.len() - least);
    usize::try_from(found).ok().filter(|&len| len <= max).ok_or(FormatError::Mismatch {
        section,
        offset: to_u64(START_MARK.len() + 4),
        what: "the length of the header, at most",
        expected: to_u64(max),
        found: found.into(),
    })
}

fn read_header(map: &[u8], len: usize) -> Result<(Header, Geometry), FormatError> {
    let section = Section::Header;
    let offset = to_u64(START_LEN);
    check_sum(map, 0..START_LEN + len, section)?;
    let raw = wire::decode_header(slice(map, START_LEN..START_LEN + len, section)?)
        .map_err(|reason| FormatError::Decode { section, offset, length: to_u64(len), reason })?;
    let checked = Header::try_from(raw).and_then(|header| {
        let geometry = Geometry::new(&header)?;
        Ok((header, geometry))
    });
    checked.map_err(|cause| match cause {
        HeaderFault::Metric { .. } => FormatError::Unsupported { section, offset, cause },
        _ => FormatError::Field { section, offset, cause },
    })
}

fn read_summary(map: &[u8], at: usize, len: usize, geometry: &Geometry) -> Result<Summary, FormatError> {
    let section = Section::Summary;
    let offset = to_u64(at);
    check_sum(map, at..at + len, section)?;
    let under_limit = geometry.metric().is_under_limit();
    let raw = wire::decode_summary(slice(map, at..at + len, section)?, under_limit)
        .map_err(|reason| FormatError::Decode { section, offset, length: to_u64(len), reason })?;
    let summary = Summary::from(raw);
    summary.check(geometry).map_err(|cause| FormatError::Field { section, offset, cause })?;
    Ok(summary)
}

/// An offset or length of the footer. None is longer than the file.
fn footer_field(map: &[u8], footer_at: usize, place: usize, what: &'static str) -> Result<usize, FormatError> {
    let section = Section::Footer;
    let found = read_u64(map, footer_at + place, section)?;
    usize::try_from(found).ok().filter(|&field| field <= footer_at).ok_or_else(|| {
        let (offset, expected) = (to_u64(footer_at + place), to_u64(footer_at));
        FormatError::Mismatch { section, offset, what, expected, found }
    })
}

/// Checks the checksum that follows a section.
fn check_sum(map: &[u8], range: Range<usize>, section: Section) -> Result<(), FormatError> {
    let offset = to_u64(range.start);
    let expected = read_u64(map, range.end, section)?;
    let found = checksum(slice(map, range, section)?);
    if found != expected {
        return Err(FormatError::Checksum { section, offset, expected, found });
    }
    Ok(())
}

fn slice(map: &[u8], range: Range<usize>, section: Section) -> Result<&[u8], FormatError> {
    map.get(range.clone()).ok_or(FormatError::Truncated {
        section,
        offset: to_u64(range.start),
        expected: to_u64(range.end),
        found: to_u64(map.len()),
    })
}

fn read_u64(map: &[u8], at: usize, section: Section) -> Result<u64, FormatError> {
    let bytes = slice(map, at..at.saturating_add(8), section)?;
    Ok(bytes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)))
}

fn read_u32(map: &[u8], at: usize, section: Section) -> Result<u32, FormatError> {
    let bytes = slice(map, at..at.saturating_add(4), section)?;
    Ok(bytes.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes)))
}
