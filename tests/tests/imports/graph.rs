//! Which files import which, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// That a file imports another, with the first line that says so.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) line: usize,
    pub(super) path: String,
}

/// Files that import one another, over others perhaps.
#[derive(Clone, Debug)]
pub(super) struct Circle {
    pub(super) files: BTreeSet<String>,
    /// The imports between them.
    pub(super) edges: Vec<Edge>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} files", self.files.len())?;
        for Edge { from, to, line, path } in &self.edges {
            write!(f, "\n  {from}:{line} imports {to} ({path})")?;
        }
        Ok(())
    }
}

/// All files that can be reached from one along the imports.
fn reached<'a>(from: &'a str, next: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        let ends = next.get(file).into_iter().flatten();
        open.extend(ends.filter(|&&end| seen.insert(end)));
    }
    seen
}

/// The circles among imports: the largest sets of files each of which reaches all others.
pub(super) fn circles(edges: &BTreeSet<Edge>) -> Vec<Circle> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for edge in edges {
        next.entry(&edge.from).or_default().insert(&edge.to);
    }
    let reach: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|&file| (file, reached(file, &next))).collect();
    let both = |one: &str, other: &str| {
        reach[one].contains(other) && reach.get(other).is_some_and(|files| files.contains(one))
    };
    let mut found: BTreeMap<BTreeSet<String>, Vec<Edge>> = BTreeMap::new();
    for &file in next.keys() {
        let files: BTreeSet<String> =
            reach[file].iter().filter(|end| both(file, end)).map(|&end| end.to_owned()).collect();
        if files.len() > 1 {
            let inside = |edge: &&Edge| files.contains(&edge.from) && files.contains(&edge.to);
            let edges = edges.iter().filter(inside).cloned().collect();
            found.insert(files, edges);
        }
    }
    found.into_iter().map(|(files, edges)| Circle { files, edges }).collect()
}
