//! The step: all evidence of one change. Measures are pure functions of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::record::{ChainPath, PriceTable, Role};
use crate::repo::{Commit, Oid};
use crate::syntax::{Export, Language, Unparsed};

use super::evidence::ChainEvidence;
use super::integrity::Integrity;
use super::{Needs, Thresholds};

/// All evidence of one change.
#[derive(Debug, Clone)]
pub struct Step {
    /// The commit measured.
    pub commit: Arc<Commit>,
    /// What it was measured against: its first parent, or the empty tree of a root (`None`).
    pub parent: Option<Oid>,
    /// Where it stands in its line.
    pub place: Place,
    /// What holds for the whole run.
    pub context: Arc<Context>,
    /// The earlier changes that windowed measures see.
    pub window: Window,
    /// True for a root commit: measured against the empty tree.
    pub root: bool,
    /// True where the commit has more than one parent.
    pub merge: bool,
    /// True for a commit named in `.git-blame-ignore-revs`.
    pub ignored_rev: bool,
    /// True for what is not committed yet: its commit has no id, subject or time.
    pub pending: bool,
    /// Which tree of it was measured.
    pub turn: Turn,
    /// What makes per-change figures unknown.
    pub trouble: Option<Trouble>,
    /// True where rename detection by similarity was over its limit.
    pub rename_limit_hit: bool,
    /// The changed files, sorted by path. Mode-only changes, links and submodules are not here.
    pub edits: Vec<Edit>,
    /// What the tree is after the change; `None` where no requested measure needs it.
    pub state: Option<State>,
    /// What a reader should know before trusting the figures.
    pub integrity: Vec<Integrity>,
    /// What the records of its chain say; `None` in a plain history, for what is not committed
    /// yet, and where no requested measure needs it.
    pub evidence: Option<Arc<ChainEvidence>>,
}

/// What holds for every step of a run.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The language whose figures are shown first; `None` where no analysed language is there.
    pub language: Option<Language>,
    /// Limits.
    pub thresholds: Thresholds,
    /// What was computed; a measure whose needs are not among these must not be asked.
    pub needs: Needs,
    /// Whether an entry pattern was given.
    pub entry_given: bool,
    /// What tokens cost, where a table was given.
    pub prices: Option<Arc<PriceTable>>,
}

/// Where a step stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a plain history: the position in the measured range, oldest = 1.
    Plain {
        /// Position in the range.
        position: u32,
    },
    /// In a chain.
    Chain {
        /// The chain's path.
        path: ChainPath,
        /// How the chain is shown (`path`, or `path@abc1234` where two share it).
        label: String,
        /// The checkpoint's number, from 1 (the base: 0).
        checkpoint: u32,
        /// The checkpoint's id in the plan.
        checkpoint_id: String,
        /// What the commit is.
        role: Role,
    },
}

/// The earlier changes that windowed measures see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// How many changes (plain) or checkpoints (chain) lie between the base and this one.
    pub length: u32,
    /// Where the window begins: its commit's lines and all older ones are the base's. `None`
    /// for a root.
    pub base: Option<Oid>,
    /// Plain history: shorter than the lookback because the history begins.
    pub growing: bool,
    /// Windowed figures are unknown: a shallow clone cut the history short. Holds the reason.
    pub cut: Option<String>,
}

/// Which tree of a checkpoint was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Turn {
    /// The commit's own.
    #[default]
    Last,
    /// What the first of several turns left.
    First,
    /// The same, and it is not in the repository.
    FirstNotHere,
}

/// What makes the per-change figures of a step unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The parent is behind a shallow boundary.
    Shallow,
    /// An object is not in the repository, or broken: which, and doing what.
    Missing(String),
}

/// What a path is to the measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileClass {
    /// Code that is not test, generated or vendored.
    Production,
    /// Test code.
    Test,
    /// Code made by a program.
    Generated,
    /// Somebody else's code.
    Vendored,
    /// No code.
    Other,
}

impl FileClass {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            FileClass::Production => "production",
            FileClass::Test => "test",
            FileClass::Generated => "generated",
            FileClass::Vendored => "vendored",
            FileClass::Other => "other",
        }
    }
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not there before (a copy is added too).
    Added,
    /// Not there after.
    Deleted,
    /// Other content.
    Modified,
    /// Other path, found by similarity; perhaps other content.
    Renamed,
}

