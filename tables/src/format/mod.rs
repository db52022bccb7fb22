//! Table files: the format, its writer and its reader.
//!
//! This page is the specification; a reader can be written from it and nothing else. Nothing in it depends on
//! the rules of the game: a table is, for one or two sides to move, an array of values, and what a
//! position number means is the business of whoever reads the header.
//!
//! # Conventions
//!
//! All integers are unsigned and little endian. Offsets count bytes from the start of the file.
//! *Checksum* means xxh3-64 with seed 0 and the default secret. There is no padding: sections
//! follow each other without gaps, and every bit of a file is covered by a checksum or compared
//! with the one value it may have.
//!
//! # Values
//!
//! A value is draw, or a win or loss of the side to move with its distance in plies. Its **code**
//! is a number from 0 to 2 147 483 647 (2^31 - 1); [`Value`](crate::value::Value) converts it:
//!
//! | code | value |
//! | --- | --- |
//! | 0 | draw |
//! | odd | loss in `code - 1` plies (an even number; code 1 is a position already lost) |
//! | even, not 0 | win in `code - 1` plies (an odd number) |
//!
//! In a block a code up to 254 is one byte. The byte 255 is an **escape**: the code (255 or more)
//! stands among the exceptions of the block. So distances of any size are exact.
//!
//! A table of metric 1 knows no distances. There a code is 0 for a draw, 1 for a loss and 2 for a win: the least codes
//! with that meaning.
//!
//! In a table of metric 2 the distances are plies to the next capture that keeps the win, or to the end of the game, under
//! the limit of plies without a capture that the header names. There a code is one of a [`Dtc`](crate::value::Dtc), the value of
//! a position that follows a capture or begins a game:
//!
//! | code | value |
//! | --- | --- |
//! | 0 | draw |
//! | 1 | a cursed win: the limit makes it a draw |
//! | 2 | a blessed loss: the limit makes it a draw |
//! | odd, from 3 on | loss, with `(code - 3) / 2` plies to the next capture or the end |
//! | even, from 4 on | win, with `(code - 4) / 2` plies to the next capture or the end |
//!
//! # The file
//!
//! | section | length in bytes |
//! | --- | --- |
//! | start | 16 |
//! | header | `H`, then its checksum, 8 |
//! | blocks | sum of their lengths |
//! | summary | `S`, then its checksum, 8 |
//! | directory | `12 * N`, then its checksum, 8 |
//! | footer | 60 |
//!
//! ## Start
//!
//! | offset | length | content |
//! | --- | --- | --- |
//! | 0 | 8 | start mark, ASCII `DSQTABLE` |
//! | 8 | 4 | version of the format, 1 |
//! | 12 | 4 | `H`, at most 65 536 |
//!
//! In every version of the format the first 12 bytes are a start mark and a version, and the last
//! 12 bytes are the same version and an end mark. A file whose two versions agree on another number
//! is of another version; if they disagree it is damaged.
//!
//! ## Header, at offset 16
//!
//! Strings are UTF-8 of at most 4 096 bytes without control characters, preceded by their length in
//! bytes.
//!
//! | length | content |
//! | --- | --- |
//! | 8 + n | name of the rule set |
//! | 8 | fingerprint of the rule set |
//! | 8 + n | material (class) |
//! | 1 | metric: 0 = plies to the end of the game; 1 = win/draw/loss; 2 = plies to the next capture |
//! | 8 | number of pieces `P`, at most 64 |
//! | 5 * `P` | per piece, in index order: side (1 byte, 0 or 1), letter (4 bytes, a Unicode scalar value that is no control character) |
//! | 1 | files of the board, not 0 |
//! | 1 | ranks of the board, not 0 |
//! | 1 | 1 if mirror images share a position number, else 0 |
//! | 1 | sides to move in the file, 1 or 2 |
//! | 8 | positions per side, not 0 |
//! | 4 | positions per block `B`, 1 to 1 048 576 |
//! | 8 + n | program and version that wrote the file |
//! | 4 | only with metric 2: the limit of plies without a capture, 0 for none, at most 1 000 000 000 |
//!
//! The fields fill `H` exactly. Then follows the checksum of the bytes `0..16 + H`. The header
//! holds no time and nothing else that varies: the same table gives the same bytes.
//!
//! ## Blocks, at offset `24 + H`
//!
//! Each side has `ceil(positions / B)` blocks, and `N` is that times the number of sides. First
//! come all blocks of side 0, then all of side 1; each block holds `B` positions in order of their
//! numbers, the last of a side what is left. Every block is one zstd frame (RFC 8878) that states
//! its content size, has no dictionary and fills the block exactly. Its content with metric 0 or 2:
//!
//! | length | content |
//! | --- | --- |
//! | positions of the block | one byte each: code, or 255 |
//! | 4 * number of bytes 255 | their codes, in order; each 255 to 2^31 - 1 |
//!
//! With metric 1:
//!
//! | length | content |
//! | --- | --- |
//! | `ceil(positions of the block / 4)` | two bits for each position, the first in the lowest bits: code 0, 1 or 2 |
//!
//! Two bits of the value 3 are damage, and so are bits behind the last position that are not 0.
//!
//! ## Summary, right after the last block
//!
//! | length | content |
//! | --- | --- |
//! | 8 | number of sides, as in the header |
//! | per side | |
//! | 8 | positions, mirror images counted |
//! | 8 | won |
//! | 8 | drawn |
//! | 8 | lost |
//! | 8 | lost for want of a legal move (stalemates) |
//! | 1 or 13 | longest win: 0 if there is none; else 1, plies (4), number of one such position (8) |
//! | 1 or 13 | longest loss: likewise |
//! | only with metric 2, per side, after the last of the above | |
//! | 8 | cursed wins; not among won |
//! | 8 | blessed losses; not among lost |
//!
//! Plies are less than 2^31 - 1, position numbers less than the positions per side; with metric 1 there is neither a longest
//! win nor a longest loss. Then follows the checksum of the `S` bytes of the summary.
//!
//! ## Directory, at offset summary + `S` + 8
//!
//! Per block, in file order:
//!
//! | length | content |
//! | --- | --- |
//! | 8 | offset of the block |
//! | 4 | low 32 bits of the checksum of its compressed bytes |
//!
//! The first offset is `24 + H`, they increase, and a block ends where the next one or the summary
//! starts. Then follows the checksum of the `12 * N` bytes.
//!
//! ## Footer, the last 60 bytes, at offset directory + `12 * N` + 8
//!
//! | offset | length | content |
//! | --- | --- | --- |
//! | 0 | 8 | offset of the summary |
//! | 8 | 8 | `S`, at most 4 096 |
//! | 16 | 8 | offset of the directory |
//! | 24 | 8 | `12 * N` |
//! | 32 | 8 | checksum of all bytes of the file before this field |
//! | 40 | 8 | checksum of the 40 bytes of the footer before this field |
//! | 48 | 4 | version, as at the start |
//! | 52 | 8 | end mark, ASCII `DSQTBEND` |

