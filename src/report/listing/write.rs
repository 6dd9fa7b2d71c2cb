//! A listing in each format.

use std::io::Write;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::super::layout::{Format, Layout};
use super::super::log::{document, line};
use super::super::stamp::Stamp;
use super::super::table::{Align, Cell, Table, Tone};
use super::super::{csv, text};
use super::{Column, Field, List, Listing, Shape, in_words};
use crate::error::Result;

impl List {
    fn object(&self, row: &[Field]) -> Object {
        let mut object = Vec::new();
        for (column, field) in self.fields(row) {
            object.push((column.key.to_owned(), Json::One(field.value)));
            if let Some(hex) = field.hex {
                let key = format!("{}_hex", column.key);
                object.push((key, Json::One(hex.into())));
            }
        }
        Object(object)
    }

    fn table(&self, markdown: bool) -> Table {
        let mut table = Table::new();
        for column in &self.columns {
            table = match (column.shape, markdown) {
                (Shape::Machine, _) | (Shape::Heading | Shape::Below, false) => table,
                (Shape::Right, true) => table.column(column.key, Align::Right),
                (_, true) => table.column(column.key, Align::Left),
                (Shape::Left, _) => table.column(column.title, Align::Left),
                (Shape::Right, _) => table.column(column.title, Align::Right),
                (Shape::Words, _) => table.words(column.title),
                (Shape::Paths, _) => table.paths(column.title),
            };
        }
        let mut heading = String::new();
        for row in &self.rows {
            let mut cells = Vec::new();
            let mut notes = Vec::new();
            for (column, field) in self.fields(row) {
                match column.shape {
                    Shape::Machine => {}
                    Shape::Heading if !markdown => {
                        if field.text() != heading {
                            heading = field.text();
                            table.heading(&heading);
                        }
                    }
                    Shape::Below if !markdown => notes.extend(notes_of(column, &field)),
                    _ if markdown => cells.push(Cell::new(field.in_markdown())),
                    _ => cells.push(Cell::new(field.shown()).tone(field.tone)),
                }
            }
            table.row(cells);
            for note in notes {
                table.note(&note);
            }
        }
        table
    }
}

/// The lines below a row: one for a word, one each for several.
fn notes_of(column: &Column, field: &Field) -> Vec<String> {
    let each = match &field.value {
        _ if field.shown.is_some() => vec![field.shown()],
        Value::Array(all) => all.iter().map(in_words).collect(),
        one => vec![in_words(one)],
    };
    each.into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| match column.title {
            "" => text,
            title => format!("{title} {text}"),
        })
        .collect()
}

/// An object whose keys come out in the order they were given.
struct Object(Vec<(String, Json)>);

enum Json {
    One(Value),
    Rows(Vec<Object>),
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::One(value) => value.serialize(to),
            Json::Rows(rows) => rows.serialize(to),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    #[serde(flatten)]
    body: Object,
}

/// Writes a listing.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, listing: &Listing, layout: Layout) -> Result<()> {
    let stamp = &listing.stamp;
    match layout.format {
        Format::Json => {
            let facts = listing.facts.iter();
            let mut body: Vec<_> = facts
                .map(|(key, field)| ((*key).to_owned(), Json::One(field.value.clone())))
                .collect();
            let remarks = Field::words(listing.remarks.iter().map(String::as_str));
            body.push(("remarks".to_owned(), Json::One(remarks.value)));
            for list in &listing.lists {
                let rows = list.rows.iter().map(|r| list.object(r));
                body.push((list.name.to_owned(), Json::Rows(rows.collect())));
            }
            let body = Object(body);
            document(out, &Document { stamp, body })
        }
        Format::JsonLines => {
            for list in &listing.lists {
                for row in &list.rows {
                    let mut body = list.object(row);
                    let name = Json::One(list.name.into());
                    body.0.insert(0, ("list".to_owned(), name));
                    line(out, &Document { stamp, body })?;
                }
            }
            Ok(())
        }
        Format::Csv => {
            let Some(list) = listing.lists.first() else {
                return Ok(());
            };
            csv::record(out, list.columns.iter().map(|c| c.key))?;
            list.rows.iter().try_for_each(|row| {
                let texts: Vec<String> = list.fields(row).map(|(_, f)| f.text()).collect();
                csv::record(out, texts.iter().map(String::as_str))
            })
        }
        Format::Table => write_table(out, listing, layout.columns),
        Format::Markdown => {
            for list in listing.lists.iter().filter(|l| !l.is_empty()) {
                if !list.title.is_empty() {
                    writeln!(out, "### {}\n", list.title)?;
                }
                list.table(true).write_markdown(out)?;
                writeln!(out)?;
            }
            for remark in &listing.remarks {
                writeln!(out, "{}\n", text::visible(remark))?;
            }
            Ok(())
        }
    }
}

