//! Outermost functions taken over from the version before.
//!
//! An incremental parse shares subtrees with the tree before, and a subtree never changes once
//! made: a function whose node is the very same subtree has the same text and structure, and
//! only its place has moved. Where the parse built a function's node anew, it is the same
//! when no edit came near its lines and the two trees do not differ in it.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, Tree};

use super::draft::{Draft, NONE, first_line, len, some, span};
use super::edits::{Dirty, Shift};
use super::model::Structure;
use super::settled::Settled;

/// An outermost function with all inside it, as the version after it needs it.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Identity of its subtree.
    node: usize,
    /// First byte.
    start: u32,
    /// Length in bytes.
    len: u32,
    /// Line of its first token, 0-based.
    line: u32,
    /// What stands around it (the classes; empty at the top).
    context: Arc<str>,
    rows: Range<u32>,
    functions: Range<u32>,
    classes: Range<u32>,
    /// NLOC it adds to the file after its first token's line.
    nloc: i32,
    last_line: i64,
    last_end: u32,
    string_is_code: bool,
    /// Numbers of unnamed literals in it: the first, and how many.
    first_number: u32,
    numbers: u32,
    /// Whether its first function is exported.
    pub(super) exported: bool,
    /// Go: calls of a method's own bare name.
    pub(super) bare_calls: u32,
    /// Of them, how many its score holds.
    pub(super) applied: u32,
}

impl Unit {
    /// Index of its first function.
    pub(super) fn function(&self) -> usize {
        self.functions.start as usize
    }
}

/// The state before a unit's first token.
pub(super) struct UnitStart {
    node: usize,
    start: u32,
    len: u32,
    line: u32,
    context: Arc<str>,
    rows: u32,
    functions: u32,
    classes: u32,
    exports: u32,
    nloc: i32,
    first_number: u32,
}

impl UnitStart {
    pub(super) fn new(d: &Draft<'_>, node: Node<'_>, context: &Arc<str>) -> Self {
        let line = first_line(node);
        let (start, end) = span(node);
        UnitStart {
            node: node.id(),
            start,
            len: end - start,
            line,
            context: Arc::clone(context),
            rows: len(&d.rows),
            functions: len(&d.functions),
            classes: len(&d.classes),
            exports: len(&d.exports),
            // The first token's line is the unit's only where nothing stands before it.
            nloc: d.nloc + i32::from(i64::from(line) > d.last_line),
            first_number: d.next_number,
        }
    }

    pub(super) fn finish(self, d: &Draft<'_>) -> Unit {
        Unit {
            node: self.node,
            start: self.start,
            len: self.len,
            line: self.line,
            context: self.context,
            rows: self.rows..len(&d.rows),
            functions: self.functions..len(&d.functions),
            classes: self.classes..len(&d.classes),
            nloc: d.nloc - self.nloc,
            last_line: d.last_line,
            last_end: d.last_end,
            string_is_code: d.string_is_code,
            first_number: self.first_number,
            numbers: d.next_number - self.first_number,
            exported: len(&d.exports) > self.exports,
            bare_calls: d.bare_calls,
            applied: 0,
        }
    }
}

/// The version before, as the walk over the next one sees it.
pub(super) struct Old<'o> {
    structure: &'o Structure,
    numbers: &'o [u32],
    units: &'o [Unit],
    pub(super) settled: &'o [Settled],
    pub(super) shift: Shift<'o>,
    near_edits: Dirty,
    /// The edited tree before and the tree after; and where they differ, once asked.
    trees: (&'o Tree, &'o Tree),
    differing: Option<Dirty>,
    next: usize,
    pub(super) next_settled: usize,
}

impl<'o> Old<'o> {
    /// `numbers`, `units` and `settled` belong to `structure`; `shift` maps bytes back to it;
    /// `near_edits`: the lines edited and those beside them; `trees`: the tree before with the
    /// edits told, and the tree after.
    pub(super) fn new(
        structure: &'o Structure,
        numbers: &'o [u32],
        units: &'o [Unit],
        settled: &'o [Settled],
        shift: Shift<'o>,
        near_edits: Dirty,
        trees: (&'o Tree, &'o Tree),
    ) -> Self {
        Old {
            structure,
            numbers,
            units,
            settled,
            shift,
            near_edits,
            trees,
            differing: None,
            next: 0,
            next_settled: 0,
        }
    }

    /// How many rows, functions and units there were.
    pub(super) fn sizes(&self) -> (usize, usize, usize) {
        (
            self.structure.rows.len(),
            self.structure.functions.len(),
            self.units.len(),
        )
    }

