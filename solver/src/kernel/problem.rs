//! What the kernel knows of one class: the layout of its bit sets and the ways the pieces move in it.
//!
//! The pieces stand in the order of the index of the class. The last one (*inner*) is a word, one bit for each square. The
//! one before it (*lane*) numbers the words of a *row*, by its square. The others (*outer*) choose the row: rows are numbered as
//! the index numbers positions, without those in which two outer pieces would share a square.

use super::numbers::Numbers;
use super::word::Word;
use dsq_tables::board::{Bitboard, Board, Side, Square, Symmetry};
use dsq_tables::class::Class;
use dsq_tables::rules::{Edge, Piece, Rules};

/// A piece of the class and its squares.
#[derive(Clone, Debug)]
pub struct Slot {
    pub piece: Piece,
    /// The squares it can stand on in the layout (of the first piece only the left half, where there is the mirror).
    pub part: Bitboard,
    /// All of its squares.
    pub domain: Bitboard,
    /// What stops its jumps, as bits of slots.
    pub stoppers: u8,
}

/// A way of an outer piece out of a square.
#[derive(Clone, Copy, Debug)]
pub struct OuterEdge<W> {
    pub to: u8,
    /// Squares between; an outer piece that stops jumps must not stand there.
    pub between: Bitboard,
    /// The words' bits for which the inner piece does not stop it.
    pub inner_mask: W,
    /// True if the lane piece can stop it; then it does so from the squares between.
    pub lane_stops: bool,
}

impl<W> OuterEdge<W> {
    /// The squares from which the lane piece stops it.
    pub fn lane_block(&self) -> Bitboard {
        if self.lane_stops { self.between } else { Bitboard::EMPTY }
    }
}

/// A jump of the lane piece.
#[derive(Clone, Copy, Debug)]
pub struct LaneJump<W> {
    pub from: u8,
    pub to: u8,
    pub between: Bitboard,
    pub inner_mask: W,
}

/// A jump of the inner piece between two squares.
#[derive(Clone, Copy, Debug)]
pub struct InnerJump {
    pub from: u8,
    pub to: u8,
    pub between: Bitboard,
    pub lane_stops: bool,
}

/// How the pieces of one side move in the class, dens apart.
#[derive(Clone, Debug)]
pub struct SideMoves<W> {
    pub side: Side,
    /// The outer slots of this side.
    pub outers: Vec<usize>,
    /// For each slot of [`SideMoves::outers`] and each square: the ways out.
    pub outer_edges: Vec<Vec<Vec<OuterEdge<W>>>>,
    /// Steps of the lane piece: by how much the lane changes, and from which lanes (all ones).
    pub lane_steps: Vec<(i32, Vec<W>)>,
    pub lane_jumps: Vec<LaneJump<W>>,
    /// Steps of the inner piece: by how much the bit changes, and from which bits.
    pub inner_steps: Vec<(i32, W)>,
    pub inner_jumps: Vec<InnerJump>,
    /// Whether the lane and the inner piece are of this side.
    pub has_lane: bool,
    pub has_inner: bool,
    /// The squares from which some piece of this side may enter the den at once.
    pub den_doors: Bitboard,
}

/// A class as the kernel sees it.
#[derive(Clone, Debug)]
pub struct Problem<W> {
    pub board: Board,
    pub slots: Vec<Slot>,
    /// How many of the slots are outer.
    pub outers: usize,
    /// The words of a row, a multiple of eight.
    pub lanes: usize,
    /// Rows in all.
    pub rows: usize,
    /// The numbers of the rows.
    numbers: Numbers<W>,
    /// True if the first piece stands on the left half only.
    pub mirror: bool,
    /// Where each square goes in the mirror.
    pub mirrored: [u8; 128],
    /// Groups of bits that move by the same distance in the mirror.
    pub mirror_groups: Vec<(i32, W)>,
    pub moves: [SideMoves<W>; 2],
    pub inner_domain: W,
    pub lane_domain: Bitboard,
}

