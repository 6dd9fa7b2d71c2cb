//! What is not committed yet: the index or the work tree against HEAD.
//!
//! Nothing is written: no object, no index, no lock. Contents that the object store does not
//! have are kept in an [`Overlay`]. The bytes of the work tree are taken as they lie there: no
//! filter runs and line ends are not converted, so that under `core.autocrlf` a touched file may
//! differ from what `git add` would store, in its line ends.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::stat::Options as StatOptions;
use gix::index::entry::{Flags, Mode, Stage, Stat};

use super::{Entry, EntryMode, Oid, Overlay, Reader};
use crate::error::{Error, Result};

/// Larger files are listed with their id, but their content is not kept.
const MAX_FILE: u64 = 16 << 20;
/// Most bytes of content kept; files beyond are listed without content.
const MAX_OVERLAY: u64 = 256 << 20;

/// One path that differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingEntry {
    /// The path, bytes as in a tree.
    pub path: Box<[u8]>,
    /// What HEAD has there.
    pub old: Option<Entry>,
    /// What the index or the work tree has there.
    pub new: Option<Entry>,
}

/// What would change if the index or the work tree were committed.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    /// HEAD's commit; `None` before the first one.
    pub base: Option<Oid>,
    /// HEAD's tree; `None` before the first commit.
    pub base_tree: Option<Oid>,
    /// The paths that differ, sorted by path bytes. A change of the executable bit alone is none.
    pub entries: Vec<PendingEntry>,
    /// Contents that are in no object store, by the id they would have there.
    pub overlay: Overlay,
    /// What was left out, in words.
    pub remarks: Vec<String>,
}

type Files = BTreeMap<Box<[u8]>, Entry>;

impl Reader {
    /// The index against HEAD's tree. A path only intended to be added is not staged.
    ///
    /// # Errors
    /// A bare repository, unmerged paths, an index or object that cannot be read.
    pub fn staged(&self) -> Result<Pending> {
        self.work_dir()?;
        let (mut pending, old) = self.pending_base()?;
        let mut new = Files::new();
        self.indexed(|path, entry, _| {
            if let Some(stage) = unmerged(entry) {
                return Err(Error::git(format!(
                    "the index holds an unmerged path ({stage}): {}",
                    path.to_str_lossy()
                ))
                .with_hint("resolve the merge, then `git add` the path"));
            }
            if !entry.flags.contains(Flags::INTENT_TO_ADD)
                && let Some(entry) = plain(entry)
            {
                new.insert(path.as_bytes().into(), entry);
            }
            Ok(())
        })?;
        pending.entries = differences(old, new);
        Ok(pending)
    }

