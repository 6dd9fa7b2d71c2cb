//! Coverage reports read through the public door: the samples as they are and as other writers
//! would have written them, hostile ones, and very large ones.

mod hostile;
mod mapping;
mod mutations;
mod needs;
mod samples;
mod size;
mod tools;

use std::io::Cursor;

use git_evolve::intake::coverage;
use git_evolve::record::{CoverageMap, Opened, Reading, TreeFacts};

/// A file of these bytes under a name that says nothing.
fn opened(bytes: &[u8]) -> Opened<'_> {
    Opened {
        path: uuid::Uuid::now_v7().simple().to_string(),
        modified: None,
        bytes: Box::new(Cursor::new(bytes)),
    }
}

fn reading(bytes: &[u8], tree: Option<&TreeFacts>) -> Reading<CoverageMap> {
    coverage::read(&mut opened(bytes), tree)
}

/// What was read of a report that can be.
fn map(bytes: &[u8], tree: Option<&TreeFacts>) -> CoverageMap {
    match reading(bytes, tree) {
        Reading::Read(map) => map,
        other => panic!("{other:?}"),
    }
}

fn tree(paths: &[&str]) -> TreeFacts {
    TreeFacts {
        paths: paths.iter().map(|p| (*p).to_owned()).collect(),
        ..TreeFacts::default()
    }
}
