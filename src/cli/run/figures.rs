//! Figures of a candidate, as `log` would show them were it committed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::args::{Global, SettingsArgs};
use crate::cli::measured::{Measuring, chain_changes};
use crate::cli::session::Session;
use crate::error::{Error, Result};
use crate::ledger::ChainCommit;
use crate::measure::Value;
use crate::measure::catalogue;
use crate::record::Role;
use crate::repo::{Oid, Repo};

type Figures = BTreeMap<String, Result<f64, String>>;

/// What measures a candidate commit against its parent, on the parent's chain, under the plan in
/// `file`.
pub(super) fn measure(
    global: &Global,
    file: &Path,
) -> impl Fn(&Repo, Oid, Oid, &[String]) -> Result<Figures> + Sync {
    let global = global.clone();
    let file: PathBuf = file.to_owned();
    move |_, parent, candidate, ids| one(&global, &file, (parent, candidate), ids)
}

fn one(
    global: &Global,
    file: &Path,
    (parent, candidate): (Oid, Oid),
    ids: &[String],
) -> Result<Figures> {
    let mut settings = SettingsArgs::default();
    settings.scope.config = Some(file.to_owned());
    let session = Session::open(global, &settings)?;
    let measures = catalogue::select(&ids.join(","))?;
    let chains = session.chains()?;
    let found = chains.chain_of(parent);
    let (chain, at) = found.ok_or_else(|| {
        Error::internal(format!("measuring {candidate}: its parent is on no chain"))
    })?;
    let mut chain = chain.clone();
    chain.line.truncate(at + 1);
    let number = chain.line.iter().map(|c| c.checkpoint).max().unwrap_or(0);
    chain.line.push(ChainCommit {
        id: candidate,
        role: Role::Agent,
        checkpoint: number.saturating_add(1),
        checkpoint_id: "candidate".to_owned(),
    });
    chain.tip = candidate;
    let request = session.chain_request(&chain, &[])?;
    let mut measuring = Measuring::new(&session, &measures, Vec::new())?;
    let changes = chain_changes(&mut measuring, &chain, &request, |id| id == candidate)?;
    let change = changes.first().ok_or_else(|| {
        Error::internal(format!(
            "measuring {candidate}: it is no change of its chain"
        ))
    })?;
    let figures = change.figures.iter().map(|(id, figure)| {
        let value = match &figure.value {
            Value::Known(known) => Ok(known.value),
            Value::Word(word) => Err(format!("it is a word: {word}")),
            Value::Undefined(why) => Err(format!("undefined: {why}")),
            Value::Unknown(why) => Err(why.clone()),
        };
        ((*id).to_owned(), value)
    });
    Ok(figures.collect())
}
