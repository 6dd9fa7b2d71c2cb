//! What a claim says, and how it is written: as the message of a commit of its own.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{ChainPath, Moment, RecordId};

/// The form that is written.
const VERSION: u32 = 1;

/// That a machine runs a chain, and until when others leave it alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The form.
    v: u32,
    /// The claim's own id: no two are the same commit.
    id: RecordId,
    /// The chain.
    #[serde(with = "path")]
    pub chain: ChainPath,
    /// Who: an id drawn once for a repository, which says nothing of its host.
    pub machine: RecordId,
    /// Since when.
    pub taken: Moment,
    /// Until when, by that machine's clock.
    pub until: Moment,
    /// It was given back, where the ref itself could not be taken away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_back: bool,
}

mod path {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::ChainPath;

    pub(super) fn serialize<S: Serializer>(path: &ChainPath, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(path)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ChainPath, D::Error> {
        let text = String::deserialize(from)?;
        ChainPath::parse(&text).ok_or_else(|| D::Error::custom("no chain's path"))
    }
}

impl Claim {
    /// A claim from now on, for so many milliseconds; one that goes on from `taken` where that is
    /// given.
    pub(super) fn new(
        chain: &ChainPath,
        machine: &RecordId,
        taken: Option<Moment>,
        millis: i64,
    ) -> Claim {
        let now = Moment::now();
        Claim {
            v: VERSION,
            id: RecordId::new(),
            chain: chain.clone(),
            machine: machine.clone(),
            taken: taken.unwrap_or(now),
            until: Moment::from_millis(now.millis().saturating_add(millis)).unwrap_or(now),
            given_back: false,
        }
    }

    /// The same, given back now.
    pub(super) fn back(&self) -> Claim {
        Claim {
            id: RecordId::new(),
            until: Moment::now(),
            given_back: true,
            ..self.clone()
        }
    }

    /// The message of its commit.
    pub(super) fn message(&self) -> Result<String> {
        let line = serde_json::to_string(self)
            .map_err(|e| Error::internal("writing a claim").with_source(e))?;
        Ok(format!("Claim of {}\n\n{line}\n", self.chain))
    }

    /// Reads the message of a claim's commit; `None` for anything else.
    pub(super) fn read(message: &str) -> Option<Claim> {
        let line = message.lines().find(|l| l.starts_with('{'))?;
        let claim: Claim = serde_json::from_str(line).ok()?;
        (claim.v == VERSION).then_some(claim)
    }

    /// Whether its time is over at `now`, a minute's difference of clocks allowed for.
    pub fn is_over(&self, now: Moment) -> bool {
        self.given_back || now.millis() > self.until.millis().saturating_add(60_000)
    }
}

/// A machine as it is shown: the last digits of its id.
pub(super) fn shown(machine: &RecordId) -> &str {
    let text = machine.as_str();
    &text[text.len() - 12..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let chain = ChainPath::parse("e/a/1").expect("a path");
        let claim = Claim::new(&chain, &RecordId::new(), None, 1_000);
        let message = claim.message().expect("written");
        assert_eq!(Claim::read(&message), Some(claim.clone()));
        assert!(message.starts_with("Claim of e/a/1\n\n{"), "{message}");
        for other in [
            "",
            "Claim of e/a/1\n",
            "x\n\n{\"v\":1}\n",
            &message.replace("\"v\":1", "\"v\":2"),
            &message.replace("\"e/a/1\"", "\"../1\""),
        ] {
            assert_eq!(Claim::read(other), None, "{other}");
        }
    }

    #[test]
    fn a_claim_is_over_a_minute_after_its_time() {
        let chain = ChainPath::parse("e/a/1").expect("a path");
        let claim = Claim::new(&chain, &RecordId::new(), None, 1_000);
        let at = |ms: i64| Moment::from_millis(claim.until.millis() + ms).expect("a moment");
        assert!(!claim.is_over(at(-1)));
        assert!(!claim.is_over(at(60_000)));
        assert!(claim.is_over(at(60_001)));
        let back = Claim {
            given_back: true,
            ..claim.clone()
        };
        assert!(back.is_over(at(-1)));
    }
}
