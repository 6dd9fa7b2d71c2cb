//! The structure of a file while the walk is on its way: token accounting (NLOC, complexity,
//! hashes) and the rows, functions and classes found so far.

use std::collections::HashMap;
use std::sync::Arc;

use tree_sitter::Node;

use super::hash;
use super::model::{Class, Export, ExportKind, Function, Profile, Row};
use super::reuse::{Old, Unit, UnitStart};
use super::settled::{Settled, SettledStart};

/// Index that stands for none.
pub(super) const NONE: u32 = u32::MAX;

/// Classes and functions in one another beyond which a file is given up: their keys would
/// grow with the square of the depth.
const MAX_SCOPES: usize = 256;

/// A row that is not closed yet.
pub(super) struct Open {
    /// Index of the row.
    pub(super) row: u32,
    /// The name token, in bytes; empty for a Go literal.
    pub(super) name: (u32, u32),
    /// Whether the walk is in the body (else in the signature).
    pub(super) in_body: bool,
    /// Whether it is a constructor.
    pub(super) constructor: bool,
    /// Whether a call of itself was seen.
    pub(super) recursive: bool,
    /// Cognitive score so far.
    pub(super) score: u64,
    /// How many of its increments grew with nesting.
    pub(super) nested_increments: u64,
    /// Nesting around it in the row outside.
    pub(super) outer_nesting: u32,
    owner: u32,
    function: u32,
    hash: u32,
    unit: Option<UnitStart>,
}

/// Everything found so far.
pub(super) struct Draft<'s> {
    /// The text walked.
    pub(super) src: &'s str,
    /// Whose counting rules.
    pub(super) profile: Profile,
    /// Rows in source order.
    pub(super) rows: Vec<Row>,
    /// For each row the number of an unnamed Go literal, or [`NONE`].
    pub(super) numbers: Vec<u32>,
    /// Functions in source order.
    pub(super) functions: Vec<Function>,
    /// Classes in source order.
    pub(super) classes: Vec<Class>,
    /// Exports in source order.
    pub(super) exports: Vec<Export>,
    /// Outermost functions.
    pub(super) units: Vec<Unit>,
    /// Statements outside of functions.
    pub(super) settled: Vec<Settled>,
    /// Of them, those not complete, outermost first.
    statements: Vec<SettledStart>,
    /// Go: names the package level declares, in bytes.
    pub(super) names: Vec<(u32, u32)>,
    /// Go: of them, exported types.
    pub(super) types: Vec<(u32, u32)>,
    /// Rows not closed, outermost first.
    pub(super) open: Vec<Open>,
    /// NLOC of the file.
    pub(super) nloc: i32,
    /// Line of the last token that was counted; -1 before the first.
    pub(super) last_line: i64,
    /// Line on which the last token ends.
    pub(super) last_end: u32,
    /// Python: whether a triple-quoted string after the last token is code.
    pub(super) string_is_code: bool,
    /// Function whose hash takes the tokens; [`NONE`] outside of functions.
    pub(super) hash: u32,
    /// Innermost open function; [`NONE`] outside.
    pub(super) function: u32,
    /// Number of the next unnamed Go literal.
    pub(super) next_number: u32,
    /// Go: calls of the open method's own bare name, which count where the name means nothing
    /// else in the file.
    pub(super) bare_calls: u32,
    /// The last operator of each open run of boolean operators.
    pub(super) runs: Vec<u8>,
    /// Set where the file is too deep to be read.
    pub(super) gave_up: bool,
    /// The open row (index into `open`) that owns the tokens; [`NONE`] outside of rows.
    owner: u32,
    /// Line numbers of the original by line of the text, where they differ.
    lines: Option<&'s [u32]>,
    old: Option<Old<'s>>,
    standalone: HashMap<Box<str>, u32>,
}

