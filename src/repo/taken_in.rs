//! The work tree of a clone that nobody trusts, taken into our own store as a tree.
//!
//! No git runs there. Folders are opened one by one from the top, no link is followed, and what
//! is read is read from the handle that was looked at. What git cannot hold is left out and told.

mod files;
mod folder;
mod incoming;
mod rules;

use std::collections::BTreeMap;
use std::path::Path;

use super::export::{Leaf, above};
use super::write::{Leaf as NewLeaf, LeafMode};
use super::{Oid, Reader, Repo, TreePath, Writer};
use crate::error::{Error, Result};
use files::Found;
use folder::Folder;
use gix::objs::tree::EntryKind;
use rules::Rules;

/// How much is taken.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Most new files; what the parent's tree has is taken always.
    pub files: usize,
    /// Deepest folder.
    pub depth: usize,
    /// Greater files come in as stubs, in bytes.
    pub file: u64,
    /// Most bytes of new or changed files together; what is over it comes in as stubs.
    pub total: u64,
    /// Greater files are not read at all, and their stub has no digest.
    pub digested: u64,
    /// Most entries that are looked at.
    pub looked_at: usize,
    /// Whether an ignored file's path looks like source.
    pub is_source: fn(&[u8]) -> bool,
    /// Whether source is not looked for in folders of this name, where they are ignored.
    pub is_passed_over: fn(&[u8]) -> bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            files: 200_000,
            depth: 200,
            file: 50 << 20,
            total: 2 << 30,
            digested: 16 << 30,
            looked_at: 5_000_000,
            is_source: |_| false,
            is_passed_over: |_| false,
        }
    }
}

/// What was found in a work tree that nobody trusts. All lists are in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenIn {
    /// The tree that was taken.
    pub tree: Oid,
    /// Files in it.
    pub files: u64,
    /// New files that were taken.
    pub added: Vec<TreePath>,
    /// Files of which a stub was taken.
    pub stubs: Vec<StubFile>,
    /// Links that lead out of the tree; they were taken as links.
    pub links_out: Vec<TreePath>,
    /// Pipes, sockets, devices: left out.
    pub special: Vec<TreePath>,
    /// What could not be read: left out.
    pub unreadable: Vec<TreePath>,
    /// Folders and files named `.git` below the top: left out, what is around them was taken.
    pub git_folders: Vec<TreePath>,
    /// Files that were left out because there were too many, or too deep: the first of them.
    pub too_many: Vec<TreePath>,
    /// How many these were.
    pub too_many_count: u64,
    /// Names that git cannot hold: left out.
    pub refused: Vec<TreePath>,
    /// Ignored files that look like source: left out.
    pub ignored_sources: Vec<TreePath>,
    /// The `.gitmodules` at the top, which the parent's tree has not so, names a command as the
    /// update of a submodule. It was taken as it is.
    pub hostile_submodule: bool,
}

/// A file of which a stub was taken: text that says what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubFile {
    /// Where.
    pub path: TreePath,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256 in hexadecimal; `None`: it was too great to be read.
    pub sha256: Option<String>,
}

/// Most paths of files that were left out that are kept.
const LISTED: usize = 10_000;

