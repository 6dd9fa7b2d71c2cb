//! Settings of git, of any scope, that would destroy, publish or redirect notes.

use super::{Finding, Severity};
use crate::error::Result;
use crate::repo::{Reader, Repo, shell_word};

/// One setting, where git found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `system`, `global`, `local`, `worktree` or `command`.
    pub scope: String,
    /// The key; section and name in lower case.
    pub key: String,
    /// The value; `true` where none was written.
    pub value: String,
}

/// All settings in the order git reads them, the last of a key being the one that holds.
pub(super) fn all(repo: &Repo) -> Result<Vec<Setting>> {
    let listing = repo
        .program()
        .output(&["config", "--list", "--show-scope", "-z"])?;
    let ours = repo.program().own_settings();
    let mut words = listing.split(|b| *b == 0).map(String::from_utf8_lossy);
    let mut found = Vec::new();
    while let (Some(scope), Some(entry)) = (words.next(), words.next()) {
        let (key, value) = match entry.split_once('\n') {
            Some((key, value)) => (key, value),
            None => (entry.as_ref(), "true"),
        };
        let given = format!("{key}={value}");
        // What we hand to every git of ours is nobody's setting.
        if scope == "command" && ours.iter().any(|s| s.eq_ignore_ascii_case(&given)) {
            continue;
        }
        found.push(Setting {
            scope: scope.into_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
        });
    }
    Ok(found)
}

/// The value of `key` that holds.
pub(super) fn value<'a>(settings: &'a [Setting], key: &str) -> Option<&'a str> {
    let mut with = settings.iter().filter(|s| s.key == key);
    with.next_back().map(|s| s.value.as_str())
}

/// Whether `key` is set to something that git takes for true.
pub(super) fn is_on(settings: &[Setting], key: &str) -> bool {
    value(settings, key).is_some_and(truth)
}

fn truth(value: &str) -> bool {
    let number = value.parse::<i64>().ok();
    matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on")
        || number.is_some_and(|n| n != 0)
}

/// The settings `remote.<name>.<variable>` as (name, setting).
pub(super) fn of_remotes<'a>(
    settings: &'a [Setting],
    variable: &'a str,
) -> impl Iterator<Item = (&'a str, &'a Setting)> {
    settings.iter().filter_map(move |s| {
        let name = s.key.strip_prefix("remote.")?;
        let name = name.strip_suffix(variable)?.strip_suffix('.')?;
        Some((name, s))
    })
}

/// The command that takes one value of a setting away.
fn unset(setting: &Setting) -> String {
    let Setting { scope, key, value } = setting;
    if scope == "command" {
        return format!("unset GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS  # {key} is set there");
    }
    format!(
        "git config --{scope} --fixed-value --unset-all {} {}",
        shell_word(key),
        shell_word(value)
    )
}

/// The side of a refspec that names local refs, and what else it says.
struct Refspec<'a> {
    forced: bool,
    source: &'a str,
    target: &'a str,
}

impl Refspec<'_> {
    fn read(text: &str) -> Option<Refspec<'_>> {
        let (forced, rest) = match text.strip_prefix('+') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // What is excluded destroys nothing.
        let (source, target) = rest
            .split_once(':')
            .filter(|_| !rest.starts_with('^') && !rest.is_empty())?;
        Some(Refspec {
            forced,
            source,
            target,
        })
    }

    fn reaches(&self, space: &str) -> bool {
        reaches(self.target, space)
    }

    /// Whether it writes where records or keep refs of this repository are.
    fn writes_records(&self) -> bool {
        self.reaches("refs/notes/evolve/") || RECORDS.iter().any(|space| self.reaches(space))
    }
}

/// Whether refs of `pattern`, which may have one `*`, can lie under `space`.
fn reaches(pattern: &str, space: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, _)) => before.starts_with(space) || space.starts_with(before),
        None => pattern.starts_with(space),
    }
}

/// Where keep refs are; what was fetched of remotes may be overwritten.
const RECORDS: [&str; 5] = [
    "refs/evolve/chains/",
    "refs/evolve/agent/",
    "refs/evolve/attempts/",
    "refs/evolve/bases/",
    "refs/evolve/rewritten/",
];

