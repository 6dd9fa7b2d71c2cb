//! The environment of what a run starts: nothing of ours but what the plan hands through.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::Places;
use crate::error::Result;
use crate::record::mask::Masker;

/// What a run sets and hands through.
#[derive(Debug, Clone, Copy)]
pub(in crate::harness) struct Variables<'v> {
    /// Set by the plan; placeholders are filled in.
    pub(in crate::harness) set: &'v BTreeMap<String, String>,
    /// Handed through from our own environment, by name.
    pub(in crate::harness) passed: &'v [String],
}

/// The whole environment: `PATH`, `LANG`, `TERM`, `HOME` (the folder `home`), `TMPDIR` (the place
/// `tmp`), then what is handed through, what the plan sets, and the places' own variables.
///
/// # Errors
/// Usage for a placeholder that stands for nothing.
pub(in crate::harness) fn environment(
    places: &Places,
    home: &Path,
    variables: Variables<'_>,
) -> Result<BTreeMap<OsString, OsString>> {
    let mut all: BTreeMap<OsString, OsString> = BTreeMap::new();
    all.insert("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    all.insert("LANG".into(), "C.UTF-8".into());
    all.insert("TERM".into(), "dumb".into());
    all.insert("HOME".into(), home.into());
    if let Some(tmp) = places.get("tmp") {
        all.insert("TMPDIR".into(), tmp.into());
    }
    for name in variables.passed {
        if let Some(value) = std::env::var_os(name) {
            all.insert(name.into(), value);
        }
    }
    for (name, value) in variables.set {
        all.insert(name.into(), places.text(value)?.into());
    }
    all.extend(places.environment());
    Ok(all)
}

/// The plan's variables as a record has them: values masked.
pub(in crate::harness) fn recorded(
    places: &Places,
    set: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let masker = Masker::here();
    let one = |(name, value): (&String, &String)| {
        // With its name before it, which may say that it is secret.
        let line = format!("{name}={}", places.text(value)?);
        let (masked, _) = masker.bytes(line.as_bytes());
        let masked = String::from_utf8_lossy(&masked).into_owned();
        let value = masked.split_once('=').map_or("", |(_, value)| value);
        Ok((name.clone(), value.to_owned()))
    };
    set.iter().map(one).collect()
}

/// Words as a record has them: masked.
pub(in crate::harness) fn masked_words(words: &[OsString]) -> Vec<String> {
    let masker = Masker::here();
    let one = |word: &OsString| {
        let (masked, _) = masker.bytes(word.as_encoded_bytes());
        String::from_utf8_lossy(&masked).into_owned()
    };
    words.iter().map(one).collect()
}
