//! Where the folders of chains lie, outside the repository, and what commands are told of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::harness::agents::Places;
use crate::plan::Checkpoint;
use crate::record::{ChainPath, Purpose, mask};
use crate::repo::Repo;

/// Ports that a chain has to itself.
const PORTS: u32 = 20;
/// The first port of all, and how many shares there are: below what systems give out themselves.
const FIRST_PORT: u32 = 20_000;
const SHARES: u32 = 500;
/// How many shares behind these are for gates that are made again, beside a run or not.
const GATES: u32 = 100;

/// The folders of one chain.
#[derive(Debug, Clone)]
pub(super) struct Scratch {
    folder: PathBuf,
    /// First of the ports that are its own.
    port: u32,
}

impl Scratch {
    /// Those of the chain `path`, which is the plan's `index`-th, below `root`.
    pub(super) fn of(root: &Path, path: &ChainPath, index: usize) -> Scratch {
        let index = u32::try_from(index % SHARES as usize).unwrap_or(0);
        Scratch {
            folder: root.join(path.to_string().replace('/', "+")),
            port: FIRST_PORT + share(root, index, SHARES) * PORTS,
        }
    }

    /// The clone of the session that runs.
    pub(super) fn clone(&self) -> PathBuf {
        self.folder.join("clone")
    }

    /// What belongs to one session beside its clone.
    pub(super) fn session(&self, name: &str) -> PathBuf {
        self.folder.join(format!("session-{name}"))
    }

    /// Where the gate works.
    pub(super) fn gate(&self) -> PathBuf {
        self.folder.join("gate")
    }

    /// Where files that belong to a base are generated.
    pub(super) fn base(&self) -> PathBuf {
        self.folder.join("base")
    }

    /// Kept over the whole chain.
    pub(super) fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// For what may go.
    pub(super) fn tmp(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Makes the folders that are always there.
    ///
    /// # Errors
    /// Git where one cannot be made.
    pub(super) fn make(&self) -> Result<()> {
        for folder in [self.cache(), self.tmp()] {
            fs::create_dir_all(&folder)
                .map_err(|e| Error::git(format!("making {}", folder.display())).with_source(e))?;
        }
        Ok(())
    }

    /// Removes what sessions left; the cache stays.
    ///
    /// # Errors
    /// Git where something cannot be removed.
    pub(super) fn clear(&self) -> Result<()> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(_) => return Ok(()),
        };
        for entry in entries.flatten() {
            if entry.file_name() != "cache" {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// What every command of the chain is told.
    pub(super) fn places(&self) -> Places {
        Places::default()
            .with("port", self.port.to_string())
            .with("cache", shown(&self.cache()))
            .with("tmp", shown(&self.tmp()))
    }

    /// What commands for a checkpoint are told (`None`: for the base).
    pub(super) fn places_at(
        &self,
        checkpoint: Option<(u32, &Checkpoint)>,
        purpose: Option<Purpose>,
    ) -> Places {
        let number = checkpoint.map_or(0, |(k, _)| k);
        let id = checkpoint.map_or("base", |(_, c)| c.id.as_str());
        let all: Vec<String> = (1..=number).map(|k| k.to_string()).collect();
        let places = self
            .places()
            .with("checkpoint", number.to_string())
            .with("checkpoint_id", id)
            .with("checkpoints", all.join(","));
        match purpose {
            Some(purpose) => places.with("purpose", purpose_word(purpose)),
            None => places,
        }
    }
}

/// Which of `of` shares is the `index`-th below `root`: experiments side by side begin at places of
/// their own.
fn share(root: &Path, index: u32, of: u32) -> u32 {
    let digest = mask::sha256(root.as_os_str().as_encoded_bytes());
    let start = digest
        .get(..6)
        .and_then(|d| u32::from_str_radix(d, 16).ok());
    (start.unwrap_or(0) % of + index % of) % of
}

/// The first port of the `slot`-th gate that is made again below `root`: none of a chain's.
pub(in crate::harness) fn port_of_gate(root: &Path, slot: usize) -> u32 {
    let slot = u32::try_from(slot % GATES as usize).unwrap_or(0);
    FIRST_PORT + (SHARES + share(root, slot, GATES)) * PORTS
}

/// The folder that all chains' folders of a repository lie in: as typed, else as git's
/// configuration says, else in the user's cache.
///
/// # Errors
/// Usage where it would lie in the repository, or no place is known.
pub(in crate::harness) fn root(repo: &Repo, typed: Option<&Path>) -> Result<PathBuf> {
    let configured = repo.setting("evolve.scratch").map(PathBuf::from);
    let folder = match typed.map(Path::to_owned).or(configured) {
        Some(folder) => folder,
        None => cache_folder()?.join("git-evolve"),
    };
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let common = repo.common_dir();
    let within = |top: &Path| real(&folder).starts_with(top);
    if within(common) || repo.work_dir().is_some_and(|top| within(&real(top))) {
        return Err(Error::usage(format!(
            "{} lies in the repository: an agent's clone must not",
            folder.display()
        ))
        .with_hint(
            "name a folder outside with --scratch, or evolve.scratch in git's configuration",
        ));
    }
    let digest = mask::sha256(common.as_os_str().as_encoded_bytes());
    Ok(folder.join(digest.get(..12).unwrap_or(&digest)))
}

/// The path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = fs::canonicalize(above)
            && let Ok(rest) = path.strip_prefix(above)
        {
            return real.join(rest);
        }
    }
    path.to_owned()
}

