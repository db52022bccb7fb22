//! What the rival looks up: the ways of each piece, forwards and back, and the values below.

use dsq_solver::kernel::Solution;
use dsq_tables::board::{Bitboard, Side, Square, Symmetry};
use dsq_tables::class::{Catalog, Class};
use dsq_tables::index::Squares;
use dsq_tables::material::MAX_PIECES;
use dsq_tables::rules::{Edge, NoMove, Piece, Rules};
use dsq_tables::value::Value;
use rayon::prelude::*;

/// The most ways out of a square, and into it.
const WAYS: usize = 4;

/// The ways of a piece out of a square.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ways {
    /// Where it steps without capture. What nothing can stop is a step.
    pub steps: u64,
    /// True if it enters the den from here.
    pub den: bool,
    /// True if it has jumps here that can be stopped.
    pub jumps: bool,
    /// The squares on which it takes something, and what by slot.
    pub takes: u64,
    pub takes_by: [u64; 5],
    /// The jumps, captures included: target, what lies between, and whether it may land there without capture.
    jump: [(u8, u64, bool); WAYS],
    jump_count: usize,
}

impl Ways {
    /// How many jumps lead to a free square and are not stopped.
    pub fn open_jumps(&self, occupied: u64, stoppers: u64) -> u32 {
        let open =
            |&&(to, between, quiet): &&(u8, u64, bool)| quiet && (occupied >> to & 1) | (between & stoppers) == 0;
        self.jump[..self.jump_count].iter().filter(open).count() as u32
    }

    /// True if the way to a square is a jump that is stopped.
    pub fn is_stopped(&self, to: u8, stoppers: u64) -> bool {
        self.jump[..self.jump_count].iter().any(|&(other, between, _)| other == to && between & stoppers != 0)
    }
}

/// The quiet ways of a piece into a square, taken back. Unused places lead to the square itself, which is never free.
#[derive(Clone, Copy, Debug, Default)]
struct Back {
    from: [u8; WAYS],
    /// What a place changes in the number of the position.
    change: [u32; WAYS],
    between: [u64; WAYS],
}

/// The same for the first piece where the position is the mirror image of the one that is meant.
#[derive(Clone, Copy, Debug, Default)]
struct Across {
    from: [u8; WAYS],
    /// The first piece's part of the number.
    cell: [u32; WAYS],
    between: [u64; WAYS],
    count: usize,
}

/// Everything about a class.
#[derive(Debug)]
pub struct Tables<const N: usize> {
    pieces: [Piece; N],
    /// The squares of each piece, of the first one in the layout only.
    pub domains: [u64; N],
    /// The squares of the first piece.
    pub first_squares: Vec<u8>,
    first_places: [u32; 64],
    /// By slot and square.
    pub ways: Box<[[Ways; 64]; N]>,
    back: Box<[[Back; 64]; N]>,
    across: Box<[Across; 64]>,
    /// By slot: whether it has jumps at all.
    jumps: [bool; N],
    /// Which side's pieces stop its jumps, as masks.
    stopped_by: [[u64; 2]; N],
    of_side: [Vec<usize>; 2],
    /// Where each square goes in the mirror.
    mirrored: [u8; 64],
}

const fn shift<const N: usize>(slot: usize) -> usize {
    6 * (N - 1 - slot)
}

fn word(set: Bitboard) -> u64 {
    u64::try_from(set.bits()).expect("a board of up to 64 squares")
}

