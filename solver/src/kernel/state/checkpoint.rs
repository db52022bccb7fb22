//! The state of a class between two plies, on the disk: what is needed to go on after the run was ended.
//!
//! Written to a temporary name, flushed, renamed; a checksum of everything stands at the end. A checkpoint that is torn, of
//! another class or of other rules is thrown away, never believed.

use super::layer::Layer;
use super::sets::Sets;
use super::spill::Chunk;
use crate::kernel::layout::Word;
use dsq_tables::atomic_file::{AtomicFile, remove_leftovers};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

const MARK: &[u8; 8] = b"DSQCHKPT";
const VERSION: u64 = 3;
/// Words written or read at one time.
const PIECE: usize = 1 << 16;

/// What a checkpoint is for: it is used for nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Purpose {
    pub fingerprint: u64,
    pub class: String,
}

/// The state between two plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saved<W> {
    /// How many plies are done.
    pub plies: u64,
    /// How many of the last of them changed nothing.
    pub idle: u64,
    /// Without [`Sets::lost_before`], which is taken from `lost` again.
    pub sets: Sets<W>,
    /// For each side to move: what its spill file has.
    pub chunks: Vec<Vec<Chunk>>,
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

    fn layer<W: Word>(&mut self, layer: &Layer<W>) -> io::Result<()> {
        self.words(layer.words())?;
        self.bytes(&layer.dirty().iter().map(|&dirty| u8::from(dirty)).collect::<Vec<u8>>())
    }
}

/// Writes a checkpoint in place of an older one. `done` is how many plies are done and how many of the last of them changed
/// nothing.
pub fn write<W: Word>(
    path: &Path,
    purpose: &Purpose,
    done: (u64, u64),
    sets: &Sets<W>,
    chunks: &[&[Chunk]],
) -> io::Result<()> {
    // As large as the sets: no room is left for what a killed run could not finish.
    remove_leftovers(path);
    let mut writer = Writer { out: BufWriter::with_capacity(1 << 20, AtomicFile::create(path)?), hash: Xxh3::new() };
    writer.bytes(MARK)?;
    for number in [VERSION, purpose.fingerprint, done.0, done.1, purpose.class.len() as u64] {
        writer.number(number)?;
    }
    writer.bytes(purpose.class.as_bytes())?;
    writer.number(W::BITS as u64)?;
    writer.number(sets.lost.len() as u64)?;
    let sides = sets.lost.iter().zip(&sets.not_won).zip(&sets.stalemates).zip(chunks);
    for (((lost, not_won), stalemates), chunks) in sides {
        writer.layer(lost)?;
        writer.layer(not_won)?;
        writer.number(stalemates.is_some().into())?;
        stalemates.iter().try_for_each(|layer| writer.layer(layer))?;
        writer.number(chunks.len() as u64)?;
        for chunk in *chunks {
            for number in [chunk.slice.into(), chunk.code.into(), chunk.offset, chunk.len] {
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
    /// The rows of a layer, and the words of a row.
    shape: (usize, usize),
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

    fn layer<W: Word>(&mut self) -> Option<Layer<W>> {
        let (rows, lanes) = self.shape;
        let words = self.words()?;
        let dirty = self.bytes(rows as u64)?.into_iter().map(|byte| byte != 0).collect();
        Layer::from_parts(words, dirty, lanes)
    }

    fn chunks(&mut self) -> Option<Vec<Chunk>> {
        let mut chunks = Vec::new();
        for _ in 0..self.number()? {
            let (slice, code) = (self.number()?.try_into().ok()?, self.number()?.try_into().ok()?);
            chunks.push(Chunk { slice, code, offset: self.number()?, len: self.number()? });
        }
        Some(chunks)
    }
}

/// Reads a checkpoint of a class with so many rows, of so many words each; none if it is not there, torn, or not for this
/// purpose.
pub fn read<W: Word>(path: &Path, purpose: &Purpose, shape: (usize, usize)) -> Option<Saved<W>> {
    let file = File::open(path).ok()?;
    let left = file.metadata().ok()?.len();
    let mut reader = Reader { input: BufReader::with_capacity(1 << 20, file), hash: Xxh3::new(), left, shape };
    if reader.bytes(8)? != MARK || reader.number()? != VERSION || reader.number()? != purpose.fingerprint {
        return None;
    }
    let (plies, idle, name) = (reader.number()?, reader.number()?, reader.number()?);
    if reader.bytes(name)? != purpose.class.as_bytes() {
        return None;
    }
    if reader.number()? != W::BITS as u64 {
        return None;
    }
    let mut sets = Sets { lost: Vec::new(), not_won: Vec::new(), lost_before: Vec::new(), stalemates: Vec::new() };
    let mut chunks = Vec::new();
    for _ in 0..reader.number()?.min(2) {
        sets.lost.push(reader.layer()?);
        sets.not_won.push(reader.layer()?);
        sets.stalemates.push(if reader.number()? == 0 { None } else { Some(reader.layer()?) });
        chunks.push(reader.chunks()?);
    }
    let sum = reader.hash.digest();
    (reader.number()? == sum && reader.left == 0).then_some(Saved { plies, idle, sets, chunks })
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
        let layer = |seed: u64| {
            let words = (0..24).map(|n| n * seed).collect();
            Layer::from_parts(words, vec![true, false, seed == 1], 8).unwrap()
        };
        let sets = Sets {
            lost: vec![layer(1), layer(2)],
            not_won: vec![layer(3), layer(4)],
            lost_before: Vec::new(),
            stalemates: vec![None, Some(layer(5))],
        };
        let chunks = |len: u64| vec![Chunk { slice: 1, code: 2, offset: 3, len }];
        let saved: Saved<u64> = Saved { plies: 12, idle: 1, sets, chunks: vec![chunks(1), chunks(2)] };
        let shape = (3, 8);
        write(&path, &purpose, (12, 1), &saved.sets, &[&saved.chunks[0], &saved.chunks[1]]).unwrap();
        assert_eq!(read(&path, &purpose, shape), Some(saved.clone()));
        assert_eq!(read::<u64>(&path, &purpose, (3, 16)), None);
        for other in
            [Purpose { fingerprint: 8, ..purpose.clone() }, Purpose { class: "RL-T".into(), ..purpose.clone() }]
        {
            assert_eq!(read::<u64>(&path, &other, shape), None);
        }
        let bytes = fs::read(&path).unwrap();
        for len in 0..bytes.len() {
            fs::write(&path, &bytes[..len]).unwrap();
            assert_eq!(read::<u64>(&path, &purpose, shape), None, "cut at {len}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            assert_eq!(read::<u64>(&path, &purpose, shape), None, "changed at {place}");
        }
    }
}
