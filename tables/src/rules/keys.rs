//! The list of all settings: their keys, what they can be and what they mean.
//!
//! Keys are read and written only by this list, and what is done with them depends on [`Setting`], so that there is no setting
//! that is not in the list.

use super::error::RuleError;
use super::spec::AnimalSpec;
use super::words::{JUMP_STOPS, JUMPS, NO_MOVES, OWN_DEN, SHORE, TAKES, TRAPS, TRUTH, all};

/// A setting, whatever the animals are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Setting {
    Ranks,
    Swimmers,
    Takes,
    TakesTrapped,
    TakesFromWater,
    TakesIntoWater,
    ShoreCaptures,
    Jumps,
    JumpStoppedBy,
    AnimalJumpStoppedBy,
    Traps,
    TrapImmune,
    TrapBarred,
    TrappedCanCapture,
    OwnDen,
    NoMove,
    EliminationWins,
    DrawAfterQuietPlies,
}

/// What the values of a setting are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Fixed words.
    Words,
    /// All letters from weak to strong, ties in brackets.
    Ranks,
    /// Letters of animals.
    Letters,
    /// Letters of animals, perhaps behind `own:`.
    OwnLetters,
    /// A word for the directions, perhaps with a longest span.
    Jumps,
    /// A number, 0 for none.
    Number,
}

/// What there is to know of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SettingInfo {
    setting: Setting,
    /// Its key, with `A` and `B` for names of animals.
    pub key: &'static str,
    /// What it is where nothing is said.
    pub default: &'static str,
    /// What it means, in one line.
    pub help: &'static str,
}

impl SettingInfo {
    const fn new(setting: Setting, key: &'static str, default: &'static str, help: &'static str) -> SettingInfo {
        SettingInfo { setting, key, default, help }
    }

    /// Which one it is.
    pub(super) fn setting(&self) -> Setting {
        self.setting
    }

    /// The words that are its values; none if these are no fixed words.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        match self.setting {
            Setting::Ranks
            | Setting::Swimmers
            | Setting::TrapImmune
            | Setting::TrapBarred
            | Setting::DrawAfterQuietPlies => Vec::new(),
            Setting::Takes => all(&TAKES),
            Setting::TakesTrapped
            | Setting::TakesFromWater
            | Setting::TakesIntoWater
            | Setting::TrappedCanCapture
            | Setting::EliminationWins => all(&TRUTH),
            Setting::ShoreCaptures => all(&SHORE),
            Setting::Jumps => all(&JUMPS),
            Setting::JumpStoppedBy | Setting::AnimalJumpStoppedBy => all(&JUMP_STOPS),
            Setting::Traps => all(&TRAPS),
            Setting::OwnDen => all(&OWN_DEN),
            Setting::NoMove => all(&NO_MOVES),
        }
    }

    /// What its values are.
    #[must_use]
    pub const fn form(&self) -> Form {
        match self.setting {
            Setting::Ranks => Form::Ranks,
            Setting::Swimmers | Setting::TrapImmune => Form::Letters,
            Setting::TrapBarred => Form::OwnLetters,
            Setting::Jumps => Form::Jumps,
            Setting::DrawAfterQuietPlies => Form::Number,
            Setting::Takes
            | Setting::TakesTrapped
            | Setting::TakesFromWater
            | Setting::TakesIntoWater
            | Setting::ShoreCaptures
            | Setting::JumpStoppedBy
            | Setting::AnimalJumpStoppedBy
            | Setting::Traps
            | Setting::TrappedCanCapture
            | Setting::OwnDen
            | Setting::NoMove
            | Setting::EliminationWins => Form::Words,
        }
    }

    /// What its values are, in words.
    #[must_use]
    pub fn values(&self) -> String {
        match self.form() {
            Form::Ranks => "all letters, weak to strong; ties in brackets".to_owned(),
            Form::Letters => "letters".to_owned(),
            Form::OwnLetters => "letters; behind own: for own traps only".to_owned(),
            Form::Jumps => format!("{}; with a longest span, as both:2", self.words().join(", ")),
            Form::Number => "a number, 0 for none".to_owned(),
            Form::Words => self.words().join(", "),
        }
    }

    /// The key for some animals: those that stand in place of `A` and `B`, if it speaks of any. None if it needs a second one and
    /// there is none.
    #[must_use]
    pub fn key_for(&self, first: &str, second: Option<&str>) -> Option<String> {
        let pair = self.key.contains('B');
        (!pair || second.is_some()).then(|| self.setting.key(first, second.unwrap_or_default()))
    }

    /// Of how many animals it speaks.
    #[must_use]
    pub fn animals(&self) -> usize {
        usize::from(self.key.contains('A')) + usize::from(self.key.contains('B'))
    }
}

