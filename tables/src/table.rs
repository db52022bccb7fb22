//! One table: a class and the file that holds its values.

use crate::board::Side;
use crate::cache::BlockCache;
use crate::class::Class;
use crate::error::TablebaseError;
use crate::format::{FormatError, Header, HeaderPiece, Summary, TableFile};
use crate::rules::Rules;
use crate::value::Metric;
use std::path::Path;
use std::sync::Arc;

/// How many positions a block holds in the tables this crate's users make by default.
pub const DEFAULT_BLOCK_LEN: u32 = 1 << 15;

/// What the file with the distances to win of a class has to say about itself.
#[must_use]
pub fn header_of(rules: &Rules, class: &Class, block_len: u32) -> Header {
    header_with(rules, class, Metric::default(), block_len)
}

/// What the file of a class and metric has to say about itself.
#[must_use]
pub fn header_with(rules: &Rules, class: &Class, metric: Metric, block_len: u32) -> Header {
    let piece = |piece: crate::rules::Piece| HeaderPiece {
        side: if piece.side == Side::White { 0 } else { 1 },
        letter: rules.letter(piece.animal),
    };
    Header {
        rules_name: rules.name().to_owned(),
        fingerprint: metric.fingerprint(rules),
        material: class.name().to_owned(),
        metric,
        pieces: class.index().pieces().map(piece).collect(),
        files: rules.board().files(),
        ranks: rules.board().ranks(),
        mirror: class.index().has_mirror(),
        sides: if class.is_symmetric() { 1 } else { 2 },
        positions: class.index().size(),
        block_len,
        generator: concat!("dsq ", env!("CARGO_PKG_VERSION")).to_owned(),
        quiet_limit: metric.limit(rules).unwrap_or(0),
    }
}

/// An open table. All methods take `&self` and can be called from many threads.
#[derive(Debug)]
pub struct Table {
    class: Arc<Class>,
    file: TableFile,
    cache: Arc<BlockCache>,
}

impl Table {
    /// Opens the table of a class with values of a metric and compares it with the rules. For the duty of the caller see
    /// [`TableFile::open`].
    ///
    /// # Errors
    /// [`TablebaseError`]: missing, damaged, of another version, of another rule set, or not the table of this class.
    pub fn open(
        path: impl AsRef<Path>,
        rules: &Rules,
        class: &Arc<Class>,
        metric: Metric,
        cache: &Arc<BlockCache>,
    ) -> Result<Table, TablebaseError> {
        let file = TableFile::open(path).map_err(TablebaseError::File)?;
        Table::new(file, rules, class, metric, cache)
    }

