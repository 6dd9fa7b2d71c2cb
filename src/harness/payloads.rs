//! Files that were captured beside the work: envelopes, test reports, coverage. Taken as they
//! came; nothing in them is understood here.

use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::written::Written;
use crate::error::{Error, Result};
use crate::record::{Body, Coverage, Envelope, Payload, Purpose, RecordId, Suite, Tests};
use crate::repo::Repo;

/// What was captured.
#[derive(Debug, Clone, Default)]
pub struct Captured {
    /// What the agent's command reported: a file a session.
    pub envelopes: Vec<PathBuf>,
    /// Test reports of one gate run, as globs.
    pub tests: Vec<PathBuf>,
    /// Whose tests ran; else as the agent left them.
    pub suite: Option<Suite>,
    /// Coverage reports.
    pub coverage: Vec<PathBuf>,
}

/// Captured files, found and readable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Files {
    envelopes: Vec<PathBuf>,
    tests: Vec<PathBuf>,
    suite: Option<Suite>,
    coverage: Vec<PathBuf>,
}

impl Captured {
    /// The files, globs written out in order.
    ///
    /// # Errors
    /// Usage where a file cannot be read or a glob matches none.
    pub(super) fn files(&self) -> Result<Files> {
        let mut tests = Vec::new();
        for glob in &self.tests {
            tests.extend(matching(glob)?);
        }
        tests.sort();
        tests.dedup();
        let files = Files {
            envelopes: self.envelopes.clone(),
            tests,
            suite: self.suite,
            coverage: self.coverage.clone(),
        };
        for file in files.all() {
            let reading = |e| Error::usage(format!("reading {}", file.display())).with_source(e);
            let meta = fs::File::open(file)
                .and_then(|f| f.metadata())
                .map_err(reading)?;
            if !meta.is_file() {
                return Err(Error::usage(format!("{} is no file", file.display())));
            }
        }
        Ok(files)
    }
}

impl Files {
    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.envelopes
            .iter()
            .chain(&self.tests)
            .chain(&self.coverage)
    }

    /// Adds their records: one an envelope, one for all test reports, one a coverage report, and
    /// each file's payload.
    ///
    /// # Errors
    /// Usage where a file cannot be read.
    pub(super) fn add(&self, repo: &Repo, to: &mut Written) -> Result<()> {
        for file in &self.envelopes {
            let id = RecordId::new();
            let raw = to.add_payload(repo, &id, Payload::Envelope, file)?;
            let body = Body::Envelope(Envelope::of(Purpose::Implement, vec![raw]));
            to.add_as(id, body)?;
        }
        if !self.tests.is_empty() {
            let id = RecordId::new();
            let mut raw = Vec::new();
            for file in &self.tests {
                raw.push(to.add_payload(repo, &id, Payload::Report, file)?);
            }
            let body = Body::Tests(Tests::of(self.suite.unwrap_or(Suite::Visible), raw));
            to.add_as(id, body)?;
        }
        for file in &self.coverage {
            let id = RecordId::new();
            let raw = to.add_payload(repo, &id, Payload::Coverage, file)?;
            let body = Body::Coverage(Coverage::of(vec![raw]));
            to.add_as(id, body)?;
        }
        Ok(())
    }

    /// What was taken, for people; `None` where nothing was.
    pub(super) fn said(&self) -> Option<String> {
        let counts = [
            (self.envelopes.len(), "envelope", "envelopes"),
            (self.tests.len(), "test report", "test reports"),
            (self.coverage.len(), "coverage report", "coverage reports"),
        ];
        let parts: Vec<String> = counts
            .into_iter()
            .filter(|(n, _, _)| *n > 0)
            .map(|(n, one, many)| super::said::count(n, one, many))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The files that a glob matches; a path without special characters is itself.
fn matching(glob: &Path) -> Result<Vec<PathBuf>> {
    if glob.is_file() {
        return Ok(vec![glob.to_owned()]);
    }
    let shown = glob.display();
    let special = |c: &Component<'_>| {
        let text = c.as_os_str().as_encoded_bytes();
        text.iter().any(|b| b"*?[{".contains(b))
    };
    let fixed: PathBuf = glob.components().take_while(|c| !special(c)).collect();
    let rest: PathBuf = glob.components().skip_while(|c| !special(c)).collect();
    if rest.as_os_str().is_empty() {
        return Err(Error::usage(format!("--tests {shown}: no such file")));
    }
    let text = rest
        .to_str()
        .ok_or_else(|| Error::usage(format!("--tests {shown}: a glob must be UTF-8")))?;
    let pattern = GlobBuilder::new(text)
        .literal_separator(true)
        .build()
        .map_err(|e| Error::usage(format!("--tests {shown}: no glob: {}", e.kind())))?
        .compile_matcher();
    let mut found = Vec::new();
    let deepest = if text.contains("**") {
        64
    } else {
        rest.components().count()
    };
    walk(&fixed, Path::new(""), deepest, &pattern, &mut found);
    if found.is_empty() {
        return Err(Error::usage(format!("--tests {shown}: matches no file")));
    }
    Ok(found)
}

/// Adds the files below `start` whose path from there matches. Links to folders are not followed,
/// `.git` is not entered.
fn walk(start: &Path, below: &Path, left: usize, glob: &GlobMatcher, found: &mut Vec<PathBuf>) {
    let folder = start.join(below);
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let inner = below.join(entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            if left > 1 && entry.file_name() != ".git" {
                walk(start, &inner, left - 1, glob, found);
            }
        } else if glob.is_match(&inner) && start.join(&inner).is_file() {
            found.push(start.join(inner));
        }
    }
}
