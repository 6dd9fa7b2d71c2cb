//! The measures themselves: the list, one explained, the manual page.

use std::io::Write;

use serde::Serialize;

use super::csv;
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::stamp::Stamp;
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::Result;
use crate::measure::catalogue::{Availability, Level, Measure};

#[derive(Serialize)]
struct MeasureJson {
    id: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    unit: &'static str,
    direction: &'static str,
    level: &'static str,
    family: &'static str,
    primary: bool,
    per_language: bool,
    windowed: bool,
    implemented: bool,
    definition: &'static str,
    edges: &'static str,
    source: &'static str,
    reads_high: &'static str,
    blind_spot: &'static str,
}

fn implemented(m: &Measure) -> bool {
    m.availability == Availability::Implemented
}

impl From<&Measure> for MeasureJson {
    fn from(m: &Measure) -> Self {
        MeasureJson {
            id: m.id,
            aliases: m.aliases,
            title: m.title,
            unit: m.unit,
            direction: m.direction.words(),
            level: m.level.word(),
            family: m.family,
            primary: m.primary,
            per_language: m.per_language,
            windowed: m.windowed,
            implemented: implemented(m),
            definition: m.definition,
            edges: m.edges,
            source: m.source,
            reads_high: m.reads_high,
            blind_spot: m.blind_spot,
        }
    }
}

#[derive(Serialize)]
struct Document<'a, T: Serialize> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize)]
struct Measures {
    metrics: Vec<MeasureJson>,
}

/// Writes the list of measures.
///
/// # Errors
/// What `out` says.
pub fn measures(
    out: &mut dyn Write,
    stamp: &Stamp,
    list: &[&'static Measure],
    layout: Layout,
) -> Result<()> {
    match layout.format {
        Format::Json => {
            let metrics = list.iter().map(|m| MeasureJson::from(*m)).collect();
            let body = Measures { metrics };
            document(out, &Document { stamp, body })
        }
        Format::JsonLines => list.iter().try_for_each(|m| {
            let body = MeasureJson::from(*m);
            line(out, &Document { stamp, body })
        }),
        Format::Csv => {
            csv::record(
                out,
                [
                    "id",
                    "title",
                    "unit",
                    "direction",
                    "level",
                    "family",
                    "primary",
                    "per_language",
                    "implemented",
                    "aliases",
                ],
            )?;
            list.iter().try_for_each(|m| {
                let yes = |flag| if flag { "yes" } else { "no" };
                csv::record(
                    out,
                    [
                        m.id,
                        m.title,
                        m.unit,
                        m.direction.words(),
                        m.level.word(),
                        m.family,
                        yes(m.primary),
                        yes(m.per_language),
                        yes(implemented(m)),
                        &m.aliases.join(" "),
                    ],
                )
            })
        }
        Format::Markdown => table(list).write_markdown(out),
        Format::Table => {
            for (i, level) in Level::ALL.into_iter().enumerate() {
                let here: Vec<_> = list.iter().copied().filter(|m| m.level == level).collect();
                if here.is_empty() {
                    continue;
                }
                if i > 0 {
                    writeln!(out)?;
                }
                writeln!(out, "{}", Tone::Title.paint(heading(level)))?;
                table(&here).write(out, layout.columns)?;
            }
            writeln!(out)?;
            let foot = "↓ lower is better, ↑ higher is better, · descriptive. \
                        (–) not in this version. `git evolve explain ID` has the definition.";
            let foot = text::wrap(foot, layout.columns, 0);
            writeln!(out, "{}", Tone::Faint.paint(&foot))?;
            Ok(())
        }
    }
}

fn heading(level: Level) -> &'static str {
    match level {
        Level::Change => "What one change did (change)",
        Level::State => "What the tree is after it (state)",
        Level::Tests => "What the tests said (tests)",
        Level::Process => "What making it took (process)",
        Level::Chain => "A whole chain, arm or task (chain)",
    }
}

