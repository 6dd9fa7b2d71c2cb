//! Tables: aligned columns for a terminal, pipes for Markdown.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use super::text;
use crate::error::Result;

/// Where a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// What a cell means; a terminal shows it as a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// A title.
    Title,
    /// A commit or another id.
    Id,
    /// Less important.
    Faint,
    /// Gets worse.
    Worse,
    /// Gets better.
    Better,
    /// Not known.
    Missing,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Tone::Plain => Style::new(),
            Tone::Title => Style::new().bold(),
            Tone::Id => AnsiColor::Yellow.on_default(),
            Tone::Faint => Style::new().dimmed(),
            Tone::Worse => AnsiColor::Red.on_default(),
            Tone::Better => AnsiColor::Green.on_default(),
            Tone::Missing => AnsiColor::Magenta.on_default(),
        }
    }

    /// `text` in this tone's colour, with the codes a terminal reads (the printer takes them
    /// off where they are not wanted).
    pub fn paint(self, text: &str) -> String {
        if self == Tone::Plain || text.is_empty() {
            return text.to_owned();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// Text from anywhere, made visible.
    pub fn new(text: impl AsRef<str>) -> Cell {
        Cell {
            text: text::visible(text.as_ref()).into_owned(),
            tone: Tone::Plain,
        }
    }

    /// The same text in another tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Cell {
        self.tone = tone;
        self
    }

    /// What it says.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::new(text)
    }
}

#[derive(Debug, Clone)]
struct Column {
    title: String,
    align: Align,
    /// May be cut to fit; `true` at the beginning (paths).
    elastic: Option<bool>,
}

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// Rows and the heading that stands above each.
    headings: Vec<(usize, String)>,
    /// Rows and a note that stands below each.
    notes: Vec<(usize, String)>,
}

/// Blanks between columns.
const GAP: usize = 2;
/// What a note below a row begins with.
const NOTE_INDENT: &str = "    ";
/// An elastic column is not cut below this; a wider table then runs over.
const LEAST: usize = 8;

impl Table {
    /// A table without columns.
    pub fn new() -> Table {
        Table::default()
    }

    /// Adds a column.
    #[must_use]
    pub fn column(mut self, title: impl Into<String>, align: Align) -> Table {
        self.columns.push(Column {
            title: text::visible(&title.into()).into_owned(),
            align,
            elastic: None,
        });
        self
    }

    /// Adds a column of words that may be cut at its end.
    #[must_use]
    pub fn words(mut self, title: impl Into<String>) -> Table {
        self = self.column(title, Align::Left);
        if let Some(c) = self.columns.last_mut() {
            c.elastic = Some(false);
        }
        self
    }

