//! Who last wrote each line, carried forward along the line of commits.
//!
//! One pass in place of a blame per checkpoint: each diff tells which lines a commit wrote,
//! all others keep their writer. `git blame --first-parent` is the tests' oracle.

use crate::repo::Hunk;

/// Who wrote a line: positions in the line of commits; 0 is the base and everything older.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Origin {
    /// The writer by our reading: lines of reset and foreign commits are the base's, restored
    /// lines have the writer they had before.
    pub writer: u32,
    /// The writer as blame names it.
    pub blamed: u32,
}

/// How the lines a commit wrote are attributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// To the commit at this position.
    Own(u32),
    /// To the base; blame names the position.
    Base(u32),
    /// Passed through: within a hunk, new line i takes old line i's writer, surplus lines are
    /// the position's.
    PassThrough(u32),
}

/// The origins after `hunks` turned the lines of `old` into `new_lines` lines.
pub(super) fn carry(
    old: &[Origin],
    hunks: &[Hunk],
    new_lines: u32,
    writing: Writing,
) -> Vec<Origin> {
    let mut new = Vec::with_capacity(new_lines as usize);
    let mut at = 0usize;
    for h in hunks {
        let start = (h.old_start as usize).min(old.len());
        new.extend_from_slice(&old[at.min(start)..start]);
        let end = (start + h.old_len as usize).min(old.len());
        let replaced = &old[start..end];
        for i in 0..h.new_len as usize {
            new.push(match writing {
                Writing::Own(p) => Origin {
                    writer: p,
                    blamed: p,
                },
                Writing::Base(p) => Origin {
                    writer: 0,
                    blamed: p,
                },
                Writing::PassThrough(p) => replaced.get(i).copied().unwrap_or(Origin {
                    writer: p,
                    blamed: p,
                }),
            });
        }
        at = end;
    }
    new.extend_from_slice(&old[at.min(old.len())..]);
    new
}

/// Gives lines that a reset put back the writer they had before the agent touched them.
///
/// `before` are the origins of the version before the agent commit, `hunks` turn that version
/// into the reset one, `written` are the hunks that turned the agent's version into it. Returns
/// how many of the written lines were not restored.
pub(super) fn restore(
    new: &mut [Origin],
    before: &[Origin],
    hunks: &[Hunk],
    written: &[Hunk],
) -> u32 {
    let mut strange = 0;
    for w in written {
        for line in w.new_start..w.new_start + w.new_len {
            match old_line_of(hunks, line).and_then(|l| before.get(l as usize)) {
                Some(origin) => {
                    if let Some(o) = new.get_mut(line as usize) {
                        o.writer = origin.writer;
                    }
                }
                None => strange += 1,
            }
        }
    }
    strange
}

/// The old line that new line `line` (0-based) is unchanged from; `None` for a written line.
pub(super) fn old_line_of(hunks: &[Hunk], line: u32) -> Option<u32> {
    let after = hunks.partition_point(|h| h.new_start <= line);
    let Some(h) = after.checked_sub(1).and_then(|i| hunks.get(i)) else {
        return Some(line);
    };
    if line < h.new_start + h.new_len {
        return None;
    }
    (h.old_start + h.old_len).checked_add(line - (h.new_start + h.new_len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(p: u32) -> Origin {
        Origin {
            writer: p,
            blamed: p,
        }
    }

    fn hunk(old_start: u32, old_len: u32, new_start: u32, new_len: u32) -> Hunk {
        Hunk {
            old_start,
            old_len,
            new_start,
            new_len,
        }
    }

    #[test]
    fn lines_outside_of_hunks_keep_their_writer() {
        let old = [own(1), own(2), own(3), own(4)];
        let new = carry(&old, &[hunk(1, 2, 1, 1)], 3, Writing::Own(9));
        assert_eq!(new, [own(1), own(9), own(4)]);
    }

    #[test]
    fn an_ignored_commit_passes_writers_through_line_by_line() {
        let old = [own(1), own(2), own(3)];
        let new = carry(&old, &[hunk(0, 2, 0, 3)], 4, Writing::PassThrough(9));
        assert_eq!(new, [own(1), own(2), own(9), own(3)]);
    }

    #[test]
    fn a_reset_that_puts_lines_back_gives_them_their_old_writer() {
        let before = [own(1), own(2)];
        // The agent replaced both lines (position 5), the reset (6) put the first one back and
        // wrote another second one.
        let agent = carry(&before, &[hunk(0, 2, 0, 2)], 2, Writing::Own(5));
        let written = [hunk(0, 2, 0, 2)];
        let mut reset = carry(&agent, &written, 2, Writing::Base(6));
        let strange = restore(&mut reset, &before, &[hunk(1, 1, 1, 1)], &written);
        assert_eq!(strange, 1);
        assert_eq!(
            reset,
            [
                Origin {
                    writer: 1,
                    blamed: 6
                },
                Origin {
                    writer: 0,
                    blamed: 6
                }
            ]
        );
    }

    #[test]
    fn a_new_line_is_traced_back_through_hunks() {
        let hunks = [hunk(2, 1, 2, 3), hunk(6, 2, 8, 0)];
        assert_eq!(old_line_of(&hunks, 0), Some(0));
        assert_eq!(old_line_of(&hunks, 3), None);
        assert_eq!(old_line_of(&hunks, 5), Some(3));
        assert_eq!(old_line_of(&hunks, 8), Some(8));
    }
}
