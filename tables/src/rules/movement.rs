//! How every animal moves, and whether a rule set can be played at all.

use super::piece::{Animal, MAX_ANIMALS, Piece};
use super::settings::JumpStop;
use super::source::Place;
use super::spec::{AnimalSpec, RuleSpec};
use crate::board::{Bitboard, Board, Side, Square, Symmetry};

/// A way from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The target.
    pub to: Square,
    /// The squares on which a piece can stop it (see [`Movement::stopped_by`]); empty for a step.
    pub between: Bitboard,
}

/// Whose pieces stop the jumps of a piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StoppedBy {
    /// Pieces of its own side.
    pub own: bool,
    /// Pieces of the other side.
    pub enemy: bool,
}

/// How a piece moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Movement {
    domain: Bitboard,
    /// By square.
    pub(super) edges: Vec<Vec<Edge>>,
    pub(super) stopped_by: StoppedBy,
}

impl Movement {
    /// The squares on which it can stand in a game that is not over.
    #[must_use]
    pub fn domain(&self) -> Bitboard {
        self.domain
    }

    /// The ways out of a square, in the order of their targets, the enemy den included. Empty outside of the domain.
    #[must_use]
    pub fn edges(&self, from: Square) -> &[Edge] {
        self.edges.get(from.index()).map_or(&[], Vec::as_slice)
    }

    /// Whose pieces stop it when they stand between.
    #[must_use]
    pub fn stopped_by(&self) -> StoppedBy {
        self.stopped_by
    }
}

/// Why a rule set cannot be played, and where in its file that stands.
pub(super) struct Fault {
    pub place: Place,
    pub reason: String,
}

impl Fault {
    fn new(place: Place, reason: impl Into<String>) -> Fault {
        Fault { place, reason: reason.into() }
    }
}

/// How all pieces move.
pub(super) struct Moving {
    /// The animals by strength, as indices into those of the rule file.
    pub animals: Vec<usize>,
    /// By [`Piece::index`].
    pub movements: Vec<Movement>,
}

/// How all pieces move, once it is sure that the rule set can be played.
pub(super) fn movements(spec: &RuleSpec) -> Result<Moving, Fault> {
    if spec.animals.is_empty() || spec.animals.len() > MAX_ANIMALS {
        let reason = format!("{} animals; between 1 and {MAX_ANIMALS} are possible", spec.animals.len());
        return Err(Fault::new(Place::section("animal"), reason));
    }
    for side in Side::BOTH {
        if spec.board.den(side).is_empty() {
            return Err(Fault::new(Place::section("board"), format!("{} has no den", side.name())));
        }
    }
    let by_letter = |letter: &char| spec.animals.iter().position(|animal| animal.letter == *letter);
    let animals: Vec<usize> = spec.settings.ranks.iter().flatten().filter_map(by_letter).collect();
    if animals.len() != spec.animals.len() {
        return Err(Fault::new(Place::setting("ranks"), "it does not have every animal once"));
    }
    let nowhere = Movement { domain: Bitboard::EMPTY, edges: Vec::new(), stopped_by: StoppedBy::default() };
    let mut movements = vec![nowhere; 2 * MAX_ANIMALS];
    for side in Side::BOTH {
        for (place, &index) in animals.iter().enumerate() {
            let piece = Piece { side, animal: Animal::new(place as u8) };
            let animal = &spec.animals[index];
            let movement = movement(spec, animal, side);
            if movement.domain.is_empty() {
                let reason = format!("{}'s has no square to stand on", side.name());
                return Err(Fault::new(Place::entry("animal", index, &animal.name), reason));
            }
            if let Some(start) = animal.start[side.index()]
                && !movement.domain.contains(start)
            {
                let (square, why) = (spec.board.name(start), what_is(&spec.board, start, side));
                let turned = if is_turned(spec, index, side) { " (white's, turned by 180 degrees)" } else { "" };
                let reason =
                    format!("{}'s cannot stand on its start square {square}{turned}: it is {why}", side.name());
                return Err(Fault::new(place_of_start(spec, index, side), reason));
            }
            movements[piece.index()] = movement;
        }
    }
    two_on_one_square(spec)?;
    for side in Side::BOTH {
        let of_side = &movements[side.index() * MAX_ANIMALS..][..animals.len()];
        for den in spec.board.den(side.other()).squares() {
            if !of_side.iter().flat_map(|movement| movement.edges.iter().flatten()).any(|edge| edge.to == den) {
                let (side, other, den) = (side.name(), side.other().name(), spec.board.name(den));
                let reason = format!("no animal of {side} can enter the den of {other} on {den}");
                return Err(Fault::new(Place::section("board"), reason));
            }
        }
    }
    Ok(Moving { animals, movements })
}

