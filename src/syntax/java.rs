//! Java: what each node kind is, and how it counts.

use tree_sitter::{Language as Grammar, Node, TreeCursor};

use super::draft::{Draft, NONE, Reuse, first_line, last_line, span};
use super::java_kinds::{KINDS, Kind, Kind as K};
use super::java_scope::{Place, Scopes};
use super::kinds::{Kinds, field};
use super::model::ExportKind;
use super::walk::{Frame, Rules, Step};
use crate::Result;

/// Inherited: the tokens spell a parameter's type for the key.
const KEY: u8 = 1;
/// `Binary`: opened a run of operators. `Annotation`: turned hashing off.
const OPENED: u8 = 2;
/// `Method` and its like: has a row.
const ROW: u8 = 4;
/// `ClassBody`: of an anonymous class or an enum constant.
const SCOPE: u8 = 8;

/// The rules at work on one file.
pub(super) struct Java {
    body: u16,
    name: u16,
    scopes: Scopes,
    key: String,
    public: bool,
    private: bool,
}

/// What the grammar's names resolve to.
pub(super) struct JavaIds {
    /// Kinds by id.
    pub(super) kinds: Kinds<Kind>,
    body: u16,
    name: u16,
}

impl JavaIds {
    /// # Errors
    /// A kind or field the grammar does not have.
    pub(super) fn resolve(grammar: &Grammar) -> Result<Self> {
        Ok(JavaIds {
            kinds: Kinds::resolve(grammar, KINDS)?,
            body: field(grammar, "body")?,
            name: field(grammar, "name")?,
        })
    }
}

impl Java {
    pub(super) fn new(ids: &JavaIds) -> Self {
        Java {
            body: ids.body,
            name: ids.name,
            scopes: Scopes::new(),
            key: String::new(),
            public: false,
            private: false,
        }
    }

    fn is_field(cursor: &TreeCursor<'_>, field: u16) -> bool {
        cursor.field_id().is_some_and(|f| f.get() == field)
    }

    /// A method, constructor or annotation element.
    fn declaration(
        &mut self,
        d: &mut Draft<'_>,
        node: Node<'_>,
        kind: Kind,
        nesting: u32,
    ) -> Step<Kind> {
        (self.public, self.private) = (false, false);
        let has_body =
            kind != K::Element && d.src.as_bytes().get(node.end_byte() - 1) == Some(&b'}');
        let mut flags = 0;
        if has_body {
            let scope = self.scopes.last();
            // Methods of an anonymous class belong to the function around.
            let folded = scope.anonymous && d.function != NONE;
            let class = (!folded).then_some(scope.class);
            let unit = if d.outside() && !scope.anonymous {
                match d.unit(node, &scope.context, scope.class) {
                    Reuse::Taken => return Step::Over,
                    Reuse::Walk(start) => Some(start),
                }
            } else {
                None
            };
            d.open(class, nesting, unit);
            if let Some(open) = d.open.last_mut() {
                open.constructor = kind == K::Constructor;
            }
            flags = ROW;
        }
        Step::Down(Frame {
            kind,
            phase: 0,
            flags,
            nesting: 0,
        })
    }

    /// The name token of a method, constructor or annotation element.
    fn named(&mut self, d: &mut Draft<'_>, node: Node<'_>, kind: Kind, flags: u8) {
        let name = span(node);
        let scope = self.scopes.last();
        self.key.clear();
        self.key.push_str(&self.scopes.path);
        self.key.push_str("::");
        self.key.push_str(d.text(name));
        if flags & ROW != 0 {
            let class = if scope.anonymous {
                "(anonymous)"
            } else {
                d.text(scope.name)
            };
            let shown = format!("{class}::{}", d.text(name)).into_boxed_str();
            d.begin(first_line(node), name, shown);
        }
        if kind == K::Compact {
            self.key.push_str("()");
            self.keyed(d, flags);
        }
    }

