//! What hides the rest of the machine from a process: bubblewrap where it is installed, else
//! namespaces made with `unshare`, else nothing. `docs/isolation.md` says what each promises.

mod mounts;
mod scripts;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::process::on_path;
use crate::error::{Error, Result};
use crate::plan;

/// How long a trial may take.
const TRIAL: Duration = Duration::from_secs(10);
/// How the names of their folders begin.
const TRIALS: &str = "git-evolve-trial-";
/// Where programs of the system are looked for, whatever the user's PATH.
const SYSTEM_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What hides the rest of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Bubblewrap.
    Bwrap,
    /// Namespaces of the kernel, made with `unshare` of util-linux.
    Namespaces,
    /// Nothing does.
    None,
}

impl Isolation {
    /// As records have it.
    pub fn word(self) -> &'static str {
        match self {
            Isolation::Bwrap => "bwrap",
            Isolation::Namespaces => "namespaces",
            Isolation::None => "none",
        }
    }
}

/// What this system offers, tried out once.
pub fn available() -> Isolation {
    static FOUND: OnceLock<Isolation> = OnceLock::new();
    *FOUND.get_or_init(|| {
        [Isolation::Bwrap, Isolation::Namespaces]
            .into_iter()
            .find(|kind| works(*kind))
            .unwrap_or(Isolation::None)
    })
}

/// Whether a process really starts in a sandbox of this kind.
pub(super) fn works(kind: Isolation) -> bool {
    let sandbox = Sandbox {
        kind,
        writable: Vec::new(),
        readable: Vec::new(),
        hidden: Vec::new(),
        network: true,
    };
    sandbox.shows(Path::new("/bin/sh"))
}

