//! Statements outside of functions, taken over from the version before like the functions:
//! imports, fields, constants, types. All they add is lines, names and exported types.

use tree_sitter::Node;

use super::draft::{Draft, first_line, len, span};
use super::model::ExportKind;
use super::reuse::Old;

/// A statement outside of functions that holds none.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    node: usize,
    start: u32,
    len: u32,
    /// Line of its first token, 0-based.
    line: u32,
    /// NLOC it adds after its first token's line.
    nloc: i32,
    last_line: i64,
    last_end: u32,
    /// Whether a string before it, and one after it, would be code.
    string_is_code: (bool, bool),
    /// Names it declares at the package level (Go), from its first byte on.
    names: Box<[(u32, u32)]>,
    /// Of them, exported types.
    exports: Box<[(u32, u32)]>,
}

impl Settled {
    /// What the list is sorted by.
    pub(super) fn place(&self) -> (u32, std::cmp::Reverse<u32>) {
        (self.start, std::cmp::Reverse(self.len))
    }
}

/// The state before such a statement's first token.
pub(super) struct SettledStart {
    /// Number of open nodes around.
    pub(super) depth: usize,
    node: usize,
    start: u32,
    len: u32,
    line: u32,
    nloc: i32,
    string_is_code: bool,
    found: (u32, u32, u32),
    names: usize,
    types: usize,
}

fn found(d: &Draft<'_>) -> (u32, u32, u32) {
    (
        len(&d.rows),
        len(&d.classes),
        len(&d.exports) - len(&d.types),
    )
}

impl SettledStart {
    pub(super) fn new(d: &Draft<'_>, node: Node<'_>, depth: usize) -> Self {
        let (start, end) = span(node);
        let line = first_line(node);
        SettledStart {
            depth,
            node: node.id(),
            start,
            len: end - start,
            line,
            nloc: d.nloc + i32::from(i64::from(line) > d.last_line),
            string_is_code: d.string_is_code,
            found: found(d),
            names: d.names.len(),
            types: d.types.len(),
        }
    }

    /// `None` where a row or class was found in it.
    pub(super) fn finish(self, d: &Draft<'_>) -> Option<Settled> {
        if self.found != found(d) {
            return None;
        }
        let moved = |list: &[(u32, u32)]| {
            list.iter()
                .map(|(a, b)| (a - self.start, b - self.start))
                .collect()
        };
        Some(Settled {
            node: self.node,
            start: self.start,
            len: self.len,
            line: self.line,
            nloc: d.nloc - self.nloc,
            last_line: d.last_line,
            last_end: d.last_end,
            string_is_code: (self.string_is_code, d.string_is_code),
            names: moved(&d.names[self.names..]),
            exports: moved(&d.types[self.types..]),
        })
    }
}

impl Old<'_> {
    /// Adds what the statement of `node` adds, if it was there and has not changed.
    pub(super) fn settle(&mut self, d: &mut Draft<'_>, node: Node<'_>) -> bool {
        let (start, _) = span(node);
        let Some(before) = self.shift.back(start) else {
            return false;
        };
        let list = self.settled;
        while list
            .get(self.next_settled)
            .is_some_and(|s| s.start < before)
        {
            self.next_settled += 1;
        }
        // A statement inside of one may begin at the same byte.
        let mut same = list.iter().skip(self.next_settled);
        let Some(old) = same.find(|s| s.start != before || s.len == span(node).1 - start) else {
            return false;
        };
        if old.string_is_code.0 != d.string_is_code {
            return false;
        }
        if old.start != before || !self.unchanged(node, old.node, old.len) {
            return false;
        }
        let line = first_line(node);
        let mut new = old.clone();
        new.node = node.id();
        new.start = start;
        new.line = line;
        new.last_line = old.last_line + i64::from(line) - i64::from(old.line);
        new.last_end = old.last_end.wrapping_add(line).wrapping_sub(old.line);
        d.count_lines(new.nloc + i32::from(i64::from(line) > d.last_line));
        d.last_line = new.last_line;
        d.last_end = new.last_end;
        d.string_is_code = new.string_is_code.1;
        let moved = |(a, b): (u32, u32)| (a + start, b + start);
        d.names.extend(new.names.iter().copied().map(moved));
        for range in &new.exports {
            let range = moved(*range);
            d.types.push(range);
            d.export(ExportKind::Type, d.text(range));
        }
        d.settled.push(new);
        true
    }
}
