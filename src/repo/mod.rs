//! Git, and nothing but git. The only module that names gix.

mod change;
mod id;
mod line_table;
mod lines;
mod model;
mod renames;
mod similarity;

pub use change::change_between;
pub use id::Oid;
pub use lines::{LineDiffer, is_binary, line_count};
pub use model::{ChangeStatus, Commit, Entry, EntryMode, FileChange, Hunk, Person, TreeChange};
