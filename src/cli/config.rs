//! The `[measure]` table: the same settings as the options, from a file.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::args::SettingsArgs;
use super::plan::{self, Planned};
use crate::error::{Error, Result};

/// Settings from one place; what is not said there is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layer {
    /// Production globs.
    pub source: Option<Vec<String>>,
    /// Test globs.
    pub tests: Option<Vec<String>>,
    /// Globs of generated files.
    pub generated: Option<Vec<String>>,
    /// Globs of vendored files.
    pub vendored: Option<Vec<String>>,
    /// Globs of configuration files.
    pub config_globs: Option<Vec<String>>,
    /// Globs of the `fn_*` measures.
    pub functions: Option<Vec<String>>,
    /// Pattern of the entry handler.
    pub entry: Option<String>,
    /// Language shown first.
    pub language: Option<String>,
    /// Counting rules.
    pub profile: Option<String>,
    /// Earlier changes.
    pub lookback: Option<u32>,
    /// Where the window begins.
    pub base: Option<String>,
    /// Erosion.
    pub cc_threshold: Option<u32>,
    /// Extreme erosion.
    pub cc_extreme_threshold: Option<u32>,
    /// Hotspots.
    pub cognitive_threshold: Option<u32>,
    /// `.git-blame-ignore-revs`.
    pub ignore_revs: Option<bool>,
    /// Path of a price table, in the tree whose `evolve.toml` counts.
    pub prices: Option<String>,
    /// Patterns that tell what a test is.
    pub test_patterns: Option<Vec<String>>,
    /// What the plan says of its checkpoints' tests.
    pub checkpoints: Option<Vec<Planned>>,
}

/// Every key of the table.
pub(super) const KEYS: [&str; 17] = [
    "base",
    "cc_extreme_threshold",
    "cc_threshold",
    "cognitive_threshold",
    "config_globs",
    "entry",
    "functions",
    "generated",
    "ignore_revs",
    "language",
    "lookback",
    "prices",
    "profile",
    "source",
    "test_patterns",
    "tests",
    "vendored",
];

#[derive(Deserialize)]
struct File {
    measure: Option<BTreeMap<Spanned<String>, Spanned<Value>>>,
    checkpoints: Option<Vec<plan::Table>>,
}

/// One key of the table, its value, and what errors call the places of both.
struct Entry<'t> {
    key: &'t str,
    key_at: String,
    value: &'t Value,
    value_at: String,
}

impl Layer {
    /// What was typed.
    pub(super) fn typed(args: &SettingsArgs) -> Layer {
        let list = |globs: &[String]| (!globs.is_empty()).then(|| globs.to_vec());
        Layer {
            source: list(&args.scope.source),
            tests: list(&args.scope.tests),
            generated: list(&args.scope.generated),
            vendored: list(&args.scope.vendored),
            config_globs: list(&args.config_globs),
            functions: list(&args.functions),
            entry: args.entry.clone(),
            language: args.language.clone(),
            profile: args.scope.profile.clone(),
            lookback: args.lookback,
            base: args.base.clone(),
            cc_threshold: args.cc_threshold,
            cc_extreme_threshold: args.cc_extreme_threshold,
            cognitive_threshold: args.cognitive_threshold,
            ignore_revs: args.no_ignore_revs.then_some(false),
            // A table that is typed is no path in a tree.
            prices: None,
            test_patterns: None,
            checkpoints: None,
        }
    }

    /// Reads the `[measure]` table of `text`, and what `[[checkpoints]]` say of tests; `name` is
    /// what errors call it. Neither there: `None`. The rest of a plan is not looked at.
    ///
    /// # Errors
    /// A usage error with line and column for what is no TOML, an unknown key (with the nearest
    /// known one) or a value of another kind.
    pub(super) fn read(text: &str, name: &str) -> Result<Option<Layer>> {
        let file: File = toml::from_str(text).map_err(|e| {
            let at = e
                .span()
                .map(|s| position(text, s.start))
                .unwrap_or_default();
            Error::usage(format!(
                "{name}:{at} {}",
                e.message().trim().replace('\n', " ")
            ))
        })?;
        if file.measure.is_none() && file.checkpoints.is_none() {
            return Ok(None);
        }
        let at = |offset| format!("{name}:{}", position(text, offset));
        let table = file.measure.unwrap_or_default();
        let entries = table.iter().map(|(key, value)| Entry {
            key: key.get_ref(),
            key_at: at(key.span().start),
            value: value.get_ref(),
            value_at: at(value.span().start),
        });
        let mut layer = Layer::of(entries, name)?;
        let planned = file.checkpoints.map(|tables| plan::of_tables(tables, at));
        layer.checkpoints = planned.transpose()?;
        Ok(Some(layer))
    }

