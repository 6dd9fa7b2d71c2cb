//! What is in one tree: functions, files; and who wrote the lines of one file.

use std::io::Write;

use serde::Serialize;

use super::csv;
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::stamp::Stamp;
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::Result;
use crate::history::{LineOrigin, TreeFile, Unparsed, Unread};

/// How records of paths end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// In the format asked for.
    Lines,
    /// Paths alone, raw, each ended by a NUL.
    Nul,
}

#[derive(Serialize)]
struct Document<'a, T: Serialize> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize)]
struct FunctionJson<'a> {
    path: std::borrow::Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    function: &'a str,
    start: u32,
    end: u32,
    nloc: i32,
    cc: u32,
    cognitive: u32,
    nested: bool,
}

#[derive(Serialize)]
struct FunctionsBody<'a> {
    functions: Vec<FunctionJson<'a>>,
    unread: Vec<UnreadJson<'a>>,
}

#[derive(Serialize)]
struct UnreadJson<'a> {
    path: std::borrow::Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    unknown: String,
}

fn functions_of(files: &[TreeFile]) -> Vec<FunctionJson<'_>> {
    let mut all = Vec::new();
    for file in files {
        let Ok(structure) = &file.structure else {
            continue;
        };
        all.extend(structure.rows.iter().map(|row| FunctionJson {
            path: text::decoded(&file.path),
            path_hex: text::hex_where_needed(&file.path),
            function: &row.name,
            start: row.start,
            end: row.end,
            nloc: row.nloc,
            cc: row.cc,
            cognitive: row.cognitive,
            nested: row.nested,
        }));
    }
    all
}

/// Files whose functions are not known, and why. A language without a parser is not one of
/// them: nobody looked for functions there.
fn unread(files: &[TreeFile]) -> impl Iterator<Item = (&TreeFile, String)> {
    files.iter().filter_map(|f| {
        let why = f.structure.as_ref().err()?;
        f.language.is_analysed().then(|| (f, why.to_string()))
    })
}

/// The columns of `functions`, in CSV and JSON.
const FUNCTIONS: [&str; 8] = [
    "path",
    "function",
    "start",
    "end",
    "nloc",
    "cc",
    "cognitive",
    "nested",
];

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

/// Writes the functions of a tree, as lizard names them, by path and source order.
///
/// # Errors
/// What `out` says.
pub fn write_functions(
    out: &mut dyn Write,
    stamp: &Stamp,
    files: &[TreeFile],
    layout: Layout,
) -> Result<()> {
    let functions = functions_of(files);
    match layout.format {
        Format::Csv => {
            csv::record(out, FUNCTIONS)?;
            functions.iter().try_for_each(|f| {
                let numbers = [
                    f.start.to_string(),
                    f.end.to_string(),
                    f.nloc.to_string(),
                    f.cc.to_string(),
                    f.cognitive.to_string(),
                ];
                let words = [f.path.as_ref(), f.function];
                let numbers = numbers.iter().map(String::as_str);
                csv::record(out, words.into_iter().chain(numbers).chain([yes(f.nested)]))
            })
        }
        Format::JsonLines => functions
            .into_iter()
            .try_for_each(|body| line(out, &Document { stamp, body })),
        Format::Json => {
            let unread = unread(files).map(|(f, unknown)| UnreadJson {
                path: text::decoded(&f.path),
                path_hex: text::hex_where_needed(&f.path),
                unknown,
            });
            let body = FunctionsBody {
                functions,
                unread: unread.collect(),
            };
            document(out, &Document { stamp, body })
        }
        Format::Table | Format::Markdown => {
            let mut table = Table::new().paths("path").paths("function");
            for title in &FUNCTIONS[2..7] {
                table = table.column(*title, Align::Right);
            }
            for f in &functions {
                let mut row = vec![Cell::new(&f.path), Cell::new(f.function)];
                let numbers = [f.start.to_string(), f.end.to_string(), f.nloc.to_string()];
                row.extend(numbers.iter().map(Cell::new));
                row.push(Cell::new(f.cc.to_string()).tone(Tone::Title));
                row.push(Cell::new(f.cognitive.to_string()));
                table.row(row);
            }
            write_either(out, &table, stamp, layout)
        }
    }
}

fn write_either(out: &mut dyn Write, table: &Table, stamp: &Stamp, layout: Layout) -> Result<()> {
    if layout.format == Format::Markdown {
        table.write_markdown(out)?;
        writeln!(out, "\nconfig {}", stamp.config)?;
    } else {
        table.write(out, layout.columns)?;
        let config = format!("config {}", stamp.config);
        writeln!(out, "{}", Tone::Faint.paint(&config))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: std::borrow::Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    language: &'static str,
    class: &'static str,
    lines: Option<u32>,
    code_lines: Option<i32>,
    functions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

impl<'a> From<&'a TreeFile> for FileJson<'a> {
    fn from(f: &'a TreeFile) -> Self {
        let read = f.structure.as_ref();
        FileJson {
            path: text::decoded(&f.path),
            path_hex: text::hex_where_needed(&f.path),
            language: f.language.id(),
            class: f.class.word(),
            // What is not here, or is no text, has no number of lines; that is not none.
            lines: (!matches!(
                read,
                Err(Unread::Unparsed(Unparsed::Missing | Unparsed::Binary))
            ))
            .then_some(f.lines),
            code_lines: read.ok().map(|s| s.nloc),
            functions: read.ok().map(|s| s.functions.len()),
            unknown: read.err().map(ToString::to_string),
        }
    }
}

#[derive(Serialize)]
struct FilesBody<'a> {
    files: Vec<FileJson<'a>>,
}

