//! One figure written down: a cell for people, an object for JSON, fields for CSV.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::number::{Number, exact, short};
use super::reason;
use super::table::{Cell, Tone};
use super::text;
use crate::history::LeftOut;
use crate::measure::{Figure, Item, Value};

/// How an unknown figure is shown.
pub const UNKNOWN: &str = "?";
/// How an undefined figure is shown.
pub const UNDEFINED: &str = "–";

/// The cell of a value: the number or word, `?` or `–`.
pub(super) fn cell(value: &Value) -> Cell {
    match value {
        Value::Known(k) => Cell::new(short(k.value)),
        Value::Word(word) => Cell::new(word),
        Value::Undefined(_) => Cell::new(UNDEFINED).tone(Tone::Faint),
        Value::Unknown(_) => Cell::new(UNKNOWN).tone(Tone::Missing),
    }
}

/// A figure as JSON: `{"value":…,"num":…,"den":…}`, `{"undefined":…}` or `{"unknown":…}`, with
/// `name`, `left_out`, `remark`, `language`, `by_language` and `items` where they apply. A word is
/// a value that is a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct FigureJson<'a>(pub &'a Figure);

/// A value as JSON, without what belongs to a figure alone.
pub(super) struct ValueJson<'a>(pub &'a Value);

struct LeftOutJson<'a>(&'a LeftOut);

struct ItemJson<'a>(&'a Item);

pub(super) fn value_entries<M: SerializeMap>(value: &Value, map: &mut M) -> Result<(), M::Error> {
    match value {
        Value::Undefined(what) => map.serialize_entry("undefined", what),
        Value::Unknown(why) => map.serialize_entry("unknown", why),
        Value::Word(word) => map.serialize_entry("value", word),
        Value::Known(k) => {
            map.serialize_entry("value", &Number(k.value))?;
            if let Some(num) = k.num {
                map.serialize_entry("num", &Number(num))?;
            }
            if let Some(den) = k.den {
                map.serialize_entry("den", &Number(den))?;
            }
            if let Some(name) = &k.name {
                map.serialize_entry("name", name)?;
            }
            if let Some(left_out) = &k.left_out {
                map.serialize_entry("left_out", &LeftOutJson(left_out))?;
            }
            if let Some(remark) = &k.remark {
                map.serialize_entry("remark", remark)?;
            }
            Ok(())
        }
    }
}

impl Serialize for FigureJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        value_entries(&self.0.value, &mut map)?;
        if let Some(language) = self.0.language {
            map.serialize_entry("language", language.id())?;
        }
        if !self.0.by_language.is_empty() {
            let by: BTreeMap<&str, ValueJson<'_>> = self
                .0
                .by_language
                .iter()
                .map(|(l, v)| (l.id(), ValueJson(v)))
                .collect();
            map.serialize_entry("by_language", &by)?;
        }
        if !self.0.items.is_empty() {
            let items: Vec<_> = self.0.items.iter().map(ItemJson).collect();
            map.serialize_entry("items", &items)?;
        }
        map.end()
    }
}

impl Serialize for ValueJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        value_entries(self.0, &mut map)?;
        map.end()
    }
}

impl Serialize for LeftOutJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(Some(2))?;
        map.serialize_entry("files", &self.0.files)?;
        map.serialize_entry("reasons", &self.0.reasons)?;
        map.end()
    }
}

impl Serialize for ItemJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        if !self.0.path.is_empty() {
            map.serialize_entry("path", &text::decoded(&self.0.path))?;
            if let Some(hex) = text::hex_where_needed(&self.0.path) {
                map.serialize_entry("path_hex", &hex)?;
            }
        }
        map.serialize_entry("name", &self.0.name)?;
        if !self.0.note.is_empty() {
            map.serialize_entry("note", &self.0.note)?;
        }
        map.end()
    }
}

/// The CSV fields of a value: value, numerator, denominator, state, reason.
pub(super) fn fields(value: &Value) -> [String; 5] {
    let none = String::new;
    match value {
        Value::Known(k) => [
            exact(k.value),
            k.num.map(exact).unwrap_or_default(),
            k.den.map(exact).unwrap_or_default(),
            "known".to_owned(),
            none(),
        ],
        Value::Word(word) => {
            let word = (*word).to_owned();
            [word, none(), none(), "known".to_owned(), none()]
        }
        Value::Undefined(what) => [none(), none(), none(), "undefined".to_owned(), what.clone()],
        Value::Unknown(why) => [none(), none(), none(), "unknown".to_owned(), why.clone()],
    }
}

/// Why figures of a table are not numbers, or are known without some files: collected while
/// cells are made, said once below the table.
#[derive(Debug, Clone, Default)]
pub struct Remarks {
    unknown: BTreeMap<String, u64>,
    undefined: BTreeMap<String, u64>,
    left_out: BTreeMap<String, u64>,
    known: BTreeMap<String, u64>,
}

