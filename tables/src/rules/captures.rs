//! Who takes whom from where to where, computed from the settings a set of squares at a time.

use super::compile::Rules;
use super::piece::{Animal, Piece};
use super::settings::{Takes, Traps};
use super::spec::Terrain;
use crate::board::{Bitboard, Side, Square};

impl Rules {
    /// For each attacker, victim and square of the attacker, in the order of [`Rules::capture_index`]: the targets of its
    /// edges on which it takes the victim.
    pub(super) fn all_captures(&self) -> Vec<Bitboard> {
        let mut captures = Vec::new();
        for side in Side::BOTH {
            for attacker in self.animals().map(|animal| Piece { side, animal }) {
                let edges = self.board().all().squares().map(|from| self.movement(attacker).edges(from));
                let reached: Vec<Bitboard> = edges.map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
                for victim in self.animals() {
                    let stands = self.movement(Piece { side: side.other(), animal: victim }).domain();
                    let allowed = Allowed::new(self, attacker, victim);
                    let squares = self.board().all().squares().zip(&reached);
                    captures.extend(squares.map(|(from, &reached)| reached & stands & allowed.targets(from)));
                }
            }
        }
        captures
    }

    fn in_terrain(&self, terrain: Terrain) -> Bitboard {
        let board = self.board();
        match terrain {
            Terrain::Any => board.all(),
            Terrain::Land => board.all().without(board.water()),
            Terrain::Water => board.water(),
            Terrain::Trap => board.traps(Side::White) | board.traps(Side::Black),
        }
    }

    /// The squares on which an animal of a side is weakened.
    fn weakened(&self, Piece { side, animal }: Piece) -> Bitboard {
        let settings = &self.spec().settings;
        if settings.trap_immune.contains(&self.letter(animal)) {
            return Bitboard::EMPTY;
        }
        match settings.traps {
            Traps::Intruders => self.board().traps(side.other()),
            Traps::Universal => self.in_terrain(Terrain::Trap),
            Traps::None => Bitboard::EMPTY,
        }
    }
}

/// Where an attacker takes a victim, whether or not it can get there.
struct Allowed {
    /// The exceptions for the two, the one that counts first: from, to, and whether the capture is allowed.
    exceptions: Vec<(Bitboard, Bitboard, bool)>,
    /// The squares out of which it takes nothing at all.
    never_from: Bitboard,
    /// The squares out of which it takes nothing without an exception.
    helpless_on: Bitboard,
    water: Bitboard,
    /// Its targets by the settings, out of a square of the land and of the water.
    by_settings: [Bitboard; 2],
}

impl Allowed {
    fn new(rules: &Rules, attacker: Piece, victim: Animal) -> Self {
        let (board, spec) = (rules.board(), rules.spec());
        let (own, other) = (rules.letter(attacker.animal), rules.letter(victim));
        let concerned = spec.captures.iter().rev().filter(|rule| {
            rule.attacker.is_none_or(|letter| letter == own) && rule.victim.is_none_or(|letter| letter == other)
        });
        let trapped = rules.weakened(attacker);
        Self {
            exceptions: concerned
                .map(|rule| (rules.in_terrain(rule.from), rules.in_terrain(rule.to), rule.allowed))
                .collect(),
            never_from: board.den(attacker.side),
            helpless_on: if spec.settings.trapped_can_capture { Bitboard::EMPTY } else { trapped },
            water: board.water(),
            by_settings: [false, true].map(|from_water| by_settings(rules, attacker, victim, from_water)),
        }
    }

    fn targets(&self, from: Square) -> Bitboard {
        if self.never_from.contains(from) {
            return Bitboard::EMPTY;
        }
        let (mut open, mut taken) = (!Bitboard::EMPTY, Bitboard::EMPTY);
        for &(starts, ends, allowed) in &self.exceptions {
            if starts.contains(from) {
                if allowed {
                    taken |= open & ends;
                }
                open = open.without(ends);
            }
        }
        if self.helpless_on.contains(from) {
            return taken;
        }
        taken | (open & self.by_settings[usize::from(self.water.contains(from))])
    }
}

/// The targets on which the settings let an attacker take a victim, out of a square of the land or of the water, if
/// the attacker can take there at all.
fn by_settings(rules: &Rules, attacker: Piece, victim: Animal, from_water: bool) -> Bitboard {
    let settings = &rules.spec().settings;
    let (own, other) = (rules.letter(attacker.animal), rules.letter(victim));
    let pair = settings.pairs.get(&(own, other)).copied().unwrap_or_default();
    let strength = |letter: char| settings.ranks.iter().position(|group| group.contains(&letter));
    let by_rank = if strength(own) >= strength(other) { Takes::Same } else { Takes::Never };
    let free = pair.takes.unwrap_or(by_rank);
    let trapped = match pair.takes {
        _ if pair.takes_trapped == Some(false) => Takes::Never,
        Some(Takes::Always) => Takes::Always,
        // What it could not take at all it now takes as an equal.
        _ => Takes::Same,
    };
    let reach = |takes: Takes| {
        let [land, water] = [Terrain::Land, Terrain::Water].map(|terrain| rules.in_terrain(terrain));
        let (same, across, over_shore) =
            if from_water { (water, land, pair.from_water) } else { (land, water, pair.into_water) };
        let crosses = over_shore.unwrap_or(settings.shore_captures || takes == Takes::Always);
        match takes {
            Takes::Never => Bitboard::EMPTY,
            Takes::Land if from_water => Bitboard::EMPTY,
            Takes::Land => land,
            Takes::Same | Takes::Always if crosses => same | across,
            Takes::Same | Takes::Always => same,
        }
    };
    let weak = rules.weakened(Piece { side: attacker.side.other(), animal: victim });
    reach(trapped) & weak | reach(free).without(weak)
}