fn cache_folder() -> Result<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    variable("XDG_CACHE_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .ok_or_else(|| {
            Error::usage("neither XDG_CACHE_HOME nor HOME says where sessions may work")
                .with_hint("--scratch DIR does")
        })
}

/// Removes a file or folder, whatever rights what is in it has; one that is not there is none.
///
/// # Errors
/// Git where something of it stays.
pub(super) fn remove(path: &Path) -> Result<()> {
    let there = || fs::symlink_metadata(path);
    let Ok(about) = there() else { return Ok(()) };
    let removed = match about.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    if removed.is_ok() || there().is_err() {
        return Ok(());
    }
    open_up(path, 64);
    fs::remove_dir_all(path)
        .map_err(|e| Error::git(format!("removing {}", path.display())).with_source(e))
}

/// Makes folders writable again that a session left read-only.
fn open_up(folder: &Path, left: u32) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) && left > 0 {
            open_up(&entry.path(), left - 1);
        }
    }
}

/// A path as commands are told it.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The word of a purpose, as records have it.
pub(super) fn purpose_word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Implement => "implement",
        Purpose::Refactor => "refactor",
        Purpose::Review => "review",
        Purpose::Probe => "probe",
        Purpose::Noop => "noop",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_have_folders_and_ports_of_their_own() {
        let path = |text| ChainPath::parse(text).expect("a path");
        let of = |text, at| Scratch::of(Path::new("/x/0123"), &path(text), at);
        let (one, two) = (of("e/a/1", 0), of("e/a/t/2", 1));
        assert_eq!(one.clone(), Path::new("/x/0123/e+a+1/clone"));
        assert_eq!(two.session("s"), Path::new("/x/0123/e+a+t+2/session-s"));
        assert_eq!(one.port.abs_diff(two.port) % PORTS, 0);
        assert_ne!(one.port, two.port);
        for at in [0, 499, 500, 12_345] {
            let port = of("e/a/1", at).port;
            assert!((FIRST_PORT..30_000).contains(&port), "{port}");
        }
    }

    #[test]
    fn gates_that_are_made_again_have_ports_that_no_chain_has() {
        for root in ["/x/0123", "/y/4567", "/z"].map(Path::new) {
            let mut all: Vec<u32> = (0..100).map(|slot| port_of_gate(root, slot)).collect();
            assert!(all.iter().all(|p| (30_000..32_000).contains(p)), "{all:?}");
            all.sort_unstable();
            assert!(all.windows(2).all(|w| w[1] - w[0] >= PORTS), "{all:?}");
        }
    }

    #[test]
    fn what_a_session_left_read_only_goes_all_the_same() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).expect("made");
        fs::write(inner.join("c"), "x").expect("written");
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o500)).expect("set");
        remove(&folder.path().join("a")).expect("removed");
        assert!(!folder.path().join("a").exists());
        remove(&folder.path().join("a")).expect("nothing to do");
    }
}