    /// The key is complete.
    fn keyed(&mut self, d: &mut Draft<'_>, flags: u8) {
        let scope = self.scopes.last();
        if !scope.anonymous && d.open.len() <= usize::from(flags & ROW != 0) {
            let member = scope.interface && !self.private;
            if scope.visible && (self.public || member) {
                d.export(ExportKind::Function, &self.key);
            }
        }
        if flags & ROW == 0 {
            return;
        }
        if scope.anonymous {
            if d.open.len() == 1 {
                let base = self.scopes.place_key(d);
                let key = d.standalone_key(base);
                let len = key.len();
                d.set_key(key, len);
            }
        } else {
            let base = self.key.find('(').unwrap_or(self.key.len());
            d.set_key(self.key.as_str().into(), base);
        }
    }

    fn ident(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Kind>],
        cursor: &TreeCursor<'_>,
        node: Node<'_>,
    ) {
        let depth = frames.len();
        let above = depth.checked_sub(2).map_or(K::Plain, |i| frames[i].kind);
        let parent = &mut frames[depth - 1];
        match parent.kind {
            K::Method | K::Constructor | K::Compact | K::Element if parent.phase == 0 => {
                parent.phase = 1;
                let (kind, flags) = (parent.kind, parent.flags);
                self.named(d, node, kind, flags);
            }
            K::Type | K::Interface if parent.phase == 0 => {
                parent.phase = 1;
                let interface = parent.kind == K::Interface;
                let outer = self.scopes.last();
                let exported = self.public || (outer.interface && !self.private);
                let reachable = d.outside() && !outer.anonymous && outer.visible && exported;
                self.scopes.push_type(d, node, interface, reachable);
                if reachable {
                    d.export(ExportKind::Type, &self.scopes.path);
                }
            }
            K::Constant if parent.phase == 0 => {
                parent.phase = 1;
                self.scopes.set_place(d, Place::Name(span(node)));
            }
            K::Declarator if parent.phase == 0 => {
                parent.phase = 1;
                if above == K::Field {
                    self.scopes.set_place(d, Place::Name(span(node)));
                }
            }
            // `this.x`, not `X.this`.
            K::FieldAccess if parent.phase == 1 => parent.phase = 2,
            K::Jump => d.score(),
            K::Call => {
                if Self::is_field(cursor, self.name) {
                    if parent.phase <= 1 {
                        d.call(span(node), true);
                    }
                } else {
                    parent.phase = 2;
                }
            }
            _ => {}
        }
    }
}

impl Rules for Java {
    type Kind = Kind;
    const COMMENT: Kind = Kind::Comment;