/// Fetch refspecs that would overwrite or delete notes, or stop a fetch.
pub(super) fn fetching(
    settings: &[Setting],
    reader: &Reader,
    found: &mut Vec<Finding>,
) -> Result<()> {
    for (remote, setting) in of_remotes(settings, "fetch") {
        let Some(spec) = Refspec::read(&setting.value) else {
            continue;
        };
        let place = format!("{} = {} ({})", setting.key, setting.value, setting.scope);
        let prunes = ["fetch.prune".to_owned(), format!("remote.{remote}.prune")];
        // The remote's own setting is stronger than that of all.
        let prunes = match value(settings, &prunes[1]) {
            Some(own) => truth(own),
            None => is_on(settings, &prunes[0]),
        };
        if spec.target == "refs/*" {
            found.push(
                Finding::new(
                    "fetch-mirror",
                    Severity::Warning,
                    format!("{place}: the next fetch makes every ref equal to the remote's"),
                    "records and keep refs that were made here and not published would be \
                     overwritten or deleted",
                )
                .mended_by(unset(setting)),
            );
        } else if spec.writes_records() && spec.forced {
            found.push(
                Finding::new(
                    "fetch-overwrites-records",
                    Severity::Error,
                    format!("{place}: the next fetch overwrites local records"),
                    "records that were not published are gone, without a message; `git evolve \
                     fetch` brings others' records and needs no refspec",
                )
                .mended_by(unset(setting)),
            );
        } else if spec.writes_records() && prunes {
            found.push(
                Finding::new(
                    "fetch-prunes-records",
                    Severity::Error,
                    format!("{place}, and fetches prune: refs the remote lacks are deleted"),
                    "records that were not published are gone, with their reflog",
                )
                .mended_by(unset(setting)),
            );
        } else if spec.writes_records() {
            found.push(
                Finding::new(
                    "fetch-refuses-records",
                    Severity::Warning,
                    format!("{place}: fetch and pull fail once records differ"),
                    "whoever records here can no longer fetch; `git evolve fetch` needs no \
                     refspec",
                )
                .mended_by(unset(setting)),
            );
        }
        let exact = !spec.source.contains('*');
        let ours = ["refs/notes/", "refs/evolve/", "refs/heads/evolve"];
        if exact
            && ours.iter().any(|space| spec.source.starts_with(space))
            && spec.target.starts_with("refs/")
            && reader.reference(spec.target).unwrap_or(None).is_none()
        {
            found.push(
                Finding::new(
                    "fetch-names-absent-ref",
                    Severity::Warning,
                    format!("{place}: names one ref, of which nothing was ever fetched"),
                    "while the remote has no such ref every fetch and pull fails",
                )
                .mended_by(unset(setting)),
            );
        }
    }
    Ok(())
}

/// Push refspecs, and remotes that are pushed to as mirrors.
pub(super) fn pushing(settings: &[Setting], found: &mut Vec<Finding>) {
    for (_, setting) in of_remotes(settings, "push") {
        let place = format!("{} = {} ({})", setting.key, setting.value, setting.scope);
        let value = setting.value.trim_start_matches('+');
        let ours = ["refs/notes/", "refs/evolve/"]
            .iter()
            .any(|space| value.starts_with(space));
        let severity = if ours {
            Severity::Warning
        } else {
            Severity::Note
        };
        found.push(
            Finding::new(
                "push-refspec",
                severity,
                format!("{place}: a plain `git push` pushes this and nothing else"),
                "branches stay behind unless they are named; `git evolve push` publishes records \
                 and needs no refspec",
            )
            .mended_by(unset(setting)),
        );
    }
    for (remote, setting) in of_remotes(settings, "mirror") {
        if truth(&setting.value) {
            found.push(
                Finding::new(
                    "push-mirror",
                    Severity::Warning,
                    format!(
                        "{} ({}): a push deletes what is not here",
                        setting.key, setting.scope
                    ),
                    "pushed from a clone without the records it deletes them on the server",
                )
                .mended_by(format!(
                    "git config --{} --unset-all {}",
                    setting.scope,
                    shell_word(&format!("remote.{remote}.mirror"))
                )),
            );
        }
    }
}