    /// The work tree against HEAD's tree: tracked files, and untracked ones that are not ignored.
    ///
    /// Submodules stand as the index has them. Repositories nested in the work tree are left
    /// out, with a remark. Files outside a sparse checkout are unchanged.
    ///
    /// # Errors
    /// A bare repository; an index, folder or file that cannot be read; no git program.
    pub fn worktree(&self) -> Result<Pending> {
        let top = self.work_dir()?.to_owned();
        let (mut pending, old) = self.pending_base()?;
        let mut new = Files::new();
        let mut files = WorkFiles::new(self, top);
        self.indexed(|path, entry, settled| {
            let kept = Flags::SKIP_WORKTREE | Flags::ASSUME_VALID;
            let entry = match plain(entry) {
                Some(e) if e.mode == EntryMode::Gitlink || entry.flags.intersects(kept) => Some(e),
                known => {
                    // Unmerged paths stand in the index several times, in the work tree once.
                    let known = known
                        .filter(|_| unmerged(entry).is_none())
                        .filter(|_| !entry.flags.contains(Flags::INTENT_TO_ADD))
                        .filter(|_| settled)
                        .map(|e| (e, entry.stat));
                    files.read(path, known)?
                }
            };
            if let Some(entry) = entry {
                new.insert(path.as_bytes().into(), entry);
            }
            Ok(())
        })?;
        let listing =
            self.program()
                .output(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        for path in listing.split(|b| *b == 0).filter(|p| !p.is_empty()) {
            if let [folder @ .., b'/'] = path {
                pending.remarks.push(format!(
                    "'{}' is a repository of its own and is left out",
                    folder.to_str_lossy()
                ));
            } else if let Some(entry) = files.read(path.as_bstr(), None)? {
                new.insert(path.into(), entry);
            }
        }
        pending.entries = differences(old, new);
        let wanted: std::collections::BTreeSet<Oid> = pending
            .entries
            .iter()
            .filter_map(|e| e.new.map(|n| n.id))
            .collect();
        pending.overlay = files.overlay;
        pending.overlay.retain(|id, _| wanted.contains(id));
        pending.remarks.append(&mut files.remarks);
        Ok(pending)
    }

    fn work_dir(&self) -> Result<&Path> {
        self.shape.work_dir.as_deref().ok_or_else(|| {
            Error::git("this operation must be run in a work tree")
                .with_hint("a bare repository has commits only: name a revision")
        })
    }

    fn pending_base(&self) -> Result<(Pending, Files)> {
        let base = self.head()?;
        let base_tree = base.map(|id| self.commit(id)).transpose()?.map(|c| c.tree);
        let files = match base_tree {
            Some(tree) => self.files(tree)?.into_iter().collect(),
            None => Files::new(),
        };
        let pending = Pending {
            base,
            base_tree,
            ..Pending::default()
        };
        Ok((pending, files))
    }

    /// Visits every entry of the index with its path, and whether its file is older than the
    /// index, so that equal times mean equal content. The folders of a sparse index are unfolded.
    fn indexed(
        &self,
        mut visit: impl FnMut(&BStr, &gix::index::Entry, bool) -> Result<()>,
    ) -> Result<()> {
        let index = self
            .git
            .index_or_empty()
            .map_err(|e| Error::git("reading the index").with_source(e))?;
        for entry in index.entries() {
            let path = entry.path(&index);
            if !entry.mode.is_sparse() {
                let racy = entry
                    .stat
                    .is_racy(index.timestamp(), StatOptions::default());
                visit(path, entry, !racy)?;
                continue;
            }
            for (inner, file) in self.files(Oid(entry.id))? {
                let mut whole = path.to_vec();
                whole.extend_from_slice(&inner);
                let mut unfolded = entry.clone();
                unfolded.id = file.id.0;
                unfolded.flags.insert(Flags::SKIP_WORKTREE);
                unfolded.mode = match file.mode {
                    EntryMode::File => Mode::FILE,
                    EntryMode::Symlink => Mode::SYMLINK,
                    EntryMode::Gitlink => Mode::COMMIT,
                };
                visit(whole.as_bstr(), &unfolded, false)?;
            }
        }
        Ok(())
    }
}

/// An index entry as a tree would have it; `None` for what no tree can hold.
fn plain(entry: &gix::index::Entry) -> Option<Entry> {
    let mode = match entry.mode {
        Mode::FILE | Mode::FILE_EXECUTABLE => EntryMode::File,
        Mode::SYMLINK => EntryMode::Symlink,
        Mode::COMMIT => EntryMode::Gitlink,
        _ => return None,
    };
    Some(Entry {
        mode,
        id: Oid(entry.id),
    })
}

fn unmerged(entry: &gix::index::Entry) -> Option<&'static str> {
    match entry.stage() {
        Stage::Unconflicted => None,
        Stage::Base => Some("common ancestor"),
        Stage::Ours => Some("ours"),
        Stage::Theirs => Some("theirs"),
    }
}

fn differences(old: Files, mut new: Files) -> Vec<PendingEntry> {
    let mut found = Vec::new();
    for (path, before) in old {
        let after = new.remove(&path);
        if after != Some(before) {
            found.push(PendingEntry {
                path,
                old: Some(before),
                new: after,
            });
        }
    }
    found.extend(new.into_iter().map(|(path, after)| PendingEntry {
        path,
        old: None,
        new: Some(after),
    }));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Reads files of the work tree, each under the id its content would have.
struct WorkFiles<'r> {
    reader: &'r Reader,
    top: PathBuf,
    /// Folders known to be real ones, and not links that lead elsewhere.
    folders: HashMap<Box<[u8]>, bool>,
    overlay: Overlay,
    kept: u64,
    remarks: Vec<String>,
}

