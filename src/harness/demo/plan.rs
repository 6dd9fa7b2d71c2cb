//! Who does what in the demonstration: `fixtures/demo/plan.toml`, read.

use serde::Deserialize;

use crate::error::{Error, Result};

/// The project's own history, and the variants of each arm's chains.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// The project's own commits, oldest first.
    pub(super) project: Vec<ProjectCommit>,
    /// The arms.
    pub(super) arm: Vec<Arm>,
}

/// One commit of the project's own history.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectCommit {
    /// Seconds since the epoch.
    pub(super) time: i64,
    /// The message's only line.
    pub(super) subject: String,
    /// The files it brings.
    pub(super) files: Vec<String>,
}

/// One arm and its chains, numbered from 1 in this order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arm {
    /// Its name.
    pub(super) name: String,
    /// Of each chain one letter for each checkpoint: the variant done.
    pub(super) chains: Vec<String>,
}

/// Reads it.
///
/// # Errors
/// Internal where the text is out of form: it is part of the program.
pub(super) fn parse(text: &str) -> Result<Plan> {
    toml::from_str(text)
        .map_err(|e| Error::internal("reading the plan of the demonstration").with_source(e))
}
