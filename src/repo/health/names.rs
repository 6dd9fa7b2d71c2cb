//! Refs that stand in the way, that nobody needs any more, or that change what history says.

use std::collections::{BTreeMap, BTreeSet};

use super::settings::{Setting, of_remotes};
use super::{Finding, Severity};
use crate::error::Result;
use crate::repo::{RawRef, Reader, Repo, is_missing, shell_word};

/// Names of which each stands for those beside it.
const NEEDED: [&str; 10] = [
    "refs/notes/evolve/checkpoint",
    "refs/notes/evolve/envelope",
    "refs/notes/evolve/tests",
    "refs/notes/evolve/coverage",
    "refs/notes/evolve/raw",
    "refs/notes/evolve/config",
    "refs/evolve/chains/x",
    "refs/evolve/remotes/x",
    "refs/heads/evolve/x",
    "refs/heads/evolve-notes/checkpoint",
];
/// What every name below is a folder of, so that nothing below it can be in the way.
const FOLDERS: [&str; 3] = [
    "refs/evolve/chains/x",
    "refs/evolve/remotes/x",
    "refs/heads/evolve/x",
];

/// Refs whose names exclude ours.
pub(super) fn blocked(reader: &Reader, found: &mut Vec<Finding>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in NEEDED {
        for blocker in reader.in_the_way(name)? {
            let inside = blocker.name.starts_with(name);
            if (inside && FOLDERS.contains(&name)) || !seen.insert(blocker.name.clone()) {
                continue;
            }
            let space = match name.rsplit_once('/') {
                Some((space, _)) if !inside => format!("{space}/…"),
                _ => name.to_owned(),
            };
            found.push(
                Finding::new(
                    "namespace-blocked",
                    Severity::Error,
                    format!("{} excludes {space}", blocker.name),
                    "git keeps no ref beside one that is a folder of it: nothing can be \
                     recorded or fetched there",
                )
                .mended_by(blocker.renaming()),
            );
        }
    }
    Ok(())
}

/// Tracking refs of remotes that are no more.
pub(super) fn stranded(
    settings: &[Setting],
    reader: &Reader,
    found: &mut Vec<Finding>,
) -> Result<()> {
    let remotes: BTreeSet<&str> = ["url", "pushurl", "fetch"]
        .iter()
        .flat_map(|variable| of_remotes(settings, variable).map(|(name, _)| name))
        .collect();
    let mut by_remote = BTreeMap::<String, Vec<RawRef>>::new();
    for reference in reader.references_under(&["refs/evolve/remotes"])? {
        if let Some(remote) = remote_in(&reference.name) {
            by_remote.entry(remote).or_default().push(reference);
        }
    }
    for (remote, refs) in by_remote {
        if remotes.contains(remote.as_str()) || is_address(&remote) {
            continue;
        }
        let mut merged = true;
        for reference in &refs {
            let kind = reference.name.rsplit('/').next().unwrap_or_default();
            let local = reader.reference(&format!("refs/notes/evolve/{kind}"))?;
            merged &= match local {
                Some(local) => local == reference.id || reader.is_ancestor(reference.id, local)?,
                None => false,
            };
        }
        let what = format!(
            "{} tracking refs are of the remote '{remote}', which is no more",
            refs.len()
        );
        let why = if merged {
            "a renamed or removed remote leaves them behind; all of it is merged, and no fetch \
             moves them"
        } else {
            "a renamed or removed remote leaves them behind; they hold what is nowhere else here"
        };
        let space = shell_word(&format!("{SPACE}{remote}"));
        let name = shell_word(&remote);
        found.push(
            Finding::new("tracking-stranded", Severity::Note, what, why).mended_by(match merged {
                true => format!(
                    "git for-each-ref --format='delete %(refname)' {space} | git update-ref --stdin"
                ),
                false => format!("git remote add {name} URL && git evolve fetch {name}"),
            }),
        );
    }
    Ok(())
}

