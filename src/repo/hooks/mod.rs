//! Hooks: how git is made to call us after a commit, after a rewrite and before a push, and
//! how that is undone.
//!
//! From git 2.54 on three lines in the repository's own configuration do it and no file is
//! touched (`configured`). Before that a dispatcher stands in the hooks folder and runs the
//! user's own hook first (`folder`). A folder of hooks outside the repository's git directory
//! (`core.hooksPath`) belongs to somebody else and is never written (`place`).

mod configured;
mod event;
mod folder;
mod passing;
mod place;
mod probe;
mod run;
mod script;
mod survey;

use std::path::{Path, PathBuf};

use super::{GitVersion, Repo};
use crate::error::{Error, Result};
use configured::Configured;
use folder::{Placed, Spot, Taken};
use script::Script;

pub use super::program::INSIDE;
pub use event::HookEvent;
pub use passing::{COMMITS, PENDING, clear_missed, in_progress, missed, note_commit};
pub use place::{HooksPath, HooksPlace};
pub use probe::answer_probe;
pub use script::PROBE;
pub use survey::{Standing, State, Survey, survey};

/// Who looks after a folder of hooks that is not ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manager {
    /// husky: hooks stand in the folder above its `_`.
    Husky,
    /// lefthook, by this configuration file.
    Lefthook(PathBuf),
    /// Nobody that is known: the files of the folder are the hooks.
    Folder,
}

/// What installing or uninstalling did for one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// Which; `None` for all three together.
    pub event: Option<HookEvent>,
    /// What was done, for people.
    pub said: String,
    /// Something is left that the user may want to look at.
    pub refused: bool,
}

impl Deed {
    fn done(event: Option<HookEvent>, said: impl Into<String>) -> Deed {
        Deed {
            event,
            said: said.into(),
            refused: false,
        }
    }

    fn refused(event: Option<HookEvent>, said: impl Into<String>) -> Deed {
        Deed {
            refused: true,
            ..Deed::done(event, said)
        }
    }
}

/// Makes git call `binary` at each event, in the way `version` of git has for it.
///
/// # Errors
/// The configuration or the hooks folder cannot be read or written.
pub fn install(repo: &Repo, version: GitVersion, binary: &Path) -> Result<Vec<Deed>> {
    let place = HooksPlace::of(repo)?;
    let mut deeds = Vec::new();
    if version >= GitVersion::CONFIGURED_HOOKS {
        let said = match Configured::read(repo)?.write(repo, binary)? {
            true => "installed in the repository's configuration",
            false => "already installed in the repository's configuration",
        };
        deeds.push(Deed::done(None, said));
        // Git would call us twice.
        deeds.extend(take_dispatchers(repo, &place)?);
    } else {
        deeds.extend(place_dispatchers(repo, &place, binary)?);
    }
    clear_missed(repo);
    Ok(deeds)
}

/// Takes away everything [`install`] puts in, in either way, and nothing else.
///
/// # Errors
/// The configuration or a hooks folder cannot be read or written.
pub fn uninstall(repo: &Repo) -> Result<Vec<Deed>> {
    let place = HooksPlace::of(repo)?;
    let mut deeds = Vec::new();
    if Configured::read(repo)?.erase(repo)? {
        deeds.push(Deed::done(
            None,
            "removed from the repository's configuration",
        ));
    }
    deeds.extend(take_dispatchers(repo, &place)?);
    clear_missed(repo);
    Ok(deeds)
}

fn place_dispatchers(repo: &Repo, place: &HooksPlace, binary: &Path) -> Result<Vec<Deed>> {
    if !place.inside {
        let deed = |event| match place.managed(repo, event) {
            Some(file) => Deed::done(Some(event), format!("called from {}", file.display())),
            None => Deed::refused(Some(event), survey::elsewhere(place)),
        };
        return Ok(HookEvent::ALL.into_iter().map(deed).collect());
    }
    let script = Script {
        binary: binary.to_owned(),
        made_folder: !place.folder.exists(),
    };
    if script.made_folder {
        std::fs::create_dir_all(&place.folder).map_err(|e| {
            Error::git(format!("making folder {}", place.folder.display())).with_source(e)
        })?;
    }
    let mut deeds = Vec::new();
    for event in HookEvent::ALL {
        let spot = Spot {
            folder: &place.folder,
            event,
        };
        let first = || match spot.kept_there() {
            Some(_) => "; the hook that was there runs first",
            None => "",
        };
        deeds.push(match spot.place(&script)? {
            Placed::Now => Deed::done(Some(event), format!("installed{}", first())),
            Placed::Before => Deed::done(Some(event), "already installed"),
            Placed::Updated => Deed::done(Some(event), format!("now calls {}", binary.display())),
            Placed::Refused(why) => Deed::refused(Some(event), format!("not installed: {why}")),
        });
        if let Some(kept) = spot.kept_there().filter(|kept| asks_its_name(kept)) {
            deeds.push(Deed::refused(
                Some(event),
                format!(
                    "the hook that was there asks for its own name, which now is {}",
                    kept.display()
                ),
            ));
        }
    }
    Ok(deeds)
}

/// Whether a hook seems to decide by the name it was called by.
fn asks_its_name(hook: &Path) -> bool {
    let small = std::fs::metadata(hook).is_ok_and(|m| m.is_file() && m.len() <= 1 << 16);
    let text = match small {
        true => std::fs::read(hook).unwrap_or_default(),
        false => return false,
    };
    let text = String::from_utf8_lossy(&text);
    [
        "basename \"$0\"",
        "basename $0",
        "${0##*/}",
        "basename(sys.argv[0])",
        "File.basename($0)",
    ]
    .iter()
    .any(|asks| text.contains(asks))
}

/// The folders a dispatcher of ours may lie in: where git looks, and where it looked before
/// somebody set `core.hooksPath`.
fn our_folders(repo: &Repo, place: &HooksPlace) -> Vec<PathBuf> {
    let usual = repo.common_dir().join("hooks");
    let mut folders = Vec::new();
    if place.inside {
        folders.push(place.folder.clone());
    }
    if !folders.iter().any(|f| same(f, &usual)) {
        folders.push(usual);
    }
    folders
}

fn same(a: &Path, b: &Path) -> bool {
    let real = |p: &Path| std::fs::canonicalize(p).unwrap_or_else(|_| p.to_owned());
    real(a) == real(b)
}

fn take_dispatchers(repo: &Repo, place: &HooksPlace) -> Result<Vec<Deed>> {
    let mut deeds = Vec::new();
    for folder in our_folders(repo, place) {
        let mut made_folder = false;
        for event in HookEvent::ALL {
            let spot = Spot {
                folder: &folder,
                event,
            };
            if let folder::Slot::Ours(script) = spot.slot()? {
                made_folder |= script.made_folder;
            }
            let event = Some(event);
            match spot.take()? {
                Taken::Nothing => {}
                Taken::Removed => deeds.push(Deed::done(event, "the dispatcher is gone")),
                Taken::Restored(hook) => deeds.push(Deed::done(
                    event,
                    format!(
                        "the dispatcher is gone, your hook is back: {}",
                        hook.display()
                    ),
                )),
                Taken::Left(why) => deeds.push(Deed::refused(event, why)),
            }
        }
        if made_folder {
            // Fails where it is not empty, and then it is somebody's.
            let _ = std::fs::remove_dir(&folder);
        }
    }
    Ok(deeds)
}
