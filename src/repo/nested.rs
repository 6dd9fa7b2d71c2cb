//! Repositories inside the work tree: asked for one thing only, and nothing of theirs is run.

use std::path::Path;
use std::process::Stdio;

use super::Oid;
use super::program::{git, not_started};
use crate::error::Result;

/// Variables that would make git look at another repository than the one in its folder.
const LOCAL: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
];

/// The commit that HEAD of the repository in `folder` names; `None` where there is none.
///
/// # Errors
/// Git could not be started.
pub(super) fn head_of(folder: &Path) -> Result<Option<Oid>> {
    let mut command = git(folder);
    for name in LOCAL {
        command.env_remove(name);
    }
    let out = command
        // The ref alone is read, and no object that a partial clone would run its remote's
        // command for: its own settings start no program.
        .args(["rev-parse", "--quiet", "--verify", "HEAD"])
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder))
        .stdin(Stdio::null())
        .output()
        .map_err(not_started)?;
    if !out.status.success() {
        return Ok(None);
    }
    Ok(Oid::from_hex(String::from_utf8_lossy(&out.stdout).trim()))
}
