//! Line edits as the incremental parse wants them: byte ranges, trimmed to what differs.

use tree_sitter::{InputEdit, Point, Tree};

use super::model::LineEdit;
use super::text::Text;

/// A replaced byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteEdit {
    old: (u32, u32),
    new: (u32, u32),
}

/// The byte edits that `edits` make between two texts, in order; `None` where the lines
/// outside them are not the same (the edits are not these texts' difference).
pub(super) fn byte_edits(old: &Text, new: &Text, edits: &[LineEdit]) -> Option<Vec<ByteEdit>> {
    let mut out = Vec::with_capacity(edits.len());
    let (mut old_at, mut new_at) = (0u32, 0u32);
    for edit in edits {
        let old_range = lines(old, edit.old_start, edit.old_len)?;
        let new_range = lines(new, edit.new_start, edit.new_len)?;
        same(old, new, (old_at, old_range.0), (new_at, new_range.0))?;
        (old_at, new_at) = (old_range.1, new_range.1);
        let trimmed = trim(old, new, old_range, new_range);
        if trimmed.old.0 != trimmed.old.1 || trimmed.new.0 != trimmed.new.1 {
            out.push(trimmed);
        }
    }
    let ends = (size(old), size(new));
    same(old, new, (old_at, ends.0), (new_at, ends.1))?;
    Some(out)
}

fn size(text: &Text) -> u32 {
    u32::try_from(text.as_bytes().len()).unwrap_or(u32::MAX)
}

/// The bytes of a run of lines; a line past the last is the text's end.
fn lines(text: &Text, start: u32, len: u32) -> Option<(u32, u32)> {
    let end = start.checked_add(len)?;
    let at = |line: u32| {
        let i = line as usize;
        match text.starts.get(i) {
            Some(at) => Some(*at),
            None if i == text.starts.len() => Some(size(text)),
            None => None,
        }
    };
    Some((at(start)?, at(end)?))
}

fn same(old: &Text, new: &Text, a: (u32, u32), b: (u32, u32)) -> Option<()> {
    let a = old.as_bytes().get(a.0 as usize..a.1 as usize)?;
    let b = new.as_bytes().get(b.0 as usize..b.1 as usize)?;
    (a == b).then_some(())
}

fn trim(old: &Text, new: &Text, mut a: (u32, u32), mut b: (u32, u32)) -> ByteEdit {
    let (x, y) = (old.as_bytes(), new.as_bytes());
    while a.0 < a.1 && b.0 < b.1 && x[a.0 as usize] == y[b.0 as usize] {
        a.0 += 1;
        b.0 += 1;
    }
    while a.0 < a.1 && b.0 < b.1 && x[a.1 as usize - 1] == y[b.1 as usize - 1] {
        a.1 -= 1;
        b.1 -= 1;
    }
    ByteEdit { old: a, new: b }
}

/// The edit as tree-sitter takes it. Edits are to be told last first, so that the start of
/// each is the same place before and after.
pub(super) fn input_edit(old: &Text, new: &Text, edit: &ByteEdit) -> InputEdit {
    let start = point(old, edit.old.0);
    // Told last first, what stands before an edit is still the old text: the new end is as
    // far from the start as in the new text.
    let new_start = point(new, edit.new.0);
    let new_end = point(new, edit.new.1);
    let rows = new_end.row - new_start.row;
    let column = if rows == 0 {
        start.column + (new_end.column - new_start.column)
    } else {
        new_end.column
    };
    InputEdit {
        start_byte: edit.old.0 as usize,
        old_end_byte: edit.old.1 as usize,
        new_end_byte: (edit.old.0 + (edit.new.1 - edit.new.0)) as usize,
        start_position: start,
        old_end_position: point(old, edit.old.1),
        new_end_position: Point {
            row: start.row + rows,
            column,
        },
    }
}

fn point(text: &Text, byte: u32) -> Point {
    let row = text.starts.partition_point(|s| *s <= byte) - 1;
    Point {
        row,
        column: (byte - text.starts[row]) as usize,
    }
}

