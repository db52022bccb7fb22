//! Random rule files: their text, so that it has to be read, made of parts that can be taken away one by one when a file
//! fails.

use dsq_tables::board::Symmetry;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// Letters and names of the animals there can be.
const ANIMALS: [(char, &str); 3] = [('R', "rat"), ('C', "cat"), ('L', "lion")];

/// The most squares of a board.
const MAX_SQUARES: usize = 128;

/// A rule file; it prints as its text. What is said of animals beyond their number does not count.
#[derive(Clone)]
pub struct RuleFile {
    /// The last rank first.
    board: Vec<Vec<char>>,
    /// How many of [`ANIMALS`] there are.
    animals: usize,
    settings: Settings,
    steps: Vec<Steps>,
    /// True if all animals step and jump like the first one, though other pieces may stop them.
    alike: bool,
    starts: Option<Vec<Index>>,
    captures: Vec<Capture>,
    /// Chooses what is tried with the file.
    pub seed: u64,
}

#[derive(Clone, Debug)]
struct Settings {
    /// Animals with equal numbers are of equal rank.
    ranks: Option<Vec<u8>>,
    swimmers: Vec<bool>,
    trap_immune: Option<Vec<bool>>,
    trap_barred: Option<(bool, Vec<bool>)>,
    /// By animal: along what, the longest span, and what stops it.
    jumps: Vec<(&'static str, Option<u8>, Option<&'static str>)>,
    /// Attacker, victim, and what is said of them.
    pairs: Vec<(usize, usize, PairRule)>,
    /// The settings that speak of no animal.
    plain: Vec<(&'static str, Option<&'static str>)>,
}

#[derive(Clone, Debug)]
enum PairRule {
    Takes(&'static str),
    Trapped(bool),
    FromWater(bool),
    IntoWater(bool),
}

#[derive(Clone, Debug)]
enum Steps {
    NotSaid,
    Named(&'static str),
    /// Files and ranks, and whether the mirror image of each is one as well.
    List(Vec<(i8, i8)>, bool),
    /// The mirror images of those of the first animal, where they are a list.
    Images,
}

#[derive(Clone, Debug)]
struct Capture {
    attacker: Option<usize>,
    victim: Option<usize>,
    from: Option<&'static str>,
    to: Option<&'static str>,
    allowed: bool,
}

impl RuleFile {
    fn names(&self) -> &'static [(char, &'static str)] {
        &ANIMALS[..self.animals]
    }

