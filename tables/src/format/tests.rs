//! Files written, read, cut, changed and made up.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::atomic_file::is_temporary_name;

fn header(sides: u8, positions: usize, block_len: u32) -> Header {
    Header {
        rules_name: "leiden".into(),
        fingerprint: 0x0123_4567_89ab_cdef,
        material: "RL-E".into(),
        metric: Metric::Dtw,
        pieces: vec![HeaderPiece { side: 0, letter: 'L' }, HeaderPiece { side: 1, letter: '象' }],
        files: 7,
        ranks: 9,
        mirror: true,
        sides,
        positions: to_u64(positions),
        block_len,
        generator: "test 1.0".into(),
        quiet_limit: 0,
    }
}

fn summary(sides: u8) -> Summary {
    let side = |side: u8| SideSummary {
        positions: 10 + u64::from(side),
        won: 5,
        drawn: 3,
        lost: 2,
        stalemates: 1,
        spoilt_wins: 0,
        saved_losses: 0,
        longest_win: Some(Longest { plies: 17, position: 0 }),
        longest_loss: (side == 1).then_some(Longest { plies: 16, position: 0 }),
    };
    Summary { sides: (0..sides).map(side).collect() }
}

/// Writes `values`, one list of codes per side.
fn write(path: &Path, values: &[Vec<u32>], block_len: u32) -> u64 {
    let sides = u8::try_from(values.len()).unwrap();
    let mut writer = TableWriter::create(path, header(sides, values[0].len(), block_len), 3).unwrap();
    for side in values {
        for codes in side.chunks(usize::try_from(block_len).unwrap()) {
            let (bytes, exceptions) = split_codes(codes);
            writer.write_values(&bytes, &exceptions).unwrap();
        }
    }
    writer.finish(summary(sides)).unwrap()
}

/// All codes of the table, per side, or the first error.
fn read_all(table: &TableFile) -> Result<Vec<Vec<u32>>, FormatError> {
    let geometry = *table.geometry();
    let mut block = DecodedBlock::new();
    let mut values = Vec::new();
    for side in 0..geometry.sides() {
        let mut codes = Vec::new();
        for index in 0..geometry.blocks_per_side() {
            table.decode_block_into(side, index, &mut block)?;
            let places = 0..u32::try_from(block.len()).unwrap();
            codes.extend(places.map(|place| block.code(place).unwrap()));
        }
        values.push(codes);
    }
    Ok(values)
}

/// A small table with two sides, a short last block and escapes; its values and its bytes.
fn small() -> (Vec<Vec<u32>>, Vec<u8>) {
    let first = vec![0, 1, 2, 254, 255, 300, 70_000, 5, 6, MAX_CODE, 3];
    let second = vec![9, 8, 255, 7, 0, 0, 0, 0, 0, 0, 1];
    let values = vec![first, second];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.dsq");
    write(&path, &values, 4);
    (values, fs::read(path).unwrap())
}

struct Scratch {
    _folder: TempDir,
    path: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scratch.dsq");
        Self { _folder: folder, path }
    }

    fn open(&self, bytes: &[u8]) -> Result<TableFile, OpenError> {
        // A new file each time, as the old one may still be mapped.
        let _ = fs::remove_file(&self.path);
        fs::write(&self.path, bytes).unwrap();
        let mapped = TableFile::open(&self.path);
        // However the file is read, the outcome is the same.
        let read = TableFile::open_with(&self.path, Access::Read);
        match (&mapped, &read) {
            (Ok(mapped), Ok(read)) => {
                let all = |table: &TableFile| (read_all(table).map_err(|error| error.to_string()), table.check_file());
                assert_eq!(all(mapped), all(read));
                assert_eq!((mapped.header(), mapped.summary()), (read.header(), read.summary()));
            }
            (Err(mapped), Err(read)) => assert_eq!(mapped.to_string(), read.to_string()),
            _ => panic!("{mapped:?}, {read:?}"),
        }
        mapped
    }
}

