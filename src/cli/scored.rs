//! The configuration note that a chain's records name, as a layer of settings.

use super::config::Layer;
use super::session::CONFIG_MAX;
use crate::error::{Error, Result};
use crate::ledger::{Chain, Recorded, scored};
use crate::record::mask::Masker;
use crate::record::{snapshot_digest, snapshot_of};
use crate::repo::{Oid, Reader, missing};

/// What the note of a chain says.
#[derive(Debug, Default)]
pub(super) struct NoteLayer {
    /// Its settings; `None` where no record names a note, or the note sets nothing.
    pub layer: Option<Layer>,
    /// What a reader should know.
    pub remark: Option<String>,
}

/// The layer of the note that the records of `chain` name. `plan` is the text of `evolve.toml`
/// in the base's tree: where the note is not here and this file has its digest, it is the note.
///
/// # Errors
/// Unavailable where the note is not here and nothing stands for it, or where it is not what the
/// record says; usage where it is out of form.
pub(super) fn layer(
    reader: &Reader,
    chain: &Chain,
    recorded: &Recorded,
    plan: Option<&str>,
) -> Result<NoteLayer> {
    let Some(found) = scored(chain, recorded) else {
        return Ok(NoteLayer::default());
    };
    let config = &found.config;
    let short: String = config.blob.as_str().chars().take(7).collect();
    let name = format!("configuration {short} of chain {}", chain.label);
    let remark = found.remark().map(|r| format!("{}: {r}", chain.label));
    let note = match read(reader, config.blob.as_str(), &name)? {
        Read::Here(note) => note,
        Read::Missing { promised } => {
            // It was masked by what was known where it was recorded: here, or elsewhere.
            let same = [Masker::here(), Masker::general()]
                .iter()
                .filter_map(|masker| snapshot_of(plan?, masker).ok())
                .find(|bytes| snapshot_digest(bytes) == config.sha256);
            return match same {
                Some(bytes) => Ok(NoteLayer {
                    layer: Layer::read_json(&bytes, &name)?,
                    remark: remark.or_else(|| {
                        Some(format!(
                            "{name} is not here; evolve.toml of the base is the same and counts. \
                         `git evolve fetch` brings it"
                        ))
                    }),
                }),
                None => Err(not_here(promised, &name, config.blob.as_str())),
            };
        }
    };
    if snapshot_digest(&note) != config.sha256 {
        return Err(Error::unavailable(format!(
            "{name} is not what the record of checkpoint {} names: its digest is another",
            found.checkpoint
        ))
        .with_hint("`git evolve verify` says what else does not hold"));
    }
    Ok(NoteLayer {
        layer: Layer::read_json(&note, &name)?,
        remark,
    })
}

/// The configuration that the records of `chain` name, as a plan: TOML; `None` where they name
/// none.
///
/// # Errors
/// Unavailable where the note is not here; usage where it is out of form.
pub(super) fn text(reader: &Reader, chain: &Chain, recorded: &Recorded) -> Result<Option<String>> {
    let Some(found) = scored(chain, recorded) else {
        return Ok(None);
    };
    let blob = found.config.blob.as_str();
    let name = format!("configuration {blob} of chain {}", chain.label);
    let note = match read(reader, blob, &name)? {
        Read::Here(note) => note,
        Read::Missing { promised } => return Err(not_here(promised, &name, blob)),
    };
    let wrong = || Error::usage(format!("{name} is no plan"));
    let table: toml::Table = serde_json::from_slice(&note).map_err(|e| wrong().with_source(e))?;
    let text = toml::to_string(&table).map_err(|e| wrong().with_source(e))?;
    Ok(Some(text))
}

/// The content of the note.
fn read(reader: &Reader, blob: &str, name: &str) -> Result<Read> {
    // An id of the other hash names nothing here.
    let Some(id) = Oid::from_hex(blob) else {
        return Ok(Read::Missing { promised: false });
    };
    match reader.blob_size(id) {
        Ok(size) if size > CONFIG_MAX => {
            return Err(Error::usage(format!("{name} is larger than 1 MiB")));
        }
        Ok(_) => {}
        Err(e) => {
            return match missing(&e) {
                Some(missing) => Ok(Read::Missing {
                    promised: missing.promised,
                }),
                None => Err(e),
            };
        }
    }
    let mut bytes = Vec::new();
    reader.blob(id, &mut bytes)?;
    Ok(Read::Here(bytes))
}

/// What came of reading a note.
enum Read {
    Here(Vec<u8>),
    /// Not in this repository; `promised` in a partial clone, whose remote may have it.
    Missing {
        promised: bool,
    },
}

fn not_here(promised: bool, name: &str, blob: &str) -> Error {
    let hint = match promised {
        true => format!("while the remote can be reached, `git cat-file -e {blob}` fetches it"),
        false => "`git evolve fetch` brings it".to_owned(),
    };
    Error::unavailable(format!(
        "{name} is not in this repository, and the figures depend on it"
    ))
    .with_hint(hint)
}
