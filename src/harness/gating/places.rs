//! Placeholders of gates and what they stand for.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::error::Result;
use crate::plan::{Command, placeholder_names};

/// Placeholder to value.
#[derive(Debug, Clone, Default)]
pub(in crate::harness) struct Places(BTreeMap<&'static str, String>);

impl Places {
    /// With one more, or another value for one.
    #[must_use]
    pub(in crate::harness) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.insert(name, value.into());
        self
    }

    /// What it stands for.
    pub(in crate::harness) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A text with placeholders filled in.
    pub(in crate::harness) fn text(&self, text: &str) -> Result<String> {
        let mut filled = String::new();
        let mut from = 0;
        for (at, name) in placeholder_names(text) {
            if let Some(value) = self.get(name) {
                filled.push_str(&text[from..at]);
                filled.push_str(value);
                from = at + name.len() + 2;
            }
        }
        filled.push_str(&text[from..]);
        Ok(filled)
    }

    /// The words of a command.
    pub(in crate::harness) fn fill(&self, command: &Command) -> Result<Vec<OsString>> {
        match command {
            Command::Words(words) => words.iter().map(|w| Ok(self.text(w)?.into())).collect(),
            Command::Shell(line) => Ok(["sh", "-c", line].map(OsString::from).to_vec()),
        }
    }

    /// The same as variables.
    pub(in crate::harness) fn environment(&self) -> BTreeMap<OsString, OsString> {
        let name = |name: &str| OsString::from(format!("EVOLVE_{}", name.to_uppercase()));
        self.0.iter().map(|(n, v)| (name(n), v.into())).collect()
    }
}