/// One file of one change.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Path after the change (deleted: before).
    pub path: Arc<[u8]>,
    /// Of a rename: the path before.
    pub old_path: Option<Arc<[u8]>>,
    /// How it changed.
    pub status: Status,
    /// Its language (of the new side; deleted: of the old); `None` for what is no code.
    pub language: Option<Language>,
    /// Class of the old side; `None` where there is none.
    pub old_class: Option<FileClass>,
    /// Class of the new side for this change; `None` where there is none. A production file
    /// that became another class in this change stands here as production.
    pub new_class: Option<FileClass>,
    /// Its lines.
    pub lines: Lines,
    /// Its functions.
    pub functions: Functions,
}

impl Edit {
    /// Whether the file counts among changed production files: on either side.
    pub fn is_production(&self) -> bool {
        self.old_is(FileClass::Production) || self.new_is(FileClass::Production)
    }

    /// Whether the old side is of `class`.
    pub fn old_is(&self, class: FileClass) -> bool {
        self.old_class == Some(class)
    }

    /// Whether the new side is of `class`.
    pub fn new_is(&self, class: FileClass) -> bool {
        self.new_class == Some(class)
    }
}

/// The lines of one file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lines {
    /// Counted.
    Counted(LineCounts),
    /// One side is binary (a NUL in its first 8,000 bytes, git's rule): no lines.
    Binary,
    /// Not known; holds the reason.
    Unknown(String),
    /// No requested measure needs them.
    NotAsked,
}

/// Line counts of one file of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// New lines of all hunks.
    pub added: u32,
    /// Old lines of all hunks.
    pub removed: u32,
    /// Of the removed: written two or more checkpoints ago (the base is checkpoint 0);
    /// `None` where that is not known: not asked for, or an older version could not be read.
    pub removed_settled: Option<u32>,
}

/// The functions of one file of a change.
#[derive(Debug, Clone)]
pub enum Functions {
    /// No code.
    NotCode,
    /// The language is known by name only.
    NoParser(Language),
    /// A side could not be read.
    Unparsed {
        /// Why the old side has no functions.
        old: Option<Unparsed>,
        /// Why the new side has none.
        new: Option<Unparsed>,
    },
    /// Read on both sides (a side that is not there is empty).
    Read(Box<FunctionEvidence>),
    /// No requested measure needs them.
    NotAsked,
}

/// What happened to the functions of one file.
#[derive(Debug, Clone, Default)]
pub struct FunctionEvidence {
    /// Added, deleted, modified functions and those whose score alone moved, in new-side order,
    /// deleted ones last.
    pub changes: Vec<FnChange>,
    /// New-side functions that a hunk overlaps, with their lines, as PetClinic-Evolve counts
    /// them (also in added files: the measure leaves those out).
    pub pc: Vec<PcBody>,
    /// Sums over all rows before.
    pub before: Totals,
    /// Sums over all rows after.
    pub after: Totals,
    /// Exported after and not before in this file.
    pub exports_added: Vec<Export>,
    /// Exported before and not after.
    pub exports_removed: Vec<Export>,
}

/// Sums over the rows of one version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// CC of every row.
    pub cc: i64,
    /// Cognitive score; Go: rows that are not nested.
    pub cognitive: i64,
    /// Number of functions.
    pub functions: u32,
}

/// What happened to one function.
#[derive(Debug, Clone)]
pub struct FnChange {
    /// Its kind of change.
    pub kind: FnChangeKind,
    /// Identity after (deleted: before).
    pub key: Box<str>,
    /// Of a changed signature: the key before.
    pub old_key: Option<Box<str>>,
    /// Of several functions of one key in the file, which it is by order, from 0 (deleted:
    /// before). Functions of one key pair by order, so it is the same on both sides.
    pub nth: u32,
    /// Of a changed signature: which of its old key it was.
    pub old_nth: u32,
    /// Name for people.
    pub name: Box<str>,
    /// Scores before.
    pub before: Option<FnScore>,
    /// Scores after.
    pub after: Option<FnScore>,
    /// Who wrote its body as it now is; where origins were asked for and it is there after.
    pub origins: Option<BodyOrigins>,
    /// Whose lines of it the change deleted or replaced, most lines first.
    pub rewrote: Vec<Written>,
}

/// How a function changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FnChangeKind {
    /// Not there before, by key.
    Added,
    /// Not there after.
    Deleted,
    /// There on both sides, and the change touched its body.
    Modified,
    /// Modified, but its tokens are the same: white space and comments only.
    Reformatted,
    /// Not touched, but its score moved (a name it calls means something else now).
    Rescored,
}

