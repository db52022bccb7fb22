//! Gets a rule set by its name or from a file.

use super::compile::Rules;
use super::error::RuleError;
use super::file;
use super::named::{self, NAMES};
use super::source::Place;
use super::spec::RuleSpec;
use std::path::Path;
use std::sync::Arc;

impl RuleSpec {
    /// A rule set by name, or from a file if there is no such name.
    ///
    /// # Errors
    /// [`RuleError`]: no such name or file, or what is wrong in it.
    pub fn load(name_or_path: &str) -> Result<RuleSpec, RuleError> {
        if let Some(text) = named::text(name_or_path) {
            return RuleSpec::parse(text, name_or_path);
        }
        let path = Path::new(name_or_path);
        if !path.is_file() {
            if path.exists() {
                let reason = "it is not a regular file".to_owned();
                return Err(RuleError::Unreadable { path: name_or_path.to_owned(), reason });
            }
            let name: String = name_or_path.chars().take(100).collect();
            return Err(RuleError::UnknownName { name });
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| RuleError::Unreadable { path: name_or_path.to_owned(), reason: error.to_string() })?;
        let (spec, source) = file::read(&text, name_or_path)?;
        if NAMES.contains(&spec.name.as_str()) && named::text(&spec.name) != Some(&text) {
            let named = RuleSpec::load(&spec.name)?;
            if Rules::compile(named)?.fingerprint() != Rules::compile(spec.clone())?.fingerprint() {
                let reason = format!(
                    "{:?} is the name of a rule set that comes with the program, and these rules differ; choose another name",
                    spec.name
                );
                return Err(source.refuse(&Place::section("name"), reason));
            }
        }
        Ok(spec)
    }

    /// Reads a rule set from the text of a rule file; `source_name` is for messages. What can be read can be played: it
    /// compiles.
    ///
    /// # Errors
    /// [`RuleError`] names the line and the field.
    pub fn parse(text: &str, source_name: &str) -> Result<RuleSpec, RuleError> {
        file::read(text, source_name).map(|(spec, _)| spec)
    }
}

impl Rules {
    /// A rule set by name or from a rule file.
    ///
    /// # Errors
    /// [`RuleError`]: no such rule set, or what is wrong in the file.
    pub fn load(name_or_path: &str) -> Result<Arc<Rules>, RuleError> {
        Rules::load_with(name_or_path, std::iter::empty())
    }

    /// A rule set by name or from a rule file with some settings changed. If the changes make other rules, the name of
    /// the result says so: `classic+tiger-jumps=files`.
    ///
    /// # Errors
    /// [`RuleError`]: no such rule set, what is wrong in the file, or which change is not possible.
    pub fn load_with<'a>(
        name_or_path: &str,
        changes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Arc<Rules>, RuleError> {
        let mut spec = RuleSpec::load(name_or_path)?;
        let plain = Rules::compile(spec.clone())?;
        let before = spec.settings.to_pairs(&spec.animals);
        let mut words = String::new();
        for (key, value) in changes {
            spec.set(key, value)?;
            words.push_str(&format!("{} {key}={value}", if words.is_empty() { " with" } else { "" }));
        }
        let mut changed = Rules::compile_changed(spec, &words)?;
        if changed.fingerprint() != plain.fingerprint() {
            let after = changed.spec().settings.to_pairs(&changed.spec().animals);
            for (key, value) in after.iter().filter(|pair| !before.contains(pair)) {
                changed.name.push_str(&format!("+{key}={}", value.replace(' ', "").replace(':', "-")));
            }
            // A change for all can take back what the file says of one animal.
            for (key, _) in before.iter().filter(|(key, _)| !after.iter().any(|(other, _)| other == key)) {
                changed.name.push_str(&format!("+{key}=as-all"));
            }
        }
        Ok(Arc::new(changed))
    }

    /// The default rule set.
    ///
    /// # Errors
    /// None in a sound build: the embedded rule files are under test.
    pub fn default_set() -> Result<Arc<Rules>, RuleError> {
        Rules::load(NAMES[0])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_named_rule_set_prints_a_file_that_reads_back() {
        for name in NAMES {
            let rules = Rules::load(name).unwrap();
            let again = Rules::compile(RuleSpec::parse(&rules.spec().to_toml(), "printed").unwrap()).unwrap();
            assert_eq!(again.fingerprint(), rules.fingerprint(), "{name}");
            assert_eq!(again.spec(), rules.spec(), "{name}");
        }
    }

    #[test]
    fn changed_rules_have_another_name_and_fingerprint() {
        let plain = Rules::load("classic").unwrap();
        let same = Rules::load_with("classic", [("tiger-jumps", "both"), ("draw-after-quiet-plies", "60")]).unwrap();
        assert_eq!((same.name(), same.fingerprint()), ("classic", plain.fingerprint()));
        let files = Rules::load_with("classic", [("tiger-jumps", "files")]).unwrap();
        assert_eq!(files.name(), "classic+tiger-jumps=files");
        assert_ne!(files.fingerprint(), plain.fingerprint());
    }

    #[test]
    fn a_change_that_takes_back_a_setting_of_one_animal_shows_in_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        let mut spec = Rules::load("classic").unwrap().spec().clone();
        spec.name = "mine".to_owned();
        spec.set("tiger-jump-stopped-by", "enemy").unwrap();
        std::fs::write(&path, spec.to_toml()).unwrap();
        let path = path.to_str().unwrap();
        let plain = Rules::load(path).unwrap();
        let changed = Rules::load_with(path, [("jump-stopped-by", "any")]).unwrap();
        assert_ne!(changed.fingerprint(), plain.fingerprint());
        assert_eq!(changed.name(), "mine+tiger-jump-stopped-by=as-all");
    }
}
