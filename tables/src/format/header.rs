//! What a table says about itself: header and summary, checked.

use thiserror::Error;

use super::wire::{RawFields, RawHeader, RawLimited, RawPiece, RawSideSummary, RawSummary};
use super::{MAX_BLOCK_LEN, MAX_CODE, MAX_QUIET_LIMIT, to_u64};
use crate::value::Metric;

/// Longest string of a header, in bytes.
const MAX_STRING_LEN: usize = 4096;
/// Most pieces a header can list.
const MAX_PIECES: usize = 64;

/// A piece of the material of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeaderPiece {
    /// Owner of the piece, 0 or 1.
    pub side: u8,
    /// Letter of the kind of piece in the rule set.
    pub letter: char,
}

/// What a table is about.
///
/// The fields are open so that a generator can fill them; [`Geometry::new`] checks them, and the
/// writer and the reader let no header through that it refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Name of the rule set.
    pub rules_name: String,
    /// Fingerprint of the rule set. The format stores it; comparing it is the caller's duty.
    pub fingerprint: u64,
    /// Material, such as `RL-E`: the representative of its class.
    pub material: String,
    /// What the distances count.
    pub metric: Metric,
    /// The pieces in the order of the index.
    pub pieces: Vec<HeaderPiece>,
    /// Files of the board.
    pub files: u8,
    /// Ranks of the board.
    pub ranks: u8,
    /// Whether left-right mirror images share a position number.
    pub mirror: bool,
    /// Sides to move that the file holds, 1 or 2.
    pub sides: u8,
    /// Position numbers per side to move.
    pub positions: u64,
    /// Positions per block, 1 to [`MAX_BLOCK_LEN`].
    pub block_len: u32,
    /// Program and version that wrote the file.
    pub generator: String,
    /// The limit of plies without a capture that the values hold under, 0 for none. Only a table
    /// whose values depend on it has one; see [`Metric::is_under_limit`].
    pub quiet_limit: u32,
}

/// Why a header is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderFault {
    /// A string or list is too long.
    #[error("{field} has length {found}, at most {max} allowed")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length: bytes of a string, entries of a list.
        found: usize,
        /// The bound.
        max: usize,
    },
    /// A number is out of its range.
    #[error("{field} is {found}, expected {min} to {max}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The least value allowed.
        min: u64,
        /// The greatest value allowed.
        max: u64,
    },
    /// A string holds a control character, which could garble a terminal.
    #[error("{field} holds a control character")]
    ControlCharacter {
        /// The field.
        field: &'static str,
    },
    /// The letter of a piece is not a Unicode scalar value.
    #[error("letter {found:#x} of a piece is not a character")]
    Letter {
        /// The number found.
        found: u32,
    },
    /// The metric is not one this crate reads.
    #[error("metric {found} is not supported, expected {}", known_metrics())]
    Metric {
        /// The number found.
        found: u8,
    },
}

