//! Go: which name is whose. Receivers, variables that literals are called after, and whether
//! a bare call of a function's own name means the function.

use tree_sitter::Node;

use super::draft::{Draft, span};
use super::go_kinds::{Kind, Kind as K};
use super::model::ExportKind;
use super::walk::Frame;

/// Inherited: the open declaration's name means something else here.
pub(super) const SHADOWED: u8 = 1;
/// `List`, `Range`, `Receive`, `VarSpec` …: declares the open declaration's name.
const DECLARES: u8 = 8;

type Range = (u32, u32);

/// The names of one file.
#[derive(Default)]
pub(super) struct Names {
    /// The receiver's type.
    receiver: Option<Range>,
    /// The name of the open declaration.
    own: Option<Range>,
    method: bool,
    /// Variables of the specification read, and whether it is ungrouped.
    variables: u32,
    variable: Option<Range>,
    ungrouped: bool,
    /// Set after the `=` of an ungrouped specification of one name, until the next token.
    initialised: Option<Range>,
}

impl Names {
    /// A declaration begins.
    pub(super) fn begin(&mut self, method: bool) {
        self.method = method;
        self.receiver = None;
        self.own = None;
    }

    /// A type name within the receiver; the first is the receiver's.
    pub(super) fn receiver(&mut self, name: Range) {
        if self.own.is_none() {
            self.receiver.get_or_insert(name);
        }
    }

    /// The name of the declaration.
    pub(super) fn function(&mut self, d: &mut Draft<'_>, name: Range) {
        self.own = Some(name);
        if !self.method {
            d.names.push(name);
        }
    }

    /// Its key.
    pub(super) fn key(&self, d: &Draft<'_>, name: &str) -> String {
        match self.receiver {
            Some(r) if self.method => format!("({}).{name}", d.text(r)),
            _ if self.method => format!("().{name}"),
            _ => name.to_owned(),
        }
    }

    /// Whether other packages can use it.
    pub(super) fn exported(&self, d: &Draft<'_>, name: &str) -> bool {
        upper(name) && self.receiver.is_none_or(|r| upper(d.text(r)))
    }

    /// A call by bare name that nothing local has taken.
    pub(super) fn call(&mut self, d: &mut Draft<'_>, name: Range) {
        let Some(own) = self.own else { return };
        if d.outside() || d.text(own) != d.text(name) {
            return;
        }
        if self.method {
            d.bare_calls += 1;
        } else if let Some(open) = d.open.first_mut() {
            open.score += 1;
        }
    }

    /// A variable specification begins.
    pub(super) fn spec(&mut self, ungrouped: bool) {
        self.variables = 0;
        self.variable = None;
        self.ungrouped = ungrouped;
    }

    /// The `=` of a variable specification.
    pub(super) fn assigned(&mut self) {
        self.initialised = self
            .variable
            .filter(|_| self.ungrouped && self.variables == 1);
    }

    /// Any other token.
    pub(super) fn token(&mut self) {
        self.initialised = None;
    }

    /// The variable whose initialiser begins here.
    pub(super) fn initialised(&self) -> Option<Range> {
        self.initialised
    }

    /// The first variable of the specification around.
    pub(super) fn variable(&self) -> Option<Range> {
        self.variable
    }

    /// An identifier that may be declared here.
    pub(super) fn declare(
        &mut self,
        d: &mut Draft<'_>,
        frames: &mut [Frame<Kind>],
        node: Node<'_>,
        is_type: bool,
    ) {
        let depth = frames.len();
        let parent = frames[depth - 1];
        let name = span(node);
        match parent.kind {
            K::VarSpec if !is_type => {
                self.variables += 1;
                self.variable.get_or_insert(name);
            }
            K::ConstSpec if !is_type => {}
            K::TypeSpec if is_type && parent.phase == 0 => {
                frames[depth - 1].phase = 1;
                if d.outside() && upper(d.text(name)) {
                    d.types.push(name);
                    d.export(ExportKind::Type, d.text(name));
                }
            }
            K::Param if !is_type => {}
            K::List if depth >= 2 => {
                let above = frames[depth - 2];
                let left = above.phase == 0
                    && matches!(above.kind, K::ShortVar | K::Range | K::Receive | K::Switch);
                if !left {
                    return;
                }
            }
            _ => return,
        }
        if d.outside() {
            if matches!(parent.kind, K::VarSpec | K::ConstSpec | K::TypeSpec) {
                d.names.push(name);
            }
            return;
        }
        if self.own.is_none_or(|own| d.text(own) != d.text(name)) {
            return;
        }
        match parent.kind {
            // The function or function type the parameter list belongs to.
            K::Param => {
                if let Some(frame) = depth.checked_sub(3).and_then(|i| frames.get_mut(i)) {
                    frame.flags |= SHADOWED;
                }
            }
            K::List => frames[depth - 2].flags |= DECLARES,
            _ => frames[depth - 1].flags |= DECLARES,
        }
    }

    /// A `:=`: what stands before it is declared.
    pub(super) fn defined(&mut self, frames: &mut [Frame<Kind>]) {
        let Some(parent) = frames.last_mut() else {
            return;
        };
        // The left side is over, a `:=` and not a `=`.
        parent.phase = 1;
        if parent.kind == K::Switch && parent.flags & DECLARES != 0 {
            parent.flags |= SHADOWED;
        }
    }

    /// A declaring node ends: from here on the name means what it declares, in the scope
    /// around.
    pub(super) fn declared(&mut self, frames: &mut [Frame<Kind>], left: Frame<Kind>) {
        if left.kind == K::VarSpec {
            self.initialised = None;
            self.variable = None;
        }
        if left.flags & DECLARES == 0 {
            return;
        }
        if matches!(left.kind, K::Range | K::Receive | K::ShortVar) && left.phase == 0 {
            return;
        }
        // The scope is around the declaration, its group and the clause of a `for`.
        for frame in frames.iter_mut().rev() {
            frame.flags |= SHADOWED;
            if !matches!(frame.kind, K::Var | K::VarGroup | K::ForClause) {
                break;
            }
        }
    }
}

fn upper(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