    fn letters(&self, chosen: &[bool]) -> String {
        self.names().iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|((letter, _), _)| *letter).collect()
    }

    fn ranks(&self, numbers: &[u8]) -> String {
        let mut groups: BTreeMap<u8, String> = BTreeMap::new();
        for ((letter, _), number) in self.names().iter().zip(numbers) {
            groups.entry(*number).or_default().push(*letter);
        }
        groups.into_values().map(|group| if group.len() > 1 { format!("({group})") } else { group }).collect()
    }

    /// Keys and values. Of two words on one key the later one stands.
    fn settings(&self) -> BTreeMap<String, String> {
        let settings = &self.settings;
        let mut pairs: Vec<(String, String)> = vec![("swimmers".into(), self.letters(&settings.swimmers))];
        if let Some(numbers) = &settings.ranks {
            pairs.push(("ranks".into(), self.ranks(numbers)));
        }
        if let Some(chosen) = &settings.trap_immune {
            pairs.push(("trap-immune".into(), self.letters(chosen)));
        }
        if let Some((own, chosen)) = &settings.trap_barred {
            let own = if *own { "own:" } else { "" };
            pairs.push(("trap-barred".into(), format!("{own}{}", self.letters(chosen))));
        }
        for (animal, (_, name)) in self.names().iter().enumerate() {
            let (directions, span, _) = settings.jumps[self.moves_like(animal)];
            let (_, _, stopped_by) = settings.jumps[animal];
            let span = span.map_or_else(String::new, |span| format!(":{span}"));
            pairs.push((format!("{name}-jumps"), format!("{directions}{span}")));
            pairs.extend(stopped_by.map(|stopped_by| (format!("{name}-jump-stopped-by"), stopped_by.into())));
        }
        for (attacker, victim, rule) in &settings.pairs {
            let [attacker, victim] = [attacker, victim].map(|animal| ANIMALS[animal % self.animals].1);
            pairs.push(match rule {
                PairRule::Takes(word) => (format!("{attacker}-takes-{victim}"), (*word).into()),
                PairRule::Trapped(yes) => (format!("{attacker}-takes-trapped-{victim}"), yes.to_string()),
                PairRule::FromWater(yes) => (format!("{attacker}-takes-{victim}-from-water"), yes.to_string()),
                PairRule::IntoWater(yes) => (format!("{attacker}-takes-{victim}-into-water"), yes.to_string()),
            });
        }
        let said = settings.plain.iter().filter_map(|&(key, value)| Some((key.into(), value?.into())));
        pairs.into_iter().chain(said).collect()
    }

    /// The animal whose steps and jumps an animal has.
    fn moves_like(&self, animal: usize) -> usize {
        if self.alike { 0 } else { animal }
    }

    /// The steps of an animal, those of a list cut down to the board.
    fn steps(&self, animal: usize) -> Option<String> {
        let image = |&(right, up): &(i8, i8)| (-right, up);
        let list: Vec<(i8, i8)> = match (&self.steps[self.moves_like(animal)], &self.steps[0]) {
            (Steps::Named(word), _) => return Some(format!("{word:?}")),
            (Steps::List(list, true), _) => list.iter().flat_map(|step| [*step, image(step)]).collect(),
            (Steps::List(list, false), _) => list.clone(),
            (Steps::Images, Steps::List(list, false)) => list.iter().map(image).collect(),
            _ => return None,
        };
        let (files, ranks) = (self.board[0].len() as i8, self.board.len() as i8);
        let inside = list.iter().map(|(right, up)| (right % files, up % ranks)).filter(|step| *step != (0, 0));
        let steps: Vec<String> = inside.map(|(right, up)| format!("[{right}, {up}]")).collect();
        Some(format!("[{}]", steps.join(", ")))
    }

    fn start(&self, animal: usize) -> Option<String> {
        let (files, ranks) = (self.board[0].len(), self.board.len());
        let place = self.starts.as_ref()?[animal].index(files * ranks);
        Some(format!("\"{}{}\"", char::from(b'a' + (place % files) as u8), place / files + 1))
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut lines = vec!["name = \"random\"".to_owned(), "board = \"\"\"".to_owned()];
        lines.extend(self.board.iter().map(|rank| rank.iter().collect()));
        lines.extend(["\"\"\"".to_owned(), String::new(), "[settings]".to_owned()]);
        for (key, value) in self.settings() {
            let plain = matches!(value.as_str(), "true" | "false") || value.parse::<u32>().is_ok();
            lines.push(if plain { format!("{key} = {value}") } else { format!("{key} = {value:?}") });
        }
        for (animal, (letter, name)) in self.names().iter().enumerate() {
            lines.extend([String::new(), "[[animal]]".to_owned()]);
            lines.extend([format!("letter = \"{letter}\""), format!("name = \"{name}\"")]);
            lines.extend(self.steps(animal).map(|steps| format!("steps = {steps}")));
            lines.extend(self.start(animal).map(|square| format!("start = {square}")));
        }
        for capture in &self.captures {
            lines.extend([String::new(), "[[capture]]".to_owned()]);
            for (key, animal) in [("attacker", capture.attacker), ("victim", capture.victim)] {
                lines.extend(animal.map(|animal| format!("{key} = \"{}\"", ANIMALS[animal % self.animals].0)));
            }
            for (key, terrain) in [("from", capture.from), ("to", capture.to)] {
                lines.extend(terrain.map(|terrain| format!("{key} = {terrain:?}")));
            }
            lines.push(format!("allowed = {}", capture.allowed));
        }
        lines.join("\n") + "\n"
    }
}

impl fmt::Debug for RuleFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rule file, tried with the seed {}:\n\n{}", self.seed, self.text())
    }
}

/// What a board can look the same under: how it is turned, and whether the colours are swapped.
const LIKENESSES: [&[(Symmetry, bool)]; 5] = [
    &[],
    &[(Symmetry::Mirror, false)],
    &[(Symmetry::HalfTurn, true)],
    &[(Symmetry::Flip, true)],
    &[(Symmetry::Mirror, false), (Symmetry::HalfTurn, true), (Symmetry::Flip, true)],
];

