//! Which files become the agent's tree, and which are left out, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;

use super::credentials::is_name_of_credential;
use super::pending::{Pending, oid, path_bytes};
use super::said;
use super::surroundings::content;
use super::workplace::{Say, Workplace};
use crate::error::{Error, Result};
use crate::record::mask::Masker;
use crate::repo::{
    Added, Among, Delta, EntryMode, Oid, Prepared, Reader, Snapshot, TreePath, WorkTree,
};

/// Larger new files are not taken unasked.
const LARGE: u64 = 10 << 20;
/// Of new files up to this size the content is searched for credentials.
const SEARCHED: u64 = 1 << 20;
/// Of the agent's own commits so many are searched, the newest.
const LOOKED_AT: usize = 100;
/// Untracked files that are named as they are taken.
const NAMED: usize = 20;

/// The agent's tree and what is to be said of it.
#[derive(Debug)]
pub(super) struct Taken {
    /// The tree.
    pub(super) tree: Oid,
    /// The index that holds it.
    pub(super) index: Option<Prepared>,
    /// Untracked files that are in it.
    pub(super) untracked: Vec<TreePath>,
    /// Files that are not: there before, or excluded.
    pub(super) left_out: Vec<TreePath>,
    /// Repositories of their own of which a commit id is in it.
    pub(super) nested: Vec<TreePath>,
    /// Ignored files that look like source.
    pub(super) ignored_sources: Vec<TreePath>,
    /// Whether anything of it was not committed.
    pub(super) uncommitted: bool,
}

/// Builds the tree of all work, committed or not, since `parent_tree`.
///
/// # Errors
/// Usage where a new file looks like a credential or is too large and no option says what to do,
/// or an option means nothing; git where a file cannot be read.
pub(super) fn take(
    place: &Workplace<'_>,
    pending: &Pending,
    parent_tree: Oid,
    include: &[OsString],
    exclude: &[OsString],
    say: Say<'_>,
) -> Result<Taken> {
    let reader = place.reader()?;
    let snapshot = place.work.snapshot()?;
    let chooser = Chooser {
        work: &place.work,
        reader: &reader,
        before: before(pending),
        included: meant(&snapshot, "--include", include)?,
        excluded: meant(&snapshot, "--exclude", exclude)?,
        masker: Masker::general(),
    };
    let found = snapshot.untracked()?;
    let added = snapshot.added(parent_tree)?;
    chooser.require_new(exclude, &snapshot, &found.files, &found.nested, &added)?;
    let mut choice = Choice::default();
    for path in &found.files {
        chooser.untracked(path, &mut choice)?;
    }
    for path in &found.nested {
        chooser.nested(path, &mut choice, say)?;
    }
    for new in &added {
        chooser.committed(new, &mut choice)?;
    }
    let ignored = ignored_by_name(&snapshot, include)?;
    choice.take.extend(ignored.iter().cloned());
    if !choice.stopped.is_empty() {
        return Err(stopped(&choice.stopped));
    }
    for list in [
        &mut choice.take,
        &mut choice.drop,
        &mut choice.left_out,
        &mut choice.unchanged,
    ] {
        list.sort();
    }
    let committed = place.work.status()?.tracked.is_empty();
    snapshot.take(choice.take.iter().map(AsRef::as_ref))?;
    snapshot.leave_out(choice.drop.iter().map(AsRef::as_ref))?;
    let tree = snapshot.tree()?;
    let nested = nested_repositories(&place.work, &snapshot, parent_tree, tree)?;
    let taken = Taken {
        tree,
        index: Some(snapshot.prepared()),
        uncommitted: !committed || !choice.take.is_empty(),
        untracked: choice.take,
        left_out: choice.left_out,
        nested,
        ignored_sources: super::ignored::sources(&place.work)?
            .into_iter()
            .filter(|p| !ignored.contains(p))
            .collect(),
    };
    tell(&taken, &choice.unchanged, &choice.drop, say);
    Ok(taken)
}

