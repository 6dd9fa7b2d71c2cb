//! Git, and nothing but git. The only module that names gix.

mod id;
mod lines;
mod model;

pub use id::Oid;
pub use lines::{LineDiffer, is_binary, line_count};
pub use model::{ChangeStatus, Commit, Entry, EntryMode, FileChange, Hunk, Person, TreeChange};