/// The metrics that there are, by their numbers in a file.
fn known_metrics() -> String {
    let metrics = Metric::ALL.map(|metric| format!("{} ({})", metric.code(), metric.descriptor().counts));
    match metrics.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn in_range(field: &'static str, found: u64, min: u64, max: u64) -> Result<(), HeaderFault> {
    if (min..=max).contains(&found) { Ok(()) } else { Err(HeaderFault::OutOfRange { field, found, min, max }) }
}

fn at_most(field: &'static str, found: usize, max: usize) -> Result<(), HeaderFault> {
    if found <= max { Ok(()) } else { Err(HeaderFault::TooLong { field, found, max }) }
}

fn good_string(field: &'static str, text: &str) -> Result<(), HeaderFault> {
    at_most(field, text.len(), MAX_STRING_LEN)?;
    if text.chars().any(char::is_control) {
        return Err(HeaderFault::ControlCharacter { field });
    }
    Ok(())
}

impl TryFrom<RawHeader> for Header {
    type Error = HeaderFault;

    fn try_from(raw: RawHeader) -> Result<Self, HeaderFault> {
        let RawHeader { fields: raw, quiet_limit } = raw;
        in_range("mirror", raw.mirror.into(), 0, 1)?;
        let piece = |piece: &RawPiece| match char::from_u32(piece.letter) {
            Some(letter) => Ok(HeaderPiece { side: piece.side, letter }),
            None => Err(HeaderFault::Letter { found: piece.letter }),
        };
        let header = Header {
            metric: Metric::from_code(raw.metric).ok_or(HeaderFault::Metric { found: raw.metric })?,
            pieces: raw.pieces.iter().map(piece).collect::<Result<_, _>>()?,
            mirror: raw.mirror == 1,
            rules_name: raw.rules_name,
            fingerprint: raw.fingerprint,
            material: raw.material,
            files: raw.files,
            ranks: raw.ranks,
            sides: raw.sides,
            positions: raw.positions,
            block_len: raw.block_len,
            generator: raw.generator,
            quiet_limit,
        };
        Geometry::new(&header)?;
        Ok(header)
    }
}

impl From<&Header> for RawHeader {
    fn from(header: &Header) -> Self {
        let piece = |piece: &HeaderPiece| RawPiece { side: piece.side, letter: u32::from(piece.letter) };
        let fields = RawFields {
            rules_name: header.rules_name.clone(),
            fingerprint: header.fingerprint,
            material: header.material.clone(),
            metric: header.metric.code(),
            pieces: header.pieces.iter().map(piece).collect(),
            files: header.files,
            ranks: header.ranks,
            mirror: header.mirror.into(),
            sides: header.sides,
            positions: header.positions,
            block_len: header.block_len,
            generator: header.generator.clone(),
        };
        RawHeader { fields, quiet_limit: header.quiet_limit }
    }
}

/// How the positions of a table are cut into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    metric: Metric,
    sides: u8,
    positions: u64,
    block_len: u32,
    blocks_per_side: u64,
    blocks: u64,
}

impl Geometry {
    /// Checks all fields of a header and works out the blocks.
    ///
    /// # Errors
    /// The first field that is out of its bounds.
    pub fn new(header: &Header) -> Result<Self, HeaderFault> {
        good_string("the name of the rule set", &header.rules_name)?;
        good_string("the material", &header.material)?;
        good_string("the generator", &header.generator)?;
        at_most("the list of pieces", header.pieces.len(), MAX_PIECES)?;
        for piece in &header.pieces {
            in_range("the side of a piece", piece.side.into(), 0, 1)?;
            if piece.letter.is_control() {
                return Err(HeaderFault::ControlCharacter { field: "the letter of a piece" });
            }
        }
        in_range("the number of files", header.files.into(), 1, 255)?;
        in_range("the number of ranks", header.ranks.into(), 1, 255)?;
        in_range("the number of sides", header.sides.into(), 1, 2)?;
        // A side takes more than a byte per block and files end below 2^63; this bound keeps all
        // later sums within 64 bits.
        in_range("the number of positions", header.positions, 1, u64::MAX / 64)?;
        in_range("the block length", header.block_len.into(), 1, MAX_BLOCK_LEN.into())?;
        let limit = if header.metric.is_under_limit() { MAX_QUIET_LIMIT } else { 0 };
        in_range("the limit of plies without a capture", header.quiet_limit.into(), 0, limit.into())?;
        let blocks_per_side = header.positions.div_ceil(header.block_len.into());
        Ok(Self {
            metric: header.metric,
            sides: header.sides,
            positions: header.positions,
            block_len: header.block_len,
            blocks_per_side,
            blocks: blocks_per_side * u64::from(header.sides),
        })
    }

    /// What the distances count, which decides about the form of the blocks.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Sides to move, 1 or 2.
    #[must_use]
    pub fn sides(&self) -> u8 {
        self.sides
    }

    /// Positions per side.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Positions in a full block.
    #[must_use]
    pub fn block_len(&self) -> u32 {
        self.block_len
    }

    /// Blocks of one side.
    #[must_use]
    pub fn blocks_per_side(&self) -> u64 {
        self.blocks_per_side
    }

    /// Blocks of the file.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Position in the file, counted in blocks, of block `block` of side `side`; `None` if there is
    /// no such block.
    #[must_use]
    pub fn block_index(&self, side: u8, block: u64) -> Option<u64> {
        (side < self.sides && block < self.blocks_per_side).then(|| u64::from(side) * self.blocks_per_side + block)
    }

    /// Positions in the block number `index` of the file, at least 1; `None` if there is no such
    /// block.
    #[must_use]
    pub fn positions_in(&self, index: u64) -> Option<u32> {
        if index >= self.blocks {
            return None;
        }
        let before = (index % self.blocks_per_side) * u64::from(self.block_len);
        u32::try_from((self.positions - before).min(self.block_len.into())).ok()
    }

