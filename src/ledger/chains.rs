//! Finding the chains of a repository, from refs and trailers alone.
//!
//! Only tips that can belong to a chain are looked at. From such a tip the first-parent line is
//! followed down to the first base commit: that is the chain. Which of several tips counts is
//! decided by ancestry, else by commit ids, and said.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::ChainTrailers;
use crate::error::Result;
use crate::record::{ChainPath, Role};
use crate::repo::{Oid, Reader, Reference, is_missing};

/// Most commits looked at below a tip in search of its base.
const MAX_LINE: usize = 100_000;

/// One chain: its base and the commits on its first-parent line.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Its path, as the base's trailer says it.
    pub path: ChainPath,
    /// Its identity: the base's `Evolve-Begin`.
    pub begin: String,
    /// How it is shown: the path, or `path@abc1234` (the base commit) where others share it.
    pub label: String,
    /// The base commit.
    pub base: Oid,
    /// The newest commit.
    pub tip: Oid,
    /// All commits from base to tip, oldest first.
    pub line: Vec<ChainCommit>,
    /// What a reader should know: tips that were left out, checkpoints out of order.
    pub notes: Vec<String>,
    /// Lines with the same `Evolve-Begin` on another base commit: listed, counted nowhere.
    pub copies: Vec<ChainCopy>,
}

/// One commit of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCommit {
    /// Its id.
    pub id: Oid,
    /// What it is; `Superseded` for an agent commit that a later one of the same checkpoint
    /// replaces, `Foreign` for one without this chain's trailers.
    pub role: Role,
    /// The checkpoint's number; 0 for the base, and for a foreign commit, which has none.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan; empty for a foreign commit.
    pub checkpoint_id: String,
}

/// A line that was copied from a chain, as a rebase does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCopy {
    /// The copied base commit.
    pub base: Oid,
    /// Its newest commit.
    pub tip: Oid,
    /// The refs that lead to it, sorted.
    pub refs: Vec<String>,
}

/// All chains of a repository.
#[derive(Debug, Clone, Default)]
pub struct Chains {
    /// Sorted by path, then by `Evolve-Begin`.
    pub chains: Vec<Chain>,
    /// Tips that name a chain and lead to no base, and why.
    pub remarks: Vec<String>,
}

impl Chains {
    /// The chain whose line holds `commit`, and where in the line it stands (the base: 0).
    pub fn chain_of(&self, commit: Oid) -> Option<(&Chain, usize)> {
        self.chains.iter().find_map(|chain| {
            let at = chain.line.iter().position(|c| c.id == commit)?;
            Some((chain, at))
        })
    }

    /// The chains shown or named `name`: a label, or a path that one or more share.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Chain> {
        self.chains
            .iter()
            .filter(move |c| c.label == name || c.path.to_string() == name)
    }
}

/// The chain of `chains` whose line holds `commit`, and where in the line it stands.
pub fn chain_of(chains: &Chains, commit: Oid) -> Option<(&Chain, usize)> {
    chains.chain_of(commit)
}

/// Finds all chains that branches, remote-tracking branches and keep refs lead to.
///
/// # Errors
/// Refs or commits that cannot be read; a commit that is missing is a remark.
pub fn chains(reader: &Reader) -> Result<Chains> {
    let mut search = Search {
        reader,
        barren: HashSet::new(),
        remarks: BTreeSet::new(),
    };
    let mut tips = BTreeMap::<Oid, Tip>::new();
    for reference in reader.references()?.into_iter().filter(|r| !r.symbolic) {
        let kind = kind_of(&reference);
        if kind != RefKind::Other {
            let tip = tips.entry(reference.commit).or_default();
            tip.named |= kind != RefKind::Branch;
            tip.kept |= kind == RefKind::Keep;
            tip.refs.push(reference.name);
        }
    }
    let mut found = BTreeMap::<String, BTreeMap<Oid, Vec<Line>>>::new();
    for (id, tip) in tips {
        if let Some((begin, line)) = search.line(id, tip)? {
            let by_base = found.entry(begin).or_default();
            by_base.entry(line.commits[0].id).or_default().push(line);
        }
    }
    let mut chains: Vec<Chain> = found
        .into_iter()
        .filter_map(|(begin, by_base)| join(begin, by_base))
        .collect();
    chains.sort_by(|a, b| (&a.path, &a.begin).cmp(&(&b.path, &b.begin)));
    label(&mut chains);
    Ok(Chains {
        chains,
        remarks: search.remarks.into_iter().collect(),
    })
}

