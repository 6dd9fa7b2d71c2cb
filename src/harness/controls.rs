//! `[controls]` of `evolve.toml`: what the experiment owns in a chain's tree, and puts back after
//! every checkpoint.

use std::collections::BTreeMap;

use globset::GlobSet;
use serde::Deserialize;
use toml::{Spanned, Value};

use crate::error::{Error, Result};
use crate::repo::{EntryMode, Oid, Reader, path_globs};

/// Where the plan stands in a tree.
const PLAN: &str = "evolve.toml";
/// A larger plan is none.
pub(super) const PLAN_MAX: u64 = 1 << 20;
/// The keys of the table.
const KEYS: [&str; 3] = ["hidden", "pinned", "tests"];

/// What the experiment owns.
#[derive(Debug, Clone)]
pub(super) struct Controls {
    /// Put back exactly as in the base: changed, deleted and added paths.
    pub(super) pinned: GlobSet,
    /// Changed and deleted files put back as in the base; new ones stay.
    pub(super) tests: GlobSet,
    /// Taken away where they are there again.
    pub(super) hidden: GlobSet,
}

#[derive(Deserialize)]
struct Plan {
    controls: Option<BTreeMap<Spanned<String>, Spanned<Value>>>,
}

impl Controls {
    /// The table in `tree`'s plan; `None` where it declares nothing. Other tables are not looked
    /// at.
    ///
    /// # Errors
    /// A usage error with line and column for what is no TOML, an unknown key (with the nearest
    /// known one), or a value that is no list of globs.
    pub(super) fn of_tree(reader: &Reader, tree: Oid) -> Result<Option<Controls>> {
        match plan_text(reader, tree)? {
            Some(text) => Controls::read(&text),
            None => Ok(None),
        }
    }

    fn read(text: &str) -> Result<Option<Controls>> {
        let plan: Plan = toml::from_str(text).map_err(|e| wrong_toml(PLAN, text, &e))?;
        let Some(table) = plan.controls else {
            return Ok(None);
        };
        let mut found = BTreeMap::<&str, Vec<String>>::new();
        for (key, value) in &table {
            let name = key.get_ref().as_str();
            let at = |offset| format!("{PLAN}:{}", position(text, offset));
            let Some(known) = KEYS.into_iter().find(|k| *k == name) else {
                return Err(unknown(&at(key.span().start), name));
            };
            let list = globs(value.get_ref()).ok_or_else(|| {
                let at = at(value.span().start);
                Error::usage(format!(
                    "{at} {name} in [controls] must be a glob or a list of globs"
                ))
            })?;
            // Here, so that a wrong glob is named with its place.
            path_globs(&format!("{} {name}", at(value.span().start)), &list)?;
            found.insert(known, list);
        }
        if found.values().all(Vec::is_empty) {
            return Ok(None);
        }
        let set = |key| path_globs(key, found.get(key).map_or(&[], Vec::as_slice));
        Ok(Some(Controls {
            pinned: set("pinned")?,
            tests: set("tests")?,
            hidden: set("hidden")?,
        }))
    }
}

/// The text of the plan in `tree`; `None` where there is none.
///
/// # Errors
/// Usage where it is over 1 MiB or no UTF-8; git where it cannot be read.
pub(super) fn plan_text(reader: &Reader, tree: Oid) -> Result<Option<String>> {
    let Some(entry) = reader.entry(tree, PLAN.as_bytes())? else {
        return Ok(None);
    };
    if entry.mode != EntryMode::File {
        return Ok(None);
    }
    if reader.blob_size(entry.id)? > PLAN_MAX {
        return Err(Error::usage(format!("{PLAN} is larger than 1 MiB")));
    }
    let mut bytes = Vec::new();
    reader.blob(entry.id, &mut bytes)?;
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| Error::usage(format!("{PLAN} is not UTF-8")))
}

/// What is wrong with `text`, which was to be TOML; `name` is what the error calls it.
pub(super) fn wrong_toml(name: &str, text: &str, error: &toml::de::Error) -> Error {
    let at = error.span().map(|s| position(text, s.start));
    let said = error.message().trim().replace('\n', " ");
    Error::usage(format!("{name}:{} {said}", at.unwrap_or_default()))
}

fn globs(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(many) => many.iter().map(|g| g.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// `line:column:` of a byte offset.
fn position(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or("");
    format!("{line}:{}:", last.chars().count() + 1)
}

fn unknown(at: &str, key: &str) -> Error {
    let error = Error::usage(format!("{at} unknown key '{key}' in [controls]"));
    let near = KEYS
        .iter()
        .map(|k| (strsim::damerau_levenshtein(key, k), *k))
        .filter(|(far, _)| *far <= key.chars().count().div_ceil(3).max(1))
        .min();
    match near {
        Some((_, near)) => error.with_hint(format!("did you mean '{near}'?")),
        None => error.with_hint(format!("known keys: {}", KEYS.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_and_other_tables_are_not_looked_at() {
        let text =
            "[arms]\nx = 1\n[controls]\npinned = ['pom.xml', 'ci/']\nhidden = 'Acceptance*'\n";
        let controls = Controls::read(text).expect("read").expect("declared");
        assert!(controls.pinned.is_match("pom.xml"));
        assert!(controls.pinned.is_match("ci/a/b.yml"));
        assert!(controls.hidden.is_match("src/test/AcceptanceTest.java"));
        assert!(controls.tests.is_empty());
        for nothing in [
            "",
            "[measure]\n",
            "[controls]\n",
            "[controls]\ntests = []\n",
        ] {
            assert!(
                Controls::read(nothing).expect("read").is_none(),
                "{nothing}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, said, hint) in [
            (
                "[controls]\n pined = []\n",
                "evolve.toml:2:2: unknown key 'pined' in [controls]",
                Some("did you mean 'pinned'?"),
            ),
            (
                "[controls]\ntests = 1\n",
                "evolve.toml:2:9: tests in [controls] must be a glob or a list of globs",
                None,
            ),
        ] {
            let error = Controls::read(text).expect_err("wrong");
            assert_eq!(error.to_string(), said);
            assert_eq!(error.hint(), hint);
            assert_eq!(error.kind(), crate::Kind::Usage);
        }
        let error = Controls::read("[controls]\nhidden = 'a['\n").expect_err("no glob");
        assert!(
            error
                .to_string()
                .starts_with("evolve.toml:2:10: hidden: no glob: 'a['")
        );
        let error = Controls::read("[controls\n").expect_err("no TOML");
        assert!(error.to_string().starts_with("evolve.toml:1:"), "{error}");
    }
}
