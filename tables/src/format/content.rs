//! The bytes of a file: mapped, or read where they are asked for.

use super::error::{FormatError, Section};
use super::{FOOTER_LEN, MAX_HEADER_LEN, START_LEN, SUM_LEN, to_u64};
use memmap2::Mmap;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;

/// How a table file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Access {
    /// It is mapped into memory. The fastest; the file must not become shorter while it is open (see
    /// [`TableFile::open`](super::TableFile::open)).
    #[default]
    Map,
    /// Blocks are read from the file each time they are decoded. Whatever happens to the file is an error of the table that
    /// is read, and nothing worse.
    Read,
}

/// The bytes of an open file.
#[derive(Debug)]
pub(super) enum Content {
    Map(Mmap),
    Read(Parts),
}

/// A file with its start and its end in memory.
#[derive(Debug)]
pub(super) struct Parts {
    file: File,
    len: usize,
    start: Vec<u8>,
    end: Vec<u8>,
}

impl Content {
    pub(super) fn open(path: &Path, access: Access) -> io::Result<Content> {
        // Asked before opening, because opening a pipe waits for its other end.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(path)?;
        match access {
            Access::Map => {
                // SAFETY: A mapping is sound while nobody changes or shortens the file under it. Table files are never modified
                // in place: the writer fills a temporary file and renames it into place, so a table that is replaced or
                // removed keeps its old content for as long as it is mapped. That leaves strangers who edit the file, which
                // the constructor tells its callers to rule out; all accesses through the map are bounds-checked slices and
                // nothing read is trusted, so that they see errors, and shortening the file stops the process (SIGBUS)
                // rather than giving it other memory.
                let map = unsafe { Mmap::map(&file) }?;
                Ok(Content::Map(map))
            }
            Access::Read => {
                let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
                let mut start = vec![0; len.min(START_LEN + MAX_HEADER_LEN + SUM_LEN)];
                read_at(&file, &mut start, 0)?;
                let mut parts = Parts { file, len, start, end: Vec::new() };
                parts.keep_end(FOOTER_LEN)?;
                Ok(Content::Read(parts))
            }
        }
    }

    /// Bytes of the file when it was opened.
    pub(super) fn len(&self) -> usize {
        match self {
            Content::Map(map) => map.len(),
            Content::Read(parts) => parts.len,
        }
    }

    /// Keeps everything but a range in memory, if the file is not mapped. What cannot be read is left for the look-up that
    /// needs it to report.
    pub(super) fn keep_all_but(&mut self, range: Range<usize>) {
        if let Content::Read(parts) = self {
            parts.start.truncate(range.start);
            parts.start.shrink_to_fit();
            let _ = parts.keep_end(parts.len.saturating_sub(range.end));
        }
    }

    /// Some bytes of a section.
    pub(super) fn slice(&self, range: Range<usize>, section: Section) -> Result<Cow<'_, [u8]>, FormatError> {
        let offset = to_u64(range.start);
        let cut_off =
            |len: usize| FormatError::Truncated { section, offset, expected: to_u64(range.end), found: to_u64(len) };
        let parts = match self {
            Content::Map(map) => {
                return map.get(range.clone()).map(Cow::Borrowed).ok_or_else(|| cut_off(map.len()));
            }
            Content::Read(parts) => parts,
        };
        if range.start > range.end || range.end > parts.len {
            return Err(cut_off(parts.len));
        }
        let end_at = parts.len - parts.end.len();
        if let Some(bytes) = parts.start.get(range.clone()) {
            return Ok(Cow::Borrowed(bytes));
        }
        if let Some(bytes) = range.start.checked_sub(end_at).and_then(|from| parts.end.get(from..range.end - end_at)) {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = vec![0; range.len()];
        match read_at(&parts.file, &mut bytes, offset) {
            Ok(()) => Ok(Cow::Owned(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(cut_off(parts.file.metadata().map_or(0, |now| usize::try_from(now.len()).unwrap_or(usize::MAX))))
            }
            Err(error) => {
                let length = to_u64(range.len());
                Err(FormatError::Unreadable { section, offset, length, reason: error.to_string() })
            }
        }
    }

    pub(super) fn u64(&self, at: usize, section: Section) -> Result<u64, FormatError> {
        let bytes = self.slice(at..at.saturating_add(8), section)?;
        Ok(bytes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)))
    }

    pub(super) fn u32(&self, at: usize, section: Section) -> Result<u32, FormatError> {
        let bytes = self.slice(at..at.saturating_add(4), section)?;
        Ok(bytes.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes)))
    }
}

impl Parts {
    fn keep_end(&mut self, len: usize) -> io::Result<()> {
        let len = len.min(self.len);
        let mut end = vec![0; len];
        read_at(&self.file, &mut end, to_u64(self.len - len))?;
        self.end = end;
        Ok(())
    }
}

/// Fills a buffer from a place of a file, whatever other threads read.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Fills a buffer from a place of a file, whatever other threads read.
#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += to_u64(read);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Other systems have no positioned reads in the standard library.
#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
