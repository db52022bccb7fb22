//! The state of a class between two plies, on the disk: what is needed to go on after the run was ended.
//!
//! Written to a temporary name, flushed, renamed; a checksum of everything stands at the end. A checkpoint that is torn, of
//! another class or of other rules is thrown away, never believed.

use super::spill::Chunk;
use super::word::Word;
use dsq_tables::atomic_file::{AtomicFile, remove_leftovers};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

const MARK: &[u8; 8] = b"DSQCHKPT";
const VERSION: u64 = 2;
/// Words written or read at one time.
const PIECE: usize = 1 << 16;

/// What a checkpoint is for: it is used for nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Purpose {
    pub fingerprint: u64,
    pub class: String,
}

/// One side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedSide<W> {
    pub lost: Vec<W>,
    pub not_won: Vec<W>,
    pub stuck: Vec<W>,
    pub dirty: Vec<bool>,
    pub chunks: Vec<Chunk>,
}

/// The state after a ply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saved<W> {
    pub ply: u64,
    pub idle: u64,
    /// One for each side to move whose sets are kept.
    pub sides: Vec<SavedSide<W>>,
}

/// A state to be written, borrowed.
pub struct SideRef<'a, W> {
    pub lost: &'a [W],
    pub not_won: &'a [W],
    pub stuck: &'a [W],
    pub dirty: &'a [bool],
    pub chunks: &'a [Chunk],
}

struct Writer {
    out: BufWriter<AtomicFile>,
    hash: Xxh3,
}

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes)
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        self.bytes(&number.to_le_bytes())
    }

    fn words<W: Word>(&mut self, words: &[W]) -> io::Result<()> {
        self.number(words.len() as u64)?;
        let mut buffer = Vec::with_capacity(PIECE * W::BITS / 8);
        for piece in words.chunks(PIECE) {
            buffer.clear();
            piece.iter().for_each(|word| word.append_to(&mut buffer));
            self.bytes(&buffer)?;
        }
        Ok(())
    }
}

/// Writes a checkpoint in place of an older one.
pub fn write<W: Word>(path: &Path, purpose: &Purpose, ply: u64, idle: u64, sides: &[SideRef<'_, W>]) -> io::Result<()> {
    // As large as the sets: no room is left for what a killed run could not finish.
    remove_leftovers(path);
    let mut writer = Writer { out: BufWriter::with_capacity(1 << 20, AtomicFile::create(path)?), hash: Xxh3::new() };
    writer.bytes(MARK)?;
    for number in [VERSION, purpose.fingerprint, ply, idle, purpose.class.len() as u64] {
        writer.number(number)?;
    }
    writer.bytes(purpose.class.as_bytes())?;
    writer.number(W::BITS as u64)?;
    writer.number(sides.len() as u64)?;
    for side in sides {
        for set in [side.lost, side.not_won, side.stuck] {
            writer.words(set)?;
        }
        writer.number(side.dirty.len() as u64)?;
        writer.bytes(&side.dirty.iter().map(|&dirty| u8::from(dirty)).collect::<Vec<u8>>())?;
        writer.number(side.chunks.len() as u64)?;
        for chunk in side.chunks {
            for number in [chunk.slice.into(), chunk.ply.into(), chunk.offset, chunk.len] {
                writer.number(number)?;
            }
        }
    }
    let sum = writer.hash.digest();
    writer.out.write_all(&sum.to_le_bytes())?;
    let file = writer.out.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(file.publish()?)
}

struct Reader {
    input: BufReader<File>,
    hash: Xxh3,
    /// Bytes that the file still has; no length in it can ask for more.
    left: u64,
}

impl Reader {
    fn bytes(&mut self, len: u64) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(len)?;
        let mut bytes = vec![0; usize::try_from(len).ok()?];
        self.input.read_exact(&mut bytes).ok()?;
        self.hash.update(&bytes);
        Some(bytes)
    }

    fn number(&mut self) -> Option<u64> {
        self.bytes(8)?.first_chunk().map(|&bytes| u64::from_le_bytes(bytes))
    }

    fn words<W: Word>(&mut self) -> Option<Vec<W>> {
        let mut left = self.number()?;
        let width = W::BITS as u64 / 8;
        if left.checked_mul(width)? > self.left {
            return None;
        }
        let mut words = Vec::with_capacity(usize::try_from(left).ok()?);
        while left > 0 {
            let piece = left.min(PIECE as u64);
            let bytes = self.bytes(piece * width)?;
            let mut rest = bytes.as_slice();
            while let Some(word) = W::take_from(&mut rest) {
                words.push(word);
            }
            left -= piece;
        }
        Some(words)
    }
}

