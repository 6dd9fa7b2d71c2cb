//! A function's change line by line, for reading. The hunks the measures count come from
//! elsewhere; this one is only shown.

use std::io::Write;

use similar::{Algorithm, ChangeTag, TextDiff};

use super::table::Tone;
use super::text;
use crate::error::Result;

/// Lines of both texts together beyond which no diff is shown. A bound on time would make what
/// is shown depend on the machine.
const MOST_LINES: usize = 20_000;
/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;

/// Writes the diff of two texts, each line begun with `indent` blanks and its mark; line
/// numbers are not shown, since the two texts are parts of files.
///
/// # Errors
/// What `out` says.
pub fn inline_diff(out: &mut dyn Write, old: &[u8], new: &[u8], indent: usize) -> Result<()> {
    let pad = " ".repeat(indent);
    let lines = |text: &[u8]| text.iter().filter(|b| **b == b'\n').count();
    if lines(old) + lines(new) > MOST_LINES {
        let words = "too long to compare here; `git show` has it";
        writeln!(out, "{pad}{}", Tone::Faint.paint(words))?;
        return Ok(());
    }
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .diff_lines(old, new);
    for (i, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if i > 0 {
            writeln!(out, "{pad}{}", Tone::Faint.paint("⋮"))?;
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (mark, tone) = match change.tag() {
                ChangeTag::Delete => ('-', Tone::Worse),
                ChangeTag::Insert => ('+', Tone::Better),
                ChangeTag::Equal => (' ', Tone::Plain),
            };
            let line: &[u8] = change.value();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // Tabs are indentation here, not a way to steer the terminal.
            let line = text::decoded(line).replace('\t', "    ");
            let shown = format!("{mark}{}", text::visible(&line));
            writeln!(out, "{pad}{}", tone.paint(&shown))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_marks_lines_and_escapes_what_steers_a_terminal() {
        let mut out = Vec::new();
        inline_diff(&mut out, b"a\n\tb\nc\n", b"a\n\tB\x1b\nc\n", 2).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "   a\n  -    b\n  +    B\\u{1b}\n   c\n"
        );
    }

    #[test]
    fn a_text_too_long_to_compare_is_said_to_be() {
        let long = "a line\n".repeat(MOST_LINES);
        let mut out = Vec::new();
        inline_diff(&mut out, long.as_bytes(), b"b\n", 2).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("too long to compare"), "{text}");
    }

    #[test]
    fn equal_texts_have_no_diff() {
        let mut out = Vec::new();
        inline_diff(&mut out, b"a\n", b"a\n", 0).expect("written");
        assert!(out.is_empty());
    }
}
