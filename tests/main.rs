//! The black-box tests: one binary, one file a subject.
//!
//! | file | for what |
//! | --- | --- |
//! | `support` | temporary repositories made by real git, with their own home, clock and identity |
//! | `borders` | who may use whom among the modules of `src` |
//! | `chains` | chains, found in histories made by real git |
//! | `commit_text` | trailers, mailmaps and attributes, read as git reads them |
//! | `pending` | what is not committed yet, with nothing written |
//! | `repo_shapes` | repositories of every shape git makes, read as git reads them |
//! | `revisions` | revisions, ranges, dates and walks, against git's own answers |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::allow_attributes,
    reason = "a test that fails says so by panicking"
)]

mod borders;
mod chains;
mod commit_text;
mod pending;
mod repo_shapes;
mod revisions;
mod support;
