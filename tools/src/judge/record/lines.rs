//! Games as JSON objects, one a line.

use super::parts::{Broken, Record, Tag, Written, beginning, visible};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    fen: Option<String>,
    moves: Vec<String>,
    rules: Option<String>,
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    #[serde(alias = "draw-after-quiet-plies")]
    draw_after_quiet_plies: Option<u32>,
}

/// Reads all games; empty lines are skipped, fields that are not known as well.
pub(super) fn read(text: &str) -> Vec<Record> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| game(index + 1, line)).collect()
}

fn game(line: usize, text: &str) -> Record {
    let mut record = Record { line, ..Record::default() };
    match serde_json::from_str::<Line>(text) {
        Ok(read) => {
            let tags = [
                ("FEN", read.fen),
                ("Rules", read.rules),
                ("White", read.white),
                ("Black", read.black),
                ("Result", read.result),
                ("DrawAfterQuietPlies", read.draw_after_quiet_plies.map(|plies| plies.to_string())),
            ];
            let there = tags
                .into_iter()
                .filter_map(|(name, value)| Some(Tag { name: name.to_owned(), value: visible(&value?), line }));
            record.tags = there.collect();
            record.moves = read.moves.into_iter().map(|text| Written { text, line }).collect();
        }
        Err(error) => {
            // The place that the parser names is one in the line.
            let words = error.to_string();
            let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
            let reason = format!("column {}: {words}: {}", error.column(), beginning(text));
            record.broken = Some(Broken { line, reason });
        }
    }
    record
}