impl<const N: usize> Tables<N> {
    pub fn new(rules: &Rules, class: &Class) -> Self {
        let board = rules.board();
        assert!(board.squares() <= 64, "the rival knows boards of up to 64 squares");
        let index = class.index();
        let mut pieces = [Piece { side: Side::White, animal: dsq_tables::rules::Animal::new(0) }; N];
        pieces.iter_mut().zip(index.pieces()).for_each(|(slot, piece)| *slot = piece);
        let domains = std::array::from_fn(|slot| word(index.domain(slot)));
        let first_squares: Vec<u8> = index.domain(0).squares().map(Square::number).collect();
        let mut first_places = [0; 64];
        (0..).zip(&first_squares).for_each(|(place, &square)| first_places[usize::from(square)] = place);
        let slots_of = |side: Side| (0..N).filter(|&slot| pieces[slot].side == side).collect::<Vec<usize>>();
        let mut mirrored = [0; 64];
        for square in board.all().squares() {
            mirrored[square.index()] = board.map(Symmetry::Mirror, square).number();
        }
        let stopped_by = pieces.map(|piece| {
            let by = rules.movement(piece).stopped_by();
            let stops = |side: Side| if side == piece.side { by.own } else { by.enemy };
            Side::BOTH.map(|side| if stops(side) { u64::MAX } else { 0 })
        });
        let mut tables = Tables {
            pieces,
            domains,
            first_squares,
            first_places,
            ways: Box::new([[Ways::default(); 64]; N]),
            back: Box::new([[Back::default(); 64]; N]),
            across: Box::new([Across::default(); 64]),
            jumps: [false; N],
            stopped_by,
            of_side: [slots_of(Side::White), slots_of(Side::Black)],
            mirrored,
        };
        for slot in 0..N {
            for square in 0..board.squares() {
                tables.add_ways(rules, slot, square);
                tables.add_back(rules, slot, square, index.has_mirror());
            }
        }
        tables
    }

    /// What of an edge can hold a piece that stops it.
    fn between(&self, rules: &Rules, slot: usize, edge: &Edge) -> u64 {
        let others = (0..N).filter(|&other| other != slot);
        let stopping = others.filter(|&other| self.stopped_by[slot][self.pieces[other].side.index()] != 0);
        stopping.fold(0, |set, other| set | word(edge.between & rules.movement(self.pieces[other]).domain()))
    }

    fn add_ways(&mut self, rules: &Rules, slot: usize, from: u8) {
        let piece = self.pieces[slot];
        let (movement, goal) = (rules.movement(piece), rules.goal(piece.side));
        let square = Square::new(from);
        if !movement.domain().contains(square) {
            return;
        }
        let mut ways = Ways::default();
        assert!(movement.edges(square).len() <= WAYS, "the rival knows at most four ways out of a square");
        for &victim in &self.of_side[piece.side.other().index()] {
            assert!(!rules.movement(self.pieces[victim]).domain().intersects(goal), "the rival's dens are left free");
            ways.takes_by[victim] = word(rules.captures(piece, self.pieces[victim].animal, square));
            ways.takes |= ways.takes_by[victim];
        }
        for edge in movement.edges(square) {
            let between = self.between(rules, slot, edge);
            if goal.contains(edge.to) {
                assert!(between == 0, "the rival knows no jumps into dens");
                ways.den = true;
                continue;
            }
            let quiet = movement.domain().contains(edge.to);
            if between != 0 {
                ways.jumps = true;
                ways.jump[ways.jump_count] = (edge.to.number(), between, quiet);
                ways.jump_count += 1;
            } else if quiet {
                ways.steps |= word(edge.to.bit());
            }
        }
        self.ways[slot][square.index()] = ways;
    }

    fn add_back(&mut self, rules: &Rules, slot: usize, to: u8, mirror: bool) {
        let movement = rules.movement(self.pieces[slot]);
        let at = usize::from(to);
        let mut back = Back { from: [to; WAYS], ..Back::default() };
        let mut across = Across::default();
        let mut count = 0;
        let on_axis = |square: u8| self.mirrored[usize::from(square)] == square;
        let in_layout = |square: u8| self.domains[slot] >> square & 1 != 0;
        if !movement.domain().contains(Square::new(to)) || !in_layout(to) {
            self.back[slot][at] = back;
            return;
        }
        for square in movement.domain().squares() {
            let Some(edge) = movement.edges(square).iter().find(|edge| edge.to.number() == to) else { continue };
            let from = square.number();
            let between = self.between(rules, slot, edge);
            self.jumps[slot] |= between != 0;
            if in_layout(from) {
                assert!(count < WAYS, "the rival knows at most four ways into a square");
                back.from[count] = from;
                back.between[count] = between;
                back.change[count] = (self.part(slot, from)) ^ self.part(slot, to);
                count += 1;
            }
            if slot > 0 || !mirror {
                continue;
            }
            // A position with the first piece on the middle file stands beside its mirror image, others for theirs. So a
            // move from the middle to the left stands also for one from the mirror image to the right; a move to the
            // middle does not, for it leads to the mirror image of what is looked at.
            if (on_axis(from) && !on_axis(to)) || (!in_layout(from) && !on_axis(to)) {
                across.from[across.count] = from;
                across.between[across.count] = between;
                across.cell[across.count] = self.part(0, self.mirrored[usize::from(from)]);
                across.count += 1;
            }
        }
        self.back[slot][at] = back;
        if slot == 0 {
            self.across[at] = across;
        }
    }

