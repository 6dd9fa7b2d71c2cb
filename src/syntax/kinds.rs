//! Node kinds of a grammar, resolved to small numbers once and compared as such.

use tree_sitter::Language as Grammar;

use crate::{Error, Result};

/// One kind a language's rules name: the grammar's name, whether it is a named node, and what
/// it is to the rules.
pub(super) type Entry<K> = (&'static str, bool, K);

/// What each node kind of one grammar is to the rules of its language.
pub(super) struct Kinds<K> {
    by_id: Vec<K>,
}

impl<K: Copy + Default> Kinds<K> {
    /// Resolves `entries` in `grammar`.
    ///
    /// # Errors
    /// A kind the grammar does not have: counting without it would silently give other figures.
    pub(super) fn resolve(grammar: &Grammar, entries: &[Entry<K>]) -> Result<Self> {
        let mut by_id = vec![K::default(); grammar.node_kind_count()];
        for (name, named, kind) in entries {
            let mut found = false;
            for (id, slot) in (0u16..).zip(by_id.iter_mut()) {
                // Several symbols can share a name; nodes report one of them.
                if grammar.node_kind_is_named(id) == *named
                    && grammar.node_kind_for_id(id) == Some(name)
                {
                    *slot = *kind;
                    found = true;
                }
            }
            if !found {
                return Err(Error::internal(format!(
                    "resolving node kinds: the grammar has no kind {name:?}"
                )));
            }
        }
        Ok(Kinds { by_id })
    }

    /// What a node of this kind id is; error nodes and unnamed kinds are the default.
    pub(super) fn of(&self, id: u16) -> K {
        self.by_id.get(usize::from(id)).copied().unwrap_or_default()
    }
}

/// The number of a field name.
///
/// # Errors
/// A field the grammar does not have.
pub(super) fn field(grammar: &Grammar, name: &str) -> Result<u16> {
    grammar
        .field_id_for_name(name)
        .map(std::num::NonZero::get)
        .ok_or_else(|| {
            Error::internal(format!(
                "resolving node kinds: the grammar has no field {name:?}"
            ))
        })
}
