//! What a sandbox shows, in the order in which it is put together.

use std::path::{Path, PathBuf};

use super::Sandbox;

/// The system's own folders: programs, libraries, settings. `/etc/resolv.conf` often leads into
/// one of the last.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/sbin",
    "/usr",
];

/// One thing that a sandbox shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mount {
    /// An empty folder.
    Empty(PathBuf),
    /// What is there, read only.
    Read(PathBuf),
    /// What is there, to write in.
    Write(PathBuf),
    /// A link, and where it leads.
    Link(PathBuf, PathBuf),
}

impl Mount {
    pub(super) fn at(&self) -> &Path {
        match self {
            Mount::Empty(at) | Mount::Read(at) | Mount::Write(at) | Mount::Link(at, _) => at,
        }
    }

    /// Of two at one place the greater counts.
    fn rank(&self) -> u8 {
        match self {
            Mount::Empty(_) => 0,
            Mount::Link(..) => 1,
            Mount::Read(_) => 2,
            Mount::Write(_) => 3,
        }
    }
}

/// All that `sandbox` shows, each after the folders it lies in.
pub(super) fn of(sandbox: &Sandbox) -> Vec<Mount> {
    let mut all = Vec::new();
    for at in SYSTEM.map(PathBuf::from) {
        match at.symlink_metadata() {
            Ok(m) if m.is_symlink() => {
                if let Ok(to) = at.read_link() {
                    all.push(Mount::Link(at, to));
                }
            }
            Ok(_) => all.push(Mount::Read(at)),
            Err(_) => {}
        }
    }
    let there = |paths: &[PathBuf]| -> Vec<PathBuf> {
        let real = paths.iter().filter_map(|p| p.canonicalize().ok());
        real.collect()
    };
    all.extend(there(&sandbox.readable).into_iter().map(Mount::Read));
    all.extend(there(&sandbox.writable).into_iter().map(Mount::Write));
    for at in there(&sandbox.hidden) {
        let shown = |m: &Mount| !matches!(m, Mount::Link(..)) && at.starts_with(m.at());
        if at.is_dir() && all.iter().any(|m| shown(m) && m.at() != at) {
            all.push(Mount::Empty(at));
        }
    }
    all.sort_by_key(|m| {
        let depth = m.at().components().count();
        (depth, m.at().to_owned(), std::cmp::Reverse(m.rank()))
    });
    all.dedup_by(|later, earlier| later.at() == earlier.at());
    all
}

#[cfg(test)]
mod tests {
    use super::super::Isolation;
    use super::*;

    #[test]
    fn the_deeper_path_and_the_wider_right_hold() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a real path");
        let repo = top.join("repo");
        let clone = repo.join("clone");
        std::fs::create_dir_all(&clone).expect("made");
        let sandbox = Sandbox {
            kind: Isolation::Bwrap,
            writable: vec![clone.clone()],
            readable: vec![top.clone(), clone.clone(), top.join("nowhere")],
            hidden: vec![repo.clone(), PathBuf::from("/root")],
            network: true,
        };
        let mounts = of(&sandbox);
        let ours: Vec<&Mount> = mounts.iter().filter(|m| m.at().starts_with(&top)).collect();
        assert_eq!(
            ours,
            [&Mount::Read(top), &Mount::Empty(repo), &Mount::Write(clone)]
        );
        assert!(mounts.iter().all(|m| m.at() != Path::new("/root")));
    }
}
