//! The files that a chain begins with: the project's, the arm's, what set-up commands generate,
//! less what is hidden and what the experiment keeps to itself.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use globset::GlobSet;

use super::bases::base_of;
use super::overlay::{self, Edits};
use crate::error::Result;
use crate::harness::controls::Controls;
use crate::plan::{Agent, Arm, Base, Gate, Overlay, Plan, Task, Text};
use crate::repo::{Oid, Reader, Repo, TreePath, Writer, path_globs};

/// `[controls]` of the plan as it is held against paths.
///
/// # Errors
/// Usage where a glob is none.
pub(super) fn controls(plan: &Plan) -> Result<Controls> {
    Ok(Controls {
        pinned: path_globs("pinned", &plan.controls.pinned)?,
        tests: path_globs("tests", &plan.controls.tests)?,
        hidden: path_globs("hidden", &plan.controls.hidden)?,
    })
}

/// The project's tree with the arm's files and specifications in it, and without the plan, its
/// words and its tests, where the project holds them too.
///
/// A file of the experiment's stays where `[controls]` names it (`pinned`, `tests`: what is put
/// back must be there), or where the arm lays it over.
///
/// # Errors
/// Usage where a file of the plan cannot be read; git where the tree cannot.
pub(super) fn with_files(
    repo: &Repo,
    reader: &Reader,
    plan: &Plan,
    (arm, task): (&Arm, Option<&Task>),
    controls: &Controls,
    project: Oid,
) -> Result<Oid> {
    let writer = Writer::open(repo)?;
    let tree = reader.commit(project)?.tree;
    let mut edits = Edits::new();
    for path in own_files(repo, reader, plan, (arm, task), tree)? {
        if !is(&controls.pinned, &path) && !is(&controls.tests, &path) {
            edits.insert(path, None);
        }
    }
    for overlay in arm.files.iter().chain(arm.specs.iter().map(|s| &s.file)) {
        overlay::lay(&writer, &plan.folder, overlay, &mut edits)?;
    }
    writer.tree_with(reader, tree, &edits)
}

/// `tree` without what `[controls]` hides.
///
/// # Errors
/// Git where the tree cannot be read or written.
pub(super) fn without_hidden(
    repo: &Repo,
    reader: &Reader,
    controls: &Controls,
    tree: Oid,
) -> Result<Oid> {
    if controls.hidden.is_empty() {
        return Ok(tree);
    }
    let mut edits = Edits::new();
    for (path, _) in reader.files(tree)? {
        if is(&controls.hidden, &path) {
            edits.insert(path, None);
        }
    }
    Writer::open(repo)?.tree_with(reader, tree, &edits)
}

fn is(globs: &GlobSet, path: &[u8]) -> bool {
    globs.is_match(&*String::from_utf8_lossy(path))
}

/// The paths of `tree` that are files of the plan: by where they stand, and, where the base is no
/// revision or folder of here, by their content, too.
fn own_files(
    repo: &Repo,
    reader: &Reader,
    plan: &Plan,
    (arm, task): (&Arm, Option<&Task>),
    tree: Oid,
) -> Result<Vec<TreePath>> {
    let base = base_of(plan, arm, task);
    let top = match base {
        Base::Folder(folder) => Some(plan.folder.join(folder)),
        _ => repo.work_dir().map(Path::to_owned),
    };
    let Some(top) = top.map(|t| real(&t)) else {
        return Ok(Vec::new());
    };
    let folder = real(&plan.folder);
    let mut places = BTreeSet::new();
    for from in named(plan) {
        let path = folder.join(from);
        if let Ok(inside) = real(&path).strip_prefix(&top) {
            places.insert(bytes(inside));
        }
    }
    let same_content = matches!(base, Base::Bundle(..) | Base::Remote(..));
    let mut found = Vec::new();
    for (path, entry) in reader.files(tree)? {
        let below = |place: &Vec<u8>| {
            path.starts_with(place)
                && (path.len() == place.len() || path.get(place.len()) == Some(&b'/'))
        };
        if !places.iter().any(|p| !p.is_empty() && below(p)) {
            continue;
        }
        if same_content {
            let here = top.join(String::from_utf8_lossy(&path).as_ref());
            let Ok(content) = std::fs::read(here) else {
                continue;
            };
            if reader.blob_id(&content)? != entry.id {
                continue;
            }
        }
        found.push(path);
    }
    Ok(found)
}

/// Every file and folder that the plan names, itself included, from its folder.
fn named(plan: &Plan) -> BTreeSet<PathBuf> {
    // Another plan at the usual place tells of the same experiment.
    let mut found = BTreeSet::from(["evolve.toml", &plan.file].map(PathBuf::from));
    let mut text = |text: &Text| {
        if let Text::File(path) = text {
            found.insert(path.clone());
        }
    };
    let mut overlays: Vec<&Overlay> = Vec::new();
    for arm in &plan.arms {
        arm.prompt_prefix.iter().for_each(&mut text);
        arm.prompt_suffix.iter().for_each(&mut text);
        overlays.extend(&arm.files);
        overlays.extend(arm.specs.iter().map(|s| &s.file));
        let mut working = |agent: &'_ Agent, gate: &'_ Gate| {
            agent.repair_prompt.iter().for_each(&mut text);
            let suites = [&gate.visible, &gate.acceptance].into_iter().flatten();
            let tests = suites.flat_map(|s| &s.tests);
            let all: Vec<PathBuf> = tests.chain(&agent.config).map(|o| o.from.clone()).collect();
            all
        };
        let mut paths = working(&arm.agent, &arm.gate);
        for own in arm.of_tasks.values() {
            paths.extend(working(&own.agent, &own.gate));
        }
        let refactors = arm.of_tasks.values().map(|o| &o.refactor);
        for refactor in refactors.chain([&arm.refactor]).flatten() {
            text(&refactor.prompt);
        }
        for path in paths {
            text(&Text::File(path));
        }
    }
    let of_tasks = plan.tasks.iter().flat_map(|t| &t.checkpoints);
    for checkpoint in plan.checkpoints.iter().chain(of_tasks) {
        text(&checkpoint.prompt);
        if let Some(patch) = &checkpoint.reference {
            text(&Text::File(patch.clone()));
        }
    }
    plan.probe.iter().for_each(|p| text(&p.prompt));
    plan.noop.iter().for_each(|n| text(&n.prompt));
    if let Some(review) = &plan.review {
        text(&review.prompt);
        review.apply.iter().for_each(&mut text);
    }
    for overlay in overlays {
        text(&Text::File(overlay.from.clone()));
    }
    found
}

/// The path without links, or as it is where that cannot be had.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A path as trees have it.
fn bytes(path: &Path) -> Vec<u8> {
    let mut joined = Vec::new();
    for part in path.components() {
        if let Component::Normal(name) = part {
            if !joined.is_empty() {
                joined.push(b'/');
            }
            joined.extend_from_slice(name.as_encoded_bytes());
        }
    }
    joined
}
