//! Reading objects: commits, blobs, trees. One [`Reader`] per thread.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::objs::{Find, Kind as ObjectKind, TreeRefIter};
use gix::odb::Header as _;

use super::open::Shape;
use super::{Commit, Entry, EntryMode, Oid, commit};
use crate::error::{Error, Result};

/// Blobs that are in memory only, by the id they would have in the object store.
pub type Overlay = BTreeMap<Oid, Arc<[u8]>>;

/// Delta bases a thread keeps. Reading the changed blobs of gson's 500 newest commits costs 25 %
/// more without, of all its commits twice as much; 16 MiB is no faster and holds twice the memory.
const PACK_CACHE_BYTES: usize = 6 << 20;
/// Whole trees a thread keeps, so that neighbouring commits share their reading.
const TREE_CACHE_BYTES: usize = 2 << 20;
/// Deepest folder and most files read out of one tree; real ones are far below.
const MAX_DEPTH: usize = 1_000;
const MAX_FILES: usize = 10_000_000;

/// Reads objects and refs. Not for sharing: make one per thread with
/// [`Repo::reader`](super::Repo::reader).
pub struct Reader {
    pub(super) git: gix::Repository,
    pub(super) shape: Arc<Shape>,
    overlay: Option<Arc<Overlay>>,
    /// Commits right behind which a shallow clone was cut, sorted.
    edges: Vec<gix::ObjectId>,
    buffer: RefCell<Vec<u8>>,
}

/// An object that is named but not in the repository: damaged, cut off, or left to the remote of
/// a partial clone. [`is_missing`] finds it under an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// Which object.
    pub id: Oid,
    /// True in a partial clone, whose remote may still have it.
    pub promised: bool,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {} is not in this repository", self.id)?;
        if self.promised {
            f.write_str(" (a partial clone left it to its remote)")?;
        }
        Ok(())
    }
}

impl std::error::Error for Missing {}

/// The absent object that caused `error`, where an absent object did.
pub fn missing(error: &Error) -> Option<Missing> {
    let mut cause = std::error::Error::source(error);
    while let Some(e) = cause {
        if let Some(found) = e.downcast_ref::<Missing>() {
            return Some(*found);
        }
        cause = e.source();
    }
    None
}

/// Whether `error` was caused by an object that is not in the repository.
pub fn is_missing(error: &Error) -> bool {
    missing(error).is_some()
}

