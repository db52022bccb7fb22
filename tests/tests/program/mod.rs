//! The program from outside, one file for each verb or a folder where one is not enough: exit codes, the one line of every
//! refusal, the words of its JSON, and what is left in the folder of the tables when something goes wrong.

mod check;
mod damaged;
mod engine;
mod export;
mod full_disk;
mod generate;
mod limit;
mod missing;
mod moves;
mod probe;
mod rules;
mod stats;
mod usage;
mod verify;

use dsq_tests::program::Dsq;
use dsq_tests::{Shared, Tables, catalog, class_of, files_of};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const LOST: &str = "7/7/3e3/7/7/7/3E3/7/7 w";
const WON: &str = "t6/7/T6/7/7/7/7/7/7 w";
const DRAWN: &str = "4d2/7/7/7/7/C6/7/7/7 w";

/// All tables of up to three pieces, only to be read.
fn tables() -> Arc<Tables> {
    static SHARED: Shared = Shared::new();
    SHARED.get(|| Tables::up_to("classic", &[], 3))
}

fn dsq(tables: &Tables) -> Dsq {
    Dsq::in_folder(tables.folder())
}

/// Tables of a few materials with what they rest on, to be damaged.
fn some_tables(materials: &[&str]) -> Tables {
    let catalog = catalog("classic", &[]);
    let classes: Vec<_> = materials.iter().map(|material| class_of(&catalog, material)).collect();
    Tables::generate(&catalog, classes)
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The object without the fields that may be added.
fn only(object: &Value, keys: &[&str]) -> Value {
    Value::Object(keys.iter().map(|&key| (key.to_owned(), object[key].clone())).collect())
}

#[track_caller]
fn assert_says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{line:?} does not say {part:?}");
    }
}

/// The files whose name is that of a table in a folder of `classic` are whole, and their bytes are those of an undisturbed
/// run.
fn assert_only_whole_tables(folder: &Path, expected: &Tables) -> usize {
    let expected = files_of(expected.folder());
    let found = files_of(folder);
    for (name, bytes) in &found {
        assert!(expected.get(name) == Some(bytes), "{name} is not as an undisturbed run leaves it");
    }
    found.len()
}
