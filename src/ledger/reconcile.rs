//! What rewriting left behind: records whose commits are no longer on a chain's line, lines that
//! were rewritten, chains that nothing keeps; and how each comes back.
//!
//! Nothing is guessed: each proposal says what speaks for it, and what several commits could be is
//! listed and left alone until somebody picks. Nothing is taken away: records are copied, refs are
//! made or moved forward. Doing it twice is doing it once.

use std::collections::BTreeMap;

use super::chains::runs;
use super::stored::Stored;
use crate::error::{Error, Result};
use crate::record::{ChainPath, Kind, RecordId, Role};
use crate::repo::{Oid, Reader, RefMove, Repo};

mod alone;
mod apply;
mod copies;
mod matching;
mod on_line;
mod orphans;
mod survey;

pub use apply::{Applied, apply};
use survey::Survey;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Asked<'a> {
    /// One chain, by label, path or `Evolve-Begin`; none: all.
    pub chain: Option<&'a str>,
    /// Commits that were picked by hand: the old one and the one it is now.
    pub picks: Vec<(Oid, Oid)>,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// Records of a rewritten commit, and the commit of the line that it is now.
    Carry,
    /// The same where several commits could be it.
    Ambiguous,
    /// A line that was rewritten.
    Rewritten,
    /// Commits that records name and no ref keeps.
    Keep,
    /// A chain whose branch is gone and which a keep ref holds.
    Safe,
    /// Several commits that were made one.
    Collapsed,
    /// An agent or reset commit that was copied onto another line.
    Copy,
    /// Commits that were recorded, taken back, and recorded anew.
    TakenBack,
    /// Commits that are not in this repository.
    Gone,
    /// What cannot be told in a repository that is cut off.
    Unknown,
}

impl Found {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Found::Carry => "carry",
            Found::Ambiguous => "ambiguous",
            Found::Rewritten => "rewritten",
            Found::Keep => "keep",
            Found::Safe => "safe",
            Found::Collapsed => "collapsed",
            Found::Copy => "copy",
            Found::TakenBack => "taken back",
            Found::Gone => "gone",
            Found::Unknown => "unknown",
        }
    }
}

/// One finding.
#[derive(Debug, Clone)]
pub struct Item {
    /// How the chain is shown.
    pub chain: String,
    /// Its identity.
    pub begin: String,
    /// What was found.
    pub found: Found,
    /// The checkpoints it is about, ascending.
    pub checkpoints: Vec<u32>,
    /// The role of the commit it is about, where that is one.
    pub role: Option<Role>,
    /// The commits as they were.
    pub old: Vec<Oid>,
    /// The commits they are now, or could be.
    pub new: Vec<Oid>,
    /// The ref that is made or moved, or that holds the chain.
    pub reference: Option<String>,
    /// How many records it is about, by kind.
    pub records: BTreeMap<Kind, usize>,
    /// What speaks for it.
    pub evidence: Vec<String>,
    /// What it means.
    pub says: String,
    /// What somebody may type.
    pub command: Option<String>,
    actions: Vec<Action>,
}

impl Item {
    fn new(chain: &str, begin: &str, found: Found) -> Item {
        Item {
            chain: chain.to_owned(),
            begin: begin.to_owned(),
            found,
            checkpoints: Vec::new(),
            role: None,
            old: Vec::new(),
            new: Vec::new(),
            reference: None,
            records: BTreeMap::new(),
            evidence: Vec::new(),
            says: String::new(),
            command: None,
            actions: Vec::new(),
        }
    }

    /// Whether applying does something about it.
    pub fn is_proposed(&self) -> bool {
        !self.actions.is_empty()
    }

    /// Whether it waits for somebody's word.
    pub fn is_open(&self) -> bool {
        self.is_proposed() || self.found == Found::Ambiguous
    }

    /// The checkpoints, runs of them as `3-7`, so that a long chain stays one word.
    pub fn about(&self) -> String {
        runs(&self.checkpoints).join(",")
    }
}

/// Something that applying does.
#[derive(Debug, Clone)]
enum Action {
    /// Lines are copied to the commit `to`.
    Carry { to: Oid, lines: Vec<(Kind, Stored)> },
    /// It is recorded that the commit `to` stands for `adopts`.
    Adopt(Box<Adoption>),
    /// A ref is made or moved forward.
    Move(RefMove),
}

/// An adoption to be recorded.
#[derive(Debug, Clone)]
struct Adoption {
    to: Oid,
    adopts: Oid,
    chain: ChainPath,
    begin: RecordId,
    checkpoint: u32,
    checkpoint_id: String,
    role: Role,
}

/// Everything that was found.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// By chain, then by kind of finding and checkpoint.
    pub items: Vec<Item>,
    /// What else is to be said.
    pub remarks: Vec<String>,
}

impl Plan {
    /// Whether anything waits for somebody's word.
    pub fn is_open(&self) -> bool {
        self.items.iter().any(Item::is_open)
    }
}

/// Looks for what rewriting left behind. Changes nothing.
///
/// # Errors
/// Usage where there is no such chain, or where a picked commit is not one of those that could be
/// meant; git where refs, notes or objects cannot be read.
pub fn reconcile(repo: &Repo, reader: &Reader, asked: &Asked<'_>) -> Result<Plan> {
    let records = super::read::read(reader, &Kind::ALL)?;
    let mut survey = Survey::take(repo, reader, &records, &asked.picks)?;
    let wanted = survey.wanted(asked.chain)?;
    let mut plan = Plan {
        items: Vec::new(),
        remarks: survey.remarks(&wanted),
    };
    for begin in &wanted {
        let items = match survey.chain(begin).cloned() {
            Some(chain) => on_line::items(&mut survey, &chain)?,
            None => alone::items(&mut survey, begin)?,
        };
        plan.items.extend(items);
    }
    plan.items.extend(copies::items(&survey, &wanted)?);
    if let Some((old, new)) = survey.unused_pick() {
        return Err(Error::usage(format!(
            "--pick {}={}: the second is none of the commits that the first could be",
            old.short(),
            new.short()
        ))
        .with_hint("`git evolve reconcile` lists them"));
    }
    let key = |i: &Item| {
        (
            i.chain.clone(),
            i.begin.clone(),
            i.found,
            i.checkpoints.clone(),
        )
    };
    plan.items.sort_by_key(key);
    Ok(plan)
}
