//! Go: what each node kind is, and how it counts.

use std::collections::HashMap;
use std::sync::Arc;

use tree_sitter::{Language as Grammar, Node, TreeCursor};

use super::draft::{Draft, NONE, Reuse, first_line, last_line, len, span};
use super::go_kinds::{KINDS, Kind, Kind as K};
use super::go_names::{Names, SHADOWED};
use super::hash;
use super::kinds::{Kinds, field};
use super::model::{Class, ExportKind};
use super::reuse::literal_name;
use super::walk::{Frame, Rules, Step};
use crate::Result;

/// `Binary`: opened a run of operators. `Function` and its like: has a row.
const OPENED: u8 = 2;
/// `Params`: of the receiver.
const RECEIVER: u8 = 4;

/// The rules at work on one file.
pub(super) struct Go {
    body: u16,
    receiver: u16,
    names: Names,
    context: Arc<str>,
}

/// What the grammar's names resolve to.
pub(super) struct GoIds {
    /// Kinds by id.
    pub(super) kinds: Kinds<Kind>,
    body: u16,
    receiver: u16,
}

impl GoIds {
    /// # Errors
    /// A kind or field the grammar does not have.
    pub(super) fn resolve(grammar: &Grammar) -> Result<Self> {
        Ok(GoIds {
            kinds: Kinds::resolve(grammar, KINDS)?,
            body: field(grammar, "body")?,
            receiver: field(grammar, "receiver")?,
        })
    }
}

impl Go {
    pub(super) fn new(ids: &GoIds) -> Self {
        Go {
            body: ids.body,
            receiver: ids.receiver,
            names: Names::default(),
            context: Arc::from(""),
        }
    }

    /// A function, method or literal.
    fn function(
        &mut self,
        d: &mut Draft<'_>,
        node: Node<'_>,
        parent: &Frame<Kind>,
        kind: Kind,
        nesting: u32,
    ) -> Step<Kind> {
        let mut flags = parent.flags & SHADOWED;
        if node.child_by_field_id(self.body).is_some() {
            let unit = if kind == K::Literal {
                None
            } else {
                match d.unit(node, &self.context, NONE) {
                    Reuse::Taken => return Step::Over,
                    Reuse::Walk(start) => Some(start),
                }
            };
            let own = kind != K::Literal || d.outside();
            if own {
                d.bare_calls = 0;
            }
            d.open(own.then_some(NONE), nesting, unit);
            flags |= OPENED;
        }
        if kind != K::Literal {
            self.names.begin(kind == K::Method);
        }
        Step::Down(Frame {
            kind,
            phase: 0,
            flags,
            nesting: 0,
        })
    }

    /// The `func` token of an opened row.
    fn begin(&mut self, d: &mut Draft<'_>, node: Node<'_>, kind: Kind) {
        let start = span(node).0;
        if kind != K::Literal {
            d.begin(first_line(node), (start, start), Box::default());
            return;
        }
        let outermost = d.open.len() == 1;
        let name = match self.names.initialised() {
            Some(name) => d.text(name).into(),
            None => {
                let n = d.next_number;
                d.next_number += 1;
                if let Some(number) = d.numbers.last_mut() {
                    *number = n;
                }
                literal_name(n)
            }
        };
        if outermost {
            let base = self.names.variable().map_or("anonymous", |v| d.text(v));
            let key = d.standalone_key(base.to_owned());
            let len = key.len();
            d.set_key(key, len);
        }
        d.begin(first_line(node), (start, start), name);
    }

    /// The name token of a function or method.
    fn named(&mut self, d: &mut Draft<'_>, node: Node<'_>, frame: &Frame<Kind>) {
        let name = span(node);
        let text = d.text(name);
        self.names.function(d, name);
        let key = self.names.key(d, text);
        let exported = self.names.exported(d, text);
        if frame.flags & OPENED != 0 {
            let row = d.open.last_mut().map(|open| {
                open.name = name;
                open.row as usize
            });
            if let Some(row) = row.and_then(|r| d.rows.get_mut(r)) {
                row.name = text.into();
            }
            d.set_key(key.as_str().into(), key.len());
        }
        if exported {
            d.export(ExportKind::Function, &key);
        }
    }

    fn ident(&mut self, d: &mut Draft<'_>, frames: &mut [Frame<Kind>], node: Node<'_>) {
        let depth = frames.len();
        let parent = &mut frames[depth - 1];
        match parent.kind {
            K::Function if parent.phase == 0 => {
                parent.phase = 1;
                let frame = *parent;
                self.named(d, node, &frame);
            }
            K::Call if parent.flags & SHADOWED == 0 => self.names.call(d, span(node)),
            _ => self.names.declare(d, frames, node, false),
        }
    }
}

impl Rules for Go {
    type Kind = Kind;
    const COMMENT: Kind = Kind::Comment;

    fn settles(parent: Option<Kind>, kind: Kind) -> bool {
        parent.is_none() && matches!(kind, K::Plain | K::Var)
    }

