//! How paths and undo lines are said.

use super::workplace::Say;
use crate::error::Result;
use crate::repo::{RefMove, TreePath, WorkTree};

/// Says which files git was told not to look at: what is changed in them is in no record.
///
/// # Errors
/// Git where the index cannot be read.
pub(super) fn not_looked_at(work: &WorkTree, say: Say<'_>) -> Result<()> {
    let hidden = work.not_looked_at()?;
    if !hidden.is_empty() {
        say(&format!(
            "marked so that git does not look at them: {}; changes in them are not recorded (`git update-index --no-assume-unchanged --no-skip-worktree FILE` ends that)",
            paths(&hidden, 5)
        ));
    }
    Ok(())
}

/// The first `most` of some paths, quoted, and how many more there are.
pub(super) fn paths(all: &[TreePath], most: usize) -> String {
    let shown: Vec<String> = all.iter().take(most).map(|p| path(p)).collect();
    match all.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// One path, quoted.
pub(super) fn path(bytes: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(bytes))
}

/// The command that takes `moves` back, the last first.
pub(super) fn undo(moves: &[RefMove]) -> String {
    let lines: Vec<String> = moves.iter().rev().map(RefMove::undo).collect();
    lines.join(" && ")
}

/// The first bytes of a text, at most so many, and no half character.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let mut length = text.len().min(most);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    &text[..length]
}

/// `1 file`, `2 files`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}
