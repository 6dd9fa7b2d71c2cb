//! Java: the classes around a place in the file, and what a function without one of its own
//! is called after.

use std::sync::Arc;

use tree_sitter::Node;

use super::draft::{Draft, NONE, first_line, span};

/// The member of a class that code outside of functions stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A field or an enum constant, by its name token.
    Name((u32, u32)),
    /// A static initialiser.
    Static,
    /// An instance initialiser.
    Instance,
}

/// A class body around.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// Name token of the innermost real class.
    pub(super) name: (u32, u32),
    /// Index of the innermost real class; [`NONE`] outside of classes.
    pub(super) class: u32,
    /// Whether members are public unless they say private.
    pub(super) interface: bool,
    /// Whether code elsewhere can name it: it and all around it are public.
    pub(super) visible: bool,
    /// Whether it is an anonymous class.
    pub(super) anonymous: bool,
    /// Tells surroundings apart in which the same method text would read differently.
    pub(super) context: Arc<str>,
    /// Length of the path outside.
    outer: usize,
    place: Place,
}

/// The class bodies around, outermost first.
pub(super) struct Scopes {
    /// Dotted names of the real classes and enum constants around.
    pub(super) path: String,
    list: Vec<Scope>,
    place: Place,
}

/// Class bodies in one another beyond which a file is given up.
const MAX_SCOPES: usize = 256;

impl Scopes {
    pub(super) fn new() -> Self {
        let outermost = Scope {
            name: (0, 0),
            class: NONE,
            interface: false,
            visible: true,
            anonymous: false,
            context: Arc::from(""),
            outer: 0,
            place: Place::Instance,
        };
        Scopes {
            path: String::new(),
            list: vec![outermost],
            place: Place::Instance,
        }
    }

    /// The innermost one.
    pub(super) fn last(&self) -> &Scope {
        &self.list[self.list.len() - 1]
    }

    fn extend_path(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    /// A real class, at its name token.
    pub(super) fn push_type(
        &mut self,
        d: &mut Draft<'_>,
        name: Node<'_>,
        interface: bool,
        visible: bool,
    ) {
        let outer = self.path.len();
        let range = span(name);
        self.extend_path(d.text(range));
        let context = format!("{}\0{}\0{interface}\0{visible}", self.path, d.text(range));
        self.list.push(Scope {
            name: range,
            class: d.class(&self.path, first_line(name)),
            interface,
            visible,
            anonymous: false,
            context: context.into(),
            outer,
            place: self.place,
        });
        d.gave_up |= self.list.len() > MAX_SCOPES;
    }

    /// The body of the enum constant that was named last.
    pub(super) fn push_constant(&mut self, d: &mut Draft<'_>) {
        let outer = self.path.len();
        if let Place::Name(name) = self.place {
            self.extend_path(d.text(name));
        }
        let mut scope = self.last().clone();
        scope.visible = false;
        scope.context = format!("{}\0{}\0constant", self.path, d.text(scope.name)).into();
        scope.outer = outer;
        scope.place = self.place;
        scope.interface = false;
        self.list.push(scope);
        d.gave_up |= self.list.len() > MAX_SCOPES;
    }

    /// The body of an anonymous class.
    pub(super) fn push_anonymous(&mut self) {
        let mut scope = self.last().clone();
        scope.anonymous = true;
        scope.interface = false;
        scope.outer = self.path.len();
        scope.place = self.place;
        self.list.push(scope);
    }

    /// The end of the innermost one.
    pub(super) fn pop(&mut self) {
        if self.list.len() > 1
            && let Some(scope) = self.list.pop()
        {
            self.path.truncate(scope.outer);
            self.place = scope.place;
        }
    }

    /// A member begins that functions without one of their own are called after: the
    /// outermost one, so not a field of an anonymous class.
    pub(super) fn set_place(&mut self, d: &Draft<'_>, place: Place) {
        if d.outside() && !self.last().anonymous {
            self.place = place;
        }
    }

    /// The key of a method of an anonymous class outside of every function.
    pub(super) fn place_key(&self, d: &Draft<'_>) -> String {
        let place = match self.place {
            Place::Name(name) => d.text(name),
            Place::Static => "{static}",
            Place::Instance => "{}",
        };
        format!("{}::{place}", self.path)
    }
}