    fn enter(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Kind>],
        cursor: &TreeCursor<'_>,
        node: Node<'_>,
        kind: Kind,
    ) -> Step<Kind> {
        let Some(parent) = frames.last_mut() else {
            return Step::Over;
        };
        let mut nesting = parent.nesting;
        let mut else_if = false;
        match parent.kind {
            K::Plain => {}
            K::If => {
                else_if = parent.phase == 2 && kind == K::If;
                nesting += u32::from(parent.phase != 2 && kind == K::Block);
            }
            K::Loop => nesting += u32::from(kind == K::Block),
            K::Switch => nesting += u32::from(kind == K::Case),
            K::Statements => d.mark(hash::STATEMENT),
            K::Function | K::Method | K::Literal if kind == K::Block => d.body(),
            _ => {}
        }
        let mut flags = parent.flags & SHADOWED;
        match kind {
            K::Text => {
                d.token(node, first_line(node), last_line(node));
                self.names.token();
                return Step::Over;
            }
            K::If if !else_if => d.score_nested(nesting),
            K::Loop | K::Switch => d.score_nested(nesting),
            K::Binary if parent.kind != K::Binary => {
                d.runs.push(0);
                flags |= OPENED;
            }
            K::Function | K::Method | K::Literal => {
                let parent = *parent;
                return self.function(d, node, &parent, kind, nesting);
            }
            K::VarSpec => self.names.spec(parent.kind == K::Var),
            K::Params
                if parent.kind == K::Method
                    && cursor.field_id().is_some_and(|f| f.get() == self.receiver) =>
            {
                flags |= RECEIVER;
            }
            K::Params => flags &= !RECEIVER,
            _ => flags |= parent.flags & RECEIVER,
        }
        Step::Down(Frame {
            kind,
            phase: 0,
            flags,
            nesting,
        })
    }

    fn token(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Kind>],
        _cursor: &TreeCursor<'_>,
        node: Node<'_>,
        kind: Kind,
    ) {
        let top = frames.len() == 1;
        let Some(parent) = frames.last_mut() else {
            return;
        };
        if top && node.start_byte() == node.end_byte() {
            // The end of the file, which the grammar has as a token.
            return;
        }
        if kind == K::Semicolon {
            // A written one reads like a line's end, which is no token.
            let hash = std::mem::replace(&mut d.hash, NONE);
            d.token(node, first_line(node), first_line(node));
            d.hash = hash;
            self.names.token();
            return;
        }
        if parent.kind == K::Statements {
            d.mark(hash::STATEMENT);
        }
        let line = first_line(node);
        d.token(node, line, line);
        match kind {
            K::Branch => d.decision(true),
            K::And | K::Or => {
                d.decision(true);
                if parent.kind == K::Binary {
                    d.operator(kind as u8);
                }
            }
            K::Else if parent.kind == K::If => {
                parent.phase = 2;
                d.score();
            }
            K::Func
                if parent.flags & OPENED != 0
                    && matches!(parent.kind, K::Function | K::Method | K::Literal) =>
            {
                self.begin(d, node, parent.kind);
            }
            K::Jump if matches!(parent.kind, K::Jump | K::Goto) => d.score(),
            K::Ident => self.ident(d, frames, node),
            K::TypeIdent => {
                if parent.flags & RECEIVER != 0 {
                    self.names.receiver(span(node));
                }
                self.names.declare(d, frames, node, true);
            }
            K::FieldIdent if parent.kind == K::Method && parent.phase == 0 => {
                parent.phase = 1;
                let frame = *parent;
                self.named(d, node, &frame);
            }
            K::Assign if parent.kind == K::VarSpec => {
                self.names.assigned();
                return;
            }
            K::Define => self.names.defined(frames),
            _ => {}
        }
        self.names.token();
    }

    fn leave(&mut self, d: &mut Draft<'_>, frames: &mut [Frame<Kind>], left: Frame<Kind>) {
        match left.kind {
            K::Binary if left.flags & OPENED != 0 => {
                d.runs.pop();
            }
            K::Function | K::Method | K::Literal if left.flags & OPENED != 0 => d.close(false),
            K::VarSpec | K::ConstSpec | K::TypeSpec | K::ShortVar | K::Range | K::Receive => {
                self.names.declared(frames, left);
            }
            _ => {}
        }
    }
}

impl Go {
    /// What only the whole file can tell: the receiver types, and whether the bare calls in
    /// a method mean something of this file.
    pub(super) fn finish(d: &mut Draft<'_>) {
        let mut classes: HashMap<Box<str>, u32> = HashMap::new();
        for i in 0..d.functions.len() {
            let key = &d.functions[i].key;
            let Some((receiver, _)) = key.strip_prefix('(').and_then(|k| k.split_once(')')) else {
                continue;
            };
            let receiver: Box<str> = receiver.into();
            let class = if let Some(class) = classes.get(&receiver) {
                *class
            } else {
                let class = len(&d.classes);
                d.classes.push(Class {
                    name: receiver.clone(),
                    start: d.functions[i].start,
                });
                classes.insert(receiver, class);
                class
            };
            d.functions[i].class = Some(class);
        }
        for i in 0..d.units.len() {
            if d.units[i].bare_calls == 0 {
                continue;
            }
            let Some(f) = d.functions.get(d.units[i].function()) else {
                continue;
            };
            let name = f.key.rsplit('.').next().unwrap_or("");
            let declared = d.names.iter().any(|n| d.text(*n) == name)
                || d.functions.iter().any(|f| f.key.as_ref() == name);
            if !declared {
                let (row, calls) = (f.row as usize, d.units[i].bare_calls);
                d.units[i].applied = calls;
                d.functions[d.units[i].function()].cognitive += calls;
                d.rows[row].cognitive += calls;
            }
        }
    }
}