/// Removes the folders of trials in which a run was killed.
fn sweep() {
    let entries = std::fs::read_dir(std::env::temp_dir());
    for entry in entries.into_iter().flatten().flatten() {
        let is_trial = entry.file_name().to_string_lossy().starts_with(TRIALS);
        let made = entry.metadata().and_then(|m| m.modified()).ok();
        let age = made.and_then(|m| m.elapsed().ok());
        if is_trial && age.is_some_and(|age| age > TRIAL * 6) {
            // It lies in the system's folder for what may go.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn trial(sandbox: &Sandbox, program: &Path, folder: &Path, root: &Path) -> bool {
    let mut words = ["/bin/sh", "-c", "[ -x \"$1\" ] && exit 7", "sh"]
        .map(OsString::from)
        .to_vec();
    words.push(program.into());
    let status = folder.join("status");
    let Ok(frame) = sandbox.around(&words, Path::new("/"), "", status, root.to_owned()) else {
        return false;
    };
    let child = Command::new(&frame[0])
        .args(&frame[1..])
        .env_clear()
        .env("PATH", SYSTEM_PATH)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code() == Some(7),
            Ok(None) if began.elapsed() < TRIAL => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => {
                // What does not even start is no sandbox.
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// A sandbox: what a process sees of the machine. The system's folders are seen, read only, and a
/// `/tmp`, `/proc` and `/dev` of its own; all else is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sandbox {
    /// What hides the rest.
    pub(super) kind: Isolation,
    /// Folders that it may write in.
    pub(super) writable: Vec<PathBuf>,
    /// Files and folders that it may read beside the system's.
    pub(super) readable: Vec<PathBuf>,
    /// Folders that are empty to it, though they lie below what it sees.
    pub(super) hidden: Vec<PathBuf>,
    /// Whether it reaches the network.
    pub(super) network: bool,
}

/// What is to be shown to a process.
#[derive(Debug)]
pub(super) struct Shown<'s> {
    /// Whether there is to be a sandbox.
    pub(super) isolation: plan::Isolation,
    /// See [`Sandbox::writable`].
    pub(super) writable: Vec<PathBuf>,
    /// What it may read beside the system's folders and those of its programs.
    pub(super) readable: Vec<PathBuf>,
    /// See [`Sandbox::hidden`].
    pub(super) hidden: Vec<PathBuf>,
    /// See [`Sandbox::network`].
    pub(super) network: bool,
    /// Its program, as it is named.
    pub(super) program: Option<&'s OsString>,
    /// Its `PATH`, whose folders it may read.
    pub(super) path: Option<&'s OsString>,
    /// Where it runs.
    pub(super) folder: &'s Path,
}

impl Sandbox {
    /// Whether a process really starts in it, and finds `program` there.
    pub(super) fn shows(&self, program: &Path) -> bool {
        sweep();
        let name = format!("{TRIALS}{}", crate::record::RecordId::new());
        let folder = std::env::temp_dir().join(name);
        let root = folder.join("root");
        if std::fs::create_dir_all(&root).is_err() {
            return false;
        }
        let worked = trial(self, program, &folder, &root);
        // It lies in the system's folder for what may go.
        let _ = std::fs::remove_dir_all(&folder);
        worked
    }

    /// The sandbox that `shown` asks for; `None` where it asks for none, or leaves it to a system
    /// that has none.
    ///
    /// # Errors
    /// Usage where one is required and the system has none.
    pub(super) fn wanted(shown: &Shown<'_>) -> Result<Option<Sandbox>> {
        let kind = match shown.isolation {
            plan::Isolation::None => return Ok(None),
            plan::Isolation::Auto | plan::Isolation::Required => available(),
        };
        if kind == Isolation::None {
            return match shown.isolation {
                plan::Isolation::Required => Err(Error::usage(
                    "the plan requires a sandbox, and this system offers none",
                )
                .with_hint(
                    "install bubblewrap, or allow user namespaces; or `isolation = \"auto\"`",
                )),
                _ => Ok(None),
            };
        }
        let mut readable = shown.readable.clone();
        readable.extend(programs(shown));
        Ok(Some(Sandbox {
            kind,
            writable: shown.writable.clone(),
            readable,
            hidden: shown.hidden.clone(),
            network: shown.network,
        }))
    }

    /// The words that run `words` in `folder` inside. What carries `mark` is in there; `status`
    /// is the file that is told how it ended, `root` an empty folder to put the files on.
    ///
    /// # Errors
    /// Usage where the kind's program is not there.
    pub(super) fn around(
        &self,
        words: &[OsString],
        folder: &Path,
        mark: &str,
        status: PathBuf,
        root: PathBuf,
    ) -> Result<Vec<OsString>> {
        let mounts = mounts::of(self);
        let inside = scripts::inside(words, folder, mark);
        let framed = match self.kind {
            Isolation::Bwrap => {
                let program = tool("bwrap")?;
                scripts::bwrap(program, &mounts, self.network, inside)
            }
            Isolation::Namespaces => {
                let unshare = tool("unshare")?;
                let setpriv = tool("setpriv").ok();
                scripts::namespaces(unshare, setpriv, &mounts, self.network, root, inside)
            }
            Isolation::None => inside,
        };
        Ok(scripts::told(status, framed))
    }
}

/// What stands beside a `bin` folder and is needed to run what is in it. Not `share`, in which
/// desktops and agents keep what is nobody else's to read.
const BESIDE: [&str; 8] = [
    "conf",
    "jmods",
    "lib",
    "lib64",
    "libexec",
    "pyvenv.cfg",
    "release",
    "versions",
];

/// The folders of the PATH, that of the program behind whatever links lead to it, and the
/// libraries beside them. None that holds a home, or what the process is to write in: it would
/// show all of that.
fn programs(shown: &Shown<'_>) -> Vec<PathBuf> {
    let path = shown.path.map_or(OsStr::new(""), |p| p);
    let mut folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let program = shown
        .program
        .and_then(|word| match word.to_string_lossy().contains('/') {
            true => Some(shown.folder.join(word)),
            false => on_path(word, path),
        });
    if let Some(real) = program.and_then(|p| p.canonicalize().ok()) {
        folders.extend(real.parent().map(Path::to_owned));
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let closed: Vec<PathBuf> = shown
        .writable
        .iter()
        .chain(&shown.hidden)
        .chain(&home)
        .filter_map(|p| p.canonicalize().ok())
        .collect();
    let beside: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| folder.parent())
        .flat_map(|prefix| BESIDE.map(|name| prefix.join(name)))
        .collect();
    folders.extend(beside);
    folders.retain(|folder| {
        folder.is_absolute()
            && folder
                .canonicalize()
                .is_ok_and(|f| !closed.iter().any(|c| c.starts_with(&f)))
    });
    folders
}

fn tool(name: &str) -> Result<PathBuf> {
    let own = std::env::var_os("PATH").unwrap_or_default();
    on_path(name, OsStr::new(SYSTEM_PATH))
        .or_else(|| on_path(name, &own))
        .ok_or_else(|| Error::usage(format!("making a sandbox: no program {name} is installed")))
}
