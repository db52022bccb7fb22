//! Settings as keys and values: how they are changed and listed.

use super::error::RuleError;
use super::keys::{Key, SETTINGS, Setting, SettingInfo};
use super::settings::{MAX_QUIET_LIMIT, Settings, TrapBar};
use super::spec::{AnimalSpec, RuleSpec};
use super::words::{JUMP_STOPS, NO_MOVES, OWN_DEN, SHORE, TAKES, TRAPS, Written, word};

impl RuleSpec {
    /// Changes one setting.
    ///
    /// # Errors
    /// [`RuleError::UnknownSetting`] or [`RuleError::SettingValue`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), RuleError> {
        let written = Written { key: key.trim(), value: value.trim() };
        let key = Key::read(&self.animals, key)?;
        self.settings.set(&mut self.animals, &key, &written)
    }
}

impl Settings {
    /// Changes one setting. `animals` are those of the rule set; settings of a single animal are kept there.
    ///
    /// # Errors
    /// [`RuleError::SettingValue`].
    pub(super) fn set(
        &mut self,
        animals: &mut [AnimalSpec],
        key: &Key,
        written: &Written<'_>,
    ) -> Result<(), RuleError> {
        let [first, second] = key.animals;
        // Used only by the settings of pairs.
        let letter = |index: usize| animals.get(index).map(|animal| animal.letter).unwrap_or_default();
        let pair = (letter(first), letter(second));
        match key.setting {
            Setting::Ranks => self.ranks = written.ranks(animals)?,
            Setting::Swimmers => self.swimmers = written.letters(written.value, animals)?,
            Setting::Takes => self.pairs.entry(pair).or_default().takes = Some(written.choice(&TAKES)?),
            Setting::TakesTrapped => self.pairs.entry(pair).or_default().takes_trapped = Some(written.boolean()?),
            Setting::TakesFromWater => self.pairs.entry(pair).or_default().from_water = Some(written.boolean()?),
            Setting::TakesIntoWater => self.pairs.entry(pair).or_default().into_water = Some(written.boolean()?),
            Setting::ShoreCaptures => self.shore_captures = written.choice(&SHORE)?,
            Setting::Jumps => animals[first].jumps = written.jumps()?,
            Setting::JumpStoppedBy => {
                self.jump_stopped_by = written.choice(&JUMP_STOPS)?;
                // "For all": an earlier word on one animal no longer counts.
                animals.iter_mut().for_each(|animal| animal.jump_stopped_by = None);
            }
            Setting::AnimalJumpStoppedBy => animals[first].jump_stopped_by = Some(written.choice(&JUMP_STOPS)?),
            Setting::Traps => self.traps = written.choice(&TRAPS)?,
            Setting::TrapImmune => self.trap_immune = written.letters(written.value, animals)?,
            Setting::TrapBarred => {
                let own = written.value.strip_prefix("own:");
                let letters = written.letters(own.unwrap_or(written.value), animals)?;
                self.trap_barred = TrapBar { own_only: own.is_some() && !letters.is_empty(), animals: letters };
            }
            Setting::TrappedCanCapture => self.trapped_can_capture = written.boolean()?,
            Setting::OwnDen => self.own_den = written.choice(&OWN_DEN)?,
            Setting::NoMove => self.no_move = written.choice(&NO_MOVES)?,
            Setting::EliminationWins => self.elimination_wins = written.boolean()?,
            Setting::DrawAfterQuietPlies => {
                let plies = written.value.parse().ok().filter(|&plies: &u32| plies <= MAX_QUIET_LIMIT);
                self.draw_after_quiet_plies =
                    plies.ok_or_else(|| written.refuse("it is a number of plies up to 1000000000, 0 for none"))?;
            }
        }
        Ok(())
    }

    /// Every setting as key and value, in an order that never changes; what [`RuleSpec::set`](super::RuleSpec::set) reads.
    #[must_use]
    pub fn to_pairs(&self, animals: &[AnimalSpec]) -> Vec<(String, String)> {
        let name = |letter: char| {
            animals.iter().find(|animal| animal.letter == letter).map_or_else(String::new, |animal| animal.name.clone())
        };
        let letters = |letters: &[char]| letters.iter().collect::<String>();
        let ranks = || {
            let group = |group: &Vec<char>| match group.as_slice() {
                [letter] => letter.to_string(),
                tied => format!("({})", letters(tied)),
            };
            self.ranks.iter().map(group).collect::<Vec<String>>().join(" ")
        };
        let mut pairs = Vec::new();
        for setting in SETTINGS.iter().map(SettingInfo::setting) {
            let value = match setting {
                Setting::Ranks => ranks(),
                Setting::Swimmers => letters(&self.swimmers),
                // Here, pair by pair, and not below.
                Setting::Takes => {
                    for (&(attacker, victim), rule) in &self.pairs {
                        let said = [
                            (Setting::Takes, rule.takes.map(|takes| word(&TAKES, takes))),
                            (Setting::TakesTrapped, rule.takes_trapped.map(|takes| takes.to_string())),
                            (Setting::TakesFromWater, rule.from_water.map(|takes| takes.to_string())),
                            (Setting::TakesIntoWater, rule.into_water.map(|takes| takes.to_string())),
                        ];
                        let key = |setting: Setting| setting.key(&name(attacker), &name(victim));
                        pairs.extend(said.into_iter().filter_map(|(setting, value)| Some((key(setting), value?))));
                    }
                    continue;
                }
                Setting::TakesTrapped | Setting::TakesFromWater | Setting::TakesIntoWater => continue,
                Setting::ShoreCaptures => word(&SHORE, self.shore_captures),
                Setting::Jumps => {
                    pairs
                        .extend(animals.iter().map(|animal| (setting.key(&animal.name, ""), animal.jumps.to_string())));
                    continue;
                }
                Setting::JumpStoppedBy => word(&JUMP_STOPS, self.jump_stopped_by),
                Setting::AnimalJumpStoppedBy => {
                    let said = |animal: &AnimalSpec| {
                        animal.jump_stopped_by.map(|stop| (setting.key(&animal.name, ""), word(&JUMP_STOPS, stop)))
                    };
                    pairs.extend(animals.iter().filter_map(said));
                    continue;
                }
                Setting::Traps => word(&TRAPS, self.traps),
                Setting::TrapImmune => letters(&self.trap_immune),
                Setting::TrapBarred => {
                    let own = if self.trap_barred.own_only { "own:" } else { "" };
                    format!("{own}{}", letters(&self.trap_barred.animals))
                }
                Setting::TrappedCanCapture => self.trapped_can_capture.to_string(),
                Setting::OwnDen => word(&OWN_DEN, self.own_den),
                Setting::NoMove => word(&NO_MOVES, self.no_move),
                Setting::EliminationWins => self.elimination_wins.to_string(),
                Setting::DrawAfterQuietPlies => self.draw_after_quiet_plies.to_string(),
            };
            pairs.push((setting.key("", ""), value));
        }
        pairs
    }
}