/// All settings, in the order in which they are printed.
pub const SETTINGS: [SettingInfo; 18] = [
    SettingInfo::new(
        Setting::Ranks,
        "ranks",
        "the order of the file",
        "order of strength: an animal takes its equals and all below",
    ),
    SettingInfo::new(Setting::Swimmers, "swimmers", "none", "animals that may stand in water as well as on land"),
    SettingInfo::new(
        Setting::Takes,
        "A-takes-B",
        "by rank",
        "whether A takes a B that no trap weakens; land: from land to land only; always: across the shore as well",
    ),
    SettingInfo::new(Setting::TakesTrapped, "A-takes-trapped-B", "true", "whether A takes a B that a trap weakens"),
    SettingInfo::new(
        Setting::TakesFromWater,
        "A-takes-B-from-water",
        "as shore-captures",
        "whether A in water takes B on land",
    ),
    SettingInfo::new(
        Setting::TakesIntoWater,
        "A-takes-B-into-water",
        "as shore-captures",
        "whether A on land takes B in water",
    ),
    SettingInfo::new(
        Setting::ShoreCaptures,
        "shore-captures",
        "none",
        "whether captures across the shore are allowed where no pair says otherwise",
    ),
    SettingInfo::new(
        Setting::Jumps,
        "A-jumps",
        "none",
        "whether A jumps over all the water next to it, along ranks, files or both",
    ),
    SettingInfo::new(
        Setting::JumpStoppedBy,
        "jump-stopped-by",
        "any",
        "whose pieces on the water in between stop a jump, for all animals",
    ),
    SettingInfo::new(
        Setting::AnimalJumpStoppedBy,
        "A-jump-stopped-by",
        "as jump-stopped-by",
        "the same for one animal",
    ),
    SettingInfo::new(
        Setting::Traps,
        "traps",
        "intruders",
        "who is weakened in a trap: a piece in one of the other side, every piece in any, or nobody",
    ),
    SettingInfo::new(Setting::TrapImmune, "trap-immune", "none", "animals that traps do not weaken"),
    SettingInfo::new(Setting::TrapBarred, "trap-barred", "none", "animals that may not enter traps"),
    SettingInfo::new(Setting::TrappedCanCapture, "trapped-can-capture", "true", "whether a weakened piece can take"),
    SettingInfo::new(
        Setting::OwnDen,
        "own-den",
        "forbidden",
        "whether a piece may stand in the den of its own side; it takes nothing out of there",
    ),
    SettingInfo::new(Setting::NoMove, "no-move", "loss", "what a side without a legal move gets"),
    SettingInfo::new(
        Setting::EliminationWins,
        "elimination-wins",
        "true",
        "whether a side without pieces has lost; otherwise it is a side without a move",
    ),
    SettingInfo::new(
        Setting::DrawAfterQuietPlies,
        "draw-after-quiet-plies",
        "0",
        "a draw after so many plies without a capture; distance to win leaves it out, dtc tables hold under it",
    ),
];

// The list has each setting once, in the order of the type.
const _: () = {
    let mut place = 0;
    while place < SETTINGS.len() {
        assert!(SETTINGS[place].setting as usize == place, "the list of settings is in another order");
        place += 1;
    }
    assert!(Setting::DrawAfterQuietPlies as usize + 1 == SETTINGS.len(), "a setting is not in the list");
};

