//! What a figure is: known (a number, or a word where it has no size), undefined, or unknown
//! with its reason. Unknown is never zero.

use std::collections::BTreeMap;

use crate::history::Language;
pub use crate::history::LeftOut;

/// A measured number and where it comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Known {
    /// The number.
    pub value: f64,
    /// Of a ratio: the numerator.
    pub num: Option<f64>,
    /// Of a ratio: the denominator.
    pub den: Option<f64>,
    /// What the number belongs to (`src/A.java::A::run`), where it is somebody's.
    pub name: Option<String>,
    /// The files a sum or ratio could not take in.
    pub left_out: Option<Box<LeftOut>>,
    /// What to know before trusting it.
    pub remark: Option<Box<str>>,
}

/// One of the things a figure can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Known(Known),
    /// A word of a fixed list, where what is measured has no size (`pass`).
    Word(&'static str),
    /// A ratio over an empty but complete population; holds what was empty.
    Undefined(String),
    /// Something needed is missing; holds the reason.
    Unknown(String),
}

/// One thing a figure counted (a regressed test, a hotspot, a modified function).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// Path of the file it is in, bytes as in the tree; empty where it is in none.
    pub path: Vec<u8>,
    /// Its name.
    pub name: String,
    /// More, in few words; may be empty.
    pub note: String,
}

/// A value of one measure on one change, with its languages where it has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The figure shown.
    pub value: Value,
    /// Of a per-language measure: the language of `value`.
    pub language: Option<Language>,
    /// Of a per-language measure with several languages: each one's value.
    pub by_language: BTreeMap<Language, Value>,
    /// What was counted, where the measure lists it.
    pub items: Vec<Item>,
}

impl Value {
    /// A plain count or amount.
    pub fn known(value: f64) -> Value {
        Value::Known(Known {
            value,
            ..Known::default()
        })
    }

    /// A count.
    pub fn count(n: impl TryInto<i64>) -> Value {
        n.try_into().map_or_else(
            |_| Value::unknown("count out of range"),
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
            |n: i64| Value::known(n as f64),
        )
    }

    /// `num / den`, undefined with `empty` where `den` is zero.
    pub fn ratio(num: f64, den: f64, empty: &str) -> Value {
        if den == 0.0 {
            return Value::Undefined(empty.to_owned());
        }
        Value::Known(Known {
            value: num / den,
            num: Some(num),
            den: Some(den),
            ..Known::default()
        })
    }

    /// Unknown, because of `reason`.
    pub fn unknown(reason: impl Into<String>) -> Value {
        Value::Unknown(reason.into())
    }

    /// The number, where known.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Known(k) => Some(k.value),
            _ => None,
        }
    }

    /// The same value with the name of what it belongs to.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Value {
        if let Value::Known(k) = &mut self {
            k.name = Some(name.into());
        }
        self
    }

    /// The same value with what to know before trusting it.
    #[must_use]
    pub fn remarked(mut self, remark: impl Into<Box<str>>) -> Value {
        if let Value::Known(k) = &mut self {
            k.remark = Some(remark.into());
        }
        self
    }

    /// The same value with what it was taken without; no files: unchanged.
    #[must_use]
    pub fn without(mut self, left_out: &LeftOut) -> Value {
        if let Value::Known(k) = &mut self
            && left_out.files > 0
        {
            k.left_out = Some(Box::new(left_out.clone()));
        }
        self
    }
}

impl Figure {
    /// The number of `items`, with them.
    pub fn listing(items: Vec<Item>) -> Figure {
        Figure {
            value: Value::count(items.len()),
            language: None,
            by_language: BTreeMap::new(),
            items,
        }
    }
}

impl From<Value> for Figure {
    fn from(value: Value) -> Self {
        Figure {
            value,
            language: None,
            by_language: BTreeMap::new(),
            items: Vec::new(),
        }
    }
}