impl<W: Word> Problem<W> {
    /// Compiles a class.
    pub fn new(rules: &Rules, class: &Class) -> Self {
        let board = rules.board().clone();
        let pieces: Vec<Piece> = class.index().pieces().collect();
        let outers = pieces.len() - 2;
        let mirror = class.index().has_mirror() && outers > 0;
        let mut slots: Vec<Slot> = Vec::new();
        for (number, &piece) in pieces.iter().enumerate() {
            let movement = rules.movement(piece);
            let domain = movement.domain();
            let part = if mirror && number == 0 { domain & board.left_half() } else { domain };
            let stopped_by = movement.stopped_by();
            let stops = |other: &Piece| if other.side == piece.side { stopped_by.own } else { stopped_by.enemy };
            let stoppers = pieces.iter().enumerate().filter(|(i, other)| *i != number && stops(other));
            slots.push(Slot { piece, part, domain, stoppers: stoppers.fold(0, |set, (i, _)| set | 1 << i) });
        }
        let numbers = Numbers::new(rules, &pieces[..outers], mirror);
        let mut mirrored = [0; 128];
        let mut groups: Vec<(i32, Bitboard)> = Vec::new();
        for square in board.all().squares() {
            let image = board.map(Symmetry::Mirror, square);
            mirrored[square.index()] = image.number();
            add_to_group(&mut groups, i32::from(image.number()) - i32::from(square.number()), square);
        }
        let moves = Side::BOTH.map(|side| SideMoves::new(rules, &slots, outers, side));
        let (lane, inner) = (&slots[outers], &slots[outers + 1]);
        Problem {
            lanes: usize::from(board.squares()).next_multiple_of(8),
            rows: numbers.size(),
            numbers,
            mirror,
            mirrored,
            mirror_groups: groups.into_iter().map(|(by, set)| (by, W::from_set(set))).collect(),
            moves,
            inner_domain: W::from_set(inner.domain),
            lane_domain: lane.domain,
            outers,
            slots,
            board,
        }
    }

    /// The slot of the lane piece.
    pub fn lane(&self) -> usize {
        self.outers
    }

    /// The slot of the inner piece.
    pub fn inner(&self) -> usize {
        self.outers + 1
    }

    /// The outer pieces' squares in a row; false if two of them share one, and the row has no positions.
    #[inline]
    pub fn outer_squares(&self, row: usize, squares: &mut [u8; 8]) -> bool {
        let Some(placed) = self.numbers.squares(row) else { return false };
        for (square, placed) in squares[..self.outers].iter_mut().zip(placed) {
            *square = placed.number();
        }
        true
    }

    /// The row of the outer pieces' squares, which differ; with the first piece on the right half, that of the mirror image.
    #[inline]
    pub fn row(&self, squares: &[u8; 8]) -> usize {
        let crossed = self.mirror && !self.slots[0].part.contains(Square::new(squares[0]));
        let squares = squares[..self.outers].iter();
        if crossed {
            self.numbers.number(squares.map(|&square| self.mirrored[usize::from(square)]))
        } else {
            self.numbers.number(squares.copied())
        }
    }

    /// How many rows share the squares of the outer pieces up to a slot.
    pub fn rows_after(&self, slot: usize) -> usize {
        self.numbers.after(slot)
    }

    /// How many rows have each square of the first outer piece; a single one where there is none.
    pub fn slice_rows(&self) -> usize {
        if self.outers == 0 { 1 } else { self.rows_after(0) }
    }

    /// How many squares the first outer piece has.
    pub fn slices(&self) -> usize {
        if self.outers == 0 { 1 } else { self.slots[0].part.count() as usize }
    }

    /// The legal squares of the inner piece for a lane of a row.
    #[inline(always)]
    pub fn legal_word(&self, squares: &[u8; 8], lane: usize) -> W {
        if lane >= usize::from(self.board.squares()) || !self.lane_domain.contains(Square::new(lane as u8)) {
            return W::ZERO;
        }
        let mut word = self.inner_domain & !W::bit(lane);
        for &square in &squares[..self.outers] {
            if usize::from(square) == lane {
                return W::ZERO;
            }
            word &= !W::bit(square.into());
        }
        word
    }

    /// A word in the mirror.
    #[inline(always)]
    pub fn mirror_word(&self, word: W) -> W {
        let mut image = W::ZERO;
        for &(by, group) in &self.mirror_groups {
            image |= (word & group).shifted(by);
        }
        image
    }
}

fn add_to_group(groups: &mut Vec<(i32, Bitboard)>, by: i32, from: Square) {
    match groups.iter_mut().find(|(other, _)| *other == by) {
        Some((_, set)) => set.insert(from),
        None => groups.push((by, from.bit())),
    }
}

