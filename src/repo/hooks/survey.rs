//! How the hooks stand: what is installed, whether it runs, what to do where it does not.

use std::path::PathBuf;

use super::super::Repo;
use super::configured::Configured;
use super::folder::{Slot, Spot};
use super::{GitVersion, HookEvent, HooksPlace, Manager, probe};
use crate::error::Result;

/// How one event's hook stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Named in git's configuration.
    Configured,
    /// Called by our dispatcher.
    Dispatcher,
    /// Called by a line in somebody's hook or manager.
    Managed,
    /// Not installed.
    Missing,
    /// Our dispatcher was there, and somebody changed it.
    Changed,
    /// Our dispatcher was there, and something else is now.
    Overwritten,
}

impl State {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            State::Configured => "configured",
            State::Dispatcher => "dispatcher",
            State::Managed => "managed",
            State::Missing => "not installed",
            State::Changed => "changed",
            State::Overwritten => "overwritten",
        }
    }
}

/// How one event's hook stands, with what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Which event.
    pub event: HookEvent,
    /// How it stands.
    pub state: State,
    /// Whether git calls us: seen, by making it run the hook. `None` where that would run more
    /// than our own part.
    pub runs: Option<bool>,
    /// The file that makes git call us, or would.
    pub place: PathBuf,
    /// The user's own hook, which the dispatcher runs first.
    pub user_hook: Option<PathBuf>,
    /// What is wrong or to be known.
    pub remark: Option<String>,
    /// What to add, and to which file, where install may not write.
    pub add: Option<(PathBuf, String)>,
}

/// How all hooks stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The git at hand.
    pub version: GitVersion,
    /// Where it looks for hooks.
    pub place: HooksPlace,
    /// One for each event.
    pub events: Vec<Standing>,
}

/// Looks how the hooks stand, and has git run those whose run is only ours.
///
/// # Errors
/// Git is not there; the configuration or the hooks folder cannot be read.
pub fn survey(repo: &Repo, version: GitVersion) -> Result<Survey> {
    let place = HooksPlace::of(repo)?;
    let configured = Configured::read(repo)?;
    let events = HookEvent::ALL
        .into_iter()
        .map(|event| standing(repo, version, &place, &configured, event))
        .collect::<Result<_>>()?;
    Ok(Survey {
        version,
        place,
        events,
    })
}

fn standing(
    repo: &Repo,
    version: GitVersion,
    place: &HooksPlace,
    configured: &Configured,
    event: HookEvent,
) -> Result<Standing> {
    let spot = Spot {
        folder: &place.folder,
        event,
    };
    let slot = spot.slot()?;
    let kept = spot.kept_there();
    let served = configured.serves(event);
    let mut found = Standing {
        event,
        state: State::Missing,
        runs: Some(false),
        place: spot.hook(),
        user_hook: None,
        remark: None,
        add: None,
    };
    if served && version >= GitVersion::CONFIGURED_HOOKS {
        found.state = State::Configured;
        found.place = repo.common_dir().join("config");
        found.runs = Some(probe::configured_runs(repo, version, event)?);
        found.remark = silent(&found, configured.binary.as_ref());
        return Ok(found);
    }
    match slot {
        Slot::Ours(script) => {
            found.state = State::Dispatcher;
            found.user_hook = kept;
            let runs = probe::dispatcher_runs(repo, version, event, &spot.hook())?;
            found.runs = Some(runs);
            found.remark = silent(&found, Some(&script.binary));
        }
        Slot::Changed => {
            found.state = State::Changed;
            found.runs = None;
            found.user_hook = kept;
            found.remark = Some("somebody changed the dispatcher".to_owned());
        }
        Slot::Theirs if kept.is_some() => {
            found.state = State::Overwritten;
            found.runs = None;
            found.user_hook = kept;
            found.remark = Some(match spot.moved_away()? {
                Some(ours) => format!(
                    "something else took the dispatcher's place and moved it to {}",
                    ours.display()
                ),
                None => "something else took the dispatcher's place; the hook that was there \
                         before it waits"
                    .to_owned(),
            });
        }
        Slot::Theirs | Slot::Free | Slot::Odd => {
            missing(repo, version, place, &mut found);
            if found.state == State::Missing && served {
                found.remark = Some(format!(
                    "stands in git's configuration, which git {version} does not run hooks from"
                ));
            }
        }
    }
    Ok(found)
}

/// Fills in what there is to say where nothing of ours stands.
fn missing(repo: &Repo, version: GitVersion, place: &HooksPlace, found: &mut Standing) {
    if let Some(file) = place.managed(repo, found.event) {
        found.state = State::Managed;
        found.runs = None;
        found.place = file;
        found.remark =
            Some("written there; not tried, since other hooks would run with it".to_owned());
        return;
    }
    // From 2.54 on install works wherever the folder is.
    if version >= GitVersion::CONFIGURED_HOOKS {
        found.place = repo.common_dir().join("config");
    } else if !place.inside {
        found.remark = Some(elsewhere(place));
        let file = place.file_to_edit(repo, found.event);
        let lines = match place.manager(repo) {
            Manager::Lefthook(_) => lefthook_lines(found.event),
            Manager::Husky | Manager::Folder => found.event.line().to_owned(),
        };
        found.add = Some((file, lines));
    }
}

/// Why install does not write there.
pub(super) fn elsewhere(place: &HooksPlace) -> String {
    match &place.configured {
        Some(path) if path.value.is_empty() => format!(
            "not installed: core.hooksPath is empty ({}), so hooks are looked for in {}",
            path.scope,
            place.folder.display()
        ),
        Some(path) => format!(
            "not installed: core.hooksPath is {} ({})",
            path.value, path.scope
        ),
        None => format!(
            "not installed: {} lies outside the git directory",
            place.folder.display()
        ),
    }
}

fn lefthook_lines(event: HookEvent) -> String {
    let (arguments, stdin) = match event {
        HookEvent::PostCommit => ("", ""),
        HookEvent::PostRewrite | HookEvent::PrePush => (" {0}", "\n      use_stdin: true"),
    };
    let word = event.word();
    format!(
        "{word}:\n  commands:\n    git-evolve:\n      run: git-evolve hook {word}{arguments} || \
         true{stdin}"
    )
}

/// What to say where git was made to run the hook and we were not called.
fn silent(found: &Standing, binary: Option<&PathBuf>) -> Option<String> {
    if found.runs != Some(false) {
        return None;
    }
    let there = binary.filter(|b| !b.is_file());
    Some(match there {
        Some(binary) => format!(
            "git runs it, but {} is not there and git-evolve is not on the PATH; \
             `git evolve hooks install` writes the path anew",
            binary.display()
        ),
        None => "git does not run it: it is not executable, or switched off".to_owned(),
    })
}
