//! Hooks that were installed and do not run.

use super::{Finding, Severity};
use crate::error::Result;
use crate::repo::hooks::{self, Standing, State};
use crate::repo::{Reader, Repo};

const INSTALL: &str = "git evolve hooks install";
const WHY: &str = "commits of a checkpoint are not noted, and records stay behind when a commit is \
                   amended or rebased, until `git evolve reconcile` finds them";
/// What every dispatcher and every line of ours calls.
const CALL: &[u8] = b"git-evolve";
/// Largest hook that is looked into.
const MAX_HOOK: u64 = 1 << 20;

/// Looks how each of our hooks stands; git is made to run those whose run is only ours.
pub(super) fn hooks(repo: &Repo, reader: &Reader, found: &mut Vec<Finding>) -> Result<()> {
    let survey = match hooks::survey(repo, repo.git_version()?) {
        Ok(survey) => survey,
        Err(e) => {
            let what = format!("hooks cannot be looked at: {e}");
            found.push(Finding::new(
                "hooks-unreadable",
                Severity::Warning,
                what,
                WHY,
            ));
            return Ok(());
        }
    };
    let installed = |s: &&Standing| s.state != State::Missing;
    let some = survey.events.iter().any(|s| installed(&s));
    for standing in &survey.events {
        let event = standing.event.word();
        let said = |otherwise: &str| match &standing.remark {
            Some(remark) => format!("{event}: {remark}"),
            None => format!("{event}: {otherwise}"),
        };
        let (id, what) = match standing.state {
            State::Configured | State::Dispatcher if standing.runs == Some(false) => {
                ("hook-silent", said("git does not run it"))
            }
            State::Changed | State::Overwritten => ("hook-replaced", said(standing.state.word())),
            State::Missing if some => ("hook-missing", said("not installed, though others are")),
            _ => continue,
        };
        found.push(Finding::new(id, Severity::Warning, what, WHY).mended_by(INSTALL));
    }
    let own = repo.common_dir().join("hooks");
    let elsewhere =
        std::fs::canonicalize(&survey.place.folder).ok() != std::fs::canonicalize(&own).ok();
    if elsewhere && !some {
        let ours: Vec<&str> = survey
            .events
            .iter()
            .map(|s| s.event.word())
            .filter(|event| calls_us(&own.join(event)))
            .collect();
        if !ours.is_empty() {
            let what = format!(
                "git looks for hooks in {}: {} of {} do not run",
                survey.place.folder.display(),
                ours.join(", "),
                own.display()
            );
            // What to add where is for people to read first.
            let finding = Finding::new("hook-bypassed", Severity::Warning, what, WHY);
            found.push(finding.mended_by("git evolve hooks status"));
            return Ok(());
        }
    }
    if !some && recorded(reader)? {
        let what = "no hooks are installed; everything works without them";
        found.push(Finding::new("hooks-absent", Severity::Note, what, WHY).mended_by(INSTALL));
    }
    if let Some(when) = hooks::missed(repo) {
        let what = format!("a hook ran and did not find git-evolve: {when}");
        let finding = Finding::new("hook-missed", Severity::Warning, what, WHY);
        found.push(finding.mended_by(INSTALL));
    }
    Ok(())
}

fn calls_us(hook: &std::path::Path) -> bool {
    let small = std::fs::metadata(hook).is_ok_and(|m| m.len() <= MAX_HOOK);
    let text = if small {
        std::fs::read(hook)
    } else {
        return false;
    };
    text.is_ok_and(|text| text.windows(CALL.len()).any(|w| w == CALL))
}

/// Whether anything was recorded here.
fn recorded(reader: &Reader) -> Result<bool> {
    let refs = reader.references_under(&["refs/notes/evolve", "refs/evolve/chains"])?;
    Ok(!refs.is_empty())
}
