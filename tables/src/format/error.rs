//! What can go wrong with a table file. Every message is one line.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::header::HeaderFault;
use super::{MAX_BLOCK_LEN, MAX_CODE};

/// A part of a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// Start mark, version and length of the header.
    Start,
    /// The header and its checksum.
    Header,
    /// The block of this number, counted over the file.
    Block(u64),
    /// The summary and its checksum.
    Summary,
    /// The directory of the blocks and its checksum.
    Directory,
    /// The footer.
    Footer,
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Section::Start => f.write_str("start"),
            Section::Header => f.write_str("header"),
            Section::Block(index) => write!(f, "block {index}"),
            Section::Summary => f.write_str("summary"),
            Section::Directory => f.write_str("directory"),
            Section::Footer => f.write_str("footer"),
        }
    }
}

/// What the caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// There is no such file.
    NotFound,
    /// The system could not open, map or write it.
    Io,
    /// It is not a table at all.
    NotATable,
    /// It is a table of a version of the format that this crate does not read.
    OtherVersion,
    /// It is a table that was cut off or changed.
    Damaged,
    /// It is a sound table that needs something this crate lacks.
    Unsupported,
    /// The caller asked for something that cannot be, such as a position out of range.
    Usage,
}

/// A fault of a table file, without the path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file does not begin with the start mark.
    #[error("start at byte 0: not a table, the file does not begin with \"DSQTABLE\"")]
    NotATable,
    /// The start mark is wrong, but the file ends like a table.
    #[error("start, offset 0: the start mark is damaged; the end mark is that of a table")]
    StartMark,
    /// The file is of another version of the format.
    #[error("start at byte 8: version {found} of the format, expected {expected}")]
    OtherVersion {
        /// Version of the file.
        found: u32,
        /// The version this crate reads.
        expected: u32,
    },
    /// The header is sound but asks for what this crate lacks.
    #[error("{section} at byte {offset}: {cause}")]
    Unsupported {
        /// Where.
        section: Section,
        /// Start of the section.
        offset: u64,
        /// What it asks for.
        cause: HeaderFault,
    },
    /// The file ends too early.
    #[error("{section} at byte {offset}: the file ends at byte {found}, expected {expected} or more")]
    Truncated {
        /// Where.
        section: Section,
        /// Start of the section.
        offset: u64,
        /// Least length of the file.
        expected: u64,
        /// Its length.
        found: u64,
    },
    /// Bytes do not have the checksum that the file states.
    #[error("{section} at byte {offset}: checksum {found:#x}, expected {expected:#x}")]
    Checksum {
        /// What the checksum is about.
        section: Section,
        /// Start of that section.
        offset: u64,
        /// The checksum in the file.
        expected: u64,
        /// The checksum of the bytes.
        found: u64,
    },
    /// The whole file does not have the checksum of the footer.
    #[error("footer at byte {offset}: checksum of the file is {found:#x}, expected {expected:#x}")]
    FileChecksum {
        /// Start of the footer.
        offset: u64,
        /// The checksum in the footer.
        expected: u64,
        /// The checksum of the bytes.
        found: u64,
    },
    /// A number is not what the rest of the file calls for.
    #[error("{section} at byte {offset}: {what} is {found}, expected {expected}")]
    Mismatch {
        /// Where.
        section: Section,
        /// Start of the section, or of the number.
        offset: u64,
        /// Which number.
        what: &'static str,
        /// What it has to be.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// The file does not end with the end mark.
    #[error("footer at byte {offset}: the end mark \"DSQTBEND\" is missing, the file was cut off or changed")]
    EndMark {
        /// Where the mark should be.
        offset: u64,
    },
    /// A field of header or summary is out of its bounds.
    #[error("{section} at byte {offset}: {cause}")]
    Field {
        /// Where.
        section: Section,
        /// Start of the section.
        offset: u64,
        /// What is wrong.
        cause: HeaderFault,
    },
    /// The system failed to read bytes.
    #[error("{section} at byte {offset}: cannot read {length} bytes: {reason}")]
    Unreadable {
        /// Where.
        section: Section,
        /// Start of the bytes.
        offset: u64,
        /// How many bytes.
        length: u64,
        /// What the system said.
        reason: String,
    },
    /// Bytes cannot be decoded.
    #[error("{section} at byte {offset}: cannot decode {length} bytes: {reason}")]
    Decode {
        /// Where.
        section: Section,
        /// Start of the section.
        offset: u64,
        /// How many bytes.
        length: u64,
        /// What the decoder said.
        reason: String,
    },
    /// The caller asked for a block that the table does not have.
    #[error("the table has no block {block} of side {side}")]
    NoSuchBlock {
        /// Side to move.
        side: u8,
        /// Block of that side.
        block: u64,
    },
    /// The caller asked for a position that the table does not have.
    #[error("the table has no position {position} of side {side}")]
    NoSuchPosition {
        /// Side to move.
        side: u8,
        /// Position number.
        position: u64,
    },
}

