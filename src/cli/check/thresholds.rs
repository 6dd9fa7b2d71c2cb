//! Thresholds: typed, from `--config FILE`, and from the `[check]` table of `evolve.toml`; the
//! first that says something of a measure and a side counts.

use crate::cli::config::nearest;
use crate::error::{Error, Result};
use crate::measure::catalogue::{self, Level, Measure};
use crate::plan::source::{Entry, Node, Source, Table, Value, read_toml, suggestion};
use crate::stats::Bound;

/// The table.
const TABLE: &str = "check";
/// Its keys.
const KEYS: [&str; 4] = ["allow_unknown", "each", "max", "min"];

/// What one place says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::cli) struct Checked {
    /// Limits, in the order of the text.
    pub limits: Vec<Limit>,
    /// Whether each change is held against them, and not the range.
    pub each: Option<bool>,
    /// Whether an unknown figure is let pass.
    pub allow_unknown: Option<bool>,
}

/// One limit.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Limit {
    /// Of what.
    pub measure: &'static Measure,
    /// Which side of it is allowed.
    pub bound: Bound,
    /// The limit.
    pub limit: f64,
}

impl PartialEq for Limit {
    fn eq(&self, other: &Limit) -> bool {
        (self.measure.id, self.bound, self.limit) == (other.measure.id, other.bound, other.limit)
    }
}

impl Checked {
    /// What was typed: `MEASURE=N` words.
    ///
    /// # Errors
    /// A usage error for a word out of form, a measure that is none or cannot be checked, one
    /// that is named twice.
    pub(super) fn typed(max: &[String], min: &[String]) -> Result<Checked> {
        let mut checked = Checked::default();
        for (words, bound) in [(max, Bound::Max), (min, Bound::Min)] {
            for word in words {
                let form = || {
                    Error::usage(format!("--{} {word}: not MEASURE=N", bound.word()))
                        .with_hint(format!("for example --{} churn=200", bound.word()))
                };
                let (id, number) = word.split_once('=').ok_or_else(form)?;
                let number: f64 = number.trim().parse().map_err(|_| form())?;
                let measure = measure(id)?;
                if !number.is_finite() {
                    return Err(form());
                }
                checked.add(Limit {
                    measure,
                    bound,
                    limit: number,
                })?;
            }
        }
        Ok(checked)
    }

    /// What the `[check]` table of `text` says; `name` is what errors call it.
    ///
    /// # Errors
    /// A usage error with line and column.
    pub(super) fn read(text: &str, name: &str) -> Result<Checked> {
        let (source, table) = read_toml(text, name)?;
        Checked::of(&source, &table)
    }

    /// The same of a table that was read.
    ///
    /// # Errors
    /// As [`Checked::read`].
    pub(in crate::cli) fn of(source: &Source, plan: &Table) -> Result<Checked> {
        let mut checked = Checked::default();
        let Some(node) = plan.get(TABLE) else {
            return Ok(checked);
        };
        let table = node.as_table();
        let table = table.ok_or_else(|| source.wrong(node.at, "check must be a table"))?;
        for entry in &table.entries {
            match entry.key.as_str() {
                "max" => checked.limits(source, entry, Bound::Max)?,
                "min" => checked.limits(source, entry, Bound::Min)?,
                "each" => checked.each = Some(flag(source, entry)?),
                "allow_unknown" => checked.allow_unknown = Some(flag(source, entry)?),
                key => {
                    let message = format!("unknown key '{key}' in [check]");
                    let hint = suggestion(key, &KEYS, "known keys");
                    return Err(source.wrong(entry.at, message).with_hint(hint));
                }
            }
        }
        Ok(checked)
    }

    fn limits(&mut self, source: &Source, entry: &Entry, bound: Bound) -> Result<()> {
        let key = bound.word();
        let table = entry.value.as_table().ok_or_else(|| {
            let message = format!("{key} in [check] must be a table of measures and numbers");
            source.wrong(entry.value.at, message)
        })?;
        for entry in &table.entries {
            let measure = measure(&entry.key).map_err(|e| {
                let wrong = source.wrong(entry.at, &e);
                match e.hint() {
                    Some(hint) => wrong.with_hint(hint),
                    None => wrong,
                }
            })?;
            let limit = number(&entry.value).ok_or_else(|| {
                let message = format!("{} in [check] must be a number", entry.key);
                source.wrong(entry.value.at, message)
            })?;
            let limit = Limit {
                measure,
                bound,
                limit,
            };
            self.add(limit).map_err(|e| source.wrong(entry.at, &e))?;
        }
        Ok(())
    }

