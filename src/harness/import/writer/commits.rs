//! The commits of a chain, made in the object store.

use std::collections::BTreeMap;

use super::super::model::{ChainFound, CheckpointFound};
use super::place::epoch;
use crate::error::Result;
use crate::harness::agents::contained;
use crate::harness::message::{Place, agent_message, imported_base_message, reset_message};
use crate::record::{ChainPath, Contained, Moment, Purpose, RecordId};
use crate::repo::{Bounds, NewCommit, Oid, Person, Repo, Stamp, TakenIn, Writer};

/// Makes the commits of one chain.
pub(super) struct Commits<'a> {
    repo: &'a Repo,
    writer: Writer,
    chain: &'a ChainFound,
    path: &'a ChainPath,
    begin: &'a RecordId,
}

/// The states of a checkpoint in the object store.
pub(super) struct State {
    /// The last one; `None`: the checkpoint left none.
    pub(super) tree: Option<Oid>,
    pub(super) turns: Vec<Taken>,
}

/// One state.
pub(super) struct Taken {
    pub(super) tree: Oid,
    /// What of it was not taken as it was.
    pub(super) contained: Option<Contained>,
    /// The same in words.
    pub(super) said: Vec<String>,
}

impl<'a> Commits<'a> {
    pub(super) fn new(
        repo: &'a Repo,
        chain: &'a ChainFound,
        path: &'a ChainPath,
        begin: &'a RecordId,
    ) -> Result<Commits<'a>> {
        Ok(Commits {
            repo,
            writer: Writer::open(repo)?,
            chain,
            path,
            begin,
        })
    }

    /// The tree without files.
    pub(super) fn empty(&self) -> Result<Oid> {
        self.writer.tree(&BTreeMap::new())
    }

    /// The base: a root without files.
    pub(super) fn base(&self) -> Result<Oid> {
        let message = imported_base_message(self.path, self.begin.as_str(), &self.chain.said);
        let at = self.chain.began.unwrap_or_else(epoch);
        self.commit(self.empty()?, &[], at, &message)
    }

    /// The states of a checkpoint.
    pub(super) fn state(&self, checkpoint: &CheckpointFound) -> Result<State> {
        let bounds = Bounds {
            ignores: false,
            ..Bounds::default()
        };
        let empty = self.empty()?;
        let mut turns = Vec::new();
        for turn in &checkpoint.turns {
            let taken = self.repo.take_in(&turn.folder, empty, &bounds)?;
            let mut said = in_words(&taken);
            // Nothing of a repository is taken in, whoever made it.
            if std::fs::symlink_metadata(turn.folder.join(".git")).is_ok() {
                said.push(".git: left out".to_owned());
            }
            turns.push(Taken {
                tree: taken.tree,
                contained: contained(&taken, &[]),
                said,
            });
        }
        Ok(State {
            tree: turns.last().map(|t| t.tree),
            turns,
        })
    }

    /// The agent commit.
    pub(super) fn agent(&self, found: &CheckpointFound, tree: Oid, parent: Oid) -> Result<Oid> {
        let message = agent_message(self.place(found), &found.title, &[]);
        self.commit(tree, &[parent], moment_of(self.chain, found), &message)
    }

    /// The reset commit: nothing was put back.
    pub(super) fn reset(&self, found: &CheckpointFound, tree: Oid, agent: Oid) -> Result<Oid> {
        let message = reset_message(self.place(found), &[]);
        self.commit(tree, &[agent], moment_of(self.chain, found), &message)
    }

    /// Commits of the states after turns, where there was more than one.
    pub(super) fn turns(
        &self,
        found: &CheckpointFound,
        state: &State,
        parent: Oid,
    ) -> Result<Vec<Oid>> {
        if state.turns.len() < 2 {
            return Ok(Vec::new());
        }
        let at = moment_of(self.chain, found);
        let turns = found.turns.iter().zip(&state.turns);
        turns
            .map(|(turn, taken)| {
                let message = format!("After a turn: {}\n", word(turn.purpose));
                self.commit(taken.tree, &[parent], at, &message)
            })
            .collect()
    }

    fn place<'p>(&'p self, found: &'p CheckpointFound) -> Place<'p> {
        Place {
            path: self.path,
            checkpoint: found.number,
            id: &found.id,
        }
    }

    fn commit(&self, tree: Oid, parents: &[Oid], at: Moment, message: &str) -> Result<Oid> {
        let by = Stamp {
            person: Person {
                name: "git-evolve import".to_owned(),
                email: "import@git-evolve.invalid".to_owned(),
            },
            seconds: at.millis().div_euclid(1_000),
        };
        self.writer.commit(&NewCommit {
            tree,
            parents,
            author: &by,
            committer: &by,
            message: message.as_bytes(),
        })
    }
}

/// When a checkpoint was over; where the source does not tell, when the last one before it that
/// tells was, else when the chain began.
pub(super) fn moment_of(chain: &ChainFound, found: &CheckpointFound) -> Moment {
    let before = chain.checkpoints.iter().rev();
    let told = before
        .filter(|c| c.number <= found.number)
        .find_map(|c| c.ended.or(c.started));
    // Clocks that were set back make no commit older than its parent.
    let times = chain
        .checkpoints
        .iter()
        .filter(|c| c.number <= found.number);
    let latest = times.filter_map(|c| c.ended.or(c.started)).max();
    let began = chain.began;
    latest.max(told).max(began).unwrap_or_else(epoch)
}

fn word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Implement => "implement",
        Purpose::Refactor => "refactor",
        Purpose::Review => "review",
        Purpose::Probe => "probe",
        Purpose::Noop => "noop",
    }
}

/// What of a state was not taken as it was.
fn in_words(taken: &TakenIn) -> Vec<String> {
    let name = |path: &[u8]| crate::harness::said::path(path);
    let mut said = Vec::new();
    for stub in &taken.stubs {
        let (path, size) = (name(&stub.path), stub.size);
        said.push(format!("{path}: {size} bytes, a stub was taken"));
    }
    for (paths, what) in [
        (
            &taken.links_out,
            "a link that leads out of the tree, taken as a link",
        ),
        (&taken.special, "no file, link or folder: left out"),
        (&taken.unreadable, "not readable: left out"),
        (&taken.git_folders, "left out"),
        (&taken.refused, "a name that git cannot hold: left out"),
    ] {
        said.extend(paths.iter().map(|path| format!("{}: {what}", name(path))));
    }
    if taken.too_many_count > 0 {
        let count = crate::harness::said::count(
            usize::try_from(taken.too_many_count).unwrap_or(usize::MAX),
            "file",
            "files",
        );
        said.push(format!("{count} too many or too deep: left out"));
    }
    if taken.hostile_submodule {
        said.push(
            "'.gitmodules': names a command as the update of a submodule, taken as it is; hosts \
             may refuse it"
                .to_owned(),
        );
    }
    said
}
