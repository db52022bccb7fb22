//! Reports as one page for browsers that needs nothing else: no scripts, no pictures, no fonts from elsewhere.

use super::{HEADINGS, cells, consequence, remarks};
use crate::judge::finding::Finding;
use crate::judge::tally::{Counts, Tally};
use dsq_tables::board::{Side, Square};
use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use std::collections::BTreeMap;
use std::io::{self, Write};

const STYLE: &str = "\
:root { color-scheme: light dark; }\n\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }\n\
table { border-collapse: separate; border-spacing: 0; margin: .5rem 0 1.5rem; }\n\
th, td { padding: .25rem .75rem; text-align: right; vertical-align: top; border-bottom: 1px solid #8886; }\n\
th { vertical-align: bottom; }\n\
td { white-space: pre; }\n\
th:first-child, td:first-child, .words { text-align: left; }\n\
th:first-child, td:first-child { position: sticky; left: 0; background: Canvas; }\n\
td.words { white-space: normal; min-width: 3rem; }\n\
td.words:last-child { min-width: 13rem; }\n\
p, h1, h2 { overflow-wrap: anywhere; }\n\
.scroll { overflow-x: auto; }\n\
.fault { display: flex; flex-wrap: wrap; gap: 1rem 2rem; border-top: 1px solid #8886; padding: 1rem 0; }\n\
.fault svg { width: 15rem; height: auto; flex: none; }\n\
.fault div { flex: 1 1 20rem; min-width: 0; overflow-wrap: anywhere; }\n\
.fault h3 { margin: 0 0 .3rem; }\n\
code { font: .9em ui-monospace, monospace; }\n\
pre { font: .85em ui-monospace, monospace; overflow-x: auto; }\n";

/// A text with everything replaced that means something in a page.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters have no place in a page, and those that turn the direction of writing hide what is there.
            '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' => {
                escaped.push('\u{fffd}');
            }
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Begins a page.
pub fn begin(out: &mut dyn Write, title: &str) -> io::Result<()> {
    let title = escape(title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    )
}

/// Ends a page.
pub fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<p>Made by <code>dsq {}</code>.</p>\n</body>\n</html>", env!("CARGO_PKG_VERSION"))
}

/// A table: the headings, then rows of the same length. The first column is words, and so are those that `words` names.
pub fn table<'a>(
    out: &mut dyn Write,
    headings: &[&str],
    words: &[usize],
    rows: impl Iterator<Item = Vec<String>> + 'a,
) -> io::Result<()> {
    writeln!(out, "<div class=\"scroll\"><table>")?;
    let class = |column: usize| if words.contains(&column) { " class=\"words\"" } else { "" };
    let heading = |(column, text): (usize, &&str)| format!("<th scope=\"col\"{}>{}</th>", class(column), escape(text));
    writeln!(out, "<tr>{}</tr>", headings.iter().enumerate().map(heading).collect::<String>())?;
    for row in rows {
        let cell = |(column, cell): (usize, &String)| format!("<td{}>{}</td>", class(column), escape(cell));
        writeln!(out, "<tr>{}</tr>", row.iter().enumerate().map(cell).collect::<String>())?;
    }
    writeln!(out, "</table></div>")
}

/// The tables of counts.
pub fn tally(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let all = BTreeMap::from([("all moves".to_owned(), tally.all.clone())]);
    let tables = [
        ("Summary", "", &all),
        ("By player", "player", &tally.players),
        ("By material", "own - other side's", &tally.materials),
    ];
    for (title, first, counts) in tables {
        if counts.is_empty() {
            continue;
        }
        writeln!(out, "<h2>{title}</h2>")?;
        self::counts(out, first, counts)?;
    }
    writeln!(
        out,
        "<p>Judged are moves whose values are in the tables. <i>Value kept</i> is the share of moves from won and drawn \
         positions that did not throw the win or the draw away.</p>"
    )
}

