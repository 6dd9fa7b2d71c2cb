//! The dispatcher of one event in a folder of hooks: put there beside the user's own hook, and
//! taken away so that the folder is what it was, byte for byte.
//!
//! The user's hook is only ever renamed: its bytes, mode, times and, where it is a symlink, its
//! target stay what they are.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::HookEvent;
use super::script::{KEPT, Script};
use crate::error::{Error, Result};

/// A file larger than this is no dispatcher.
const SCRIPT_MAX: u64 = 1 << 16;

/// What stands where git looks for an event's hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slot {
    /// Nothing.
    Free,
    /// Our dispatcher, as we wrote it.
    Ours(Script),
    /// What was our dispatcher and was changed.
    Changed,
    /// Somebody's hook.
    Theirs,
    /// A folder, or another thing no hook is.
    Odd,
}

/// What putting a dispatcher in came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Placed {
    /// It is there now.
    Now,
    /// It was there.
    Before,
    /// It was there, calling a program elsewhere.
    Updated,
    /// It could not be: why.
    Refused(String),
}

/// What taking a dispatcher away came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Taken {
    /// There was none.
    Nothing,
    /// It is gone, nothing was there before it.
    Removed,
    /// It is gone, the hook that was there before is back, at this path.
    Restored(PathBuf),
    /// Left as it is: why.
    Left(String),
}

/// The place of `event`'s hook in a folder of hooks.
pub(super) struct Spot<'a> {
    pub folder: &'a Path,
    pub event: HookEvent,
}

