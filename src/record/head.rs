//! What every record says of itself: which one it is, and which commit of which chain it is
//! about.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ChainPath, Moment, RecordId, Role, is_part};

/// The schema that this version writes.
pub const SCHEMA: u64 = 1;

/// What records and output name as their maker: this program and its version.
pub const TOOL: &str = concat!("git-evolve ", env!("CARGO_PKG_VERSION"));

/// The kinds of records; each has a notes ref of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What happened at a commit of a chain.
    Checkpoint,
    /// What an agent's session reported, one line an attempt.
    Envelope,
    /// One gate run.
    Tests,
    /// One coverage report.
    Coverage,
    /// One payload as it came.
    Raw,
}

impl Kind {
    /// All kinds, in the order they are written.
    pub const ALL: [Kind; 5] = [
        Kind::Checkpoint,
        Kind::Envelope,
        Kind::Tests,
        Kind::Coverage,
        Kind::Raw,
    ];

    /// The word in ref names, lines and output.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Checkpoint => "checkpoint",
            Kind::Envelope => "envelope",
            Kind::Tests => "tests",
            Kind::Coverage => "coverage",
            Kind::Raw => "raw",
        }
    }

    /// The kind that `word` names.
    pub fn parse(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.word() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The id of a git object in hexadecimal, of either hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectName(String);

impl ObjectName {
    /// Reads 40 or 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<ObjectName> {
        let fits = matches!(text.len(), 40 | 64)
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        fits.then(|| ObjectName(text.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ObjectName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ObjectName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        ObjectName::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("an object id of neither 40 nor 64 hex digits"))
    }
}

/// The part that all kinds of records share. `docs/records.md` has every field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Which record this is.
    pub id: RecordId,
    /// When it was written down.
    pub at: Moment,
    /// Program and version that wrote it.
    pub tool: String,
    /// The chain's path.
    #[serde(with = "chain_path")]
    pub chain: ChainPath,
    /// The chain's identity: the base's `Evolve-Begin`.
    pub begin: RecordId,
    /// The number of the commit's checkpoint; 0 for the base.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan; `base` for the base.
    #[serde(deserialize_with = "part")]
    pub checkpoint_id: String,
    /// What the commit is: base, agent or reset.
    #[serde(with = "role")]
    pub role: Role,
    /// The commit the record was made for.
    pub commit: ObjectName,
    /// The commit's tree.
    pub tree: ObjectName,
    /// The commit's first parent; null for a root.
    pub parent: Option<ObjectName>,
    /// The checkpoint that is spoken of, where no commit is: a failed attempt, a probe, a noop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_checkpoint: Option<u32>,
    /// The attempt this belongs to; the same in all records of one attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<RecordId>,
}

fn part<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if is_part(&text) {
        Ok(text)
    } else {
        Err(serde::de::Error::custom("a checkpoint id out of form"))
    }
}

mod chain_path {
    use super::*;

    pub(super) fn serialize<S: Serializer>(path: &ChainPath, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(path)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ChainPath, D::Error> {
        let text = String::deserialize(from)?;
        ChainPath::parse(&text).ok_or_else(|| serde::de::Error::custom("a chain path out of form"))
    }
}

mod role {
    use super::*;

    pub(super) fn serialize<S: Serializer>(role: &Role, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(role.word())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Role, D::Error> {
        match String::deserialize(from)?.as_str() {
            "base" => Ok(Role::Base),
            "agent" => Ok(Role::Agent),
            "reset" => Ok(Role::Reset),
            _ => Err(serde::de::Error::custom(
                "a role that is none of base, agent, reset",
            )),
        }
    }
}