/// A table of counts, with the heading of its first column.
pub fn counts(out: &mut dyn Write, first: &str, counts: &BTreeMap<String, Counts>) -> io::Result<()> {
    let headings: Vec<&str> = std::iter::once(first).chain(HEADINGS).collect();
    let row = |(name, counts): (&String, &Counts)| std::iter::once(name.clone()).chain(cells(counts)).collect();
    table(out, &headings, &[], counts.iter().map(row))
}

/// The faults, each with its board, then the other findings as a table. `legend` says what the boards show.
pub fn findings(out: &mut dyn Write, findings: &[Finding], legend: bool) -> io::Result<()> {
    let (faults, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.verdict.kind.is_fault());
    writeln!(out, "<h2>Faults</h2>")?;
    if faults.is_empty() {
        writeln!(out, "<p>None.</p>")?;
    }
    if legend && !faults.is_empty() {
        writeln!(out, "<p>{LEGEND}</p>")?;
    }
    for finding in faults {
        fault(out, finding)?;
    }
    if !others.is_empty() {
        writeln!(out, "<h2>Slower wins and faster losses</h2>")?;
        let row = |finding: &Finding| {
            let text = finding.squares.to_text(finding.rules.board());
            let lost = finding.verdict.lost_plies().map(|plies| plies.to_string());
            let remarks = remarks(finding).join("; ");
            vec![
                finding.place.clone(),
                finding.player.clone(),
                finding.position.to_fen(&finding.rules),
                format!("{text} {}", consequence(finding)),
                lost.unwrap_or_default(),
                remarks,
            ]
        };
        let headings = ["where", "who", "position", "move", "plies lost", ""];
        table(out, &headings, &[1, 2, 3, 5], others.into_iter().map(row))?;
    }
    Ok(())
}

fn fault(out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
    let rules = &finding.rules;
    let text = finding.squares.to_text(rules.board());
    let written = finding.written.as_ref().map(|written| format!(" (written {written})")).unwrap_or_default();
    writeln!(out, "<section class=\"fault\">")?;
    board(out, rules, &finding.position, Some((finding.squares.from, finding.squares.to)))?;
    writeln!(out, "<div><h3>{}, {}</h3>", escape(&finding.place), escape(&finding.player))?;
    writeln!(out, "<p><b>{}</b>{} {}</p>", escape(&text), escape(&written), escape(&consequence(finding)))?;
    writeln!(out, "<ul>")?;
    for remark in remarks(finding) {
        writeln!(out, "<li>{}</li>", escape(&remark))?;
    }
    writeln!(
        out,
        "</ul>\n<p><code>{}</code> ({})</p></div>",
        escape(&finding.position.to_fen(rules)),
        escape(rules.name())
    )?;
    writeln!(out, "</section>")
}

/// What the picture of a board shows.
pub const LEGEND: &str = "White's pieces are light and have capital letters, Black's are dark. Water is blue, traps are brown, the dens \
                          yellow. The line is the move that was made, from the piece to the ring.";

/// The side of a square in the picture.
const CELL: u32 = 40;
/// The room for coordinates.
const EDGE: u32 = 22;