/// Why a setting of known variants cannot be one here.
const NOT_OF_THE_POSITION: [(&str, &str); 3] = [
    (
        "hidden-pieces",
        "hidden pieces are not a function of the position, so no table over positions can hold their value",
    ),
    (
        "turns-in-water",
        "turns spent in the water are history, not position, so no table over positions can hold the value",
    ),
    ("turns-in-den", "turns spent in the den are history, not position, so no table over positions can hold the value"),
];

/// Words in keys that names of animals must not have, or a key could be read in two ways.
pub(super) const WORDS_OF_KEYS: [&str; 5] = ["takes", "trapped", "water", "jumps", "jump"];

impl Setting {
    /// The key, with the names of animals in it.
    pub(super) fn key(self, first: &str, second: &str) -> String {
        // Names of animals have no capital letters.
        SETTINGS[self as usize].key.replace('A', first).replace('B', second)
    }
}

/// A key that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    /// The setting.
    pub setting: Setting,
    /// The animals in place of `A` and `B`, as indices into those of the rule set; 0 where the setting is for all.
    pub animals: [usize; 2],
}

impl Key {
    /// Reads a key.
    pub(super) fn read(animals: &[AnimalSpec], key: &str) -> Result<Key, RuleError> {
        let key = key.trim();
        let by_name = |name: &str| animals.iter().position(|animal| animal.is_called(name));
        let read = SETTINGS.iter().find_map(|info| {
            let [first, second] = names_in(info.key, key)?.map(|name| name.map_or(Some(0), by_name));
            Some(Key { setting: info.setting, animals: [first?, second?] })
        });
        read.ok_or_else(|| {
            let reason = match NOT_OF_THE_POSITION.iter().find(|(other, _)| *other == key) {
                Some((_, reason)) => (*reason).to_owned(),
                None => format!("it is not known; {}", hint_at(animals, key)),
            };
            RuleError::UnknownSetting { key: key.to_owned(), reason }
        })
    }
}

/// What stands in a key in place of `A` and `B`, if it is made like the key of the list.
fn names_in<'k>(listed: &str, key: &'k str) -> Option<[Option<&'k str>; 2]> {
    let Some(listed) = listed.strip_prefix('A') else { return (listed == key).then_some([None, None]) };
    match listed.split_once('B') {
        None => Some([Some(key.strip_suffix(listed)?), None]),
        Some((between, behind)) => {
            let (first, rest) = key.split_once(between)?;
            Some([Some(first), Some(rest.strip_suffix(behind)?)])
        }
    }
}

/// What may be wrong with a key: the name of an animal, or a letter too few or too many.
fn hint_at(animals: &[AnimalSpec], key: &str) -> String {
    let names: Vec<&str> = animals.iter().map(|animal| animal.name.as_str()).collect();
    let unknown = |name: &&str| !animals.iter().any(|animal| animal.is_called(name));
    let wrong = SETTINGS.iter().filter_map(|info| names_in(info.key, key)).flatten().flatten().filter(unknown);
    // The key that is most alike leaves least for the names.
    if let Some(name) = wrong.min_by_key(|name| name.len()) {
        return format!("{name:?} is not an animal of this rule set ({})", names.join(", "));
    }
    let of_animals = names.iter().flat_map(|name| SETTINGS.iter().map(|info| info.setting.key(name, name)));
    let close = of_animals.into_iter().find(|other| {
        let (short, long) = if key.len() < other.len() { (key, other.as_str()) } else { (other.as_str(), key) };
        long.len() - short.len() <= 1 && long.starts_with(short) && short.len() > 3 || key.replace('_', "-") == *other
    });
    match close {
        Some(close) => format!("is {close} meant?"),
        None => {
            let keys: Vec<&str> = SETTINGS.iter().map(|info| info.key).collect();
            format!("the settings are {} (A and B: names of animals)", keys.join(", "))
        }
    }
}
