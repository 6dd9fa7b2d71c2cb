//! Which commit of a line another one was: by trailers, by trees, by what it changed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::error::Result;
use crate::ledger::chains::Recorded;
use crate::ledger::patch::{Patch, patch};
use crate::ledger::{ChainCommit, ChainTrailers, Claim};
use crate::record::{Event, Role};
use crate::repo::{Oid, Reader, is_missing};

/// A commit whose counterpart is looked for.
#[derive(Debug, Clone)]
pub(super) struct Old {
    pub(super) id: Oid,
    pub(super) checkpoint: u32,
    pub(super) checkpoint_id: String,
    pub(super) role: Role,
    pub(super) tree: Option<Oid>,
    /// The tree of its first parent.
    pub(super) parent_tree: Option<Oid>,
    /// It is in this repository.
    pub(super) here: bool,
    patch: OnceCell<Option<Patch>>,
}

/// A commit of the line in which it is looked for.
#[derive(Debug, Clone)]
pub(super) struct New {
    pub(super) id: Oid,
    /// What its trailers say.
    pub(super) trailers: Option<(u32, Role)>,
    pub(super) tree: Oid,
    parent_tree: Option<Oid>,
    /// A record was made for it: it is nobody's counterpart.
    own: bool,
    /// The commits its message names, where these are several.
    claims: Vec<Claim>,
    /// The checkpoints and roles of records that a rewrite copied to it.
    inherited: BTreeSet<(u32, Role)>,
    patch: OnceCell<Option<Patch>>,
}