/// Draws a position, and a move as an arrow.
pub fn board(
    out: &mut dyn Write,
    rules: &Rules,
    position: &Position,
    squares: Option<(Square, Square)>,
) -> io::Result<()> {
    let board = rules.board();
    let (files, ranks) = (u32::from(board.files()), u32::from(board.ranks()));
    let (width, height) = (files * CELL + EDGE, ranks * CELL + EDGE);
    let corner = |square: Square| {
        let (file, rank) = (u32::from(board.file(square)), u32::from(board.rank(square)));
        (EDGE + file * CELL, (ranks - 1 - rank) * CELL)
    };
    let middle = |square: Square| {
        let (x, y) = corner(square);
        (x + CELL / 2, y + CELL / 2)
    };
    let fen = escape(&position.to_fen(rules));
    // One more on three sides, or half of the outer line would be cut off.
    writeln!(out, "<svg viewBox=\"0 -1 {} {}\" role=\"img\" aria-label=\"{fen}\">", width + 1, height + 1)?;
    for square in board.all().squares() {
        let (x, y) = corner(square);
        let any = |set: fn(&dsq_tables::board::Board, Side) -> dsq_tables::board::Bitboard| {
            Side::BOTH.iter().any(|&side| set(board, side).contains(square))
        };
        let colour = match () {
            () if board.water().contains(square) => "#a9d3ee",
            () if any(dsq_tables::board::Board::den) => "#e3b04b",
            () if any(dsq_tables::board::Board::traps) => "#d9c7a0",
            () => "#eef3e2",
        };
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{colour}\" stroke=\"#777\"/>"
        )?;
    }
    let label = |x: u32, y: u32, text: &str| {
        format!("<text x=\"{x}\" y=\"{y}\" font-size=\"14\" text-anchor=\"middle\" fill=\"currentColor\">{text}</text>")
    };
    for (file, name) in (0..files).zip('a'..='z') {
        writeln!(out, "{}", label(EDGE + file * CELL + CELL / 2, height - 5, &name.to_string()))?;
    }
    for rank in 0..ranks {
        writeln!(out, "{}", label(EDGE / 2, (ranks - 1 - rank) * CELL + CELL / 2 + 5, &(rank + 1).to_string()))?;
    }
    if let Some((from, to)) = squares {
        let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
        writeln!(out, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#c22\" stroke-width=\"5\"/>")?;
    }
    for (piece, square) in position.pieces() {
        let (x, y) = middle(square);
        let (fill, ink) = if piece.side == Side::White { ("#fff", "#111") } else { ("#222", "#fff") };
        let letter = rules.piece_letter(piece);
        writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"15\" fill=\"{fill}\" stroke=\"#111\" stroke-width=\"1.5\"/>\
             <text x=\"{x}\" y=\"{}\" font-size=\"18\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"{ink}\">{letter}</text>",
            y + 6
        )?;
    }
    if let Some((_, to)) = squares {
        // Above the pieces, so that a captured one does not hide it.
        let (x, y) = middle(to);
        writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"17\" fill=\"none\" stroke=\"#c22\" stroke-width=\"4\"/>")?;
    }
    writeln!(out, "</svg>")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nothing_of_a_text_is_taken_for_the_page() {
        assert_eq!(escape("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b\u{0}c\nd"), "a\u{fffd}b\u{fffd}c\nd");
    }

    #[test]
    fn words_stand_below_their_headings() {
        let mut out = Vec::new();
        let row = vec!["a".to_owned(), "b <c>".to_owned(), "3".to_owned()];
        table(&mut out, &["first", "second", "third"], &[1], std::iter::once(row)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("<th scope=\"col\" class=\"words\">second</th><th scope=\"col\">third</th>"), "{text}");
        assert!(text.contains("<td class=\"words\">b &lt;c&gt;</td><td>3</td>"), "{text}");
    }

    #[test]
    fn every_square_and_piece_is_drawn() {
        let rules = Rules::load("classic").unwrap();
        let position = Position::start(&rules);
        let mut out = Vec::new();
        board(&mut out, &rules, &position, Some((Square::new(0), Square::new(7)))).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches("<rect").count(), 63);
        assert_eq!(text.matches("#a9d3ee").count(), 12);
        assert_eq!(text.matches("#e3b04b").count(), 2);
        assert_eq!(text.matches("#d9c7a0").count(), 6);
        assert_eq!(text.matches("r=\"15\"").count(), 16);
        // The ring of the move comes last, and so above all pieces.
        assert!(text.rfind("r=\"17\"") > text.rfind("r=\"15\""), "{text}");
        assert!(text.contains("<line x1=\"42\" y1=\"340\" x2=\"42\" y2=\"300\""), "{text}");
    }
}