/// Maps bytes of the new text back to the old one; asked in rising order.
pub(super) struct Shift<'e> {
    edits: &'e [ByteEdit],
    next: usize,
}

impl<'e> Shift<'e> {
    pub(super) fn new(edits: &'e [ByteEdit]) -> Self {
        Shift { edits, next: 0 }
    }

    /// Where the byte stood; `None` where it is inside an edit or was asked out of order.
    pub(super) fn back(&mut self, byte: u32) -> Option<u32> {
        while self.edits.get(self.next).is_some_and(|e| e.new.1 <= byte) {
            self.next += 1;
        }
        if self.edits.get(self.next).is_some_and(|e| e.new.0 < byte) {
            return None;
        }
        let Some(last) = self.next.checked_sub(1) else {
            return Some(byte);
        };
        let e = self.edits[last];
        (e.old.1 + byte).checked_sub(e.new.1)
    }
}

/// Byte ranges of the new text, in order; asked in rising order.
pub(super) struct Dirty {
    ranges: Vec<(u32, u32)>,
    next: usize,
}

impl Dirty {
    /// The lines that edits touch, and a line more on either side: a token may reach into the
    /// next line, and where a block ends is told by the line after it.
    pub(super) fn near(text: &Text, edits: &[ByteEdit]) -> Self {
        let line = |byte: u32| text.starts.partition_point(|s| *s <= byte);
        let ranges = edits
            .iter()
            .map(|e| {
                let first = line(e.new.0).saturating_sub(2);
                let after = line(e.new.1) + 1;
                let end = text.starts.get(after).copied();
                (text.starts[first], end.unwrap_or_else(|| size(text)))
            })
            .collect();
        Dirty { ranges, next: 0 }
    }

    /// Where the structure of two trees differs.
    pub(super) fn between(old: &Tree, new: &Tree) -> Self {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let ranges = old
            .changed_ranges(new)
            .map(|r| (at(r.start_byte), at(r.end_byte)))
            .collect();
        Dirty { ranges, next: 0 }
    }

    /// Whether one of the ranges meets these bytes or touches them.
    pub(super) fn meets(&mut self, start: u32, end: u32) -> bool {
        while self.ranges.get(self.next).is_some_and(|r| r.1 < start) {
            self.next += 1;
        }
        self.ranges.get(self.next).is_some_and(|r| r.0 <= end)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that fails says so by panicking")]

    use std::sync::Arc;

    use super::*;

    fn text(s: &str) -> Text {
        Text::read(&Arc::from(s.as_bytes())).unwrap()
    }

    #[test]
    fn edits_are_trimmed_and_checked() {
        let (a, b) = (text("one\ntwo\nthree\n"), text("one\ntwoo\nthree\nfour\n"));
        let line = |old_start, old_len, new_start, new_len| LineEdit {
            old_start,
            old_len,
            new_start,
            new_len,
        };
        let edits = byte_edits(&a, &b, &[line(1, 1, 1, 1), line(3, 0, 3, 1)]).unwrap();
        let bytes: Vec<_> = edits.iter().map(|e| (e.old, e.new)).collect();
        assert_eq!(bytes, [((7, 7), (7, 8)), ((14, 14), (15, 20))]);
        assert!(byte_edits(&a, &b, &[line(1, 1, 1, 1)]).is_none());
        assert!(byte_edits(&a, &b, &[line(9, 1, 9, 1)]).is_none());
        let mut dirty = Dirty::near(&b, &edits);
        assert_eq!(dirty.ranges, [(0, 15), (9, 20)]);
        assert!(dirty.meets(3, 4) && dirty.meets(15, 16));
        let mut shift = Shift::new(&edits);
        assert_eq!(shift.back(0), Some(0));
        assert_eq!(shift.back(8), Some(7));
        assert_eq!(shift.back(14), Some(13));
        assert_eq!(shift.back(20), Some(14));
    }
}
