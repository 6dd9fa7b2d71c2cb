//! Values of JSON that may be of another type than they should: what cannot be read is nothing,
//! never an error of the whole.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A finite number, or a text that is one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Number(pub(super) Option<f64>);

/// A text, cut after `MOST` bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text<const MOST: usize>(pub(super) Option<String>);

/// Passes over what is not wanted.
macro_rules! nothing_else {
    ($nothing:expr) => {
        fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
    };
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Number;
            fn visit_f64<E: de::Error>(self, n: f64) -> Result<Number, E> {
                Ok(Number(Some(n).filter(|n| n.is_finite())))
            }
            #[expect(clippy::cast_precision_loss, reason = "seconds and codes are small")]
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Number, E> {
                Ok(Number(Some(n as f64)))
            }
            #[expect(clippy::cast_precision_loss, reason = "seconds and codes are small")]
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Number, E> {
                Ok(Number(Some(n as f64)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
                let number = text.trim().parse().ok();
                Ok(Number(number.filter(|n: &f64| n.is_finite())))
            }
            nothing_else!(Number(None));
        }
        from.deserialize_any(Numbers)
    }
}

impl<'de, const MOST: usize> Deserialize<'de> for Text<MOST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Texts<const MOST: usize>;
        impl<'de, const MOST: usize> Visitor<'de> for Texts<MOST> {
            type Value = Text<MOST>;
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<MOST>, E> {
                let end = text.floor_char_boundary(MOST);
                Ok(Text(Some(text[..end].to_owned())))
            }
            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Text<MOST>, E> {
                Ok(Text(None))
            }
            fn visit_u64<E: de::Error>(self, _: u64) -> Result<Text<MOST>, E> {
                Ok(Text(None))
            }
            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Text<MOST>, E> {
                Ok(Text(None))
            }
            nothing_else!(Text(None));
        }
        from.deserialize_any(Texts)
    }
}

impl<const MOST: usize> Text<MOST> {
    /// The text, or nothing.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_another_type_is_nothing() {
        let numbers: Vec<Number> =
            serde_json::from_str(r#"[1, -2, 0.5, "3.5", "x", null, true, [1, {}], {"a": 1}]"#)
                .expect("any value is read");
        let numbers: Vec<Option<f64>> = numbers.iter().map(|n| n.0).collect();
        let wanted = [Some(1.0), Some(-2.0), Some(0.5), Some(3.5)];
        assert_eq!(numbers[..4], wanted);
        assert_eq!(numbers[4..], [None; 5]);
        let texts: Vec<Text<3>> = serde_json::from_str(r#"["abé", 1, null, [], {}, 0.1, -1, true]"#)
            .expect("any value is read");
        assert_eq!(texts[0].as_str(), "ab");
        assert!(texts[1..].iter().all(|t| t.0.is_none()));
    }
}
