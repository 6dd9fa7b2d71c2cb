//! Bytes of one file turned into structure. Knows no commit; the only module that names
//! tree-sitter.
//!
//! [`Analyser`] parses and walks; each language's rules stand in a file of their own
//! (`java`, `python`, `go`), the accounting they share in `draft`. `docs/counting-rules.md`
//! says what is counted.

mod analyser;
mod draft;
mod edits;
mod generated;
mod go;
mod go_kinds;
mod go_names;
mod hash;
mod java;
mod java_kinds;
mod java_scope;
mod kinds;
mod language;
mod model;
mod python;
mod python_kinds;
mod python_strings;
mod reuse;
mod settled;
mod text;
mod walk;

pub use analyser::{ANALYSER, ANALYSER_VERSION, Analyser, Version};
pub use generated::generated_header;
pub use language::Language;
pub use model::{
    Class, Export, ExportKind, Function, LineEdit, ParseCounts, Profile, Row, Structure, Unparsed,
};