impl FormatError {
    /// What the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            FormatError::NotATable => ErrorKind::NotATable,
            FormatError::OtherVersion { .. } => ErrorKind::OtherVersion,
            FormatError::Unsupported { .. } => ErrorKind::Unsupported,
            FormatError::Unreadable { .. } => ErrorKind::Io,
            FormatError::Truncated { .. }
            | FormatError::Checksum { .. }
            | FormatError::FileChecksum { .. }
            | FormatError::Mismatch { .. }
            | FormatError::StartMark
            | FormatError::EndMark { .. }
            | FormatError::Field { .. }
            | FormatError::Decode { .. } => ErrorKind::Damaged,
            FormatError::NoSuchBlock { .. } | FormatError::NoSuchPosition { .. } => ErrorKind::Usage,
        }
    }

    /// Whether the file was cut off or changed.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.kind() == ErrorKind::Damaged
    }

    /// The same error with the path of the file.
    #[must_use]
    pub fn at(self, path: &Path) -> OpenError {
        OpenError::Format { path: path.to_owned(), cause: self }
    }
}

/// Why a table could not be opened or read, with its path.
///
/// The message includes the cause, so `source()` is empty: a printer of error chains would say it
/// twice.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The system said no.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: Arc<io::Error>,
    },
    /// The content is at fault.
    #[error("{}: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: FormatError,
    },
}

impl OpenError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            OpenError::Io { path, .. } | OpenError::Format { path, .. } => path,
        }
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            OpenError::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound => ErrorKind::NotFound,
            OpenError::Io { .. } => ErrorKind::Io,
            OpenError::Format { cause, .. } => cause.kind(),
        }
    }

    /// Whether the file was cut off or changed.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.kind() == ErrorKind::Damaged
    }
}

/// Why codes cannot become a block. These are mistakes of the caller, but for the last.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockError {
    /// No positions, or more than [`MAX_BLOCK_LEN`].
    #[error("{found} positions, expected 1 to {MAX_BLOCK_LEN}")]
    Length {
        /// How many there are.
        found: usize,
    },
    /// The number of exceptions is not the number of bytes 255.
    #[error("{found} exceptions, expected {expected}, the number of bytes 255")]
    ExceptionCount {
        /// Number of bytes 255.
        expected: usize,
        /// Number of exceptions.
        found: usize,
    },
    /// An exception fits a byte, so it is none, or is past [`MAX_CODE`].
    #[error("exception {index} is {code}, expected 255 to {MAX_CODE}")]
    ExceptionCode {
        /// Which exception.
        index: usize,
        /// Its code.
        code: u32,
    },
    /// A code of a win/draw/loss block is neither 0 (draw) nor 1 (loss) nor 2 (win).
    #[error("position {index} has code {code}, expected 0 to 2")]
    WdlCode {
        /// Which position of the block.
        index: usize,
        /// Its code.
        code: u8,
    },
    /// The compressor failed.
    #[error("zstd: {reason}")]
    Compressor {
        /// What it said.
        reason: String,
    },
}

/// Why a table could not be written, with its path. As in [`OpenError`], the message is complete.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system said no: disk full, folder read-only and the like.
    #[error("{}: cannot {action}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// The header or summary is out of bounds.
    #[error("{}: cannot write {section}: {cause}", path.display())]
    Field {
        /// The table.
        path: PathBuf,
        /// Header or summary.
        section: Section,
        /// What is wrong.
        cause: HeaderFault,
    },
    /// Header or summary could not be coded.
    #[error("{}: cannot write {section}: {reason}", path.display())]
    Encode {
        /// The table.
        path: PathBuf,
        /// Header or summary.
        section: Section,
        /// What the coder said.
        reason: String,
    },
    /// A block could not be compressed.
    #[error("{}: cannot compress block {index}: {cause}", path.display())]
    Block {
        /// The table.
        path: PathBuf,
        /// Number of the block in the file.
        index: u64,
        /// What is wrong.
        cause: BlockError,
    },
    /// The blocks do not fit the header.
    #[error("{}: {what} is {found}, expected {expected}", path.display())]
    Mismatch {
        /// The table.
        path: PathBuf,
        /// Which number.
        what: &'static str,
        /// What the header calls for.
        expected: u64,
        /// What was given.
        found: u64,
    },
    /// An earlier call failed, so the file cannot be completed.
    #[error("{}: an earlier write failed", path.display())]
    Failed {
        /// The table.
        path: PathBuf,
    },
}

impl WriteError {
    /// The file or folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            WriteError::Io { path, .. }
            | WriteError::Field { path, .. }
            | WriteError::Encode { path, .. }
            | WriteError::Block { path, .. }
            | WriteError::Mismatch { path, .. }
            | WriteError::Failed { path } => path,
        }
    }

    /// What the system said, if it was the system.
    #[must_use]
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            WriteError::Io { cause, .. } => Some(cause),
            _ => None,
        }
    }
}
