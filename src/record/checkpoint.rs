//! Checkpoint records: what happened at a commit of a chain.

use serde::{Deserialize, Serialize};

use super::run::{Configured, Contained, ContentId, SetupRun, System, Tools, Turned, Versions};
use super::{Moment, ObjectName, mask};

/// What a checkpoint record says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// What happened.
    pub event: Event,
    /// When work on the checkpoint began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Moment>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Moment>,
    /// Of a base: the project's own commit it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ObjectName>,
    /// The configuration it is scored under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Configuration>,
    /// What it was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Of an agent commit: what was found and taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Of a reset commit: what was put back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
    /// Of an adoption: the commit of the chain that this one now stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopts: Option<ObjectName>,
    /// Of a renaming: the chain's new path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_to: Option<String>,
    /// The files that it was run with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<ContentId>,
    /// Set-up commands that ran for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<SetupRun>,
    /// What of the agent's tree was not taken as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contained: Option<Contained>,
    /// The turns of its attempt, in order, where there was more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turned>,
    /// Programs that were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
}

impl Checkpoint {
    /// A record of `event` that says nothing more yet.
    pub fn of(event: Event) -> Checkpoint {
        Checkpoint {
            event,
            started: None,
            ended: None,
            project: None,
            config: None,
            provenance: None,
            work: None,
            restored: None,
            adopts: None,
            renamed_to: None,
            contents: Vec::new(),
            setups: Vec::new(),
            contained: None,
            turns: Vec::new(),
            tools: None,
        }
    }
}

/// What a checkpoint record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A chain began: on its base commit.
    Begin,
    /// An agent's work was recorded: on the agent commit.
    Agent,
    /// What the experiment owns was put back: on the reset commit.
    Reset,
    /// A rewritten commit was found again and stands for the one it was: by `reconcile`.
    Adopt,
    /// The chain goes by another path from here on: on its base commit.
    Rename,
}

/// Names a configuration note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// The blob, and the object its note hangs on.
    pub blob: ObjectName,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

/// What a record was made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of git, as it says it; this and the next two are empty (on the wire absent) of what
    /// was made elsewhere and imported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub git: String,
    /// Operating system: `linux`, `macos`, `windows`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub os: String,
    /// Processor: `x86_64`, `aarch64`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arch: String,
    /// The system, closer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<System>,
    /// What figures are computed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Versions>,
    /// The agent as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Configured>,
    /// What hides the rest of the machine from sessions: `bwrap`, `namespaces`, `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<String>,
}

impl Provenance {
    /// A version of git on a system and processor, of which nothing more is known.
    pub fn of(git: &str, os: &str, arch: &str) -> Provenance {
        Provenance {
            git: git.to_owned(),
            os: os.to_owned(),
            arch: arch.to_owned(),
            system: None,
            analysis: None,
            agent: None,
            isolation: None,
        }
    }
}

/// What `record` found and took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The agent's own commits that were folded, oldest first.
    pub commits: Vec<ObjectName>,
    /// How many there were, where `commits` is cut short.
    pub commit_count: u64,
    /// The chain's last commit was no ancestor of the agent's tip.
    pub history_rewritten: bool,
    /// Some of it was not committed.
    pub uncommitted: bool,
    /// Untracked files that were taken.
    pub untracked: Paths,
    /// Untracked files that were left out: there before the checkpoint began, or excluded.
    pub left_out: Paths,
    /// Ignored files that look like source.
    pub ignored_sources: Paths,
    /// Nested repositories, of which only a commit id came in.
    pub nested: Paths,
    /// What changed meanwhile beside the work: `config`, `hooks`.
    pub surroundings_changed: Vec<String>,
}

/// What `reset` put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The commit or tree it was taken from.
    pub from: ObjectName,
    /// What said so: `controls` of the base's plan, or `pathspec`.
    pub by: String,
    /// The path specifications that were typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pathspecs: Vec<String>,
    /// Each path that changed by it.
    pub paths: Vec<RestoredPath>,
    /// How many there were, where `paths` is cut short.
    pub path_count: u64,
}

/// One path that was put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoredPath {
    /// Where.
    #[serde(flatten)]
    pub path: PathName,
    /// What was done.
    pub how: How,
    /// What said so: `pinned`, `tests`, `hidden`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The blob before; none where the path was not there.
    pub old: Option<ObjectName>,
    /// The blob after; none where the path went.
    pub new: Option<ObjectName>,
}

/// What was done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// It was changed and has its content again.
    Restored,
    /// It was deleted and is there again.
    Returned,
    /// It was new, or hidden, and is gone.
    Removed,
}

/// A path of a tree: text, and where that is not UTF-8 the bytes beside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathName {
    /// The path, with replacement characters where it is not UTF-8.
    pub path: String,
    /// Its bytes in hexadecimal, where it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
}

impl PathName {
    /// The path whose bytes are `bytes`.
    pub fn of(bytes: &[u8]) -> PathName {
        match std::str::from_utf8(bytes) {
            Ok(text) => PathName {
                path: text.to_owned(),
                path_hex: None,
            },
            Err(_) => PathName {
                path: String::from_utf8_lossy(bytes).into_owned(),
                path_hex: Some(mask::hex(bytes)),
            },
        }
    }
}

/// Most paths that a record lists.
const LISTED: usize = 1_000;

/// Paths of which the first thousand are listed and all are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paths {
    /// How many.
    pub count: u64,
    /// The first of them, in order.
    pub first: Vec<PathName>,
}

impl Paths {
    /// The paths of `all`, which are in order.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a [u8]>) -> Paths {
        let mut paths = Paths::default();
        for path in all {
            paths.count += 1;
            if paths.first.len() < LISTED {
                paths.first.push(PathName::of(path));
            }
        }
        paths
    }
}