impl<'s> Draft<'s> {
    /// An empty draft over `src`. `lines` maps its lines to those of the original where they
    /// differ; `old` is the version before, whose functions may be taken over.
    pub(super) fn new(
        src: &'s str,
        profile: Profile,
        lines: Option<&'s [u32]>,
        old: Option<Old<'s>>,
    ) -> Self {
        let (rows, functions, units) = old.as_ref().map_or((0, 0, 0), Old::sizes);
        Draft {
            src,
            profile,
            rows: Vec::with_capacity(rows + 4),
            numbers: Vec::with_capacity(rows + 4),
            functions: Vec::with_capacity(functions + 4),
            classes: Vec::new(),
            exports: Vec::new(),
            units: Vec::with_capacity(units + 4),
            settled: Vec::new(),
            statements: Vec::new(),
            names: Vec::new(),
            types: Vec::new(),
            open: Vec::new(),
            nloc: 0,
            last_line: -1,
            last_end: 0,
            string_is_code: false,
            hash: NONE,
            function: NONE,
            next_number: 0,
            bare_calls: 0,
            runs: Vec::new(),
            gave_up: false,
            owner: NONE,
            lines,
            old,
            standalone: HashMap::new(),
        }
    }

    /// The text of a byte range.
    pub(super) fn text(&self, (start, end): (u32, u32)) -> &'s str {
        self.src.get(start as usize..end as usize).unwrap_or("")
    }

    /// Accounts a token that begins on line `first` and ends on line `last`.
    pub(super) fn token(&mut self, node: Node<'_>, first: u32, last: u32) {
        let mut lines = 0;
        if i64::from(first) > self.last_line {
            lines += 1;
            self.last_line = i64::from(first);
        }
        if i64::from(last) > self.last_line {
            lines += i32::try_from(i64::from(last) - self.last_line).unwrap_or(0);
            self.last_line = i64::from(last);
        }
        self.last_end = last;
        if lines != 0 {
            self.count_lines(lines);
        }
        if let Some(f) = self.functions.get_mut(self.hash as usize) {
            let text = self.src.as_bytes().get(node.byte_range());
            f.tokens = hash::token(f.tokens, text.unwrap_or_default());
        }
    }

    /// Mixes a mark that is no text into the hash of the function around.
    pub(super) fn mark(&mut self, mark: u64) {
        if let Some(f) = self.functions.get_mut(self.hash as usize) {
            f.tokens = hash::mark(f.tokens, mark);
        }
    }

    /// Adds lines (or takes them away) to the row that owns the tokens and to the file.
    pub(super) fn count_lines(&mut self, lines: i32) {
        self.nloc = self.nloc.saturating_add(lines);
        if let Some(open) = self.open.get(self.owner as usize) {
            let nloc = &mut self.rows[open.row as usize].nloc;
            *nloc = nloc.saturating_add(lines);
        }
    }

    /// Adds to the cyclomatic complexity of the row that owns the tokens.
    /// `signature`: whether tokens before the body count.
    pub(super) fn decision(&mut self, signature: bool) {
        if let Some(open) = self.open.get(self.owner as usize)
            && (open.in_body || signature)
        {
            self.rows[open.row as usize].cc += 1;
        }
    }

    fn scored(&mut self) -> Option<&mut Open> {
        self.open
            .get_mut(self.owner as usize)
            .filter(|open| open.in_body)
    }

    /// A cognitive increment of one.
    pub(super) fn score(&mut self) {
        if let Some(open) = self.scored() {
            open.score += 1;
        }
    }

    /// A cognitive increment of one and the nesting.
    pub(super) fn score_nested(&mut self, nesting: u32) {
        if let Some(open) = self.scored() {
            open.score += 1 + u64::from(nesting);
            open.nested_increments += 1;
        }
    }

    /// A boolean operator within the innermost run: scores where it differs from the last.
    pub(super) fn operator(&mut self, operator: u8) {
        if let Some(last) = self.runs.last_mut()
            && *last != operator
        {
            *last = operator;
            self.score();
        }
    }

    /// A call of `name`: scores once where that is the row's own name. `nested`: whether rows
    /// inside rows count too.
    pub(super) fn call(&mut self, name: (u32, u32), nested: bool) {
        let text = self.text(name);
        let outermost = self.owner == 0;
        let Some(open) = self.open.get(self.owner as usize) else {
            return;
        };
        if open.in_body && !open.recursive && (nested || outermost) && text == self.text(open.name)
        {
            let open = &mut self.open[self.owner as usize];
            open.recursive = true;
            open.score += 1;
        }
    }

    /// Whether no row is open.
    pub(super) fn outside(&self) -> bool {
        self.open.is_empty()
    }

    /// The line of the original, 1-based, of a line of the text, 0-based.
    pub(super) fn original_line(&self, line: u32) -> u32 {
        self.lines.map_or(line + 1, |m| {
            m.get(line as usize).or(m.last()).copied().unwrap_or(1)
        })
    }

    /// Opens a row. `class`: where it is a function of its own, the class it counts in;
    /// `None`: it is folded into the function around. Its tokens are its own only after
    /// [`Draft::begin`].
    pub(super) fn open(&mut self, class: Option<u32>, nesting: u32, unit: Option<UnitStart>) {
        let row = len(&self.rows);
        let mut function = self.function;
        let hash = self.hash;
        if class.is_some() {
            function = len(&self.functions);
            self.mark(hash::NESTED);
            self.functions.push(Function {
                key: Box::default(),
                key_base: 0,
                row,
                start: 0,
                end: 0,
                cc: 0,
                cognitive: 0,
                nloc: 0,
                tokens: hash::START,
                parent: some(self.function),
                class: class.and_then(some),
            });
            self.hash = function;
        }
        self.rows.push(Row {
            name: Box::default(),
            start: 0,
            end: 0,
            nloc: 1,
            cc: 1,
            cognitive: 0,
            nested: !self.open.is_empty(),
            function,
        });
        self.numbers.push(NONE);
        self.open.push(Open {
            row,
            name: (0, 0),
            in_body: false,
            constructor: false,
            recursive: false,
            score: 0,
            nested_increments: 0,
            outer_nesting: nesting,
            owner: self.owner,
            function: self.function,
            hash,
            unit,
        });
        self.function = function;
        self.gave_up |= self.open.len() > MAX_SCOPES;
    }

    /// The hash target outside of the innermost open row.
    pub(super) fn outer_hash(&self) -> u32 {
        self.open.last().map_or(NONE, |o| o.hash)
    }

    /// The start token of the innermost open row was accounted: what follows is the row's.
    pub(super) fn begin(&mut self, line: u32, name: (u32, u32), shown: Box<str>) {
        self.owner = len(&self.open) - 1;
        let original = self.original_line(line);
        let Some(open) = self.open.last_mut() else {
            return;
        };
        open.name = name;
        let row = &mut self.rows[open.row as usize];
        row.name = shown;
        row.start = line + 1;
        let own = &mut self.functions[row.function as usize];
        if own.row == open.row {
            own.start = original;
        }
    }

    /// The body of the innermost open row begins.
    pub(super) fn body(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.in_body = true;
        }
    }

    /// Sets the key of the innermost open row's function. `base`: length of the key before
    /// the parameter list.
    pub(super) fn set_key(&mut self, key: Box<str>, base: usize) {
        let Some(open) = self.open.last() else { return };
        let function = self.rows[open.row as usize].function;
        let f = &mut self.functions[function as usize];
        if f.row == open.row {
            f.key_base = u32::try_from(base).unwrap_or(u32::MAX);
            f.key = key;
        }
    }

    /// A key for a function without a name of its own: `base`, from the second on with `#n`.
    pub(super) fn standalone_key(&mut self, base: String) -> Box<str> {
        let n = self
            .standalone
            .entry(base.clone().into_boxed_str())
            .or_insert(0);
        *n += 1;
        if *n == 1 {
            base.into_boxed_str()
        } else {
            format!("{base}#{n}").into_boxed_str()
        }
    }

    /// Closes the innermost open row. `folds_score`: whether its cognitive score adds to the
    /// function it is folded into (else, Go, to the row around, one deeper).
    pub(super) fn close(&mut self, folds_score: bool) {
        let Some(open) = self.open.pop() else { return };
        let end = self.original_line(self.last_end);
        let row = &mut self.rows[open.row as usize];
        row.end = self.last_end + 1;
        row.cognitive = u32::try_from(open.score).unwrap_or(u32::MAX);
        let row = &self.rows[open.row as usize];
        let f = &mut self.functions[row.function as usize];
        let own = f.row == open.row;
        f.cc += row.cc;
        f.nloc = f.nloc.saturating_add(row.nloc);
        if own {
            f.end = end;
        }
        if own || folds_score {
            f.cognitive = f.cognitive.saturating_add(row.cognitive);
        }
        if let Some(outer) = self.open.last_mut() {
            if !folds_score {
                let depth = u64::from(open.outer_nesting) + 1;
                outer.score += open.score + open.nested_increments * depth;
                outer.nested_increments += open.nested_increments;
            }
            if self.profile == Profile::Scb && folds_score {
                // There a nested function's nodes and lines count in its parent too.
                let (cc, nloc) = (row.cc - 1, row.nloc - 1);
                let outer = &mut self.rows[outer.row as usize];
                outer.cc += cc;
                outer.nloc = outer.nloc.saturating_add(nloc);
            }
        }
        self.owner = open.owner;
        self.function = open.function;
        self.hash = open.hash;
        if let Some(start) = open.unit {
            let unit = start.finish(self);
            self.units.push(unit);
        }
    }

    /// Notes an exported function or type.
    pub(super) fn export(&mut self, kind: ExportKind, key: &str) {
        self.exports.push(Export {
            kind,
            key: key.into(),
        });
    }

    /// Adds a class and gives its index.
    pub(super) fn class(&mut self, name: &str, line: u32) -> u32 {
        let start = self.original_line(line);
        self.classes.push(Class {
            name: name.into(),
            start,
        });
        len(&self.classes) - 1
    }

    /// Takes over an outermost function from the version before, where it is the very same
    /// subtree in the same surroundings; else begins a new one.
    pub(super) fn unit(&mut self, node: Node<'_>, context: &Arc<str>, class: u32) -> Reuse {
        if let Some(mut old) = self.old.take() {
            let taken = old.take_over(self, node, context, class);
            self.old = Some(old);
            if taken {
                return Reuse::Taken;
            }
        }
        Reuse::Walk(UnitStart::new(self, node, context))
    }
}