    fn settles(parent: Option<Kind>, kind: Kind) -> bool {
        match parent {
            None => kind == K::Plain,
            Some(K::ClassBody | K::Members) => kind == K::Field,
            Some(_) => false,
        }
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
            K::If => match parent.phase {
                0 => parent.phase = 1,
                2 if kind == K::If => else_if = true,
                _ => nesting += 1,
            },
            K::Loop => nesting += u32::from(Self::is_field(cursor, self.body)),
            K::Switch => nesting += u32::from(kind == K::SwitchBody),
            K::Catch | K::Lambda => nesting += u32::from(kind == K::Block),
            K::Ternary => nesting += u32::from(parent.phase == 1),
            // The object of a call, unless it is `X.this`: told when it is left.
            K::Call if parent.phase == 0 && !matches!(kind, K::FieldAccess | K::TypeArgs) => {
                parent.phase = 2;
            }
            K::Method | K::Constructor | K::Compact
                if parent.phase == 1 && Self::is_field(cursor, self.body) =>
            {
                d.body();
            }
            _ => {}
        }
        let mut flags = if parent.kind == K::Params {
            0
        } else {
            parent.flags & KEY
        };
        match kind {
            K::Text => {
                d.token(node, first_line(node), last_line(node));
                if parent.kind == K::Call {
                    parent.phase = 2;
                }
                return Step::Over;
            }
            K::If if !else_if => d.score_nested(nesting),
            K::Loop | K::Switch | K::Catch | K::Ternary => d.score_nested(nesting),
            K::Binary if parent.kind != K::Binary => {
                d.runs.push(0);
                flags |= OPENED;
            }
            K::Method | K::Constructor | K::Compact | K::Element => {
                return self.declaration(d, node, kind, nesting);
            }
            K::Type | K::Interface | K::Constant => (self.public, self.private) = (false, false),
            K::ClassBody => match parent.kind {
                K::New => {
                    self.scopes.push_anonymous();
                    flags |= SCOPE;
                }
                K::Constant => {
                    self.scopes.push_constant(d);
                    flags |= SCOPE;
                }
                _ => {}
            },
            K::Static => self.scopes.set_place(d, Place::Static),
            K::Block if matches!(parent.kind, K::ClassBody | K::Members) => {
                self.scopes.set_place(d, Place::Instance);
            }
            K::TypeArgs => flags = 0,
            K::Annotation => {
                flags = 0;
                let of_row = parent.kind == K::Modifiers && parent.flags & ROW != 0;
                if of_row && d.hash != NONE {
                    // Annotations stand outside of the body.
                    d.hash = d.outer_hash();
                    flags |= OPENED;
                }
            }
            K::Modifiers => flags = parent.flags & ROW,
            K::Param => {
                flags = 0;
                if parent.kind == K::Params && parent.flags & KEY != 0 {
                    flags = KEY;
                    if !self.key.ends_with('(') {
                        self.key.push(',');
                    }
                }
            }
            K::Params => {
                flags = 0;
                if matches!(parent.kind, K::Method | K::Constructor) && parent.phase == 1 {
                    self.key.push('(');
                    flags = KEY;
                }
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
        cursor: &TreeCursor<'_>,
        node: Node<'_>,
        kind: Kind,
    ) {
        let line = first_line(node);
        d.token(node, line, line);
        let Some(parent) = frames.last_mut() else {
            return;
        };
        let spells_type = parent.flags & KEY != 0
            && matches!(parent.kind, K::Plain | K::Param | K::Declarator)
            && !(kind == K::Ident && parent.kind != K::Plain);
        if spells_type {
            self.key.push_str(d.text(span(node)));
        }
        match kind {
            K::Plain if parent.kind != K::Call => {}
            K::Branch => d.decision(false),
            K::And | K::Or => {
                d.decision(false);
                if parent.kind == K::Binary {
                    d.operator(kind as u8);
                }
            }
            K::Question if parent.kind == K::Ternary => {
                d.decision(false);
                parent.phase = 1;
            }
            K::Else if parent.kind == K::If => {
                parent.phase = 2;
                d.score();
            }
            K::Public => self.public = true,
            K::Private => self.private = true,
            K::Ident => self.ident(d, frames, cursor, node),
            // Only a constructor bears the name of a class.
            K::TypeIdent
                if parent.kind == K::New && d.open.last().is_some_and(|o| o.constructor) =>
            {
                d.call(span(node), true);
            }
            K::This => match parent.kind {
                K::Call => parent.phase = 1,
                K::FieldAccess => parent.phase = 1,
                _ => {}
            },
            // A literal or `super` as the object of a call; the dot and what follows a name
            // do no harm.
            _ if parent.kind == K::Call && node.is_named() => parent.phase = 2,
            _ => {}
        }
    }

    fn leave(&mut self, d: &mut Draft<'_>, frames: &mut [Frame<Kind>], left: Frame<Kind>) {
        match left.kind {
            K::Binary if left.flags & OPENED != 0 => {
                d.runs.pop();
            }
            K::FieldAccess => {
                if let Some(parent) = frames.last_mut()
                    && parent.kind == K::Call
                    && parent.phase == 0
                {
                    parent.phase = if left.phase == 1 { 1 } else { 2 };
                }
            }
            K::Params if left.flags & KEY != 0 => {
                self.key.push(')');
                let flags = frames.last().map_or(0, |f| f.flags);
                self.keyed(d, flags);
            }
            K::Annotation if left.flags & OPENED != 0 => {
                if let Some(open) = d.open.last() {
                    d.hash = d.rows[open.row as usize].function;
                }
            }
            K::Element if left.phase == 1 => {
                self.key.push_str("()");
                self.keyed(d, 0);
            }
            K::Method | K::Constructor | K::Compact if left.flags & ROW != 0 => d.close(true),
            K::Type | K::Interface if left.phase == 1 => self.scopes.pop(),
            K::ClassBody if left.flags & SCOPE != 0 => self.scopes.pop(),
            _ => {}
        }
    }
}
