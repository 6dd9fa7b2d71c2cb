//! Claims: that two machines do not run one chain at the same time by mistake.
//!
//! A claim is the ref `refs/evolve/claims/<path>` on a remote that both reach: a commit of its
//! own, whose message says who, since when and until when. It is taken, renewed and given back by
//! compare-and-swap on the remote, so that of any number of claimants one has it. It is a
//! courtesy and guards no record: what two machines made of one chain all the same is joined as
//! any two lines of a chain are.

mod claim;
mod held;

use std::fs;
use std::time::Duration;

pub use claim::Claim;
use claim::shown;
pub use held::Held;

use crate::error::{Error, Result};
use crate::record::{ChainPath, Moment, RecordId};
use crate::repo::{Manner, NewCommit, Oid, Person, Remote, Repo, Stamp, Swapped, Writer};

/// How long a claim lasts where `evolve.claimTime` says nothing. It is renewed long before.
const TIME: Duration = Duration::from_secs(30 * 60);
/// How often a race that was lost is looked at again.
const LOOKS: u32 = 8;

/// Where claims are made, and by whom.
#[derive(Debug, Clone)]
pub struct Claims {
    repo: Repo,
    remote: Remote,
    machine: RecordId,
    time: Duration,
    limit: Duration,
    take_over: bool,
}

/// What came of taking a claim.
#[derive(Debug)]
pub enum Taking {
    /// It is ours, and what should be said of it.
    Ours(Box<Held>, Option<String>),
    /// Another machine has it: what should be said.
    Theirs(String),
}

impl Claims {
    /// Claims at `remote`. With `take_over` one whose time is over is taken.
    ///
    /// # Errors
    /// Usage where the remote is fetched from and pushed to at different addresses, or a setting
    /// is no number; git where this machine's id cannot be written.
    pub fn at(repo: &Repo, remote: Remote, take_over: bool) -> Result<Claims> {
        if remote.push_urls != [remote.url.clone()] {
            return Err(Error::usage(format!(
                "claims need one address, and {} is pushed to at another than it is fetched from",
                remote.shown()
            ))
            .with_hint("name the address that all machines push to"));
        }
        let limit = repo.seconds_setting("evolve.networkTimeout")?;
        let time = repo.seconds_setting("evolve.claimTime")?.unwrap_or(TIME);
        Ok(Claims {
            machine: machine(repo)?,
            repo: repo.clone(),
            remote,
            time: time.max(Duration::from_secs(1)),
            limit: limit.unwrap_or(Manner::LIMIT),
            take_over,
        })
    }

    /// Where claims are made, as it may be shown.
    pub fn place(&self) -> String {
        self.remote.shown()
    }

    /// Claims a chain. It stays claimed, renewed by a thread of its own, until the value goes.
    ///
    /// A claim of this very repository is taken again: the caller holds what keeps its own
    /// processes apart.
    ///
    /// # Errors
    /// Git where the remote cannot be reached or takes no such ref.
    pub fn take(&self, path: &ChainPath) -> Result<Taking> {
        let name = ref_of(path);
        for _ in 0..LOOKS {
            let there = self.look(&name)?;
            let (expected, before) = match there {
                None => (None, None),
                Some(id) => match self.read(&name, id)? {
                    // It was given back, or renewed, between the two questions.
                    Found::Gone => continue,
                    Found::Unread => return Ok(Taking::Theirs(self.unread(path))),
                    Found::Claim(claim) => match self.refusal(&claim) {
                        Some(why) => return Ok(Taking::Theirs(why)),
                        None => (Some(id), Some(claim)),
                    },
                },
            };
            let ours = Claim::new(path, &self.machine, None, self.millis());
            let new = self.write(&ours)?;
            match self.swap(&name, expected, Some(new))? {
                Swapped::Done => {
                    let said = before
                        .filter(|b| b.machine != self.machine && !b.given_back)
                        .map(|b| {
                            format!(
                                "{path}: taken over from machine {}, whose claim was over at {}",
                                shown(&b.machine),
                                b.until
                            )
                        });
                    let held = Held::keep(self.clone(), ours, new);
                    return Ok(Taking::Ours(Box::new(held), said));
                }
                Swapped::Lost(_) => {}
                Swapped::Refused(words) => {
                    return Err(Error::git(format!(
                        "claiming {path} at {}: {words}",
                        self.place()
                    ))
                    .with_hint(
                        "the server must take refs below refs/evolve/; without claims, run \
                         disjoint chains on each machine",
                    ));
                }
            }
        }
        Ok(Taking::Theirs(format!(
            "{path}: other machines claim it at this moment: not run here"
        )))
    }