impl Repo {
    /// Takes the work tree in `top` (its `.git` apart) as a tree of this repository.
    ///
    /// Left out is what the `.gitignore` files of `parent_tree` and of the folder itself ignore
    /// (where both speak, the folder's own counts), but for paths that `parent_tree` has: these
    /// are taken whatever any rule says. A submodule of `parent_tree` stays one while its folder
    /// is empty.
    ///
    /// # Errors
    /// Git where `top` is no folder, an object of `parent_tree` is missing or something cannot be
    /// written.
    pub fn take_in(&self, top: &Path, parent_tree: Oid, bounds: &Bounds) -> Result<TakenIn> {
        let reader = self.reader()?;
        let parent = reader.leaves(parent_tree)?;
        let top = Folder::top(top)?;
        let mut walk = Walk {
            reader: &reader,
            bounds,
            tracked: Tracked::of(&parent),
            rules: Rules::default(),
            found: Vec::new(),
            links: Vec::new(),
            kept: Vec::new(),
            new: 0,
            looked_at: 0,
            taken: TakenIn {
                tree: parent_tree,
                files: 0,
                added: Vec::new(),
                stubs: Vec::new(),
                links_out: Vec::new(),
                special: Vec::new(),
                unreadable: Vec::new(),
                git_folders: Vec::new(),
                too_many: Vec::new(),
                too_many_count: 0,
                refused: Vec::new(),
                ignored_sources: Vec::new(),
                hostile_submodule: false,
            },
        };
        walk.taken.hostile_submodule = walk.hostile_submodule(&top)?;
        walk.folder(&top, &mut Vec::new(), 0, false)?;
        let Walk {
            tracked,
            found,
            links,
            kept,
            mut taken,
            ..
        } = walk;
        let read = files::read(self, &top, &found, &tracked.leaves, bounds)?;
        let writer = Writer::open(self)?;
        let mut leaves = BTreeMap::new();
        for (found, read) in found.iter().zip(read) {
            let leaf = match read {
                files::Read::Whole(leaf) => leaf,
                files::Read::Stub(leaf, size, sha256) => {
                    let path = found.path.clone();
                    taken.stubs.push(StubFile { path, size, sha256 });
                    leaf
                }
                files::Read::Not => {
                    taken.unreadable.push(found.path.clone());
                    continue;
                }
            };
            leaves.insert(found.path.to_vec(), leaf);
        }
        for (path, target) in links {
            let id = writer.blob(&target)?;
            let mode = LeafMode::Symlink;
            leaves.insert(path.to_vec(), NewLeaf { mode, id });
        }
        for leaf in kept {
            let mode = LeafMode::Gitlink;
            leaves.insert(leaf.path.to_vec(), NewLeaf { mode, id: leaf.id });
        }
        let added = leaves.keys().filter(|p| !tracked.has(p));
        taken.added = added.map(|p| p.as_slice().into()).collect();
        taken.files = leaves.len() as u64;
        taken.tree = writer.tree(&leaves)?;
        for list in [
            &mut taken.links_out,
            &mut taken.special,
            &mut taken.unreadable,
            &mut taken.git_folders,
            &mut taken.refused,
            &mut taken.ignored_sources,
        ] {
            list.sort();
        }
        taken.stubs.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(taken)
    }
}

/// What the parent's tree has.
struct Tracked<'p> {
    leaves: BTreeMap<&'p [u8], &'p Leaf>,
    folders: std::collections::BTreeSet<&'p [u8]>,
}

impl<'p> Tracked<'p> {
    fn of(parent: &'p [Leaf]) -> Tracked<'p> {
        Tracked {
            leaves: parent.iter().map(|l| (&*l.path, l)).collect(),
            folders: parent.iter().flat_map(|l| above(&l.path)).collect(),
        }
    }

    fn has(&self, path: &[u8]) -> bool {
        self.leaves.contains_key(path)
    }
}

struct Walk<'w> {
    reader: &'w Reader,
    bounds: &'w Bounds,
    tracked: Tracked<'w>,
    rules: Rules,
    found: Vec<Found>,
    links: Vec<(TreePath, Vec<u8>)>,
    kept: Vec<&'w Leaf>,
    new: usize,
    looked_at: usize,
    taken: TakenIn,
}

/// What stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Folder,
    File,
    Link,
    Special,
}

impl<'w> Walk<'w> {
    /// Walks the folder at `path` (empty, or ended by `/`); in an ignored one only what the
    /// parent's tree has is taken.
    fn folder(
        &mut self,
        folder: &Folder,
        path: &mut Vec<u8>,
        depth: usize,
        ignored: bool,
    ) -> Result<()> {
        let Ok(mut names) = folder.names(self.bounds.looked_at.saturating_sub(self.looked_at))
        else {
            self.taken.unreadable.push(path.as_slice().into());
            return Ok(());
        };
        // In git's order, so that what is left out where there is too much is always the same.
        names.sort();
        self.looked_at += names.len();
        let rules = self.rules.enter(
            path,
            self.parent_rules(path)?,
            folder.small_file(b".gitignore"),
        );
        for name in names {
            let length = path.len();
            path.extend_from_slice(&name);
            self.name(folder, &name, path, depth, ignored)?;
            path.truncate(length);
        }
        self.rules.leave(rules);
        Ok(())
    }

    /// Whether the `.gitmodules` at the top names a command, and is not the parent's.
    fn hostile_submodule(&self, top: &Folder) -> Result<bool> {
        let Some(text) = top.small_file(b".gitmodules") else {
            return Ok(false);
        };
        let hostile = super::submodules::names_a_command(&text);
        Ok(hostile && self.parent_file(b".gitmodules")?.as_ref() != Some(&text))
    }

    /// What the `.gitignore` that the parent's tree has in the folder `path` says.
    fn parent_rules(&self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        self.parent_file(&[path, b".gitignore"].concat())
    }

