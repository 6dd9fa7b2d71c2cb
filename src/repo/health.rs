//! What about a repository, its settings and its surroundings would lose, hide or block records.
//!
//! Everything here is looked at, nothing is changed, nothing is fetched. What needs the records
//! themselves is in `ledger`. `docs/checking.md` lists every finding.

mod called;
mod files;
mod names;
mod settings;
mod shape;

use super::Repo;
use crate::error::Result;

pub use settings::Setting;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Records can be lost, or cannot be written.
    Error,
    /// Something does not work, or figures are unknown, until it is mended.
    Warning,
    /// Good to know; nothing has to be done.
    Note,
}

impl Severity {
    /// The word in output.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its kind: a stable word.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, where.
    pub what: String,
    /// Why it matters.
    pub why: &'static str,
    /// The command that mends it, where one does.
    pub mend: Option<String>,
}

impl Finding {
    /// A finding without a command that mends it.
    pub fn new(
        id: &'static str,
        severity: Severity,
        what: impl Into<String>,
        why: &'static str,
    ) -> Finding {
        Finding {
            id,
            severity,
            what: what.into(),
            why,
            mend: None,
        }
    }

    /// The same with the command that mends it.
    #[must_use]
    pub fn mended_by(mut self, command: impl Into<String>) -> Finding {
        self.mend = Some(command.into());
        self
    }
}

/// Looks at the repository: worst findings first, then by id.
///
/// # Errors
/// The git program is not there, or settings or refs cannot be read.
pub fn examine(repo: &Repo) -> Result<Vec<Finding>> {
    let settings = settings::all(repo)?;
    let reader = repo.reader()?;
    let mut found = Vec::new();
    shape::version(repo, &mut found)?;
    settings::fetching(&settings, &reader, &mut found)?;
    settings::pushing(&settings, &mut found);
    settings::notes(&settings, &reader, &mut found)?;
    names::blocked(&reader, &mut found)?;
    names::stranded(&settings, &reader, &mut found)?;
    names::replaced(repo, &reader, &mut found)?;
    names::heavy(&reader, &mut found)?;
    files::locks(repo, &mut found);
    files::our_lock(repo, &mut found);
    files::unfinished_merge(repo, &mut found);
    files::set_aside(repo, &mut found);
    shape::cut_off(repo, &settings, &mut found);
    shape::formats(repo, &mut found);
    shape::identity(repo, &mut found)?;
    shape::signing(&settings, &mut found);
    shape::trust(&settings, &mut found);
    called::hooks(repo, &reader, &mut found)?;
    sort(&mut found);
    Ok(found)
}

/// Puts findings in their order: worst first, then by id and words.
pub fn sort(found: &mut [Finding]) {
    found.sort_by(|a, b| (a.severity, a.id, &a.what).cmp(&(b.severity, b.id, &b.what)));
}
