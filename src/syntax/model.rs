//! What is known of one version of one file once it is read.

use std::fmt;

/// Whose counting rules are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// lizard's rules (`docs/counting-rules.md`); the default.
    #[default]
    Lizard,
    /// SlopCodeBench's own count, Python only.
    Scb,
}

impl Profile {
    /// The id in options and machine output.
    pub fn id(self) -> &'static str {
        match self {
            Profile::Lizard => "lizard",
            Profile::Scb => "scb",
        }
    }
}

/// One row: a function with a body, as lizard lists them. Lines are 1-based and inclusive,
/// counted as lizard counts them (CRLF and a lone CR end a line too).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The name for people: `Owner::addPet`, `outer.inner`, `anonymous__0`.
    pub name: Box<str>,
    /// Line of the name token (Go: of `func`).
    pub start: u32,
    /// Line of the last token of the body.
    pub end: u32,
    /// Lines that carry code; the Python docstring rule can take it to 0 and below.
    pub nloc: i32,
    /// Cyclomatic complexity.
    pub cc: u32,
    /// Cognitive complexity, from nesting 0.
    pub cognitive: u32,
    /// True for a row inside another row.
    pub nested: bool,
    /// Index into [`Structure::functions`]: the function this row is, or is folded into.
    pub function: u32,
}

/// One function in the sense of the change measures. Go literals and methods of Java
/// anonymous classes are folded into the function around them; where there is none they
/// are functions themselves, keyed by the variable or field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Identity within the file: `Outer.Inner::m(int,String)`, `Class.outer.inner`, `(T).m`.
    pub key: Box<str>,
    /// Length in bytes of the key's part before the parameter list (the whole key where the
    /// language's keys have none).
    pub key_base: u32,
    /// Index into [`Structure::rows`] of its own row.
    pub row: u32,
    /// First line of the body in `\n` lines, 1-based (signature in, annotations out).
    pub start: u32,
    /// Last line of the body in `\n` lines.
    pub end: u32,
    /// CC of its row plus the rows folded in.
    pub cc: u32,
    /// Cognitive score: Java and Python, its row plus the rows folded in; Go, the
    /// declaration's own, which holds its closures already.
    pub cognitive: u32,
    /// NLOC of its row plus the rows folded in.
    pub nloc: i32,
    /// Hash of its tokens without comments and white space (Python: with its block
    /// structure), nested functions left out.
    pub tokens: u64,
    /// Index of the function directly around it (a Python `def` in a `def`; a method of a
    /// local class).
    pub parent: Option<u32>,
    /// Index into [`Structure::classes`] of the class its CC counts in.
    pub class: Option<u32>,
}

impl Function {
    /// The key without its parameter list.
    pub fn base(&self) -> &str {
        self.key.get(..self.key_base as usize).unwrap_or(&self.key)
    }
}

/// A real class of the syntax tree (Go: a receiver type).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Dotted name with the classes around it.
    pub name: Box<str>,
    /// First line, 1-based (Go: of its first method).
    pub start: u32,
}

/// What an exported thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExportKind {
    /// A function or method.
    Function,
    /// A class, interface, enum, record, annotation or named type.
    Type,
}

/// A function or type other packages can use.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Export {
    /// What it is.
    pub kind: ExportKind,
    /// Its key, as of [`Function::key`]; of a type its dotted name.
    pub key: Box<str>,
}

/// One version of one file, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Structure {
    /// Rows in source order (an outer row before those inside it).
    pub rows: Vec<Row>,
    /// Functions in source order.
    pub functions: Vec<Function>,
    /// Classes in source order.
    pub classes: Vec<Class>,
    /// Exported functions and types, sorted and without duplicates.
    pub exports: Vec<Export>,
    /// Code lines of the file, by the same rule as a row's NLOC.
    pub nloc: i32,
}

/// Why a file has no structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unparsed {
    /// The tree has an error node.
    SyntaxError,
    /// The bytes hold a NUL.
    Binary,
    /// A pointer of Git LFS stands in the file's place.
    LfsPointer,
    /// Larger than the cap.
    TooLarge,
    /// The blob is not in this repository.
    Missing,
    /// The parser gave up (nesting too deep, or its time bound).
    GaveUp,
}

impl fmt::Display for Unparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unparsed::SyntaxError => "syntax error",
            Unparsed::Binary => "binary content",
            Unparsed::LfsPointer => "Git LFS pointer",
            Unparsed::TooLarge => "file over 5 MiB",
            Unparsed::Missing => "object missing",
            Unparsed::GaveUp => "parser gave up",
        })
    }
}

/// One replaced block of `\n` lines, 0-based; what the incremental parse is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEdit {
    /// First old line.
    pub old_start: u32,
    /// Number of old lines.
    pub old_len: u32,
    /// First new line.
    pub new_start: u32,
    /// Number of new lines.
    pub new_len: u32,
}

/// How often the parser ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParseCounts {
    /// Files parsed from scratch.
    pub fresh: u64,
    /// Files parsed from a neighbour's tree.
    pub incremental: u64,
}
