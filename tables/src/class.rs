//! Material classes: which materials share a table.
//!
//! Two materials have the same table when a bijection of their pieces keeps the sides, the way every piece moves (domain,
//! steps, jumps and what stops them) and the whole capture relation. With the bijection the board may be mirrored, or turned
//! (by 180 degrees or upside down) and the colours swapped, if everything fits again. Nothing here knows an animal: all of it
//! is computed from the compiled rules, so a rule set without a symmetry simply has more classes.
//!
//! A class is named after one member, its *representative*; that is the material the table is solved for.

use crate::board::{Bitboard, Board, Side, Square, Symmetry};
use crate::index::{Index, Squares};
use crate::material::{MAX_PIECES, Material};
use crate::position::Position;
use crate::rules::{MAX_ANIMALS, Piece, Rules};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A class of materials with one table.
#[derive(Clone, Debug)]
pub struct Class {
    material: Material,
    name: String,
    symmetric: bool,
    index: Index,
    members: usize,
}

impl Class {
    /// The representative, for which the table is solved.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The name of the class: the text of its representative.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if swapping the colours maps the class to itself. Its table then holds only positions with White to move.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// For how many sides to move the table holds values.
    #[must_use]
    pub fn sides(&self) -> usize {
        if self.symmetric { 1 } else { 2 }
    }

    /// The numbering of its positions.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How many ordered materials are in the class.
    #[must_use]
    pub fn members(&self) -> usize {
        self.members
    }

    /// The position of the representative with this number and this side to move.
    #[must_use]
    pub fn position(&self, turn: Side, number: u64) -> Option<Position> {
        let squares = self.index.squares(number)?;
        let mut position = Position::empty(turn);
        for (piece, square) in self.index.pieces().zip(squares) {
            position.place(piece, square);
        }
        Some(position)
    }
}

/// How the positions of a material with one side to move are found in the table of its class.
#[derive(Clone, Debug)]
pub struct Route {
    /// The pieces of the material in the order of the index of the class.
    pieces: [Piece; MAX_PIECES],
    count: usize,
    /// Where each square goes.
    squares: [u8; 128],
    /// The side to move in the table.
    side: Side,
}

impl Route {
    /// The side to move in the table.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The pieces of the material in the order of the index of the class.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.count]
    }

    /// Where a square of the material's board goes on the board of the class.
    #[must_use]
    pub fn square(&self, square: Square) -> Square {
        Square::new(self.squares[square.index()])
    }

    /// The squares of a position in the order of the index of the class; none if a piece is missing.
    #[must_use]
    pub fn squares(&self, position: &Position) -> Option<Squares> {
        let mut squares = [Square::new(0); MAX_PIECES];
        for (slot, &piece) in squares.iter_mut().zip(self.pieces()) {
            *slot = self.square(position.square(piece)?);
        }
        Some(squares)
    }
}

/// A material with its class and the ways into its table.
#[derive(Clone, Debug)]
pub struct Member {
    class: Arc<Class>,
    routes: [Route; 2],
}

impl Member {
    /// The class.
    #[must_use]
    pub fn class(&self) -> &Arc<Class> {
        &self.class
    }

    /// The way into the table for a side to move.
    #[must_use]
    pub fn route(&self, turn: Side) -> &Route {
        &self.routes[turn.index()]
    }
}

/// The ways to look at the board: how it is turned, and whether the colours are swapped. Two of them one after the other are
/// again one of them. So the smallest of the keys of a material in all views is the same for all materials that some view
/// takes to each other.
const VIEWS: [(Symmetry, bool); 4] =
    [(Symmetry::Identity, false), (Symmetry::HalfTurn, true), (Symmetry::Flip, true), (Symmetry::Mirror, false)];

/// The place of the mirror among the views.
const MIRROR: usize = 3;

/// Everything that is true of pairs of pieces, as small numbers: equal numbers mean equal facts.
#[derive(Debug)]
struct Facts {
    /// How a piece moves, by piece.
    moves: Vec<u32>,
    /// How one piece takes another, and how one stops the other's jumps; by pair of pieces.
    pairs: Vec<u32>,
}

/// The classes of a rule set, computed when they are first asked for.
#[derive(Debug)]
pub struct Catalog {
    rules: Arc<Rules>,
    /// One for each of [`VIEWS`].
    facts: Vec<Facts>,
    groups: Mutex<HashMap<(usize, usize), Arc<Group>>>,
}

/// The classes with given numbers of pieces, whichever side has more.
#[derive(Debug)]
struct Group {
    classes: Vec<Arc<Class>>,
    members: HashMap<Material, Member>,
}

