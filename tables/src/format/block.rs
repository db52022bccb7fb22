//! One block: codes to compressed bytes and back.

use std::cell::RefCell;

use thiserror::Error;
use zstd::bulk::Decompressor;
use zstd::zstd_safe;

use super::error::{FormatError, Section};
use super::{ESCAPE, MAX_BLOCK_LEN, MAX_CODE, short_checksum, to_u64};

/// Bytes of an exception.
const EXCEPTION_LEN: usize = 4;

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
    /// The compressor failed.
    #[error("zstd: {reason}")]
    Compressor {
        /// What it said.
        reason: String,
    },
}

/// A block ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressedBlock {
    bytes: Vec<u8>,
    positions: u32,
    checksum: u32,
}

impl CompressedBlock {
    /// The compressed bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Positions in the block.
    #[must_use]
    pub fn positions(&self) -> u32 {
        self.positions
    }

    /// Low half of the checksum of the compressed bytes.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum
    }
}

/// Splits full codes into the bytes and exceptions that [`compress_block`] takes.
#[must_use]
pub fn split_codes(codes: &[u32]) -> (Vec<u8>, Vec<u32>) {
    let mut exceptions = Vec::new();
    let bytes = codes
        .iter()
        .map(|&code| match u8::try_from(code) {
            Ok(byte) if byte != ESCAPE => byte,
            _ => {
                exceptions.push(code);
                ESCAPE
            }
        })
        .collect();
    (bytes, exceptions)
}

/// Compresses the positions of one block at a zstd level (0 is the default of zstd).
///
/// `codes` holds a byte per position, 255 for each code of `exceptions`, which come in the same
/// order. Calls are independent of each other and of threads: the same input gives the same bytes.
///
/// # Errors
/// [`BlockError`] if the two do not fit each other or the bounds of a block.
pub fn compress_block(codes: &[u8], exceptions: &[u32], level: i32) -> Result<CompressedBlock, BlockError> {
    let positions = match u32::try_from(codes.len()) {
        Ok(positions @ 1..=MAX_BLOCK_LEN) => positions,
        _ => return Err(BlockError::Length { found: codes.len() }),
    };
    let escapes = count_escapes(codes);
    if escapes != exceptions.len() {
        let found = exceptions.len();
        return Err(BlockError::ExceptionCount { expected: escapes, found });
    }
    let small = exceptions.iter().position(|&code| !is_exception(code));
    if let Some(index) = small {
        return Err(BlockError::ExceptionCode { index, code: exceptions[index] });
    }
    // A fresh context for every block: zstd salts the hashes of a context that is used again (row
    // match finder, levels 5 to 12), so a reused one could give other bytes for the same input.
    let compressed = if exceptions.is_empty() {
        zstd::bulk::compress(codes, level)
    } else {
        let mut payload = Vec::with_capacity(codes.len() + EXCEPTION_LEN * exceptions.len());
        payload.extend_from_slice(codes);
        payload.extend(exceptions.iter().flat_map(|code| code.to_le_bytes()));
        zstd::bulk::compress(&payload, level)
    };
    let bytes = compressed.map_err(|error| BlockError::Compressor { reason: error.to_string() })?;
    let checksum = short_checksum(&bytes);
    Ok(CompressedBlock { bytes, positions, checksum })
}

/// Whether a code may stand in an exception section.
fn is_exception(code: u32) -> bool {
    (u32::from(ESCAPE)..=MAX_CODE).contains(&code)
}

fn count_escapes(codes: &[u8]) -> usize {
    // Counting in bytes over short runs lets the compiler use whole vectors.
    codes.chunks(255).map(|run| usize::from(run.iter().map(|&code| u8::from(code == ESCAPE)).sum::<u8>())).sum()
}

/// The values of a block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecodedBlock {
    bytes: Vec<u8>,
    /// Place in the block and code of every escape, by place.
    exceptions: Vec<(u32, u32)>,
}

impl DecodedBlock {
    /// An empty block, to decode into.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// One byte per position; 255 stands for an exception.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Place in the block and code of every exception, by place.
    #[must_use]
    pub fn exceptions(&self) -> &[(u32, u32)] {
        &self.exceptions
    }