impl Reader {
    pub(super) fn new(
        mut git: gix::Repository,
        shape: Arc<Shape>,
        overlay: Option<Arc<Overlay>>,
    ) -> Result<Reader> {
        git.clear_namespace();
        git.objects.set_pack_cache(|| {
            Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(
                PACK_CACHE_BYTES,
            ))
        });
        git.objects
            .set_object_cache(|| Box::new(TreeCache::new(TREE_CACHE_BYTES)));
        let edges = git
            .shallow_commits()
            .map_err(|e| Error::git("reading the list of shallow commits").with_source(e))?
            .map(|list| list.iter().copied().collect())
            .unwrap_or_default();
        Ok(Reader {
            git,
            shape,
            overlay,
            edges,
            buffer: RefCell::default(),
        })
    }

    /// The same reader, which also answers for the blobs of `overlay`.
    #[must_use]
    pub fn with_overlay(mut self, overlay: Arc<Overlay>) -> Reader {
        self.overlay = Some(overlay);
        self
    }

    /// The folder of what is ours alone in the git directory that all worktrees share.
    pub fn evolve_dir(&self) -> std::path::PathBuf {
        self.shape.common_dir.join("evolve")
    }

    /// Whether there is no work tree.
    pub fn is_bare(&self) -> bool {
        self.shape.work_dir.is_none()
    }

    /// Whether history is cut off.
    pub fn is_shallow(&self) -> bool {
        !self.edges.is_empty()
    }

    /// The commits right behind which history is cut off, sorted.
    pub(super) fn edges(&self) -> Vec<Oid> {
        self.edges.iter().copied().map(Oid).collect()
    }

    /// The names of the remotes in git's configuration, sorted.
    pub fn remote_names(&self) -> Vec<String> {
        let names = self.git.remote_names();
        names
            .iter()
            .map(|n| n.to_str_lossy().into_owned())
            .collect()
    }

    /// Whether a plain fetch from `remote` brings branches that its refspecs name one by one, and
    /// no others.
    pub fn fetches_single_branches(&self, remote: &str) -> bool {
        let Ok(remote) = self.git.find_remote(remote) else {
            return false;
        };
        let specs = remote.refspecs(gix::remote::Direction::Fetch);
        let by_name = |spec: &gix::refspec::RefSpec| {
            let spec = spec.to_ref();
            spec.source().is_some_and(|s| !s.contains(&b'*'))
        };
        !specs.is_empty() && specs.iter().all(by_name)
    }

    /// One commit, from the raw object.
    ///
    /// # Errors
    /// A [`Missing`] object, one that is no commit, or one without a tree.
    pub fn commit(&self, id: Oid) -> Result<Commit> {
        let mut buffer = self.buffer.borrow_mut();
        self.object(id, ObjectKind::Commit, &mut buffer)?;
        let mut read = commit::parse(id, &buffer)
            .ok_or_else(|| Error::git(format!("commit {id} is malformed")))?;
        read.shallow = !read.parents.is_empty() && self.edges.binary_search(&id.0).is_ok();
        Ok(read)
    }

    /// Puts the content of blob `id` into `into`, whose old content goes.
    ///
    /// # Errors
    /// A [`Missing`] object, or one that is no blob.
    pub fn blob(&self, id: Oid, into: &mut Vec<u8>) -> Result<()> {
        if let Some(bytes) = self.overlaid(id) {
            into.clear();
            into.extend_from_slice(bytes);
            return Ok(());
        }
        if id.0.is_empty_blob() {
            into.clear();
            return Ok(());
        }
        self.object(id, ObjectKind::Blob, into)
    }

    /// The size of blob `id` in bytes, without decoding it.
    ///
    /// # Errors
    /// A [`Missing`] object, or one that is no blob.
    pub fn blob_size(&self, id: Oid) -> Result<u64> {
        if let Some(bytes) = self.overlaid(id) {
            return Ok(bytes.len() as u64);
        }
        if id.0.is_empty_blob() {
            return Ok(0);
        }
        if self.is_other_hash(id) {
            return Err(self.absent(id, ObjectKind::Blob));
        }
        match self.git.objects.try_header(&id.0) {
            Ok(Some(h)) if h.kind() == ObjectKind::Blob => Ok(h.size()),
            Ok(Some(h)) => Err(wrong_kind(id, ObjectKind::Blob, h.kind())),
            Ok(None) => Err(self.absent(id, ObjectKind::Blob)),
            Err(e) => Err(unreadable(id, ObjectKind::Blob, e)),
        }
    }

    /// All files, links and submodules under `tree`, with their whole paths, sorted by path bytes.
    ///
    /// # Errors
    /// A [`Missing`] or malformed tree.
    pub fn files(&self, tree: Oid) -> Result<Vec<(Box<[u8]>, Entry)>> {
        let mut found = Vec::new();
        self.collect(tree, &mut Vec::new(), 0, &mut found)?;
        // Git keeps trees in an order that makes the whole list sorted; a broken tree may not be.
        if !found.is_sorted_by(|a, b| a.0 < b.0) {
            found.sort_by(|a, b| a.0.cmp(&b.0));
        }
        Ok(found)
    }

    fn collect(
        &self,
        tree: Oid,
        path: &mut Vec<u8>,
        depth: usize,
        found: &mut Vec<(Box<[u8]>, Entry)>,
    ) -> Result<()> {
        if depth > MAX_DEPTH || found.len() > MAX_FILES {
            return Err(Error::git(format!(
                "tree {tree} is deeper than {MAX_DEPTH} folders or holds over {MAX_FILES} files"
            )));
        }
        let mut data = Vec::new();
        self.tree_bytes(tree, &mut data)?;
        for entry in TreeRefIter::from_bytes(&data, tree.0.kind()) {
            let entry = entry.map_err(|e| unreadable(tree, ObjectKind::Tree, e))?;
            let id = Oid(entry.oid.to_owned());
            let length = path.len();
            path.extend_from_slice(entry.filename);
            match mode_of(entry.mode) {
                Some(mode) => found.push((path.as_slice().into(), Entry { mode, id })),
                None => {
                    path.push(b'/');
                    self.collect(id, path, depth + 1, found)?;
                }
            }
            path.truncate(length);
        }
        Ok(())
    }

    /// What stands at `path` (parts joined by `/`) in `tree`; `None` where nothing or a folder
    /// does.
    pub fn entry(&self, tree: Oid, path: &[u8]) -> Result<Option<Entry>> {
        match self.lookup(tree, path)? {
            Some((id, Some(mode))) => Ok(Some(Entry { mode, id })),
            _ => Ok(None),
        }
    }

    /// The id of the folder at `path` in `tree` (the tree itself for an empty path); `None`
    /// where there is none.
    pub fn folder(&self, tree: Oid, path: &[u8]) -> Result<Option<Oid>> {
        if path.is_empty() {
            return Ok(Some(tree));
        }
        match self.lookup(tree, path)? {
            Some((id, None)) => Ok(Some(id)),
            _ => Ok(None),
        }
    }

    /// The object at `path`, and its mode where it is no folder.
    fn lookup(&self, tree: Oid, path: &[u8]) -> Result<Option<(Oid, Option<EntryMode>)>> {
        let mut data = Vec::new();
        let mut at = (tree, None);
        for part in path.split(|b| *b == b'/') {
            if at.1.is_some() {
                return Ok(None);
            }
            self.tree_bytes(at.0, &mut data)?;
            let mut next = None;
            for entry in TreeRefIter::from_bytes(&data, tree.0.kind()) {
                let entry = entry.map_err(|e| unreadable(at.0, ObjectKind::Tree, e))?;
                if entry.filename == part {
                    next = Some((Oid(entry.oid.to_owned()), mode_of(entry.mode)));
                    break;
                }
            }
            match next {
                Some(found) => at = found,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The id of the empty tree in this repository's hash: what a root commit is compared with.
    pub fn empty_tree(&self) -> Oid {
        Oid(gix::ObjectId::empty_tree(self.git.object_hash()))
    }

    /// Whether tree `id` is here; what it holds is not looked at.
    ///
    /// # Errors
    /// The object store cannot be read.
    pub fn has_tree(&self, id: Oid) -> Result<bool> {
        Ok(id == self.empty_tree() || self.kind(id)? == Some(ObjectKind::Tree))
    }

    /// The id that `bytes` would have as a blob of this repository. Nothing is written.
    pub fn blob_id(&self, bytes: &[u8]) -> Result<Oid> {
        gix::objs::compute_hash(self.git.object_hash(), ObjectKind::Blob, bytes)
            .map(Oid)
            .map_err(|e| Error::internal("hashing a blob").with_source(e))
    }

    /// What kind of object `id` is; `None` where it is not here.
    pub(super) fn kind(&self, id: Oid) -> Result<Option<ObjectKind>> {
        if self.is_other_hash(id) {
            return Ok(None);
        }
        match self.git.objects.try_header(&id.0) {
            Ok(found) => Ok(found.map(|h| h.kind())),
            Err(e) => Err(Error::git(format!("reading object {id}")).with_source(e)),
        }
    }

    /// The raw bytes of tree `id`, which may be the empty one that is stored nowhere.
    pub(super) fn tree_bytes(&self, id: Oid, into: &mut Vec<u8>) -> Result<()> {
        if id.0.is_empty_tree() {
            into.clear();
            return Ok(());
        }
        self.object(id, ObjectKind::Tree, into)
    }

    /// The raw bytes of object `id`, which must be of `kind`.
    pub(super) fn object(&self, id: Oid, kind: ObjectKind, into: &mut Vec<u8>) -> Result<()> {
        if self.is_other_hash(id) {
            return Err(self.absent(id, kind));
        }
        match self.git.objects.try_find(&id.0, into) {
            Ok(Some(found)) if found.kind == kind => {
                let length = found.data.len();
                into.truncate(length);
                Ok(())
            }
            Ok(Some(found)) => Err(wrong_kind(id, kind, found.kind)),
            Ok(None) => Err(self.absent(id, kind)),
            Err(e) => Err(unreadable(id, kind, e)),
        }
    }

    /// Whether `id`, which somebody's record or object may name, is of the other hash: no object
    /// of this repository has it, and the object store takes it for a fault of ours.
    fn is_other_hash(&self, id: Oid) -> bool {
        id.0.kind() != self.git.object_hash()
    }

    fn overlaid(&self, id: Oid) -> Option<&[u8]> {
        self.overlay.as_ref()?.get(&id).map(AsRef::as_ref)
    }

    fn absent(&self, id: Oid, kind: ObjectKind) -> Error {
        let promised = self.shape.promised;
        let doing = format!("reading {kind} {id}");
        let (error, hint) = if promised {
            (
                Error::unavailable(doing),
                "while the remote can be reached, `git fetch --refetch --no-filter` brings all \
                 that a partial clone left there",
            )
        } else if !self.edges.is_empty() {
            (
                Error::git(doing),
                "history is cut off here: `git fetch --unshallow` brings the rest",
            )
        } else {
            (Error::git(doing), "`git fsck` lists what else is missing")
        };
        error.with_hint(hint).with_source(Missing { id, promised })
    }
}

/// What a tree entry is; `None` for a folder.
fn mode_of(mode: gix::objs::tree::EntryMode) -> Option<EntryMode> {
    use gix::objs::tree::EntryKind;
    match mode.kind() {
        EntryKind::Tree => None,
        EntryKind::Blob | EntryKind::BlobExecutable => Some(EntryMode::File),
        EntryKind::Link => Some(EntryMode::Symlink),
        EntryKind::Commit => Some(EntryMode::Gitlink),
    }
}

fn wrong_kind(id: Oid, wanted: ObjectKind, is: ObjectKind) -> Error {
    Error::git(format!("object {id} is a {is}, not a {wanted}"))
}

fn unreadable(
    id: Oid,
    kind: ObjectKind,
    cause: impl Into<Box<dyn std::error::Error + Send + Sync + 'static>>,
) -> Error {
    Error::git(format!("reading {kind} {id}")).with_source(cause)
}

/// An object cache that takes trees alone: blobs are read once, and would only push trees out.
struct TreeCache(gix::odb::pack::cache::object::MemoryCappedHashmap);

impl TreeCache {
    fn new(bytes: usize) -> Self {
        TreeCache(gix::odb::pack::cache::object::MemoryCappedHashmap::new(
            bytes,
        ))
    }
}

impl gix::odb::pack::cache::Object for TreeCache {
    fn put(&mut self, id: gix::ObjectId, kind: ObjectKind, data: &[u8]) {
        if kind == ObjectKind::Tree {
            self.0.put(id, kind, data);
        }
    }

    fn get(&mut self, id: &gix::ObjectId, out: &mut Vec<u8>) -> Option<ObjectKind> {
        self.0.get(id, out)
    }
}
