//! Typed words and configuration turned into one immutable request: the settings, their
//! values for the header, and their digest.

use std::sync::Arc;

use globset::GlobSet;
use regex::Regex;
use serde_json::{Value, json};

use super::at::At;
use super::config::{Layer, nearest};
use super::plan;
use crate::error::{Error, Result};
use crate::history::evidence::TestPlan;
use crate::history::{Profile, Settings, Thresholds};
use crate::record::PriceTable;
use crate::record::mask::sha256;
use crate::repo::{Oid, path_globs};
use crate::report::SettingsValues;
use crate::syntax::Language;

/// Changes that count as earlier in a plain history, where nothing else is said.
pub(super) const LOOKBACK: u32 = 200;

/// What counts as earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    /// A plain history: the lookback, or since `--base`.
    Plain,
    /// A chain: since its base, whatever is set.
    Chain,
}

/// Settings as they hold for one line of commits.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// For the measures.
    pub settings: Settings,
    /// The tree whose `evolve.toml` and `.git-blame-ignore-revs` hold, and whose main language
    /// is shown first.
    pub tree: Option<Oid>,
    /// What the plan says of tests.
    pub test_plan: TestPlan,
    /// Where the window begins, as typed; replaces the lookback.
    pub base: Option<String>,
    /// The values by key, for the header of a document.
    pub values: SettingsValues,
    /// Sixteen hex digits that change when anything that can move a figure changes.
    pub digest: String,
}

impl Request {
    /// Checks and completes the settings. `paths` limit what a change did and so move figures.
    ///
    /// # Errors
    /// A usage error for a glob, pattern, language or profile that is none, and for a lookback
    /// under 2.
    pub(super) fn new(
        layer: &Layer,
        window: Window,
        tree: Option<Oid>,
        paths: &[Vec<u8>],
    ) -> Result<Request> {
        let lookback = layer.lookback.unwrap_or(LOOKBACK);
        if lookback < 2 {
            return Err(Error::usage(format!("lookback {lookback} is too short"))
                .with_hint("it must be at least 2: lines are settled after two changes"));
        }
        let defaults = Thresholds::default();
        let thresholds = Thresholds {
            cc: layer.cc_threshold.unwrap_or(defaults.cc),
            cc_extreme: layer.cc_extreme_threshold.unwrap_or(defaults.cc_extreme),
            cognitive: layer.cognitive_threshold.unwrap_or(defaults.cognitive),
        };
        let settings = Settings {
            profile: profile(layer.profile.as_deref())?,
            source: globs("source", layer.source.as_deref())?,
            tests: globs("tests", layer.tests.as_deref())?,
            generated: globs("generated", layer.generated.as_deref())?,
            vendored: globs("vendored", layer.vendored.as_deref())?,
            config_globs: globs("config_globs", layer.config_globs.as_deref())?,
            functions: globs("functions", layer.functions.as_deref())?,
            entry: layer.entry.as_deref().map(pattern).transpose()?,
            thresholds,
            lookback,
            language: layer.language.as_deref().map(language).transpose()?,
            ignore_revs: layer.ignore_revs.unwrap_or(true),
            prices: None,
        };
        let values = values(layer, &settings, window, paths);
        let digest = digest(&values);
        Ok(Request {
            settings,
            tree,
            test_plan: plan::test_plan(
                layer.test_patterns.as_deref().unwrap_or_default(),
                layer.checkpoints.as_deref().unwrap_or_default(),
            )?,
            base: layer.base.clone().filter(|_| window == Window::Plain),
            values,
            digest,
        })
    }

    /// The same request for that tree of each checkpoint, which moves figures.
    #[must_use]
    pub(super) fn measured_at(mut self, at: At) -> Request {
        if at == At::Implement {
            self.values.insert("at".to_owned(), json!("implement"));
            self.digest = digest(&self.values);
        }
        self
    }

    /// The same request with a table of prices: it moves figures, so it stands in the values.
    /// Where it lies does not.
    #[must_use]
    pub(super) fn with_prices(mut self, prices: Option<Arc<PriceTable>>) -> Request {
        if let Some(table) = prices {
            let said = json!({
                "date": table.date,
                "sha256": table.sha256,
                "source": table.source,
                "version": table.version,
            });
            self.values.insert("prices".to_owned(), said);
            self.digest = digest(&self.values);
            self.settings.prices = Some(table);
        }
        self
    }
}