    /// All claims at the remote, given back ones left out, sorted by path.
    ///
    /// # Errors
    /// Git where the remote cannot be reached.
    pub fn all(&self) -> Result<Vec<Claim>> {
        let pattern = "refs/evolve/claims/*";
        let listed = self
            .repo
            .list_remote(&self.remote.place, &[pattern], self.manner())?;
        let mut all = Vec::new();
        for (name, id) in listed {
            if name.starts_with("refs/evolve/claims/")
                && let Found::Claim(claim) = self.read(&name, id)?
                && !claim.given_back
            {
                all.push(claim);
            }
        }
        all.sort_by(|a, b| a.chain.cmp(&b.chain));
        Ok(all)
    }

    /// Why a claim that is there is not ours to take; `None` where it is.
    fn refusal(&self, claim: &Claim) -> Option<String> {
        let Claim { chain, machine, .. } = claim;
        if *machine == self.machine || claim.given_back {
            return None;
        }
        let (who, taken, until) = (shown(machine), claim.taken, claim.until);
        match claim.is_over(Moment::now()) {
            false => Some(format!(
                "{chain}: machine {who} runs it since {taken}, its claim holds until {until}: \
                 not run here"
            )),
            true if self.take_over => None,
            true => Some(format!(
                "{chain}: machine {who} claimed it at {taken}, until {until}, which is over: \
                 --take-over runs it here"
            )),
        }
    }

    fn unread(&self, path: &ChainPath) -> String {
        format!(
            "{path}: what {} has at {} is no claim that this version reads: not run here",
            self.place(),
            ref_of(path)
        )
    }

    /// What the remote's ref is.
    fn look(&self, name: &str) -> Result<Option<Oid>> {
        let mut listed = self
            .repo
            .list_remote(&self.remote.place, &[name], self.manner())?;
        Ok(listed.remove(name))
    }

    /// The claim that the remote has at `name`, which was `id` when last looked at.
    fn read(&self, name: &str, id: Oid) -> Result<Found> {
        // No refspec with a place here: the object comes, and no ref is left behind.
        let wanted = [name.to_owned()];
        match self
            .repo
            .fetch_from(&self.remote.place, &wanted, self.manner())
        {
            Ok(_) => {}
            Err(_) if self.look(name)? != Some(id) => return Ok(Found::Gone),
            Err(e) => return Err(e),
        }
        match self.repo.reader()?.commit(id) {
            Ok(commit) => Ok(Claim::read(&commit.message)
                .filter(|c| ref_of(&c.chain) == name)
                .map_or(Found::Unread, Found::Claim)),
            Err(e) if crate::repo::is_missing(&e) => Ok(Found::Gone),
            Err(_) => Ok(Found::Unread),
        }
    }

    /// Writes a claim's commit into this repository.
    fn write(&self, claim: &Claim) -> Result<Oid> {
        let by = Stamp {
            person: Person {
                name: "git-evolve".to_owned(),
                email: "claims@git-evolve.invalid".to_owned(),
            },
            seconds: Moment::now().millis().div_euclid(1_000),
        };
        let writer = Writer::open(&self.repo)?;
        writer.commit(&NewCommit {
            tree: writer.tree(&std::collections::BTreeMap::new())?,
            parents: &[],
            author: &by,
            committer: &by,
            message: claim.message()?.as_bytes(),
        })
    }

    fn swap(&self, name: &str, expected: Option<Oid>, new: Option<Oid>) -> Result<Swapped> {
        self.repo
            .swap_ref(&self.remote.place, name, expected, new, self.manner())
    }

    fn manner(&self) -> Manner<'static> {
        Manner {
            limit: self.limit,
            ..Manner::default()
        }
    }

    fn millis(&self) -> i64 {
        i64::try_from(self.time.as_millis()).unwrap_or(i64::MAX)
    }
}

/// What stands at a ref for a claim.
enum Found {
    Claim(Claim),
    Unread,
    Gone,
}

fn ref_of(path: &ChainPath) -> String {
    format!("refs/evolve/claims/{path}")
}

/// This repository's own id, drawn where it has none yet. A copy of the whole folder has the same;
/// a clone has another.
fn machine(repo: &Repo) -> Result<RecordId> {
    let folder = repo.evolve_dir();
    let file = folder.join("machine");
    let failed = |e| Error::git(format!("writing {}", file.display())).with_source(e);
    let known = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        RecordId::parse(text.trim())
    };
    if let Some(id) = known() {
        return Ok(id);
    }
    let id = RecordId::new();
    fs::create_dir_all(&folder).map_err(failed)?;
    let own = folder.join(format!("machine-{id}"));
    fs::write(&own, format!("{id}\n")).map_err(failed)?;
    // Of several at once the first one's stays: a link does not replace.
    let linked = fs::hard_link(&own, &file);
    let _ = fs::remove_file(&own);
    match (linked, known()) {
        (_, Some(id)) => Ok(id),
        // No links here, or something else stands there.
        (_, None) => {
            fs::write(&file, format!("{id}\n")).map_err(failed)?;
            Ok(id)
        }
    }
}