impl<W: Word> SideMoves<W> {
    fn new(rules: &Rules, slots: &[Slot], outers: usize, side: Side) -> Self {
        let (lane, inner) = (outers, outers + 1);
        let squares = usize::from(rules.board().squares());
        let stops = |slot: &Slot, other: usize| slot.stoppers >> other & 1 != 0;
        // What stands between and can be the piece of a slot.
        let stopping = |slot: &Slot, other: usize, edge: &Edge| {
            if stops(slot, other) { edge.between & slots[other].domain } else { Bitboard::EMPTY }
        };
        // What lies between and can be occupied by a piece that stops the jump; a jump that nothing can stop is a step.
        let between = |slot: usize, edge: &Edge| {
            let others = (0..slots.len()).filter(|&other| other != slot);
            others.fold(Bitboard::EMPTY, |set, other| set | stopping(&slots[slot], other, edge))
        };
        let of_side: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].piece.side == side).collect();
        let own_outers: Vec<usize> = of_side.iter().copied().filter(|&i| i < outers).collect();
        let edges_of = |slot: usize, from: usize| {
            let all = rules.movement(slots[slot].piece).edges(Square::new(from as u8)).iter();
            all.filter(move |edge| slots[slot].domain.contains(edge.to))
        };
        let outer_edge = |slot: usize, edge: &Edge| OuterEdge {
            to: edge.to.number(),
            between: between(slot, edge),
            inner_mask: !W::from_set(stopping(&slots[slot], inner, edge)),
            lane_stops: !stopping(&slots[slot], lane, edge).is_empty(),
        };
        let outer_edges = own_outers
            .iter()
            .map(|&slot| {
                (0..squares).map(|from| edges_of(slot, from).map(|edge| outer_edge(slot, edge)).collect()).collect()
            })
            .collect();
        let mut lane_groups: Vec<(i32, Bitboard)> = Vec::new();
        let mut lane_jumps = Vec::new();
        let mut inner_groups: Vec<(i32, Bitboard)> = Vec::new();
        let mut inner_jumps = Vec::new();
        let has = |slot: usize| slots[slot].piece.side == side;
        for from in 0..squares {
            let square = Square::new(from as u8);
            for edge in has(lane).then(|| edges_of(lane, from)).into_iter().flatten() {
                let between = between(lane, edge);
                if between.is_empty() {
                    add_to_group(&mut lane_groups, i32::from(edge.to.number()) - from as i32, square);
                } else {
                    let inner_mask = !W::from_set(stopping(&slots[lane], inner, edge));
                    let (from, to) = (square.number(), edge.to.number());
                    lane_jumps.push(LaneJump { from, to, between, inner_mask });
                }
            }
            for edge in has(inner).then(|| edges_of(inner, from)).into_iter().flatten() {
                let between = between(inner, edge);
                if between.is_empty() {
                    add_to_group(&mut inner_groups, i32::from(edge.to.number()) - from as i32, square);
                } else {
                    let lane_stops = !stopping(&slots[inner], lane, edge).is_empty();
                    let (from, to) = (square.number(), edge.to.number());
                    inner_jumps.push(InnerJump { from, to, between, lane_stops });
                }
            }
        }
        let spread = |set: Bitboard| {
            let all = |lane: usize| if set.contains(Square::new(lane as u8)) { W::ALL } else { W::ZERO };
            (0..squares.next_multiple_of(8)).map(all).collect::<Vec<W>>()
        };
        let goal = rules.goal(side);
        let den_doors = of_side
            .iter()
            .flat_map(|&slot| {
                let movement = rules.movement(slots[slot].piece);
                movement
                    .domain()
                    .squares()
                    .filter(|&from| movement.edges(from).iter().any(|edge| goal.contains(edge.to)))
            })
            .collect();
        SideMoves {
            side,
            outers: own_outers,
            outer_edges,
            lane_steps: lane_groups.into_iter().map(|(by, set)| (by, spread(set))).collect(),
            lane_jumps,
            inner_steps: inner_groups.into_iter().map(|(by, set)| (by, W::from_set(set))).collect(),
            inner_jumps,
            has_lane: has(lane),
            has_inner: has(inner),
            den_doors,
        }
    }
}
