//! Opening a repository: where it is, whose it is, what shape it has.
//!
//! What git's environment says (`GIT_DIR`, `GIT_WORK_TREE`, `GIT_CEILING_DIRECTORIES`, `-c`
//! settings) is honoured as git does, since it says *which* repository is meant. Replace refs
//! and grafts are not, since they differ from clone to clone and would move figures.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gix::bstr::ByteSlice;

use super::{Overlay, Reader};
use crate::error::{Error, Result};

/// A repository that was found and may be read. Cheap to clone; one for all threads.
#[derive(Clone)]
pub struct Repo {
    pub(super) shape: Arc<Shape>,
    shared: gix::ThreadSafeRepository,
    overlay: Option<Arc<Overlay>>,
    /// Longest wait for a lock, where a command has no time for the user's.
    pub(super) patience: Option<std::time::Duration>,
}

/// What is known of a repository once it is open.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) work_dir: Option<PathBuf>,
    prefix: Option<Vec<u8>>,
    /// Refs are in a format that only the git program reads.
    pub(super) reftable: bool,
    /// Objects may be absent because a partial clone did not fetch them.
    pub(super) promised: bool,
    /// Whether commits are signed, once it was asked for.
    pub(super) signs: OnceLock<bool>,
}

impl Repo {
    /// Finds the repository that `dir` is in, or that git's environment names.
    ///
    /// A relative `GIT_DIR` is taken from the process's own folder, as git does.
    ///
    /// # Errors
    /// [`Kind::Git`](crate::Kind::Git) where there is none, where it belongs to somebody else
    /// and `safe.directory` does not name it, or where it cannot be read.
    pub fn discover(dir: &Path) -> Result<Repo> {
        if !dir.is_dir() {
            return Err(Error::git(format!(
                "cannot change to '{}': no such folder",
                dir.display()
            )));
        }
        if std::env::var_os("GIT_DIR").is_none() && is_behind_ceiling(&real(dir)) {
            return Err(no_repository());
        }
        let options = || {
            gix::open::Options::default()
                .bail_if_untrusted(true)
                .config_overrides(["core.useReplaceRefs=false"])
                // Packs may come while we are at work: fetches, agents' own commits.
                .object_store_slots(gix::odb::store::init::Slots::AsNeededByDiskState {
                    multiplier: 2.0,
                    minimum: 1024,
                })
        };
        let by_trust = gix::sec::trust::Mapping {
            full: options(),
            reduced: options(),
        };
        let search = gix::discover::upwards::Options {
            // A ceiling that does not lie above `dir` says nothing; one that does was looked at.
            match_ceiling_dir_or_error: false,
            ..Default::default()
        };
        // A relative path to a bare repository that begins with `..` would be taken for a folder
        // with a work tree, whose `.git` is looked for beside it.
        let shared = gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
            real(dir),
            search,
            by_trust,
        )
        .map_err(|e| refused(dir, e))?;
        let shape = Shape::of(&shared.to_thread_local(), dir)?;
        Ok(Repo {
            shape: Arc::new(shape),
            shared,
            overlay: None,
            patience: None,
        })
    }

    /// A reader of objects and refs: one per thread, with its own caches.
    ///
    /// # Errors
    /// The list of shallow commits cannot be read.
    pub fn reader(&self) -> Result<Reader> {
        Reader::new(
            self.shared.to_thread_local(),
            Arc::clone(&self.shape),
            self.overlay.clone(),
        )
    }

    /// The same repository, whose readers also answer for the blobs of `overlay`.
    #[must_use]
    pub fn with_overlay(&self, overlay: Arc<Overlay>) -> Repo {
        Repo {
            overlay: Some(overlay),
            ..self.clone()
        }
    }

    /// The same repository, for a command that waits for locks no longer than `patience`.
    #[must_use]
    pub fn with_patience(&self, patience: std::time::Duration) -> Repo {
        Repo {
            patience: Some(patience),
            ..self.clone()
        }
    }

    /// The git directory; of a linked worktree its private one. Absolute.
    pub fn git_dir(&self) -> &Path {
        &self.shape.git_dir
    }

    /// The git directory that all worktrees share: locks, caches and refs belong here. Absolute.
    pub fn common_dir(&self) -> &Path {
        &self.shape.common_dir
    }

    /// The top of the work tree; `None` for a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        self.shape.work_dir.as_deref()
    }

    /// Whether there is no work tree.
    pub fn is_bare(&self) -> bool {
        self.shape.work_dir.is_none()
    }

    /// Whether history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.shared.to_thread_local().is_shallow().unwrap_or(false)
    }

    /// Whether objects may be absent because a partial clone leaves them to its remote.
    pub fn is_partial(&self) -> bool {
        self.shape.promised
    }

    /// The folder this was discovered from as a path below the work tree, parts joined by `/`,
    /// without a last `/`; empty at the top, `None` outside a work tree.
    pub fn prefix(&self) -> Option<&[u8]> {
        self.shape.prefix.as_deref()
    }

    /// A handle of this thread's own.
    pub(super) fn git(&self) -> gix::Repository {
        self.shared.to_thread_local()
    }
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.shape.fmt(f)
    }
}