    /// The table of a class with values of a metric in an open file, once it is compared with the rules.
    ///
    /// # Errors
    /// [`TablebaseError`]: of another rule set, or not the table of this class.
    pub fn new(
        file: TableFile,
        rules: &Rules,
        class: &Arc<Class>,
        metric: Metric,
        cache: &Arc<BlockCache>,
    ) -> Result<Table, TablebaseError> {
        let found = file.header();
        let expected = header_with(rules, class, metric, found.block_len);
        let path = file.path();
        let wrong = |field: &'static str, found: String, expected: String| {
            Err(TablebaseError::OtherTable { path: path.to_owned(), field, found, expected })
        };
        if found.metric != expected.metric {
            return wrong("metric", found.metric.name().to_owned(), expected.metric.name().to_owned());
        }
        if found.quiet_limit != expected.quiet_limit {
            let limit = |header: &Header| header.quiet_limit.to_string();
            return wrong("limit of plies without a capture", limit(found), limit(&expected));
        }
        if found.fingerprint != expected.fingerprint {
            return Err(TablebaseError::OtherRules {
                path: path.to_owned(),
                found: found.rules_name.clone(),
                found_fingerprint: found.fingerprint,
                expected: expected.rules_name,
                expected_fingerprint: expected.fingerprint,
            });
        }
        if found.material != expected.material {
            return wrong("material", found.material.clone(), expected.material);
        }
        if found.positions != expected.positions || found.sides != expected.sides {
            let count = |header: &Header| format!("{} x {}", header.sides, header.positions);
            return wrong("positions", count(found), count(&expected));
        }
        let order = |header: &Header| {
            header
                .pieces
                .iter()
                .map(|piece| format!("{}{}", ["w", "b"][usize::from(piece.side & 1)], piece.letter))
                .collect::<String>()
        };
        if found.pieces != expected.pieces {
            return wrong("piece order", order(found), order(&expected));
        }
        if (found.files, found.ranks, found.mirror) != (expected.files, expected.ranks, expected.mirror) {
            let board = |header: &Header| format!("{} x {}, mirror {}", header.files, header.ranks, header.mirror);
            return wrong("board", board(found), board(&expected));
        }
        Ok(Table { class: class.clone(), file, cache: cache.clone() })
    }

    /// The class.
    #[must_use]
    pub fn class(&self) -> &Arc<Class> {
        &self.class
    }

    /// What its distances count.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.file.header().metric
    }

    /// Its file.
    #[must_use]
    pub fn file(&self) -> &TableFile {
        &self.file
    }

    /// The counts that its generator stored. Mirror images count twice.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        self.file.summary()
    }

    /// The length of the file in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.file.len_bytes()
    }

    /// Positions in a block.
    #[must_use]
    pub fn block_len(&self) -> u64 {
        self.file.geometry().block_len().into()
    }

    /// Blocks of one side to move.
    #[must_use]
    pub fn blocks_per_side(&self) -> u64 {
        self.file.geometry().blocks_per_side()
    }

    /// The code of a position (see [`Value::code`](crate::value::Value::code)) by the side to move in the table and its
    /// number. A symmetric class has only White to move. A table without distances gives the least code of a value: 0, 1 or 2.
    ///
    /// # Errors
    /// [`TablebaseError::File`] for damage, or a position that the table does not have.
    pub fn code(&self, side: Side, number: u64) -> Result<u32, TablebaseError> {
        let code = self.cache.code(&self.file, side_number(side), number);
        code.map_err(|error| self.damage(error))
    }

    /// The codes of a whole block of one side to move, not through the cache.
    ///
    /// # Errors
    /// [`TablebaseError::File`] for damage, or a block that the table does not have.
    pub fn decode_block(&self, side: Side, block: u64) -> Result<Vec<u32>, TablebaseError> {
        let decoded = self.file.decode_block(side_number(side), block);
        let decoded = decoded.map_err(|error| self.damage(error))?;
        let mut bytes = Vec::with_capacity(decoded.len());
        decoded.append_codes(&mut bytes);
        let mut codes: Vec<u32> = bytes.into_iter().map(u32::from).collect();
        for &(place, code) in decoded.exceptions() {
            if let Some(slot) = codes.get_mut(place as usize) {
                *slot = code;
            }
        }
        Ok(codes)
    }

    /// Appends the bytes of a whole block of one side to move, and the number and code of every position whose byte is the
    /// escape.
    ///
    /// # Errors
    /// [`TablebaseError::File`] for damage, or a block that the table does not have.
    pub fn append_block(
        &self,
        side: Side,
        block: u64,
        bytes: &mut Vec<u8>,
        exceptions: &mut Vec<(u64, u32)>,
    ) -> Result<(), TablebaseError> {
        let decoded = self.file.decode_block(side_number(side), block).map_err(|error| self.damage(error))?;
        let first = block * self.block_len();
        decoded.append_codes(bytes);
        exceptions.extend(decoded.exceptions().iter().map(|&(place, code)| (first + u64::from(place), code)));
        Ok(())
    }

    /// Checks the checksums of the file and of all blocks.
    ///
    /// # Errors
    /// [`TablebaseError::File`] names the first damage.
    pub fn check_file(&self) -> Result<(), TablebaseError> {
        self.file.check_file().map_err(|error| self.damage(error))
    }

    fn damage(&self, error: FormatError) -> TablebaseError {
        TablebaseError::File(error.at(self.file.path()))
    }
}

/// The number of a side to move in a file.
fn side_number(side: Side) -> u8 {
    match side {
        Side::White => 0,
        Side::Black => 1,
    }
}