/// The first member found of a class: it represents it.
struct Found {
    material: Material,
    arranged: [Arranged; VIEWS.len()],
    members: usize,
}

/// A material as seen in one view, brought into its smallest order.
#[derive(Clone)]
struct Arranged {
    key: Vec<u32>,
    pieces: Vec<Piece>,
    view: usize,
}

const PIECES: usize = 2 * MAX_ANIMALS;

impl Catalog {
    /// The catalog of a rule set.
    #[must_use]
    pub fn new(rules: Arc<Rules>) -> Catalog {
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        let facts = VIEWS.iter().map(|&(symmetry, _)| facts(&rules, symmetry, &mut known)).collect();
        Catalog { facts, rules, groups: Mutex::default() }
    }

    /// The rule set.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The class of a material and the way into it; none if a side has no pieces or there are more than [`MAX_PIECES`].
    #[must_use]
    pub fn member(&self, material: Material) -> Option<Member> {
        if !material.has_both_sides() || material.count() > MAX_PIECES {
            return None;
        }
        let group = self.group(material.count_of(Side::White), material.count_of(Side::Black));
        group.members.get(&material).cloned()
    }

    /// All classes with so many pieces. A class without a single placement, on a tiny board, is left out.
    #[must_use]
    pub fn classes(&self, pieces: usize) -> Vec<Arc<Class>> {
        if pieces > MAX_PIECES {
            return Vec::new();
        }
        let mut classes = Vec::new();
        for black in 1..=pieces / 2 {
            let group = self.group(pieces - black, black);
            classes.extend(group.classes.iter().filter(|class| class.index().size() > 0).cloned());
        }
        classes
    }

    /// The class of a material as if that material represented it, not the one that the table is named after. Solved like
    /// that it has the same values, found by the ways of [`Catalog::member`]; that is how classes are tested.
    #[must_use]
    pub fn class_as(&self, material: Material) -> Option<Arc<Class>> {
        let member = self.member(material)?;
        let mut class = Class::clone(member.class());
        class.material = material;
        class.name = material.to_text(&self.rules);
        class.index = Index::new(&self.rules, material, self.has_mirror(material));
        Some(Arc::new(class))
    }

    /// The way of the positions of a class with Black to move to those with White to move, if swapping the colours maps the class
    /// to itself.
    #[must_use]
    pub fn colour_swap(&self, class: &Class) -> Option<Route> {
        if !class.is_symmetric() {
            return None;
        }
        let arranged = self.arrangements(class.material());
        Some(self.route(class, &arranged[0], &arranged, Side::Black))
    }

    /// The classes of the positions that a capture leads to, as long as both sides still have pieces.
    #[must_use]
    pub fn below(&self, class: &Class) -> Vec<Arc<Class>> {
        let material = class.material();
        let mut below: Vec<Arc<Class>> = Vec::new();
        for victim in material.capturable(&self.rules) {
            let rest = material.without(victim);
            if let Some(member) = self.member(rest)
                && !below.iter().any(|other| other.material() == member.class.material())
            {
                below.push(member.class);
            }
        }
        below
    }

    /// The given classes and everything their tables rest on, fewest pieces first.
    #[must_use]
    pub fn closure(&self, classes: impl IntoIterator<Item = Arc<Class>>) -> Vec<Arc<Class>> {
        let mut found: Vec<Arc<Class>> = Vec::new();
        let mut open: Vec<Arc<Class>> = classes.into_iter().collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(class) = open.pop() {
            if class.index().size() > 0 && seen.insert(class.material()) {
                open.extend(self.below(&class));
                found.push(class);
            }
        }
        found.sort_by_key(|class| (class.material().count(), class.index().size(), class.name().to_owned()));
        found
    }

    fn group(&self, white: usize, black: usize) -> Arc<Group> {
        let counts = (white.max(black), white.min(black));
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.entry(counts).or_insert_with(|| Arc::new(self.make_group(counts))).clone()
    }