    /// The file at `path` that the parent's tree has.
    fn parent_file(&self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        match self.tracked.leaves.get(path) {
            Some(leaf) if matches!(leaf.kind, EntryKind::Blob | EntryKind::BlobExecutable) => {
                let mut bytes = Vec::new();
                self.reader.blob(leaf.id, &mut bytes)?;
                Ok(Some(bytes))
            }
            _ => Ok(None),
        }
    }

    fn name(
        &mut self,
        folder: &Folder,
        name: &[u8],
        path: &mut Vec<u8>,
        depth: usize,
        ignored: bool,
    ) -> Result<()> {
        if depth == 0 && name == b".git" {
            return Ok(());
        }
        if name.eq_ignore_ascii_case(b".git") {
            self.taken.git_folders.push(path.as_slice().into());
            return Ok(());
        }
        let Some((what, size, executable)) = folder.look(name) else {
            // It went meanwhile, or cannot be looked at.
            self.taken.unreadable.push(path.as_slice().into());
            return Ok(());
        };
        if !super::export::may_be_named(name, what == What::Link) {
            self.taken.refused.push(path.as_slice().into());
            return Ok(());
        }
        match what {
            What::Folder => self.inner(folder, name, path, depth, ignored),
            What::Special => {
                self.taken.special.push(path.as_slice().into());
                Ok(())
            }
            What::File | What::Link => {
                if !self.takes(path, ignored) {
                    return Ok(());
                }
                if what == What::File {
                    self.found.push(Found {
                        path: path.as_slice().into(),
                        size,
                        executable,
                    });
                    return Ok(());
                }
                match folder.link(name) {
                    Some(target) => {
                        if leads_out(path, &target) {
                            self.taken.links_out.push(path.as_slice().into());
                        }
                        self.links.push((path.as_slice().into(), target));
                    }
                    None => self.taken.unreadable.push(path.as_slice().into()),
                }
                Ok(())
            }
        }
    }

    fn inner(
        &mut self,
        folder: &Folder,
        name: &[u8],
        path: &mut Vec<u8>,
        depth: usize,
        ignored: bool,
    ) -> Result<()> {
        let holds_tracked = self.tracked.folders.contains(path.as_slice());
        let gitlink = self.tracked.leaves.get(path.as_slice()).copied();
        let gitlink = gitlink.filter(|l| l.kind == EntryKind::Commit);
        let ignored = ignored || self.rules.ignore(path, true);
        if depth >= self.bounds.depth || self.looked_at >= self.bounds.looked_at {
            self.leave_out(path);
            return Ok(());
        }
        let Some(inner) = folder.folder(name) else {
            self.taken.unreadable.push(path.as_slice().into());
            return Ok(());
        };
        if let Some(gitlink) = gitlink
            && inner.names(1).is_ok_and(|n| n.is_empty())
        {
            self.kept.push(gitlink);
            return Ok(());
        }
        // Below an ignored folder that the parent's tree has nothing in, source is looked for.
        if ignored && !holds_tracked && (self.bounds.is_passed_over)(name) {
            return Ok(());
        }
        path.push(b'/');
        self.folder(&inner, path, depth + 1, ignored)
    }

    /// Whether the file or link at `path` is taken; what is not is told.
    fn takes(&mut self, path: &[u8], ignored: bool) -> bool {
        if self.tracked.has(path) {
            return true;
        }
        if ignored || self.rules.ignore(path, false) {
            let room = self.taken.ignored_sources.len() < LISTED;
            if room && (self.bounds.is_source)(path) {
                self.taken.ignored_sources.push(path.into());
            }
            return false;
        }
        if self.new >= self.bounds.files {
            self.leave_out(path);
            return false;
        }
        self.new += 1;
        true
    }

    fn leave_out(&mut self, path: &[u8]) {
        self.taken.too_many_count += 1;
        if self.taken.too_many.len() < LISTED {
            self.taken.too_many.push(path.into());
        }
    }
}

/// Whether a link at `path` leads out of the tree, by its words alone.
fn leads_out(path: &[u8], target: &[u8]) -> bool {
    if target.first() == Some(&b'/') {
        return true;
    }
    let mut depth = path.iter().filter(|b| **b == b'/').count();
    for part in target.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." if depth == 0 => return true,
            b".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

fn reading(path: &[u8], e: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let shown = String::from_utf8_lossy(path).into_owned();
    Error::git(format!("taking in {shown}")).with_source(e)
}
