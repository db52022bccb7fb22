//! What a rule set compiles to: the tables that everything else works with.

use super::error::RuleError;
use super::movement::{Movement, Moving, movements};
use super::piece::{Animal, Piece};
use super::settings::NoMove;
use super::spec::{AnimalSpec, RuleSpec};
use crate::board::{Bitboard, Board, Side, Square};

/// A compiled rule set.
#[derive(Clone, Debug)]
pub struct Rules {
    spec: RuleSpec,
    pub(super) name: String,
    /// The animals by strength, as indices into those of the rule file.
    animals: Vec<usize>,
    movements: Vec<Movement>,
    /// The targets on which `attacker` takes `victim` from a square; see [`Rules::captures`].
    captures: Vec<Bitboard>,
    fingerprint: u64,
}

impl Rules {
    /// Compiles what is written.
    ///
    /// # Errors
    /// [`RuleError::Field`] for what cannot be played: a side without a den, a den that nobody can enter, an animal without
    /// squares, start squares where the animal cannot stand or another one stands.
    pub fn compile(spec: RuleSpec) -> Result<Rules, RuleError> {
        Rules::compile_changed(spec, "")
    }

    /// The same; `changes` say in an error what was changed before.
    pub(super) fn compile_changed(spec: RuleSpec, changes: &str) -> Result<Rules, RuleError> {
        let Moving { animals, movements } = movements(&spec).map_err(|fault| RuleError::Field {
            source_name: format!("{}{changes}", spec.name),
            line: None,
            field: fault.place.to_string(),
            reason: fault.reason,
        })?;
        let mut rules =
            Rules { name: spec.name.clone(), spec, animals, movements, captures: Vec::new(), fingerprint: 0 };
        rules.captures = rules.all_captures();
        rules.fingerprint = rules.compute_fingerprint();
        Ok(rules)
    }

    /// The name: that of the rule file, followed by the changed settings.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the folder of its tables inside a folder of tablebases.
    #[must_use]
    pub fn folder_name(&self) -> String {
        // A file name holds 255 bytes; a longer one is cut and kept apart by the fingerprint.
        if self.name.len() <= 200 {
            self.name.clone()
        } else {
            let cut: String = self.name.chars().take(180).collect();
            format!("{cut}+{:016x}", self.fingerprint)
        }
    }

    /// What it was compiled from.
    #[must_use]
    pub fn spec(&self) -> &RuleSpec {
        &self.spec
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.spec.board
    }

    /// A hash of everything that decides the value of a position. Two rule sets with the same fingerprint have the same
    /// tables, whatever their names. Distance to win does not depend on a limit of plies without capture.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The limit of plies without a capture after which the game is a draw, if there is one.
    #[must_use]
    pub fn quiet_limit(&self) -> Option<u32> {
        Some(self.spec.settings.draw_after_quiet_plies).filter(|&plies| plies > 0)
    }

    /// The fingerprint for values that depend on the limit of plies without a capture as well.
    #[must_use]
    pub fn limit_fingerprint(&self) -> u64 {
        let with = |limit: u32| {
            let bytes = [&self.fingerprint.to_le_bytes()[..], &limit.to_le_bytes()].concat();
            xxhash_rust::xxh3::xxh3_64(&bytes)
        };
        self.quiet_limit().map_or(self.fingerprint, with)
    }

    /// The animals from weak to strong.
    pub fn animals(&self) -> impl DoubleEndedIterator<Item = Animal> + use<> {
        (0..self.animals.len() as u8).map(Animal::new)
    }

    /// What is written about an animal.
    ///
    /// # Panics
    /// If the animal is not one of this rule set.
    #[must_use]
    pub fn animal(&self, animal: Animal) -> &AnimalSpec {
        &self.spec.animals[self.animals[animal.index()]]
    }

    /// The upper-case letter of an animal.
    #[must_use]
    pub fn letter(&self, animal: Animal) -> char {
        self.animal(animal).letter
    }

    /// The letter of a piece: upper case for White, lower case for Black.
    #[must_use]
    pub fn piece_letter(&self, piece: Piece) -> char {
        match piece.side {
            Side::White => self.letter(piece.animal),
            Side::Black => self.letter(piece.animal).to_ascii_lowercase(),
        }
    }

    /// The animal with this upper-case letter or alias.
    #[must_use]
    pub fn animal_by_letter(&self, letter: char) -> Option<Animal> {
        let reads = |animal: &Animal| self.letter(*animal) == letter || self.animal(*animal).aliases.contains(&letter);
        self.animals().find(reads)
    }

    /// The animal with this name.
    #[must_use]
    pub fn animal_by_name(&self, name: &str) -> Option<Animal> {
        self.animals().find(|&animal| self.animal(animal).is_called(name))
    }

    /// The letters of all animals from weak to strong.
    #[must_use]
    pub fn letters(&self) -> String {
        self.animals().map(|animal| self.letter(animal)).collect()
    }

    /// How a piece moves.
    #[must_use]
    pub fn movement(&self, piece: Piece) -> &Movement {
        &self.movements[piece.index()]
    }

    /// The targets of the edges of `attacker` out of `from` on which it takes the other side's `victim`.
    #[must_use]
    pub fn captures(&self, attacker: Piece, victim: Animal, from: Square) -> Bitboard {
        self.captures.get(self.capture_index(attacker, victim, from)).copied().unwrap_or(Bitboard::EMPTY)
    }

    /// The den a side has to enter.
    #[must_use]
    pub fn goal(&self, side: Side) -> Bitboard {
        self.board().den(side.other())
    }

    /// The result for a side without a legal move.
    #[must_use]
    pub fn no_move(&self) -> NoMove {
        self.spec.settings.no_move
    }

    /// Whether a side without pieces has lost. Otherwise it is a side without a move.
    #[must_use]
    pub fn elimination_wins(&self) -> bool {
        self.spec.settings.elimination_wins
    }

    fn capture_index(&self, attacker: Piece, victim: Animal, from: Square) -> usize {
        let animals = self.animals.len();
        let pair = (attacker.side.index() * animals + attacker.animal.index()) * animals + victim.index();
        pair * usize::from(self.board().squares()) + from.index()
    }

    fn compute_fingerprint(&self) -> u64 {
        let mut bytes = vec![1, self.board().files(), self.board().ranks()];
        let mut set = |set: Bitboard| bytes.extend(set.bits().to_le_bytes());
        set(self.board().den(Side::White));
        set(self.board().den(Side::Black));
        self.captures.iter().copied().for_each(&mut set);
        bytes.extend(self.letters().bytes());
        for movement in self.movements.iter().filter(|movement| !movement.domain().is_empty()) {
            bytes.extend(movement.domain().bits().to_le_bytes());
            bytes.extend([u8::from(movement.stopped_by.own), u8::from(movement.stopped_by.enemy)]);
            for (from, edges) in movement.edges.iter().enumerate() {
                for edge in edges {
                    bytes.extend([from as u8, edge.to.number()]);
                    bytes.extend(edge.between.bits().to_le_bytes());
                }
            }
        }
        bytes.extend([u8::from(self.no_move() == NoMove::Draw), u8::from(self.elimination_wins())]);
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }
}
