//! Finding a program, so that one that is not there is told by its name.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Job;
use crate::error::{Error, Result};

/// The program of `job`, with its whole path.
pub(super) fn find(job: &Job) -> Result<PathBuf> {
    let Some(word) = job.words.first().filter(|w| !w.is_empty()) else {
        return Err(Error::usage("starting a command that has no words"));
    };
    let shown = word.to_string_lossy();
    if !job.folder.is_dir() {
        let folder = job.folder.display();
        return Err(Error::usage(format!(
            "starting {shown} in {folder}: no such folder"
        )));
    }
    if shown.contains('/') {
        let path = job.folder.join(word);
        return match (path.exists(), runs(&path)) {
            (_, true) => Ok(path),
            (true, false) => Err(Error::usage(format!(
                "starting {shown}: it is no program that can be run"
            ))
            .with_hint(format!("`chmod +x {shown}` makes a script one"))),
            (false, false) => Err(Error::usage(format!("starting {shown}: no such file"))),
        };
    }
    let path = job.environment.get(OsStr::new("PATH"));
    on_path(word, path.map_or(OsStr::new(""), |p| p)).ok_or_else(|| {
        Error::usage(format!("starting {shown}: no such program on the PATH"))
            .with_hint("install it, or name it in the plan with its whole path")
    })
}

/// The first program of that name in the folders of `path`.
pub(in crate::harness) fn on_path(name: impl AsRef<OsStr>, path: &OsStr) -> Option<PathBuf> {
    let name = name.as_ref();
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| runs(file))
}

fn runs(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
