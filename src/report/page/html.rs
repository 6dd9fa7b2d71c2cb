//! A page written as HTML: one file, nothing loaded, every word from a repository escaped.

use std::fmt::Write as _;
use std::io::Write;

use base64::Engine as _;
use sha2::{Digest, Sha256};

use super::super::chart;
use super::super::text::visible;
use super::document::{Block, Card, Document, Figure, Inline, Section, Table, Term, Tone};
use super::model::{CellValue, ValueTable};
use crate::error::Result;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Writes a page.
///
/// # Errors
/// What `out` says.
pub(super) fn write(out: &mut dyn Write, page: &Document<'_>) -> Result<()> {
    let mut html = String::with_capacity(1 << 20);
    // Writing into a string cannot fail.
    let _ = document(&mut html, page);
    out.write_all(html.as_bytes())?;
    Ok(())
}

/// Text made inert: in an element, and in an attribute between double or single quotes.
pub(super) fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn source(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let coded = base64::engine::general_purpose::STANDARD.encode(digest);
    format!("'sha256-{coded}'")
}

type Written = std::fmt::Result;

fn document(out: &mut String, page: &Document<'_>) -> Written {
    let style = format!("{}{STYLE}", chart::page_style());
    let title = escaped(&page.title);
    // Nothing is loaded, sent or embedded; the style and the script of this page alone count.
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; \
         script-src {}; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}: report</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#run\">Skip to the report</a>\n\
         <header class=\"top\">\n<h1>{title}</h1>\n<p class=\"sub\">",
        source(&style),
        source(SCRIPT)
    )?;
    inlines(out, &page.lead)?;
    out.push_str("</p>\n");
    out.push_str(SWITCH);
    out.push_str("</header>\n<div class=\"sheet\">\n<nav aria-label=\"Contents\">\n<ol>\n");
    for section in &page.sections {
        writeln!(
            out,
            "<li><a href=\"#{}\">{}</a></li>",
            section.id,
            escaped(&section.title)
        )?;
    }
    out.push_str("</ol>\n</nav>\n<main>\n");
    for section in &page.sections {
        part(out, section)?;
    }
    out.push_str("</main>\n</div>\n<footer>\n");
    for line in &page.foot {
        out.push_str("<p>");
        inlines(out, line)?;
        out.push_str("</p>\n");
    }
    write!(
        out,
        "</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// Works without scripting: the style looks which one is chosen.
const SWITCH: &str = "<fieldset class=\"theme\">\n<legend>Colours</legend>\n\
<label><input type=\"radio\" name=\"theme\" id=\"theme-auto\" checked> system</label>\n\
<label><input type=\"radio\" name=\"theme\" id=\"theme-light\"> light</label>\n\
<label><input type=\"radio\" name=\"theme\" id=\"theme-dark\"> dark</label>\n</fieldset>\n";

fn part(out: &mut String, section: &Section<'_>) -> Written {
    writeln!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{}</h2>",
        escaped(&section.title),
        id = section.id
    )?;
    blocks(out, &section.blocks)?;
    out.push_str("</section>\n");
    Ok(())
}

