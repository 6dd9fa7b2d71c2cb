//! A check as Markdown: a comment on a pull request, short where everything is held.

use std::io::Write;

use super::{CheckView, CheckedLimit, ending, found, heading, name, reasons, row, table};
use crate::error::Result;
use crate::stats::Kept;

/// Things listed of a limit; the others are counted.
const LISTED: usize = 50;
/// More are folded.
const OPEN: usize = 10;

/// Writes it.
///
/// # Errors
/// What `out` says.
pub(super) fn write(out: &mut dyn Write, view: &CheckView<'_>) -> Result<()> {
    writeln!(out, "**{}**\n", plain(&ending(view)))?;
    writeln!(out, "{}", plain(&heading(view)))?;
    if !view.limits.is_empty() {
        let mut table = table();
        for limit in view.limits {
            table.row(row(limit));
        }
        writeln!(out)?;
        table.write_markdown(out)?;
    }
    for limit in view.limits.iter().filter(|l| l.kept != Kept::Held) {
        list(out, limit)?;
    }
    for remark in view.remarks {
        writeln!(out, "\n{}", plain(remark))?;
    }
    writeln!(out, "\nconfig {}", view.stamp.config)?;
    Ok(())
}

/// What broke a limit, or why nobody knows.
fn list(out: &mut dyn Write, limit: &CheckedLimit) -> Result<()> {
    let mut lines = reasons(limit);
    lines.extend(found(limit, LISTED));
    if lines.is_empty() {
        return Ok(());
    }
    let title = format!("{}: {}", name(limit), limit.kept.words());
    let folded = lines.len() > OPEN;
    match folded {
        true => writeln!(out, "\n<details><summary>{}</summary>\n", plain(&title))?,
        false => writeln!(out, "\n{}\n", plain(&title))?,
    }
    for line in &lines {
        writeln!(out, "- {}", plain(line))?;
    }
    if folded {
        writeln!(out, "\n</details>")?;
    }
    Ok(())
}

/// Text of anybody's as Markdown shows it: nothing in it is a link, a mention, a heading or
/// HTML.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in crate::report::text::visible(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            // No account is called for by a name in a commit.
            '@' => shown.push_str("@\u{2060}"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' => {
                shown.push('\\');
                shown.push(c);
            }
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_of_a_name_is_markdown() {
        assert_eq!(
            plain("f_[x](y)<img src=z> @team `#1`"),
            "f\\_\\[x\\](y)&lt;img src=z&gt; @\u{2060}team \\`\\#1\\`"
        );
        assert_eq!(plain("1 of 2 limits: a.java"), "1 of 2 limits: a.java");
    }
}
