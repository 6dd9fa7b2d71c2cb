//! What the records and chains themselves say about the health of a repository.

use super::status::status;
use super::stored::Absence;
use crate::error::Result;
use crate::repo::{Finding, Repo, Severity};

/// Looks at chains and records: those that nothing keeps, and those of others that are not here
/// or not joined with ours.
///
/// # Errors
/// Refs, commits or local notes that cannot be read.
pub fn examine_records(repo: &Repo) -> Result<Vec<Finding>> {
    let status = status(repo, &repo.reader()?)?;
    let mut found = Vec::new();
    for chain in &status.chains {
        let standing = &chain.standing;
        let own = !standing.branches.is_empty() && standing.remotes.is_empty() && !repo.is_bare();
        if own && !standing.is_kept() {
            let keep = format!("refs/evolve/chains/{}", chain.path);
            let tip = standing.own_tip.unwrap_or(chain.tip);
            let old = match standing.kept {
                0 => " ''".to_owned(),
                _ => String::new(),
            };
            found.push(
                Finding::new(
                    "chain-not-kept",
                    Severity::Warning,
                    format!("no keep ref holds chain {}", chain.label),
                    "once its branch is deleted, git removes its commits, and what was recorded \
                     of them dangles",
                )
                .mended_by(format!("git update-ref {keep} {tip}{old}")),
            );
        }
    }
    for remote in status.remotes.iter().filter(|r| r.unmerged > 0) {
        let name = &remote.name;
        let finding = Finding::new(
            "records-not-merged",
            Severity::Note,
            format!(
                "{} records of {name} are not merged into ours",
                remote.unmerged
            ),
            "they are read from where they are; with that remote's refs they would go",
        );
        found.push(match remote.configured {
            true => finding.mended_by(format!("git evolve fetch {name}")),
            false => finding,
        });
    }
    if let Some(Absence::NotFetched(remotes) | Absence::LeftOut(remotes)) = &status.absence
        && let Some(first) = remotes.first()
    {
        found.push(
            Finding::new(
                "records-not-fetched",
                Severity::Warning,
                format!("records of {} were never fetched", remotes.join(", ")),
                "what was captured of the chains is unknown here",
            )
            .mended_by(format!("git evolve fetch {first}")),
        );
    }
    Ok(found)
}