impl<'r> WorkFiles<'r> {
    fn new(reader: &'r Reader, top: PathBuf) -> Self {
        WorkFiles {
            reader,
            top,
            folders: HashMap::new(),
            overlay: BTreeMap::new(),
            kept: 0,
            remarks: Vec::new(),
        }
    }

    /// What lies at `path`; `known` is what the index says of it, believed where size and times
    /// are the same. `None` where no file or link is there.
    fn read(&mut self, path: &BStr, known: Option<(Entry, Stat)>) -> Result<Option<Entry>> {
        let parent = path.rfind_byte(b'/').map(|i| &path[..i]);
        if let Some(parent) = parent
            && !self.is_folder(parent)
        {
            return Ok(None);
        }
        let Ok(below) = gix::path::from_byte_slice(path) else {
            return Ok(None);
        };
        let full = self.top.join(below);
        let reading =
            |e: std::io::Error| Error::git(format!("reading '{}'", full.display())).with_source(e);
        let meta = match std::fs::symlink_metadata(&full) {
            Ok(meta) => meta,
            Err(e) if is_absence(&e) => return Ok(None),
            Err(e) => return Err(reading(e)),
        };
        if !meta.is_file() && !meta.is_symlink() {
            return Ok(None);
        }
        let mode = if meta.is_symlink() {
            EntryMode::Symlink
        } else {
            EntryMode::File
        };
        if let Some((entry, stat)) = known
            && entry.mode == mode
            && is_same(&full, &stat)
        {
            return Ok(Some(entry));
        }
        let id = if mode == EntryMode::Symlink {
            let target = std::fs::read_link(&full).map_err(reading)?;
            let bytes = gix::path::into_bstr(target)
                .map_err(|e| Error::git(format!("reading '{}'", full.display())).with_source(e))?;
            self.keep(gix::path::to_unix_separators_on_windows(bytes).to_vec())?
        } else if meta.len() > MAX_FILE || self.kept + meta.len() > MAX_OVERLAY {
            self.remarks.push(format!(
                "'{}' is too large to be read before it is committed ({} bytes)",
                path.to_str_lossy(),
                meta.len()
            ));
            hash_file(self.reader, &full, meta.len())
                .map_err(|e| Error::git(format!("reading '{}'", full.display())).with_source(e))?
        } else {
            self.keep(std::fs::read(&full).map_err(reading)?)?
        };
        Ok(Some(Entry { mode, id }))
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Result<Oid> {
        let id = self.reader.blob_id(&bytes)?;
        if !self.overlay.contains_key(&id) && self.reader.kind(id)?.is_none() {
            self.kept += bytes.len() as u64;
            self.overlay.insert(id, Arc::from(bytes));
        }
        Ok(id)
    }

    /// Whether `folder` and all above it are folders and not links.
    fn is_folder(&mut self, folder: &[u8]) -> bool {
        if let Some(known) = self.folders.get(folder) {
            return *known;
        }
        let above = folder.rfind_byte(b'/').map(|i| &folder[..i]);
        let real = above.is_none_or(|a| self.is_folder(a))
            && gix::path::from_byte_slice(folder).is_ok_and(|below| {
                std::fs::symlink_metadata(self.top.join(below)).is_ok_and(|m| m.is_dir())
            });
        self.folders.insert(folder.into(), real);
        real
    }
}

fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn is_same(path: &Path, stat: &Stat) -> bool {
    gix::index::fs::Metadata::from_path_no_follow(path)
        .ok()
        .and_then(|meta| Stat::from_fs(&meta).ok())
        .is_some_and(|now| stat.matches(&now, StatOptions::default()))
}

fn hash_file(reader: &Reader, path: &Path, length: u64) -> Result<Oid, gix::Error> {
    let mut file = std::fs::File::open(path).map_err(gix::Error::from_error)?;
    gix::objs::compute_stream_hash(
        reader.git.object_hash(),
        gix::objs::Kind::Blob,
        &mut file,
        length,
        &mut gix::progress::Discard,
        &std::sync::atomic::AtomicBool::new(false),
    )
    .map(Oid)
}
