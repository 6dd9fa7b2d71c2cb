//! The black-box tests: one binary, one file a subject.
//!
//! | file | for what |
//! | --- | --- |
//! | `support` | temporary repositories made by real git, with their own home, clock and identity |
//! | `borders` | who may use whom among the modules of `src` |
//! | `diff_oracle` | tree changes, renames and line hunks against git |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::allow_attributes,
    reason = "a test that fails says so by panicking"
)]

mod borders;
mod diff_oracle;
mod support;