/// What a board is painted from.
#[derive(Clone, Debug)]
struct Sketch {
    files: usize,
    ranks: usize,
    /// Of a hundred squares so many are water, so many traps.
    water: u8,
    traps: u8,
    /// A number below 100 for each square: small ones are land, then water, then traps.
    squares: Vec<u8>,
    /// White's, Black's.
    dens: [Vec<Index>; 2],
    likeness: &'static [(Symmetry, bool)],
    /// A square that is painted over at the end.
    blot: Option<(Index, char)>,
}

impl Sketch {
    fn image(&self, symmetry: Symmetry, place: usize) -> usize {
        let (file, rank) = (place % self.files, place / self.files);
        let (mirrored, flipped) = (self.files - 1 - file, self.ranks - 1 - rank);
        match symmetry {
            Symmetry::Identity => place,
            Symmetry::Mirror => rank * self.files + mirrored,
            Symmetry::HalfTurn => flipped * self.files + mirrored,
            Symmetry::Flip => flipped * self.files + file,
        }
    }

    /// Paints a square and those that must look like it.
    fn paint(&self, board: &mut [char], place: usize, square: char) {
        let swapped = match square {
            'T' => 't',
            't' => 'T',
            'D' => 'd',
            'd' => 'D',
            other => other,
        };
        board[place] = square;
        for &(symmetry, swaps) in self.likeness {
            board[self.image(symmetry, place)] = if swaps { swapped } else { square };
        }
    }

    fn terrain(&self, place: usize) -> char {
        let number = self.squares[place];
        // Where swapping the colours leaves a square in its place, it can have none.
        let own_image = |&(symmetry, swaps): &(Symmetry, bool)| swaps && self.image(symmetry, place) == place;
        match () {
            () if number < 100 - self.water - self.traps => '.',
            () if number < 100 - self.traps => '~',
            () if self.likeness.iter().any(own_image) => '.',
            () if number.is_multiple_of(2) => 'T',
            () => 't',
        }
    }

    fn board(&self) -> Vec<Vec<char>> {
        let count = self.files * self.ranks;
        let mut board = vec!['.'; count];
        for place in 0..count {
            self.paint(&mut board, place, self.terrain(place));
        }
        for (dens, square) in self.dens.iter().zip(['D', 'd']) {
            for den in dens {
                self.paint(&mut board, den.index(count), square);
            }
        }
        if let Some((place, square)) = self.blot {
            board[place.index(count)] = square;
        }
        board.chunks(self.files).rev().map(<[char]>::to_vec).collect()
    }
}

fn boards(sizes: RangeInclusive<usize>) -> impl Strategy<Value = Vec<Vec<char>>> {
    let dens = || prop_oneof![4 => vec(any::<Index>(), 1), 1 => vec(any::<Index>(), 2..=3)];
    let black_dens = dens();
    let water_and_traps = prop_oneof![4 => (0u8..=45, 0u8..=25), 1 => Just((0, 0))];
    let squares = vec(0u8..100, MAX_SQUARES);
    let blot = option::weighted(0.25, (any::<Index>(), select(vec!['.', '~', 'T', 't'])));
    let parts = (sizes.clone(), sizes, water_and_traps, squares, dens(), black_dens, select(&LIKENESSES[..]), blot);
    parts.prop_filter_map(
        "it has too many squares",
        |(files, ranks, (water, traps), squares, white, black, likeness, blot)| {
            // Where the colours are swapped, White's dens make Black's.
            let black = if likeness.iter().any(|&(_, swaps)| swaps) { Vec::new() } else { black };
            let sketch = Sketch { files, ranks, water, traps, squares, dens: [white, black], likeness, blot };
            (files * ranks <= MAX_SQUARES).then(|| sketch.board())
        },
    )
}

fn steps() -> impl Strategy<Value = Steps> {
    // Short leaps more often than long ones.
    let leap = prop_oneof![3 => (-2i8..=2, -2i8..=2), 1 => (-7i8..=7, -7i8..=7)];
    let leaps = (vec(leap, 0..=6), any::<bool>()).prop_map(|(list, mirrored)| Steps::List(list, mirrored));
    let named = select(vec!["orthogonal", "king", "silver"]).prop_map(Steps::Named);
    prop_oneof![2 => Just(Steps::NotSaid), 3 => named, 4 => leaps, 1 => Just(Steps::Images)]
}

