//! Writes a rule file.

use super::spec::{RuleSpec, steps_of};
use std::fmt::Write as _;

impl RuleSpec {
    /// The rule file of this rule set; [`RuleSpec::parse`] reads it back to the same.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = String::from("# Another name is needed where other rules are written below.\n");
        let _ = write!(text, "name = {}\ntitle = {}\n", quoted(&self.name), quoted(&self.title));
        let _ = write!(
            text,
            "\n# the last rank first: . land, ~ water, D d dens of White and Black, T t their traps\nboard = \"\"\"\n{}\"\"\"\n",
            self.board.to_map()
        );
        text.push_str("\n[settings]\n");
        for (key, value) in self.settings.to_pairs(&self.animals) {
            let plain = matches!(value.as_str(), "true" | "false") || value.parse::<u32>().is_ok();
            let _ = writeln!(text, "{key} = {}", if plain { value } else { quoted(&value) });
        }
        for animal in &self.animals {
            let _ = writeln!(text, "\n[[animal]]\nletter = \"{}\"\nname = {}", animal.letter, quoted(&animal.name));
            if !animal.aliases.is_empty() {
                let _ = writeln!(text, "aliases = {}", quoted(&animal.aliases.iter().collect::<String>()));
            }
            if !animal.other_names.is_empty() {
                let names: Vec<String> = animal.other_names.iter().map(|name| quoted(name)).collect();
                let _ = writeln!(text, "other-names = [{}]", names.join(", "));
            }
            if let Some(word) =
                ["orthogonal", "king", "silver"].into_iter().find(|word| steps_of(word) == Some(animal.steps.clone()))
            {
                let _ = writeln!(text, "steps = \"{word}\"");
            } else {
                let steps: Vec<String> = animal.steps.iter().map(|(f, r)| format!("[{f}, {r}]")).collect();
                let _ = writeln!(text, "steps = [{}]", steps.join(", "));
            }
            for (key, square) in [("start", animal.start[0]), ("black-start", animal.start[1])] {
                if let Some(square) = square {
                    let _ = writeln!(text, "{key} = \"{}\"", self.board.name(square));
                }
            }
        }
        for rule in &self.captures {
            text.push_str("\n[[capture]]\n");
            for (key, letter) in [("attacker", rule.attacker), ("victim", rule.victim)] {
                if let Some(letter) = letter {
                    let _ = writeln!(text, "{key} = \"{letter}\"");
                }
            }
            for (key, terrain) in [("from", rule.from), ("to", rule.to)] {
                let _ = writeln!(text, "{key} = \"{}\"", format!("{terrain:?}").to_lowercase());
            }
            let _ = writeln!(text, "allowed = {}", rule.allowed);
        }
        text
    }
}