    /// Block of the side, and place in it, of a position; `None` if there is no such position.
    #[must_use]
    pub fn locate(&self, side: u8, position: u64) -> Option<(u64, u32)> {
        if side >= self.sides || position >= self.positions {
            return None;
        }
        let len = u64::from(self.block_len);
        Some((position / len, u32::try_from(position % len).ok()?))
    }
}

/// The longest win or loss of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Longest {
    /// Distance in plies.
    pub plies: u32,
    /// Number of a position that has it.
    pub position: u64,
}

/// Counts over the positions with one side to move. Mirror images count as positions of their own;
/// the writer stores what the generator counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SideSummary {
    /// All positions.
    pub positions: u64,
    /// Positions won for the side to move.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Positions lost for the side to move.
    pub lost: u64,
    /// Positions without a legal move.
    pub stalemates: u64,
    /// Cursed wins: positions that would be won but for the limit. They are not counted as won, and only a table whose values
    /// depend on the limit has any.
    pub spoilt_wins: u64,
    /// Blessed losses: positions that would be lost but for the limit. They are not counted as lost, and only a table whose
    /// values depend on the limit has any.
    pub saved_losses: u64,
    /// The longest win, if there is a win.
    pub longest_win: Option<Longest>,
    /// The longest loss, if there is a loss.
    pub longest_loss: Option<Longest>,
}

/// Statistics of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Summary {
    /// One entry per side of the file.
    pub sides: Vec<SideSummary>,
}

impl Summary {
    /// Checks the summary against the table it is about.
    pub(super) fn check(&self, geometry: &Geometry) -> Result<(), HeaderFault> {
        let sides = u64::from(geometry.sides);
        in_range("the number of sides", to_u64(self.sides.len()), sides, sides)?;
        for side in &self.sides {
            let most = if geometry.metric.is_under_limit() { u64::MAX } else { 0 };
            in_range("the number of spoilt wins", side.spoilt_wins, 0, most)?;
            in_range("the number of saved losses", side.saved_losses, 0, most)?;
            for longest in [side.longest_win, side.longest_loss].into_iter().flatten() {
                let lines = u64::from(geometry.metric.has_distances());
                in_range("the number of longest lines", 1, 0, lines)?;
                in_range("the plies of the longest line", longest.plies.into(), 0, u64::from(MAX_CODE) - 1)?;
                let last = geometry.positions - 1;
                in_range("the number of a position", longest.position, 0, last)?;
            }
        }
        Ok(())
    }
}

impl From<RawSummary> for Summary {
    fn from(raw: RawSummary) -> Self {
        let longest = |(plies, position)| Longest { plies, position };
        let limited = raw.limited.into_iter().chain(std::iter::repeat(RawLimited::default()));
        let side = |(side, limited): (RawSideSummary, RawLimited)| SideSummary {
            positions: side.positions,
            won: side.won,
            drawn: side.drawn,
            lost: side.lost,
            stalemates: side.stalemates,
            spoilt_wins: limited.spoilt_wins,
            saved_losses: limited.saved_losses,
            longest_win: side.longest_win.map(longest),
            longest_loss: side.longest_loss.map(longest),
        };
        Summary { sides: raw.sides.into_iter().zip(limited).map(side).collect() }
    }
}

impl Summary {
    /// As it stands in a table of the metric.
    pub(super) fn to_raw(&self, metric: Metric) -> RawSummary {
        let longest = |longest: Longest| (longest.plies, longest.position);
        let raw = |side: &SideSummary| RawSideSummary {
            positions: side.positions,
            won: side.won,
            drawn: side.drawn,
            lost: side.lost,
            stalemates: side.stalemates,
            longest_win: side.longest_win.map(longest),
            longest_loss: side.longest_loss.map(longest),
        };
        let limited =
            |side: &SideSummary| RawLimited { spoilt_wins: side.spoilt_wins, saved_losses: side.saved_losses };
        let with_limit = if metric.is_under_limit() { &self.sides[..] } else { &[] };
        RawSummary { sides: self.sides.iter().map(raw).collect(), limited: with_limit.iter().map(limited).collect() }
    }
}
