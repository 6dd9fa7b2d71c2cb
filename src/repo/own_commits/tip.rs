//! The git directory of a clone that nobody trusts, read as plain files: what its HEAD names, and
//! what changed in it beside the agent's commits.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::repo::Oid;

/// Longest ref file, list of packed refs, and file whose content is noted.
const REF: u64 = 4 << 10;
const PACKED: u64 = 64 << 20;
const NOTED: u64 = 16 << 20;
/// Most files of a noted folder.
const FILES: usize = 10_000;
/// Deepest folder of refs.
const DEEPEST: usize = 32;

/// The commit that `HEAD` names, or why that cannot be told.
pub(super) fn of(git_dir: &Path) -> Result<Oid, String> {
    if !is_folder(git_dir) {
        return Err("its .git is no folder".to_owned());
    }
    let head = text(&git_dir.join("HEAD"), REF).ok_or("its HEAD cannot be read")?;
    let Some(name) = head.trim_end().strip_prefix("ref: ") else {
        return Oid::from_hex(head.trim_end()).ok_or("its HEAD names nothing".to_owned());
    };
    let odd = name
        .split('/')
        .any(|p| p.is_empty() || p == "." || p == "..");
    if !name.starts_with("refs/") || odd {
        return Err("its HEAD names no ref".to_owned());
    }
    let loose = plain_folders(git_dir, name)
        .then(|| text(&git_dir.join(name), REF))
        .flatten();
    if let Some(text) = loose {
        return Oid::from_hex(text.trim_end()).ok_or(format!("{name} names nothing"));
    }
    let packed = text(&git_dir.join("packed-refs"), PACKED).unwrap_or_default();
    let id = packed.lines().find_map(|line| {
        let (id, of) = line.split_once(' ')?;
        (of == name).then(|| Oid::from_hex(id)).flatten()
    });
    id.ok_or(format!("{name}, which its HEAD names, is not there"))
}

/// Whether it is a folder itself, and no link to one: that would be somebody else's.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_dir())
}

/// Whether every folder of a ref's path is a folder and no link.
fn plain_folders(git_dir: &Path, name: &str) -> bool {
    let mut at = git_dir.to_owned();
    let parts: Vec<&str> = name.split('/').collect();
    parts[..parts.len() - 1].iter().all(|part| {
        at.push(part);
        is_folder(&at)
    })
}

/// That a store of objects leads nowhere else and is of bearable size, or why not.
pub(super) fn store(objects: &Path, bytes: u64, files: usize) -> Result<(), String> {
    if objects.join("info/alternates").symlink_metadata().is_ok()
        || objects
            .join("info/http-alternates")
            .symlink_metadata()
            .is_ok()
    {
        return Err("its objects lie in another repository".to_owned());
    }
    let mut open = vec![(objects.to_owned(), 0)];
    let (mut size, mut count) = (0u64, 0usize);
    while let Some((folder, depth)) = open.pop() {
        if !is_folder(&folder) || depth > 2 {
            return Err("its store of objects is none".to_owned());
        }
        let Ok(entries) = fs::read_dir(&folder) else {
            return Err("its store of objects cannot be read".to_owned());
        };
        for entry in entries.flatten() {
            let Ok(meta) = entry.path().symlink_metadata() else {
                continue;
            };
            count += 1;
            if meta.is_dir() {
                open.push((entry.path(), depth + 1));
            } else if meta.is_file() {
                size = size.saturating_add(meta.len());
            } else {
                return Err("its store of objects holds links or pipes".to_owned());
            }
            if count > files || size > bytes {
                return Err(format!(
                    "its store of objects is over {files} files or {} MiB",
                    bytes >> 20
                ));
            }
        }
    }
    Ok(())
}

/// A whole regular file of at most `most` bytes, in UTF-8; `None` where there is none.
fn text(path: &Path, most: u64) -> Option<String> {
    String::from_utf8(whole(path, most)?).ok()
}

fn whole(path: &Path, most: u64) -> Option<Vec<u8>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).ok()?;
    let file: File = File::options()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// What a clone's git directory was like, beside its objects and its own branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneNote {
    parts: BTreeMap<&'static str, String>,
}

