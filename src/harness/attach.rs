//! `attach`: captures that come later, added to a commit of a chain that is made already. No ref
//! of a branch moves, nothing that stands is changed.

use super::earlier::{Capture, captures, tell_unstable};
use super::payloads::{Captured, Files, Ground};
use super::said;
use super::turn::Turn;
use super::workplace::Say;
use super::written::Written;
use crate::error::{Error, Result};
use crate::ledger::{self, Chain, ChainCommit, Chains};
use crate::record::{Event, Head, Kind, Purpose, RecordId, Role};
use crate::repo::{Oid, Reader, Repo};

/// What is to be added, and where.
#[derive(Debug, Clone, Default)]
pub struct Attach {
    /// The commit: a revision, or `CHAIN@K`.
    pub commit: String,
    /// The files.
    pub captured: Captured,
    /// The checkpoint that is spoken of, where it is not the commit's.
    pub for_checkpoint: Option<u32>,
    /// The attempt they belong to; else the commit's own, or a new one.
    pub attempt: Option<RecordId>,
    /// Say what would be added, and change nothing.
    pub dry_run: bool,
}

/// Adds captures to a commit of a chain.
///
/// # Errors
/// Usage where the commit is on no chain, is none that captures belong to, or it is not said of
/// which checkpoint they are; where a file cannot be read. Git where the revision is unknown or
/// nothing can be written. Nothing is written then.
pub fn attach(repo: &Repo, asked: &Attach, say: Say<'_>) -> Result<()> {
    let reader = repo.reader()?;
    let files = asked.captured.files()?;
    let Some(added) = files.said() else {
        return Err(Error::usage("nothing to attach").with_hint(
            "--envelope FILE, --transcript FILE, --tests GLOB and --coverage FILE name captures",
        ));
    };
    let chains = ledger::chains(&reader)?;
    let (chain, at) = find(&reader, &chains, &asked.commit)?;
    let place = Place::of(&reader, chain, at, asked, &files)?;
    if place.commit.role == Role::Superseded {
        say(&format!(
            "{} is superseded by a later commit of checkpoint {}: what is recorded of it counts in no figure",
            place.commit.id.short(),
            place.commit.checkpoint
        ));
    }
    if asked.dry_run {
        say(&format!("would add to {place}: {added}"));
        return Ok(());
    }
    let mut attempt = place.attempt(&reader, &chains, asked, &files, say)?;
    let mut written = place.read(repo, attempt.clone(), &files, say)?;
    if place.is_new_attempt(asked, &files) {
        // A failed attempt has no commit that says which it is: its session does.
        let earlier = captures(&reader, place.commit.id)?;
        let again = |new: &&Capture| earlier.iter().find(|old| new.is_again(old));
        let known = written.captures().iter().find_map(|new| again(&new));
        if let Some(known) = known.map(|c| c.attempt.clone()) {
            attempt = known;
            written = place.read(repo, attempt.clone(), &files, &mut |_| {})?;
        }
    }
    let shown = place.to_string();
    add(
        repo,
        (place.commit.id, attempt.as_ref()),
        written,
        &added,
        &shown,
        say,
    )
}

/// Writes what is new of `written` about the commit and attempt; `added` is what was given, in
/// words, `place` where.
///
/// # Errors
/// Git where nothing can be written.
pub(super) fn add(
    repo: &Repo,
    (commit, attempt): (Oid, Option<&RecordId>),
    mut written: Written,
    added: &str,
    place: &str,
    say: Say<'_>,
) -> Result<()> {
    // Where it cannot be had in time, the same capture twice is the worst that comes of it.
    let _turn = Turn::to_capture(repo).ok();
    let mut earlier = captures(&repo.reader()?, commit)?;
    earlier.retain(|c| c.attempt.as_ref() == attempt);
    let again = written.leave_out(&earlier);
    if again > 0 {
        let there = said::count(again, "capture is", "captures are");
        say(&format!("{there} recorded already and not added once more"));
    }
    if written.is_empty() {
        return Ok(());
    }
    tell_unstable(written.captures(), &earlier, say);
    let done = ledger::append(repo, written.batch())?;
    done.remarks.iter().for_each(|r| say(r));
    let what = match again {
        0 => added,
        _ => "the others",
    };
    say(&format!("added to {place}: {what}"));
    Ok(())
}