impl Draft<'_> {
    /// Takes over a statement outside of functions from the version before.
    pub(super) fn settle(&mut self, node: Node<'_>) -> bool {
        let Some(mut old) = self.old.take() else {
            return false;
        };
        let taken = old.settle(self, node);
        self.old = Some(old);
        taken
    }

    /// A statement outside of functions begins, with so many nodes open around it.
    pub(super) fn begin_statement(&mut self, node: Node<'_>, depth: usize) {
        let start = SettledStart::new(self, node, depth);
        self.statements.push(start);
    }

    /// A node ends that stood in so many others.
    pub(super) fn end_statement(&mut self, depth: usize) {
        if self.statements.last().is_some_and(|s| s.depth == depth)
            && let Some(statement) = self.statements.pop()
            && let Some(settled) = statement.finish(self)
        {
            self.settled.push(settled);
        }
    }
}

/// Whether an outermost function was taken over.
pub(super) enum Reuse {
    /// It was.
    Taken,
    /// It is to be walked.
    Walk(UnitStart),
}

/// The length of a list as an index.
pub(super) fn len<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(NONE)
}

/// An index that may be [`NONE`].
pub(super) fn some(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}

/// First and last byte of a node.
pub(super) fn span(node: Node<'_>) -> (u32, u32) {
    let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (at(node.start_byte()), at(node.end_byte()))
}

/// First line of a node, 0-based.
pub(super) fn first_line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX)
}

/// Last line of a node, 0-based.
pub(super) fn last_line(node: Node<'_>) -> u32 {
    u32::try_from(node.end_position().row).unwrap_or(u32::MAX)
}