/// Files of the agent's own commits that look like credentials and are not in the agent's tree,
/// where they would have been asked about: the commits are kept, and published with the chain.
///
/// # Errors
/// Git where a commit or file cannot be read.
pub(super) fn left_in_commits(
    place: &Workplace<'_>,
    commits: &[Oid],
    parent_tree: Oid,
    tree: Oid,
) -> Result<Vec<TreePath>> {
    let reader = place.reader()?;
    let here: BTreeSet<Oid> = place
        .work
        .between(parent_tree, tree, &[])?
        .iter()
        .filter_map(new_blob)
        .collect();
    let mut seen = here;
    let mut found = BTreeSet::new();
    let masker = Masker::general();
    for commit in commits.iter().rev().take(LOOKED_AT) {
        let of_commit = reader.commit(*commit)?.tree;
        for delta in place.work.between(parent_tree, of_commit, &[])? {
            let Some(id) = new_blob(&delta).filter(|id| seen.insert(*id)) else {
                continue;
            };
            let mut bytes = Vec::new();
            // What is not here, in a partial clone, is not the agent's.
            let looks_so = is_name_of_credential(&delta.path)
                || reader.blob_size(id).is_ok_and(|size| size <= SEARCHED)
                    && reader.blob(id, &mut bytes).is_ok()
                    && masker.finds_credential(&bytes);
            if looks_so {
                found.insert(delta.path);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// The blob that a path got.
fn new_blob(delta: &Delta) -> Option<Oid> {
    let (mode, id) = delta.new?;
    (mode != 0o160_000).then_some(id)
}

fn tell(taken: &Taken, unchanged: &[TreePath], dropped: &[TreePath], say: Say<'_>) {
    for path in taken.untracked.iter().take(NAMED) {
        say(&format!("takes untracked {}", said::path(path)));
    }
    if taken.untracked.len() > NAMED {
        let more = taken.untracked.len() - NAMED;
        say(&format!("takes {more} more untracked files"));
    }
    if !unchanged.is_empty() {
        say(&format!(
            "leaves out what was there before the checkpoint and is unchanged: {}",
            said::paths(unchanged, 5)
        ));
    }
    if !dropped.is_empty() {
        say(&format!(
            "leaves out of the tree what the agent committed: {}; the agent's own commits still hold it",
            said::paths(dropped, 5)
        ));
    }
    if !taken.nested.is_empty() {
        say(&format!(
            "repositories of their own, of which a commit id alone is recorded: {}; their code is not measured",
            said::paths(&taken.nested, 5)
        ));
    }
    if !taken.ignored_sources.is_empty() {
        say(&format!(
            "ignored files that look like source, not recorded: {} (--include FILE takes one)",
            said::paths(&taken.ignored_sources, NAMED)
        ));
    }
}

/// What was decided.
#[derive(Default)]
struct Choice {
    take: Vec<TreePath>,
    /// Taken out of what the agent committed or staged.
    drop: Vec<TreePath>,
    left_out: Vec<TreePath>,
    /// Those left out because they were there before.
    unchanged: Vec<TreePath>,
    stopped: Vec<(TreePath, &'static str)>,
}

struct Chooser<'a> {
    work: &'a WorkTree,
    reader: &'a Reader,
    before: BTreeMap<TreePath, Option<Oid>>,
    included: BTreeSet<TreePath>,
    excluded: BTreeSet<TreePath>,
    masker: Masker,
}

impl Chooser<'_> {
    fn untracked(&self, path: &TreePath, choice: &mut Choice) -> Result<()> {
        if self.excluded.contains(path) {
            choice.left_out.push(path.clone());
        } else if self.included.contains(path) {
            choice.take.push(path.clone());
        } else if self.is_unchanged(path)? {
            choice.left_out.push(path.clone());
            choice.unchanged.push(path.clone());
        } else if let Some(why) = self.suspicion_on_disk(path) {
            choice.stopped.push((path.clone(), why));
        } else {
            choice.take.push(path.clone());
        }
        Ok(())
    }

    fn nested(&self, path: &TreePath, choice: &mut Choice, say: Say<'_>) -> Result<()> {
        let mut folder = path.to_vec();
        folder.push(b'/');
        let included = self.included.contains(path);
        let before = self.before.contains_key(folder.as_slice()) && !included;
        if before || self.excluded.contains(path) || self.excluded.contains(folder.as_slice()) {
            choice.left_out.push(path.clone());
            if before {
                choice.unchanged.push(path.clone());
            }
        } else if self.work.nested_head(path)?.is_some() {
            choice.take.push(path.clone());
        } else {
            say(&format!(
                "{} is a repository of its own without a commit: nothing of it can be recorded",
                said::path(path)
            ));
            choice.left_out.push(path.clone());
        }
        Ok(())
    }

    fn committed(&self, new: &Added, choice: &mut Choice) -> Result<()> {
        let path = &new.path;
        if self.excluded.contains(path) {
            choice.drop.push(path.clone());
            choice.left_out.push(path.clone());
        } else if self.included.contains(path) || new.mode == EntryMode::Gitlink {
        } else if self.is_unchanged(path)? {
            choice.drop.push(path.clone());
            choice.left_out.push(path.clone());
            choice.unchanged.push(path.clone());
        } else if let Some(why) = self.suspicion(new)? {
            choice.stopped.push((path.clone(), why));
        }
        Ok(())
    }

    /// Whether the file was there before the checkpoint and is as it was. One whose content was
    /// not noted counts as unchanged.
    fn is_unchanged(&self, path: &TreePath) -> Result<bool> {
        Ok(match self.before.get(path) {
            None => false,
            Some(None) => true,
            Some(noted) => content(self.reader, self.work, path)? == *noted,
        })
    }

    fn suspicion_on_disk(&self, path: &[u8]) -> Option<&'static str> {
        if is_name_of_credential(path) {
            return Some(BY_NAME);
        }
        let full = self.work.on_disk(path).ok()?;
        let meta = fs::symlink_metadata(&full).ok()?;
        if !meta.is_file() {
            return None;
        }
        if meta.len() > LARGE {
            return Some(TOO_LARGE);
        }
        if meta.len() > SEARCHED {
            return None;
        }
        self.by_content(&fs::read(&full).ok()?)
    }

    fn suspicion(&self, new: &Added) -> Result<Option<&'static str>> {
        if is_name_of_credential(&new.path) {
            return Ok(Some(BY_NAME));
        }
        let size = self.reader.blob_size(new.id)?;
        if size > LARGE {
            return Ok(Some(TOO_LARGE));
        }
        if size > SEARCHED {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.reader.blob(new.id, &mut bytes)?;
        Ok(self.by_content(&bytes))
    }

    fn by_content(&self, bytes: &[u8]) -> Option<&'static str> {
        self.masker.finds_credential(bytes).then_some(BY_CONTENT)
    }

    /// What an option excludes must be new: all else is part of what the agent was given.
    fn require_new(
        &self,
        exclude: &[OsString],
        snapshot: &Snapshot<'_>,
        files: &[TreePath],
        nested: &[TreePath],
        added: &[Added],
    ) -> Result<()> {
        let new: BTreeSet<&TreePath> = files
            .iter()
            .chain(nested)
            .chain(added.iter().map(|a| &a.path))
            .collect();
        for spec in exclude {
            let mut means = snapshot.matching(Among::Untracked, spec)?;
            means.extend(snapshot.matching(Among::Tracked, spec)?);
            let trimmed = |p: &TreePath| -> TreePath { p.strip_suffix(b"/").unwrap_or(p).into() };
            if !means.iter().any(|p| new.contains(&trimmed(p))) {
                return Err(Error::usage(format!(
                    "--exclude {}: no new file of this checkpoint",
                    spec.to_string_lossy()
                ))
                .with_hint("files that were there before the checkpoint are always recorded"));
            }
        }
        Ok(())
    }
}

const BY_NAME: &str = "is called as files of credentials are";
const BY_CONTENT: &str = "holds what looks like a credential";
const TOO_LARGE: &str = "is larger than 10 MiB";

fn stopped(files: &[(TreePath, &'static str)]) -> Error {
    let lines: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|(path, why)| format!("{} {why}", said::path(path)))
        .collect();
    let mut text = format!(
        "{} not recorded unasked; nothing was changed:\n  {}",
        said::count(files.len(), "new file is", "new files are"),
        lines.join("\n  ")
    );
    if files.len() > NAMED {
        text.push_str(&format!("\n  and {} more", files.len() - NAMED));
    }
    Error::usage(text).with_hint("--include PATH takes a file, --exclude PATH leaves it out")
}

fn before(pending: &Pending) -> BTreeMap<TreePath, Option<Oid>> {
    let noted = pending.untracked_before.iter();
    noted
        .map(|b| {
            let blob = b.blob.as_ref().and_then(|name| oid(name).ok());
            (path_bytes(&b.path), blob)
        })
        .collect()
}

/// The paths that an option's specifications mean.
fn meant(snapshot: &Snapshot<'_>, option: &str, specs: &[OsString]) -> Result<BTreeSet<TreePath>> {
    let mut all = BTreeSet::new();
    for spec in specs {
        let mut found = snapshot.matching(Among::Untracked, spec)?;
        found.extend(snapshot.matching(Among::Tracked, spec)?);
        if found.is_empty() && named_exactly(snapshot, spec)?.is_empty() {
            return Err(Error::usage(format!(
                "{option} {}: no such file",
                spec.to_string_lossy()
            )));
        }
        let without_slash = |p: TreePath| p.strip_suffix(b"/").map(Into::into).unwrap_or(p);
        all.extend(found.into_iter().map(without_slash));
    }
    Ok(all)
}

/// The ignored files that `--include` takes: those it names themselves. A folder that is meant
/// brings no dependencies in.
fn ignored_by_name(snapshot: &Snapshot<'_>, include: &[OsString]) -> Result<BTreeSet<TreePath>> {
    let mut all = BTreeSet::new();
    for spec in include {
        all.extend(named_exactly(snapshot, spec)?);
    }
    Ok(all)
}

fn named_exactly(snapshot: &Snapshot<'_>, spec: &OsString) -> Result<Vec<TreePath>> {
    let mut found = snapshot.matching(Among::Ignored, spec)?;
    let named = spec.as_encoded_bytes();
    let named = named.strip_prefix(b"./").unwrap_or(named);
    found.retain(|p| p.ends_with(named));
    Ok(found)
}

/// New entries that are commits of other repositories and that `.gitmodules` does not declare.
fn nested_repositories(
    work: &WorkTree,
    snapshot: &Snapshot<'_>,
    parent_tree: Oid,
    tree: Oid,
) -> Result<Vec<TreePath>> {
    let added = snapshot.added(parent_tree)?;
    let mut links = added
        .into_iter()
        .filter(|a| a.mode == EntryMode::Gitlink)
        .peekable();
    if links.peek().is_none() {
        return Ok(Vec::new());
    }
    let declared = work.submodules(tree)?;
    Ok(links
        .map(|a| a.path)
        .filter(|p| !declared.contains(p))
        .collect())
}