/// The commit that was named, on its chain.
fn find<'c>(reader: &Reader, chains: &'c Chains, name: &'c str) -> Result<(&'c Chain, usize)> {
    if let Some((chain, k)) = name.rsplit_once('@')
        && let Ok(k) = k.parse::<u32>()
        && chains.named(chain).next().is_some()
    {
        return checkpoint(chains, chain, k);
    }
    let commit = reader.commit_at(name)?;
    if let Some(found) = chains.chain_of(commit) {
        return Ok(found);
    }
    let aside = chains.chains.iter().find(|c| c.aside.contains(&commit));
    Err(match aside {
        Some(chain) => Error::usage(format!(
            "{name} is on a line of chain {} that does not count",
            chain.label
        ))
        .with_hint("`git evolve status` says why, `git evolve reconcile` what can be done"),
        None => Error::usage(format!("{name} is a commit of no chain")).with_hint(
            "captures belong to checkpoints: name an agent commit, or CHAIN@K; `git evolve begin` \
             begins a chain, `git evolve status` lists them",
        ),
    })
}

/// The commit of checkpoint `k` of the chain that is shown or named `name`.
fn checkpoint<'c>(chains: &'c Chains, name: &'c str, k: u32) -> Result<(&'c Chain, usize)> {
    let all: Vec<&Chain> = chains.named(name).collect();
    let [chain] = all.as_slice() else {
        let labels: Vec<&str> = all.iter().map(|c| c.label.as_str()).collect();
        return Err(Error::usage(format!(
            "several chains are called {name}: {}",
            labels.join(", ")
        )));
    };
    let of_it = |c: &ChainCommit| c.checkpoint == k && matches!(c.role, Role::Agent | Role::Base);
    let at = chain.line.iter().rposition(of_it).ok_or_else(|| {
        Error::usage(format!("chain {name} has no checkpoint {k}")).with_hint(format!(
            "what is captured of a checkpoint without a commit (a failed attempt) is attached to \
             the commit it started from, with --for-checkpoint {k}"
        ))
    })?;
    Ok((chain, at))
}

/// Where captures go, and what they speak of.
struct Place<'c> {
    chain: &'c Chain,
    /// The commit that the records are attached to.
    commit: &'c ChainCommit,
    for_checkpoint: Option<u32>,
    begin: RecordId,
    tree: Oid,
    parent: Option<Oid>,
    /// The tree that was tested, where it is another.
    ran_tree: Option<Oid>,
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = self.for_checkpoint.unwrap_or(self.commit.checkpoint);
        write!(
            f,
            "checkpoint {number} of {} ({}{})",
            self.chain.label,
            match self
                .for_checkpoint
                .is_some_and(|k| k != self.commit.checkpoint)
            {
                true => "on ",
                false => "",
            },
            self.commit.id.short()
        )
    }
}

