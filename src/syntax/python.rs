//! Python: what each node kind is, and how it counts.

use std::sync::Arc;

use tree_sitter::{Language as Grammar, Node, TreeCursor};

use super::draft::{Draft, NONE, Reuse, first_line, span};
use super::hash;
use super::kinds::{Kinds, field};
use super::model::{ExportKind, Profile};
use super::python_kinds::{KINDS, Kind, Kind as K};
use super::python_strings::Strings;
use super::walk::{Frame, Rules, Step};
use crate::Result;

/// `Bool`: opened a run of operators.
const OPENED: u8 = 1;
/// `Attribute`: what a call calls.
const CALLEE: u8 = 2;

/// A name longer than this is shown as its dotted path: by the naming rule it doubles with
/// every function around.
const LONGEST_NAME: usize = 1000;

/// A class or function around.
struct Scope {
    path: usize,
    prefix: usize,
    class: u32,
}

/// The rules at work on one file.
pub(super) struct Python {
    body: u16,
    /// Dotted names of the classes and functions around.
    path: String,
    /// The full names of the functions around, each with a dot behind.
    prefix: String,
    scopes: Vec<Scope>,
    class: u32,
    context: Arc<str>,
    pub(super) strings: Strings,
}

/// What the grammar's names resolve to.
pub(super) struct PythonIds {
    /// Kinds by id.
    pub(super) kinds: Kinds<Kind>,
    body: u16,
}

impl PythonIds {
    /// # Errors
    /// A kind or field the grammar does not have.
    pub(super) fn resolve(grammar: &Grammar) -> Result<Self> {
        Ok(PythonIds {
            kinds: Kinds::resolve(grammar, KINDS)?,
            body: field(grammar, "body")?,
        })
    }
}

impl Python {
    pub(super) fn new(ids: &PythonIds) -> Self {
        Python {
            body: ids.body,
            path: String::new(),
            prefix: String::new(),
            scopes: Vec::new(),
            class: NONE,
            context: Arc::from(""),
            strings: Strings::default(),
        }
    }

    fn push(&mut self, d: &mut Draft<'_>, name: &str) {
        self.scopes.push(Scope {
            path: self.path.len(),
            prefix: self.prefix.len(),
            class: self.class,
        });
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
        d.gave_up |= self.scopes.len() > 256;
    }

    fn pop(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.path.truncate(scope.path);
            self.prefix.truncate(scope.prefix);
            self.class = scope.class;
        }
    }

    /// The name token of a function.
    fn function(&mut self, d: &mut Draft<'_>, node: Node<'_>) {
        let name = span(node);
        let text = d.text(name);
        let exported = d.open.len() == 1 && public(&self.path) && public(text);
        self.push(d, text);
        let full = if self.prefix.len() + text.len() > LONGEST_NAME {
            self.path.clone()
        } else {
            format!("{}{text}", self.prefix)
        };
        d.begin(first_line(node), name, full.as_str().into());
        if self.prefix.len() + full.len() < 2 * LONGEST_NAME {
            self.prefix.push_str(&full);
            self.prefix.push('.');
        }
        d.set_key(self.path.as_str().into(), self.path.len());
        if exported {
            d.export(ExportKind::Function, &self.path);
        }
    }

    /// The name token of a class.
    fn class(&mut self, d: &mut Draft<'_>, node: Node<'_>) {
        let text = d.text(span(node));
        self.push(d, text);
        self.class = d.class(&self.path, first_line(node));
        if d.outside() {
            self.context = self.path.as_str().into();
            if public(&self.path) {
                d.export(ExportKind::Type, &self.path);
            }
        }
    }

    fn ident(&mut self, d: &mut Draft<'_>, parent: &mut Frame<Kind>, node: Node<'_>) {
        match parent.kind {
            K::Function if parent.phase == 0 => {
                parent.phase = 1;
                self.function(d, node);
            }
            K::Class if parent.phase == 0 => {
                parent.phase = 1;
                self.class(d, node);
            }
            K::Call => d.call(span(node), false),
            K::Attribute if parent.flags & CALLEE != 0 => {
                if parent.phase == 1 {
                    d.call(span(node), false);
                }
                let own = matches!(d.text(span(node)), "self" | "cls");
                parent.phase = if parent.phase == 0 && own { 1 } else { 2 };
            }
            _ => {}
        }
    }

    /// A node that SlopCodeBench's profile counts.
    fn scb(d: &mut Draft<'_>, kind: Kind, parent: Kind) {
        let counts = match kind {
            K::If
            | K::ElseIf
            | K::Loop
            | K::Except
            | K::Assert
            | K::Comprehension
            | K::Bool
            | K::Conditional => true,
            K::Clause => parent == K::Comprehension,
            _ => false,
        };
        if counts {
            d.decision(true);
        }
    }
}

