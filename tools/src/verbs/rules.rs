//! `rules`: the rule sets.

use crate::cli::Rules as Args;
use crate::context::Context;
use crate::error::{Code, Failure};
use crate::output::columns::{Align, Columns};
use crate::output::json;
use crate::output::records::{RuleSet, Setting};
use dsq_tables::rules::{NAMES, Rules, SETTINGS};
use std::io::Write;

/// Lists the rule sets, prints one in full, or lists the settings.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let common = context.common();
    if args.settings {
        if common.rules.is_some() || !common.set.is_empty() {
            let words = "--settings lists what every rule set has, so --rules and --set say nothing here";
            return Err(Failure::bad(words));
        }
        return settings(context, out);
    }
    let rules = match &args.name {
        Some(name) => context.rules_called(name)?,
        // Who names a rule set or changes a setting wants to see that one.
        None if common.rules.is_some() || !common.set.is_empty() => context.rules()?,
        None => return list(context, out),
    };
    let toml = rule_file(&rules);
    if context.json() {
        json(out, &RuleSet::new(&rules, Some(toml)))?;
    } else {
        out.write_all(toml.as_bytes())?;
    }
    Ok(Code::Done)
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

fn list(context: &Context, out: &mut dyn Write) -> Result<Code, Failure> {
    let mut columns = Columns::new(&[("name", Align::Left), ("what it is", Align::Left)]);
    for name in NAMES {
        let rules = Rules::load(name)?;
        if context.json() {
            json(out, &RuleSet::new(&rules, None))?;
        } else {
            columns.row([name.to_owned(), rules.spec().title.clone()]);
        }
    }
    if !context.json() {
        columns.print(out)?;
    }
    Ok(Code::Done)
}

fn settings(context: &Context, out: &mut dyn Write) -> Result<Code, Failure> {
    let headings = ["key", "values", "default", "what it says (A and B: names of animals)"];
    let mut columns = Columns::new(&headings.map(|heading| (heading, Align::Left)));
    for info in &SETTINGS {
        let setting = Setting::new(info);
        if context.json() {
            json(out, &setting)?;
        } else {
            columns.row([setting.key, &setting.values, setting.default, setting.help].map(str::to_owned));
        }
    }
    if !context.json() {
        columns.print(out)?;
    }
    Ok(Code::Done)
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
