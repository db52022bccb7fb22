//! Distances that do not stay in memory: what each ply decides is appended to a file, slice by slice, and read back one
//! slice at a time when the plies are over.
//!
//! A slice is the rows with one square of the first outer piece. A file holds one side to move, as *chunks*: what got one code
//! in one slice. A chunk is a sequence of frames, one for each task that found something: number of the task in the
//! slice, length of the record, length of its compressed form, checksum of all of these (four bytes each, little endian), then
//! the compressed record. A record is, for each row with something new, the row in the task (two bytes), a bit for each lane with
//! something new (as many bytes as lanes / 8), and the words of those lanes.

use crate::kernel::layout::Word;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Fast is right here: the file is read once.
const LEVEL: i32 = 1;
const FRAME_HEAD: usize = 16;

/// What one task decides at one ply.
#[derive(Debug, Default)]
pub struct Record {
    bytes: Vec<u8>,
}

impl Record {
    /// Adds what was decided in a row of the task.
    pub fn row<W: Word>(&mut self, row: usize, new: &[W]) {
        // A task has fewer than 2^16 rows.
        self.bytes.extend((row as u16).to_le_bytes());
        let mask_at = self.bytes.len();
        self.bytes.resize(mask_at + new.len() / 8, 0);
        for (lane, word) in new.iter().enumerate().filter(|(_, word)| !word.is_zero()) {
            self.bytes[mask_at + lane / 8] |= 1 << (lane % 8);
            word.append_to(&mut self.bytes);
        }
    }

    /// The frame of a task; nothing if nothing was decided.
    pub fn frame(self, task: usize) -> io::Result<Vec<u8>> {
        if self.bytes.is_empty() {
            return Ok(Vec::new());
        }
        let packed = zstd::bulk::compress(&self.bytes, LEVEL)?;
        let mut frame = Vec::with_capacity(FRAME_HEAD + packed.len());
        let (task, len) = (task as u32, self.bytes.len() as u32);
        for field in [task, len, packed.len() as u32, checksum(task, len, &packed)] {
            frame.extend(field.to_le_bytes());
        }
        frame.extend(packed);
        Ok(frame)
    }
}

/// Where a chunk is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk {
    pub slice: u32,
    pub code: u32,
    pub offset: u64,
    pub len: u64,
}

/// The file of one side to move.
#[derive(Debug)]
pub struct Spill {
    path: PathBuf,
    file: File,
    chunks: Vec<Chunk>,
    len: u64,
}

impl Spill {
    /// Begins a file, or goes on with one that has these chunks. What stands behind them is cut off.
    pub fn open(path: &Path, chunks: Vec<Chunk>) -> io::Result<Spill> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let len = chunks.last().map_or(0, |chunk| chunk.offset + chunk.len);
        if file.metadata()?.len() < len {
            return Err(damaged(path, "it is shorter than its checkpoint says"));
        }
        file.set_len(len)?;
        let mut spill = Spill { path: path.to_owned(), file, chunks, len };
        spill.file.seek(SeekFrom::Start(len))?;
        Ok(spill)
    }

    /// All chunks so far.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Appends what got a code in a slice.
    pub fn append(&mut self, slice: usize, code: u32, frames: &[Vec<u8>]) -> io::Result<()> {
        let len: u64 = frames.iter().map(|frame| frame.len() as u64).sum();
        if len > 0 {
            frames.iter().try_for_each(|frame| self.file.write_all(frame))?;
            self.chunks.push(Chunk { slice: slice as u32, code, offset: self.len, len });
            self.len += len;
        }
        Ok(())
    }

    /// Makes sure that all chunks are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Reads the chunks of a slice back in the order in which they were written, each with its code.
    pub fn read_slice(
        &mut self,
        slice: usize,
        mut visit: impl FnMut(u32, Vec<Frame>) -> io::Result<()>,
    ) -> io::Result<()> {
        let chunks: Vec<Chunk> = self.chunks.iter().filter(|chunk| chunk.slice as usize == slice).copied().collect();
        for chunk in chunks {
            self.file.seek(SeekFrom::Start(chunk.offset))?;
            let mut bytes = vec![0; chunk.len as usize];
            self.file.read_exact(&mut bytes)?;
            let frames = split(&bytes).ok_or_else(|| damaged(&self.path, "a frame is torn"))?;
            visit(chunk.code, frames)?;
        }
        Ok(())
    }
}

