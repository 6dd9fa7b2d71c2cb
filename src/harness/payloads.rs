//! Files that were captured beside the work: envelopes, transcripts, test reports, coverage. Kept
//! as they came, but for masks, and read as they are kept.

use std::path::{Path, PathBuf};

use super::gate::{Gate, GateSaid};
use super::sessions::{SessionSaid, Sessions};
use super::workplace::Say;
use super::written::Written;
use crate::error::{Error, Result};
use crate::intake;
use crate::ledger::{Content, tree_facts};
use crate::record::{
    Body, CheckRun, Coverage, Moment, Opened, Payload, ReadBy, Readers, Reading, RecordId, Suite,
    TreeFacts,
};
use crate::repo::{Oid, Reader, Repo};

/// What reads payloads.
pub(super) const READERS: intake::Readers = intake::Readers;

/// What was captured.
#[derive(Debug, Clone, Default)]
pub struct Captured {
    /// The folder in which the command runs: paths of reports begin there where they are not in
    /// the work tree.
    pub folder: PathBuf,
    /// What the agent's command reported.
    pub envelopes: Vec<PathBuf>,
    /// The agent's own logs: files, or folders of them.
    pub transcripts: Vec<PathBuf>,
    /// Keep these verbatim, and not only what is read out of them.
    pub keep_transcripts: bool,
    /// What is known of the session beside its files.
    pub session: SessionSaid,
    /// Test reports of one gate run, as globs.
    pub tests: Vec<PathBuf>,
    /// What is known of the gate run beside its reports.
    pub gate: GateSaid,
    /// Whose tests ran; else as the agent left them.
    pub suite: Option<Suite>,
    /// Coverage reports.
    pub coverage: Vec<PathBuf>,
    /// Where the tree was checked out when reports were written; else the work tree.
    pub build_root: Option<PathBuf>,
}

/// Captured files, found and readable.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) sessions: Sessions,
    gate: Option<Gate>,
    suite: Option<Suite>,
    coverage: Vec<PathBuf>,
    build_root: Option<PathBuf>,
}

/// What captures are about.
pub(super) struct Ground<'r> {
    pub(super) repo: &'r Repo,
    pub(super) reader: Reader,
    /// The chain's identity.
    pub(super) begin: &'r RecordId,
    /// The checkpoint that is spoken of.
    pub(super) checkpoint: u32,
    /// The tree that reports are of.
    pub(super) tree: Oid,
    /// It, where it is not that of the commit they are recorded on.
    pub(super) ran_tree: Option<Oid>,
}

impl Captured {
    /// The files, globs written out in order.
    ///
    /// # Errors
    /// Usage where a file cannot be read or a glob matches none.
    pub(super) fn files(&self) -> Result<Files> {
        if self.suite.is_some() && self.tests.is_empty() && self.coverage.is_empty() {
            return Err(Error::usage(
                "--suite is of --tests or --coverage, and neither is given",
            ));
        }
        let files = Files {
            sessions: Sessions::find(self)?,
            gate: Gate::find(self)?,
            suite: self.suite,
            coverage: self.coverage.clone(),
            build_root: self.build_root.clone(),
        };
        files.coverage.iter().try_for_each(|f| require_file(f))?;
        Ok(files)
    }
}

/// That `file` can be read.
pub(super) fn require_file(file: &Path) -> Result<()> {
    let reading = |e| Error::usage(format!("reading {}", file.display())).with_source(e);
    // Looked at before it is opened: opening a pipe waits for whoever writes to it.
    match std::fs::metadata(file).map_err(reading)?.is_file() {
        true => std::fs::File::open(file).map(drop).map_err(reading),
        false => Err(Error::usage(format!("{} is no file", file.display()))),
    }
}

impl Files {
    /// Those of one suite's run by the harness, in `build_root`.
    pub(super) fn of_run(
        gate: Gate,
        suite: Suite,
        coverage: Vec<PathBuf>,
        build_root: PathBuf,
    ) -> Files {
        Files {
            sessions: Sessions::default(),
            gate: Some(gate),
            suite: Some(suite),
            coverage,
            build_root: Some(build_root),
        }
    }

    /// Whether there is a session among them.
    pub(super) fn has_session(&self) -> bool {
        !self.sessions.is_empty()
    }

    /// Adds their records: one a session, one for all test reports, one a coverage report, and
    /// each file's payload; with what is read out of these.
    ///
    /// # Errors
    /// Usage where a file cannot be read; git where the tree cannot.
    pub(super) fn add(&self, ground: &Ground<'_>, to: &mut Written, say: Say<'_>) -> Result<()> {
        self.add_run(&[], ground, to, say)
    }

