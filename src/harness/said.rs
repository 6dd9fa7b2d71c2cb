//! How paths and undo lines are said.

use crate::repo::{RefMove, TreePath};

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
    let back = |step: &RefMove| {
        let new = step.new.map(|n| n.to_string()).unwrap_or_default();
        match step.old {
            Some(old) => format!("git update-ref {} {old} {new}", step.name),
            None => format!("git update-ref -d {} {new}", step.name),
        }
    };
    let lines: Vec<String> = moves.iter().rev().map(back).collect();
    lines.join(" && ")
}

/// `1 file`, `2 files`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}
