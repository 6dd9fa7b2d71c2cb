//! A page written as Markdown for a pull request: what fits a comment, and what was cut.

use std::io::Write;

use super::super::text::visible;
use super::document::{Block, Document, Inline, Section, Table, Tone};
use crate::error::Result;

/// What a comment may have, in characters; some of it is kept for the line on what was cut.
const MOST: usize = 65_536;
const KEPT: usize = 1_500;

/// Sections that a comment does without.
const NOT_IN_COMMENTS: [&str; 7] = [
    "changes",
    "code",
    "tests",
    "cost",
    "secondary",
    "heat",
    "definitions",
];

/// Writes a page.
///
/// # Errors
/// What `out` says.
pub(super) fn write(out: &mut dyn Write, page: &Document<'_>) -> Result<()> {
    let mut text = format!("# {}\n\n", words(&[Inline::from(page.title.as_str())]));
    let mut used = text.chars().count();
    let mut cut = Vec::new();
    for section in &page.sections {
        if NOT_IN_COMMENTS.contains(&section.id.as_str()) {
            cut.push(section.title.as_str());
            continue;
        }
        let part = of_section(section);
        let length = part.chars().count();
        if used + length > MOST - KEPT {
            cut.push(section.title.as_str());
            continue;
        }
        used += length;
        text.push_str(&part);
    }
    if !cut.is_empty() {
        text.push_str(&format!(
            "Not in this comment, and in the page that `git evolve report` writes: {}; figures, \
             and every value.\n\n",
            cut.join(", ").to_lowercase()
        ));
    }
    for line in &page.foot {
        text.push_str(&words(line));
        text.push('\n');
    }
    out.write_all(text.as_bytes())?;
    Ok(())
}

fn of_section(section: &Section<'_>) -> String {
    let mut text = format!("## {}\n\n", escaped(&section.title));
    blocks(&mut text, &section.blocks);
    text
}

fn blocks(text: &mut String, all: &[Block<'_>]) {
    for block in all {
        match block {
            Block::Para(line) => {
                text.push_str(&words(line));
                text.push_str("\n\n");
            }
            Block::Warning(line) => {
                text.push_str("> **Note.** ");
                text.push_str(&words(line));
                text.push_str("\n\n");
            }
            Block::Verdict(word, _, line) => {
                text.push_str(&format!(
                    "**{}**: {}\n\n",
                    escaped(word).to_uppercase(),
                    words(line)
                ));
            }
            Block::Findings(all) => {
                for (word, _, says, rests_on) in all {
                    text.push_str(&format!(
                        "- **{}** {} {}\n",
                        escaped(word),
                        words(says),
                        escaped(rests_on)
                    ));
                }
                text.push('\n');
            }
            Block::Bullets(points) => {
                for point in points {
                    text.push_str(&format!("- {}\n", words(point)));
                }
                text.push('\n');
            }
            Block::Table(of) | Block::Beside(_, of) => table(text, of),
            Block::Details {
                summary,
                blocks: inner,
                ..
            } => {
                // A blank line after the summary: what follows is Markdown again.
                text.push_str(&format!(
                    "<details><summary>{}</summary>\n\n",
                    super::html::escaped(&plain(summary))
                ));
                blocks(text, inner);
                text.push_str("</details>\n\n");
            }
            // Drawings, every value and definitions stand in the page.
            Block::Figure(_) | Block::Values(..) | Block::Terms(_) | Block::Card(_) => {}
        }
    }
}

fn table(text: &mut String, table: &Table) {
    if !table.caption.is_empty() {
        text.push_str(&format!("{}:\n\n", escaped(&table.caption)));
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&line(
        table.columns.iter().map(|c| escaped(&c.title)).collect(),
    ));
    text.push_str(&line(
        table
            .columns
            .iter()
            .map(|c| if c.number { "---:" } else { "---" }.to_owned())
            .collect(),
    ));
    for row in &table.rows {
        text.push_str(&line(row.iter().map(|c| words(&c.inlines)).collect()));
    }
    text.push('\n');
    for note in &table.notes {
        text.push_str(&escaped(note));
        text.push_str("\n\n");
    }
}

fn plain(all: &[Inline]) -> String {
    all.iter()
        .map(|i| match i {
            Inline::Text(t)
            | Inline::Strong(t)
            | Inline::Code(t)
            | Inline::Titled(t, _)
            | Inline::Toned(t, _)
            | Inline::Jump(t, _)
            | Inline::Link(t, _, _) => t.as_str(),
            Inline::Break => " ",
        })
        .collect()
}

fn words(all: &[Inline]) -> String {
    all.iter().map(word).collect()
}

fn word(inline: &Inline) -> String {
    match inline {
        Inline::Text(text) | Inline::Titled(text, _) | Inline::Jump(text, _) => escaped(text),
        Inline::Break => "<br>".to_owned(),
        Inline::Strong(text) => format!("**{}**", escaped(text)),
        Inline::Toned(text, Tone::Plain | Tone::Faint) => escaped(text),
        Inline::Toned(text, _) => format!("**{}**", escaped(text)),
        Inline::Code(text) => code(text),
        Inline::Link(text, address, _) => format!("[{}](<{address}>)", escaped(text)),
    }
}

/// Text as a code span: between more backticks than it has in a row.
fn code(text: &str) -> String {
    let text = visible(text);
    let mut longest = 0;
    let mut row = 0;
    for c in text.chars() {
        row = if c == '`' { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// Text made inert: nothing in it is markup, names nobody and leads nowhere.
fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // A comment parts what a host would turn into a link or a call.
            '@' | '#' => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            ':' if rest.peek() == Some(&'/') => out.push_str(":<!-- -->"),
            '.' if matches!(before, 'w' | 'W') => out.push_str("<!-- -->."),
            other => out.push(other),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repository_says_is_no_markup_and_calls_nobody() {
        assert_eq!(
            escaped("<b>|*x*|[a](b) @me #1 https://e www.e"),
            "&lt;b&gt;\\|\\*x\\*\\|\\[a\\](b) @<!-- -->me #<!-- -->1 https:<!-- -->//e www<!-- -->.e"
        );
        assert_eq!(code("a`b|c"), "`` a`b\\|c ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
    }

    #[test]
    fn a_comment_is_never_longer_than_a_host_takes() {
        let mut long = Table::new("t", "long").words("x");
        for _ in 0..10_000 {
            long.row(["some words in a row".into()]);
        }
        let section = |id: &str, blocks| Section {
            id: id.to_owned(),
            title: format!("Title {id}"),
            blocks,
        };
        let page = Document {
            title: "t".to_owned(),
            sections: vec![
                section("run", vec![super::super::document::para("short")]),
                section("regressions", vec![Block::Table(long)]),
                section("controls", vec![super::super::document::para("kept")]),
            ],
            ..Document::default()
        };
        let mut out = Vec::new();
        write(&mut out, &page).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.chars().count() < MOST);
        assert!(text.contains("short") && text.contains("kept"), "{text}");
        assert!(text.contains("Not in this comment") && text.contains("title regressions"));
    }
}