fn read_side<W: Word>(reader: &mut Reader) -> Option<SavedSide<W>> {
    let (lost, not_won, stuck) = (reader.words()?, reader.words()?, reader.words()?);
    let rows = reader.number()?;
    let dirty = reader.bytes(rows)?.into_iter().map(|byte| byte != 0).collect();
    let mut chunks = Vec::new();
    for _ in 0..reader.number()? {
        let (slice, ply) = (reader.number()?.try_into().ok()?, reader.number()?.try_into().ok()?);
        chunks.push(Chunk { slice, ply, offset: reader.number()?, len: reader.number()? });
    }
    Some(SavedSide { lost, not_won, stuck, dirty, chunks })
}

/// Reads a checkpoint; none if it is not there, torn, or not for this purpose.
pub fn read<W: Word>(path: &Path, purpose: &Purpose) -> Option<Saved<W>> {
    let file = File::open(path).ok()?;
    let left = file.metadata().ok()?.len();
    let mut reader = Reader { input: BufReader::with_capacity(1 << 20, file), hash: Xxh3::new(), left };
    if reader.bytes(8)? != MARK || reader.number()? != VERSION || reader.number()? != purpose.fingerprint {
        return None;
    }
    let (ply, idle, name) = (reader.number()?, reader.number()?, reader.number()?);
    if reader.bytes(name)? != purpose.class.as_bytes() {
        return None;
    }
    if reader.number()? != W::BITS as u64 {
        return None;
    }
    let sides = (0..reader.number()?.min(2)).map(|_| read_side(&mut reader)).collect::<Option<Vec<_>>>()?;
    let sum = reader.hash.digest();
    (reader.number()? == sum && reader.left == 0).then_some(Saved { ply, idle, sides })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn a_checkpoint_reads_back_and_a_torn_or_foreign_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("class.checkpoint");
        let purpose = Purpose { fingerprint: 7, class: "RL-E".to_owned() };
        let side = |seed: u64| SavedSide {
            lost: (0..100).map(|n| n * seed).collect(),
            not_won: vec![seed; 3],
            stuck: Vec::new(),
            dirty: vec![true, false, seed == 1],
            chunks: vec![Chunk { slice: 1, ply: 2, offset: 3, len: seed }],
        };
        let saved: Saved<u64> = Saved { ply: 12, idle: 1, sides: vec![side(1), side(2)] };
        let refs = || {
            let refs = saved.sides.iter().map(|side| SideRef {
                lost: &side.lost,
                not_won: &side.not_won,
                stuck: &side.stuck,
                dirty: &side.dirty,
                chunks: &side.chunks,
            });
            refs.collect::<Vec<_>>()
        };
        write(&path, &purpose, 12, 1, &refs()).unwrap();
        assert_eq!(read(&path, &purpose), Some(saved.clone()));
        for other in
            [Purpose { fingerprint: 8, ..purpose.clone() }, Purpose { class: "RL-T".into(), ..purpose.clone() }]
        {
            assert_eq!(read::<u64>(&path, &other), None);
        }
        let bytes = fs::read(&path).unwrap();
        for len in 0..bytes.len() {
            fs::write(&path, &bytes[..len]).unwrap();
            assert_eq!(read::<u64>(&path, &purpose), None, "cut at {len}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            assert_eq!(read::<u64>(&path, &purpose), None, "changed at {place}");
        }
    }
}