    fn make_group(&self, (more, fewer): (usize, usize)) -> Group {
        let mut materials = Material::all_with(&self.rules, more, fewer);
        if more != fewer {
            materials.extend(Material::all_with(&self.rules, fewer, more));
        }
        let mut by_key: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut found: Vec<Found> = Vec::new();
        let mut members: Vec<(Material, Arranged, usize)> = Vec::new();
        for material in materials {
            let arranged = self.arrangements(material);
            let best =
                arranged.iter().fold(&arranged[0], |best, other| if other.key < best.key { other } else { best });
            let best = best.clone();
            let class = *by_key.entry(best.key.clone()).or_insert_with(|| {
                found.push(Found { material, arranged, members: 0 });
                found.len() - 1
            });
            found[class].members += 1;
            members.push((material, best, class));
        }
        let make = |&Found { material, ref arranged, members }: &Found| {
            let symmetric = arranged.iter().any(|other| VIEWS[other.view].1 && other.key == arranged[0].key);
            let index = Index::new(&self.rules, material, self.has_mirror(material));
            Arc::new(Class { material, name: material.to_text(&self.rules), symmetric, index, members })
        };
        let classes: Vec<Arc<Class>> = found.iter().map(make).collect();
        let routed = members.into_iter().map(|(material, from, class)| {
            let (class, arranged) = (&classes[class], &found[class].arranged);
            let routes = Side::BOTH.map(|turn| self.route(class, &from, arranged, turn));
            (material, Member { class: class.clone(), routes })
        });
        Group { members: routed.collect(), classes }
    }

    /// The way of the positions arranged as `from` into the table of the class; `arranged` is how that is seen in all views.
    fn route(&self, class: &Class, from: &Arranged, arranged: &[Arranged], turn: Side) -> Route {
        let side = |to: &Arranged| turn.swapped_if(VIEWS[from.view].1 != VIEWS[to.view].1);
        // The table of a symmetric class holds White to move only, and in some view that is the side to move.
        let fits = |to: &&Arranged| to.key == from.key && !(class.symmetric && side(to) == Side::Black);
        let Some(to) = arranged.iter().find(fits) else {
            unreachable!("a member is like its representative in some view")
        };
        let board = self.rules.board();
        let mut squares = [0; 128];
        for square in board.all().squares() {
            let common = board.map(VIEWS[from.view].0, square);
            squares[square.index()] = board.map(VIEWS[to.view].0, common).number();
        }
        let any = from.pieces[0];
        let mut pieces = [any; MAX_PIECES];
        for (slot, piece) in pieces.iter_mut().zip(class.index.pieces()) {
            let place = to.pieces.iter().position(|&other| other == piece).unwrap_or_default();
            *slot = from.pieces[place];
        }
        Route { pieces, count: from.pieces.len(), squares, side: side(to) }
    }

    /// True if the mirror image of every position of the material has the same value.
    fn has_mirror(&self, material: Material) -> bool {
        let pieces: Vec<Piece> = material.pieces().collect();
        key(&self.facts[0], &pieces, 0) == key(&self.facts[MIRROR], &pieces, 0)
    }

    /// A material in all views.
    fn arrangements(&self, material: Material) -> [Arranged; VIEWS.len()] {
        std::array::from_fn(|view| self.arrange(material, view))
    }

    /// The smallest arrangement of a material in a view: first the side that plays White's part there.
    fn arrange(&self, material: Material, view: usize) -> Arranged {
        let facts = &self.facts[view];
        let first = Side::White.swapped_if(VIEWS[view].1);
        let all: Vec<Piece> = material.pieces().collect();
        // What each piece is to all others, whatever the order: only pieces alike in this are worth permuting.
        let kind = |piece: Piece| {
            let mut others: Vec<[u32; 4]> = all
                .iter()
                .filter(|&&other| other != piece)
                .map(|&other| {
                    let same = u32::from(other.side == piece.side);
                    [same, facts.moves[other.index()], facts.pair(piece, other), facts.pair(other, piece)]
                })
                .collect();
            others.sort_unstable();
            (piece.side != first, facts.moves[piece.index()], others)
        };
        let mut sorted = all.clone();
        sorted.sort_by_cached_key(|&piece| kind(piece));
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for i in 0..sorted.len() {
            match runs.last_mut() {
                Some(run) if kind(sorted[run.0]) == kind(sorted[i]) => run.1 = i + 1,
                _ => runs.push((i, i + 1)),
            }
        }
        let firsts = material.count_of(first);
        let mut best = Arranged { key: key(facts, &sorted, firsts), pieces: sorted.clone(), view };
        permute(&mut sorted, &runs, &mut |pieces| {
            let key = key(facts, pieces, firsts);
            if key < best.key {
                best = Arranged { key, pieces: pieces.to_vec(), view };
            }
        });
        best
    }
}

impl Facts {
    fn pair(&self, one: Piece, other: Piece) -> u32 {
        self.pairs[one.index() * PIECES + other.index()]
    }
}

/// Everything that matters about pieces in an order.
fn key(facts: &Facts, pieces: &[Piece], firsts: usize) -> Vec<u32> {
    let mut key = vec![u32::try_from(firsts).unwrap_or(u32::MAX)];
    key.extend(pieces.iter().map(|piece| facts.moves[piece.index()]));
    for &one in pieces {
        key.extend(pieces.iter().map(|&other| if one == other { 0 } else { facts.pair(one, other) }));
    }
    key
}

