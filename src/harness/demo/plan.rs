//! The demonstration's plan: `fixtures/demo/plan.toml`, read.

use serde::Deserialize;

use crate::error::{Error, Result};

/// Who works on what, when, and in which variant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// The experiment's name.
    pub(super) experiment: String,
    /// Paths each reset puts back as the base has them.
    pub(super) pinned: Vec<String>,
    /// Paths the base takes out.
    pub(super) hidden: Vec<String>,
    /// The project's own commits, oldest first.
    pub(super) project: Vec<ProjectCommit>,
    /// The change requests, in order.
    pub(super) checkpoint: Vec<Checkpoint>,
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
    /// The project files it brings.
    pub(super) files: Vec<String>,
}

/// One change request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    /// Its id.
    pub(super) id: String,
    /// What is asked for.
    pub(super) request: String,
}

/// One arm and its chains, numbered from 1 in this order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arm {
    /// Its name.
    pub(super) name: String,
    /// Its chains.
    pub(super) chain: Vec<Chain>,
}

/// One chain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chain {
    /// The UUIDv7 of its base commit.
    pub(super) begin: String,
    /// When it began, seconds since the epoch.
    pub(super) start: i64,
    /// One letter for each checkpoint: the variant done.
    pub(super) variants: String,
}

/// Reads a plan.
///
/// # Errors
/// Internal where the text is out of form: it is part of the program.
pub(super) fn parse(text: &str) -> Result<Plan> {
    toml::from_str(text)
        .map_err(|e| Error::internal("reading the plan of the demonstration").with_source(e))
}
