//! The serialised structs. This is the only file that knows how they are coded.
//!
//! The raw structs are plain integers and strings; [`header`](super::header) turns them into the
//! types that the rest of the program uses. The order of the fields is the format.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::{Decode, Encode};

use super::{MAX_HEADER_LEN, MAX_SUMMARY_LEN};

/// The header as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct RawHeader {
    pub rules_name: String,
    pub fingerprint: u64,
    pub material: String,
    pub metric: u8,
    pub pieces: Vec<RawPiece>,
    pub files: u8,
    pub ranks: u8,
    pub mirror: u8,
    pub sides: u8,
    pub positions: u64,
    pub block_len: u32,
    pub generator: String,
}

/// A piece of the header.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct RawPiece {
    pub side: u8,
    pub letter: u32,
}

/// The summary as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct RawSummary {
    pub sides: Vec<RawSideSummary>,
}

/// One side of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct RawSideSummary {
    pub positions: u64,
    pub won: u64,
    pub drawn: u64,
    pub lost: u64,
    pub stalemates: u64,
    /// Plies and position number.
    pub longest_win: Option<(u32, u64)>,
    pub longest_loss: Option<(u32, u64)>,
}

/// Fixed-width little-endian integers, and no more than `N` bytes read or allocated.
const fn config<const N: usize>() -> Configuration<LittleEndian, Fixint, Limit<N>> {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<N>()
}

fn encode<T: Encode, const N: usize>(value: &T) -> Result<Vec<u8>, String> {
    let bytes = bincode::encode_to_vec(value, config::<N>()).map_err(|error| error.to_string())?;
    // The limit of the configuration binds the decoder only.
    if bytes.len() > N {
        return Err(format!("{} bytes, at most {N} allowed", bytes.len()));
    }
    Ok(bytes)
}

fn decode<T: Decode<()>, const N: usize>(bytes: &[u8]) -> Result<T, String> {
    let (value, used) = bincode::decode_from_slice(bytes, config::<N>()).map_err(|error| error.to_string())?;
    if used != bytes.len() {
        return Err(format!("{used} of {} bytes used", bytes.len()));
    }
    Ok(value)
}

/// The bytes of a header, or why there are none.
pub(super) fn encode_header(header: &RawHeader) -> Result<Vec<u8>, String> {
    encode::<_, MAX_HEADER_LEN>(header)
}

/// A header out of exactly these bytes, or what is wrong with them.
pub(super) fn decode_header(bytes: &[u8]) -> Result<RawHeader, String> {
    decode::<_, MAX_HEADER_LEN>(bytes)
}

/// The bytes of a summary, or why there are none.
pub(super) fn encode_summary(summary: &RawSummary) -> Result<Vec<u8>, String> {
    encode::<_, MAX_SUMMARY_LEN>(summary)
}

/// A summary out of exactly these bytes, or what is wrong with them.
pub(super) fn decode_summary(bytes: &[u8]) -> Result<RawSummary, String> {
    decode::<_, MAX_SUMMARY_LEN>(bytes)
}