#[test]
fn values_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    for sides in [1, 2] {
        for (positions, block_len) in [(1, 1), (10, 10), (11, 10), (1000, 64), (70_000, 1 << 16)] {
            let values: Vec<Vec<u32>> =
                (0..sides).map(|side| (0..positions).map(|p| (p * 31 + side) % 400).collect()).collect();
            let length = write(&path, &values, block_len);
            let table = TableFile::open(&path).unwrap();
            assert_eq!(read_all(&table).unwrap(), values);
            table.check_file().unwrap();
            assert_eq!(table.len_bytes(), length);
            assert_eq!(fs::metadata(&path).unwrap().len(), length);
            let sides = u8::try_from(sides).unwrap();
            let expected = header(sides, values[0].len(), block_len);
            assert_eq!(*table.header(), expected);
            assert_eq!(*table.summary(), summary(sides));
            let blocks = u64::from(positions.div_ceil(block_len)) * u64::from(sides);
            assert_eq!(table.blocks(), blocks);
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A reader written from nothing but the specification: no code of this crate, all offsets by hand.
#[test]
fn the_layout_is_as_specified() {
    let (values, file) = small();
    let int = |at: usize, len: usize| {
        let bytes = file[at..at + len].iter().rev();
        bytes.fold(0, |sum, &byte| sum << 8 | usize::from(byte))
    };
    let sum = |from: usize, to: usize| usize::try_from(xxhash_rust::xxh3::xxh3_64(&file[from..to])).unwrap();
    assert_eq!(&file[..8], b"DSQTABLE");
    assert_eq!(int(8, 4), 1);
    let header = int(12, 4);
    let fields = [8 + 6, 8, 8 + 4, 1, 8, 5, 5, 1, 1, 1, 1, 8, 4, 8 + 8];
    assert_eq!(header, fields.iter().sum::<usize>());
    assert_eq!((int(16, 8), &file[24..30]), (6, &b"leiden"[..]));
    assert_eq!(int(30, 8), 0x0123_4567_89ab_cdef);
    assert_eq!((int(38, 8), &file[46..50]), (4, &b"RL-E"[..]));
    assert_eq!((int(50, 1), int(51, 8)), (0, 2));
    assert_eq!((int(59, 1), int(60, 4)), (0, 0x4c));
    assert_eq!((int(64, 1), int(65, 4)), (1, 0x8c61));
    assert_eq!(&file[69..73], [7, 9, 1, 2]);
    assert_eq!((int(73, 8), int(81, 4)), (11, 4));
    assert_eq!(&file[93..101], b"test 1.0");
    assert_eq!(int(16 + header, 8), sum(0, 16 + header));

    let footer = file.len() - 60;
    let (summary_at, summary_len) = (int(footer, 8), int(footer + 8, 8));
    let (directory, directory_len) = (int(footer + 16, 8), int(footer + 24, 8));
    assert_eq!(int(footer + 32, 8), sum(0, footer + 32));
    assert_eq!(int(footer + 40, 8), sum(footer, footer + 40));
    assert_eq!(int(footer + 48, 4), 1);
    assert_eq!(&file[footer + 52..], b"DSQTBEND");
    assert_eq!(summary_len, 8 + 2 * 40 + 13 + 1 + 13 + 13);
    assert_eq!(int(summary_at, 8), 2);
    assert_eq!((int(summary_at + 8, 8), int(summary_at + 40, 8)), (10, 1));
    assert_eq!((int(summary_at + 48, 1), int(summary_at + 49, 4)), (1, 17));
    assert_eq!(int(summary_at + 61, 1), 0);
    let after = summary_at + summary_len;
    assert_eq!(int(after, 8), sum(summary_at, after));
    assert_eq!((directory, directory_len), (after + 8, 12 * 6));
    let after = directory + directory_len;
    assert_eq!(int(after, 8), sum(directory, after));
    assert_eq!(footer, after + 8);

    let mut end = 24 + header;
    for (index, codes) in values.iter().flat_map(|side| side.chunks(4)).enumerate() {
        let entry = directory + 12 * index;
        let start = int(entry, 8);
        assert_eq!(start, end);
        end = if index == 5 { summary_at } else { int(entry + 12, 8) };
        assert_eq!(int(entry + 8, 4), sum(start, end) & 0xffff_ffff);
        let content = zstd::bulk::decompress(&file[start..end], 20).unwrap();
        let (bytes, exceptions) = split_codes(codes);
        let exceptions = exceptions.iter().flat_map(|code| code.to_le_bytes());
        assert_eq!(content, bytes.into_iter().chain(exceptions).collect::<Vec<_>>());
    }
    assert_eq!(end, summary_at);
}

#[test]
fn every_truncation_is_an_error() {
    let (_, bytes) = small();
    let scratch = Scratch::new();
    for length in 0..bytes.len() {
        let error = scratch.open(&bytes[..length]).unwrap_err();
        assert!(error.is_damage(), "{length}: {error}");
        let message = error.to_string();
        assert!(message.contains("scratch.dsq") && !message.contains('\n'));
    }
    scratch.open(&bytes).unwrap();
}

#[test]
fn a_file_that_is_cut_off_while_it_is_read_is_an_error() {
    let (values, bytes) = small();
    let scratch = Scratch::new();
    fs::write(&scratch.path, &bytes).unwrap();
    let table = TableFile::open_with(&scratch.path, Access::Read).unwrap();
    assert_eq!(read_all(&table).unwrap(), values);
    // Whether the system has more of it in memory or not, none of these stops the process.
    for length in [100, 20, 0] {
        fs::OpenOptions::new().write(true).open(&scratch.path).unwrap().set_len(length as u64).unwrap();
        let error = read_all(&table).unwrap_err();
        assert!(error.is_damage(), "{length}: {error}");
    }
}

#[test]
fn every_flipped_bit_is_found_and_gives_no_wrong_value() {
    let (values, bytes) = small();
    let scratch = Scratch::new();
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        match scratch.open(&changed) {
            Ok(table) => {
                assert!(table.check_file().unwrap_err().is_damage(), "bit {bit}");
                match read_all(&table) {
                    Ok(read) => assert_eq!(read, values, "bit {bit}"),
                    Err(error) => assert!(error.is_damage(), "bit {bit}: {error}"),
                }
            }
            Err(error) => assert!(error.is_damage(), "bit {bit}: {error}"),
        }
    }
}

#[test]
fn appended_and_swapped_bytes_are_found() {
    let (_, bytes) = small();
    let scratch = Scratch::new();
    let longer = [&bytes[..], &[0]].concat();
    assert!(scratch.open(&longer).unwrap_err().is_damage());
    let twice = [&bytes[..], &bytes[..]].concat();
    assert!(scratch.open(&twice).unwrap_err().is_damage());
}

#[test]
fn other_versions_and_metrics_are_told_from_damage() {
    let (_, bytes) = small();
    let scratch = Scratch::new();
    let mut newer = bytes.clone();
    let last = bytes.len() - TAIL_LEN;
    newer[8] = 2;
    newer[last] = 2;
    let error = scratch.open(&newer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherVersion);
    assert!(!error.is_damage());

    let mut other_metric = bytes;
    other_metric[50] = 3;
    reseal(&mut other_metric);
    let error = scratch.open(&other_metric).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

/// A win/draw/loss table; its values come back as codes 0 to 2.
fn write_wdl(path: &Path, values: &[Vec<u32>], block_len: u32) -> u64 {
    let sides = u8::try_from(values.len()).unwrap();
    let header = Header { metric: Metric::Wdl, ..header(sides, values[0].len(), block_len) };
    let mut writer = TableWriter::create(path, header, 3).unwrap();
    for side in values {
        for codes in side.chunks(usize::try_from(block_len).unwrap()) {
            let codes: Vec<u8> = codes.iter().map(|&code| u8::try_from(code).unwrap()).collect();
            writer.write_values(&codes, &[]).unwrap();
        }
    }
    writer.finish(wdl_summary(sides)).unwrap()
}

fn wdl_summary(sides: u8) -> Summary {
    let mut summary = summary(sides);
    summary.sides.iter_mut().for_each(|side| (side.longest_win, side.longest_loss) = (None, None));
    summary
}

#[test]
fn values_without_distance_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    for sides in [1, 2] {
        for (positions, block_len) in [(1, 1), (10, 4), (11, 10), (12, 5), (1000, 64), (70_000, 1 << 16)] {
            let values: Vec<Vec<u32>> = (0..sides)
                .map(|side| (0..positions).map(|p| (p % 1000 * (p % 1000) / 5 + side) % 3).collect())
                .collect();
            write_wdl(&path, &values, block_len);
            let table = TableFile::open(&path).unwrap();
            assert_eq!(table.header().metric, Metric::Wdl);
            assert_eq!(read_all(&table).unwrap(), values);
            table.check_file().unwrap();
            for (side, values) in (0..).zip(&values) {
                let mut codes = Vec::new();
                for block in 0..table.geometry().blocks_per_side() {
                    let block = table.decode_block(side, block).unwrap();
                    assert_eq!(block.code(u32::try_from(block.len()).unwrap()), None);
                    block.append_codes(&mut codes);
                }
                assert!(codes.into_iter().map(u32::from).eq(values.iter().copied()));
            }
        }
    }
}

#[test]
fn damage_of_a_block_without_distances_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    let values = vec![vec![0, 1, 2, 2, 1, 0, 2, 1, 1, 0], vec![2; 10]];
    write_wdl(&path, &values, 4);
    let bytes = fs::read(&path).unwrap();
    let scratch = Scratch::new();
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let found = scratch.open(&changed).map_err(|error| error.is_damage()).map(|table| {
            assert!(table.check_file().unwrap_err().is_damage(), "bit {bit}");
            read_all(&table).map_err(|error| error.is_damage())
        });
        assert!(matches!(&found, Err(true) | Ok(Err(true))) || found == Ok(Ok(values.clone())), "bit {bit}");
    }

    // A block whose checksum is right and whose content is not: the first one of four positions, or of three.
    let wrong = |positions: usize, content: &[u8]| {
        let frame = zstd::bulk::compress(content, 3).unwrap();
        let mut block = DecodedBlock::new();
        let result = block.decode(Metric::Wdl, &frame, u32::try_from(positions).unwrap(), 0, 0);
        assert!(result.is_ok() || block.is_empty() && block.bytes().is_empty());
        result.is_err_and(|error| error.kind() == ErrorKind::Damaged)
    };
    assert!(!wrong(4, &[0b10_01_00_10]) && !wrong(3, &[0b00_01_00_10]) && !wrong(5, &[0, 2]));
    assert!(wrong(4, &[0b10_11_00_10]) && wrong(4, &[0b11_00_00_00]));
    assert!(wrong(3, &[0b01_01_00_10]) && wrong(5, &[0, 0b10_00]));
    assert!(wrong(4, &[]) && wrong(4, &[0, 0]) && wrong(5, &[0]));
}