/// A choice among the animals.
fn some_animals() -> impl Strategy<Value = Vec<bool>> {
    vec(any::<bool>(), ANIMALS.len())
}

/// One or two animals, seldom none or all.
fn swimmers() -> impl Strategy<Value = Vec<bool>> {
    let of_number = |number: u8| (0..3).map(|bit| number >> bit & 1 != 0).collect::<Vec<bool>>();
    prop_oneof![9 => select(vec![1u8, 2, 4, 3, 5, 6]), 1 => select(vec![0u8, 7])].prop_map(of_number)
}

const STOPPERS: [&str; 3] = ["any", "enemy", "none"];

fn jumps() -> impl Strategy<Value = (&'static str, Option<u8>, Option<&'static str>)> {
    let directions = prop_oneof![1 => Just("none"), 2 => select(vec!["ranks", "files", "both"])];
    (directions, option::weighted(0.3, 1u8..=4), option::weighted(0.25, select(&STOPPERS[..])))
}

fn pairs() -> impl Strategy<Value = (usize, usize, PairRule)> {
    let takes = select(vec!["true", "false", "never", "land", "always"]).prop_map(PairRule::Takes);
    let rule = prop_oneof![
        2 => takes,
        1 => any::<bool>().prop_map(PairRule::Trapped),
        1 => any::<bool>().prop_map(PairRule::FromWater),
        1 => any::<bool>().prop_map(PairRule::IntoWater),
    ];
    (0..ANIMALS.len(), 0..ANIMALS.len(), rule)
}

fn plain_settings() -> impl Strategy<Value = Vec<(&'static str, Option<&'static str>)>> {
    let setting = |key: &'static str, values: &'static [&'static str]| {
        (Just(key), option::of(select(values))).prop_map(|(key, value)| (key, value))
    };
    vec![
        setting("shore-captures", &["none", "any"]).boxed(),
        setting("jump-stopped-by", &STOPPERS).boxed(),
        setting("traps", &["intruders", "universal", "none"]).boxed(),
        setting("trapped-can-capture", &["true", "false"]).boxed(),
        setting("own-den", &["forbidden", "allowed"]).boxed(),
        setting("no-move", &["loss", "draw"]).boxed(),
        setting("elimination-wins", &["true", "false"]).boxed(),
        setting("draw-after-quiet-plies", &["0", "40"]).boxed(),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let ranks = option::of(vec(0u8..4, ANIMALS.len()));
    let immune = option::weighted(0.3, some_animals());
    let barred = option::weighted(0.3, (any::<bool>(), some_animals()));
    let parts = (ranks, swimmers(), immune, barred, vec(jumps(), ANIMALS.len()), vec(pairs(), 0..=5), plain_settings());
    parts.prop_map(|(ranks, swimmers, trap_immune, trap_barred, jumps, pairs, plain)| Settings {
        ranks,
        swimmers,
        trap_immune,
        trap_barred,
        jumps,
        pairs,
        plain,
    })
}

fn capture() -> impl Strategy<Value = Capture> {
    let animal = || option::weighted(0.7, 0..ANIMALS.len());
    let terrain = || option::of(select(vec!["any", "land", "water", "trap"]));
    (animal(), animal(), terrain(), terrain(), any::<bool>())
        .prop_map(|(attacker, victim, from, to, allowed)| Capture { attacker, victim, from, to, allowed })
}

/// Rule files with two or three animals on boards with so many files and ranks.
pub fn rule_files(sizes: RangeInclusive<usize>) -> impl Strategy<Value = RuleFile> {
    // Start squares mean nothing to the tables, and many are impossible.
    let starts = option::weighted(0.05, vec(any::<Index>(), ANIMALS.len()));
    let captures = prop_oneof![2 => Just(Vec::new()), 1 => vec(capture(), 1..=3)];
    let animals = (2..=ANIMALS.len(), vec(steps(), ANIMALS.len()), proptest::bool::weighted(0.25));
    let parts = (boards(sizes), animals, settings(), starts, captures, any::<u64>());
    parts.prop_map(|(board, (animals, steps, alike), settings, starts, captures, seed)| RuleFile {
        board,
        animals,
        settings,
        steps,
        alike,
        starts,
        captures,
        seed,
    })
}
