//! The id of a git object, of either hash.

use std::fmt;

/// An object id; its text form is full lower-case hex (40 or 64 digits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(pub(super) gix::ObjectId);

impl Oid {
    /// Reads a full hex id; `None` where it is not one.
    pub fn from_hex(text: &str) -> Option<Self> {
        gix::ObjectId::from_hex(text.as_bytes()).ok().map(Oid)
    }

    /// The first seven hex digits, for people.
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(7).to_string()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