#[test]
fn metrics_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    let header = Header { metric: Metric::Wdl, ..header(1, 4, 4) };
    let mut writer = TableWriter::create(&path, header, 3).unwrap();
    writer.write_values(&[0, 1, 2, 3], &[]).unwrap_err();
    let other = compress_block(&[0, 1, 2, 1], &[], 3).unwrap();
    assert!(matches!(writer.write_block(&other), Err(WriteError::Mismatch { what: "the form of a block", .. })));
    writer.write_block(&compress_wdl_block(&[0, 1, 2, 1], 3).unwrap()).unwrap();
    // There are no distances, so there is no longest one either.
    assert!(matches!(writer.finish(summary(1)), Err(WriteError::Field { .. })));
    assert!(matches!(compress_wdl_block(&[], 3), Err(BlockError::Length { found: 0 })));
    // A sound table of distances that calls itself one without is damaged: its summary has longest lines.
    let (_, mut bytes) = small();
    bytes[50] = 1;
    reseal(&mut bytes);
    assert!(Scratch::new().open(&bytes).unwrap_err().is_damage());
}

/// A table of distances to conversion, with its summary.
fn write_dtc(path: &Path, values: &[Vec<u32>], quiet_limit: u32) -> Summary {
    let sides = u8::try_from(values.len()).unwrap();
    let header = Header { metric: Metric::Dtc, quiet_limit, ..header(sides, values[0].len(), 4) };
    let mut writer = TableWriter::create(path, header, 3).unwrap();
    for side in values {
        for codes in side.chunks(4) {
            let (bytes, exceptions) = split_codes(codes);
            writer.write_values(&bytes, &exceptions).unwrap();
        }
    }
    let mut summary = summary(sides);
    for (count, side) in (7..).zip(&mut summary.sides) {
        (side.spoilt_wins, side.saved_losses) = (count, 10 * count);
    }
    writer.finish(summary.clone()).unwrap();
    summary
}

