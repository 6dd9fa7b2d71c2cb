//! The `[measure]` table: the same settings as the options, from a file.

use std::collections::BTreeMap;

use super::args::SettingsArgs;
use super::plan::{self, Planned};
use crate::error::{Error, Result};
pub(super) use crate::plan::source::nearest;
use crate::plan::source::{Entry, Node, Source, Table, Value, read_json, read_toml, suggestion};
use crate::record::ChainPath;

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
    /// What holds in chains of one arm or task alone.
    pub apart: Apart,
}

/// What a plan says of single arms and tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Apart {
    /// Arm to the pattern of its entry handler.
    pub entries: BTreeMap<String, String>,
    /// Task to its own checkpoints.
    pub checkpoints: BTreeMap<String, Vec<Planned>>,
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
            apart: Apart::default(),
        }
    }

    /// Reads the `[measure]` table of `text`, and what `[[checkpoints]]` say of tests; `name` is
    /// what errors call it. Neither there: `None`. The rest of a plan is not looked at.
    ///
    /// # Errors
    /// A usage error with line and column for what is no TOML, an unknown key (with the nearest
    /// known one) or a value of another kind.
    pub(super) fn read(text: &str, name: &str) -> Result<Option<Layer>> {
        let (source, table) = read_toml(text, name)?;
        Layer::of(&source, &table, name)
    }

    /// The same of a configuration note, whose `measure` object is such a table in JSON; `name`
    /// is what errors call it.
    ///
    /// # Errors
    /// A usage error for what is no JSON object, an unknown key or a value of another kind.
    pub(super) fn read_json(bytes: &[u8], name: &str) -> Result<Option<Layer>> {
        let (source, table) = read_json(bytes, name)?;
        Layer::of(&source, &table, name)
    }

    fn of(source: &Source, table: &Table, name: &str) -> Result<Option<Layer>> {
        let mut layer = Layer::default();
        let measure = table.get("measure");
        if let Some(node) = measure {
            let table = node.as_table();
            let table = table.ok_or_else(|| source.wrong(node.at, "measure must be a table"))?;
            for entry in &table.entries {
                layer.entry(source, entry)?;
            }
        }
        if layer.base.is_some() && layer.lookback.is_some() {
            return Err(Error::usage(format!(
                "{name}: [measure] has both base and lookback"
            )));
        }
        layer.checkpoints = plan::planned(source, table)?;
        layer.apart = Apart {
            entries: plan::entries(table),
            checkpoints: plan::of_tasks(source, table)?,
        };
        let says = measure.is_some() || layer.checkpoints.is_some();
        Ok((says || layer.apart != Apart::default()).then_some(layer))
    }

    fn entry(&mut self, source: &Source, entry: &Entry) -> Result<()> {
        let key = &entry.key;
        let known = key.replace('-', "_");
        if !KEYS.contains(&known.as_str()) {
            let message = format!("unknown key '{key}' in [measure]");
            let hint = suggestion(&known, &KEYS, "known keys");
            return Err(source.wrong(entry.at, message).with_hint(hint));
        }
        self.set(&known, &entry.value).map_err(|wanted| {
            let message = format!("{key} in [measure] must be {wanted}");
            source.wrong(entry.value.at, message)
        })
    }

    /// Each setting of `[measure]` alone, with its place: what is wrong with one can be said there.
    ///
    /// # Errors
    /// As [`Layer::read`].
    pub(super) fn apart_of(source: &Source, plan: &Table) -> Result<Vec<(usize, Layer)>> {
        let measure = plan.get("measure").and_then(Node::as_table);
        let entries = measure.into_iter().flat_map(|t| &t.entries);
        entries
            .map(|entry| {
                let mut layer = Layer::default();
                layer.entry(source, entry)?;
                Ok((entry.value.at, layer))
            })
            .collect()
    }

    /// What holds in a chain: of its arm and task what they say themselves.
    #[must_use]
    pub(super) fn on(mut self, chain: &ChainPath) -> Layer {
        if let Some(entry) = self.apart.entries.remove(&chain.arm) {
            self.entry = Some(entry);
        }
        let task = chain.task.as_deref().unwrap_or_default();
        if let Some(own) = self.apart.checkpoints.remove(task) {
            self.checkpoints = Some(own);
        }
        self
    }

    /// Sets one key; the error says what kind of value it wants.
    fn set(&mut self, key: &str, value: &Node) -> std::result::Result<(), &'static str> {
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
                self.ignore_revs = Some(match value.value {
                    Value::Bool(b) => b,
                    _ => return Err("true or false"),
                });
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
            // Each layer has been asked for its own chain before.
            apart: self.apart,
        }
    }
}

fn text(value: &Node) -> std::result::Result<String, &'static str> {
    value.as_text().map(str::to_owned).ok_or("a string")
}

fn number(value: &Node) -> std::result::Result<u32, &'static str> {
    match value.value {
        Value::Integer(n) => u32::try_from(n).ok(),
        _ => None,
    }
    .ok_or("a whole number, not negative")
}

fn globs(value: &Node) -> std::result::Result<Vec<String>, &'static str> {
    value.as_texts().ok_or("a glob or a list of globs")
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
    fn what_an_arm_or_a_task_says_holds_in_its_chains_alone() {
        let layer = Layer::read(
            "[measure]\nentry = 'main'\n[[checkpoints]]\nid = 'one'\n[[arms]]\nname = 'a'\nentry = 'run'\n[[tasks]]\nname = 't'\n[[tasks.checkpoints]]\nid = 'own'\nmutates = ['own']\n",
            "evolve.toml",
        )
        .expect("well formed")
        .expect("a plan");
        let on = |path| {
            let path = ChainPath::parse(path).expect("a path");
            let on = layer.clone().on(&path).over(Layer::default());
            let ids = on.checkpoints.unwrap_or_default();
            (
                on.entry,
                ids.into_iter().filter_map(|c| c.id).collect::<Vec<_>>(),
            )
        };
        let said = |entry: &str, id: &str| (Some(entry.to_owned()), vec![id.to_owned()]);
        assert_eq!(on("x/a/1"), said("run", "one"));
        assert_eq!(on("x/b/1"), said("main", "one"));
        assert_eq!(on("x/b/t/1"), said("main", "own"));
        let wrong = "[[tasks]]\nname = 't'\n[[tasks.checkpoints]]\nmutates = 2\n";
        let error = Layer::read(wrong, "f").expect_err("wrong");
        assert!(error.to_string().starts_with("f:4:11: mutates"), "{error}");
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