impl CloneNote {
    /// Each part, and the files and folders it is.
    const PARTS: [(&'static str, &'static [&'static str]); 7] = [
        ("attributes", &["info/attributes"]),
        ("config", &["config", "config.worktree"]),
        ("exclude", &["info/exclude"]),
        ("head", &["HEAD"]),
        ("hooks", &["hooks"]),
        (
            "objects",
            &[
                "objects/info/alternates",
                "shallow",
                "info/grafts",
                "commondir",
                "modules",
                "worktrees",
            ],
        ),
        ("refs", &["refs", "packed-refs"]),
    ];

    /// Notes the git directory of the clone at `top`.
    ///
    /// # Errors
    /// Git where there is none.
    pub fn of(top: &Path) -> Result<CloneNote> {
        let git_dir = top.join(".git");
        if !is_folder(&git_dir) {
            let shown = git_dir.display();
            return Err(Error::git(format!("noting {shown}: it is no folder")));
        }
        Ok(CloneNote::read(&git_dir))
    }

    fn read(git_dir: &Path) -> CloneNote {
        let is_there = is_folder(git_dir);
        let parts = Self::PARTS.iter().map(|(name, paths)| {
            let mut seen = Seen::default();
            for path in paths.iter().filter(|_| is_there) {
                seen.add(git_dir, Path::new(path), 0);
            }
            let digest = seen.digest.finalize();
            (*name, digest.iter().map(|b| format!("{b:02x}")).collect())
        });
        CloneNote {
            parts: parts.collect(),
        }
    }

    /// Which parts of the clone at `top` are no longer as noted, in order: `attributes`,
    /// `config`, `exclude`, `head` (it names another branch or commit), `hooks`, `objects`
    /// (borrowed from elsewhere, or history cut off elsewhere), `refs` (but for its own branch).
    pub fn changed(&self, top: &Path) -> Vec<&'static str> {
        let now = CloneNote::read(&top.join(".git"));
        let parts = self
            .parts
            .iter()
            .filter(|(k, v)| now.parts.get(*k) != Some(v));
        parts.map(|(name, _)| *name).collect()
    }
}

/// What was seen of one part.
#[derive(Default)]
struct Seen {
    digest: Sha256,
    files: usize,
}

impl Seen {
    fn add(&mut self, git_dir: &Path, path: &Path, depth: usize) {
        // Its own branch moves with every commit.
        if path == Path::new("refs/heads/main") || self.files > FILES || depth > DEEPEST {
            return;
        }
        let full = git_dir.join(path);
        let Ok(meta) = full.symlink_metadata() else {
            return;
        };
        if meta.is_dir() {
            let mut inner: Vec<PathBuf> = fs::read_dir(&full)
                .into_iter()
                .flatten()
                .flatten()
                .map(|e| path.join(e.file_name()))
                .collect();
            inner.sort();
            inner.iter().for_each(|p| self.add(git_dir, p, depth + 1));
            return;
        }
        self.files += 1;
        let mut content = match meta.is_symlink() {
            true => {
                fs::read_link(&full).map_or(Vec::new(), |t| t.into_os_string().into_encoded_bytes())
            }
            false => whole(&full, NOTED).unwrap_or_default(),
        };
        if path == Path::new("packed-refs") {
            content = without_main(&content);
            if content.is_empty() {
                return;
            }
        }
        let kind = format!("{:?}", meta.file_type());
        for part in [
            path.as_os_str().as_encoded_bytes(),
            kind.as_bytes(),
            &meta.len().min(NOTED + 1).to_le_bytes()[..if content.is_empty() { 8 } else { 0 }],
            &content,
        ] {
            self.digest.update((part.len() as u64).to_le_bytes());
            self.digest.update(part);
        }
    }
}

/// Packed refs without what moves as the agent works, and without remarks.
fn without_main(packed: &[u8]) -> Vec<u8> {
    let lines = packed.split_inclusive(|b| *b == b'\n');
    let kept = lines
        .filter(|l| !l.starts_with(b"#") && !l.trim_ascii_end().ends_with(b" refs/heads/main"));
    kept.flatten().copied().collect()
}