/// Calls `visit` with every order of the pieces that permutes only inside the runs.
fn permute(pieces: &mut Vec<Piece>, runs: &[(usize, usize)], visit: &mut impl FnMut(&[Piece])) {
    let Some((&(start, end), rest)) = runs.split_first() else { return visit(pieces) };
    if end - start <= 1 {
        return permute(pieces, rest, visit);
    }
    for choice in start..end {
        pieces.swap(start, choice);
        let mut inner = vec![(start + 1, end)];
        inner.extend_from_slice(rest);
        permute(pieces, &inner, visit);
        pieces.swap(start, choice);
    }
}

/// The facts of a rule set with the board mapped by a symmetry. `known` gives equal facts equal numbers, over all views.
fn facts(rules: &Rules, symmetry: Symmetry, known: &mut HashMap<Vec<u8>, u32>) -> Facts {
    let board = rules.board();
    let mut number = |bytes: Vec<u8>| {
        let next = known.len() as u32 + 1;
        *known.entry(bytes).or_insert(next)
    };
    let pieces: Vec<Piece> =
        Side::BOTH.into_iter().flat_map(|side| rules.animals().map(move |animal| Piece { side, animal })).collect();
    let mut facts = Facts { moves: vec![0; PIECES], pairs: vec![0; PIECES * PIECES] };
    for &piece in &pieces {
        facts.moves[piece.index()] = number(describe_moves(rules, board, symmetry, piece));
        for &other in &pieces {
            let description = describe_pair(rules, board, symmetry, piece, other);
            facts.pairs[piece.index() * PIECES + other.index()] = number(description);
        }
    }
    facts
}

/// Edges, mapped and in an order that does not depend on where they came from.
fn describe_edges(
    board: &Board,
    symmetry: Symmetry,
    edges: impl Iterator<Item = (Square, Square, Bitboard)>,
) -> Vec<u8> {
    let mut mapped: Vec<(u8, u8, u128)> = edges
        .map(|(from, to, set)| {
            let place = |square| board.map(symmetry, square).number();
            (place(from), place(to), board.map_set(symmetry, set).bits())
        })
        .collect();
    mapped.sort_unstable();
    mapped.iter().flat_map(|(from, to, set)| [*from, *to].into_iter().chain(set.to_le_bytes())).collect()
}

fn edges_of(rules: &Rules, piece: Piece) -> impl Iterator<Item = (Square, Square, Bitboard)> + '_ {
    let movement = rules.movement(piece);
    let out = move |from: Square| movement.edges(from).iter().map(move |edge| (from, edge.to, edge.between));
    movement.domain().squares().flat_map(out)
}

/// How a piece moves.
fn describe_moves(rules: &Rules, board: &Board, symmetry: Symmetry, piece: Piece) -> Vec<u8> {
    let movement = rules.movement(piece);
    let mut bytes = vec![b'm'];
    bytes.extend(board.map_set(symmetry, movement.domain()).bits().to_le_bytes());
    bytes.extend(describe_edges(board, symmetry, edges_of(rules, piece)));
    bytes
}