/// A frame as it was read, its checksum compared.
#[derive(Debug)]
pub struct Frame {
    pub task: usize,
    raw_len: usize,
    packed: Vec<u8>,
}

impl Frame {
    /// Calls `visit` with the row, the lane and the bits of every word of the record.
    pub fn words<W: Word>(&self, lanes: usize, mut visit: impl FnMut(usize, usize, W)) -> io::Result<()> {
        let torn = || io::Error::new(io::ErrorKind::InvalidData, "a record of a spill file is torn");
        let bytes = zstd::bulk::decompress(&self.packed, self.raw_len)?;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (row, after) = rest.split_first_chunk::<2>().ok_or_else(torn)?;
            let (mask, mut after) = after.split_at_checked(lanes / 8).ok_or_else(torn)?;
            for lane in (0..lanes).filter(|lane| mask[lane / 8] >> (lane % 8) & 1 != 0) {
                let word = W::take_from(&mut after).ok_or_else(torn)?;
                visit(u16::from_le_bytes(*row).into(), lane, word);
            }
            rest = after;
        }
        Ok(())
    }
}

fn split(mut bytes: &[u8]) -> Option<Vec<Frame>> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_first_chunk::<FRAME_HEAD>()?;
        let field = |at: usize| head[at * 4..].first_chunk().map(|&bytes| u32::from_le_bytes(bytes));
        let (packed, rest) = rest.split_at_checked(field(2)? as usize)?;
        if field(3)? != checksum(field(0)?, field(1)?, packed) {
            return None;
        }
        frames.push(Frame { task: field(0)? as usize, raw_len: field(1)? as usize, packed: packed.to_vec() });
        bytes = rest;
    }
    Some(frames)
}

/// The length of the compressed form is part of its hash.
fn checksum(task: u32, len: u32, packed: &[u8]) -> u32 {
    xxh3_64_with_seed(packed, u64::from(task) << 32 | u64::from(len)) as u32
}

fn damaged(path: &Path, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    fn record(seed: u64) -> (Record, Vec<(usize, usize, u64)>) {
        let (mut record, mut words) = (Record::default(), Vec::new());
        for row in [0, 3, 48] {
            let new: Vec<u64> =
                (0..64u64).map(|lane| if lane % 5 == seed % 5 { lane * 77 + seed + 1 } else { 0 }).collect();
            words.extend(new.iter().enumerate().filter(|(_, word)| **word != 0).map(|(lane, &word)| (row, lane, word)));
            record.row(row, &new);
        }
        (record, words)
    }

    #[test]
    fn what_was_spilled_comes_back_by_slice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.spill");
        let mut spill = Spill::open(&path, Vec::new()).unwrap();
        for code in 0..4 {
            for slice in 0..3 {
                let frames = [record(u64::from(code) + slice).0.frame(1).unwrap(), Record::default().frame(2).unwrap()];
                spill.append(slice as usize, code, &frames).unwrap();
            }
        }
        let mut seen = Vec::new();
        let read = spill.read_slice(1, |code, frames| {
            let mut words = Vec::new();
            assert_eq!((frames.len(), frames[0].task), (1, 1));
            frames[0].words(64, |row, lane, word: u64| words.push((row, lane, word)))?;
            assert_eq!(words, record(u64::from(code) + 1).1);
            seen.push(code);
            Ok(())
        });
        read.unwrap();
        assert_eq!(seen, [0, 1, 2, 3]);
    }

    #[test]
    fn a_file_goes_on_from_its_chunks_and_a_torn_one_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.spill");
        let mut spill = Spill::open(&path, Vec::new()).unwrap();
        spill.append(0, 0, &[record(1).0.frame(0).unwrap()]).unwrap();
        let kept = spill.chunks().to_vec();
        spill.append(0, 1, &[record(2).0.frame(0).unwrap()]).unwrap();
        drop(spill);
        let again = Spill::open(&path, kept.clone()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), kept[0].len);
        drop(again);
        let mut bytes = fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            bytes[place] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert!(Spill::open(&path, kept.clone()).unwrap().read_slice(0, |_, _| Ok(())).is_err(), "byte {place}");
            bytes[place] ^= 1;
        }
        fs::write(&path, &bytes[..10]).unwrap();
        assert!(Spill::open(&path, kept).is_err());
    }
}
