//! Git, and nothing but git. The only module that names gix.

mod attributes;
mod beginning;
mod call;
mod change;
mod commit;
mod commit_tree;
mod comparing;
mod exchange;
mod export;
mod health;
pub mod hooks;
mod id;
mod in_flight;
mod isolated;
mod line_table;
mod lines;
mod lock;
mod mailmap;
mod model;
mod nested;
mod notes;
mod notes_survey;
mod open;
mod own_commits;
mod patched;
mod path_glob;
mod pending;
mod program;
mod reader;
mod reflog;
mod refs;
mod renames;
mod revision;
mod setting;
mod shell;
mod signature;
mod similarity;
mod submodules;
mod taken_in;
mod trailers;
mod transact;
mod tree_edit;
mod version;
mod walk;
mod work_tree;
mod write;

pub use attributes::{Attributes, Marks, attribute_files};
pub use beginning::MainLine;
pub use change::change_between;
pub use exchange::{
    Cloned, Direction, Fetched, Manner, Progress, PushRef, Pushed, PushedRef, Remote, Swapped,
    again_in, clone, environment_names_a_repository,
};
pub use health::{Finding, Setting, Severity, examine, sort as sort_findings};
pub use id::Oid;
pub use lines::{LineDiffer, is_binary, line_count};
pub use lock::{Lock, Pause, StaleLock};
pub use mailmap::Mailmap;
pub use model::{ChangeStatus, Commit, Entry, EntryMode, FileChange, Hunk, Person, TreeChange};
pub use notes_survey::NotesChange;
pub use open::Repo;
pub use own_commits::{CloneNote, OwnCommits};
pub use path_glob::{path_glob, path_globs};
pub use pending::{Pending, PendingEntry};
pub use reader::{Missing, Overlay, Reader, is_missing, missing};
pub use refs::{RawRef, Reference};
pub use revision::{RevisionSpec, parse_date, parse_range, parse_words};
pub use shell::shell_word;
pub use signature::Identity;
pub use taken_in::{Bounds, StubFile, TakenIn};
pub use trailers::{trailers, values as trailer_values};
pub use transact::Outcome;
pub use version::GitVersion;
pub use walk::LineEnd;
pub use work_tree::{
    Added, Among, Delta, Prepared, Snapshot, Status, TreePath, Untracked, WorkTree,
};
pub use write::{Leaf, LeafMode, NewCommit, RefMove, Stamp, Writer};
