//! From a tip down its first parents to a base commit: the line that may be a chain.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::recorded::{Lazy, Said};
use super::tips::{Tip, tips};
use super::{ChainCommit, ChainTrailers};
use crate::error::Result;
use crate::record::{ChainPath, Role};
use crate::repo::{LineEnd, Oid, Reader, is_missing};

/// Most commits looked at below a tip in search of its base.
const MAX_LINE: usize = 100_000;

/// One first-parent line from a base up to a tip.
#[derive(Debug, Clone)]
pub(in crate::ledger) struct Line {
    /// The chain's path, as the base says it.
    pub(in crate::ledger) path: ChainPath,
    /// Base first.
    pub(in crate::ledger) commits: Vec<ChainCommit>,
    /// A keep ref names its tip.
    pub(in crate::ledger) kept: bool,
    /// The highest number of a `rewritten` ref on its tip; 0 where there is none.
    pub(in crate::ledger) rewritten: u32,
    /// The refs that name its tip, sorted.
    pub(in crate::ledger) refs: Vec<String>,
    /// What is to be said of its commits.
    pub(in crate::ledger) notes: Vec<String>,
}

impl Line {
    /// The base commit.
    pub(in crate::ledger) fn base(&self) -> Oid {
        self.commits[0].id
    }

    /// The newest commit.
    pub(in crate::ledger) fn tip(&self) -> Oid {
        self.commits[self.commits.len() - 1].id
    }

    /// Whether `id` is one of its commits.
    pub(in crate::ledger) fn holds(&self, id: Oid) -> bool {
        self.commits.iter().any(|c| c.id == id)
    }

    /// How many commits it has in common with `other`, from the base on.
    pub(in crate::ledger) fn common(&self, other: &Line) -> usize {
        let pairs = self.commits.iter().zip(&other.commits);
        pairs.take_while(|(x, y)| x.id == y.id).count()
    }
}

/// All lines of a repository, by `Evolve-Begin` and base commit.
pub(in crate::ledger) type Lines = BTreeMap<String, BTreeMap<Oid, Vec<Line>>>;

/// Finds the lines that refs lead to, and what is to be said of refs that lead to none.
///
/// # Errors
/// Refs or commits that cannot be read; a commit that is missing is a remark.
pub(in crate::ledger) fn lines(
    reader: &Reader,
    recorded: &Lazy<'_>,
) -> Result<(Lines, BTreeSet<String>)> {
    let mut search = Search::new(reader, recorded);
    let mut found = Lines::new();
    for (id, tip) in tips(reader)? {
        if let Some((begin, line)) = search.line(id, tip)? {
            let by_base = found.entry(begin).or_default();
            by_base.entry(line.base()).or_default().push(line);
        }
    }
    Ok((found, search.remarks))
}

/// A commit on the way down.
struct Seen {
    id: Oid,
    tree: Oid,
    trailers: Option<ChainTrailers>,
    /// Whether its message names several commits of chains: what a squash leaves.
    several: bool,
}

/// Follows tips down to bases.
pub(in crate::ledger) struct Search<'r, 'l> {
    reader: &'r Reader,
    recorded: &'l Lazy<'r>,
    /// Commits known to have no base on their first-parent line.
    barren: HashSet<Oid>,
    remarks: BTreeSet<String>,
}

impl<'r, 'l> Search<'r, 'l> {
    pub(in crate::ledger) fn new(reader: &'r Reader, recorded: &'l Lazy<'r>) -> Self {
        Search {
            reader,
            recorded,
            barren: HashSet::new(),
            remarks: BTreeSet::new(),
        }
    }

    /// The `Evolve-Begin` and line of the chain that `tip` belongs to, if any.
    ///
    /// # Errors
    /// Commits that cannot be read; one that is missing is a remark.
    pub(in crate::ledger) fn line(&mut self, id: Oid, tip: Tip) -> Result<Option<(String, Line)>> {
        let mut seen: Vec<Seen> = Vec::new();
        let mut named = tip.named;
        let mut base = None;
        let walked = self.reader.first_parents(id, |commit| {
            if self.barren.contains(&commit.id) {
                return false;
            }
            let claims = ChainTrailers::claims(&commit.message);
            let mut trailers = ChainTrailers::read(&commit.message);
            named |= seen.is_empty() && trailers.is_some();
            if let Some(t) = trailers.as_mut().filter(|t| t.role == Role::Base) {
                base = t.begin.take().map(|begin| (begin, t.path.clone()));
            }
            seen.push(Seen {
                id: commit.id,
                tree: commit.tree,
                trailers,
                several: claims.len() > 1,
            });
            named && base.is_none() && seen.len() < MAX_LINE
        });
        let cut = match walked {
            Ok(LineEnd::Shallow) => Some("a shallow clone cut it off"),
            Ok(_) => None,
            Err(e) if is_missing(&e) => Some("a commit is not in this repository"),
            Err(e) => return Err(e),
        };
        if !named {
            return Ok(None);
        }
        if base.is_none() {
            base = self.base_by_record(&mut seen)?;
        }
        let Some((begin, path)) = base else {
            self.no_base(&seen, &tip, cut);
            return Ok(None);
        };
        if let Some(claimed) = seen[0].trailers.as_ref().map(|t| &t.path)
            && !tip.named
            && *claimed != path
        {
            // A commit that was picked or squashed onto a line which holds another chain.
            self.remarks.insert(format!(
                "{}: names chain {claimed}, but its first parents lead to the base of {path}",
                tip.refs.join(", "),
            ));
            return Ok(None);
        }
        seen.reverse();
        let mut notes = Vec::new();
        let mut commits = Vec::with_capacity(seen.len());
        for commit in seen {
            commits.push(self.member(commit, &path, &begin, &mut notes)?);
        }
        let line = Line {
            path,
            commits,
            kept: tip.kept,
            rewritten: tip.rewritten,
            refs: tip.refs,
            notes,
        };
        Ok(Some((begin, line)))
    }