/// How much a ref's name says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RefKind {
    /// `refs/evolve/chains/…`, or a remote's: where the tool itself keeps a chain.
    Keep,
    /// A branch under `evolve/`.
    Named,
    /// Any other branch, looked at where its tip has our trailers.
    Branch,
    /// No place where chains are.
    Other,
}

fn kind_of(reference: &Reference) -> RefKind {
    let name = reference.name.as_str();
    if let Some(ours) = name.strip_prefix("refs/evolve/") {
        let mut parts = ours.split('/');
        let kind = match parts.next() {
            // What was fetched of a remote's keep refs.
            Some("remotes") => parts.nth(1),
            own => own,
        };
        return match kind {
            Some("chains") => RefKind::Keep,
            Some("rewritten") => RefKind::Branch,
            _ => RefKind::Other,
        };
    }
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        return match branch.split('/').next() {
            Some("evolve") => RefKind::Named,
            Some("evolve-notes") => RefKind::Other,
            _ => RefKind::Branch,
        };
    }
    // Right behind the remote's name: a topic branch may have `evolve` anywhere in its own. A
    // remote whose name has a `/` is still seen by the trailers of its tips.
    let branch = name
        .strip_prefix("refs/remotes/")
        .and_then(|b| b.split_once('/'));
    match branch.map(|(_, b)| b.split('/').next()) {
        Some(Some("evolve")) => RefKind::Named,
        Some(Some("evolve-notes")) => RefKind::Other,
        Some(_) => RefKind::Branch,
        None => RefKind::Other,
    }
}

#[derive(Default)]
struct Tip {
    /// A ref's name alone says that this is a chain's.
    named: bool,
    kept: bool,
    refs: Vec<String>,
}

/// One first-parent line from a base up to a tip.
struct Line {
    path: ChainPath,
    commits: Vec<ChainCommit>,
    kept: bool,
    refs: Vec<String>,
}

impl Line {
    fn tip(&self) -> Oid {
        self.commits[self.commits.len() - 1].id
    }

    fn holds(&self, id: Oid) -> bool {
        self.commits.iter().any(|c| c.id == id)
    }
}

struct Search<'r> {
    reader: &'r Reader,
    /// Commits known to have no base on their first-parent line.
    barren: HashSet<Oid>,
    remarks: BTreeSet<String>,
}

impl Search<'_> {
    /// The `Evolve-Begin` and line of the chain that `tip` belongs to, if any.
    fn line(&mut self, id: Oid, tip: Tip) -> Result<Option<(String, Line)>> {
        let mut seen: Vec<(Oid, Option<ChainTrailers>)> = Vec::new();
        let mut named = tip.named;
        let mut base = None;
        let walked = self.reader.first_parents(id, |commit| {
            if self.barren.contains(&commit.id) {
                return false;
            }
            let mut trailers = ChainTrailers::read(&commit.message);
            named |= seen.is_empty() && trailers.is_some();
            if let Some(t) = trailers.as_mut().filter(|t| t.role == Role::Base) {
                base = t.begin.take().map(|begin| (begin, t.path.clone()));
            }
            seen.push((commit.id, trailers));
            named && base.is_none() && seen.len() < MAX_LINE
        });
        let cut = match walked {
            Ok(crate::repo::LineEnd::Shallow) => Some("a shallow clone cut it off"),
            Ok(_) => None,
            Err(e) if is_missing(&e) => Some("a commit is not in this repository"),
            Err(e) => return Err(e),
        };
        if !named {
            return Ok(None);
        }
        let Some((begin, path)) = base else {
            let claimed = seen.iter().find_map(|(_, t)| t.as_ref());
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
            self.barren.extend(seen.iter().map(|(id, _)| *id));
            return Ok(None);
        };
        if let Some(claimed) = seen[0].1.as_ref().map(|t| &t.path)
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
        let commits = seen
            .into_iter()
            .map(|(id, t)| member(id, t, &path))
            .collect();
        let line = Line {
            path,
            commits,
            kept: tip.kept,
            refs: tip.refs,
        };
        Ok(Some((begin, line)))
    }
}

fn member(id: Oid, trailers: Option<ChainTrailers>, path: &ChainPath) -> ChainCommit {
    match trailers.filter(|t| t.path == *path) {
        Some(t) => ChainCommit {
            id,
            role: t.role,
            checkpoint: t.checkpoint,
            checkpoint_id: t.checkpoint_id,
        },
        None => ChainCommit {
            id,
            role: Role::Foreign,
            checkpoint: 0,
            checkpoint_id: String::new(),
        },
    }
}

