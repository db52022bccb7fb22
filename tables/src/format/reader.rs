//! Reads table files. Nothing in a file is trusted: whatever its bytes are, the outcome is a value
//! the writer stored or an error.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3;

use super::block::DecodedBlock;
use super::content::{Access, Content};
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
    content: Content,
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
    /// Opens and maps a table, and checks everything in it but the blocks: marks, versions, the checksums of header, summary,
    /// directory and footer, and all offsets.
    ///
    /// The caller has a duty: while the table is open, nobody may shorten the file or write to it; to replace it by another
    /// file of its name is fine, and [`TableWriter`](super::TableWriter) does that. Bytes that change are noticed, but on most
    /// systems the process is stopped when it reads behind the end of a mapped file that became shorter. Where that cannot
    /// be ruled out, see [`TableFile::open_with`] and [`Access::Read`].
    ///
    /// # Errors
    /// [`OpenError`]; its [`kind`](OpenError::kind) tells a missing file, a failing system, a file
    /// that is no table, another version of the format, damage and unsupported tables apart.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, Access::Map)
    }

    /// As [`TableFile::open`], with a choice of how the file is read.
    ///
    /// # Errors
    /// As [`TableFile::open`].
    pub fn open_with(path: impl AsRef<Path>, access: Access) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let failed = |cause| OpenError::Io { path: path.to_owned(), cause: Arc::new(cause) };
        let mut content = Content::open(path, access).map_err(failed)?;
        let parts = Parts::new(&mut content).map_err(|cause| cause.at(path))?;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let id = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Self { path: path.to_owned(), id, content, parts })
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
        to_u64(self.content.len())
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
        let geometry = &self.parts.geometry;
        let found = geometry.block_index(side, block).and_then(|index| Some((index, geometry.positions_in(index)?)));
        let Some((index, positions)) = found else {
            return Err(FormatError::NoSuchBlock { side, block });
        };
        let (at, bytes) = self.checked_block(index)?;
        into.decode(geometry.metric(), &bytes, positions, index, at)
    }

    /// Checks the checksum of the whole file and those of all blocks, in one pass. Reads every
    /// byte, decodes nothing.
    ///
    /// # Errors
    /// [`FormatError`]: the first damage. A damaged block is named.
    pub fn check_file(&self) -> Result<(), FormatError> {
        let parts = &self.parts;
        let mut hash = Xxh3::new();
        hash.update(&self.content.slice(0..parts.blocks_at, Section::Header)?);
        for index in 0..parts.geometry.blocks() {
            hash.update(&self.checked_block(index)?.1);
        }
        let sum_at = parts.footer_at + FOOTER_FILE_SUM;
        for chunk in self.content.slice(parts.summary_at..sum_at, Section::Summary)?.chunks(CHUNK_LEN) {
            hash.update(chunk);
        }
        let expected = self.content.u64(sum_at, Section::Footer)?;
        let found = hash.digest();
        if found != expected {
            let offset = to_u64(parts.footer_at);
            return Err(FormatError::FileChecksum { offset, expected, found });
        }
        Ok(())
    }

    /// Offset and bytes of a block whose checksum is right.
    fn checked_block(&self, index: u64) -> Result<(u64, Cow<'_, [u8]>), FormatError> {
        let (range, expected) = self.parts.block(&self.content, index)?;
        let section = Section::Block(index);
        let offset = to_u64(range.start);
        let bytes = self.content.slice(range, section)?;
        let found = short_checksum(&bytes);
        if found != expected {
            let (expected, found) = (expected.into(), found.into());
            return Err(FormatError::Checksum { section, offset, expected, found });
        }
        Ok((offset, bytes))
    }
}

impl Parts {
    fn new(content: &mut Content) -> Result<Self, FormatError> {
        let header_len = check_start(content)?;
        let (header, geometry) = read_header(content, header_len)?;
        let blocks_at = START_LEN + header_len + SUM_LEN;

        // `check_start` saw to it that the file has room for all of start, header and footer.
        let footer_at = content.len() - FOOTER_LEN;
        check_sum(content, footer_at..footer_at + FOOTER_OWN_SUM, Section::Footer)?;
        let field = |place: usize, what| footer_field(content, footer_at, place, what);
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

        content.keep_all_but(blocks_at..summary_at);
        let summary = read_summary(content, summary_at, summary_len, &geometry)?;
        let parts = Self { header, geometry, summary, blocks_at, summary_at, directory_at, footer_at };
        let directory = directory_at..directory_at + directory_len;
        check_sum(content, directory, Section::Directory)?;
        parts.check_blocks(content)?;
        Ok(parts)
    }

