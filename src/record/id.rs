//! Ids of records, chains and attempts: version 7 UUIDs, whose order is that of their making.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::Moment;

/// A version 7 UUID (RFC 9562) in lower case; the older one is the smaller one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(String);

impl RecordId {
    /// A new one, of this moment.
    #[expect(
        clippy::new_without_default,
        reason = "each call gives another value, which no default does"
    )]
    pub fn new() -> RecordId {
        RecordId(uuid::Uuid::now_v7().to_string())
    }

    /// The one that `seed` gives at the moment `at`, alike on every machine: for what is taken
    /// over from elsewhere and must be found again. Of one moment the greater `order` is the
    /// newer one.
    pub fn derived(at: Moment, order: u16, seed: &[u8]) -> RecordId {
        let millis = u64::try_from(at.millis()).unwrap_or(0);
        let digest = Sha256::digest(seed);
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        bytes[6..8].copy_from_slice(&order.min(0x0fff).to_be_bytes());
        bytes[8..].copy_from_slice(&digest[..8]);
        bytes[6] |= 0x70;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        RecordId(uuid::Uuid::from_bytes(bytes).to_string())
    }

    /// Reads one as it is written, in either case; `None` for any other text, other versions
    /// of UUIDs included.
    pub fn parse(text: &str) -> Option<RecordId> {
        let fits = text.len() == 36
            && text.bytes().enumerate().all(|(i, b)| match i {
                8 | 13 | 18 | 23 => b == b'-',
                14 => b == b'7',
                19 => matches!(b.to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b'),
                _ => b.is_ascii_hexdigit(),
            });
        fits.then(|| RecordId(text.to_ascii_lowercase()))
    }

    /// The text of it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RecordId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        RecordId::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("an id that is no version 7 UUID"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_differ_and_grow() {
        let ids: Vec<RecordId> = (0..1_000).map(|_| RecordId::new()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(
            ids.iter()
                .all(|id| RecordId::parse(id.as_str()).as_ref() == Some(id))
        );
    }

    #[test]
    fn derived_ids_are_alike_everywhere_and_in_order() {
        let at = |ms| Moment::from_millis(ms).expect("a moment");
        let id = RecordId::derived(at(1_780_000_000_123), 2, b"seed");
        assert_eq!(id.as_str(), "019e7044-887b-7002-99b2-5856e1c150ca");
        assert_eq!(RecordId::parse(id.as_str()), Some(id.clone()));
        assert!(RecordId::derived(at(1_780_000_000_123), 3, b"a") > id);
        assert!(RecordId::derived(at(1_780_000_000_124), 0, b"a") > id);
        assert!(RecordId::parse(RecordId::derived(at(-5), u16::MAX, b"").as_str()).is_some());
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in [
            "",
            "0190f0c5-7a3b-4c41-9d2e-5f6a7b8c9d0e",
            "0190f0c5-7a3b-7c41-1d2e-5f6a7b8c9d0e",
            "0190f0c57a3b7c419d2e5f6a7b8c9d0e",
            "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0g",
            "../../etc/passwd-7c41-9d2e-5f6a7b8c9d0",
        ] {
            assert_eq!(RecordId::parse(text), None, "{text}");
        }
        let upper = RecordId::parse("0190F0C5-7A3B-7C41-9D2E-5F6A7B8C9D0E").expect("an id");
        assert_eq!(upper.as_str(), "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e");
    }
}
