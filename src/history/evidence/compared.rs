//! Two gates compared, test by test: what broke, was repaired, vanished, is new.

use std::collections::{BTreeMap, BTreeSet};

use super::gate::{Gate, Joined};
use super::taxonomy::Belongs;
use crate::record::TestOutcome;

/// What became of the tests between two gates beyond their outcomes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// Ids of the gate before to the ids that they have now.
    pub renamed: BTreeMap<String, String>,
    /// Ids of the gate before whose file is no longer in the tree.
    pub removed: BTreeSet<String>,
    /// Ids that are told from others by a number alone, so that nothing says which test goes on
    /// under which.
    pub positional: BTreeSet<String>,
}

/// What became of one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    /// It passed and fails.
    Failed,
    /// It passed and ends by an error.
    Error,
    /// It passed and is skipped.
    Skipped,
    /// It passed, was asked for, and did not run; nothing says why.
    NotRun,
    /// It passed and did not run, since the change does not build.
    Unbuilt,
    /// Its file is gone, or nothing tells it from another of its kind.
    Removed,
    /// It was there, and was not asked for now.
    Deselected,
    /// It had not passed, and did not run.
    Gone,
    /// It did not pass, and passes.
    Repaired,
    /// It was not there before.
    New,
    /// Its outcome is another, and it had different outcomes at one of the two gates.
    Unstable,
    /// It passes, as before.
    Passing,
    /// It does not pass, as before.
    NotPassing,
}

impl Fate {
    /// Whether it counts as a regression.
    pub fn is_regression(self) -> bool {
        matches!(
            self,
            Fate::Failed | Fate::Error | Fate::Skipped | Fate::NotRun
        )
    }

    /// Whether it passed before, and is missed without being counted.
    pub fn is_apart(self) -> bool {
        matches!(
            self,
            Fate::Unbuilt | Fate::Removed | Fate::Deselected | Fate::Unstable
        )
    }

    /// The words in output.
    pub fn words(self) -> &'static str {
        match self {
            Fate::Failed => "failed",
            Fate::Error => "error",
            Fate::Skipped => "skipped",
            Fate::NotRun => "not run",
            Fate::Unbuilt => "not built",
            Fate::Removed => "removed",
            Fate::Deselected => "deselected",
            Fate::Gone => "gone",
            Fate::Repaired => "repaired",
            Fate::New => "new",
            Fate::Unstable => "unstable",
            Fate::Passing => "passing",
            Fate::NotPassing => "not passing",
        }
    }
}

/// One test at two gates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Its id: the one it has now, where it is there.
    pub id: String,
    /// Its id before, where that was another.
    pub was: Option<String>,
    /// Its outcome before; `None`: it was not there.
    pub before: Option<TestOutcome>,
    /// Its outcome now; `None`: it is not there.
    pub now: Option<TestOutcome>,
    /// What became of it.
    pub fate: Fate,
    /// It had different outcomes at one of the two gates.
    pub unstable: bool,
    /// What the plan says it is.
    pub belongs: Belongs,
}

impl Compared {
    /// The id it had before, where it was there.
    pub fn id_before(&self) -> &str {
        self.was.as_deref().unwrap_or(&self.id)
    }
}

/// Compares the tests of two gates, sorted by id; `belongs_of` says what a test is. A gate that does not build has the outcomes
/// that its runs have; what it misses is told apart.
pub fn compare(
    before: &Gate,
    now: &Gate,
    passage: &Passage,
    belongs_of: &dyn Fn(&str) -> Belongs,
) -> Vec<Compared> {
    let mut all = Vec::new();
    let mut met: BTreeSet<&str> = BTreeSet::new();
    for (id, was) in &before.tests {
        let renamed = passage.renamed.get(id);
        let new_id = renamed.filter(|to| now.tests.contains_key(*to));
        let id_now = new_id.unwrap_or(id);
        let is = now.tests.get(id_now);
        if is.is_some() {
            met.insert(id_now);
        }
        let belongs = belongs_of(id_now);
        let removed = passage.removed.contains(id) || passage.positional.contains(id);
        all.push(Compared {
            fate: fate(was, is, now, removed, now.selects(id, belongs)),
            id: id_now.clone(),
            was: new_id.map(|_| id.clone()),
            before: Some(was.outcome()),
            now: is.map(Joined::outcome),
            unstable: was.unstable || is.is_some_and(|t| t.unstable),
            belongs,
        });
    }
    for (id, is) in &now.tests {
        if met.contains(id.as_str()) {
            continue;
        }
        all.push(Compared {
            id: id.clone(),
            was: None,
            before: None,
            now: Some(is.outcome()),
            fate: Fate::New,
            unstable: is.unstable,
            belongs: belongs_of(id),
        });
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all
}

fn fate(was: &Joined, is: Option<&Joined>, now: &Gate, removed: bool, selected: bool) -> Fate {
    let Some(is) = is else {
        return match was.passed() {
            _ if !selected => Fate::Deselected,
            _ if removed => Fate::Removed,
            false => Fate::Gone,
            true if was.unstable => Fate::Unstable,
            true if now.broken => Fate::Unbuilt,
            true => Fate::NotRun,
        };
    };
    let unstable = was.unstable || is.unstable;
    match (was.passed(), is.outcome()) {
        (true, TestOutcome::Passed) => Fate::Passing,
        (false, TestOutcome::Passed) if unstable => Fate::Unstable,
        (false, TestOutcome::Passed) => Fate::Repaired,
        (false, _) => Fate::NotPassing,
        (true, _) if unstable => Fate::Unstable,
        (true, TestOutcome::Failed) => Fate::Failed,
        (true, TestOutcome::Error) => Fate::Error,
        (true, TestOutcome::Skipped) => Fate::Skipped,
    }
}
