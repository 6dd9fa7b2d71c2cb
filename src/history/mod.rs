//! The single pass over the past: which files count, the versions of one file, who wrote each
//! line, and the [`Step`]: all evidence of one change, the input of every measure.
//!
//! A run goes: [`Line`] says which commits, [`run`] diffs neighbouring trees, joins the changed
//! paths into lineages, walks each lineage once on some thread, and puts what was found back
//! into commit order.

mod config_lines;
pub mod evidence;
mod file_state;
mod follow;
mod ground;
mod hot_share;
mod integrity;
mod join;
mod line;
mod lineage;
mod marks;
mod origins;
mod others;
mod pass;
mod paths;
mod questions;
mod scope;
mod settings;
mod step;
mod summary;
mod tally;
mod threads;
mod touch;
mod tree;
mod tree_state;
mod worker;
mod writers;

pub use crate::record::{ChainPath, Role};
pub use crate::repo::{Commit, Oid, Person};
pub use crate::syntax::{Export, ExportKind, Language, Profile, Unparsed};
pub use evidence::ChainEvidence;
pub use follow::{Followed, Happened, Version, follow};
pub use integrity::Integrity;
pub use line::{ChainLabel, Line, LineCommit, Select, WindowRule};
pub use pass::{Plan, Run, run, run_pending};
pub use paths::PathFilter;
pub use questions::{LineOrigin, SideText, line_origins, texts};
pub use settings::{Needs, Settings, Thresholds};
pub use step::{
    BodyOrigins, ConfigLines, Context, Edit, Extreme, FileClass, FnChange, FnChangeKind, FnScore,
    FunctionEvidence, Functions, HotShare, LanguageState, LeftOut, LineCounts, Lines, Mass, PcBody,
    Place, Share, Sizes, State, Status, Step, Totals, Trouble, Turn, Window, Written,
};
pub use summary::Unread;
pub use threads::{Progress, Silent};
pub use tree::{TreeFile, main_language, tree_files};
pub use worker::RunCounts;
