//! The serialised structs. This is the only file that knows how they are coded.
//!
//! The raw structs are plain integers and strings; [`header`](super::header) turns them into the
//! types that the rest of the program uses. The order of the fields is the format. Tables whose values depend on a limit of
//! plies without a capture have a few fields more; they stand after the others, so that all metrics share the rest.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::{Decode, Encode};

use super::{MAX_HEADER_LEN, MAX_SUMMARY_LEN};
use crate::value::Metric;

/// The header as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawHeader {
    pub fields: RawFields,
    /// 0 where the metric does not depend on the limit.
    pub quiet_limit: u32,
}

impl RawFields {
    /// Whether the fields about the limit follow. Not with a metric that is not known: the header is refused later.
    fn under_limit(&self) -> bool {
        Metric::from_code(self.metric).is_some_and(Metric::is_under_limit)
    }
}

/// The fields of the headers of all metrics.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct RawFields {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawSummary {
    pub sides: Vec<RawSideSummary>,
    /// One for each side where the metric depends on the limit; otherwise none.
    pub limited: Vec<RawLimited>,
}

/// What a limit changes on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Default)]
pub(super) struct RawLimited {
    pub spoilt_wins: u64,
    pub saved_losses: u64,
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

fn encode<T: Encode, const N: usize>(into: &mut Vec<u8>, value: &T) -> Result<(), String> {
    into.append(&mut bincode::encode_to_vec(value, config::<N>()).map_err(|error| error.to_string())?);
    // The limit of the configuration binds the decoder only.
    if into.len() > N {
        return Err(format!("{} bytes, at most {N} allowed", into.len()));
    }
    Ok(())
}

/// Takes a value from the front of some bytes.
fn decode<T: Decode<()>, const N: usize>(bytes: &mut &[u8]) -> Result<T, String> {
    let (value, used) = bincode::decode_from_slice(bytes, config::<N>()).map_err(|error| error.to_string())?;
    *bytes = bytes.get(used..).unwrap_or_default();
    Ok(value)
}

/// That no bytes are left of so many.
fn all_used(left: &[u8], of: usize) -> Result<(), String> {
    if left.is_empty() { Ok(()) } else { Err(format!("{} of {of} bytes used", of - left.len())) }
}

/// The bytes of a header, or why there are none.
pub(super) fn encode_header(header: &RawHeader) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    encode::<_, MAX_HEADER_LEN>(&mut bytes, &header.fields)?;
    if header.fields.under_limit() {
        encode::<_, MAX_HEADER_LEN>(&mut bytes, &header.quiet_limit)?;
    }
    Ok(bytes)
}

/// A header out of exactly these bytes, or what is wrong with them.
pub(super) fn decode_header(bytes: &[u8]) -> Result<RawHeader, String> {
    let mut left = bytes;
    let fields: RawFields = decode::<_, MAX_HEADER_LEN>(&mut left)?;
    let quiet_limit = if fields.under_limit() { decode::<_, MAX_HEADER_LEN>(&mut left)? } else { 0 };
    all_used(left, bytes.len())?;
    Ok(RawHeader { fields, quiet_limit })
}

/// The bytes of a summary, or why there are none.
pub(super) fn encode_summary(summary: &RawSummary) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    encode::<_, MAX_SUMMARY_LEN>(&mut bytes, &summary.sides)?;
    for limited in &summary.limited {
        encode::<_, MAX_SUMMARY_LEN>(&mut bytes, limited)?;
    }
    Ok(bytes)
}

/// A summary out of exactly these bytes, or what is wrong with them; `under_limit` says whether the fields about the limit
/// follow.
pub(super) fn decode_summary(bytes: &[u8], under_limit: bool) -> Result<RawSummary, String> {
    let mut left = bytes;
    let sides: Vec<RawSideSummary> = decode::<_, MAX_SUMMARY_LEN>(&mut left)?;
    let count = if under_limit { sides.len() } else { 0 };
    let limited = (0..count).map(|_| decode::<_, MAX_SUMMARY_LEN>(&mut left)).collect::<Result<_, _>>()?;
    all_used(left, bytes.len())?;
    Ok(RawSummary { sides, limited })
}