/// Writes the code files of a tree, by path.
///
/// # Errors
/// What `out` says.
pub fn write_files(
    out: &mut dyn Write,
    stamp: &Stamp,
    files: &[TreeFile],
    layout: Layout,
    ending: Ending,
) -> Result<()> {
    if ending == Ending::Nul {
        for file in files {
            out.write_all(&file.path)?;
            out.write_all(b"\0")?;
        }
        return Ok(());
    }
    let rows = files.iter().map(FileJson::from);
    match layout.format {
        Format::Csv => {
            csv::record(
                out,
                [
                    "path",
                    "language",
                    "class",
                    "lines",
                    "code_lines",
                    "functions",
                    "unknown",
                ],
            )?;
            for f in rows {
                let number = |n: Option<i64>| n.map(|n| n.to_string()).unwrap_or_default();
                let fields = [
                    number(f.lines.map(i64::from)),
                    number(f.code_lines.map(i64::from)),
                    number(f.functions.and_then(|n| i64::try_from(n).ok())),
                    f.unknown.unwrap_or_default(),
                ];
                let words = [f.path.as_ref(), f.language, f.class];
                csv::record(
                    out,
                    words.into_iter().chain(fields.iter().map(String::as_str)),
                )?;
            }
            Ok(())
        }
        Format::JsonLines => rows
            .into_iter()
            .try_for_each(|body| line(out, &Document { stamp, body })),
        Format::Json => {
            let body = FilesBody {
                files: rows.collect(),
            };
            document(out, &Document { stamp, body })
        }
        Format::Table | Format::Markdown => {
            let mut table = Table::new()
                .paths("path")
                .column("language", Align::Left)
                .column("class", Align::Left)
                .column("lines", Align::Right)
                .column("code", Align::Right)
                .column("functions", Align::Right);
            let unknown = || Cell::new(super::figure::UNKNOWN).tone(Tone::Missing);
            for f in files {
                let row = FileJson::from(f);
                table.row(vec![
                    Cell::new(&row.path),
                    Cell::new(f.language.name()),
                    Cell::new(row.class),
                    row.lines.map_or_else(unknown, |n| Cell::new(n.to_string())),
                    row.code_lines
                        .map_or_else(unknown, |n| Cell::new(n.to_string())),
                    row.functions
                        .map_or_else(unknown, |n| Cell::new(n.to_string())),
                ]);
            }
            write_either(out, &table, stamp, layout)
        }
    }
}

/// What to say of files without functions: one line, or none.
pub fn unread_line(files: &[TreeFile]) -> Option<String> {
    let all: Vec<_> = unread(files).collect();
    let (first, why) = all.first()?;
    let more = match all.len() {
        1 => String::new(),
        n => format!(", and {} more", n - 1),
    };
    Some(format!(
        "functions unknown in {}: {why}{more}",
        text::shown(&first.path)
    ))
}

#[derive(Serialize)]
struct LineJson {
    line: u32,
    commit: String,
    checkpoint: u32,
}

impl From<&LineOrigin> for LineJson {
    fn from(o: &LineOrigin) -> Self {
        LineJson {
            line: o.line,
            commit: o.commit.to_string(),
            checkpoint: o.checkpoint,
        }
    }
}

#[derive(Serialize)]
struct LinesBody {
    lines: Vec<LineJson>,
}

/// Writes who wrote each line.
///
/// # Errors
/// What `out` says.
pub fn write_lines(
    out: &mut dyn Write,
    stamp: &Stamp,
    lines: &[LineOrigin],
    layout: Layout,
) -> Result<()> {
    let rows = lines.iter().map(LineJson::from);
    match layout.format {
        Format::Csv => {
            csv::record(out, ["line", "commit", "checkpoint"])?;
            for l in rows {
                let fields = [l.line.to_string(), l.commit, l.checkpoint.to_string()];
                csv::record(out, fields.iter().map(String::as_str))?;
            }
            Ok(())
        }
        Format::Json => {
            let body = LinesBody {
                lines: rows.collect(),
            };
            document(out, &Document { stamp, body })
        }
        Format::JsonLines => rows
            .into_iter()
            .try_for_each(|body| line(out, &Document { stamp, body })),
        Format::Table | Format::Markdown => {
            let mut table = Table::new()
                .column("line", Align::Right)
                .column("commit", Align::Left)
                .column("checkpoint", Align::Right);
            for l in lines {
                table.row(vec![
                    Cell::new(l.line.to_string()),
                    Cell::new(l.commit.short()).tone(Tone::Id),
                    Cell::new(l.checkpoint.to_string()),
                ]);
            }
            write_either(out, &table, stamp, layout)
        }
    }
}