    /// Code of the position at this place of the block; `None` past its end.
    #[must_use]
    pub fn code(&self, place: u32) -> Option<u32> {
        let byte = *self.bytes.get(usize::try_from(place).ok()?)?;
        if byte != ESCAPE {
            return Some(byte.into());
        }
        let found = self.exceptions.binary_search_by_key(&place, |&(place, _)| place).ok()?;
        self.exceptions.get(found).map(|&(_, code)| code)
    }

    /// Bytes of memory that the block takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.bytes.capacity() + self.exceptions.capacity() * size_of::<(u32, u32)>()
    }

    /// Removes all positions and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.exceptions.clear();
    }

    /// Gives back memory that the values do not need.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.exceptions.shrink_to_fit();
    }

    /// Takes the values of a block of `positions` positions out of its compressed bytes, which are
    /// at `offset` in the file. On an error the block is left empty.
    pub(super) fn decode(
        &mut self,
        compressed: &[u8],
        positions: u32,
        index: u64,
        offset: u64,
    ) -> Result<(), FormatError> {
        self.clear();
        let result = self.try_decode(compressed, positions, index, offset);
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn try_decode(&mut self, compressed: &[u8], positions: u32, index: u64, offset: u64) -> Result<(), FormatError> {
        let section = Section::Block(index);
        let undecodable =
            |reason: String| FormatError::Decode { section, offset, length: to_u64(compressed.len()), reason };
        let mismatch = |what, expected, found| FormatError::Mismatch {
            section,
            offset,
            what,
            expected: to_u64(expected),
            found: to_u64(found),
        };
        let positions = usize::try_from(positions).map_err(|e| undecodable(e.to_string()))?;
        let size = frame_size(compressed).map_err(undecodable)?;
        let exceptions = match size.checked_sub(positions) {
            Some(rest) if rest.is_multiple_of(EXCEPTION_LEN) => rest / EXCEPTION_LEN,
            _ => return Err(mismatch("the size of the content", positions, size)),
        };
        // Before any memory is taken: a frame may claim any size.
        if exceptions > positions {
            return Err(mismatch("the number of exceptions", positions, exceptions));
        }
        self.bytes.reserve_exact(size);
        let written = decompress(compressed, &mut self.bytes).map_err(undecodable)?;
        if written != size || self.bytes.len() != size {
            return Err(mismatch("the size of the content", size, written));
        }

        let (codes, tail) = self.bytes.split_at(positions);
        let escapes = count_escapes(codes);
        if escapes != exceptions {
            return Err(mismatch("the number of exceptions", escapes, exceptions));
        }
        if exceptions > 0 {
            self.exceptions.reserve_exact(exceptions);
            let places = (0u32..).zip(codes).filter(|&(_, &code)| code == ESCAPE);
            let (tail, _) = tail.as_chunks::<EXCEPTION_LEN>();
            for ((place, _), code) in places.zip(tail) {
                let code = u32::from_le_bytes(*code);
                if !is_exception(code) {
                    return Err(undecodable(format!("exception {code}, expected 255 to {MAX_CODE}")));
                }
                self.exceptions.push((place, code));
            }
            self.bytes.truncate(positions);
        }
        Ok(())
    }
}

/// Content size that the frame states, after a check that the frame fills `compressed`.
fn frame_size(compressed: &[u8]) -> Result<usize, String> {
    let used =
        zstd_safe::find_frame_compressed_size(compressed).map_err(|code| zstd_safe::get_error_name(code).to_owned())?;
    if used != compressed.len() {
        return Err(format!("the zstd frame ends after {used} bytes"));
    }
    let size = zstd_safe::get_frame_content_size(compressed)
        .map_err(|_| "no valid zstd frame".to_owned())?
        .ok_or("the zstd frame states no content size")?;
    usize::try_from(size).map_err(|error| error.to_string())
}

/// Decompresses into the spare capacity of `into`, with a context kept for each thread.
fn decompress(compressed: &[u8], into: &mut Vec<u8>) -> Result<usize, String> {
    thread_local! {
        static CONTEXT: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|slot| {
        let context = match slot {
            Some(context) => context,
            None => slot.insert(Decompressor::new().map_err(|error| error.to_string())?),
        };
        context.decompress_to_buffer(compressed, into).map_err(|error| error.to_string())
    })
}