fn write_table(out: &mut dyn Write, listing: &Listing, columns: usize) -> Result<()> {
    let mut first = true;
    for list in listing.lists.iter().filter(|l| !l.is_empty()) {
        if !first {
            writeln!(out)?;
        }
        first = false;
        if !list.title.is_empty() {
            writeln!(out, "{}", Tone::Title.paint(list.title))?;
        }
        list.table(false).write(out, columns)?;
    }
    if !first && !listing.remarks.is_empty() {
        writeln!(out)?;
    }
    for remark in &listing.remarks {
        let remark = text::visible(remark);
        for line in text::wrap(&remark, columns, 2).lines() {
            writeln!(out, "{}", Tone::Faint.paint(line))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Listing {
        let stamp = Stamp {
            schema: 1,
            tool: "t".to_owned(),
            analyser: "a".to_owned(),
            definitions: "d".to_owned(),
            config: "none".to_owned(),
        };
        let mut list = List::new("findings", "")
            .column(Column::heading("place"))
            .column(Column::left("severity").titled(""))
            .column(Column::words("what"))
            .column(Column::right("count").titled("n"))
            .column(Column::below("why"))
            .column(Column::below("mend").titled("mend:"))
            .column(Column::machine("id"));
        list.row(vec![
            "notes".into(),
            "error".into(),
            "a note with \u{1b}[2J in it that goes on for quite a while".into(),
            3u64.into(),
            "it would be lost, and nobody would see that it was".into(),
            Field::words(["`git one two`", "`git three`"]),
            "x".into(),
        ]);
        list.row(vec![
            "notes".into(),
            "note".into(),
            Field::bytes(b"a\xffb"),
            Field::none(),
        ]);
        let mut listing = Listing::new(stamp);
        listing.fact("errors", 1usize);
        listing.list(list);
        listing.list(List::new("others", "Others").column(Column::left("a")));
        listing.remark("1 error");
        listing
    }

    fn written(format: Format) -> String {
        let mut out = Vec::new();
        let columns = 40;
        write(&mut out, &sample(), Layout { format, columns }).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        match format {
            Format::Table | Format::Markdown => anstream::adapter::strip_str(&text).to_string(),
            _ => text,
        }
    }

    #[test]
    fn a_table_has_headings_above_and_notes_below_and_cannot_steer() {
        insta::assert_snapshot!(written(Format::Table), @r"
               what                            n
        notes
        error  a note with \u{1b}[2J in it t…  3
            it would be lost, and nobody would
              see that it was
            mend: `git one two`
            mend: `git three`
        note   a�b

        1 error
        ");
    }

    #[test]
    fn markdown_has_every_column_but_those_for_machines() {
        insta::assert_snapshot!(written(Format::Markdown), @r"
        | place | severity | what | count | why | mend |
        | --- | --- | --- | ---: | --- | --- |
        | notes | error | a note with \\u{1b}[2J in it that goes on for quite a while | 3 | it would be lost, and nobody would see that it was | `git one two`, `git three` |
        | notes | note | a�b |  |  |  |

        1 error
        ");
    }

    #[test]
    fn csv_has_the_first_list() {
        assert_eq!(
            written(Format::Csv),
            "place,severity,what,count,why,mend,id\n\
             notes,error,a note with \u{1b}[2J in it that goes on for quite a while,3,\
             \"it would be lost, and nobody would see that it was\",\
             \"`git one two`, `git three`\",x\n\
             notes,note,a\u{fffd}b,,,,\n"
        );
    }

    #[test]
    fn json_has_facts_lists_and_the_bytes_of_names() {
        let text = written(Format::Json);
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["schema"], 1);
        assert_eq!(read["errors"], 1);
        assert_eq!(read["remarks"][0], "1 error");
        assert_eq!(read["findings"][0]["mend"][1], "`git three`");
        assert_eq!(read["findings"][1]["what_hex"], "61ff62");
        assert_eq!(read["findings"][1]["count"], Value::Null);
        assert_eq!(read["others"].as_array().map(Vec::len), Some(0));
        let place = text.find("\"place\"").expect("a key");
        assert!(
            place < text.find("\"id\"").expect("a key"),
            "in the order of columns"
        );
    }

    #[test]
    fn each_json_line_says_of_which_list_it_is() {
        let text = written(Format::JsonLines);
        let lines: Vec<Value> = text
            .lines()
            .map(|l| serde_json::from_str(l).expect("JSON"))
            .collect();
        assert_eq!(lines.len(), 2);
        for line in lines {
            assert_eq!(line["list"], "findings");
            assert_eq!(line["tool"], "t");
        }
    }
}
