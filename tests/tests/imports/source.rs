//! The modules of a crate, what each of them defines and names, and where the names lead.

use super::graph::Edge;
use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Several names with `::` between them, and the line they stand in.
#[derive(Clone, Debug)]
struct Named {
    segments: Vec<String>,
    line: usize,
}

/// One name of a `use`.
#[derive(Clone, Debug)]
struct Use {
    /// What is named; for `a::*` that is `a`.
    named: Named,
    /// What it is called here; none for `*`.
    binding: Option<String>,
    /// Whether others may see it.
    exported: bool,
}

/// A module, in a file of its own or inside another.
#[derive(Default, Debug)]
struct Module {
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// The names that are defined here.
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// All other paths, those of a single name among them.
    paths: Vec<Named>,
}

/// Where a path leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Module(usize),
    /// Something that is defined in this module, or something inside it.
    Item(usize),
}

/// The modules of a crate that are compiled without tests; the first is the root.
#[derive(Debug)]
pub(super) struct Crate {
    modules: Vec<Module>,
}

/// Re-exports that lead in a circle end here.
const DEEPEST: usize = 16;

impl Crate {
    /// Reads the modules that the root leads to, from the texts of all files.
    ///
    /// # Panics
    /// If a file is missing or is no Rust.
    pub(super) fn read(root: &str, files: &BTreeMap<String, String>) -> Crate {
        let mut read = Crate { modules: Vec::new() };
        read.add_file(root.to_owned(), None, String::new(), files);
        read
    }

    /// The names of the files.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        self.modules.iter().map(|module| module.file.as_str()).collect()
    }

    /// The files with a path that has something behind this name, such as a variant.
    pub(super) fn files_naming(&self, name: &str) -> BTreeSet<&str> {
        let within = |named: &Named| named.segments.iter().rev().skip(1).any(|segment| segment == name);
        let names = |module: &&Module| module.paths.iter().chain(module.uses.iter().map(|one| &one.named)).any(within);
        self.modules.iter().filter(names).map(|module| module.file.as_str()).collect()
    }

    /// Which files import which.
    ///
    /// # Panics
    /// If a path into the crate leads nowhere: then this file does not understand the crate.
    pub(super) fn imports(&self) -> BTreeSet<Edge> {
        let mut edges: BTreeMap<(&str, &str), (usize, String)> = BTreeMap::new();
        for (number, module) in self.modules.iter().enumerate() {
            let mut import = |to: usize, named: &Named| {
                let to = self.modules[to].file.as_str();
                if to != module.file {
                    let found = (named.line, named.segments.join("::"));
                    let first = edges.entry((&module.file, to)).or_insert_with(|| found.clone());
                    *first = found.min(first.clone());
                }
            };
            let starts: BTreeSet<&str> = module.paths.iter().map(|named| named.segments[0].as_str()).collect();
            for one in &module.uses {
                let named = &one.named;
                match (self.target(number, &named.segments, 0), &one.binding) {
                    (Some(Target::Item(to)), Some(binding)) => {
                        if !one.exported || starts.contains(binding.as_str()) {
                            import(to, named);
                        }
                    }
                    // Of a module it is said where what is in it is used.
                    (Some(Target::Module(_)), Some(_)) => {}
                    (Some(Target::Module(all)), None) => {
                        for name in &starts {
                            if let Some(Target::Item(to)) = self.inside(all, name, true, 0) {
                                import(to, named);
                            }
                        }
                    }
                    (Some(Target::Item(to)), None) => import(to, named),
                    (None, _) => assert!(!leads_inside(named), "{}: {named:?} leads nowhere", module.file),
                }
            }
            for named in module.paths.iter().filter(|named| named.segments.len() > 1) {
                match self.target(number, &named.segments, 0) {
                    Some(Target::Item(to)) => import(to, named),
                    Some(Target::Module(_)) => {}
                    None => assert!(!leads_inside(named), "{}: {named:?} leads nowhere", module.file),
                }
            }
        }
        let edge =
            |((from, to), (line, path)): ((&str, &str), _)| Edge { from: from.into(), to: to.into(), line, path };
        edges.into_iter().map(edge).collect()
    }

    /// Where a path in a module leads; none if that is outside the crate.
    fn target(&self, module: usize, segments: &[String], depth: usize) -> Option<Target> {
        let mut here = module;
        let mut rest = segments;
        match segments[0].as_str() {
            "crate" => (here, rest) = (0, &segments[1..]),
            "self" => rest = &segments[1..],
            "super" => {
                while let Some((_, after)) = rest.split_first().filter(|(first, _)| *first == "super") {
                    (here, rest) = (self.modules[here].parent?, after);
                }
            }
            _ => {}
        }
        for (index, name) in rest.iter().enumerate() {
            match self.inside(here, name, index + 1 == rest.len(), depth)? {
                Target::Module(next) => here = next,
                item @ Target::Item(_) => return Some(item),
            }
        }
        Some(Target::Module(here))
    }

    /// What a name means in a module. A module and something else may share a name: the one is meant in the middle of a path,
    /// the other at its end.
    fn inside(&self, module: usize, name: &str, last: bool, depth: usize) -> Option<Target> {
        let here = &self.modules[module];
        let child = here.children.get(name).map(|&child| Target::Module(child));
        if !last && child.is_some() {
            return child;
        }
        if here.items.contains(name) {
            return Some(Target::Item(module));
        }
        if depth > DEEPEST {
            return child;
        }
        let mut through = None;
        for one in &here.uses {
            let found = match &one.binding {
                // `use a::a` names something else than itself.
                Some(binding) if binding == name && one.named.segments != [name] => {
                    self.target(module, &one.named.segments, depth + 1)
                }
                None => match self.target(module, &one.named.segments, depth + 1) {
                    Some(Target::Module(all)) if all != module => self.inside(all, name, last, depth + 1),
                    _ => None,
                },
                Some(_) => None,
            };
            match found {
                Some(Target::Item(_)) => return found,
                Some(Target::Module(_)) => through = found,
                None => {}
            }
        }
        through.or(child)
    }

    /// Reads a file; `folder` is where the files of its children are, with a `/` behind it.
    fn add_file(
        &mut self,
        file: String,
        parent: Option<usize>,
        folder: String,
        files: &BTreeMap<String, String>,
    ) -> usize {
        let text = files.get(&file).unwrap_or_else(|| panic!("{file} is not there"));
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
        self.add_module(file, parent, &folder, tokens, files)
    }

    fn add_module(
        &mut self,
        file: String,
        parent: Option<usize>,
        folder: &str,
        tokens: TokenStream,
        files: &BTreeMap<String, String>,
    ) -> usize {
        let number = self.modules.len();
        self.modules.push(Module { file: file.clone(), parent, ..Module::default() });
        let mut reader = Reader::default();
        reader.module(tokens);
        let Reader { items, uses, paths, children } = reader;
        for (name, inside) in children {
            let child_folder = format!("{folder}{name}/");
            let child = match inside {
                Some(group) => self.add_module(file.clone(), Some(number), &child_folder, group.stream(), files),
                None => {
                    let names = [format!("{folder}{name}.rs"), format!("{child_folder}mod.rs")];
                    let there = names.iter().find(|name| files.contains_key(*name));
                    let there = there.unwrap_or_else(|| panic!("{file}: no file for the module {name}"));
                    self.add_file(there.clone(), Some(number), child_folder, files)
                }
            };
            self.modules[number].children.insert(name, child);
        }
        let module = &mut self.modules[number];
        (module.items, module.uses, module.paths) = (items, uses, paths);
        number
    }
}

