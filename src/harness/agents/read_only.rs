//! A clone that nobody is to write in, where no sandbox sees to it: by permissions, as far as they
//! go. What was written all the same is found by comparing trees.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Takes the right to write away as long as it lives.
pub(super) struct Guard {
    /// Each path that could be written, and its mode.
    were: Vec<(PathBuf, u32)>,
}

impl Guard {
    /// Takes it from everything in `top`; links are not followed.
    ///
    /// # Errors
    /// Internal where a folder cannot be read or a mode not changed.
    pub(super) fn set(top: &Path) -> Result<Guard> {
        let doing = |path: &Path, e| {
            Error::internal(format!("protecting {}", path.display())).with_source(e)
        };
        let mut guard = Guard { were: Vec::new() };
        let mut open = vec![top.to_owned()];
        while let Some(path) = open.pop() {
            let meta = path.symlink_metadata().map_err(|e| doing(&path, e))?;
            if meta.is_symlink() {
                continue;
            }
            if meta.is_dir() {
                for entry in fs::read_dir(&path).map_err(|e| doing(&path, e))? {
                    open.push(entry.map_err(|e| doing(&path, e))?.path());
                }
            }
            let mode = meta.permissions().mode();
            if mode & 0o222 != 0 {
                let without = PermissionsExt::from_mode(mode & !0o222);
                fs::set_permissions(&path, without).map_err(|e| doing(&path, e))?;
                guard.were.push((path, mode));
            }
        }
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for (path, mode) in &self.were {
            // The session may have put a link where a file was.
            if path.symlink_metadata().is_ok_and(|m| !m.is_symlink()) {
                // What is not writable again can be read all the same.
                let _ = fs::set_permissions(path, PermissionsExt::from_mode(*mode));
            }
        }
    }
}