/// The scores of one function on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FnScore {
    /// Cyclomatic complexity, folded rows in.
    pub cc: u32,
    /// Cognitive complexity.
    pub cognitive: u32,
    /// Lines of code.
    pub nloc: i32,
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

/// Who wrote the lines of a body, each line under its innermost function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BodyOrigins {
    /// All body lines.
    pub lines: u32,
    /// Last written by an earlier checkpoint of the chain (or of the window).
    pub prior: u32,
    /// Written by this change.
    pub own: u32,
}

/// Lines by who wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The commit that wrote them; `None`: the base or something older than the window.
    pub commit: Option<Oid>,
    /// Its checkpoint (plain: its position from the window's base); the base: 0.
    pub checkpoint: u32,
    /// How many.
    pub lines: u32,
}

/// One function as PetClinic-Evolve counts it: overlapped by a new-side range, the whole
/// span counted, reset lines read as an earlier checkpoint's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PcBody {
    /// Lines of its span.
    pub lines: u32,
    /// Of them last written by an earlier commit of the chain (or of the window); `None` where
    /// that is not known.
    pub prior: Option<u32>,
}

/// What the tree is after a change; production code.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Each language that has production files.
    pub languages: BTreeMap<Language, LanguageState>,
    /// Lines of configuration files, where asked for.
    pub config: Option<ConfigLines>,
    /// Concentration of modification churn, where asked for.
    pub hot_share: Option<HotShare>,
}

/// One language's production code.
#[derive(Debug, Clone, Default)]
pub struct LanguageState {
    /// Production files.
    pub files: u64,
    /// Code lines.
    pub loc: i64,
    /// NLOC summed over rows.
    pub fn_sloc: i64,
    /// Complexity mass of the whole tree.
    pub mass: Mass,
    /// Complexity mass of the touched subsystem.
    pub mass_scoped: Mass,
    /// Functions of the configured glob.
    pub sizes: Sizes,
    /// Gini coefficient of CC over rows, as numerator and denominator.
    pub gini: Share,
    /// CC of the fifth of rows with the greatest CC (their number rounded up), of all CC.
    pub top20: Share,
    /// The row with the greatest CC in the touched subsystem.
    pub hotspot: Option<Extreme>,
    /// The class with the greatest sum of CC in the touched subsystem.
    pub wmc: Option<Extreme>,
    /// The file with the greatest sum of CC in the touched subsystem.
    pub wmc_file: Option<Extreme>,
    /// The row with the greatest CC among those the entry pattern matches.
    pub entry: Option<Extreme>,
    /// Files without structure.
    pub left_out: LeftOut,
    /// Of the files without structure, those in the touched subsystem.
    pub left_out_scoped: LeftOut,
}

/// Complexity mass: CC·√max(NLOC, 1), summed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mass {
    /// Over all rows.
    pub all: f64,
    /// Over rows with a CC above the limit.
    pub high: f64,
    /// Over rows with a CC above the extreme limit.
    pub extreme: f64,
    /// Number of rows.
    pub rows: u64,
}

/// Counts over the rows of the `--functions` glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Rows.
    pub count: u64,
    /// NLOC summed.
    pub nloc_sum: i64,
    /// Greatest NLOC.
    pub nloc_max: i64,
    /// Greatest CC.
    pub cc_max: i64,
}

/// A share as two whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Numerator.
    pub num: i64,
    /// Denominator; 0 where the population is empty.
    pub den: i64,
}

/// The greatest of something, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extreme {
    /// Its value.
    pub value: i64,
    /// `path::name`, lossily decoded.
    pub name: String,
}

/// Lines neither blank nor comment, of configuration files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConfigLines {
    /// YAML.
    pub yaml: u64,
    /// YAML, TOML, XML and properties.
    pub all: u64,
}

/// Modification churn since base, and its part in the three most re-opened files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HotShare {
    /// Churn of the three files.
    pub top: u64,
    /// Churn of all modified files.
    pub all: u64,
}

/// Files a figure is known without.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// How many files.
    pub files: u64,
    /// Reason to number of files.
    pub reasons: BTreeMap<String, u64>,
    /// Physical lines of those files.
    pub lines: u64,
    /// Physical lines of all production files of the population.
    pub of_lines: u64,
    /// Identifies the set of files (an order-free hash of their paths), to see whether it
    /// changed.
    pub set: u64,
}