/// Whether no part of a dotted name begins with an underscore.
fn public(path: &str) -> bool {
    path.is_empty() || path.split('.').all(|part| !part.starts_with('_'))
}

impl Rules for Python {
    type Kind = Kind;
    const COMMENT: Kind = Kind::Comment;

    fn settles(parent: Option<Kind>, kind: Kind) -> bool {
        matches!(parent, None | Some(K::Block)) && !matches!(kind, K::Function | K::Class)
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
        match parent.kind {
            K::Plain => {}
            K::If | K::ElseIf | K::Else | K::Loop | K::Match | K::Except => {
                nesting += u32::from(kind == K::Block);
            }
            K::Conditional => nesting += u32::from(parent.phase != 1),
            K::Lambda => {
                let body = cursor.field_id().is_some_and(|f| f.get() == self.body);
                nesting += u32::from(body);
            }
            K::Block => d.mark(hash::STATEMENT),
            K::Attribute => parent.phase = 2,
            K::Function if kind == K::Block => d.body(),
            _ => {}
        }
        if d.profile == Profile::Scb {
            Self::scb(d, kind, parent.kind);
        }
        let mut flags = 0;
        match kind {
            K::Str if self.strings.whole(d, node, parent.kind == K::Statement) => {
                return Step::Over;
            }
            K::StrPart => {
                self.strings.part(d, node);
                return Step::Over;
            }
            K::Interpolation => self.strings.interpolation(d, node),
            K::If | K::Loop | K::Match | K::Except | K::Conditional => d.score_nested(nesting),
            K::Clause if parent.kind == K::Case => d.score_nested(nesting),
            K::ElseIf | K::Else => d.score(),
            K::Bool if parent.kind != K::Bool => {
                d.runs.push(0);
                flags = OPENED;
            }
            K::Attribute if parent.kind == K::Call => flags = CALLEE,
            K::Block => d.mark(hash::BLOCK),
            K::Function => {
                nesting = 0;
                let unit = if d.outside() {
                    match d.unit(node, &self.context, self.class) {
                        Reuse::Taken => return Step::Over,
                        Reuse::Walk(start) => Some(start),
                    }
                } else {
                    None
                };
                d.open(Some(self.class), 0, unit);
            }
            _ => {}
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
        let Some(parent) = frames.last_mut() else {
            return;
        };
        match kind {
            K::Continuation => return,
            K::StrStart | K::StrPart => {
                self.strings.part(d, node);
                return;
            }
            _ => {}
        }
        let line = first_line(node);
        if parent.kind == K::Block {
            d.mark(hash::STATEMENT);
        }
        d.token(node, line, line);
        self.strings.token(d, line);
        d.string_is_code = kind == K::Before;
        let lizard = d.profile == Profile::Lizard;
        match kind {
            K::Branch if lizard => d.decision(true),
            K::And | K::Or => {
                if lizard {
                    d.decision(true);
                }
                if parent.kind == K::Bool {
                    d.operator(kind as u8);
                }
            }
            K::IfToken => {
                if lizard {
                    d.decision(true);
                }
                if parent.kind == K::Conditional {
                    parent.phase = 1;
                }
            }
            K::ElseToken if parent.kind == K::Conditional => parent.phase = 2,
            K::Ident => self.ident(d, parent, node),
            _ if parent.kind == K::Attribute && node.is_named() => parent.phase = 2,
            _ => {}
        }
    }

    fn leave(&mut self, d: &mut Draft<'_>, _frames: &mut [Frame<Kind>], left: Frame<Kind>) {
        match left.kind {
            K::Bool if left.flags & OPENED != 0 => {
                d.runs.pop();
            }
            K::Block => d.mark(hash::BLOCK_END),
            K::Str => self.strings.end(d),
            K::Function => {
                d.close(true);
                self.pop();
            }
            K::Class if left.phase == 1 => {
                self.pop();
                if d.outside() {
                    self.context = self.path.as_str().into();
                }
            }
            _ => {}
        }
    }
}