/// Every setting by key. A list that was not given is null, since then the built-in rules
/// hold; globs are a set, so their order is none.
fn values(layer: &Layer, settings: &Settings, window: Window, paths: &[Vec<u8>]) -> SettingsValues {
    let list = |globs: &Option<Vec<String>>| match globs {
        None => Value::Null,
        Some(globs) => {
            let mut globs = globs.clone();
            globs.sort();
            globs.dedup();
            json!(globs)
        }
    };
    let mut values: SettingsValues = [
        (
            "cc_extreme_threshold",
            json!(settings.thresholds.cc_extreme),
        ),
        ("cc_threshold", json!(settings.thresholds.cc)),
        ("cognitive_threshold", json!(settings.thresholds.cognitive)),
        ("config_globs", list(&layer.config_globs)),
        ("entry", json!(layer.entry)),
        ("functions", list(&layer.functions)),
        ("generated", list(&layer.generated)),
        ("ignore_revs", json!(settings.ignore_revs)),
        ("language", json!(settings.language.map(Language::id))),
        ("profile", json!(settings.profile.id())),
        ("source", list(&layer.source)),
        ("tests", list(&layer.tests)),
        ("vendored", list(&layer.vendored)),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    match (window, &layer.base) {
        (Window::Chain, _) => values.insert("base".to_owned(), json!("chain")),
        (Window::Plain, Some(base)) => values.insert("base".to_owned(), json!(base)),
        (Window::Plain, None) => values.insert("lookback".to_owned(), json!(settings.lookback)),
    };
    // What was not given is left out, so that the digests of plain histories stay as they are.
    if let Some(patterns) = &layer.test_patterns {
        values.insert("test_patterns".to_owned(), json!(patterns));
    }
    let planned = layer.checkpoints.as_deref().map(plan::shown);
    if let Some(planned) = planned.filter(|p| !p.is_empty()) {
        values.insert("checkpoints".to_owned(), json!(planned));
    }
    if !paths.is_empty() {
        let mut shown: Vec<_> = paths.iter().map(|p| crate::report::decoded(p)).collect();
        shown.sort();
        values.insert("paths".to_owned(), json!(shown));
    }
    values
}

/// The first 64 bits of SHA-256 over the values as compact JSON with sorted keys.
fn digest(values: &SettingsValues) -> String {
    let canonical = json!(values).to_string();
    let mut digest = sha256(canonical.as_bytes());
    digest.truncate(16);
    digest
}

fn globs(key: &str, globs: Option<&[String]>) -> Result<Option<GlobSet>> {
    globs.map(|globs| path_globs(key, globs)).transpose()
}

fn pattern(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|e| {
        let words = e.to_string();
        let last = words.lines().last().unwrap_or("").trim();
        let last = last.strip_prefix("error: ").unwrap_or(last);
        Error::usage(format!("entry: no regular expression: '{text}': {last}"))
    })
}

fn profile(word: Option<&str>) -> Result<Profile> {
    match word {
        None | Some("lizard") => Ok(Profile::Lizard),
        Some("scb") => Ok(Profile::Scb),
        Some(other) => {
            Err(Error::usage(format!("no such profile: {other}"))
                .with_hint("profiles: lizard, scb"))
        }
    }
}

fn language(word: &str) -> Result<Language> {
    Language::from_id(word).ok_or_else(|| {
        let known = Language::ALL.map(Language::id);
        let error = Error::usage(format!("no such language: {word}"));
        match nearest(&word.to_ascii_lowercase(), &known) {
            Some(near) => error.with_hint(format!("did you mean {near}?")),
            None => error.with_hint(format!("languages: {}", known.join(", "))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(change: impl FnOnce(&mut Layer)) -> Result<Request> {
        let mut layer = Layer::default();
        change(&mut layer);
        Request::new(&layer, Window::Plain, None, &[])
    }

    #[test]
    fn the_digest_changes_with_what_can_move_a_figure_and_with_nothing_else() {
        let plain = request(|_| ()).expect("defaults");
        let same = request(|l| l.lookback = Some(200)).expect("the default, typed");
        let other = request(|l| l.cc_threshold = Some(9)).expect("another");
        assert_eq!(plain.digest, same.digest);
        assert_ne!(plain.digest, other.digest);
        assert_eq!(plain.digest.len(), 16);
        let list = |globs: &[&str]| globs.iter().map(|g| (*g).to_owned()).collect::<Vec<_>>();
        let ab = request(|l| l.source = Some(list(&["a/**", "b/**"]))).expect("globs");
        let ba = request(|l| l.source = Some(list(&["b/**", "a/**"]))).expect("globs");
        assert_eq!(ab.digest, ba.digest);
        let told = request(|l| l.test_patterns = Some(list(&["(?P<category>core)"])));
        assert_ne!(plain.digest, told.expect("patterns").digest);
        let idle = super::plan::Planned::default();
        let named = request(|l| l.checkpoints = Some(vec![idle.clone()])).expect("a plan");
        assert_eq!(plain.digest, named.digest, "it says nothing of tests");
        let mutates = super::plan::Planned {
            mutates: vec![super::plan::Mutated::Checkpoint(1)],
            ..idle
        };
        let mutates = request(|l| l.checkpoints = Some(vec![mutates])).expect("a plan");
        assert_ne!(plain.digest, mutates.digest);
    }

    #[test]
    fn a_price_table_stands_in_the_digest_and_none_changes_nothing() {
        let plain = request(|_| ()).expect("defaults");
        let with = |sha256: &str| {
            let table = PriceTable {
                sha256: sha256.to_owned(),
                ..PriceTable::default()
            };
            plain.clone().with_prices(Some(Arc::new(table)))
        };
        assert_eq!(plain.clone().with_prices(None).digest, plain.digest);
        assert_eq!(with("a").digest, with("a").digest);
        assert_ne!(with("a").digest, with("b").digest);
        assert_ne!(with("a").digest, plain.digest);
        assert_eq!(with("a").values["prices"]["sha256"], "a");
        assert!(with("a").settings.prices.is_some());
    }

    #[test]
    fn a_wrong_setting_is_a_usage_error() {
        for wrong in [
            request(|l| l.lookback = Some(1)),
            request(|l| l.profile = Some("x".to_owned())),
            request(|l| l.language = Some("jave".to_owned())),
            request(|l| l.entry = Some("(".to_owned())),
            request(|l| l.tests = Some(vec!["a[".to_owned()])),
        ] {
            assert_eq!(wrong.expect_err("wrong").kind(), crate::Kind::Usage);
        }
    }
}
