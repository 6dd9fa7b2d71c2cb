//! Where notes of a kind may be: our own refs, what was fetched, and what was published as
//! ordinary branches so that a plain clone has it.

use std::collections::BTreeSet;
use std::fmt;

use crate::error::Result;
use crate::record::Kind;
use crate::repo::{Oid, Reader};

/// One of our notes refs: a kind of records, or the configurations they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NotesRef {
    /// The records of one kind.
    Records(Kind),
    /// Configurations, each a note on its own blob.
    Config,
}

impl NotesRef {
    /// All of them, in a fixed order.
    pub fn all() -> impl Iterator<Item = NotesRef> {
        let kinds = Kind::ALL.into_iter().map(NotesRef::Records);
        kinds.chain([NotesRef::Config])
    }

    /// The last part of its names: `tests`, `config`.
    pub fn word(self) -> &'static str {
        match self {
            NotesRef::Records(kind) => kind.word(),
            NotesRef::Config => "config",
        }
    }

    /// The one whose names end in `word`.
    pub fn parse(word: &str) -> Option<NotesRef> {
        NotesRef::all().find(|r| r.word() == word)
    }

    /// The local notes ref, `refs/notes/evolve/tests`.
    pub fn local(self) -> String {
        format!("refs/notes/evolve/{self}")
    }

    /// What was fetched of `remote`, `refs/evolve/remotes/origin/tests`.
    pub fn tracking(self, remote: &str) -> String {
        format!("refs/evolve/remotes/{remote}/{self}")
    }

    /// The branch it is published as, `refs/heads/evolve-notes/tests`.
    pub fn branch(self) -> String {
        format!("refs/heads/evolve-notes/{self}")
    }
}

impl fmt::Display for NotesRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Whose notes a ref holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// This repository's: `refs/notes/evolve/<kind>`.
    Local,
    /// A branch here: what was published from here, or, in a bare clone, from elsewhere.
    Branch,
    /// The remote's of this name, as `git evolve fetch` brought them.
    Tracking(String),
    /// The remote's of this name, as its published branch, which any fetch brings.
    Published(String),
}

impl Place {
    /// The remote whose notes these are.
    pub fn remote(&self) -> Option<&str> {
        match self {
            Place::Tracking(remote) | Place::Published(remote) => Some(remote),
            Place::Local | Place::Branch => None,
        }
    }
}

/// A ref that holds notes of ours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Which notes.
    pub notes: NotesRef,
    /// Whose.
    pub place: Place,
    /// The ref's full name.
    pub name: String,
    /// The object it names; a commit, where nobody meddled.
    pub tip: Oid,
}

/// All refs that hold notes of ours, sorted by kind, then by place.
///
/// # Errors
/// The refs cannot be read.
pub fn sources(reader: &Reader) -> Result<Vec<Source>> {
    let mut found = BTreeSet::new();
    for notes in NotesRef::all() {
        // Asked for by name: one that is there and broken is an error, not a gap.
        let name = notes.local();
        if let Some(tip) = reader.reference(&name)? {
            found.insert(Source {
                notes,
                place: Place::Local,
                name,
                tip,
            });
        }
    }
    let elsewhere = [
        "refs/heads/evolve-notes",
        "refs/evolve/remotes",
        "refs/remotes",
    ];
    for reference in reader.references_under(&elsewhere)? {
        if let Some((place, notes)) = place_of(&reference.name) {
            found.insert(Source {
                notes,
                place,
                name: reference.name,
                tip: reference.id,
            });
        }
    }
    Ok(found.into_iter().collect())
}

/// Whose notes of which kind the ref `name` holds, by its name. The remote's own name may hold
/// a `/`.
pub fn place_of(name: &str) -> Option<(Place, NotesRef)> {
    let (above, word) = name.rsplit_once('/')?;
    let notes = NotesRef::parse(word)?;
    let place = match above {
        "refs/notes/evolve" => Place::Local,
        "refs/heads/evolve-notes" => Place::Branch,
        _ => {
            let named = |remote: &str| (!remote.is_empty()).then(|| remote.to_owned());
            if let Some(remote) = above.strip_prefix("refs/evolve/remotes/") {
                Place::Tracking(named(remote)?)
            } else {
                let branch = above.strip_prefix("refs/remotes/")?;
                Place::Published(named(branch.strip_suffix("/evolve-notes")?)?)
            }
        }
    };
    Some((place, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refs_name_says_whose_notes_it_holds() {
        let tests = NotesRef::Records(Kind::Tests);
        for (name, place) in [
            ("refs/notes/evolve/tests", Place::Local),
            ("refs/heads/evolve-notes/tests", Place::Branch),
            (
                "refs/evolve/remotes/origin/tests",
                Place::Tracking("origin".to_owned()),
            ),
            (
                "refs/evolve/remotes/me/fork/tests",
                Place::Tracking("me/fork".to_owned()),
            ),
            (
                "refs/remotes/me/fork/evolve-notes/tests",
                Place::Published("me/fork".to_owned()),
            ),
        ] {
            assert_eq!(place_of(name), Some((place, tests)), "{name}");
        }
        for name in [
            "refs/notes/evolve/tests/x",
            "refs/notes/evolve/other",
            "refs/notes/tests",
            "refs/evolve/remotes/tests",
            "refs/remotes/origin/evolve/tests",
            "refs/remotes/evolve-notes/tests",
            "refs/heads/evolve-notes/x/tests",
            "refs/tags/tests",
        ] {
            assert_eq!(place_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_and_places_agree() {
        for notes in NotesRef::all() {
            let own = Place::Tracking("a/b".to_owned());
            assert_eq!(place_of(&notes.local()), Some((Place::Local, notes)));
            assert_eq!(place_of(&notes.branch()), Some((Place::Branch, notes)));
            assert_eq!(place_of(&notes.tracking("a/b")), Some((own, notes)));
        }
    }
}