#[test]
fn distances_to_conversion_come_back_with_their_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    for (sides, limit) in [(1, 0), (2, 60), (2, MAX_QUIET_LIMIT)] {
        let values = vec![vec![0, 1, 2, 3, 6, 123, 254, 255, 900]; sides];
        let summary = write_dtc(&path, &values, limit);
        let table = TableFile::open(&path).unwrap();
        assert_eq!((table.header().metric, table.header().quiet_limit), (Metric::Dtc, limit));
        assert_eq!((table.summary(), read_all(&table).unwrap()), (&summary, values));
        table.check_file().unwrap();
    }
    let bytes = fs::read(&path).unwrap();
    let scratch = Scratch::new();
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let checked = scratch.open(&changed).map(|table| table.check_file().map_err(|error| error.is_damage()));
        let damaged = match checked {
            Ok(checked) => checked == Err(true),
            Err(error) => error.is_damage(),
        };
        assert!(damaged, "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert!(scratch.open(&bytes[..length]).unwrap_err().is_damage(), "{length}");
    }
    // Neither can be taken for the other: a header has a limit, or it has not.
    let mut other = bytes;
    other[50] = 0;
    reseal(&mut other);
    assert!(scratch.open(&other).unwrap_err().is_damage());
    let (_, mut other) = small();
    other[50] = 2;
    reseal(&mut other);
    assert!(scratch.open(&other).unwrap_err().is_damage());
    let limited = Header { quiet_limit: 60, ..header(1, 4, 4) };
    assert!(matches!(TableWriter::create(&path, limited, 3), Err(WriteError::Field { .. })));
    let far = Header { metric: Metric::Dtc, quiet_limit: MAX_QUIET_LIMIT + 1, ..header(1, 4, 4) };
    assert!(matches!(TableWriter::create(&path, far, 3), Err(WriteError::Field { .. })));
}

