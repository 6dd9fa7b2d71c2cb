//! Refs that stand in the way, that nobody needs any more, or that change what history says.

use std::collections::{BTreeMap, BTreeSet};

use super::settings::{Setting, of_remotes};
use super::{Finding, Severity, quoted};
use crate::error::Result;
use crate::repo::{Reader, Repo, is_missing};

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
    let space = "refs/evolve/remotes/";
    let mut by_remote = BTreeMap::<String, usize>::new();
    for reference in reader.references_under(&["refs/evolve/remotes"])? {
        let below = reference.name.strip_prefix(space).unwrap_or_default();
        if let Some((remote, _)) = below.rsplit_once('/') {
            *by_remote.entry(remote.to_owned()).or_default() += 1;
        }
    }
    for (remote, refs) in by_remote {
        if remotes.contains(remote.as_str()) {
            continue;
        }
        let listing = format!(
            "git for-each-ref --format='delete %(refname)' {}",
            quoted(&format!("{space}{remote}"))
        );
        found.push(
            Finding::new(
                "tracking-stranded",
                Severity::Note,
                format!("{refs} tracking refs are of the remote '{remote}', which is no more"),
                "a renamed or removed remote leaves them behind; they are still read, and no \
                 fetch moves them",
            )
            .mended_by(format!("{listing} | git update-ref --stdin")),
        );
    }
    Ok(())
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
