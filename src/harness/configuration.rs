//! The configuration a checkpoint is scored under: a plan as canonical JSON, masked, named by its
//! blob.

use std::path::Path;

use serde_json::Value;

use super::controls::{plan_text, wrong_toml};
use super::pending::named;
use super::workplace::Say;
use crate::error::{Error, Result};
use crate::record::Configuration;
use crate::record::mask::{Masker, sha256};
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
/// Usage where it cannot be read or is no TOML.
pub(super) fn of_file(reader: &Reader, file: &Path) -> Result<Named> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|e| Error::usage(format!("reading the configuration {shown}")).with_source(e))?;
    let table = toml::from_str(&text).map_err(|e| wrong_toml(&shown, &text, &e))?;
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
            let e = wrong_toml("evolve.toml", &text, &e);
            say(&format!("no configuration is recorded: {e}"));
            Ok(None)
        }
    }
}

fn named_by_blob(reader: &Reader, table: toml::Table) -> Result<Named> {
    let value = json(toml::Value::Table(table))?;
    let text = value.to_string();
    let (masked, _) = Masker::here().bytes(text.as_bytes());
    // What one mask leaves may be what another looks for.
    let (masked, _) = Masker::general().bytes(&masked);
    let content = masked.into_owned();
    if serde_json::from_slice::<Value>(&content).is_err() {
        return Err(Error::usage(
            "the configuration holds a credential that cannot be masked in place",
        )
        .with_hint("take it out: configurations are shared"));
    }
    let name = Configuration {
        blob: named(reader.blob_id(&content)?),
        sha256: sha256(&content),
    };
    Ok(Named { content, name })
}

/// TOML as JSON; keys come out sorted. Times become strings.
fn json(value: toml::Value) -> Result<Value> {
    Ok(match value {
        toml::Value::String(s) => s.into(),
        toml::Value::Integer(i) => i.into(),
        toml::Value::Float(f) => serde_json::Number::from_f64(f)
            .map(Value::Number)
            .ok_or_else(|| Error::usage(format!("a configuration cannot hold the number {f}")))?,
        toml::Value::Boolean(b) => b.into(),
        toml::Value::Datetime(t) => t.to_string().into(),
        toml::Value::Array(all) => Value::Array(all.into_iter().map(json).collect::<Result<_>>()?),
        toml::Value::Table(all) => Value::Object(
            all.into_iter()
                .map(|(k, v)| Ok((k, json(v)?)))
                .collect::<Result<_>>()?,
        ),
    })
}