#[test]
fn what_is_no_table_is_told_apart() {
    let scratch = Scratch::new();
    let missing = TableFile::open(&scratch.path).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    let folder = TableFile::open(scratch.path.parent().unwrap()).unwrap_err();
    assert_eq!(folder.kind(), ErrorKind::Io);
    let text = scratch.open(b"DSQ or not DSQ").unwrap_err();
    assert_eq!(text.kind(), ErrorKind::NotATable);
}

#[test]
fn same_table_same_bytes() {
    let (_, first) = small();
    let (_, second) = small();
    assert!(first == second);

    // Levels 5 to 12 use a match finder whose hashes depend on what the context did before.
    let mut random = fastrand::Rng::with_seed(1);
    let codes: Vec<u8> = (0..1 << 17).map(|_| random.u8(..11)).collect();
    for level in [1, 3, 6, 9, 12] {
        let first = compress_block(&codes, &[], level).unwrap();
        compress_block(&codes[..1000], &[], level).unwrap();
        assert!(first == compress_block(&codes, &[], level).unwrap());
    }
    // A context that is kept gives what a fresh one gives, whatever it did before.
    for level in [-5, 0, 1, 2, 3] {
        for start in (0..codes.len() - 70_000).step_by(3001) {
            let part: Vec<u8> = codes[start..][..1 + start].iter().map(|code| code / 3).collect();
            let kept = compress_block(&part, &[], level).unwrap();
            assert!(kept.bytes() == zstd::bulk::compress(&part, level).unwrap(), "level {level}, {start} positions");
        }
    }
}

#[test]
fn an_unfinished_writer_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    let names = || -> Vec<_> {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    let mut writer = TableWriter::create(&path, header(1, 8, 4), 3).unwrap();
    writer.write_values(&[1, 2, 3, 4], &[]).unwrap();
    assert_eq!(names().len(), 1);
    assert!(names().iter().all(|name| is_temporary_name(name)));
    let second = TableWriter::create(&path, header(1, 8, 4), 3).unwrap();
    assert_eq!(names().len(), 2);
    drop(second);
    let error = writer.finish(summary(1)).unwrap_err();
    assert!(matches!(error, WriteError::Mismatch { .. }), "{error}");
    assert!(names().is_empty());
}

#[test]
fn the_writer_refuses_what_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dsq");
    let mut writer = TableWriter::create(&path, header(1, 6, 4), 3).unwrap();
    writer.write_values(&[1, 2, 3], &[]).unwrap_err();
    writer.write_values(&[1, 2, 3, 255], &[]).unwrap_err();
    writer.write_values(&[1, 2, 3, 255], &[254]).unwrap_err();
    writer.write_values(&[1, 2, 3, 255], &[MAX_CODE + 1]).unwrap_err();
    writer.write_values(&[1, 2, 3, 255], &[255]).unwrap();
    writer.write_values(&[1, 2, 3, 4], &[]).unwrap_err();
    writer.write_values(&[1, 2], &[]).unwrap();
    writer.write_values(&[1, 2], &[]).unwrap_err();
    let error = writer.finish(summary(2)).unwrap_err();
    assert!(matches!(error, WriteError::Field { .. }), "{error}");

    let refused = |change: fn(&mut Header)| {
        let mut header = header(1, 6, 4);
        change(&mut header);
        TableWriter::create(&path, header, 3).unwrap_err();
    };
    refused(|h| h.block_len = 0);
    refused(|h| h.block_len = MAX_BLOCK_LEN + 1);
    refused(|h| h.positions = 0);
    refused(|h| h.positions = u64::MAX);
    refused(|h| h.sides = 0);
    refused(|h| h.sides = 3);
    refused(|h| h.files = 0);
    refused(|h| h.ranks = 0);
    refused(|h| h.pieces[0].side = 2);
    refused(|h| h.material = "x".repeat(4097));
    refused(|h| h.generator = "a\nb".into());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_folder_is_an_error_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nowhere").join("t.dsq");
    let error = TableWriter::create(&path, header(1, 6, 4), 3).unwrap_err();
    assert!(error.to_string().contains("nowhere"));
    assert!(error.io().is_some());
    TableWriter::create(Path::new("/"), header(1, 6, 4), 3).unwrap_err();
}

