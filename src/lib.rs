//! git-evolve measures how a code base changes when agents change it, from the repository alone.
//!
//! Data flows one way. [`repo`] walks the first-parent line and says what each commit changed;
//! [`syntax`] turns the bytes of one file into functions; [`history`] joins the two in a single
//! pass and puts all evidence of one change into a [`history::Step`]; [`measure`] turns a step
//! into values, or *unknown because …*; [`stats`] lines values up and judges trends; [`report`]
//! writes them down; [`cli`] reads words and prints words. [`record`] and [`ledger`] hold what
//! was written down when it happened, [`intake`] reads what agents, tests and coverage tools wrote,
//! [`harness`] makes chains.
//!
//! `docs/modules.md` walks one command through these parts; `tests/borders.rs` holds who may
//! use whom.

pub mod cli;
pub mod error;
pub mod harness;
pub mod history;
pub mod intake;
pub mod ledger;
pub mod measure;
pub mod plan;
pub mod record;
pub mod repo;
pub mod report;
pub mod stats;
pub mod syntax;

pub use error::{Error, Kind, Result};
