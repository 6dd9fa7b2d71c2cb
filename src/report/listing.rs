//! Lists of plain facts in every format: what `status`, `verify`, `doctor` and others say.
//!
//! A [`Listing`] is one or more [`List`]s of equal rows, with facts about the whole beside
//! them. A column is a field of the machine formats; how it stands in a table is its kind: a
//! column of its own, a heading above equal rows, a note below the row, or not at all.
//!
//! | format | what is written |
//! | --- | --- |
//! | JSON | one document: the stamp, the facts, `remarks`, and each list as an array of objects |
//! | JSON Lines | one object a row of every list, with the stamp and `list`, the list's name |
//! | CSV | the first list: its columns' keys, then its rows |
//! | table, Markdown | every list that has rows, with its title; then the remarks |

use serde_json::Value;

use super::number::Number;
use super::stamp::{SettingsValues, Stamp};
use super::table::Tone;
use super::text;

mod write;

pub use write::write;

/// One value of a row, or one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    value: Value,
    /// Bytes that are not UTF-8, in hexadecimal.
    hex: Option<String>,
    tone: Tone,
    /// What tables show instead.
    shown: Option<String>,
}

impl Field {
    /// No value: null in JSON, empty elsewhere.
    pub fn none() -> Field {
        Field::from(Value::Null)
    }

    /// A count or another value that is not known: null in JSON, `?` in tables.
    pub fn unknown() -> Field {
        Field {
            shown: Some("?".to_owned()),
            tone: Tone::Missing,
            ..Field::none()
        }
    }

    /// A path or another name of any bytes; JSON has `<key>_hex` beside it where they are not
    /// UTF-8.
    pub fn bytes(bytes: &[u8]) -> Field {
        Field {
            value: text::decoded(bytes).into_owned().into(),
            hex: text::hex_where_needed(bytes),
            tone: Tone::Plain,
            shown: None,
        }
    }

    /// A value that tables shorten.
    pub fn short(value: &str, shown: &str) -> Field {
        Field {
            shown: Some(shown.to_owned()),
            ..Field::from(value)
        }
    }

    /// The same value that tables show as `text`.
    #[must_use]
    pub fn shown_as(mut self, text: impl Into<String>) -> Field {
        self.shown = Some(text.into());
        self
    }

    /// Several words that share a line below a row; none where there are none.
    pub fn joined(words: Vec<String>) -> Field {
        if words.is_empty() {
            return Field::none();
        }
        let shown = words.join(", ");
        Field {
            shown: Some(shown),
            ..Field::words(words)
        }
    }

    /// Several words: an array in JSON, joined by `, ` elsewhere.
    pub fn words<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Field {
        let words = words.into_iter().map(|w| Value::String(w.into()));
        Field::from(Value::Array(words.collect()))
    }

    /// The same value in another tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Field {
        self.tone = tone;
        self
    }

    /// The value in words: for CSV and Markdown.
    fn text(&self) -> String {
        in_words(&self.value)
    }

    /// The value as Markdown shows it: as it is, but a number with decimals as tables do.
    fn in_markdown(&self) -> String {
        match (&self.value, &self.shown) {
            (Value::Number(number), Some(shown)) if number.is_f64() => shown.clone(),
            _ => self.text(),
        }
    }

    /// The value as a table shows it.
    fn shown(&self) -> String {
        self.shown.clone().unwrap_or_else(|| self.text())
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

impl From<Value> for Field {
    fn from(value: Value) -> Field {
        Field {
            value,
            hex: None,
            tone: Tone::Plain,
            shown: None,
        }
    }
}

macro_rules! fields_from {
    ($($type:ty),*) => {$(
        impl From<$type> for Field {
            fn from(value: $type) -> Field {
                Field::from(Value::from(value))
            }
        }
    )*};
}
fields_from!(bool, u32, u64, i64, usize, &str, String);

impl From<f64> for Field {
    /// Whole numbers whole, as everywhere.
    fn from(value: f64) -> Field {
        Field::from(serde_json::to_value(Number(value)).unwrap_or(Value::Null))
    }
}

impl<T: Into<Field>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Field {
        value.map_or_else(Field::none, Into::into)
    }
}

/// How a column stands in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Left,
    Right,
    Words,
    Paths,
    Heading,
    Below,
    Machine,
}

