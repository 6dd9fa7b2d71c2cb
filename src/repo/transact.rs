//! Several refs moved as one, through the git program.
//!
//! A program that is killed half-way leaves git's own child to finish or to clean up, and every
//! ref format works alike. What came of it is told by exit status and by reading the refs again,
//! never by what git said.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::in_flight::{InFlight, clear_abandoned};
use super::lock::{Pause, age, lock_of, seconds};
use super::program::refusal;
use super::{Oid, RawRef, Reader, RefMove, Repo, StaleLock, shell_word};
use crate::error::{Error, Result};

/// What came of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All refs have their new values.
    Moved,
    /// A ref had not the value it was to have; look again.
    Lost,
    /// Nothing moved, since somebody holds this lock file.
    Locked {
        /// Which file.
        path: PathBuf,
        /// How long ago it was made.
        age: Duration,
    },
}

/// How long a refusal that nothing explains is tried again: somebody's lock may have gone between
/// git's look and ours.
const UNEXPLAINED: Duration = Duration::from_millis(200);

impl Repo {
    /// Moves, creates and deletes all of `moves`, or none of them. Reflogs name `reason` (one
    /// line). No hook runs, no symbolic ref is followed.
    ///
    /// # Errors
    /// Git where a name is no ref name, where another ref's name excludes one of these (with the
    /// command that renames it), or where git refuses for another reason (no space, no
    /// permission). A race that was lost and a lock in the way are no errors.
    pub fn transact(&self, moves: &[RefMove], reason: &str) -> Result<Outcome> {
        if moves.is_empty() {
            return Ok(Outcome::Moved);
        }
        let script = self.script(moves)?;
        let mut program = self.program().without_hooks();
        let identity = self.identity()?;
        if identity.invented {
            let person = identity.committer.person;
            program = program
                .env("GIT_COMMITTER_NAME", person.name)
                .env("GIT_COMMITTER_EMAIL", person.email);
        }
        let reason = reason.replace(|c: char| c.is_control(), " ");
        let words = ["--create-reflog", "--no-deref", "-m", &reason, "--stdin"];
        let mut pause = Pause::until(Instant::now() + UNEXPLAINED);
        let mut cleared = false;
        clear_abandoned(self);
        loop {
            let flight = InFlight::announce(self, moves.iter().map(|m| m.name.as_str()));
            let shared = flight.as_ref().and_then(InFlight::handle);
            let output = shared.unwrap_or_else(Stdio::piped);
            let call = program.call(&[], "update-ref", &words);
            let out = call.input(script.as_str()).output_to(output).run()?;
            drop(flight);
            if out.status.success() {
                return Ok(Outcome::Moved);
            }
            let reader = self.reader()?;
            match self.explained(&reader, moves)? {
                // A lock may be what a killed transaction of ours left behind.
                Some(Outcome::Locked { .. }) if !cleared && !clear_abandoned(self).is_empty() => {
                    cleared = true;
                    continue;
                }
                Some(outcome) => return Ok(outcome),
                None => {}
            }
            for RefMove { name, new, .. } in moves {
                if new.is_some()
                    && let Some(blocker) = reader.in_the_way(name)?.first()
                {
                    return Err(blocked(name, blocker));
                }
            }
            if !pause.rest() {
                return Err(refusal("update-ref", &out));
            }
        }
    }

    fn script(&self, moves: &[RefMove]) -> Result<String> {
        let null = Oid(gix::ObjectId::null(self.git().object_hash()));
        let mut script = String::from("start\n");
        for RefMove { name, old, new } in moves {
            gix::refs::FullName::try_from(name.as_str())
                .map_err(|e| Error::git(format!("moving {name}: not a ref name")).with_source(e))?;
            // Git's reader of this script takes a quote for the start of a quoted word.
            if !name.starts_with("refs/") {
                return Err(Error::git(format!("moving {name}: not a name under refs/")));
            }
            let old = old.unwrap_or(null);
            let _ = match new {
                Some(new) => writeln!(script, "update {name} {new} {old}"),
                None if old == null => writeln!(script, "verify {name} {old}"),
                None => writeln!(script, "delete {name} {old}"),
            };
        }
        script.push_str("prepare\ncommit\n");
        Ok(script)
    }