    /// The part of a number that comes from one piece.
    fn part(&self, slot: usize, square: u8) -> u32 {
        let digit = if slot == 0 { self.first_places[usize::from(square)] } else { square.into() };
        digit << shift::<N>(slot)
    }

    /// How many cells there are for each side to move, those of no position included.
    pub fn cells(&self) -> usize {
        self.first_squares.len() * self.cells_of_first_square()
    }

    /// How many of them share the square of the first piece.
    pub fn cells_of_first_square(&self) -> usize {
        1 << shift::<N>(0)
    }

    /// The first of them.
    pub fn first_cell(&self, square: Square) -> usize {
        self.part(0, square.number()) as usize
    }

    /// The number of a placement, the first piece on the left.
    #[inline]
    pub fn cell(&self, squares: &[u8; N]) -> u32 {
        let mut cell = self.first_places[usize::from(squares[0] & 63)];
        for &square in &squares[1..] {
            cell = cell << 6 | u32::from(square);
        }
        cell
    }

    /// The slots of a side.
    #[inline]
    pub fn slots_of(&self, side: Side) -> &[usize] {
        &self.of_side[side.index()]
    }

    /// The squares that each side's pieces stand on.
    #[inline]
    pub fn occupied(&self, squares: &[u8; N]) -> [u64; 2] {
        let mut occupied = [0; 2];
        for (piece, &square) in self.pieces.iter().zip(squares) {
            occupied[piece.side.index()] |= 1 << square;
        }
        occupied
    }

    /// The squares of the pieces that stop the jumps of a slot.
    #[inline]
    pub fn stoppers(&self, slot: usize, occupied: &[u64; 2]) -> u64 {
        occupied[0] & self.stopped_by[slot][0] | occupied[1] & self.stopped_by[slot][1]
    }

    /// Adds the positions from which a quiet move of `mover` leads to this one to a list; returns its new length.
    #[inline]
    pub fn predecessors(&self, cell: u32, mover: Side, list: &mut [u32], len: usize) -> usize {
        let mut squares = [0u8; N];
        squares[0] = self.first_squares[(cell >> shift::<N>(0)) as usize];
        for (slot, square) in squares.iter_mut().enumerate().skip(1) {
            *square = (cell >> shift::<N>(slot) & 63) as u8;
        }
        let occupied = self.occupied(&squares);
        let all = occupied[0] | occupied[1];
        let mut len = len;
        for &slot in self.slots_of(mover) {
            let square = squares[slot];
            let back = &self.back[slot][usize::from(square & 63)];
            if self.jumps[slot] {
                let stoppers = self.stoppers(slot, &occupied);
                for way in 0..WAYS {
                    list[len] = cell ^ back.change[way];
                    len += usize::from((all >> back.from[way] & 1) | (back.between[way] & stoppers) == 0);
                }
            } else {
                for way in 0..WAYS {
                    list[len] = cell ^ back.change[way];
                    len += usize::from(all >> back.from[way] & 1 == 0);
                }
            }
            if slot == 0 {
                let across = &self.across[usize::from(square & 63)];
                if across.count > 0 {
                    len = self.predecessors_across(across, &squares, &occupied, list, len);
                }
            }
        }
        len
    }

