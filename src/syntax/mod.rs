//! Bytes of one file turned into structure. Knows no commit; the only module that names
//! tree-sitter.

mod language;
mod model;

pub use language::Language;
pub use model::{
    Class, Export, ExportKind, Function, LineEdit, ParseCounts, Profile, Row, Structure, Unparsed,
};
