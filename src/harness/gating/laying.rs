//! The tree that a suite runs on: the agent's, with what is not the agent's put back, and the
//! experimenter's tests laid over it. What was found changed is told.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use globset::GlobSet;

use super::Gating;
use super::runner_files::{Concern, RunnerFiles};
use crate::error::{Error, Result};
use crate::harness::globs::files_below;
use crate::harness::pending::named;
use crate::harness::put_back::is_below;
use crate::plan::{Command, Controls, Overlay, SuiteRun};
use crate::record::{ContentId, PathName, Tampered};
use crate::repo::{Delta, Oid, Reader, TreePath, Writer, path_globs};

/// Paths of a tree to what they become: mode and object, or nothing.
pub(super) type Edits = BTreeMap<TreePath, Option<(u32, Oid)>>;

/// Changed files that a record lists.
const LISTED: usize = 1_000;
/// Of a longer file the beginning is looked at.
const LOOKED_AT: u64 = 1 << 20;

/// What is the experiment's in an agent's tree.
pub(super) struct Owned {
    pinned: GlobSet,
    tests: GlobSet,
    hidden: GlobSet,
    runner: RunnerFiles,
    /// The experimenter's tests: path in the tree to the file beside the plan.
    laid: BTreeMap<String, PathBuf>,
}

/// How a tree differs from the base in what is not the agent's.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// All of it, sorted by path.
    pub(super) tampered: Vec<Tampered>,
    /// What puts back what is to be put back.
    edits: Edits,
    /// Files that could forge reports, changed and left as they are.
    pub(super) open: Vec<String>,
    /// How files that could forge reports could do it.
    pub(super) why: BTreeMap<String, &'static str>,
}

impl Owned {
    /// What `gate` and `controls` of the plan say, for a suite that lays these tests over.
    ///
    /// # Errors
    /// Usage where a glob is none, or tests are not there.
    pub(super) fn of(gating: &Gating<'_>, suite: Option<&SuiteRun>) -> Result<Owned> {
        let Controls {
            pinned,
            tests,
            hidden,
        } = &gating.plan.controls;
        let gate = gating.gate();
        let suites = [&gate.visible, &gate.acceptance].into_iter().flatten();
        let checks = gate.checks.iter().filter_map(|check| match check {
            crate::plan::Check::Command { command, .. } => Some(command),
            _ => None,
        });
        let commands: Vec<&Command> = suites.map(|s| &s.command).chain(checks).collect();
        let mut laid = BTreeMap::new();
        for overlay in suite.map_or(&[][..], |s| &s.tests) {
            add_overlay(&gating.plan.folder, overlay, &mut laid)?;
        }
        Ok(Owned {
            pinned: path_globs("controls.pinned", pinned)?,
            tests: path_globs("controls.tests", tests)?,
            hidden: path_globs("controls.hidden", hidden)?,
            runner: RunnerFiles::of(gate, commands)?,
            laid,
        })
    }

    /// How `tree` differs from `base` (both trees) in what is not the agent's. `put_back` says
    /// whether the suite runs with the experiment's own.
    ///
    /// # Errors
    /// Git where a tree cannot be read.
    pub(super) fn found(
        &self,
        reader: &Reader,
        base: Oid,
        tree: Oid,
        put_back: bool,
    ) -> Result<Found> {
        let mut found = Found::default();
        for delta in reader.deltas(base, tree)? {
            let path = String::from_utf8_lossy(&delta.path).into_owned();
            let (what, back) = if self.hidden.is_match(&path) {
                if delta.new.is_none() {
                    continue;
                }
                ("hidden", true)
            } else if self.laid.contains_key(&path) {
                // It is written over in any case.
                ("tests", true)
            } else if self.pinned.is_match(&path) {
                ("pinned", true)
            } else if self.tests.is_match(&path) && delta.old.is_some() {
                ("tests", true)
            } else if let Some(concern) = self.concern(reader, &path, &delta)? {
                found.why.insert(path.clone(), concern.why);
                ("runner", concern.put_back)
            } else {
                continue;
            };
            let back = back && put_back;
            if back {
                let entry = match what {
                    "hidden" => None,
                    _ => delta.old,
                };
                found.edits.insert(delta.path.clone(), entry);
            } else if what == "runner" {
                found.open.push(path);
            }
            found.tampered.push(Tampered {
                what: what.to_owned(),
                path: PathName::of(&delta.path),
                how: how(&delta).to_owned(),
                put_back: back,
            });
        }
        Ok(found)
    }

    /// Whether the change could forge reports.
    fn concern(&self, reader: &Reader, path: &str, delta: &Delta) -> Result<Option<Concern>> {
        if !self.runner.may_concern(path) {
            return Ok(None);
        }
        let before = content(reader, delta.old)?;
        let now = content(reader, delta.new)?;
        // A mode or a link is a change of its own.
        let same = before == now && delta.old.is_some() == delta.new.is_some();
        if same && delta.old.map(|(mode, _)| mode) == delta.new.map(|(mode, _)| mode) {
            return Ok(None);
        }
        Ok(self.runner.concern(path, before.as_deref(), now.as_deref()))
    }

    /// The paths of the experimenter's tests.
    pub(super) fn laid(&self) -> impl Iterator<Item = &str> {
        self.laid.keys().map(String::as_str)
    }

    /// What the experimenter's tests are, by content.
    ///
    /// # Errors
    /// Usage where one cannot be read.
    pub(super) fn contents(&self, reader: &Reader, plan: &Path) -> Result<Vec<ContentId>> {
        let mut all = Vec::new();
        for file in self.laid.values() {
            let bytes = fs::read(file).map_err(|e| unreadable(file, e))?;
            let shown = file.strip_prefix(plan).unwrap_or(file);
            let path = PathName::of(shown.to_string_lossy().as_bytes());
            all.push(ContentId::of("tests", path, named(reader.blob_id(&bytes)?)));
        }
        all.sort();
        Ok(all)
    }