    /// Appends what the unit of `node` holds to the draft, if there was one.
    pub(super) fn take_over(
        &mut self,
        d: &mut Draft<'_>,
        node: Node<'_>,
        context: &Arc<str>,
        class: u32,
    ) -> bool {
        let (start, _) = span(node);
        let Some(before) = self.shift.back(start) else {
            return false;
        };
        while self.units.get(self.next).is_some_and(|u| u.start < before) {
            self.next += 1;
        }
        let units = self.units;
        let Some(unit) = units.get(self.next) else {
            return false;
        };
        if unit.start != before || unit.context != *context {
            return false;
        }
        if !self.unchanged(node, unit.node, unit.len) {
            return false;
        }
        self.append(d, unit, node, class);
        true
    }

    /// Whether a node that begins where `old` did, `len` bytes long, is the same.
    pub(super) fn unchanged(&mut self, node: Node<'_>, old: usize, len: u32) -> bool {
        if node.id() == old {
            return true;
        }
        let (start, end) = span(node);
        if len != end - start || self.near_edits.meets(start, end) {
            return false;
        }
        let (old, new) = self.trees;
        let differing = self
            .differing
            .get_or_insert_with(|| Dirty::between(old, new));
        !differing.meets(start, end)
    }

    fn append(&self, d: &mut Draft<'_>, unit: &Unit, node: Node<'_>, class: u32) {
        let line = first_line(node);
        let moved = |l: u32| l.wrapping_add(line).wrapping_sub(unit.line);
        let range = |r: &Range<u32>| r.start as usize..r.end as usize;
        let (row_at, function_at, class_at) = (len(&d.rows), len(&d.functions), len(&d.classes));
        let to_row = |i: u32| i - unit.rows.start + row_at;
        let to_function = |i: u32| i - unit.functions.start + function_at;
        let rows = self.structure.rows.get(range(&unit.rows));
        let numbers = self.numbers.get(range(&unit.rows));
        for (row, number) in rows
            .into_iter()
            .flatten()
            .zip(numbers.into_iter().flatten())
        {
            let mut row = row.clone();
            row.start = moved(row.start);
            row.end = moved(row.end);
            row.function = to_function(row.function);
            let mut number = *number;
            if number != NONE {
                let new = number - unit.first_number + d.next_number;
                if new != number {
                    row.name = literal_name(new);
                }
                number = new;
            }
            d.rows.push(row);
            d.numbers.push(number);
        }
        let functions = self.structure.functions.get(range(&unit.functions));
        for f in functions.into_iter().flatten() {
            let mut f = f.clone();
            f.row = to_row(f.row);
            f.start = moved(f.start);
            f.end = moved(f.end);
            f.parent = f.parent.map(to_function);
            f.class = f.class.and_then(|c| {
                if unit.classes.contains(&c) {
                    Some(c - unit.classes.start + class_at)
                } else {
                    some(class)
                }
            });
            d.functions.push(f);
        }
        let classes = self.structure.classes.get(range(&unit.classes));
        for c in classes.into_iter().flatten() {
            let mut c = c.clone();
            c.start = moved(c.start);
            d.classes.push(c);
        }
        let mut new = unit.clone();
        if unit.applied != 0 {
            new.applied = 0;
            d.rows[row_at as usize].cognitive -= unit.applied;
            d.functions[function_at as usize].cognitive -= unit.applied;
        }
        new.node = node.id();
        new.start = span(node).0;
        new.line = line;
        new.rows = row_at..len(&d.rows);
        new.functions = function_at..len(&d.functions);
        new.classes = class_at..len(&d.classes);
        new.last_line = unit.last_line + i64::from(line) - i64::from(unit.line);
        new.last_end = moved(unit.last_end);
        new.first_number = d.next_number;
        d.next_number += unit.numbers;
        d.nloc += unit.nloc + i32::from(i64::from(line) > d.last_line);
        d.last_line = new.last_line;
        d.last_end = new.last_end;
        d.string_is_code = unit.string_is_code;
        if unit.exported
            && let Some(f) = d.functions.get(function_at as usize)
        {
            let key = f.key.clone();
            d.export(super::model::ExportKind::Function, &key);
        }
        d.units.push(new);
    }
}

/// The name of the n-th unnamed literal of a Go file.
pub(super) fn literal_name(n: u32) -> Box<str> {
    format!("anonymous__{n}").into_boxed_str()
}
