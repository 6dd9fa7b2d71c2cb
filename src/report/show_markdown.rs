//! `show` as Markdown: the page a terminal gets, without its widths and colours.

use std::io::Write;

use super::figure::Remarks;
use super::show::{ShowView, figures, file_line, foot_lines, function_table, head, no_functions};
use super::show_tests::tests;
use crate::error::Result;
use crate::history::Functions;

/// Writes the change: what it is, each file's functions, the figures, the foot.
///
/// # Errors
/// What `out` says.
pub(super) fn write(out: &mut dyn Write, view: &ShowView<'_>) -> Result<()> {
    let mut plain = anstream::StripStream::new(Vec::new());
    head(&mut plain, view)?;
    for line in String::from_utf8_lossy(&plain.into_inner()).lines() {
        let line = format!("    {}", line.trim_start());
        writeln!(out, "{}", line.trim_end())?;
    }
    for edit in &view.change.step.edits {
        writeln!(out, "\n{}\n", file_line(edit))?;
        match &edit.functions {
            Functions::Read(evidence) if !evidence.changes.is_empty() => {
                function_table(&evidence.changes).write_markdown(out)?;
            }
            _ => {
                if let Some(why) = no_functions(edit) {
                    writeln!(out, "{why}")?;
                }
            }
        }
    }
    if let Some(tests) = tests(view) {
        writeln!(out, "\ntests\n")?;
        tests.write_markdown(out)?;
    }
    writeln!(out)?;
    let mut remarks = Remarks::default();
    figures(view, &mut remarks).write_markdown(out)?;
    for line in foot_lines(view, &remarks) {
        writeln!(out, "\n{line}")?;
    }
    Ok(())
}