    fn predecessors_across(
        &self,
        across: &Across,
        squares: &[u8; N],
        occupied: &[u64; 2],
        list: &mut [u32],
        len: usize,
    ) -> usize {
        let mut len = len;
        let others =
            squares[1..].iter().fold(0, |cell, &square| cell << 6 | u32::from(self.mirrored[usize::from(square)]));
        let stoppers = self.stoppers(0, occupied);
        for way in 0..across.count {
            if ((occupied[0] | occupied[1]) >> across.from[way] & 1) | (across.between[way] & stoppers) == 0 {
                list[len] = across.cell[way] | others;
                len += 1;
            }
        }
        len
    }

    /// The values after the piece of a slot was taken; none if nothing takes it.
    pub fn below(
        &self,
        catalog: &Catalog,
        class: &Class,
        victim: usize,
        solution: &Solution<'_>,
        parallel: bool,
    ) -> Option<Below> {
        let rules = catalog.rules();
        let (taken, material) = (self.pieces[victim], class.material());
        if !material.capturable(rules).contains(&taken) {
            return None;
        }
        let rest: Vec<usize> = (0..N).filter(|&slot| slot != victim).collect();
        let mut codes = vec![0u8; 1 << (6 * rest.len())];
        let material = material.without(taken);
        if !material.has_both_sides() {
            let draw = !rules.elimination_wins() && rules.no_move() == NoMove::Draw;
            codes.fill(if draw { 0 } else { Value::Loss(0).code() as u8 });
            return Some(Below { codes });
        }
        let member = catalog.member(material)?;
        let route = member.route(taken.side);
        let values = solution(member.class(), route.side())?;
        let domains: Vec<u64> = rest.iter().map(|&slot| word(rules.movement(self.pieces[slot]).domain())).collect();
        let place_of = |slot: usize| {
            let place = route.pieces().iter().position(|piece| *piece == self.pieces[slot]);
            place.expect("a route has every piece")
        };
        let places: Vec<usize> = rest.iter().map(|&slot| place_of(slot)).collect();
        let map: Vec<Square> = (0..rules.board().squares()).map(|square| route.square(Square::new(square))).collect();
        let part = 1 << (6 * (rest.len() - 1));
        let work = |(first, codes): (usize, &mut [u8])| {
            if domains[0] >> first & 1 != 0 {
                let mut placed: Squares = [Square::new(0); MAX_PIECES];
                placed[places[0]] = map[first];
                let fill = Fill { domains: &domains, places: &places, map: &map };
                fill.place(1, 1 << first, 0, &mut placed, &mut |cell, placed| {
                    let code = values.code(member.class().index().number(placed));
                    codes[cell] = u8::try_from(code).expect("the rival's distances fit in a byte");
                });
            }
        };
        if parallel {
            codes.par_chunks_mut(part).enumerate().for_each(work);
        } else {
            codes.chunks_mut(part).enumerate().for_each(work);
        }
        Some(Below { codes })
    }
}

/// Goes through all placements of the pieces that are left.
struct Fill<'a> {
    domains: &'a [u64],
    /// The place of each piece in the order of the class below.
    places: &'a [usize],
    map: &'a [Square],
}

impl Fill<'_> {
    fn place(
        &self,
        slot: usize,
        taken: u64,
        cell: usize,
        placed: &mut Squares,
        visit: &mut impl FnMut(usize, &Squares),
    ) {
        if slot == self.domains.len() {
            return visit(cell, placed);
        }
        let mut free = self.domains[slot] & !taken;
        while free != 0 {
            let square = free.trailing_zeros() as usize;
            free &= free - 1;
            placed[self.places[slot]] = self.map[square];
            self.place(slot + 1, taken | 1 << square, cell << 6 | square, placed, visit);
        }
    }
}

/// The values after one piece was taken, by the packed squares of the others.
#[derive(Debug)]
pub struct Below {
    codes: Vec<u8>,
}

impl Below {
    /// The code after `attacker` has taken `victim`.
    #[inline]
    pub fn code<const N: usize>(&self, squares: &[u8; N], attacker: usize, victim: usize) -> u8 {
        let mut cell = 0;
        for (slot, &square) in squares.iter().enumerate() {
            if slot != victim {
                cell = cell << 6 | usize::from(if slot == attacker { squares[victim] } else { square });
            }
        }
        self.codes[cell]
    }
}
