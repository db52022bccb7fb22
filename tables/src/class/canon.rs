//! When two materials are alike: what is true of their pieces in each view of the board, brought into one order.

use crate::board::{Bitboard, Board, Side, Square, Symmetry};
use crate::material::Material;
use crate::rules::{MAX_ANIMALS, Piece, Rules};
use std::collections::HashMap;

/// The ways to look at the board: how it is turned, and whether the colours are swapped. Two of them one after the other are
/// again one of them. So the smallest of the keys of a material in all views is the same for all materials that some view
/// takes to each other.
pub(super) const VIEWS: [(Symmetry, bool); 4] =
    [(Symmetry::Identity, false), (Symmetry::HalfTurn, true), (Symmetry::Flip, true), (Symmetry::Mirror, false)];

/// The place of the mirror among the views.
const MIRROR: usize = 3;

/// A material as seen in one view, brought into its smallest order.
#[derive(Clone)]
pub(super) struct Arranged {
    pub(super) key: Vec<u32>,
    pub(super) pieces: Vec<Piece>,
    pub(super) view: usize,
}

const PIECES: usize = 2 * MAX_ANIMALS;

/// Everything that is true of pairs of pieces, as small numbers: equal numbers mean equal facts.
#[derive(Debug)]
struct Facts {
    /// How a piece moves, by piece.
    moves: Vec<u32>,
    /// How one piece takes another, and how one stops the other's jumps; by pair of pieces.
    pairs: Vec<u32>,
}

/// The facts of a rule set in all views.
#[derive(Debug)]
pub(super) struct Canon {
    /// One for each of [`VIEWS`].
    facts: Vec<Facts>,
}

impl Canon {
    pub(super) fn new(rules: &Rules) -> Canon {
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        Canon { facts: VIEWS.iter().map(|&(symmetry, _)| facts(rules, symmetry, &mut known)).collect() }
    }

    /// True if the mirror image of every position of the material has the same value.
    pub(super) fn has_mirror(&self, material: Material) -> bool {
        let pieces: Vec<Piece> = material.pieces().collect();
        key(&self.facts[0], &pieces, 0) == key(&self.facts[MIRROR], &pieces, 0)
    }

    /// A material in all views.
    pub(super) fn arrangements(&self, material: Material) -> [Arranged; VIEWS.len()] {
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