fn table(list: &[&'static Measure]) -> Table {
    let mut table = Table::new()
        .column("id", Align::Left)
        .column("", Align::Left)
        .column("family", Align::Left)
        .words("title");
    for m in list {
        let there = implemented(m);
        let tone = if there { Tone::Plain } else { Tone::Faint };
        let mark = if there { "" } else { "(–) " };
        table.row(vec![
            Cell::new(m.id).tone(if there { Tone::Id } else { Tone::Faint }),
            Cell::new(m.direction.arrow()),
            Cell::new(m.family).tone(tone),
            Cell::new(format!("{mark}{}", m.title)).tone(tone),
        ]);
    }
    table
}

/// The paragraphs of an explanation: heading and text, empty ones left out.
fn paragraphs(m: &Measure) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("Definition", m.definition.to_owned()),
        ("Edges", m.edges.to_owned()),
        ("Reads high on", m.reads_high.to_owned()),
        ("Blind spot", m.blind_spot.to_owned()),
        ("Source", m.source.to_owned()),
    ];
    all.retain(|(_, words)| !words.is_empty());
    all
}

fn properties(m: &Measure) -> String {
    let mut words = vec![
        m.direction.words().to_owned(),
        format!("unit: {}", m.unit),
        format!("family {}, level {}", m.family, m.level.word()),
    ];
    if !m.primary {
        words.push("secondary: context, not a comparison by itself".to_owned());
    }
    if m.per_language {
        words.push("languages are never added".to_owned());
    }
    if m.windowed {
        words.push("looks back over the window".to_owned());
    }
    if !implemented(m) {
        words.push("not in this version".to_owned());
    }
    if !m.aliases.is_empty() {
        words.push(format!("also called {}", m.aliases.join(", ")));
    }
    words.join("; ")
}

/// Writes one measure in words; as JSON where that is asked for.
///
/// # Errors
/// What `out` says.
pub fn explain(
    out: &mut dyn Write,
    stamp: &Stamp,
    m: &'static Measure,
    layout: Layout,
) -> Result<()> {
    let body = MeasureJson::from(m);
    match layout.format {
        Format::Json => document(out, &Document { stamp, body }),
        Format::JsonLines => line(out, &Document { stamp, body }),
        Format::Csv => measures(out, stamp, &[m], layout),
        Format::Table | Format::Markdown => {
            let columns = layout.columns.min(100);
            writeln!(out, "{}: {}", Tone::Title.paint(m.id), m.title)?;
            writeln!(out, "{}", text::wrap(&properties(m), columns, 0))?;
            for (heading, words) in paragraphs(m) {
                writeln!(out, "\n{}", Tone::Title.paint(heading))?;
                writeln!(out, "    {}", text::wrap(&words, columns - 4, 4))?;
            }
            Ok(())
        }
    }
}

/// The manual page of all measures, as roff.
///
/// # Errors
/// What `out` says.
pub fn manual(out: &mut dyn Write, list: &[Measure], version: &str) -> Result<()> {
    writeln!(
        out,
        ".TH git-evolve-measures 7 \"\" \"git-evolve {version}\" \"Git Evolve\""
    )?;
    writeln!(out, ".SH NAME")?;
    writeln!(
        out,
        "git\\-evolve\\-measures \\- the measures of git\\-evolve and what they mean"
    )?;
    writeln!(out, ".SH DESCRIPTION")?;
    for words in [
        "Every measure stands alone; there is no composite score. A figure is a number, \
         undefined (a ratio over nothing) or unknown (something needed is missing).",
        "Figures of different languages are never added where a measure counts complexity.",
    ] {
        writeln!(out, "{}\n.PP", roff(words))?;
    }
    for level in Level::ALL {
        writeln!(out, ".SH {}", roff(heading(level)).to_uppercase())?;
        for m in list.iter().filter(|m| m.level == level) {
            writeln!(out, ".SS {}", roff(m.id))?;
            writeln!(out, "{} ({}).", roff(m.title), roff(&properties(m)))?;
            for (heading, words) in paragraphs(m) {
                writeln!(out, ".PP\n\\fI{}\\fR: {}", roff(heading), roff(&words))?;
            }
        }
    }
    writeln!(
        out,
        ".SH SEE ALSO\n\\fBgit\\-evolve\\fR(1), \\fBgit\\-evolve\\-metrics\\fR(1)"
    )?;
    Ok(())
}

/// Text that roff takes for words only.
fn roff(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = one_line.replace('\\', "\\e").replace('-', "\\-");
    match escaped.as_bytes().first() {
        Some(b'.' | b'\'') => format!("\\&{escaped}"),
        _ => escaped,
    }
}