fn blocks(out: &mut String, all: &[Block<'_>]) -> Written {
    all.iter().try_for_each(|b| block(out, b))
}

fn block(out: &mut String, block: &Block<'_>) -> Written {
    match block {
        Block::Para(words) => {
            out.push_str("<p>");
            inlines(out, words)?;
            out.push_str("</p>\n");
        }
        Block::Warning(words) => {
            out.push_str("<p class=\"warning\"><strong>Note.</strong> ");
            inlines(out, words)?;
            out.push_str("</p>\n");
        }
        Block::Verdict(word, tone, words) => {
            write!(
                out,
                "<p class=\"verdict {}\"><strong class=\"word\">{}</strong> <span>",
                class(*tone),
                escaped(word)
            )?;
            inlines(out, words)?;
            out.push_str("</span></p>\n");
        }
        Block::Findings(all) => {
            out.push_str("<ul class=\"findings\">\n");
            for (word, tone, says, rests_on) in all {
                write!(
                    out,
                    "<li><span class=\"chip {}\">{}</span><div><p>",
                    class(*tone),
                    escaped(word)
                )?;
                inlines(out, says)?;
                writeln!(
                    out,
                    "</p><p class=\"rests\">{}</p></div></li>",
                    escaped(rests_on)
                )?;
            }
            out.push_str("</ul>\n");
        }
        Block::Bullets(points) => {
            out.push_str("<ul class=\"points\">\n");
            for point in points {
                out.push_str("<li>");
                inlines(out, point)?;
                out.push_str("</li>\n");
            }
            out.push_str("</ul>\n");
        }
        Block::Terms(terms) => {
            out.push_str("<dl>\n");
            terms.iter().try_for_each(|t| term(out, t))?;
            out.push_str("</dl>\n");
        }
        Block::Table(of) => table(out, of)?,
        Block::Values(values, arms) => value_table(out, values, arms)?,
        Block::Figure(of) => figure(out, of)?,
        Block::Beside(left, right) => {
            out.push_str("<div class=\"beside\">\n");
            figure(out, left)?;
            out.push_str("<div>\n");
            table(out, right)?;
            out.push_str("</div>\n</div>\n");
        }
        Block::Details {
            id,
            summary,
            open,
            blocks: inner,
        } => {
            let open = if *open { " open" } else { "" };
            write!(out, "<details id=\"{id}\"{open}>\n<summary>")?;
            inlines(out, summary)?;
            out.push_str("</summary>\n");
            blocks(out, inner)?;
            out.push_str("</details>\n");
        }
        Block::Card(of) => card(out, of)?,
    }
    Ok(())
}

fn card(out: &mut String, card: &Card<'_>) -> Written {
    write!(
        out,
        "<article class=\"card\" id=\"{id}\" aria-labelledby=\"{id}-h\">\n\
         <h3 id=\"{id}-h\">{}</h3>\n<p class=\"sub\">",
        escaped(&card.title),
        id = card.id
    )?;
    inlines(out, &card.sub)?;
    out.push_str("</p>\n");
    blocks(out, &card.blocks)?;
    out.push_str("</article>\n");
    Ok(())
}

fn figure(out: &mut String, figure: &Figure) -> Written {
    if let Some(label) = &figure.moved {
        region(out, label)?;
    }
    let class = if figure.wide {
        " class=\"ev-wide\""
    } else {
        ""
    };
    writeln!(out, "<figure id=\"{}\"{class}>", figure.id)?;
    if figure.svg.contains("ev-chains") {
        writeln!(
            out,
            "<input class=\"ev-switch\" type=\"checkbox\" id=\"{id}-chains\">\
             <label for=\"{id}-chains\">single chains</label>",
            id = figure.id
        )?;
    }
    match &figure.narrow {
        Some(narrow) => write!(
            out,
            "<div class=\"ev-broad\">\n{}</div>\n<div class=\"ev-narrow\">\n{narrow}</div>\n",
            figure.svg
        )?,
        None => out.push_str(&figure.svg),
    }
    out.push_str("</figure>\n");
    if figure.moved.is_some() {
        out.push_str("</div>\n");
    }
    Ok(())
}

fn term(out: &mut String, term: &Term) -> Written {
    write!(out, "<dt id=\"{}\">", term.id)?;
    inlines(out, &term.word)?;
    out.push_str("</dt>\n<dd>");
    for line in &term.meaning {
        out.push_str("<p>");
        inlines(out, line)?;
        out.push_str("</p>");
    }
    out.push_str("</dd>\n");
    Ok(())
}

/// What a table or a wide drawing stands in: it can be moved by the keyboard.
fn region(out: &mut String, label: &str) -> Written {
    writeln!(
        out,
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">",
        escaped(label)
    )
}

fn table(out: &mut String, table: &Table) -> Written {
    let label = match table.caption.as_str() {
        "" => "Table",
        caption => caption,
    };
    region(out, label)?;
    writeln!(out, "<table id=\"{}\">", table.id)?;
    if !table.caption.is_empty() {
        writeln!(out, "<caption>{}</caption>", escaped(&table.caption))?;
    }
    out.push_str("<thead><tr>");
    for column in &table.columns {
        let class = if column.number { " class=\"n\"" } else { "" };
        write!(
            out,
            "<th scope=\"col\"{class}>{}</th>",
            escaped(&column.title)
        )?;
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (cell, column) in row.iter().zip(&table.columns) {
            let class = if column.number { " class=\"n\"" } else { "" };
            let (open, close) = match cell.head {
                true => ("th scope=\"row\"", "th"),
                false => ("td", "td"),
            };
            write!(out, "<{open}{class}>")?;
            inlines(out, &cell.inlines)?;
            write!(out, "</{close}>")?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    for note in &table.notes {
        writeln!(out, "<p class=\"note\">{}</p>", escaped(note))?;
    }
    Ok(())
}

/// Every value of a measure. There are many: cells have no attributes and no end tags.
fn value_table(out: &mut String, values: &ValueTable, arms: &[String]) -> Written {
    let what = match &values.language {
        Some(language) => format!("{} ({language})", values.measure.title),
        None => values.measure.title.to_owned(),
    };
    let caption = format!("{what}: every chain at every checkpoint");
    region(out, &caption)?;
    write!(
        out,
        "<table class=\"values\" data-metric=\"{}\" data-language=\"{}\">\n\
         <caption>{}</caption>\n<thead><tr><th scope=\"col\">chain",
        escaped(values.measure.id),
        escaped(values.language.as_deref().unwrap_or("")),
        escaped(&caption)
    )?;
    for k in &values.checkpoints {
        write!(out, "<th scope=\"col\">{k}")?;
    }
    out.push_str("</thead>\n");
    for (arm, chains) in arms.iter().zip(&values.arms) {
        writeln!(
            out,
            "<tbody><tr><th class=\"arm\" scope=\"rowgroup\" colspan=\"{}\">{}",
            values.checkpoints.len() + 1,
            escaped(arm)
        )?;
        for chain in chains {
            write!(out, "<tr><th scope=\"row\">{}", escaped(&chain.chain))?;
            for cell in &chain.cells {
                match cell {
                    None => out.push_str("<td>"),
                    Some(CellValue::Known(text)) => write!(out, "<td>{}", escaped(text))?,
                    Some(CellValue::Undefined(why)) => {
                        write!(out, "<td>–<sup>{}</sup>", mark(*why))?
                    }
                    Some(CellValue::Unknown(why)) => write!(out, "<td>?<sup>{}</sup>", mark(*why))?,
                }
            }
            out.push('\n');
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table>\n</div>\n");
    let gaps = values
        .arms
        .iter()
        .flatten()
        .flat_map(|c| &c.cells)
        .any(Option::is_none);
    if gaps {
        out.push_str(
            "<p class=\"note\">An empty cell: the chain did not reach the checkpoint.</p>\n",
        );
    }
    if !values.reasons.is_empty() {
        out.push_str("<p class=\"note\">");
        for (at, reason) in values.reasons.iter().enumerate() {
            let end = if at + 1 == values.reasons.len() {
                "."
            } else {
                "; "
            };
            write!(out, "<sup>{}</sup> {}{end}", mark(at), escaped(reason))?;
        }
        out.push_str("</p>\n");
    }
    Ok(())
}

/// The mark of a reason: `a` to `z`, `aa`.
fn mark(at: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    match at / 26 {
        0 => letter(at).to_string(),
        more => format!("{}{}", mark(more - 1), letter(at)),
    }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Better => "better",
        Tone::Worse => "worse",
        Tone::Open => "open",
        Tone::Faint => "faint",
    }
}

fn inlines(out: &mut String, all: &[Inline]) -> Written {
    all.iter().try_for_each(|i| inline(out, i))
}

fn inline(out: &mut String, inline: &Inline) -> Written {
    match inline {
        Inline::Text(text) => {
            out.push_str(&escaped(text));
            Ok(())
        }
        Inline::Break => {
            out.push_str("<br>");
            Ok(())
        }
        Inline::Strong(text) => write!(out, "<strong>{}</strong>", escaped(text)),
        Inline::Code(text) => write!(out, "<code>{}</code>", escaped(text)),
        Inline::Titled(text, title) => write!(
            out,
            "<span class=\"more\" title=\"{}\">{}</span>",
            escaped(title),
            escaped(text)
        ),
        Inline::Toned(text, tone) => write!(
            out,
            "<span class=\"{}\">{}</span>",
            class(*tone),
            escaped(text)
        ),
        Inline::Jump(text, id) => write!(out, "<a href=\"#{}\">{}</a>", escaped(id), escaped(text)),
        Inline::Link(text, address, title) => write!(
            out,
            "<a href=\"{}\" title=\"{}\" rel=\"noreferrer\">{}</a>",
            escaped(address),
            escaped(title),
            escaped(text)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repository_says_is_inert() {
        assert_eq!(
            escaped("<img src=x onerror='alert(1)'>\"&\u{202e}"),
            "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;\\u{202e}"
        );
        let mut out = String::new();
        let link = Inline::Link(
            "a\"b".to_owned(),
            "https://e/'><script>".to_owned(),
            "\"x".to_owned(),
        );
        inline(&mut out, &link).expect("written");
        assert!(!out.contains("<script"), "{out}");
        assert_eq!(out.matches('"').count(), 6, "{out}");
    }

    #[test]
    fn marks_go_on_after_z() {
        assert_eq!(
            (mark(0), mark(25), mark(26), mark(27)),
            ("a".into(), "z".into(), "aa".into(), "ab".into())
        );
    }
}
