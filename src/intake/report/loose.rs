//! Values of JSON that may be of another type than they should: what cannot be read is nothing,
//! never an error of the whole.

use super::text::beginning;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

/// A finite number, or a text that is one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Number(pub(super) Option<f64>);

/// A text, cut after `MOST` bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text<const MOST: usize>(pub(super) Option<String>);

/// Passes over what is no number, no text and no object.
macro_rules! nothing_else {
    ($nothing:expr) => {
        fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_seq<A: serde::de::SeqAccess<'de>>(
            self,
            mut seq: A,
        ) -> Result<Self::Value, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("anything")
        }
    };
}

/// Passes over objects.
macro_rules! no_object {
    ($nothing:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
    };
}

/// Passes over numbers.
macro_rules! no_number {
    ($nothing:expr) => {
        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

/// Reads a type out of an object's fields, whatever else stands in its place: `$read` is given
/// what is read so far, a field's name and the object, and takes the field's value.
macro_rules! object {
    ($type:ident, |$into:ident, $key:ident, $map:ident| $read:expr) => {
        impl<'de> serde::de::Deserialize<'de> for $type {
            fn deserialize<D: serde::de::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Fields;
                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $type;
                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut $map: A,
                    ) -> Result<$type, A::Error> {
                        let mut $into = $type::default();
                        while let Some(key) = $map.next_key::<Text<64>>()? {
                            let $key = key.as_str();
                            $read
                        }
                        Ok($into)
                    }
                    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<$type, E> {
                        Ok($type::default())
                    }
                    no_number!($type::default());
                    nothing_else!($type::default());
                }
                from.deserialize_any(Fields)
            }
        }
    };
}

pub(super) use {no_number, nothing_else, object};

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
            no_object!(Number(None));
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
                Ok(Text(Some(beginning(text, MOST).to_owned())))
            }
            no_number!(Text(None));
            nothing_else!(Text(None));
            no_object!(Text(None));
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
        let texts: Vec<Text<3>> =
            serde_json::from_str(r#"["abé", 1, null, [], {}, 0.1, -1, true]"#)
                .expect("any value is read");
        assert_eq!(texts[0].as_str(), "ab");
        assert!(texts[1..].iter().all(|t| t.0.is_none()));
    }
}