    /// Adds a column of paths or names that may be cut at their beginning.
    #[must_use]
    pub fn paths(mut self, title: impl Into<String>) -> Table {
        self = self.column(title, Align::Left);
        if let Some(c) = self.columns.last_mut() {
            c.elastic = Some(true);
        }
        self
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Adds a heading, which stands between the last row and the next.
    pub fn heading(&mut self, text: &str) {
        let text = text::visible(text).into_owned();
        self.headings.push((self.rows.len(), text));
    }

    /// Adds a note below the last row; on a terminal it is broken into lines. Markdown, whose
    /// tables hold rows alone, has neither headings nor notes.
    pub fn note(&mut self, text: &str) {
        if let Some(row) = self.rows.len().checked_sub(1) {
            self.notes.push((row, text::visible(text).into_owned()));
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Columns it takes uncut.
    pub fn natural_width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
    }

    /// Columns it takes with its elastic columns at `elastic` at most.
    pub fn least_width(&self, elastic: usize) -> usize {
        let widths = self.widths();
        let cut = self
            .columns
            .iter()
            .zip(&widths)
            .map(|(c, w)| match c.elastic {
                Some(_) => (*w).min(elastic),
                None => *w,
            });
        cut.sum::<usize>() + GAP * widths.len().saturating_sub(1)
    }

    fn widths(&self) -> Vec<usize> {
        self.columns
            .iter()
            .enumerate()
            .map(|(i, c)| {
                self.rows
                    .iter()
                    .filter_map(|r| r.get(i))
                    .map(|cell| text::width(&cell.text))
                    .chain([text::width(&c.title)])
                    .max()
                    .unwrap_or(0)
            })
            .collect()
    }

    /// The widths that fit in `columns`: elastic columns give way, the widest first.
    fn fitted(&self, columns: usize) -> Vec<usize> {
        let mut widths = self.widths();
        let gaps = GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > columns {
            let widest = (0..widths.len())
                .filter(|i| self.columns[*i].elastic.is_some() && widths[*i] > LEAST)
                .max_by_key(|i| widths[*i]);
            let Some(widest) = widest else { break };
            widths[widest] -= 1;
        }
        widths
    }

    /// Writes it for a terminal of `columns`.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: &mut dyn Write, columns: usize) -> Result<()> {
        let widths = self.fitted(columns);
        let titles: Vec<Cell> = self
            .columns
            .iter()
            .map(|c| Cell {
                text: c.title.clone(),
                tone: Tone::Title,
            })
            .collect();
        let titled = self.columns.iter().any(|c| !c.title.is_empty());
        let rows: Vec<Vec<Cell>> = titled
            .then_some(&titles)
            .into_iter()
            .chain(&self.rows)
            .map(|row| self.cut(row, &widths))
            .collect();
        let mut table = comfy_table::Table::new();
        table
            .load_style(comfy_table::presets::NOTHING)
            .set_content_arrangement(comfy_table::ContentArrangement::Disabled);
        for row in &rows {
            table.add_row(row.iter().map(|c| c.text.as_str()));
        }
        for (i, column) in self.columns.iter().enumerate() {
            if let Some(c) = table.column_mut(i) {
                let gap = if i == 0 { 0 } else { GAP };
                c.set_padding((u16::try_from(gap).unwrap_or(0), 0));
                c.set_cell_alignment(match column.align {
                    Align::Left => comfy_table::CellAlignment::Left,
                    Align::Right => comfy_table::CellAlignment::Right,
                });
            }
        }
        let titles = usize::from(titled);
        for (i, (line, row)) in table.lines().zip(&rows).enumerate() {
            let index = i.checked_sub(titles);
            let here = |(at, _): &&(usize, String)| Some(*at) == index;
            for (_, heading) in self.headings.iter().filter(here) {
                writeln!(out, "{}", Tone::Title.paint(heading))?;
            }
            writeln!(out, "{}", painted(line.trim_end(), row))?;
            for (_, note) in self.notes.iter().filter(here) {
                let room = columns.saturating_sub(NOTE_INDENT.len());
                for line in text::wrap(note, room, 2).lines() {
                    writeln!(out, "{NOTE_INDENT}{}", Tone::Faint.paint(line))?;
                }
            }
        }
        Ok(())
    }

    /// The cells of a row, cut to their columns' widths.
    fn cut(&self, row: &[Cell], widths: &[usize]) -> Vec<Cell> {
        let cells = row
            .iter()
            .cloned()
            .chain(std::iter::repeat(Cell::default()));
        self.columns
            .iter()
            .zip(widths)
            .zip(cells)
            .map(|((column, width), cell)| Cell {
                text: match column.elastic {
                    Some(true) => text::fit_end(&cell.text, *width).into_owned(),
                    Some(false) => text::fit(&cell.text, *width).into_owned(),
                    None => cell.text,
                },
                tone: cell.tone,
            })
            .collect()
    }

    /// Writes it as a Markdown table, uncut.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_markdown(&self, out: &mut dyn Write) -> Result<()> {
        let cell = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let titles = self.columns.iter().map(|c| cell(&c.title)).collect();
        writeln!(out, "{}", line(titles))?;
        let rules = self.columns.iter().map(|c| match c.align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        writeln!(out, "{}", line(rules.collect()))?;
        for row in &self.rows {
            let cells = (0..self.columns.len())
                .map(|i| row.get(i).map(|c| cell(&c.text)).unwrap_or_default());
            writeln!(out, "{}", line(cells.collect()))?;
        }
        Ok(())
    }
}

/// A laid-out line with its cells in their colours. Laying out comes first, since colour codes
/// have no width; between cells there are blanks only.
fn painted(line: &str, row: &[Cell]) -> String {
    let mut done = String::with_capacity(line.len());
    let mut rest = line;
    for cell in row {
        // At the end of a line blanks of the last cell may be gone.
        let words = cell.text.trim_end();
        let Some(at) = rest.find(words).filter(|_| !words.is_empty()) else {
            continue;
        };
        done.push_str(&rest[..at]);
        done.push_str(&cell.tone.paint(words));
        rest = &rest[at + words.len()..];
    }
    done.push_str(rest);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut t = Table::new()
            .column("id", Align::Left)
            .words("subject")
            .column("n", Align::Right);
        t.row(vec![
            "a1".into(),
            "a subject of some length".into(),
            "7".into(),
        ]);
        t.row(vec!["b2".into(), "one | two".into(), "?".into()]);
        t
    }

    fn text(f: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        f(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn only_the_elastic_column_gives_way() {
        let plain = text(|out| {
            let mut raw = Vec::new();
            sample().write(&mut raw, 20).expect("written");
            let raw = String::from_utf8(raw).expect("UTF-8");
            out.extend_from_slice(anstream::adapter::strip_str(&raw).to_string().as_bytes());
        });
        insta::assert_snapshot!(plain, @r"
        id  subject        n
        a1  a subject of…  7
        b2  one | two      ?
        ");
    }

    #[test]
    fn markdown_escapes_pipes_and_cuts_nothing() {
        let md = text(|out| sample().write_markdown(out).expect("written"));
        insta::assert_snapshot!(md, @r"
        | id | subject | n |
        | --- | --- | ---: |
        | a1 | a subject of some length | 7 |
        | b2 | one \| two | ? |
        ");
    }

    #[test]
    fn a_cell_cannot_steer_the_terminal() {
        assert_eq!(Cell::new("x\u{1b}[2J").text(), "x\\u{1b}[2J");
    }
}