mod block;
mod content;
mod error;
mod header;
mod reader;
mod wire;
mod writer;

#[cfg(test)]
mod tests;

pub use block::{CompressedBlock, DecodedBlock, compress_block, compress_wdl_block, split_codes};
pub use content::Access;
pub use error::{BlockError, ErrorKind, FormatError, OpenError, Section, WriteError};
pub use header::{Geometry, Header, HeaderFault, HeaderPiece, Longest, SideSummary, Summary};
pub use reader::TableFile;
pub use writer::{TableWriter, UnnamedTable};

pub use crate::rules::MAX_QUIET_LIMIT;
pub use crate::value::Metric;

/// First bytes of a table file.
pub const START_MARK: [u8; 8] = *b"DSQTABLE";
/// Last bytes of a table file.
pub const END_MARK: [u8; 8] = *b"DSQTBEND";
/// Version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;
/// The byte of a block that stands for a code of the exception section.
pub const ESCAPE: u8 = 255;
/// Greatest code. Far past any distance, and low enough that a few plies more do not overflow.
pub const MAX_CODE: u32 = 0x7fff_ffff;
/// Most positions a block may hold.
pub const MAX_BLOCK_LEN: u32 = 1 << 20;

/// Bytes before the header: start mark, version, length of the header.
const START_LEN: usize = 16;
/// Length of a checksum.
const SUM_LEN: usize = 8;
/// Bytes of a directory entry.
const ENTRY_LEN: usize = 12;
/// Bytes of the footer.
const FOOTER_LEN: usize = 60;
/// Place of the whole-file checksum in the footer.
const FOOTER_FILE_SUM: usize = 32;
/// Place of the footer's own checksum in the footer.
const FOOTER_OWN_SUM: usize = 40;
/// Bytes at the end of a file, in any version: version and end mark.
const TAIL_LEN: usize = 12;
/// Longest header.
const MAX_HEADER_LEN: usize = 1 << 16;
/// Longest summary.
const MAX_SUMMARY_LEN: usize = 1 << 12;

/// Checksum of `bytes`, as the format defines it.
fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// The low 32 bits of [`checksum`], as the directory holds them.
fn short_checksum(bytes: &[u8]) -> u32 {
    let [a, b, c, d, ..] = checksum(bytes).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A length in memory as the format writes it; no machine has lengths past 64 bits.
fn to_u64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