/// One chain from all lines that share an `Evolve-Begin`.
fn join(begin: String, by_base: BTreeMap<Oid, Vec<Line>>) -> Option<Chain> {
    // A kept base is the original; else the smaller commit id, alike in every clone.
    let original = by_base
        .iter()
        .find(|(_, lines)| lines.iter().any(|l| l.kept))
        .or_else(|| by_base.iter().next())
        .map(|(base, _)| *base)?;
    let mut copies = Vec::new();
    let mut own = Vec::new();
    for (base, lines) in by_base {
        if base == original {
            own = lines;
            continue;
        }
        let (line, _) = choose(lines)?;
        copies.push(ChainCopy {
            base,
            tip: line.tip(),
            refs: line.refs,
        });
    }
    let (line, mut notes) = choose(own)?;
    if !copies.is_empty() {
        let bases: Vec<String> = copies.iter().map(|c| c.base.short()).collect();
        notes.push(format!(
            "copied on another base ({}): the copy is counted nowhere",
            bases.join(", ")
        ));
    }
    let tip = line.tip();
    let mut commits = line.commits;
    supersede(&mut commits);
    notes.extend(out_of_order(&commits));
    Some(Chain {
        label: line.path.to_string(),
        path: line.path,
        begin,
        base: original,
        tip,
        line: commits,
        notes,
        copies,
    })
}

/// The line that counts, and what is to be said of the others. Tips that another line holds are
/// only older states of it.
fn choose(lines: Vec<Line>) -> Option<(Line, Vec<String>)> {
    let newest: Vec<bool> = lines
        .iter()
        .enumerate()
        .map(|(i, a)| {
            let older = |(j, b): (usize, &Line)| j != i && b.holds(a.tip());
            !lines.iter().enumerate().any(older)
        })
        .collect();
    let mut heads: Vec<Line> = lines
        .into_iter()
        .zip(newest)
        .filter_map(|(line, newest)| newest.then_some(line))
        .collect();
    heads.sort_by(before);
    let mut heads = heads.into_iter();
    let chosen = heads.next()?;
    let notes = heads
        .map(|other| {
            let common = common(&chosen, &other);
            format!(
                "diverged after {}: {} counts, {} ({}) does not",
                chosen.commits[common - 1].id.short(),
                chosen.tip().short(),
                other.tip().short(),
                other.refs.join(", "),
            )
        })
        .collect();
    Some((chosen, notes))
}

fn common(a: &Line, b: &Line) -> usize {
    let pairs = a.commits.iter().zip(&b.commits);
    pairs.take_while(|(x, y)| x.id == y.id).count()
}

/// Of two diverged lines the one that counts comes first: the one whose first agent commit of
/// its own has the smaller id; one that has no agent commit of its own loses.
fn before(a: &Line, b: &Line) -> std::cmp::Ordering {
    let common = common(a, b);
    let key = |line: &Line| {
        let own = &line.commits[common..];
        let agent = own.iter().find(|c| c.role == Role::Agent);
        let first = agent.or_else(|| own.first()).map(|c| c.id);
        (agent.is_none(), first)
    };
    key(a).cmp(&key(b))
}

/// Of several agent commits for one checkpoint the last counts.
fn supersede(commits: &mut [ChainCommit]) {
    let mut last = HashSet::new();
    for commit in commits.iter_mut().rev() {
        if commit.role == Role::Agent && !last.insert(commit.checkpoint) {
            commit.role = Role::Superseded;
        }
    }
}

fn out_of_order(commits: &[ChainCommit]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut highest = 0;
    let mut ids = HashMap::<u32, &str>::new();
    for c in commits.iter().filter(|c| c.role != Role::Foreign) {
        if c.checkpoint < highest {
            notes.push(format!(
                "checkpoint {} ({}) comes after checkpoint {highest}",
                c.checkpoint,
                c.id.short()
            ));
        }
        highest = highest.max(c.checkpoint);
        let first = ids.entry(c.checkpoint).or_insert(&c.checkpoint_id);
        if *first != c.checkpoint_id {
            notes.push(format!(
                "checkpoint {} is called both {first} and {}",
                c.checkpoint, c.checkpoint_id
            ));
        }
    }
    notes
}

/// Chains that share a path are told apart by their base commits.
fn label(chains: &mut [Chain]) {
    let mut count = BTreeMap::<ChainPath, usize>::new();
    for chain in chains.iter() {
        *count.entry(chain.path.clone()).or_default() += 1;
    }
    for chain in chains.iter_mut().filter(|c| count[&c.path] > 1) {
        chain.label = format!("{}@{}", chain.path, chain.base.short());
    }
}
