//! The black-box tests: one binary, one file a subject.
//!
//! | file | for what |
//! | --- | --- |
//! | `support` | temporary repositories made by real git, with their own home, clock and identity |
//! | `borders` | who may use whom among the modules of `src` |
//! | `demo` | the demonstration run: its structure against git, its figures against hand counts |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::allow_attributes,
    reason = "a test that fails says so by panicking"
)]

mod borders;
mod demo;
mod support;
