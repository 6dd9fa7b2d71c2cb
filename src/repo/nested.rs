//! Repositories inside the work tree: asked for one thing only, and nothing of theirs is run.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Oid;
use super::program::not_started;
use crate::error::Result;

/// Variables that would make git look at another repository than the one in its folder.
const LOCAL: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

/// The commit that HEAD of the repository in `folder` names; `None` where there is none.
///
/// # Errors
/// Git could not be started.
pub(super) fn head_of(folder: &Path) -> Result<Option<Oid>> {
    let mut command = Command::new("git");
    for name in LOCAL {
        command.env_remove(name);
    }
    let out = command
        .current_dir(folder)
        // Its own settings start no program by this.
        .args([
            "-c",
            "core.fsmonitor=false",
            "rev-parse",
            "--quiet",
            "--verify",
            "HEAD^{commit}",
        ])
        .env("LC_ALL", "C")
        .env("GIT_EVOLVE_INSIDE", "1")
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
