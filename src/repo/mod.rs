//! Git, and nothing but git. The only module that names gix.

mod id;
mod model;
mod write;

pub use id::Oid;
pub use model::{ChangeStatus, Commit, Entry, EntryMode, FileChange, Hunk, Person, TreeChange};
pub use write::{Leaf, LeafMode, NewCommit, RefMove, Stamp, Writer};