    /// A base whose trailers a rewrite took off, known by the record it still bears; what lies
    /// below it is no longer `seen`.
    fn base_by_record(&self, seen: &mut Vec<Seen>) -> Result<Option<(String, ChainPath)>> {
        let recorded = self.recorded.get()?;
        if recorded.is_empty() {
            return Ok(None);
        }
        for (at, commit) in seen.iter().enumerate() {
            if commit.trailers.is_some() {
                continue;
            }
            for s in recorded.on(commit.id).iter().rev() {
                if s.head.role == Role::Base
                    && let Said::One(said) =
                        recorded.says(commit.id, commit.tree, s.head.begin.as_str())
                    && said.head.role == Role::Base
                {
                    let found = (said.head.begin.to_string(), said.head.chain.clone());
                    seen.truncate(at + 1);
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn no_base(&mut self, seen: &[Seen], tip: &Tip, cut: Option<&str>) {
        let claimed = seen.iter().find_map(|s| s.trailers.as_ref());
        if let Some(claimed) = claimed {
            self.remarks.insert(format!(
                "{}: names chain {}, but its first parents lead to no base commit{}",
                tip.refs.join(", "),
                claimed.path,
                cut.map(|c| format!(" ({c})")).unwrap_or_default(),
            ));
        } else if let Some(cut) = cut {
            self.remarks.insert(format!(
                "{}: whether this is a chain cannot be told: {cut}",
                tip.refs.join(", "),
            ));
        }
        self.barren.extend(seen.iter().map(|s| s.id));
    }

    /// What a commit is in its chain: by its trailers, else by the records on it.
    fn member(
        &self,
        seen: Seen,
        path: &ChainPath,
        begin: &str,
        notes: &mut Vec<String>,
    ) -> Result<ChainCommit> {
        if let Some(t) = seen.trailers.filter(|t| t.path == *path) {
            return Ok(ChainCommit {
                id: seen.id,
                role: t.role,
                checkpoint: t.checkpoint,
                checkpoint_id: t.checkpoint_id,
            });
        }
        let foreign = ChainCommit {
            id: seen.id,
            role: Role::Foreign,
            checkpoint: 0,
            checkpoint_id: String::new(),
        };
        let short = seen.id.short();
        if seen.several {
            notes.push(format!(
                "{short} is collapsed: its message names several commits of chains; it counts as none"
            ));
            return Ok(foreign);
        }
        match self.recorded.get()?.says(seen.id, seen.tree, begin) {
            Said::Nothing => Ok(foreign),
            Said::One(said) => {
                let head = &said.head;
                notes.push(format!(
                    "{short} has no trailers of the chain; by its record it is the {} of checkpoint {}",
                    commit_word(head.role),
                    head.checkpoint,
                ));
                Ok(ChainCommit {
                    id: seen.id,
                    role: head.role,
                    checkpoint: head.checkpoint,
                    checkpoint_id: head.checkpoint_id.clone(),
                })
            }
            Said::Other(said) => {
                notes.push(format!(
                    "{short} has no trailers of the chain, and the record on it, of checkpoint {}, is of another tree; `git evolve reconcile` looks into it",
                    said.head.checkpoint,
                ));
                Ok(foreign)
            }
            Said::Several(all) => {
                let mut checkpoints: Vec<u32> = all.iter().map(|s| s.head.checkpoint).collect();
                checkpoints.dedup();
                notes.push(format!(
                    "{short} is collapsed: it bears records of {}; it counts as none",
                    super::numbered(&checkpoints),
                ));
                Ok(foreign)
            }
        }
    }
}

/// `base commit`, `agent commit`, `reset commit`.
fn commit_word(role: Role) -> String {
    format!("{} commit", role.word())
}