/// How `piece` takes `other` (of the other side) and how `other` stops its jumps.
fn describe_pair(rules: &Rules, board: &Board, symmetry: Symmetry, piece: Piece, other: Piece) -> Vec<u8> {
    let movement = rules.movement(piece);
    let same_side = piece.side == other.side;
    let mut bytes = vec![b'p', u8::from(same_side)];
    if !same_side {
        let captures = movement.domain().squares().flat_map(|from| {
            rules.captures(piece, other.animal, from).squares().map(move |to| (from, to, Bitboard::EMPTY))
        });
        bytes.extend(describe_edges(board, symmetry, captures));
    }
    bytes.push(b'j');
    let stops = if same_side { movement.stopped_by().own } else { movement.stopped_by().enemy };
    if stops {
        let stands = rules.movement(other).domain();
        let stopped = edges_of(rules, piece).map(|(from, to, between)| (from, to, between & stands));
        bytes.extend(describe_edges(board, symmetry, stopped.filter(|(_, _, between)| !between.is_empty())));
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rules::RuleSpec;

    fn catalog(rules: &str) -> Catalog {
        Catalog::new(Rules::load(rules).unwrap())
    }

    #[test]
    fn leiden_has_the_known_numbers_of_classes() {
        let catalog = catalog("leiden");
        let counts: Vec<usize> = (2..=5).map(|pieces| catalog.classes(pieces).len()).collect();
        assert_eq!(counts, [10, 42, 134, 340]);
    }

    #[test]
    fn every_material_is_in_one_class() {
        for rules in ["classic", "leiden"] {
            let catalog = catalog(rules);
            for pieces in 2..=4 {
                let classes = catalog.classes(pieces);
                let members: usize = classes.iter().map(|class| class.members()).sum();
                let materials = Material::all(catalog.rules(), pieces);
                assert_eq!(members, materials.len());
                assert!(materials.iter().all(|&material| catalog.member(material).is_some()));
            }
        }
    }

    #[test]
    fn animals_that_differ_only_in_order_share_a_class() {
        let catalog = catalog("classic");
        let rules = catalog.rules().clone();
        let class =
            |text: &str| catalog.member(Material::parse(&rules, text).unwrap()).unwrap().class().name().to_owned();
        assert_eq!(class("C-D"), class("P-E"));
        assert_eq!(class("C-D"), class("D-C"));
        assert_ne!(class("C-D"), class("C-C"));
        assert_ne!(class("T-L"), class("P-L"));
        assert_eq!(class("C-C"), class("E-E"));
    }

    /// The board is the same turned and with its colours swapped, and not in the mirror.
    const TURNED: &str = r#"
name = "turned"
board = """
~..d
..t.
.T..
D..~
"""
[settings]
ranks = "R (NM) C"
swimmers = "R"
[[animal]]
letter = "R"
name = "rat"
[[animal]]
letter = "N"
name = "knight"
steps = [[1, 2], [1, 0], [0, 1], [0, -1]]
[[animal]]
letter = "M"
name = "monkey"
steps = [[-1, 2], [-1, 0], [0, 1], [0, -1]]
[[animal]]
letter = "C"
name = "cat"
"#;

    fn catalog_of(text: &str) -> Catalog {
        Catalog::new(Arc::new(Rules::compile(RuleSpec::parse(text, "test").unwrap()).unwrap()))
    }

    fn class(catalog: &Catalog, material: &str) -> Arc<Class> {
        catalog.member(Material::parse(catalog.rules(), material).unwrap()).unwrap().class().clone()
    }

    #[test]
    fn colours_are_swapped_where_the_board_has_no_mirror() {
        let catalog = catalog_of(TURNED);
        for (one, other) in [("R-C", "C-R"), ("R-N", "N-R"), ("N-M", "M-N"), ("RC-N", "N-RC"), ("NM-C", "C-NM")] {
            assert_eq!(class(&catalog, one).name(), class(&catalog, other).name());
            assert!(!class(&catalog, one).index().has_mirror(), "{one}");
        }
        for own_swap in ["R-R", "N-N", "M-M", "C-C", "RC-RC", "NM-NM"] {
            assert!(class(&catalog, own_swap).is_symmetric(), "{own_swap}");
        }
    }

    #[test]
    fn animals_that_are_mirror_images_share_a_class_where_the_board_has_a_mirror() {
        let even =
            TURNED.replace("~..d", "~dd~").replace("..t.", "....").replace(".T..", "....").replace("D..~", "~DD~");
        let catalog = catalog_of(&even);
        for (one, other) in [("R-N", "R-M"), ("N-N", "M-M"), ("N-M", "M-N"), ("RN-C", "RM-C"), ("RN-M", "RM-N")] {
            assert_eq!(class(&catalog, one).name(), class(&catalog, other).name());
            assert!(!class(&catalog, one).index().has_mirror(), "{one}");
        }
        assert_ne!(class(&catalog, "N-N").name(), class(&catalog, "N-M").name());
        assert!(class(&catalog, "R-C").index().has_mirror());
        assert_ne!(class(&catalog_of(TURNED), "R-N").name(), class(&catalog_of(TURNED), "R-M").name());
    }

    #[test]
    fn a_symmetric_class_routes_black_to_move_to_the_turned_position() {
        let catalog = catalog("classic");
        let rules = catalog.rules().clone();
        let number = |fen: &str| {
            let position = Position::from_fen(&rules, fen).unwrap();
            let member = catalog.member(Material::of(&position)).unwrap();
            let route = member.route(position.turn());
            assert_eq!(route.side(), Side::White);
            member.class().index().number(&route.squares(&position).unwrap())
        };
        let white = number("7/7/3c3/7/7/7/C6/7/7 w");
        assert_eq!(white, number("7/7/6c/7/7/7/3C3/7/7 b"));
        assert_eq!(white, number("7/7/3p3/7/7/7/P6/7/7 w"));
        assert_ne!(white, number("7/7/3c3/7/7/7/C6/7/7 b"));
    }
}
