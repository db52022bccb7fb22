//! `rules`: the rule sets.

use crate::context::Context;
use crate::error::{Code, Failure};
use crate::output::records::{RuleSet, Setting};
use crate::output::{json, rules as text};
use dsq_tables::rules::{NAMES, RuleError, Rules, SETTINGS};
use std::io::Write;

/// What is asked.
pub enum Request {
    /// A rule set in full, by its name or file.
    Named(String),
    /// The rule set of the options in full, if they name one or change a setting; else the list of the rule sets.
    Unnamed,
    /// Every setting.
    Settings,
}

/// Prints the list of the rule sets, one in full, or the settings.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let options = context.options();
    let changed = options.rules.is_some() || !options.set.is_empty();
    let rules = match request {
        Request::Settings if changed => {
            let words = "--settings lists what every rule set has, so --rules and --set say nothing here";
            return Err(Failure::bad(words));
        }
        Request::Settings => {
            let settings = settings();
            if context.json() {
                settings.iter().try_for_each(|setting| json(out, setting))?;
            } else {
                text::print_settings(out, &settings)?;
            }
            return Ok(Code::Done);
        }
        Request::Named(name) => context.rules_called(name)?,
        // Who names a rule set or changes a setting wants to see that one.
        Request::Unnamed if changed => context.rules()?,
        Request::Unnamed => {
            let rule_sets = list()?;
            if context.json() {
                rule_sets.iter().try_for_each(|rules| json(out, rules))?;
            } else {
                text::print_list(out, &rule_sets)?;
            }
            return Ok(Code::Done);
        }
    };
    if context.json() {
        json(out, &in_full(&rules))?;
    } else {
        out.write_all(rule_file(&rules).as_bytes())?;
    }
    Ok(Code::Done)
}

/// The rule sets that come with the program.
pub fn list() -> Result<Vec<RuleSet>, RuleError> {
    NAMES.into_iter().map(|name| Ok(RuleSet::new(&*Rules::load(name)?, None))).collect()
}

/// A rule set with its file.
pub fn in_full(rules: &Rules) -> RuleSet {
    RuleSet::new(rules, Some(rule_file(rules)))
}

/// Every setting that a rule set has.
pub fn settings() -> Vec<Setting> {
    SETTINGS.iter().map(Setting::new).collect()
}

/// The text of a rule file that reads back, under a name of its own if settings were changed: no file may give other rules
/// the name of a rule set that comes with the program.
fn rule_file(rules: &Rules) -> String {
    let mut spec = rules.spec().clone();
    if rules.name() != spec.name {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        // A name in a rule file has at most 64 characters.
        spec.name = rules.name().chars().map(plain).take(64).collect();
    }
    spec.to_toml()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dsq_tables::rules::RuleSpec;

    #[test]
    fn a_changed_rule_set_reads_back_from_its_file() {
        for changes in [vec![], vec![("tiger-jumps", "files:2"), ("ranks", "R C D (WP) T L E")]] {
            let rules = Rules::load_with("classic", changes).unwrap();
            let text = rule_file(&rules);
            let read = Rules::compile(RuleSpec::parse(&text, "test").unwrap()).unwrap();
            assert_eq!(read.fingerprint(), rules.fingerprint());
            assert_eq!(read.name() == "classic", rules.name() == "classic", "{text}");
        }
    }
}
