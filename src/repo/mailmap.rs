//! `.mailmap`: which names and addresses are one person's.

use std::collections::BTreeMap;

use gix::bstr::ByteSlice;

use super::Person;

/// A mailmap, read from the bytes of one blob and never from a file or setting of the user's.
#[derive(Debug, Clone, Default)]
pub struct Mailmap {
    snapshot: gix::mailmap::Snapshot,
    /// Addresses in lower case, to how the map spells them.
    spelled: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Mailmap {
    /// Reads a mailmap; lines out of form are passed over, as git does.
    pub fn from_bytes(bytes: &[u8]) -> Mailmap {
        let snapshot = gix::mailmap::Snapshot::from_bytes(bytes);
        let spelled = snapshot
            .iter()
            .map(|e| (e.old_email().to_ascii_lowercase(), e.old_email().to_vec()))
            .collect();
        Mailmap { snapshot, spelled }
    }

    /// Who `person` is by this mailmap, or `person` itself.
    pub fn resolve(&self, person: &Person) -> Person {
        // Asked in the map's own spelling, so that an address that no line replaces stays as it
        // was written, as in git.
        let Some(email) = self
            .spelled
            .get(&person.email.as_bytes().to_ascii_lowercase())
        else {
            return person.clone();
        };
        let written = gix::actor::SignatureRef {
            name: person.name.as_bytes().as_bstr(),
            email: email.as_bstr(),
            time: "",
        };
        let Some(found) = self.snapshot.try_resolve_ref(written) else {
            return person.clone();
        };
        let or_written = |new: Option<&gix::bstr::BStr>, old: &str| {
            new.map_or_else(|| old.to_owned(), |n| n.to_str_lossy().into_owned())
        };
        Person {
            name: or_written(found.name, &person.name),
            email: or_written(found.email, &person.email),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str, email: &str) -> Person {
        Person {
            name: name.to_owned(),
            email: email.to_owned(),
        }
    }

    #[test]
    fn names_and_addresses_are_replaced_where_a_line_says_so() {
        let map = Mailmap::from_bytes(
            b"# c\nAda L <ada@new> <ada@old>\nBob <bob@x>\nEve <eve@new> Evil <evil@x>\n<only@new> <only@old>\nnonsense\n",
        );
        for (from, to) in [
            (person("a", "ADA@old"), person("Ada L", "ada@new")),
            (person("b", "bob@x"), person("Bob", "bob@x")),
            (person("evil", "evil@x"), person("Eve", "eve@new")),
            (person("other", "evil@x"), person("other", "evil@x")),
            (person("o", "only@old"), person("o", "only@new")),
            (person("z", "z@z"), person("z", "z@z")),
        ] {
            assert_eq!(map.resolve(&from), to);
        }
        assert_eq!(
            Mailmap::default().resolve(&person("z", "z")),
            person("z", "z")
        );
    }
}
