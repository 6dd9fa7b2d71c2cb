//! What lies around the agent's work: the repository's configuration and hooks, which an agent
//! should leave alone, and files that were there before.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::pending::{Before, Surroundings, named};
use crate::error::Result;
use crate::record::PathName;
use crate::record::mask::hex;
use crate::repo::{Oid, Reader, Repo, TreePath, WorkTree};

/// Most untracked files that are noted.
const NOTED: usize = 10_000;
/// Larger files are noted without their content.
const READ_MAX: u64 = 32 << 20;
/// Of a hook, and of the folder of hooks, no more than this is looked at.
const HOOK_MAX: u64 = 1 << 20;
const HOOKS_MAX: usize = 1_000;

impl Surroundings {
    /// Digests of the configuration and the hooks as they are now. What is not there or cannot
    /// be read counts as empty.
    ///
    /// # Errors
    /// Git where it does not say where hooks are.
    pub fn now(repo: &Repo, work: &WorkTree) -> Result<Surroundings> {
        let mut config = Sha256::new();
        for file in [
            repo.common_dir().join("config"),
            repo.git_dir().join("config.worktree"),
        ] {
            let bytes = fs::read(file).unwrap_or_default();
            part(&mut config, &bytes);
        }
        Ok(Surroundings {
            config: hex(&config.finalize()),
            hooks: hooks(&work.hooks_dir()?),
        })
    }

    /// What differs from `later`, in words of a record.
    pub fn changed(&self, later: &Surroundings) -> Vec<String> {
        let mut found = Vec::new();
        if self.config != later.config {
            found.push("config".to_owned());
        }
        if self.hooks != later.hooks {
            found.push("hooks".to_owned());
        }
        found
    }
}

fn hooks(folder: &Path) -> String {
    let mut all = Sha256::new();
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| (e.file_name(), e.path()))
        .filter(|(name, _)| !name.to_string_lossy().ends_with(".sample"))
        .collect();
    files.sort();
    for (name, path) in files.into_iter().take(HOOKS_MAX) {
        let Ok(meta) = fs::metadata(&path) else {
            continue;
        };
        part(&mut all, name.as_encoded_bytes());
        part(&mut all, if runs(&meta) { b"x" } else { b"-" });
        if meta.is_file() && meta.len() <= HOOK_MAX {
            part(&mut all, &fs::read(&path).unwrap_or_default());
        } else {
            part(&mut all, &meta.len().to_be_bytes());
        }
    }
    hex(&all.finalize())
}

#[cfg(unix)]
fn runs(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn runs(_: &fs::Metadata) -> bool {
    true
}

/// One part of a digest, so that no two lists of parts are one.
fn part(all: &mut Sha256, bytes: &[u8]) {
    all.update((bytes.len() as u64).to_be_bytes());
    all.update(bytes);
}

/// What is untracked now, as the pending file notes it.
///
/// # Errors
/// Git where an id cannot be computed.
pub(super) fn noted(reader: &Reader, work: &WorkTree, paths: &[TreePath]) -> Result<Vec<Before>> {
    let note = |path: &TreePath| {
        Ok(Before {
            path: PathName::of(path),
            blob: content(reader, work, path)?.map(named),
        })
    };
    paths.iter().take(NOTED).map(note).collect()
}

/// The blob that the bytes at `path` would be as they lie there; of a link, its target. `None`
/// for what is no file, is gone, or is too large to be read.
///
/// # Errors
/// Git where the id cannot be computed.
pub(super) fn content(reader: &Reader, work: &WorkTree, path: &[u8]) -> Result<Option<Oid>> {
    let Ok(full) = work.on_disk(path) else {
        return Ok(None);
    };
    let Ok(meta) = fs::symlink_metadata(&full) else {
        return Ok(None);
    };
    let bytes = if meta.is_symlink() {
        fs::read_link(&full).map(|t| t.into_os_string().into_encoded_bytes())
    } else if meta.is_file() && meta.len() <= READ_MAX {
        fs::read(&full)
    } else {
        return Ok(None);
    };
    match bytes {
        Ok(bytes) => reader.blob_id(&bytes).map(Some),
        Err(_) => Ok(None),
    }
}