impl Remarks {
    /// Takes in one figure.
    pub fn see(&mut self, value: &Value) {
        match value {
            Value::Known(k) => {
                for (reason, files) in k.left_out.iter().flat_map(|l| &l.reasons) {
                    let most = self.left_out.entry(reason.clone()).or_default();
                    *most = (*most).max(*files);
                }
                if let Some(remark) = &k.remark {
                    *self.known.entry(remark.to_string()).or_default() += 1;
                }
            }
            Value::Word(_) => {}
            Value::Undefined(what) => *self.undefined.entry(what.clone()).or_default() += 1,
            Value::Unknown(why) => *self.unknown.entry(why.clone()).or_default() += 1,
        }
    }

    /// Whether any figure was unknown.
    pub fn any_unknown(&self) -> bool {
        !self.unknown.is_empty()
    }

    /// The lines below a table: what `?` and `–` stand for here, and what was left out.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let listed = |from: &BTreeMap<String, u64>| {
            let said = reason::fold(from.keys().map(String::as_str));
            let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
            for (reason, n) in from {
                *sums.entry(&said[reason.as_str()]).or_default() += n;
            }
            let mut all: Vec<(&str, u64)> = sums.into_iter().collect();
            all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            let more = all.len().saturating_sub(3);
            let mut words: Vec<String> = all
                .iter()
                .take(3)
                .map(|(reason, n)| format!("{} ({n})", text::visible(reason)))
                .collect();
            if more > 0 {
                words.push(text::counted(more as u64, "more reason", "more reasons"));
            }
            words.join("; ")
        };
        if !self.unknown.is_empty() {
            lines.push(format!("{UNKNOWN} unknown: {}", listed(&self.unknown)));
        }
        if !self.undefined.is_empty() {
            lines.push(format!(
                "{UNDEFINED} undefined: {}",
                listed(&self.undefined)
            ));
        }
        if !self.left_out.is_empty() {
            lines.push(format!("files left out: {}", listed(&self.left_out)));
        }
        if !self.known.is_empty() {
            lines.push(format!("known, but: {}", listed(&self.known)));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Language;

    fn json(figure: &Figure) -> String {
        serde_json::to_string(&FigureJson(figure)).expect("plain data")
    }

    #[test]
    fn the_three_kinds_of_figure_have_three_shapes() {
        assert_eq!(
            json(&Value::ratio(5.0, 20.0, "").into()),
            r#"{"value":0.25,"num":5,"den":20}"#
        );
        assert_eq!(
            json(&Value::ratio(0.0, 0.0, "no edited function").into()),
            r#"{"undefined":"no edited function"}"#
        );
        assert_eq!(json(&Value::unknown("cut").into()), r#"{"unknown":"cut"}"#);
        assert_eq!(json(&Value::known(3.0).into()), r#"{"value":3}"#);
        assert_eq!(json(&Value::Word("pass").into()), r#"{"value":"pass"}"#);
        assert_eq!(
            fields(&Value::Word("pass")),
            ["pass", "", "", "known", ""].map(str::to_owned)
        );
        assert_eq!(
            json(&Value::known(3.0).remarked("at base rates").into()),
            r#"{"value":3,"remark":"at base rates"}"#
        );
    }

    #[test]
    fn languages_and_items_stand_beside_the_value() {
        let mut figure = Figure::from(Value::known(3.0).named("A.java::A::f"));
        figure.language = Some(Language::Java);
        figure.by_language.insert(Language::Java, Value::known(3.0));
        figure.by_language.insert(Language::Go, Value::unknown("x"));
        figure.items.push(Item {
            path: b"a\xff".to_vec(),
            name: "f".to_owned(),
            note: String::new(),
        });
        assert_eq!(
            json(&figure),
            concat!(
                r#"{"value":3,"name":"A.java::A::f","language":"java","#,
                r#""by_language":{"go":{"unknown":"x"},"java":{"value":3}},"#,
                "\"items\":[{\"path\":\"a\u{fffd}\",\"path_hex\":\"61ff\",\"name\":\"f\"}]}"
            )
        );
    }

    #[test]
    fn what_is_not_a_number_is_said_below_most_frequent_first() {
        let mut remarks = Remarks::default();
        remarks.see(&Value::unknown("b"));
        remarks.see(&Value::unknown("a"));
        remarks.see(&Value::unknown("b"));
        remarks.see(&Value::Undefined("none edited".to_owned()));
        remarks.see(&Value::known(1.0).remarked("base rates"));
        assert_eq!(
            remarks.lines(),
            [
                "? unknown: b (2); a (1)",
                "– undefined: none edited (1)",
                "known, but: base rates (1)"
            ]
        );
    }

    #[test]
    fn csv_fields_of_what_is_unknown_hold_no_number() {
        assert_eq!(
            fields(&Value::unknown("why")),
            ["", "", "", "unknown", "why"].map(str::to_owned)
        );
    }
}