impl Shape {
    fn of(git: &gix::Repository, dir: &Path) -> Result<Shape> {
        let git_dir = real(git.git_dir());
        let config = git.config_snapshot();
        let environment_names_it = std::env::var_os("GIT_DIR").is_some();
        let work_dir = match git.workdir() {
            // With GIT_DIR and nothing that says where the work tree is, git takes the folder
            // it runs in.
            Some(_)
                if environment_names_it
                    && std::env::var_os("GIT_WORK_TREE").is_none()
                    && config.string("core.worktree").is_none() =>
            {
                Some(real(dir))
            }
            found => found.map(real),
        };
        let prefix = work_dir.as_deref().and_then(|top| below(top, &real(dir)));
        let word = |key: &str| config.string(key).map(|v| v.to_ascii_lowercase());
        Ok(Shape {
            common_dir: real(git.common_dir()),
            git_dir,
            work_dir,
            prefix,
            reftable: word("extensions.refStorage").is_some_and(|v| v == b"reftable"),
            promised: word("extensions.partialClone").is_some() || any_promisor(&config),
            signs: OnceLock::new(),
        })
    }
}

fn any_promisor(config: &gix::config::Snapshot<'_>) -> bool {
    config
        .plumbing()
        .sections_by_name("remote")
        .into_iter()
        .flatten()
        .any(|s| {
            s.value("promisor")
                .is_some_and(|v| !matches!(v.as_bytes(), b"false" | b"no" | b"off" | b"0"))
        })
}

/// The path without links and `..`, or as it is where that cannot be had.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// `inner` as bytes below `top`, parts joined by `/`; `None` where it is not below.
fn below(top: &Path, inner: &Path) -> Option<Vec<u8>> {
    let rest = gix::path::into_bstr(inner.strip_prefix(top).ok()?).ok()?;
    let joined = gix::path::to_unix_separators_on_windows(rest);
    Some(joined.as_bytes().to_vec())
}

fn refused(dir: &Path, error: gix::Error) -> Error {
    let denied_by_system = error
        .classify()
        .any(|c| c.io_kind() == Some(std::io::ErrorKind::PermissionDenied));
    if error.is_permission_denied() && !denied_by_system {
        return Error::git(format!(
            "detected dubious ownership in the repository at '{}'",
            dir.display()
        ))
        .with_hint(format!(
            "if you trust it: git config --global --add safe.directory '{}'",
            real(dir).display()
        ))
        .with_source(error);
    }
    if error.is_not_found() || names_no_repository(&error) {
        return no_repository();
    }
    Error::git(format!("opening the repository at '{}'", dir.display())).with_source(error)
}

fn no_repository() -> Error {
    Error::git("not a git repository (or any of the parent directories): .git")
        .with_hint("run it inside a repository, or name one with -C")
}

/// Whether a folder of `GIT_CEILING_DIRECTORIES` lies above `start` and no repository below it:
/// unlike the search itself, git does not look into the ceiling.
fn is_behind_ceiling(start: &Path) -> bool {
    let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    let nearest = std::env::split_paths(&ceilings)
        .filter(|c| c.is_absolute())
        .map(|c| real(&c))
        .filter(|c| start != c && start.starts_with(c))
        .max_by_key(|c| c.components().count());
    let Some(ceiling) = nearest else {
        return false;
    };
    !start
        .ancestors()
        .take_while(|a| *a != ceiling)
        .any(|a| gix::discover::is_git(a).is_ok() || gix::discover::is_git(&a.join(".git")).is_ok())
}

fn names_no_repository(error: &gix::Error) -> bool {
    use gix::discover::upwards::Error as Search;
    matches!(
        error.downcast_any_ref::<Search>(),
        Some(
            Search::NoGitRepository { .. }
                | Search::NoGitRepositoryWithinCeiling { .. }
                | Search::NoGitRepositoryWithinFs { .. }
        )
    )
}