    fn add(&mut self, limit: Limit) -> Result<()> {
        if self.limits.iter().any(|l| same(l, &limit)) {
            let (id, word) = (limit.measure.id, limit.bound.word());
            return Err(Error::usage(format!("{id} has two limits of {word}")));
        }
        self.limits.push(limit);
        Ok(())
    }

    /// This, where it says something, else `below`.
    #[must_use]
    pub(super) fn over(mut self, below: Checked) -> Checked {
        for limit in below.limits {
            if !self.limits.iter().any(|l| same(l, &limit)) {
                self.limits.push(limit);
            }
        }
        Checked {
            limits: self.limits,
            each: self.each.or(below.each),
            allow_unknown: self.allow_unknown.or(below.allow_unknown),
        }
    }

    /// Holds both sides of each measure against one another.
    ///
    /// # Errors
    /// Usage: there is no limit at all, or two that nothing can keep within.
    pub(super) fn consistent(&self) -> Result<()> {
        if self.limits.is_empty() {
            return Err(Error::usage("there is no threshold to check").with_hint(
                "--max MEASURE=N and --min MEASURE=N give some, or max and min in the [check] \
                 table of evolve.toml",
            ));
        }
        for limit in &self.limits {
            let other = |l: &&Limit| l.measure.id == limit.measure.id && l.bound == Bound::Min;
            let least = self.limits.iter().find(other);
            if let Some(least) = least.filter(|m| m.limit > limit.limit) {
                return Err(Error::usage(format!(
                    "{} cannot be at least {} and at most {}",
                    limit.measure.id, least.limit, limit.limit
                )));
            }
        }
        Ok(())
    }

    /// The measures that have limits, each once, in the order of the limits.
    pub(super) fn measures(&self) -> Vec<&'static Measure> {
        let mut all: Vec<&'static Measure> = Vec::new();
        for limit in &self.limits {
            if !all.iter().any(|m| m.id == limit.measure.id) {
                all.push(limit.measure);
            }
        }
        all
    }
}

fn same(a: &Limit, b: &Limit) -> bool {
    a.measure.id == b.measure.id && a.bound == b.bound
}

/// The measure of a word, where changes can be held against a limit of it.
fn measure(word: &str) -> Result<&'static Measure> {
    let Some(measure) = catalogue::find(word) else {
        let ids: Vec<&str> = catalogue::all().iter().map(|m| m.id).collect();
        let near = nearest(&word.trim().to_ascii_lowercase(), &ids);
        let error = Error::usage(format!("no such measure: {}", word.trim()));
        return Err(
            error.with_hint(match near.or_else(|| catalogue::nearest(word)) {
                Some(near) => format!("did you mean {near}?"),
                None => "`git evolve metrics` lists them".to_owned(),
            }),
        );
    };
    if measure.level == Level::Chain {
        return Err(Error::usage(format!(
            "{} is of whole chains, and changes are checked",
            measure.id
        ))
        .with_hint("`git evolve compare` shows it"));
    }
    if measure.id == "outcome" {
        return Err(
            Error::usage("outcome is a word, and a limit needs a number")
                .with_hint("strict_pass is 1 where every selected test passed, else 0"),
        );
    }
    Ok(measure)
}

fn flag(source: &Source, entry: &Entry) -> Result<bool> {
    match entry.value.value {
        Value::Bool(yes) => Ok(yes),
        _ => {
            let message = format!("{} in [check] must be true or false", entry.key);
            Err(source.wrong(entry.value.at, message))
        }
    }
}

