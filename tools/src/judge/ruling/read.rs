//! Reading what engines print about moves and their counts, in whatever form.

use crate::judge::dialect::Dialect;
use dsq_tables::moves::Move;
use std::collections::BTreeSet;

/// All words that are moves.
pub fn moves(dialect: &Dialect, lines: &[String]) -> BTreeSet<Move> {
    let words = lines.iter().flat_map(|line| line.split(|c: char| c.is_whitespace() || ",:;()[]={}\"".contains(c)));
    words.filter_map(|word| dialect.read_move(word)).filter(|squares| squares.from != squares.to).collect()
}

/// A count of moves: after `nodes` or `total`, after `=` or `:` in a line with `perft`, a number by itself on its line, or the sum of
/// what comes after moves.
pub fn count(dialect: &Dialect, lines: &[String]) -> Option<u64> {
    let lower: Vec<String> = lines.iter().map(|line| line.to_lowercase()).collect();
    let after = |line: &str, word: &str| {
        let (before, rest) = line.split_once(word)?;
        let (next, last) = (numbers(rest).first().copied(), numbers(before).last().copied());
        // What comes right after the word counts first, then what stands right before it: `12240 nodes in 15 ms`.
        let after = rest.trim_start_matches([' ', ':', '=']).starts_with(|c: char| c.is_ascii_digit());
        let before = before.trim_end().ends_with(|c: char| c.is_ascii_digit());
        if before && !after { last } else { next.or(last) }
    };
    let named = |word: &str| lower.iter().rev().find_map(|line| after(line, word));
    let of_perft = || {
        let line = lower.iter().rev().find(|line| line.contains("perft"))?;
        let (_, rest) = line.rsplit_once(['=', ':'])?;
        numbers(rest).first().copied()
    };
    let by_itself = || lines.iter().rev().find_map(|line| line.trim().trim_start_matches("= ").parse().ok());
    named("nodes").or_else(|| named("total")).or_else(of_perft).or_else(by_itself).or_else(|| divided(dialect, lines))
}

/// The sum of the numbers after moves, one move a line.
fn divided(dialect: &Dialect, lines: &[String]) -> Option<u64> {
    let part = |line: &String| {
        let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || ":=".contains(c)).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        match words.as_slice() {
            [text, number] if dialect.read_move(text).is_some() => number.parse::<u64>().ok(),
            _ => None,
        }
    };
    let parts: Vec<u64> = lines.iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.iter().fold(0u64, |sum, part| sum.saturating_add(*part)))
}

/// The whole numbers in a text.
fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::judge::dialect::Notation;
    use dsq_tables::rules::Rules;

    fn dialect() -> Dialect {
        Dialect::new(&Rules::load("classic").unwrap(), Notation::default()).unwrap()
    }

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn counts_are_found_in_every_form() {
        for text in [
            "a3a4: 576\n\nNodes searched: 12240",
            "perft(3) = 12240  (15 ms)",
            "perft 3: 12240",
            "info depth 3 nodes 12240 time 15",
            "12240 nodes in 15 ms",
            "Total: 12240",
            "12240",
            "= 12240",
            "a3a4 12000\na3b3 240",
            "a3a4: 12000\nA3-B3: 240",
        ] {
            assert_eq!(count(&dialect(), &lines(text)), Some(12_240), "{text}");
        }
        for text in ["", "unknown command", "info string 5 threads", "a3a4"] {
            assert_eq!(count(&dialect(), &lines(text)), None, "{text}");
        }
    }

    #[test]
    fn moves_are_found_in_every_form() {
        let expected: Vec<String> = vec!["a3a4".into(), "g3g4".into()];
        for text in
            ["Legal moves (2): a3a4 g3g4", "a3a4: 1\ng3g4: 1\n", "legalmoves A3-A4,G3XG4", "[\"a3a4\",\"g3g4\"]"]
        {
            let found = moves(&dialect(), &lines(text));
            let board = dialect().rules().board().clone();
            assert_eq!(found.iter().map(|squares| squares.to_text(&board)).collect::<Vec<_>>(), expected, "{text}");
        }
        assert!(moves(&dialect(), &lines("readyok\nbestmove 0000")).is_empty());
    }
}
