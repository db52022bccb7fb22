//! `dsq check`: engines, games and rules.

mod engine;
mod games;
mod rules;

use dsq_tests::Tables;
use serde_json::Value as Json;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// A word that no other process has in its command.
fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("marker-{}-{}-end", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst))
}

/// The commands of all processes with this word. Only Linux tells.
fn processes_with(marker: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let commands = entries.flatten().filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let texts = commands.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    texts.filter(|text| text.contains(marker)).collect()
}

#[track_caller]
fn assert_gone(marker: &str) {
    assert_eq!(processes_with(marker), Vec::<String>::new());
}

/// The command of a scripted engine that knows the tables.
fn scripted(tables: &Tables, words: &str) -> String {
    let program = env!("CARGO_BIN_EXE_scripted_engine");
    format!("'{program}' --dir '{}' {words}", tables.folder().display())
}

fn text<'a>(object: &'a Json, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_else(|| panic!("no {field} in {object}"))
}

/// Writes a dialect file.
fn dialect(folder: &TempDir, text: &str) -> String {
    let path = folder.path().join("dialect.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}