    /// The same of a configuration note, whose `measure` object is such a table in JSON; `name`
    /// is what errors call it.
    ///
    /// # Errors
    /// A usage error for what is no JSON object, an unknown key or a value of another kind.
    pub(super) fn read_json(bytes: &[u8], name: &str) -> Result<Option<Layer>> {
        #[derive(Deserialize)]
        struct Note {
            measure: Option<BTreeMap<String, Value>>,
            checkpoints: Option<Vec<plan::Note>>,
        }
        let note: Note =
            serde_json::from_slice(bytes).map_err(|e| Error::usage(format!("{name}: {e}")))?;
        if note.measure.is_none() && note.checkpoints.is_none() {
            return Ok(None);
        }
        let table = note.measure.unwrap_or_default();
        let at = format!("{name}:");
        let entries = table.iter().map(|(key, value)| Entry {
            key,
            key_at: at.clone(),
            value,
            value_at: at.clone(),
        });
        let mut layer = Layer::of(entries, name)?;
        let planned = note.checkpoints.map(|notes| plan::of_notes(notes, &at));
        layer.checkpoints = planned.transpose()?;
        Ok(Some(layer))
    }

    fn of<'t>(entries: impl Iterator<Item = Entry<'t>>, name: &str) -> Result<Layer> {
        let mut layer = Layer::default();
        for entry in entries {
            let known = entry.key.replace('-', "_");
            if !KEYS.contains(&known.as_str()) {
                return Err(unknown_key(&entry.key_at, entry.key, &known));
            }
            layer.set(&known, entry.value).map_err(|wanted| {
                Error::usage(format!(
                    "{} {} in [measure] must be {wanted}",
                    entry.value_at, entry.key
                ))
            })?;
        }
        if layer.base.is_some() && layer.lookback.is_some() {
            return Err(Error::usage(format!(
                "{name}: [measure] has both base and lookback"
            )));
        }
        Ok(layer)
    }

    /// Sets one key; the error says what kind of value it wants.
    fn set(&mut self, key: &str, value: &Value) -> std::result::Result<(), &'static str> {
        match key {
            "base" => self.base = Some(text(value)?),
            "entry" => self.entry = Some(text(value)?),
            "language" => self.language = Some(text(value)?),
            "profile" => self.profile = Some(text(value)?),
            "cc_threshold" => self.cc_threshold = Some(number(value)?),
            "cc_extreme_threshold" => self.cc_extreme_threshold = Some(number(value)?),
            "cognitive_threshold" => self.cognitive_threshold = Some(number(value)?),
            "lookback" => self.lookback = Some(number(value)?),
            "prices" => self.prices = Some(text(value)?),
            "ignore_revs" => {
                self.ignore_revs = Some(value.as_bool().ok_or("true or false")?);
            }
            "test_patterns" => self.test_patterns = Some(plan::common(value)?),
            "source" => self.source = Some(globs(value)?),
            "tests" => self.tests = Some(globs(value)?),
            "generated" => self.generated = Some(globs(value)?),
            "vendored" => self.vendored = Some(globs(value)?),
            "config_globs" => self.config_globs = Some(globs(value)?),
            _ => self.functions = Some(globs(value)?),
        }
        Ok(())
    }

    /// This layer where it says something, else `below`. `base` and `lookback` are one
    /// question: who answers either answers both.
    #[must_use]
    pub(super) fn over(self, below: Layer) -> Layer {
        let window = if self.base.is_some() || self.lookback.is_some() {
            (self.base, self.lookback)
        } else {
            (below.base, below.lookback)
        };
        Layer {
            source: self.source.or(below.source),
            tests: self.tests.or(below.tests),
            generated: self.generated.or(below.generated),
            vendored: self.vendored.or(below.vendored),
            config_globs: self.config_globs.or(below.config_globs),
            functions: self.functions.or(below.functions),
            entry: self.entry.or(below.entry),
            language: self.language.or(below.language),
            profile: self.profile.or(below.profile),
            base: window.0,
            lookback: window.1,
            cc_threshold: self.cc_threshold.or(below.cc_threshold),
            cc_extreme_threshold: self.cc_extreme_threshold.or(below.cc_extreme_threshold),
            cognitive_threshold: self.cognitive_threshold.or(below.cognitive_threshold),
            ignore_revs: self.ignore_revs.or(below.ignore_revs),
            prices: self.prices.or(below.prices),
            test_patterns: self.test_patterns.or(below.test_patterns),
            checkpoints: self.checkpoints.or(below.checkpoints),
        }
    }
}

fn text(value: &Value) -> std::result::Result<String, &'static str> {
    value.as_str().map(str::to_owned).ok_or("a string")
}

