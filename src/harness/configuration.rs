//! The configuration a checkpoint is scored under: a plan as canonical JSON, masked, named by its
//! blob.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::controls::plan_text;
use super::pending::named;
use super::workplace::Say;
use crate::error::{Error, Result};
use crate::plan::{PLAN_MAX, source};
use crate::record::mask::Masker;
use crate::record::{Configuration, snapshot, snapshot_digest};
use crate::repo::{Oid, Reader};

/// A configuration and the name records call it by.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) content: Vec<u8>,
    pub(super) name: Configuration,
}

/// The configuration in `file`.
///
/// # Errors
/// Usage where it cannot be read, is larger than 1 MiB or is no TOML.
pub(super) fn of_file(reader: &Reader, file: &Path) -> Result<Named> {
    let shown = file.display().to_string();
    let mut text = String::new();
    File::open(file)
        .and_then(|f| f.take(PLAN_MAX + 1).read_to_string(&mut text))
        .map_err(|e| Error::usage(format!("reading the configuration {shown}")).with_source(e))?;
    // Readers take no larger note.
    if text.len() as u64 > PLAN_MAX {
        return Err(Error::usage(format!("{shown} is larger than 1 MiB")));
    }
    let table = toml::from_str(&text).map_err(|e| source::no_toml(&text, &shown, &e))?;
    named_by_blob(reader, table)
}

/// The configuration in the plan of the base's tree; `None` where it has none. One that cannot be
/// read is said and is none: the checkpoint is recorded all the same.
///
/// # Errors
/// Git where the tree cannot be read.
pub(super) fn of_base(reader: &Reader, base_tree: Oid, say: Say<'_>) -> Result<Option<Named>> {
    let text = match plan_text(reader, base_tree) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(e) if e.kind() == crate::Kind::Usage => {
            say(&format!("no configuration is recorded: {e}"));
            return Ok(None);
        }
        Err(e) => return Err(e),
    };
    match toml::from_str(&text) {
        Ok(table) => named_by_blob(reader, table).map(Some),
        Err(e) => {
            let e = source::no_toml(&text, "evolve.toml", &e);
            say(&format!("no configuration is recorded: {e}"));
            Ok(None)
        }
    }
}

/// The configuration that the text of a plan is.
///
/// # Errors
/// Usage where it is no TOML.
pub(super) fn of_text(reader: &Reader, text: &str) -> Result<Named> {
    let table = toml::from_str(text).map_err(|e| source::no_toml(text, "evolve.toml", &e))?;
    named_by_blob(reader, table)
}

/// The configuration that a table is.
///
/// # Errors
/// As [`snapshot`].
pub(super) fn of_table(reader: &Reader, table: toml::Table) -> Result<Named> {
    named_by_blob(reader, table)
}

fn named_by_blob(reader: &Reader, plan: toml::Table) -> Result<Named> {
    let content = snapshot(plan, &Masker::here())?;
    let name = Configuration {
        blob: named(reader.blob_id(&content)?),
        sha256: snapshot_digest(&content),
    };
    Ok(Named { content, name })
}