    /// The tree with what is to be put back as the base has it, and room for the tests.
    ///
    /// # Errors
    /// Git where the object store cannot be read or written.
    pub(super) fn tree(&self, gating: &Gating<'_>, tree: Oid, found: &Found) -> Result<Oid> {
        let reader = gating.repo.reader()?;
        let mut edits = with_room(&reader, tree, found.edits.clone())?;
        // Whatever stands where a laid file or one of its folders comes goes: a link there would
        // lead elsewhere.
        let mut folders = BTreeSet::new();
        for laid in self.laid.keys() {
            folders.extend(laid.match_indices('/').map(|(at, _)| &laid[..at]));
        }
        for (path, _) in reader.files(tree)? {
            let text = String::from_utf8_lossy(&path);
            let above = text.match_indices('/').map(|(at, _)| &text[..at]);
            let in_the_way = self.laid.contains_key(&*text)
                || folders.contains(&*text)
                || above
                    .into_iter()
                    .any(|folder| self.laid.contains_key(folder));
            if in_the_way {
                edits.insert(path, None);
            }
        }
        match edits.is_empty() {
            true => Ok(tree),
            false => Writer::open(gating.repo)?.tree_with(&reader, tree, &edits),
        }
    }

    /// The plan's globs of tests.
    pub(super) fn tests(&self) -> &GlobSet {
        &self.tests
    }

    /// Writes the experimenter's tests into an export of [`Owned::tree`].
    ///
    /// # Errors
    /// Usage where a test cannot be read; git where it cannot be written.
    pub(super) fn lay(&self, into: &Path) -> Result<()> {
        for (path, file) in &self.laid {
            let to = into.join(path);
            let writing = |e| Error::git(format!("writing {}", to.display())).with_source(e);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).map_err(writing)?;
            }
            // Permissions come along; the time does not: it is written now.
            fs::copy(file, &to).map_err(|e| unreadable(file, e))?;
        }
        Ok(())
    }
}

fn how(delta: &Delta) -> &'static str {
    match (delta.old, delta.new) {
        (None, _) => "added",
        (_, None) => "deleted",
        _ => "changed",
    }
}

fn content(reader: &Reader, side: Option<(u32, Oid)>) -> Result<Option<Vec<u8>>> {
    let Some((mode, id)) = side else {
        return Ok(None);
    };
    if mode == 0o160_000 {
        return Ok(Some(id.to_string().into_bytes()));
    }
    if reader.blob_size(id)? > LOOKED_AT {
        // Too long to be read for its meaning: it differs where its id does.
        return Ok(Some(id.to_string().into_bytes()));
    }
    let mut bytes = Vec::new();
    reader.blob(id, &mut bytes)?;
    Ok(Some(bytes))
}

/// With what stands where a path comes as a folder, or inside it: it goes.
///
/// # Errors
/// Git where the tree cannot be read.
pub(super) fn with_room(reader: &Reader, tree: Oid, mut edits: Edits) -> Result<Edits> {
    let coming: Vec<TreePath> = edits
        .iter()
        .filter(|(_, entry)| entry.is_some())
        .map(|(path, _)| path.clone())
        .collect();
    if coming.is_empty() {
        return Ok(edits);
    }
    for (path, _) in reader.files(tree)? {
        let clash = |new: &TreePath| is_below(&path, new) || is_below(new, &path);
        if !edits.contains_key(&path) && coming.iter().any(clash) {
            edits.insert(path, None);
        }
    }
    Ok(edits)
}

/// The files of an overlay, by where they come to stand.
fn add_overlay(plan: &Path, overlay: &Overlay, laid: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    let from = plan.join(&overlay.from);
    let to = overlay.to.trim_matches('/');
    if from.is_file() {
        let name = from.file_name().map(|n| n.to_string_lossy().into_owned());
        let path = match to {
            "" => name.unwrap_or_default(),
            _ => to.to_owned(),
        };
        require_inside(&path)?;
        laid.insert(path, from);
        return Ok(());
    }
    let files = files_below(&from);
    if files.is_empty() {
        return Err(Error::usage(format!(
            "the experimenter's tests: {} has no file",
            from.display()
        ))
        .with_hint("gate.acceptance.tests names files and folders beside the plan"));
    }
    for file in files {
        let inside = file.strip_prefix(&from).unwrap_or(&file);
        let inside: Vec<_> = inside
            .components()
            .map(|c| c.as_os_str().to_string_lossy().into_owned())
            .collect();
        let path = match to {
            "" => inside.join("/"),
            _ => format!("{to}/{}", inside.join("/")),
        };
        require_inside(&path)?;
        laid.insert(path, file);
    }
    Ok(())
}

fn require_inside(path: &str) -> Result<()> {
    let wrong = path.is_empty()
        || path
            .split('/')
            .any(|p| matches!(p, "" | "." | ".." | ".git"));
    match wrong {
        true => Err(Error::usage(format!(
            "the experimenter's tests: '{path}' is no path in the tree"
        ))),
        false => Ok(()),
    }
}

fn unreadable(file: &Path, e: std::io::Error) -> Error {
    Error::usage(format!("reading {}", file.display())).with_source(e)
}

/// The first so many of what was found; records are bounded.
pub(super) fn listed(mut all: Vec<Tampered>) -> Vec<Tampered> {
    all.truncate(LISTED);
    all
}