/// Where tracking refs are.
const SPACE: &str = "refs/evolve/remotes/";

/// The remote of a tracking ref: what stands before the first part that we put there.
fn remote_in(name: &str) -> Option<String> {
    const OURS: [&str; 11] = [
        "checkpoint",
        "envelope",
        "tests",
        "coverage",
        "raw",
        "config",
        "heads",
        "chains",
        "agent",
        "attempts",
        "rewritten",
    ];
    let parts: Vec<&str> = name.strip_prefix(SPACE)?.split('/').collect();
    let end = parts.iter().skip(1).position(|p| OURS.contains(p))? + 1;
    Some(parts[..end].join("/"))
}

/// Whether the folder is that of an address without a name: a digest stands at its end.
fn is_address(folder: &str) -> bool {
    let digest = folder.rsplit_once('-').map(|(_, digest)| digest);
    digest.is_some_and(|d| d.len() == 12 && d.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Replace refs and grafts: local, never cloned, and not honoured here.
pub(super) fn replaced(repo: &Repo, reader: &Reader, found: &mut Vec<Finding>) -> Result<()> {
    let why = "git shows another history than is measured: figures are taken from the objects \
               as they are, alike in every clone";
    let count = reader.references_under(&["refs/replace"])?.len();
    if count > 0 {
        found.push(
            Finding::new(
                "replace-refs",
                Severity::Note,
                format!("{count} objects are replaced (refs/replace)"),
                why,
            )
            .mended_by("git replace -l | xargs git replace -d"),
        );
    }
    let grafts = repo.common_dir().join("info").join("grafts");
    if grafts.exists() {
        found.push(
            Finding::new(
                "grafts",
                Severity::Note,
                format!("there are grafts ({})", grafts.display()),
                why,
            )
            .mended_by("git replace --convert-graft-file"),
        );
    }
    Ok(())
}

/// Hosts warn of blobs over 50 MiB and refuse those over 100 MiB.
const WARNED: u64 = 50 << 20;
const REFUSED: u64 = 100 << 20;

/// Notes that hosts do not take.
pub(super) fn heavy(reader: &Reader, found: &mut Vec<Finding>) -> Result<()> {
    for reference in reader.references_under(&["refs/notes/evolve"])? {
        let notes = match reader.notes(reference.id) {
            Ok(notes) => notes,
            Err(e) if is_missing(&e) => continue,
            Err(e) => return Err(e),
        };
        for (target, blobs) in notes {
            for blob in blobs {
                let size = match reader.blob_size(blob) {
                    Ok(size) => size,
                    Err(e) if is_missing(&e) => continue,
                    Err(e) => return Err(e),
                };
                if size < WARNED {
                    continue;
                }
                found.push(
                    Finding::new(
                        "note-too-large",
                        if size < REFUSED {
                            Severity::Warning
                        } else {
                            Severity::Error
                        },
                        format!(
                            "the note of {} on {} has {} MiB",
                            reference.name,
                            target.short(),
                            size >> 20
                        ),
                        "hosts warn of blobs over 50 MiB and refuse those over 100 MiB: these \
                         records cannot be published there",
                    )
                    .mended_by("git config evolve.payloadCap 16"),
                );
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remote_of_a_tracking_ref_is_what_stands_before_our_parts() {
        for (name, remote) in [
            ("origin/tests", Some("origin")),
            ("me/fork/config", Some("me/fork")),
            (
                "repo-0123456789ab/heads/evolve/a/b/1",
                Some("repo-0123456789ab"),
            ),
            ("origin/chains/a/tests/1", Some("origin")),
            ("tests/tests", Some("tests")),
            ("origin/x", None),
        ] {
            let full = format!("{SPACE}{name}");
            assert_eq!(remote_in(&full).as_deref(), remote, "{name}");
        }
        assert!(is_address("repo-0123456789ab") && !is_address("my-remote"));
    }
}