/// Puts right checksums over changed content, to get past them. Follows the layout as the file
/// states it, as far as it makes sense.
fn reseal(file: &mut [u8]) {
    fn seal(file: &mut [u8], from: usize, to: usize) {
        if from <= to && to + 8 <= file.len() {
            let sum = checksum(&file[from..to]).to_le_bytes();
            file[to..to + 8].copy_from_slice(&sum);
        }
    }
    let footer = file.len() - FOOTER_LEN;
    let int = |file: &[u8], at: usize| -> usize {
        let bytes = file[at..at + 8].try_into().unwrap();
        usize::try_from(u64::from_le_bytes(bytes)).unwrap().min(file.len())
    };
    let header = usize::from(u16::from_le_bytes([file[12], file[13]]));
    let (summary_at, summary_len) = (int(file, footer), int(file, footer + 8));
    let (directory, directory_len) = (int(file, footer + 16), int(file, footer + 24));
    for entry in (directory..directory + directory_len).step_by(ENTRY_LEN) {
        if entry + ENTRY_LEN <= footer {
            let last = entry + ENTRY_LEN >= directory + directory_len;
            let end = if last { summary_at } else { int(file, entry + ENTRY_LEN) };
            let start = int(file, entry);
            let sum = short_checksum(file.get(start..end).unwrap_or_default());
            file[entry + 8..entry + ENTRY_LEN].copy_from_slice(&sum.to_le_bytes());
        }
    }
    seal(file, 0, START_LEN + header);
    seal(file, summary_at, summary_at + summary_len);
    seal(file, directory, directory + directory_len);
    seal(file, 0, footer + FOOTER_FILE_SUM);
    seal(file, footer, footer + FOOTER_OWN_SUM);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_values_come_back(
        (first, second) in (1_usize..400).prop_flat_map(|len| {
            let code = || prop_oneof![8 => 0_u32..300, 1 => 0..=MAX_CODE];
            let side = || proptest::collection::vec(code(), len);
            (side(), proptest::option::of(side()))
        }),
        block_len in 1_u32..150,
    ) {
        let scratch = Scratch::new();
        let values: Vec<_> = [first].into_iter().chain(second).collect();
        write(&scratch.path, &values, block_len);
        let table = TableFile::open(&scratch.path).unwrap();
        table.check_file().unwrap();
        prop_assert_eq!(read_all(&table).unwrap(), values);
    }

    #[test]
    fn garbage_is_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        start in any::<bool>(),
        end in any::<bool>(),
    ) {
        let mut bytes = bytes;
        if start && bytes.len() >= 12 {
            bytes[..8].copy_from_slice(&START_MARK);
            bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        }
        if end && bytes.len() >= 24 {
            let tail = bytes.len() - TAIL_LEN;
            bytes[tail..tail + 4].copy_from_slice(&VERSION.to_le_bytes());
            bytes[tail + 4..].copy_from_slice(&END_MARK);
        }
        prop_assert!(Scratch::new().open(&bytes).is_err());
    }

    /// Such a file may well be sound; whatever it is, nothing panics.
    #[test]
    fn sealed_nonsense_does_no_harm(
        changes in proptest::collection::vec(
            (any::<proptest::sample::Index>(), prop_oneof![any::<u8>(), Just(0), Just(255)]), 1..6),
    ) {
        let (_, mut bytes) = small();
        // All but marks and versions.
        let open = 12..bytes.len() - TAIL_LEN;
        for (place, byte) in changes {
            bytes[open.start + place.index(open.len())] = byte;
        }
        reseal(&mut bytes);
        if let Ok(table) = Scratch::new().open(&bytes) {
            let _ = (table.check_file(), read_all(&table));
        }
    }
}
