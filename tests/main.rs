//! The black-box tests: one binary, one file a subject.
//!
//! | file | for what |
//! | --- | --- |
//! | `support` | temporary repositories made by real git, with their own home, clock and identity |
//! | `borders` | who may use whom among the modules of `src` |
//! | `syntax_functions` | keys, folding, classes, exports, token hashes |
//! | `syntax_laws` | a version read from its neighbour equals itself read from scratch; no crash |
//! | `syntax_oracle` | rows of the fixture sources and of public repositories against the reference tools |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::allow_attributes,
    reason = "a test that fails says so by panicking"
)]

mod borders;
mod support;
mod syntax_functions;
mod syntax_laws;
mod syntax_oracle;
