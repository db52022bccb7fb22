//! One block: codes to compressed bytes and back.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

use super::error::{BlockError, FormatError, Section};
use super::{ESCAPE, MAX_BLOCK_LEN, MAX_CODE, short_checksum, to_u64};
use crate::value::{Metric, Packing};

/// Bytes of an exception.
const EXCEPTION_LEN: usize = 4;
/// Positions in a byte of a win/draw/loss block.
const WDL_PER_BYTE: usize = 4;
/// Greatest code of a win/draw/loss block.
const MAX_WDL_CODE: u8 = 2;

/// A block ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressedBlock {
    packed: bool,
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

    /// Whether it has two bits for each position, as in a table without distances; else it has codes.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.packed
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
    let positions = block_positions(codes)?;
    let escapes = count_escapes(codes);
    if escapes != exceptions.len() {
        let found = exceptions.len();
        return Err(BlockError::ExceptionCount { expected: escapes, found });
    }
    let small = exceptions.iter().position(|&code| !is_exception(code));
    if let Some(index) = small {
        return Err(BlockError::ExceptionCode { index, code: exceptions[index] });
    }
    if exceptions.is_empty() {
        return compress(false, codes, positions, level);
    }
    let mut payload = Vec::with_capacity(codes.len() + EXCEPTION_LEN * exceptions.len());
    payload.extend_from_slice(codes);
    payload.extend(exceptions.iter().flat_map(|code| code.to_le_bytes()));
    compress(false, &payload, positions, level)
}

/// Compresses the positions of one win/draw/loss block at a zstd level.
///
/// `codes` holds a byte per position: 0 for a draw, 1 for a loss, 2 for a win. Calls are independent of each other and of
/// threads: the same input gives the same bytes.
///
/// # Errors
/// [`BlockError`] if a code is another one or their number is out of the bounds of a block.
pub fn compress_wdl_block(codes: &[u8], level: i32) -> Result<CompressedBlock, BlockError> {
    let positions = block_positions(codes)?;
    if let Some(index) = codes.iter().position(|&code| code > MAX_WDL_CODE) {
        return Err(BlockError::WdlCode { index, code: codes[index] });
    }
    let pack = |codes: &[u8]| codes.iter().rev().fold(0, |byte, code| byte << 2 | code);
    let payload: Vec<u8> = codes.chunks(WDL_PER_BYTE).map(pack).collect();
    compress(true, &payload, positions, level)
}

/// The number of positions of a block with a code for each.
fn block_positions(codes: &[u8]) -> Result<u32, BlockError> {
    match u32::try_from(codes.len()) {
        Ok(positions @ 1..=MAX_BLOCK_LEN) => Ok(positions),
        _ => Err(BlockError::Length { found: codes.len() }),
    }
}

/// Levels from 5 to 12 (from 4 on for short blocks) search with hashes that zstd salts anew each time a context is used, so
/// that a context used again could give other bytes for the same input. Up to this level it does not.
const LAST_LEVEL_WITHOUT_SALT: i32 = 3;

thread_local! {
    /// A context and its level. To make and clear one takes a third as long as to compress a block of usual length.
    static COMPRESSOR: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
}

fn compress(packed: bool, payload: &[u8], positions: u32, level: i32) -> Result<CompressedBlock, BlockError> {
    let compressed = if level <= LAST_LEVEL_WITHOUT_SALT {
        COMPRESSOR.with_borrow_mut(|kept| {
            let mut compressor = match kept.take() {
                Some((other, compressor)) if other == level => compressor,
                _ => Compressor::new(level)?,
            };
            let compressed = compressor.compress(payload);
            *kept = Some((level, compressor));
            compressed
        })
    } else {
        zstd::bulk::compress(payload, level)
    };
    let bytes = compressed.map_err(|error| BlockError::Compressor { reason: error.to_string() })?;
    let checksum = short_checksum(&bytes);
    Ok(CompressedBlock { packed, bytes, positions, checksum })
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
    /// The content as it stands in the file, without the exceptions.
    bytes: Vec<u8>,
    /// Place in the block and code of every escape, by place.
    exceptions: Vec<(u32, u32)>,
    positions: u32,
    /// Whether four positions share a byte, as in a win/draw/loss block.
    packed: bool,
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
        usize::try_from(self.positions).unwrap_or(usize::MAX)
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions == 0
    }

    /// The content: one byte per position, where 255 stands for an exception; in a win/draw/loss block two bits per
    /// position.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends one byte per position, where 255 stands for an exception, whatever the block is packed like.
    pub fn append_codes(&self, codes: &mut Vec<u8>) {
        if !self.packed {
            codes.extend_from_slice(&self.bytes);
            return;
        }
        let end = codes.len() + self.len();
        codes.extend(self.bytes.iter().flat_map(|&byte| [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6]));
        codes.truncate(end);
    }

    /// Place in the block and code of every exception, by place.
    #[must_use]
    pub fn exceptions(&self) -> &[(u32, u32)] {
        &self.exceptions
    }

    /// Code of the position at this place of the block; `None` past its end.
    #[must_use]
    pub fn code(&self, place: u32) -> Option<u32> {
        let place_in_memory = usize::try_from(place).ok()?;
        if self.packed {
            let byte = self.bytes.get(place_in_memory / WDL_PER_BYTE).filter(|_| place < self.positions)?;
            return Some((byte >> (2 * (place % 4)) & 3).into());
        }
        let byte = *self.bytes.get(place_in_memory)?;
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
        self.positions = 0;
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
        metric: Metric,
        compressed: &[u8],
        positions: u32,
        index: u64,
        offset: u64,
    ) -> Result<(), FormatError> {
        self.clear();
        self.packed = metric.packing() == Packing::TwoBits;
        let result = self.try_decode(compressed, positions, index, offset);
        match result {
            Ok(()) => self.positions = positions,
            Err(_) => self.clear(),
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
        if self.packed {
            let expected = positions.div_ceil(WDL_PER_BYTE);
            if size != expected {
                return Err(mismatch("the size of the content", expected, size));
            }
            self.bytes.reserve_exact(size);
            let written = decompress(compressed, &mut self.bytes).map_err(undecodable)?;
            if written != size || self.bytes.len() != size {
                return Err(mismatch("the size of the content", size, written));
            }
            return check_wdl(&self.bytes, positions).map_err(undecodable);
        }
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

/// Checks that no position of a win/draw/loss block has the value 3 and that nothing follows the last one.
fn check_wdl(bytes: &[u8], positions: usize) -> Result<(), String> {
    // Both bits of a position: all bytes are looked at, so that the compiler uses whole vectors.
    let threes = bytes.iter().fold(0, |threes, byte| threes | (byte & byte >> 1 & 0b0101_0101));
    if threes != 0 {
        return Err("a position has the value 3, expected 0 to 2".to_owned());
    }
    let used = positions % WDL_PER_BYTE;
    match bytes.last() {
        Some(last) if used > 0 && last >> (2 * used) != 0 => Err("bits behind the last position are not 0".to_owned()),
        _ => Ok(()),
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
