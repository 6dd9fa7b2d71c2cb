//! One ref of another repository, changed only where it still is what it was seen to be.

use super::child::{self, Manner};
use super::{loudness, porcelain, shown};
use crate::error::Result;
use crate::repo::{Oid, Repo};

/// What became of a swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Swapped {
    /// The ref is what it was to become.
    Done,
    /// It was not what was expected: this is what it was afterwards.
    Lost(Option<Oid>),
    /// The other side does not take it, although it was what was expected; its words.
    Refused(String),
}

impl Repo {
    /// Sets the ref `name` at `place` to `new` (`None`: it goes) where it is `expected` (`None`:
    /// where it is not there). The other side compares under its own lock: of several that
    /// expect the same, one is done.
    ///
    /// # Errors
    /// Git where the other side cannot be reached.
    pub fn swap_ref(
        &self,
        place: &str,
        name: &str,
        expected: Option<Oid>,
        new: Option<Oid>,
        manner: Manner<'_>,
    ) -> Result<Swapped> {
        let plain = format!("remote.{place}.mirror=false");
        let id = |id: Option<Oid>| id.map_or(String::new(), |id| id.to_string());
        let words = child::words(&[
            "-c",
            &plain,
            "push",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--no-force-if-includes",
            "--recurse-submodules=no",
            &format!("--force-with-lease={name}:{}", id(expected)),
            loudness(manner),
            "--",
            place,
            &format!("{}:{name}", id(new)),
        ]);
        let said = self.talk(words, manner)?;
        let told = porcelain::read(&said.output);
        if said.status.success() && told.iter().all(|r| r.there) {
            return Ok(Swapped::Done);
        }
        if told.is_empty() {
            return Err(said.error(&format!("pushing {name} to {}", shown(place))));
        }
        let now = self.list_remote(place, &[name], manner)?.remove(name);
        if now != expected {
            return Ok(if now == new {
                Swapped::Done
            } else {
                Swapped::Lost(now)
            });
        }
        // Somebody was there in between, and is gone again.
        let words = told.iter().map(|r| r.words.as_str());
        let words =
            words
                .chain(said.words().iter().map(String::as_str))
                .fold(String::new(), |all, w| {
                    if all.is_empty() {
                        w.to_owned()
                    } else {
                        format!("{all}; {w}")
                    }
                });
        match words.contains("stale info") || words.contains("failed to update ref") {
            true => Ok(Swapped::Lost(now)),
            false => Ok(Swapped::Refused(words)),
        }
    }
}
