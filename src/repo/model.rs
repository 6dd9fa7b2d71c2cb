//! The plain values in which the repository is described to the rest of the program.

use super::Oid;

/// An author or committer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    /// The name, not trimmed of anything but the surrounding blanks; lossily decoded.
    pub name: String,
    /// The address between the angle brackets; lossily decoded.
    pub email: String,
}

/// One commit, read from the raw object. Replace refs and grafts are not honoured.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Its id.
    pub id: Oid,
    /// Its tree.
    pub tree: Oid,
    /// The parents the object names (also those a shallow clone does not have).
    pub parents: Vec<Oid>,
    /// Who wrote it.
    pub author: Person,
    /// Who committed it.
    pub committer: Person,
    /// Committer time, seconds since the epoch.
    pub time: i64,
    /// The message as UTF-8: decoded by the `encoding` header where it is ISO-8859-1 or
    /// Windows-1252, else lossily.
    pub message: String,
    /// True where the commit is a shallow boundary: its parents are named but not here.
    pub shallow: bool,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message
            .lines()
            .find(|l| !l.trim().is_empty())
            .unwrap_or("")
            .trim()
    }
}

/// What a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryMode {
    /// 100644 or 100755 (or an odd historic file mode).
    File,
    /// 120000.
    Symlink,
    /// 160000, a submodule.
    Gitlink,
}

/// A file, link or submodule in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub mode: EntryMode,
    /// Its blob (or, for a submodule, a commit elsewhere).
    pub id: Oid,
}

/// How one path changed between two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStatus {
    /// Not there before.
    Added,
    /// Not there after.
    Deleted,
    /// There on both sides under the same path, with another blob, mode or type.
    Modified,
    /// There before under `old_path`, found by similarity.
    Renamed,
}

/// One path's change. A change of file to link, or the other way, is `Modified`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// How it changed.
    pub status: ChangeStatus,
    /// The path after the change (of a deletion: before), bytes as in the tree.
    pub path: Box<[u8]>,
    /// For `Renamed`: the path before.
    pub old_path: Option<Box<[u8]>>,
    /// The entry before.
    pub old: Option<Entry>,
    /// The entry after.
    pub new: Option<Entry>,
    /// For `Added` and `Renamed` files: the deleted path that is most similar when this file
    /// looks for its source alone, as `git blame` does, and its blob. Several added files may
    /// name one source; for a rename it is mostly its own `old_path`.
    pub origin: Option<(Box<[u8]>, Oid)>,
}

/// What one commit changed against its first parent (or the empty tree).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeChange {
    /// The changed paths, sorted by `path` bytes.
    pub files: Vec<FileChange>,
    /// True where more paths were added and deleted than rename detection compares
    /// (1,000 × 1,000, git's default): renames by similarity were not looked for.
    pub rename_limit_hit: bool,
    /// Added and deleted paths, sorted, whose blob cannot be read (a partial clone), so that
    /// they took no part in the search by similarity: a rename among them may be missed.
    pub not_compared: Vec<Box<[u8]>>,
}

/// One hunk of a line diff; lines are 0-based, `len` may be 0 on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// First old line.
    pub old_start: u32,
    /// Number of old lines replaced.
    pub old_len: u32,
    /// First new line.
    pub new_start: u32,
    /// Number of new lines.
    pub new_len: u32,
}