fn number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Float(n) => Some(n).filter(|n| n.is_finite()),
        // As it is typed: tokens are counted in thousands of millions.
        Value::Integer(n) => n.to_string().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(max: &[&str], min: &[&str]) -> Result<Checked> {
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        Checked::typed(&words(max), &words(min))
    }

    fn told(checked: &Checked) -> Vec<(&'static str, &'static str, f64)> {
        let told = |l: &Limit| (l.measure.id, l.bound.word(), l.limit);
        checked.limits.iter().map(told).collect()
    }

    #[test]
    fn limits_are_typed_with_any_name_of_a_measure() {
        let checked = typed(&["Net-CC=20", "reedit_rate=0.4"], &["lines_net=-3"]).expect("well");
        assert_eq!(
            told(&checked),
            [
                ("net_cc", "max", 20.0),
                ("reedit_rate", "max", 0.4),
                ("lines_net", "min", -3.0)
            ]
        );
        for (wrong, said) in [
            ("churn", "--max churn: not MEASURE=N"),
            ("churn=", "--max churn=: not MEASURE=N"),
            ("churn=many", "--max churn=many: not MEASURE=N"),
            ("churn=inf", "--max churn=inf: not MEASURE=N"),
            ("chrun=3", "no such measure: chrun"),
            (
                "on_front=1",
                "on_front is of whole chains, and changes are checked",
            ),
            ("outcome=1", "outcome is a word, and a limit needs a number"),
        ] {
            let error = typed(&[wrong], &[]).expect_err(wrong);
            assert_eq!(error.to_string(), said);
            assert_eq!(error.kind(), crate::Kind::Usage);
        }
        let near = typed(&["chrun=3"], &[]).expect_err("unknown");
        assert_eq!(near.hint(), Some("did you mean churn?"));
        let twice = typed(&["churn=3", "churn=4"], &[]).expect_err("twice");
        assert_eq!(twice.to_string(), "churn has two limits of max");
    }

    #[test]
    fn a_table_is_read_and_what_is_wrong_is_named_with_its_place() {
        let text =
            "[check]\nmax = { churn = 200, reedit_rate = 0.5 }\nmin.strict_pass = 1\neach = true\n";
        let checked = Checked::read(text, "evolve.toml").expect("well formed");
        assert_eq!(checked.each, Some(true));
        assert_eq!(checked.allow_unknown, None);
        assert_eq!(checked.limits.len(), 3);
        let text =
            "[check.max]\ninput_tokens = 5_000_000_000\noutput_tokens = 5e9\nlines_net = -3\n";
        let read = Checked::read(text, "f").expect("well formed");
        let typed = typed(
            &[
                "input_tokens=5000000000",
                "output_tokens=5e9",
                "lines_net=-3",
            ],
            &[],
        );
        assert_eq!(told(&read), told(&typed.expect("well")));
        let none = Checked::read("[measure]\n", "f").expect("no such table");
        assert_eq!(none, Checked::default());
        for (wrong, said) in [
            ("check = 3", "f:1:9: check must be a table"),
            ("[check]\nmaxx = 3", "f:2:1: unknown key 'maxx' in [check]"),
            (
                "[check]\nmax = 3",
                "f:2:7: max in [check] must be a table of measures and numbers",
            ),
            (
                "[check]\nmax.churn = 'x'",
                "f:2:13: churn in [check] must be a number",
            ),
            (
                "[check]\nmax.churn = nan",
                "f:2:13: churn in [check] must be a number",
            ),
            ("[check]\nmax.chrun = 1", "f:2:5: no such measure: chrun"),
            (
                "[check]\neach = 1",
                "f:2:8: each in [check] must be true or false",
            ),
        ] {
            let error = Checked::read(wrong, "f").expect_err(wrong);
            assert_eq!(error.to_string(), said);
        }
    }

    #[test]
    fn the_upper_layer_wins_limit_by_limit() {
        let upper = typed(&["churn=1"], &[]).expect("well");
        let lower = typed(&["churn=9", "net_cc=2"], &["churn=0"]).expect("well");
        let both = upper.over(lower);
        assert_eq!(
            told(&both),
            [
                ("churn", "max", 1.0),
                ("net_cc", "max", 2.0),
                ("churn", "min", 0.0)
            ]
        );
        assert!(both.consistent().is_ok());
        let ids: Vec<&str> = both.measures().iter().map(|m| m.id).collect();
        assert_eq!(ids, ["churn", "net_cc"]);
        let never = typed(&["churn=1"], &["churn=2"]).expect("well");
        assert!(never.consistent().is_err());
        assert!(Checked::default().consistent().is_err());
    }
}