impl Spot<'_> {
    /// Where git looks.
    pub(super) fn hook(&self) -> PathBuf {
        self.folder.join(self.event.word())
    }

    /// Where the user's own hook waits.
    pub(super) fn kept(&self) -> PathBuf {
        self.folder.join(format!("{}{KEPT}", self.event.word()))
    }

    /// The user's own hook, where one waits beside a dispatcher.
    pub(super) fn kept_there(&self) -> Option<PathBuf> {
        Some(self.kept()).filter(|kept| fs::symlink_metadata(kept).is_ok())
    }

    /// What stands there.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn slot(&self) -> Result<Slot> {
        self.slot_of(&self.hook())
    }

    fn slot_of(&self, path: &Path) -> Result<Slot> {
        let reading = |e| Error::git(format!("reading {}", path.display())).with_source(e);
        let about = match fs::symlink_metadata(path) {
            Ok(about) => about,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Slot::Free);
            }
            Err(e) => return Err(reading(e)),
        };
        if about.is_symlink() {
            return Ok(Slot::Theirs);
        }
        if !about.is_file() {
            return Ok(Slot::Odd);
        }
        if about.len() > SCRIPT_MAX {
            return Ok(Slot::Theirs);
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            // A hook may be executable and not readable.
            Err(e) if e.kind() == ErrorKind::PermissionDenied => return Ok(Slot::Theirs),
            Err(e) => return Err(reading(e)),
        };
        Ok(match Script::read(self.event, &bytes) {
            Some(script) => Slot::Ours(script),
            None if Script::was(&bytes) => Slot::Changed,
            None => Slot::Theirs,
        })
    }

    /// Puts the dispatcher in.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn place(&self, script: &Script) -> Result<Placed> {
        let (hook, kept) = (self.hook(), self.kept());
        let name = self.event.word();
        Ok(match (self.slot()?, self.kept_there()) {
            (Slot::Ours(there), _) if there.binary == script.binary => {
                make_executable(&hook)?;
                Placed::Before
            }
            (Slot::Ours(there), _) => {
                let made_folder = there.made_folder;
                let binary = script.binary.clone();
                let script = Script {
                    binary,
                    made_folder,
                };
                self.write(&script)?;
                Placed::Updated
            }
            // With a hook that waits: an installation that was cut off in its middle.
            (Slot::Free, _) => {
                self.write(script)?;
                Placed::Now
            }
            (Slot::Theirs, None) => {
                let ready = self.ready(script)?;
                rename(&hook, &kept)?;
                rename(&ready, &hook)?;
                Placed::Now
            }
            (Slot::Theirs, Some(kept)) => Placed::Refused(format!(
                "{} stands in the way: the hook that was there when the dispatcher came; since \
                 then {name} was overwritten. Keep the one you want as {name} and move the other \
                 away",
                kept.display()
            )),
            (Slot::Changed, _) => Placed::Refused(format!(
                "{} is a dispatcher of ours that was changed by hand",
                hook.display()
            )),
            (Slot::Odd, _) => Placed::Refused(format!("{} is no file", hook.display())),
        })
    }

    /// Takes the dispatcher away.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn take(&self) -> Result<Taken> {
        let (hook, kept) = (self.hook(), self.kept_there());
        Ok(match (self.slot()?, kept) {
            (Slot::Ours(_) | Slot::Free, Some(kept)) => {
                rename(&kept, &hook)?;
                Taken::Restored(hook)
            }
            (Slot::Ours(_), None) => {
                remove(&hook)?;
                Taken::Removed
            }
            (Slot::Changed, kept) => Taken::Left(format!(
                "{} was changed since it was installed: left as it is{}",
                hook.display(),
                and_kept(kept)
            )),
            (Slot::Theirs, kept) => match (self.moved_away()?, kept) {
                // A manager put its own hook here and ours beside it, to be run before.
                (Some(ours), Some(kept)) => {
                    rename(&kept, &ours)?;
                    Taken::Restored(ours)
                }
                (Some(ours), None) => {
                    remove(&ours)?;
                    Taken::Removed
                }
                (None, Some(kept)) => Taken::Left(format!(
                    "{} was overwritten since the dispatcher was installed: left as it is{}",
                    hook.display(),
                    and_kept(Some(kept))
                )),
                (None, None) => Taken::Nothing,
            },
            (Slot::Free | Slot::Odd, _) => Taken::Nothing,
        })
    }

    /// Our dispatcher under another name that begins with the event's (`pre-push.legacy`).
    pub(super) fn moved_away(&self) -> Result<Option<PathBuf>> {
        let before = format!("{}.", self.event.word());
        let Ok(entries) = fs::read_dir(self.folder) else {
            return Ok(None);
        };
        let mut names: Vec<_> = entries.flatten().map(|e| e.file_name()).collect();
        names.sort();
        for name in names {
            let ours = name.as_encoded_bytes().starts_with(before.as_bytes());
            let path = self.folder.join(&name);
            if ours && matches!(self.slot_of(&path)?, Slot::Ours(_)) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Writes the dispatcher where git looks, in one move.
    fn write(&self, script: &Script) -> Result<()> {
        rename(&self.ready(script)?, &self.hook())
    }

    /// The dispatcher under a name git does not look at.
    fn ready(&self, script: &Script) -> Result<PathBuf> {
        let path = self.folder.join(format!(
            ".{}.evolve-{}",
            self.event.word(),
            std::process::id()
        ));
        let writing = |e| Error::git(format!("writing {}", path.display())).with_source(e);
        fs::write(&path, script.bytes(self.event)).map_err(writing)?;
        make_executable(&path)?;
        Ok(path)
    }
}

fn and_kept(kept: Option<PathBuf>) -> String {
    kept.map(|kept| format!("; the hook that was there before is {}", kept.display()))
        .unwrap_or_default()
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|e| {
        Error::git(format!("renaming {} to {}", from.display(), to.display())).with_source(e)
    })
}

fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path)
        .map_err(|e| Error::git(format!("removing {}", path.display())).with_source(e))
}

fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(|e| {
            Error::git(format!("making {} executable", path.display())).with_source(e)
        })?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        Script {
            binary: "/bin/git-evolve".into(),
            made_folder: false,
        }
    }

    #[test]
    fn an_installation_cut_off_in_its_middle_is_completed_or_undone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let event = HookEvent::PostCommit;
        let spot = Spot {
            folder: folder.path(),
            event,
        };
        // The user's hook was renamed, the dispatcher not yet put in its place.
        fs::write(spot.kept(), "mine\n").expect("written");
        assert!(matches!(spot.take(), Ok(Taken::Restored(_))));
        fs::rename(spot.hook(), spot.kept()).expect("renamed");
        assert!(matches!(spot.place(&script()), Ok(Placed::Now)));
        assert!(matches!(spot.take(), Ok(Taken::Restored(_))));
        assert_eq!(fs::read(spot.hook()).expect("there"), b"mine\n");
    }
}