/// Whether a path says itself that it leads into the crate.
fn leads_inside(named: &Named) -> bool {
    matches!(named.segments[0].as_str(), "crate" | "self" | "super") && named.segments.len() > 1
}

/// Takes a module apart.
#[derive(Default)]
struct Reader {
    items: BTreeSet<String>,
    uses: Vec<Use>,
    paths: Vec<Named>,
    children: Vec<(String, Option<Group>)>,
}

impl Reader {
    /// The tokens of a module: what is defined here, and everything inside.
    fn module(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.step(&tokens, at, true);
        }
    }

    /// The tokens of anything else.
    fn body(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.step(&tokens, at, false);
        }
    }

    /// Reads at a token, and says where the next is.
    fn step(&mut self, tokens: &[TokenTree], at: usize, in_module: bool) -> usize {
        match &tokens[at] {
            TokenTree::Group(group) => {
                self.body(group.stream());
                at + 1
            }
            TokenTree::Punct(punct) if punct.as_char() == '#' && is_test_only(tokens.get(at + 1)) => {
                end_of_item(tokens, at + 2)
            }
            TokenTree::Ident(ident) if *ident == "use" => self.read_use(tokens, at),
            TokenTree::Ident(ident) => {
                if in_module && let Some(name) = defined(ident, tokens, at) {
                    if *ident == "mod" {
                        let inside = tokens.get(at + 2).and_then(group_of);
                        self.children.push((name, inside));
                        return at + 3;
                    }
                    self.items.insert(name);
                }
                self.path(tokens, at)
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => at + 1,
        }
    }

    /// A path that begins here, unless this is the name of a field, a method, a lifetime or something that is defined.
    fn path(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let (segments, end) = path_at(tokens, at);
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let a_name = match before {
            Some(TokenTree::Punct(punct)) => {
                // `..name` is no field.
                let dots = at >= 2 && matches!(&tokens[at - 2], TokenTree::Punct(two) if two.as_char() == '.');
                punct.as_char() == '\''
                    || punct.as_char() == '.' && !dots
                    || punct.as_char() == ':' && is_double(tokens, at)
            }
            Some(TokenTree::Ident(word)) => {
                ["fn", "struct", "enum", "trait", "type", "const", "static", "mod"].iter().any(|key| word == key)
            }
            _ => false,
        };
        if !a_name {
            self.paths.push(Named { segments, line: line_of(&tokens[at]) });
        }
        end
    }

    /// A `use` that begins here.
    fn read_use(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let end = (at..tokens.len()).find(|&end| is_punct(&tokens[end], ';')).unwrap_or(tokens.len());
        // `use<'a>` in a bound is no import.
        if tokens.get(at + 1).is_some_and(|token| is_punct(token, '<')) {
            return at + 1;
        }
        let exported = at.checked_sub(1).is_some_and(|before| match &tokens[before] {
            TokenTree::Ident(word) => *word == "pub",
            TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
            _ => false,
        });
        self.use_tree(&tokens[at + 1..end], &[], exported);
        end + 1
    }

    /// What stands behind `prefix::` in a `use`.
    fn use_tree(&mut self, tokens: &[TokenTree], prefix: &[String], exported: bool) {
        let mut segments = prefix.to_vec();
        let Some(first) = tokens.first() else { return };
        let line = line_of(first);
        let mut binding = None;
        let mut rest = tokens.iter();
        while let Some(token) = rest.next() {
            match token {
                TokenTree::Ident(word) if *word == "as" => binding = rest.next().map(ToString::to_string),
                // `a::{self}` is `a`.
                TokenTree::Ident(word) if *word == "self" && !segments.is_empty() => {}
                TokenTree::Ident(word) => segments.push(word.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    self.uses.push(Use { named: Named { segments, line }, binding: None, exported });
                    return;
                }
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    for part in inside.split(|token| is_punct(token, ',')) {
                        self.use_tree(part, &segments, exported);
                    }
                    return;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        let binding = binding.or_else(|| segments.last().cloned());
        self.uses.push(Use { named: Named { segments, line }, binding, exported });
    }
}

fn line_of(token: &TokenTree) -> usize {
    token.span().start().line
}

fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

fn group_of(token: &TokenTree) -> Option<Group> {
    match token {
        TokenTree::Group(group) => Some(group.clone()),
        _ => None,
    }
}

/// Whether the two tokens before this place are `::`.
fn is_double(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2
        && matches!(&tokens[at - 2], TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

/// The name that is defined by the word at this place.
fn defined(word: &Ident, tokens: &[TokenTree], at: usize) -> Option<String> {
    let keys = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "mod", "macro_rules"];
    if !keys.iter().any(|key| word == key) {
        return None;
    }
    let mut behind = tokens[at + 1..].iter().skip_while(|token| is_punct(token, '!') || is_word(token, "mut"));
    match behind.next() {
        Some(TokenTree::Ident(name)) if *name != "fn" && *name != "unsafe" => Some(name.to_string()),
        _ => None,
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

/// The path that begins here and the place behind it.
fn path_at(tokens: &[TokenTree], at: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[at].to_string()];
    let mut end = at + 1;
    while let [one, two, TokenTree::Ident(next), ..] = &tokens[end..] {
        if !is_punct(one, ':') || !is_punct(two, ':') {
            break;
        }
        segments.push(next.to_string());
        end += 3;
    }
    (segments, end)
}

/// Whether this is the bracket of an attribute such as `#[cfg(test)]` or `#[cfg(all(test, unix))]`.
fn is_test_only(bracket: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(bracket)) = bracket else { return false };
    let inside: Vec<TokenTree> = bracket.stream().into_iter().collect();
    let [TokenTree::Ident(cfg), TokenTree::Group(condition)] = inside.as_slice() else { return false };
    let condition: Vec<TokenTree> = condition.stream().into_iter().collect();
    let holds = |tokens: &[TokenTree]| matches!(tokens, [word] if is_word(word, "test"));
    *cfg == "cfg"
        && match condition.as_slice() {
            [TokenTree::Ident(all), TokenTree::Group(inside)] if *all == "all" => {
                let inside: Vec<TokenTree> = inside.stream().into_iter().collect();
                inside.split(|token| is_punct(token, ',')).any(holds)
            }
            tokens => holds(tokens),
        }
}

/// The place behind the item that begins here, attributes included.
fn end_of_item(tokens: &[TokenTree], start: usize) -> usize {
    let mut at = start;
    // What has a value ends with a semicolon, whatever stands in the value.
    let mut has_value = false;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Ident(word) if ["const", "static", "use", "let"].iter().any(|key| word == key) => {
                has_value = !tokens.get(at).is_some_and(|next| is_word(next, "fn"));
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !has_value => return at,
            token if is_punct(token, ';') => return at,
            _ => {}
        }
    }
    at
}
