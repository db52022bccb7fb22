//! No import circle between the files of a crate: whoever wants to read a file can read what it uses first.
//!
//! A file imports another when it names something that is defined there, in a `use` or in a path. A re-export is no import of
//! the file that has it, and who uses the re-export imports the file behind it. What stands under `#[cfg(test)]` is left out.

mod graph;
mod source;

use graph::{Edge, circles};
use source::Crate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates of the workspace by their folder, with the file that is their root.
const CRATES: [(&str, &str); 3] = [("tables", "lib.rs"), ("solver", "lib.rs"), ("tools", "main.rs")];

/// The most files, tests left out, that may name a metric: a new one has to be thought of in each.
const FILES_WITH_METRICS: usize = 10;

/// The files of a folder and those inside it, by their path in it, with `/` between folders.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            files.extend(texts(&path).into_iter().map(|(inside, text)| (format!("{name}/{inside}"), text)));
        } else if name.ends_with(".rs") {
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    files
}

/// A crate of the workspace.
fn load(folder: &str, root: &str) -> Crate {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Crate::read(root, &texts(&workspace.join(folder).join("src")))
}

/// An invented crate.
fn invented(files: &[(&str, &str)]) -> Crate {
    let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    Crate::read("lib.rs", &files)
}

/// The files of each circle.
fn files_in_circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let found = circles(&invented(files).imports());
    found.into_iter().map(|circle| circle.files.into_iter().collect()).collect()
}

#[test]
fn no_files_of_a_crate_import_one_another() {
    let mut found = String::new();
    for (folder, root) in CRATES {
        let read = load(folder, root);
        assert!(read.files().len() > 10, "{folder}: only {} files read", read.files().len());
        let imports = read.imports();
        assert!(imports.len() > read.files().len(), "{folder}: only {} imports found", imports.len());
        for circle in circles(&imports) {
            found.push_str(&format!("{folder}/src: {circle}\n"));
        }
    }
    assert!(found.is_empty(), "import circles:\n{found}");
}

#[test]
fn few_files_know_the_metrics() {
    let mut found = BTreeSet::new();
    for (folder, root) in CRATES {
        let read = load(folder, root);
        found.extend(read.files_naming("Metric").into_iter().map(|file| format!("{folder}/src/{file}")));
    }
    assert!(!found.is_empty(), "nobody names a metric: is it called something else?");
    assert!(found.len() <= FILES_WITH_METRICS, "{} files name a metric: {found:#?}", found.len());
}

#[test]
fn a_circle_is_found_whatever_way_it_is_written() {
    let root = ("lib.rs", "mod a;\nmod b;\n");
    let b = ("b.rs", "use crate::a::A;\npub struct B(A);\n");
    for a in [
        "use crate::b::B;\npub struct A(B);\n",
        "use super::b::{self, B as Other};\npub struct A;\n",
        "use crate::b;\npub struct A(b::B);\n",
        "use crate::{b as other};\npub fn f() { other::B::new() }\npub struct A;\n",
        "pub struct A;\nfn f() { assert!(crate::b::B::new()) }\n",
        "pub struct A;\nfn f() { use crate::b::*; B::new() }\n",
        "pub use crate::b::B;\npub struct A;\nfn f(_: B) {}\n",
        "pub struct A;\n#[cfg(unix)]\nmod inside { use super::super::b::B; }\n",
    ] {
        assert_eq!(files_in_circles(&[root, ("a.rs", a), b]), [["a.rs", "b.rs"]], "{a}");
    }
    for a in [
        "pub use crate::b::B;\npub struct A;\n",
        "pub struct A;\n// crate::b::B\n/// [`crate::b::B`]\nfn f() -> &'static str { \"crate::b::B\" }\n",
        "pub struct A;\n#[cfg(test)]\nmod tests { use crate::b::B; }\n",
        "pub struct A;\n#[cfg(test)]\nuse crate::b::B;\n",
        "use std::b::B;\npub struct A(other::b::B);\n",
        "pub struct A;\nimpl A { fn b(&self) { self.b::<B>() } }\n",
    ] {
        assert_eq!(files_in_circles(&[root, ("a.rs", a), b]), [] as [Vec<String>; 0], "{a}");
    }
}

#[test]
fn a_file_and_its_child_are_a_circle_if_each_uses_the_other() {
    let child = ("a/child.rs", "use super::Shared;\npub struct Child(Shared);\npub fn work() {}\n");
    let with = |a: &'static str| files_in_circles(&[("lib.rs", "pub mod a;\n"), ("a/mod.rs", a), child]);
    for a in [
        "mod child;\npub struct Shared;\nfn f() { child::work() }\n",
        "mod child;\nuse child::Child;\npub struct Shared;\n",
        "mod child;\nuse self::child::{Child, work};\npub struct Shared;\n",
    ] {
        assert_eq!(with(a), [["a/child.rs", "a/mod.rs"]], "{a}");
    }
    for a in ["mod child;\npub struct Shared;\n", "mod child;\npub use child::Child;\npub struct Shared;\n"] {
        assert_eq!(with(a), [] as [Vec<String>; 0], "{a}");
    }
}

#[test]
fn a_re_export_leads_to_the_file_behind_it() {
    // Both names come through `a/mod.rs`, which is no part of the circle.
    let circle = files_in_circles(&[
        ("lib.rs", "pub mod a;\n"),
        ("a/mod.rs", "mod one;\nmod two;\npub use one::One;\npub use two::*;\n"),
        ("a/one.rs", "use super::Two;\npub struct One;\n"),
        ("a/two.rs", "use crate::a::One;\npub struct Two;\n"),
    ]);
    assert_eq!(circle, [["a/one.rs", "a/two.rs"]]);
    // A function and its module of the same name.
    let circle = files_in_circles(&[
        ("lib.rs", "pub mod a;\nmod b;\n"),
        ("a/mod.rs", "mod solve;\npub use solve::solve;\npub struct Other;\n"),
        ("a/solve.rs", "use crate::b::help;\npub fn solve() {}\n"),
        ("b.rs", "use crate::a::solve;\npub fn help() { solve() }\n"),
    ]);
    assert_eq!(circle, [["a/solve.rs", "b.rs"]]);
}

#[test]
fn a_circle_is_printed_with_the_lines_that_make_it() {
    let read = invented(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "\nuse crate::b::B;\n\npub struct A(B);\n"),
        ("b.rs", "pub struct B(crate::c::C);\n"),
        ("c.rs", "pub struct C;\n\nfn f() -> super::a::A {}\n"),
    ]);
    let found = circles(&read.imports());
    let [circle] = found.as_slice() else { panic!("{found:?}") };
    let expected = Edge { from: "a.rs".into(), to: "b.rs".into(), line: 2, path: "crate::b::B".into() };
    assert!(circle.edges.contains(&expected), "{circle:?}");
    let expected = "3 files\n  a.rs:2 imports b.rs (crate::b::B)\n  b.rs:1 imports c.rs (crate::c::C)\n  \
                    c.rs:3 imports a.rs (super::a::A)";
    assert_eq!(circle.to_string(), expected);
}

#[test]
fn files_that_name_a_type_are_counted_without_their_tests() {
    let read = invented(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "use crate::b::Metric;\nfn f() { Metric::One }\n"),
        ("b.rs", "pub enum Metric { One }\n#[cfg(test)]\nmod tests { fn f() { Metric::One } }\n"),
        ("c.rs", "fn f() { matches!(x, crate::b::Metric::One) }\n"),
    ]);
    assert_eq!(read.files_naming("Metric").into_iter().collect::<Vec<_>>(), ["a.rs", "c.rs"]);
}