/// Why an animal of a side may not stand on a square.
fn what_is(board: &Board, square: Square, side: Side) -> &'static str {
    match () {
        () if board.den(side).contains(square) => "its own den",
        () if board.den(side.other()).contains(square) => "the den of the other side",
        () if board.water().contains(square) => "water, and the animal does not swim",
        () => "a trap that the animal may not enter",
    }
}

fn two_on_one_square(spec: &RuleSpec) -> Result<(), Fault> {
    let mut taken: Vec<(Square, Side, &str)> = Vec::new();
    for (index, animal) in spec.animals.iter().enumerate() {
        for side in Side::BOTH {
            let Some(start) = animal.start[side.index()] else { continue };
            if let Some((_, other, name)) = taken.iter().find(|(square, ..)| *square == start) {
                let (square, side_name) = (spec.board.name(start), side.name());
                let reason = format!("{side_name}'s starts on {square}, as {}'s {name} does", other.name());
                return Err(Fault::new(place_of_start(spec, index, side), reason));
            }
            taken.push((start, side, &animal.name));
        }
    }
    Ok(())
}

/// Whether a start square is Black's and what White's becomes by a half turn: then it need not stand in the file itself.
fn is_turned(spec: &RuleSpec, index: usize, side: Side) -> bool {
    let start = spec.animals[index].start;
    side == Side::Black && start[0].map(|square| spec.board.map(Symmetry::HalfTurn, square)) == start[1]
}

/// Where the start square stands.
fn place_of_start(spec: &RuleSpec, index: usize, side: Side) -> Place {
    let key = if side == Side::White || is_turned(spec, index, side) { "start" } else { "black-start" };
    Place::entry("animal", index, &spec.animals[index].name).key(key)
}

/// The domain and the edges of an animal of a side.
fn movement(spec: &RuleSpec, animal: &AnimalSpec, side: Side) -> Movement {
    let (board, settings) = (&spec.board, &spec.settings);
    let mut domain = board.all().without(board.den(side.other()));
    if !settings.own_den {
        domain = domain.without(board.den(side));
    }
    if !settings.swimmers.contains(&animal.letter) {
        domain = domain.without(board.water());
    }
    if settings.trap_barred.animals.contains(&animal.letter) {
        domain = domain.without(board.traps(side));
        if !settings.trap_barred.own_only {
            domain = domain.without(board.traps(side.other()));
        }
    }
    let stop = animal.jump_stopped_by.unwrap_or(settings.jump_stopped_by);
    let stopped_by = StoppedBy { own: stop == JumpStop::Any, enemy: stop != JumpStop::None };
    let enterable = domain | board.den(side.other());
    let turn = if side == Side::Black { -1 } else { 1 };
    let mut edges = vec![Vec::new(); usize::from(board.squares())];
    let mut jumps_at_all = false;
    for from in domain.squares() {
        let out: &mut Vec<Edge> = &mut edges[from.index()];
        for &(files, ranks) in &animal.steps {
            if let Some(to) = board.offset(from, files * turn, ranks * turn)
                && enterable.contains(to)
            {
                out.push(Edge { to, between: Bitboard::EMPTY });
            }
        }
        for (allowed, files, ranks) in [
            (animal.jumps.along_ranks, 1, 0),
            (animal.jumps.along_ranks, -1, 0),
            (animal.jumps.along_files, 0, 1),
            (animal.jumps.along_files, 0, -1),
        ] {
            if allowed
                && let Some(edge) = jump(board, animal, from, files, ranks)
                && enterable.contains(edge.to)
            {
                let between = if stop == JumpStop::None { Bitboard::EMPTY } else { edge.between };
                out.push(Edge { to: edge.to, between });
                jumps_at_all = true;
            }
        }
        out.sort_unstable();
        out.dedup();
    }
    let stopped_by = if jumps_at_all { stopped_by } else { StoppedBy::default() };
    Movement { domain, edges, stopped_by }
}

/// The jump from a square on land in one direction over all the water to the land behind it.
fn jump(board: &Board, animal: &AnimalSpec, from: Square, files: i8, ranks: i8) -> Option<Edge> {
    let water = board.water();
    if water.contains(from) {
        return None;
    }
    let mut between = Bitboard::EMPTY;
    let mut to = board.offset(from, files, ranks)?;
    while water.contains(to) {
        between.insert(to);
        to = board.offset(to, files, ranks)?;
    }
    let span = between.count();
    let short_enough = animal.jumps.longest.is_none_or(|longest| span <= u32::from(longest));
    (span > 0 && short_enough).then_some(Edge { to, between })
}
