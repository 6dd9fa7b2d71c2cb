//! `[controls]` of `evolve.toml`: what the experiment owns in a chain's tree, and puts back after
//! every checkpoint.

use globset::GlobSet;

use crate::error::{Error, Result};
use crate::plan::{self, PLAN_MAX};
use crate::repo::{EntryMode, Oid, Reader, path_globs};

/// Where the plan stands in a tree.
const PLAN: &str = "evolve.toml";

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
        plan::controls(text, PLAN)?
            .map(|c| Controls::of(&c))
            .transpose()
    }

    /// What a plan declares, ready to match paths.
    ///
    /// # Errors
    /// Usage for a glob that is none.
    pub(super) fn of(declared: &plan::Controls) -> Result<Controls> {
        Ok(Controls {
            pinned: path_globs("pinned", &declared.pinned)?,
            tests: path_globs("tests", &declared.tests)?,
            hidden: path_globs("hidden", &declared.hidden)?,
        })
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