/// One column of a list.
#[derive(Debug, Clone)]
pub struct Column {
    key: &'static str,
    title: &'static str,
    shape: Shape,
}

impl Column {
    fn new(key: &'static str, shape: Shape) -> Column {
        Column {
            key,
            title: key,
            shape,
        }
    }

    /// Words that are never cut.
    pub fn left(key: &'static str) -> Column {
        Column::new(key, Shape::Left)
    }

    /// Numbers.
    pub fn right(key: &'static str) -> Column {
        Column::new(key, Shape::Right)
    }

    /// Words whose end may be cut to fit.
    pub fn words(key: &'static str) -> Column {
        Column::new(key, Shape::Words)
    }

    /// Paths, whose beginning may be cut to fit.
    pub fn paths(key: &'static str) -> Column {
        Column::new(key, Shape::Paths)
    }

    /// In tables a heading above the rows that share the value.
    pub fn heading(key: &'static str) -> Column {
        Column::new(key, Shape::Heading)
    }

    /// In tables a line below the row where there is a value, begun with the title.
    pub fn below(key: &'static str) -> Column {
        Column::new(key, Shape::Below).titled("")
    }

    /// Not in tables.
    pub fn machine(key: &'static str) -> Column {
        Column::new(key, Shape::Machine)
    }

    /// The same column with another title in tables; machine formats keep the key.
    #[must_use]
    pub fn titled(mut self, title: &'static str) -> Column {
        self.title = title;
        self
    }
}

/// Rows of one kind.
#[derive(Debug, Clone)]
pub struct List {
    name: &'static str,
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
}

impl List {
    /// A list without columns. `name` is its key in machine formats, `title` stands above its
    /// table (empty: nothing does).
    pub fn new(name: &'static str, title: &'static str) -> List {
        List {
            name,
            title,
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a column.
    #[must_use]
    pub fn column(mut self, column: Column) -> List {
        self.columns.push(column);
        self
    }

    /// Adds a row, one field a column; missing ones are [`Field::none`].
    pub fn row(&mut self, fields: Vec<Field>) {
        self.rows.push(fields);
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The title above its table.
    pub(super) fn title(&self) -> &'static str {
        self.title
    }

    /// Titles of the columns that tables have, and which are of numbers.
    pub(super) fn columns_for_people(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let shown = self.columns.iter().filter(|c| c.shape != Shape::Machine);
        shown.map(|c| {
            let title = match c.title {
                "" => c.key,
                title => title.trim(),
            };
            (title, c.shape == Shape::Right)
        })
    }

    /// The rows as tables show them, a cell a column.
    pub(super) fn rows_for_people(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().map(|row| {
            let fields = self.fields(row);
            let shown = fields.filter(|(c, _)| c.shape != Shape::Machine);
            shown.map(|(_, f)| f.shown().trim().to_owned()).collect()
        })
    }

    fn fields<'a>(&'a self, row: &'a [Field]) -> impl Iterator<Item = (&'a Column, Field)> {
        let none = std::iter::repeat_with(Field::none);
        self.columns.iter().zip(row.iter().cloned().chain(none))
    }
}

/// Lists of facts, with what holds for the whole.
#[derive(Debug, Clone)]
pub struct Listing {
    stamp: Stamp,
    facts: Vec<(&'static str, Field)>,
    lists: Vec<List>,
    remarks: Vec<String>,
}

impl Listing {
    /// A listing without lists.
    pub fn new(stamp: Stamp) -> Listing {
        Listing {
            stamp,
            facts: Vec::new(),
            lists: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds a fact about the whole: a field of the JSON document alone.
    pub fn fact(&mut self, key: &'static str, value: impl Into<Field>) {
        self.facts.push((key, value.into()));
    }

    /// Adds what figures were made under, by its values.
    pub fn settings(&mut self, values: &SettingsValues) {
        let values = values.iter().map(|(k, v)| (k.clone(), v.clone()));
        self.fact("settings", Field::from(Value::Object(values.collect())));
    }

    /// What is said below the tables.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Adds a list. The first one is what CSV has.
    pub fn list(&mut self, list: List) {
        self.lists.push(list);
    }

    /// Adds a line for people, below the tables; `remarks` in the JSON document.
    pub fn remark(&mut self, text: impl Into<String>) {
        self.remarks.push(text.into());
    }
}