    /// Checks that the blocks fill the space between header and summary, one after the other.
    fn check_blocks(&self, content: &Content) -> Result<(), FormatError> {
        let first = self.entry(content, 0)?.0;
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
            self.block(content, index)?;
        }
        Ok(())
    }

    /// Where the block `index` of the file is, and its checksum. The range is not empty and lies
    /// between header and summary; the directory is read anew from the content, so this is checked
    /// every time.
    fn block(&self, content: &Content, index: u64) -> Result<(Range<usize>, u32), FormatError> {
        let (start, sum) = self.entry(content, index)?;
        let next = index + 1;
        let end = if next < self.geometry.blocks() { self.entry(content, next)?.0 } else { to_u64(self.summary_at) };
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
    fn entry(&self, content: &Content, index: u64) -> Result<(u64, u32), FormatError> {
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
        Ok((content.u64(at, section)?, content.u32(at + 8, section)?))
    }
}

/// Checks both ends of the file and returns the length of the header.
fn check_start(content: &Content) -> Result<usize, FormatError> {
    let section = Section::Start;
    let known = content.len().min(START_MARK.len());
    if *content.slice(0..known, section)? != START_MARK[..known] {
        // A file that ends like a table was one.
        let end = content.len().saturating_sub(END_MARK.len())..content.len();
        return Err(match *content.slice(end, Section::Footer)? == END_MARK {
            true => FormatError::StartMark,
            false => FormatError::NotATable,
        });
    }
    let least = START_LEN + SUM_LEN + FOOTER_LEN;
    let too_short =
        FormatError::Truncated { section, offset: 0, expected: to_u64(least), found: to_u64(content.len()) };
    // Other versions may be shorter than this one, but not than start and end.
    let mark_at = content.len().checked_sub(END_MARK.len()).filter(|_| content.len() >= 2 * TAIL_LEN);
    let Some(mark_at) = mark_at else {
        return Err(too_short);
    };
    if *content.slice(mark_at..content.len(), Section::Footer)? != END_MARK {
        return Err(FormatError::EndMark { offset: to_u64(mark_at) });
    }
    let version = content.u32(START_MARK.len(), section)?;
    let version_at = content.len() - TAIL_LEN;
    let last_version = content.u32(version_at, Section::Footer)?;
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
    if content.len() < least {
        return Err(too_short);
    }

    let found = content.u32(START_MARK.len() + 4, section)?;
    let max = MAX_HEADER_LEN.min(content.len() - least);
    usize::try_from(found).ok().filter(|&len| len <= max).ok_or(FormatError::Mismatch {
        section,
        offset: to_u64(START_MARK.len() + 4),
        what: "the length of the header, at most",
        expected: to_u64(max),
        found: found.into(),
    })
}

fn read_header(content: &Content, len: usize) -> Result<(Header, Geometry), FormatError> {
    let section = Section::Header;
    let offset = to_u64(START_LEN);
    check_sum(content, 0..START_LEN + len, section)?;
    let raw = wire::decode_header(&content.slice(START_LEN..START_LEN + len, section)?)
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

fn read_summary(content: &Content, at: usize, len: usize, geometry: &Geometry) -> Result<Summary, FormatError> {
    let section = Section::Summary;
    let offset = to_u64(at);
    check_sum(content, at..at + len, section)?;
    let under_limit = geometry.metric().is_under_limit();
    let raw = wire::decode_summary(&content.slice(at..at + len, section)?, under_limit)
        .map_err(|reason| FormatError::Decode { section, offset, length: to_u64(len), reason })?;
    let summary = Summary::from(raw);
    summary.check(geometry).map_err(|cause| FormatError::Field { section, offset, cause })?;
    Ok(summary)
}

/// An offset or length of the footer. None is longer than the file.
fn footer_field(content: &Content, footer_at: usize, place: usize, what: &'static str) -> Result<usize, FormatError> {
    let section = Section::Footer;
    let found = content.u64(footer_at + place, section)?;
    usize::try_from(found).ok().filter(|&field| field <= footer_at).ok_or_else(|| {
        let (offset, expected) = (to_u64(footer_at + place), to_u64(footer_at));
        FormatError::Mismatch { section, offset, what, expected, found }
    })
}

/// Checks the checksum that follows a section.
fn check_sum(content: &Content, range: Range<usize>, section: Section) -> Result<(), FormatError> {
    let offset = to_u64(range.start);
    let expected = content.u64(range.end, section)?;
    let found = checksum(&content.slice(range, section)?);
    if found != expected {
        return Err(FormatError::Checksum { section, offset, expected, found });
    }
    Ok(())
}