fn number(value: &Value) -> std::result::Result<u32, &'static str> {
    value
        .as_integer()
        .and_then(|n| u32::try_from(n).ok())
        .ok_or("a whole number, not negative")
}

fn globs(value: &Value) -> std::result::Result<Vec<String>, &'static str> {
    const WANTED: &str = "a glob or a list of globs";
    match value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(many) => many
            .iter()
            .map(|g| g.as_str().map(str::to_owned).ok_or(WANTED))
            .collect(),
        _ => Err(WANTED),
    }
}

/// `line:column:` of a byte offset.
fn position(text: &str, offset: usize) -> String {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |i| i + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    format!("{line}:{column}:")
}

fn unknown_key(at: &str, key: &str, plain: &str) -> Error {
    let error = Error::usage(format!("{at} unknown key '{key}' in [measure]"));
    match nearest(plain, &KEYS) {
        Some(near) => error.with_hint(format!("did you mean '{near}'?")),
        None => error.with_hint(format!("known keys: {}", KEYS.join(", "))),
    }
}

/// The word that `typed` was most likely meant to be, where one is near.
pub(super) fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = typed.chars().count().div_ceil(3).max(1);
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(typed, k), *k))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_and_other_tables_are_not_looked_at() {
        let layer = Layer::read(
            "[experiment]\nname = 'x'\n[measure]\nsource = 'src/**'\nlookback = 7\ncc-threshold = 9\nignore_revs = false\n",
            "evolve.toml",
        )
        .expect("well formed")
        .expect("a table");
        assert_eq!(
            layer,
            Layer {
                source: Some(vec!["src/**".to_owned()]),
                lookback: Some(7),
                cc_threshold: Some(9),
                ignore_revs: Some(false),
                ..Layer::default()
            }
        );
        assert_eq!(Layer::read("[arms]\n", "evolve.toml").expect("read"), None);
    }

    #[test]
    fn a_wrong_key_is_named_with_its_place_and_its_nearest_name() {
        let error = Layer::read("[measure]\n  lokback = 7\n", "evolve.toml").expect_err("wrong");
        assert_eq!(
            error.to_string(),
            "evolve.toml:2:3: unknown key 'lokback' in [measure]"
        );
        assert_eq!(error.hint(), Some("did you mean 'lookback'?"));
        assert_eq!(error.kind(), crate::Kind::Usage);
    }

    #[test]
    fn a_wrong_value_is_named_with_its_place() {
        let error = Layer::read("[measure]\nlookback = \"x\"\n", "f").expect_err("wrong");
        assert_eq!(
            error.to_string(),
            "f:2:12: lookback in [measure] must be a whole number, not negative"
        );
        let error = Layer::read("[measure\n", "f").expect_err("no TOML");
        assert!(error.to_string().starts_with("f:1:"), "{error}");
    }

    #[test]
    fn a_note_is_read_as_the_file_it_was_made_of() {
        let file = "[experiment]\nname = 'x'\n[measure]\nsource = ['src/**']\nlookback = 7\ncc-threshold = 9\nignore_revs = false\n";
        let masker = crate::record::mask::Masker::general();
        let note = crate::record::snapshot_of(file, &masker).expect("a plan");
        assert_eq!(
            Layer::read_json(&note, "n").expect("well formed"),
            Layer::read(file, "n").expect("well formed")
        );
        let wrong = |json: &str| Layer::read_json(json.as_bytes(), "note 1").expect_err("wrong");
        let error = wrong(r#"{"measure":{"lokback":7}}"#);
        assert_eq!(
            error.to_string(),
            "note 1: unknown key 'lokback' in [measure]"
        );
        assert_eq!(error.hint(), Some("did you mean 'lookback'?"));
        assert_eq!(
            wrong(r#"{"measure":{"lookback":-7}}"#).to_string(),
            "note 1: lookback in [measure] must be a whole number, not negative"
        );
        for json in [
            "[",
            "[1]",
            r#"{"measure":[1]}"#,
            r#"{"measure":{"entry":null}}"#,
        ] {
            assert_eq!(wrong(json).kind(), crate::Kind::Usage, "{json}");
        }
        assert_eq!(Layer::read_json(b"{}", "n").expect("read"), None);
    }

    #[test]
    fn the_upper_layer_wins_key_by_key_and_the_window_as_one() {
        let upper = Layer {
            base: Some("v1".to_owned()),
            ..Layer::default()
        };
        let lower = Layer {
            lookback: Some(5),
            entry: Some("main".to_owned()),
            ..Layer::default()
        };
        let both = upper.over(lower);
        assert_eq!((both.lookback, both.base.as_deref()), (None, Some("v1")));
        assert_eq!(both.entry.as_deref(), Some("main"));
    }
}
