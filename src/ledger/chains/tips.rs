//! Where chains may be: what a ref's name says of the commit it names.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::record::ChainPath;
use crate::repo::{Oid, Reader};

/// How much a ref's name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefKind {
    /// `refs/evolve/chains/…`, or a remote's: where the tool itself keeps a chain.
    Keep,
    /// `refs/evolve/rewritten/<path>/<n>`: a rewritten line that takes over.
    Rewritten(u32),
    /// A branch under `evolve/`, or `evolve-kept/<path>/<short id>`.
    Named,
    /// Any other branch, looked at where its tip has our trailers.
    Branch,
    /// No place where chains are.
    Other,
}

/// What the ref `name` is to chains.
pub(super) fn kind_of(name: &str) -> RefKind {
    if let Some(ours) = name.strip_prefix("refs/evolve/") {
        return match ours.split_once('/') {
            Some(("remotes", fetched)) => kind_of_fetched(fetched),
            _ => kind_of_ours(ours),
        };
    }
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        return kind_of_branch(branch);
    }
    // Right behind the remote's name: a topic branch may have `evolve` anywhere in its own. A
    // remote whose name has a `/` is still seen by the trailers of its tips.
    let branch = name
        .strip_prefix("refs/remotes/")
        .and_then(|b| b.split_once('/'));
    branch.map_or(RefKind::Other, |(_, branch)| kind_of_branch(branch))
}

/// What stands under `refs/evolve/remotes/`: a remote's name, then a name of its own.
fn kind_of_fetched(fetched: &str) -> RefKind {
    let mut inner = fetched;
    // A remote's name may have a `/`.
    while let Some((_, rest)) = inner.split_once('/') {
        if let Some(branch) = rest.strip_prefix("heads/") {
            return kind_of_branch(branch);
        }
        let kind = kind_of_ours(rest);
        if kind != RefKind::Other {
            return kind;
        }
        inner = rest;
    }
    RefKind::Other
}

/// What stands under `refs/evolve/`.
fn kind_of_ours(name: &str) -> RefKind {
    match name.split_once('/') {
        Some(("chains", _)) => RefKind::Keep,
        Some(("rewritten", rest)) => rest
            .rsplit_once('/')
            .and_then(|(path, n)| ChainPath::parse(path).and(n.parse().ok()))
            .map_or(RefKind::Branch, RefKind::Rewritten),
        _ => RefKind::Other,
    }
}

fn kind_of_branch(branch: &str) -> RefKind {
    match branch.split_once('/') {
        Some(("evolve", _)) => RefKind::Named,
        Some(("evolve-notes", _)) => RefKind::Other,
        Some(("evolve-kept", kept)) => kind_of_kept(kept),
        _ => RefKind::Branch,
    }
}

/// `<path>/<short id>` is a chain's tip; `<path>/agent/…` and `<path>/attempt/…` are none.
fn kind_of_kept(kept: &str) -> RefKind {
    let parts: Vec<&str> = kept.split('/').collect();
    for length in [3, 4] {
        let Some((path, rest)) = parts.split_at_checked(length) else {
            continue;
        };
        if ChainPath::parse(&path.join("/")).is_none() {
            continue;
        }
        return match rest {
            [id] if id.len() >= 7 && id.bytes().all(|b| b.is_ascii_hexdigit()) => RefKind::Named,
            _ => RefKind::Other,
        };
    }
    RefKind::Other
}

/// A commit that refs name, and what their names say of it.
#[derive(Debug, Clone, Default)]
pub(in crate::ledger) struct Tip {
    /// A ref's name alone says that this is a chain's.
    pub(in crate::ledger) named: bool,
    /// A keep ref names it.
    pub(in crate::ledger) kept: bool,
    /// The highest number of a `rewritten` ref that names it; 0 where none does.
    pub(in crate::ledger) rewritten: u32,
    /// The refs, sorted.
    pub(in crate::ledger) refs: Vec<String>,
}

impl Tip {
    /// One that no ref names and that is known to be a chain's.
    pub(in crate::ledger) fn lost() -> Tip {
        Tip {
            named: true,
            ..Tip::default()
        }
    }
}

/// All commits that refs name which may be a chain's.
///
/// # Errors
/// The refs cannot be read.
pub(super) fn tips(reader: &Reader) -> Result<BTreeMap<Oid, Tip>> {
    let mut tips = BTreeMap::<Oid, Tip>::new();
    for reference in reader.references()?.into_iter().filter(|r| !r.symbolic) {
        let kind = kind_of(&reference.name);
        if kind == RefKind::Other {
            continue;
        }
        let tip = tips.entry(reference.commit).or_default();
        tip.named |= kind != RefKind::Branch;
        tip.kept |= kind == RefKind::Keep;
        if let RefKind::Rewritten(n) = kind {
            tip.rewritten = tip.rewritten.max(n);
        }
        tip.refs.push(reference.name);
    }
    Ok(tips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refs_name_says_what_it_is_to_chains() {
        for (name, kind) in [
            ("refs/evolve/chains/e/a/1", RefKind::Keep),
            ("refs/evolve/chains/e/a/1@0123456789ab", RefKind::Keep),
            ("refs/evolve/remotes/origin/chains/e/a/1", RefKind::Keep),
            (
                "refs/evolve/remotes/team/one/heads/evolve/e/a/1",
                RefKind::Named,
            ),
            (
                "refs/evolve/remotes/origin/heads/evolve-kept/e/a/1/0123456",
                RefKind::Named,
            ),
            (
                "refs/evolve/remotes/origin/heads/evolve-notes/raw",
                RefKind::Other,
            ),
            ("refs/evolve/remotes/origin/checkpoint", RefKind::Other),
            ("refs/evolve/rewritten/e/a/t/1/12", RefKind::Rewritten(12)),
            ("refs/evolve/rewritten/e/a/1/x", RefKind::Branch),
            ("refs/evolve/agent/e/a/1/1/1", RefKind::Other),
            ("refs/evolve/attempts/e/a/1/1/1", RefKind::Other),
            ("refs/heads/evolve/e/a/1", RefKind::Named),
            ("refs/heads/evolve-kept/e/a/1/0123456789ab", RefKind::Named),
            (
                "refs/heads/evolve-kept/e/a/t/1/0123456789ab",
                RefKind::Named,
            ),
            ("refs/heads/evolve-kept/e/a/1/agent/1/1", RefKind::Other),
            (
                "refs/remotes/o/evolve-kept/e/a/t/1/attempt/1/1",
                RefKind::Other,
            ),
            ("refs/remotes/o/evolve/e/a/1", RefKind::Named),
            ("refs/remotes/o/evolve-notes/checkpoint", RefKind::Other),
            ("refs/heads/main", RefKind::Branch),
            ("refs/tags/v1", RefKind::Other),
            ("refs/notes/evolve/checkpoint", RefKind::Other),
        ] {
            assert_eq!(kind_of(name), kind, "{name}");
        }
    }
}
