//! The single pass over the past: which files count, the versions of one file, who wrote each
//! line, and the [`Step`]: all evidence of one change, the input of every measure.

mod settings;
mod step;

pub use crate::record::{ChainPath, Role};
pub use crate::repo::{Commit, Oid, Person};
pub use crate::syntax::{Export, ExportKind, Language, Profile, Unparsed};
pub use settings::{Needs, Settings, Thresholds};
pub use step::{
    BodyOrigins, ConfigLines, Context, Edit, Extreme, FileClass, FnChange, FnChangeKind, FnScore,
    FunctionEvidence, Functions, HotShare, Integrity, LanguageState, LeftOut, LineCounts, Lines,
    Mass, PcBody, Place, Share, Sizes, State, Status, Step, Totals, Trouble, Window, Written,
};