/// Settings and variables that say where `git notes` reads and writes, and what a rewrite does.
pub(super) fn notes(settings: &[Setting], reader: &Reader, found: &mut Vec<Finding>) -> Result<()> {
    let environment = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let mut default = settings
        .iter()
        .filter(|s| s.key == "core.notesref")
        .map(|s| (format!("core.notesRef ({})", s.scope), &s.value, unset(s)))
        .next_back();
    let variable = environment("GIT_NOTES_REF");
    if let Some(variable) = &variable {
        let place = "GIT_NOTES_REF in the environment".to_owned();
        default = Some((place, variable, "unset GIT_NOTES_REF".to_owned()));
    }
    if let Some((place, to, mend)) = default {
        let ours = to.starts_with("refs/notes/evolve");
        found.push(
            Finding::new(
                "notes-redirected",
                if ours {
                    Severity::Warning
                } else {
                    Severity::Note
                },
                format!("{place} is {to}: `git notes` without --ref writes there"),
                if ours {
                    "text that somebody notes would stand among the records"
                } else {
                    "records are read and written by their full names: they do not move with it"
                },
            )
            .mended_by(mend),
        );
    }
    for setting in settings.iter().filter(|s| s.key == "notes.displayref") {
        let name = setting.value.as_str();
        if !reaches(name, "refs/notes/evolve/") && name != "refs/notes/evolve" {
            continue;
        }
        let absent =
            !name.contains(['*', '?', '[']) && reader.reference(name).unwrap_or(None).is_none();
        let finding = if absent {
            Finding::new(
                "notes-displayed",
                Severity::Warning,
                format!(
                    "notes.displayRef ({}) names {name}, which is not here",
                    setting.scope
                ),
                "every `git log` prints a warning",
            )
        } else {
            Finding::new(
                "notes-displayed",
                Severity::Note,
                format!(
                    "notes.displayRef ({}) shows {name} in `git log`",
                    setting.scope
                ),
                "records are JSON: every log is full of it",
            )
        };
        found.push(finding.mended_by(unset(setting)));
    }
    rewriting(settings, &environment, found);
    Ok(())
}

fn rewriting(
    settings: &[Setting],
    environment: &dyn Fn(&str) -> Option<String>,
    found: &mut Vec<Finding>,
) {
    let named = environment("GIT_NOTES_REWRITE_REF");
    let carried = match &named {
        Some(list) => list.split(':').any(|r| reaches(r, "refs/notes/evolve/")),
        None => settings
            .iter()
            .any(|s| s.key == "notes.rewriteref" && reaches(&s.value, "refs/notes/evolve/")),
    };
    if !carried {
        return;
    }
    let mode = environment("GIT_NOTES_REWRITE_MODE")
        .or_else(|| value(settings, "notes.rewritemode").map(str::to_owned));
    if let Some(mode) = mode.filter(|m| matches!(m.as_str(), "overwrite" | "ignore")) {
        found.push(
            Finding::new(
                "notes-rewrite-loses",
                Severity::Warning,
                format!("notes.rewriteMode is {mode}, and notes.rewriteRef takes in records"),
                "commits that are squashed into one keep the records of one of them",
            )
            .mended_by("git config notes.rewriteMode cat_sort_uniq"),
        );
    }
    for command in ["amend", "rebase"] {
        let key = format!("notes.rewrite.{command}");
        if value(settings, &key).is_some_and(|v| !truth(v)) {
            found.push(
                Finding::new(
                    "notes-rewrite-off",
                    Severity::Note,
                    format!("{key} is false: `git {command}` carries no notes over"),
                    "records stay on the old commits; installed hooks or `git evolve reconcile` \
                     find them again",
                )
                .mended_by(format!("git config --unset-all {key}")),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refspec_reaches_records_by_pattern_or_by_name() {
        let writes = |text: &str| Refspec::read(text).is_some_and(|s| s.writes_records());
        for text in [
            "+refs/*:refs/*",
            "refs/notes/*:refs/notes/*",
            "+refs/notes/evolve/*:refs/notes/evolve/*",
            "refs/x:refs/notes/evolve/raw",
            "refs/evolve/*:refs/evolve/*",
            "refs/notes/e*:refs/notes/e*",
        ] {
            assert!(writes(text), "{text}");
        }
        for text in [
            "+refs/heads/*:refs/remotes/origin/*",
            "+refs/notes/evolve/*:refs/evolve/remotes/origin/*",
            "+refs/notes/other/*:refs/notes/other/*",
            "^refs/notes/*",
            "refs/notes/evolve/raw",
            "",
        ] {
            assert!(!writes(text), "{text}");
        }
    }

    #[test]
    fn truth_is_what_git_takes_for_it() {
        for word in ["true", "Yes", "on", "1", "-1"] {
            assert!(truth(word), "{word}");
        }
        for word in ["false", "no", "off", "0", "", "maybe"] {
            assert!(!truth(word), "{word}");
        }
    }
}
