//! The classes of a rule set.

use super::Class;
use super::canon::{Arranged, Canon, VIEWS};
use super::route::{Member, Route};
use crate::board::{MAX_SQUARES, Side};
use crate::index::Index;
use crate::material::{MAX_PIECES, Material};
use crate::rules::Rules;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The classes of a rule set, computed when they are first asked for.
#[derive(Debug)]
pub struct Catalog {
    rules: Arc<Rules>,
    canon: Canon,
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

impl Catalog {
    /// The catalog of a rule set.
    #[must_use]
    pub fn new(rules: Arc<Rules>) -> Catalog {
        Catalog { canon: Canon::new(&rules), rules, groups: Mutex::default() }
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
        class.index = Index::new(&self.rules, material, self.canon.has_mirror(material));
        Some(Arc::new(class))
    }

    /// The way of the positions of a class with Black to move to those with White to move, if swapping the colours maps the class
    /// to itself.
    #[must_use]
    pub fn colour_swap(&self, class: &Class) -> Option<Route> {
        if !class.is_symmetric() {
            return None;
        }
        let arranged = self.canon.arrangements(class.material());
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

    /// The given classes and all that their captures lead to, fewest pieces first.
    #[must_use]
    pub fn closure(&self, classes: impl IntoIterator<Item = Arc<Class>>) -> Vec<Arc<Class>> {
        let mut found: Vec<Arc<Class>> = Vec::new();
        let mut open: Vec<Arc<Class>> = classes.into_iter().collect();
        let mut seen = HashSet::new();
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
            let arranged = self.canon.arrangements(material);
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
            let index = Index::new(&self.rules, material, self.canon.has_mirror(material));
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
        let mut squares = [0; MAX_SQUARES];
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::position::Position;
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