impl<'c> Place<'c> {
    fn of(
        reader: &Reader,
        chain: &'c Chain,
        at: usize,
        asked: &Attach,
        files: &Files,
    ) -> Result<Place<'c>> {
        let named = &chain.line[at];
        let short = named.id.short();
        let mut commit = named;
        let mut ran_tree = None;
        let mut for_checkpoint = asked.for_checkpoint;
        match (named.role, asked.for_checkpoint) {
            (Role::Foreign | Role::Change, _) => {
                return Err(Error::usage(format!(
                    "{short} is on chain {} and no commit of a checkpoint",
                    chain.label
                ))
                .with_hint("name the checkpoint's agent commit, or CHAIN@K"));
            }
            (Role::Agent | Role::Superseded, Some(k)) if k != named.checkpoint => {
                return Err(Error::usage(format!(
                    "{short} is the agent commit of checkpoint {}, not of {k}",
                    named.checkpoint
                ))
                .with_hint("--for-checkpoint goes with the base or reset commit it started from"));
            }
            (Role::Agent | Role::Superseded, _) => for_checkpoint = None,
            (Role::Base | Role::Reset, Some(k)) if k < named.checkpoint => {
                return Err(Error::usage(format!(
                    "{short} is of checkpoint {}, and checkpoint {k} did not start from it",
                    named.checkpoint
                )));
            }
            (Role::Base | Role::Reset, Some(_)) => {}
            (Role::Base, None) if files.has_session() => {
                return Err(Error::usage(format!(
                    "{short} is the base of chain {}: it is not said of which checkpoint the session is",
                    chain.label
                ))
                .with_hint("--for-checkpoint K: the checkpoint that was tried, or probed for"));
            }
            (Role::Base, None) => for_checkpoint = Some(0),
            // What ran behind the reset ran on the checkpoint's work, with what it put back.
            (Role::Reset, None) => {
                let agent =
                    |c: &&ChainCommit| c.role == Role::Agent && c.checkpoint == named.checkpoint;
                commit = chain.line[..at].iter().rev().find(agent).ok_or_else(|| {
                    Error::usage(format!(
                        "checkpoint {} has no agent commit before {short}",
                        named.checkpoint
                    ))
                    .with_hint("--for-checkpoint K says of which checkpoint the captures are")
                })?;
                ran_tree = Some(reader.commit(named.id)?.tree);
            }
        }
        let read = reader.commit(commit.id)?;
        let begin = RecordId::parse(&chain.begin).ok_or_else(|| {
            Error::git(format!("chain {} has no well-formed identity", chain.label))
        })?;
        Ok(Place {
            chain,
            commit,
            for_checkpoint,
            begin,
            tree: read.tree,
            parent: read.parents.first().copied(),
            ran_tree: ran_tree.filter(|tree| *tree != read.tree),
        })
    }

    /// Whether these captures are an attempt of their own that no commit tells of.
    fn is_new_attempt(&self, asked: &Attach, files: &Files) -> bool {
        let tries = !matches!(files.sessions.purpose(), Purpose::Probe | Purpose::Noop);
        let elsewhere = self.for_checkpoint.is_some_and(|k| k > 0);
        asked.attempt.is_none() && elsewhere && files.has_session() && tries
    }

    /// The attempt that they belong to.
    fn attempt(
        &self,
        reader: &Reader,
        chains: &Chains,
        asked: &Attach,
        files: &Files,
        say: Say<'_>,
    ) -> Result<Option<RecordId>> {
        let recorded = chains.recorded(reader)?;
        if let Some(attempt) = &asked.attempt {
            let of_it = |head: &Head| head.attempt.as_ref() == Some(attempt);
            let known = recorded.all().any(|s| of_it(&s.head)) || {
                let kinds = [Kind::Envelope, Kind::Tests, Kind::Coverage];
                let records = ledger::records(reader, &kinds)?;
                let mut all = records.all().filter_map(|(_, _, s)| s.record());
                all.any(|r| of_it(&r.head))
            };
            if !known {
                say(&format!("no record is of attempt {attempt} yet"));
            }
            return Ok(Some(attempt.clone()));
        }
        if self.for_checkpoint.is_some() {
            return Ok(self.is_new_attempt(asked, files).then(RecordId::new));
        }
        let mut own: Vec<_> = recorded
            .of_chain_on(self.commit.id, &self.chain.begin)
            .filter(|s| s.says.event == Event::Agent && s.head.checkpoint == self.commit.checkpoint)
            .collect();
        own.sort_by_key(|s| !s.is_own());
        Ok(own.first().and_then(|s| s.head.attempt.clone()))
    }

    /// The records, with what is read out of their payloads.
    fn read(
        &self,
        repo: &Repo,
        attempt: Option<RecordId>,
        files: &Files,
        say: Say<'_>,
    ) -> Result<Written> {
        let commit = self.commit;
        let mut head = Written::head(
            (&self.chain.begun_as, &self.begin),
            (
                commit.checkpoint,
                &commit.checkpoint_id,
                role_of(commit.role),
            ),
            (commit.id, self.tree, self.parent),
            attempt.as_ref(),
        );
        head.for_checkpoint = self.for_checkpoint;
        let mut written = Written::on(head);
        let ground = Ground {
            repo,
            reader: repo.reader()?,
            begin: &self.begin,
            checkpoint: self.for_checkpoint.unwrap_or(commit.checkpoint),
            tree: self.ran_tree.unwrap_or(self.tree),
            ran_tree: self.ran_tree,
        };
        files.add(&ground, &mut written, say)?;
        Ok(written)
    }
}

/// The role in records: they know no other than those of trailers.
fn role_of(role: Role) -> Role {
    match role {
        Role::Superseded => Role::Agent,
        role => role,
    }
}
