//! Lines of input that nobody vouches for: bounded in length, whatever they hold.

use std::io::{self, BufRead};

/// A line or, where it is too long, a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The bytes without the end of the line.
    pub bytes: Vec<u8>,
    /// True if the line ends here.
    pub ends: bool,
}

impl Piece {
    /// As text: bytes that are no UTF-8 are replaced, and a carriage return at the end goes.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text.strip_suffix('\r').unwrap_or(&text).to_owned()
    }
}

/// The input up to the end of the line, but at most `longest` bytes of it; none at the end of the input.
pub fn read_piece(input: &mut dyn BufRead, longest: usize) -> io::Result<Option<Piece>> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut any = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(any.then_some(Piece { bytes, ends: true }));
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let room = longest - bytes.len();
        let length = end.unwrap_or(buffer.len()).min(room);
        // The end of the line needs no room.
        let ends = end == Some(length);
        if length == 0 && !ends {
            return Ok(Some(Piece { bytes, ends }));
        }
        bytes.extend(&buffer[..length]);
        input.consume(length + usize::from(ends));
        if ends {
            return Ok(Some(Piece { bytes, ends }));
        }
    }
}

/// The next line of the input without its end, none at the end. Of a line that is too long only the beginning is kept, and
/// bytes that are no UTF-8 are replaced.
pub fn read_line(input: &mut dyn BufRead, longest: usize) -> io::Result<Option<String>> {
    let Some(first) = read_piece(input, longest)? else { return Ok(None) };
    let mut ends = first.ends;
    while !ends {
        ends = read_piece(input, longest)?.is_none_or(|piece| piece.ends);
    }
    Ok(Some(String::from_utf8_lossy(&first.bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LONGEST: usize = 4096;

    #[test]
    fn lines_are_read_whatever_they_hold() {
        let long = "x".repeat(3 * LONGEST);
        let text = format!("one\r\n\n{long}\n\u{e4}");
        let mut bytes = text.into_bytes();
        bytes.extend(b"\n\xff\xfe\nlast");
        for capacity in [1, 7, 100_000] {
            let mut input = io::BufReader::with_capacity(capacity, bytes.as_slice());
            let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut input, LONGEST).unwrap()).collect();
            assert_eq!(lines.len(), 6);
            assert_eq!(
                [&lines[0], &lines[1], &lines[3], &lines[4], &lines[5]],
                ["one\r", "", "ä", "\u{fffd}\u{fffd}", "last"]
            );
            assert_eq!(lines[2], "x".repeat(LONGEST));
        }
    }

    #[test]
    fn long_lines_come_in_pieces() {
        for capacity in [1, 3, 100] {
            let mut input = io::BufReader::with_capacity(capacity, &b"abcd\r\nabcdefghijk\nx"[..]);
            let pieces: Vec<(String, bool)> = std::iter::from_fn(|| read_piece(&mut input, 5).unwrap())
                .map(|piece| (piece.text(), piece.ends))
                .collect();
            let expected = [("abcd", true), ("abcde", false), ("fghij", false), ("k", true), ("x", true)];
            assert_eq!(pieces, expected.map(|(text, ends)| (text.to_owned(), ends)), "{capacity}");
        }
    }
}