    /// What the refs and the lock files say came of `moves`; `None` where nothing does.
    fn explained(&self, reader: &Reader, moves: &[RefMove]) -> Result<Option<Outcome>> {
        let mut all_new = true;
        let mut all_old = true;
        for RefMove { name, old, new } in moves {
            let now = reader.reference(name)?;
            all_new &= now == *new;
            all_old &= now == *old;
        }
        if all_new && !all_old {
            return Ok(Some(Outcome::Moved));
        }
        if !all_old {
            return Ok(Some(Outcome::Lost));
        }
        let common = self.common_dir();
        let mut locks: Vec<PathBuf> = if self.shape.reftable {
            vec![common.join("reftable").join("tables.list.lock")]
        } else {
            moves.iter().map(|m| lock_of(common, &m.name)).collect()
        };
        locks.push(common.join("packed-refs.lock"));
        if moves.iter().any(|m| m.name.starts_with("refs/heads/")) {
            locks.push(self.git_dir().join("HEAD.lock"));
        }
        Ok(locks.into_iter().find_map(|path| {
            let age = age(&path)?;
            Some(Outcome::Locked { path, age })
        }))
    }
}

impl Outcome {
    /// What stands in the way, for a message: `None` where everything moved.
    pub fn obstacle(&self) -> Option<String> {
        match self {
            Outcome::Moved => None,
            Outcome::Lost => Some("other writers moved the refs each time".to_owned()),
            Outcome::Locked { path, age } => Some(format!(
                "the lock {} has been there for {}",
                path.display(),
                seconds(*age)
            )),
        }
    }
}

impl StaleLock {
    /// What was done, for a remark.
    pub fn remark(&self) -> String {
        format!(
            "removed the stale lock {} ({} old)",
            self.path.display(),
            seconds(self.age)
        )
    }
}

impl Reader {
    /// The refs whose names exclude a ref named `name`: one that is a folder of it, or those for
    /// which it is a folder. Git keeps no two such refs. Sorted by name.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub fn in_the_way(&self, name: &str) -> Result<Vec<RawRef>> {
        let mut found = Vec::new();
        for (at, _) in name.match_indices('/').skip(1) {
            let above = &name[..at];
            if let Some(id) = self.reference(above)? {
                found.push(RawRef {
                    name: above.to_owned(),
                    id,
                });
            }
        }
        let below = self.references_under(&[name])?;
        found.extend(below.into_iter().filter(|r| r.name != name));
        Ok(found)
    }
}

impl RawRef {
    /// The command that gives this ref a name which excludes none of ours.
    pub fn renaming(&self) -> String {
        let mut parts = self.name.splitn(3, '/').skip(1);
        let space = parts.next().unwrap_or_default();
        let rest = parts.next().unwrap_or_default();
        let free = format!("renamed-{}", rest.replace('/', "-"));
        let (name, id) = (shell_word(&self.name), self.id);
        if rest.is_empty() {
            let free = shell_word(&format!("refs/renamed-{space}"));
            return format!("git update-ref {free} {id} && git update-ref -d {name} {id}");
        }
        if space == "heads" {
            return format!("git branch -m {} {}", shell_word(rest), shell_word(&free));
        }
        let free = shell_word(&format!("refs/{space}/{free}"));
        format!("git update-ref {free} {id} && git update-ref -d {name} {id}")
    }
}

fn blocked(name: &str, blocker: &RawRef) -> Error {
    Error::git(format!(
        "{name} cannot be written: git keeps no such ref beside {}",
        blocker.name
    ))
    .with_hint(format!("rename that ref: {}", blocker.renaming()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_in_the_way_gets_a_name_that_blocks_nothing() {
        let id = Oid::from_hex(&"1".repeat(40)).expect("an id");
        let renaming = |name: &str| {
            let name = name.to_owned();
            RawRef { name, id }.renaming()
        };
        assert_eq!(
            renaming("refs/heads/evolve"),
            "git branch -m evolve renamed-evolve"
        );
        assert_eq!(
            renaming("refs/notes/evolve/tests/x"),
            format!(
                "git update-ref refs/notes/renamed-evolve-tests-x {id} && \
                 git update-ref -d refs/notes/evolve/tests/x {id}"
            )
        );
    }
}