    /// The same of a run of the harness, with the checks that its gate came to.
    ///
    /// # Errors
    /// As [`Files::add`].
    pub(super) fn add_run(
        &self,
        checks: &[CheckRun],
        ground: &Ground<'_>,
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        self.sessions.add(ground, to, say)?;
        let build_root = self.build_root.as_deref().or(ground.repo.work_dir());
        let build_root = build_root.map(|p| to.masked(&p.to_string_lossy()));
        if let Some(gate) = &self.gate {
            gate.add(
                ground,
                self.suite.unwrap_or(Suite::Visible),
                checks,
                to,
                say,
            )?;
        }
        if self.coverage.is_empty() {
            return Ok(());
        }
        let tree = tree_facts(&ground.reader, ground.tree, build_root.as_deref())?;
        for file in &self.coverage {
            self.add_coverage(file, ground, &tree, to, say)?;
        }
        Ok(())
    }

    fn add_coverage(
        &self,
        file: &Path,
        ground: &Ground<'_>,
        tree: &TreeFacts,
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        let id = RecordId::new();
        let (raw, content) = to.keep(ground.repo, &id, Payload::Coverage, file, None, None)?;
        let mut says = Coverage::of(vec![raw]);
        says.suite = self.suite;
        says.build_root.clone_from(&tree.build_root);
        let shown = file.display();
        let mut opened = open(crate::ledger::name_of(file), None, &content)?;
        match READERS.coverage(&mut opened, Some(tree)) {
            Reading::Read(map) => {
                let totals = map.totals();
                say(&format!(
                    "{shown}: {}, {} of {} lines executed in {}{}",
                    map.format,
                    totals.covered,
                    totals.executable,
                    super::said::count(map.files.len(), "file", "files"),
                    match map.unmapped.len() {
                        0 => String::new(),
                        n => format!(
                            "; {} of no one file of the commit",
                            super::said::count(n, "path is", "paths are")
                        ),
                    }
                ));
                says.read_by = Some(ReadBy {
                    reader: map.format.clone(),
                    version: READERS.version(),
                });
                says.files = Some(super::written::value(&map)?);
            }
            other => say(&not_read(file, "coverage report", &other)),
        }
        drop(opened);
        to.capture(id, Body::Coverage(says))
    }

    /// What was taken, for people; `None` where nothing was.
    pub(super) fn said(&self) -> Option<String> {
        let gate = self.gate.as_ref();
        let counts = [
            (self.sessions.envelopes(), "envelope", "envelopes"),
            (self.sessions.transcripts(), "transcript", "transcripts"),
            (gate.map_or(0, Gate::reports), "test report", "test reports"),
            (self.coverage.len(), "coverage report", "coverage reports"),
        ];
        let mut parts: Vec<String> = counts
            .into_iter()
            .filter(|(n, _, _)| *n > 0)
            .map(|(n, one, many)| super::said::count(n, one, many))
            .collect();
        if gate.is_some_and(|g| g.reports() == 0) {
            parts.push("a gate run without reports".to_owned());
        }
        if self.sessions.is_bare() {
            parts.push("a session without files".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// A payload opened for a reader.
///
/// # Errors
/// Git where the file that holds a large one cannot be read.
pub(super) fn open(
    path: String,
    modified: Option<Moment>,
    content: &Content,
) -> Result<Opened<'_>> {
    let bytes: Box<dyn crate::record::Source + '_> = match content {
        Content::Here(bytes) => Box::new(std::io::Cursor::new(bytes.as_slice())),
        Content::File(file) => Box::new(
            std::fs::File::open(file)
                .map_err(|e| Error::git(format!("reading {}", file.display())).with_source(e))?,
        ),
        Content::NotHere { head, .. } => Box::new(std::io::Cursor::new(head.as_slice())),
    };
    Ok(Opened {
        path,
        modified,
        bytes,
    })
}

/// What is said of a file that gave nothing.
pub(super) fn not_read<T>(file: &Path, what: &str, reading: &Reading<T>) -> String {
    let shown = file.display();
    let hint = format!("`git evolve inspect {shown}` tells more");
    match reading {
        Reading::Empty => format!("{shown}: empty; kept, its figures are unknown"),
        Reading::Unreadable(format, why) => {
            format!(
                "{shown}: {format}, and not readable ({why}); kept, its figures are unknown; {hint}"
            )
        }
        Reading::Unrecognised | Reading::Read(_) => format!(
            "{shown}: no {what} of a known format{}; kept, its figures are unknown; {hint}",
            looks_like(file)
        ),
    }
}

/// What a file was taken for, where it is something.
pub(super) fn looks_like(file: &Path) -> String {
    let opened = std::fs::File::open(file);
    let is = opened.ok().and_then(|f| {
        intake::identify(&mut Opened {
            path: crate::ledger::name_of(file),
            modified: None,
            bytes: Box::new(f),
        })
    });
    is.map(|what| format!(" ({what})")).unwrap_or_default()
}