/// Where a commit went, and what says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Counterpart {
    /// To this one.
    One(Oid, Vec<&'static str>),
    /// To one of these.
    Several(Vec<(Oid, Vec<&'static str>)>),
    /// Into this one, with others.
    Collapsed(Oid, &'static str),
    /// Nowhere that could be found.
    None,
}

impl Old {
    /// A commit of a line, read; what is not here is not known of it.
    ///
    /// # Errors
    /// Objects that are broken.
    pub(super) fn of_line(reader: &Reader, c: &ChainCommit) -> Result<Old> {
        let mut old = Old {
            id: c.id,
            checkpoint: c.checkpoint,
            checkpoint_id: c.checkpoint_id.clone(),
            role: plain(c.role),
            tree: None,
            parent_tree: None,
            here: false,
            patch: OnceCell::new(),
        };
        old.look(reader)?;
        Ok(old)
    }

    /// A commit as its records say it was, whether it is here or not. `tree_of` says the tree of
    /// a commit that is not here, where records do.
    ///
    /// # Errors
    /// Objects that are broken.
    pub(super) fn of_record(
        reader: &Reader,
        head: &crate::record::Head,
        tree_of: impl Fn(Oid) -> Option<Oid>,
    ) -> Result<Option<Old>> {
        let Some(id) = Oid::from_hex(head.commit.as_str()) else {
            return Ok(None);
        };
        let parent = head.parent.as_ref().and_then(|p| Oid::from_hex(p.as_str()));
        let parent_tree = match parent {
            Some(parent) => match tree(reader, parent)? {
                Some(tree) => Some(tree),
                None => tree_of(parent),
            },
            None => Some(reader.empty_tree()),
        };
        let mut old = Old {
            id,
            checkpoint: head.checkpoint,
            checkpoint_id: head.checkpoint_id.clone(),
            role: head.role,
            tree: Oid::from_hex(head.tree.as_str()),
            parent_tree,
            here: false,
            patch: OnceCell::new(),
        };
        old.look(reader)?;
        Ok(Some(old))
    }

    fn look(&mut self, reader: &Reader) -> Result<()> {
        match reader.commit(self.id) {
            Ok(commit) => {
                self.here = true;
                self.tree = Some(commit.tree);
                match commit.parents.first() {
                    None => self.parent_tree = Some(reader.empty_tree()),
                    Some(parent) => {
                        if let Some(tree) = tree(reader, *parent)? {
                            self.parent_tree = Some(tree);
                        }
                    }
                }
                Ok(())
            }
            Err(e) if is_missing(&e) => Ok(()),
            Err(e) => Err(e),
        }
    }

    fn patch(&self, reader: &Reader) -> Option<Patch> {
        patch_of(reader, self.parent_tree, self.tree, &self.patch)
    }
}

impl New {
    /// A commit of a line of the chain `begin`.
    ///
    /// # Errors
    /// A commit that cannot be read.
    pub(super) fn read(reader: &Reader, id: Oid, recorded: &Recorded, begin: &str) -> Result<New> {
        let commit = reader.commit(id)?;
        let parent_tree = match commit.parents.first() {
            None => Some(reader.empty_tree()),
            Some(parent) => tree(reader, *parent)?,
        };
        let trailers = ChainTrailers::read(&commit.message);
        let mut claims = ChainTrailers::claims(&commit.message);
        if claims.len() < 2 {
            claims.clear();
        }
        let mut own = false;
        let mut inherited = BTreeSet::new();
        for s in recorded.of_chain_on(id, begin) {
            match s.says.event {
                Event::Rename => {}
                _ if !s.is_own() => {
                    inherited.insert((s.head.checkpoint, s.head.role));
                }
                Event::Adopt => {}
                Event::Begin | Event::Agent | Event::Reset => own = true,
            }
        }
        Ok(New {
            id,
            trailers: trailers.map(|t| (t.checkpoint, t.role)),
            tree: commit.tree,
            parent_tree,
            own,
            claims,
            inherited,
            patch: OnceCell::new(),
        })
    }

    fn patch(&self, reader: &Reader) -> Option<Patch> {
        patch_of(reader, self.parent_tree, Some(self.tree), &self.patch)
    }
}

/// Where each of `olds`, which are in the order of their line, went among `news`.
pub(super) fn counterparts(reader: &Reader, olds: &[Old], news: &[New]) -> Vec<Counterpart> {
    let free: Vec<&New> = news.iter().filter(|n| !n.own).collect();
    let mut spanned = BTreeMap::<usize, Oid>::new();
    let trees = Trees::of(olds);
    for new in &free {
        if let Some((first, last)) = trees.span(olds, new) {
            spanned.extend((first..=last).map(|at| (at, new.id)));
        }
    }
    let mut found = Vec::with_capacity(olds.len());
    for (at, old) in olds.iter().enumerate() {
        let named = free
            .iter()
            .find_map(|new| Some((new.id, went_into(old, new)?)));
        let spanned = || Some((*spanned.get(&at)?, "it makes several steps of trees in one"));
        found.push(match named.or_else(spanned) {
            Some((id, why)) => Counterpart::Collapsed(id, why),
            None => one(reader, old, &free),
        });
    }
    // No commit is the counterpart of two.
    for i in 0..found.len() {
        let Counterpart::One(id, _) = found[i] else {
            continue;
        };
        let same = |c: &Counterpart| matches!(c, Counterpart::One(other, _) if *other == id);
        if found.iter().filter(|c| same(c)).count() > 1 {
            for c in found.iter_mut().filter(|c| same(c)) {
                *c = Counterpart::Collapsed(id, "it is the counterpart of several");
            }
        }
    }
    found
}

/// What says that `old` and others went into `new` together.
fn went_into(old: &Old, new: &New) -> Option<&'static str> {
    if !new.claims.is_empty() {
        let value = format!("{} {}", old.checkpoint, old.checkpoint_id);
        let named = |c: &Claim| c.checkpoint == value && c.role == old.role.word();
        if new.claims.iter().any(named) {
            return Some("its message names several commits");
        }
    }
    let place = (old.checkpoint, old.role);
    (new.inherited.len() > 1 && new.inherited.contains(&place))
        .then_some("it bears records of several commits")
}

/// Where in a line of commits which tree stands.
struct Trees {
    /// By the tree before a commit, the commits' places, ascending.
    before: HashMap<Oid, Vec<usize>>,
    /// By the tree of a commit.
    after: HashMap<Oid, Vec<usize>>,
}

impl Trees {
    fn of(olds: &[Old]) -> Trees {
        let mut trees = Trees {
            before: HashMap::new(),
            after: HashMap::new(),
        };
        for (at, old) in olds.iter().enumerate() {
            if let Some(tree) = old.parent_tree {
                trees.before.entry(tree).or_default().push(at);
            }
            if let Some(tree) = old.tree {
                trees.after.entry(tree).or_default().push(at);
            }
        }
        trees
    }

    /// The shortest run of several commits that `new` makes in one step: from the tree before
    /// the first to that of the last, where none alone does so.
    fn span(&self, olds: &[Old], new: &New) -> Option<(usize, usize)> {
        let before = self.before.get(&new.parent_tree?)?;
        let after = self.after.get(&new.tree)?;
        let one =
            |at: usize| olds[at].parent_tree == new.parent_tree && olds[at].tree == Some(new.tree);
        if Some(new.tree) == new.parent_tree || before.iter().any(|at| one(*at)) {
            return None;
        }
        before
            .iter()
            .filter_map(|first| {
                let last = after.iter().find(|last| *last > first)?;
                Some((last - first, *first, *last))
            })
            .min()
            .map(|(_, first, last)| (first, last))
    }
}

fn one(reader: &Reader, old: &Old, free: &[&New]) -> Counterpart {
    let free: Vec<&&New> = free
        .iter()
        .filter(|n| n.claims.is_empty() && n.inherited.len() < 2)
        .collect();
    let by_trailers: Vec<&&&New> = free
        .iter()
        .filter(|n| n.trailers == Some((old.checkpoint, old.role)))
        .collect();
    let unnamed: Vec<&&&New> = free.iter().filter(|n| n.trailers.is_none()).collect();
    let named = !by_trailers.is_empty();
    let candidates = if named { by_trailers } else { unnamed };
    let mut judged = Vec::new();
    for new in candidates {
        let mut evidence = Vec::new();
        if named {
            evidence.push("trailers");
        }
        let bears = new.inherited.contains(&(old.checkpoint, old.role));
        if bears {
            evidence.push("record");
        }
        let same_tree = old.tree == Some(new.tree);
        if same_tree && old.parent_tree.is_some() && old.parent_tree == new.parent_tree {
            evidence.push("tree and parent tree");
        } else if same_patch(reader, old, new) {
            evidence.push("patch");
        } else if same_tree && bears {
            evidence.push("tree");
        }
        // A record alone may have been copied to a stranger.
        let enough = evidence.iter().any(|e| *e != "record");
        if enough {
            judged.push((new.id, evidence));
        }
    }
    let most = judged.iter().map(|(_, e)| e.len()).max().unwrap_or(0);
    // Trailers that several bear are told apart by more evidence, and by nothing else.
    let best: Vec<&(Oid, Vec<&'static str>)> =
        judged.iter().filter(|(_, e)| e.len() == most).collect();
    match best.as_slice() {
        [] => Counterpart::None,
        [(id, evidence)] => Counterpart::One(*id, evidence.clone()),
        _ => Counterpart::Several(judged),
    }
}

fn same_patch(reader: &Reader, old: &Old, new: &New) -> bool {
    match (old.patch(reader), new.patch(reader)) {
        (Some(was), Some(is)) => was == is && was != Patch::Empty,
        _ => false,
    }
}

fn patch_of(
    reader: &Reader,
    parent_tree: Option<Oid>,
    tree: Option<Oid>,
    cell: &OnceCell<Option<Patch>>,
) -> Option<Patch> {
    // What cannot be read is evidence of nothing.
    *cell.get_or_init(|| patch(reader, Some(parent_tree?), tree?).ok().flatten())
}

/// The tree of a commit that is here.
fn tree(reader: &Reader, id: Oid) -> Result<Option<Oid>> {
    match reader.commit(id) {
        Ok(commit) => Ok(Some(commit.tree)),
        Err(e) if is_missing(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

/// A superseded agent commit is an agent commit.
fn plain(role: Role) -> Role {
    match role {
        Role::Superseded => Role::Agent,
        other => other,
    }
}
