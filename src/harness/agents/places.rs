//! What stands in a plan for things that are known only when it runs: `{checkpoint}` in words,
//! `EVOLVE_CHECKPOINT` in the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::error::{Error, Result};
use crate::plan::Command;

/// The place that a prompt has in words; it never stands in the environment.
const PROMPT: &str = "prompt";

/// Placeholders and what they stand for. Names are lower case, with `_`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::harness) struct Places(pub(in crate::harness) BTreeMap<&'static str, String>);

impl Places {
    /// With one more, or another value for one.
    #[must_use]
    pub(in crate::harness) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.insert(name, value.into());
        self
    }

    /// What `name` stands for.
    pub(in crate::harness) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The words of `command`, placeholders filled in word by word; of a line for the shell the
    /// words that run it, in which nothing is filled in: there they are variables.
    ///
    /// # Errors
    /// Usage for a placeholder that stands for nothing here.
    pub(in crate::harness) fn fill(&self, command: &Command) -> Result<Vec<OsString>> {
        match command {
            Command::Words(words) => words
                .iter()
                .map(|word| self.text(word).map(OsString::from))
                .collect(),
            Command::Shell(line) => Ok(["sh", "-c", line].map(OsString::from).to_vec()),
        }
    }

    /// `text`, placeholders filled in. `{{name}}` is `{name}`; braces around anything else are
    /// braces.
    ///
    /// # Errors
    /// Usage for a placeholder that stands for nothing here.
    pub(in crate::harness) fn text(&self, text: &str) -> Result<String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let doubled = rest.strip_prefix("{{").and_then(name);
            if let Some((word, behind)) = doubled
                && let Some(behind) = behind.strip_prefix('}')
            {
                filled.extend(["{", word, "}"]);
                rest = behind;
            } else if let Some((word, behind)) = name(&rest[1..]) {
                filled.push_str(self.get(word).ok_or_else(|| self.unknown(word, text))?);
                rest = behind;
            } else {
                filled.push('{');
                rest = &rest[1..];
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Whether `text` has the placeholder `wanted`.
    pub(in crate::harness) fn has(text: &str, wanted: &str) -> bool {
        text.contains(&format!("{{{wanted}}}"))
    }

    /// The variables of the environment, all but the prompt's.
    pub(in crate::harness) fn environment(&self) -> BTreeMap<OsString, OsString> {
        let told = self.0.iter().filter(|(name, _)| **name != PROMPT);
        told.map(|(name, value)| {
            let variable = format!("EVOLVE_{}", name.to_ascii_uppercase());
            (variable.into(), value.into())
        })
        .collect()
    }

    fn unknown(&self, word: &str, text: &str) -> Error {
        let names: Vec<&str> = self.0.keys().copied().collect();
        let near = names
            .iter()
            .map(|n| (strsim::damerau_levenshtein(word, n), *n))
            .filter(|(distance, _)| *distance <= 3)
            .min();
        let hint = match near {
            Some((_, near)) => format!(
                "did you mean `{{{near}}}`? (`{{{{{word}}}}}` stands for the text `{{{word}}}`)"
            ),
            None => format!("here are: {}", names.join(", ")),
        };
        Error::usage(format!(
            "filling in '{text}': `{{{word}}}` stands for nothing here"
        ))
        .with_hint(hint)
    }
}

/// The name that `text` begins with, and what is behind its closing brace.
fn name(text: &str) -> Option<(&str, &str)> {
    let (word, behind) = text.split_once('}')?;
    let first = word.starts_with(|c: char| c.is_ascii_lowercase());
    let all = word
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    (first && all).then_some((word, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places::default()
            .with("checkpoint", "3")
            .with("model", "m {checkpoint}")
            .with("prompt", "Do it")
    }

    #[test]
    fn words_are_filled_in_once_and_other_braces_stay() {
        let text = |t| places().text(t).expect("filled");
        assert_eq!(text("a{checkpoint}b{model}"), "a3bm {checkpoint}");
        assert_eq!(
            text(r#"{"k": {}} {A} {{checkpoint}} {"#),
            r#"{"k": {}} {A} {checkpoint} {"#
        );
        assert_eq!(text("{{checkpoint} ä {checkpoint}"), "{3 ä 3");
    }

    #[test]
    fn an_unknown_placeholder_is_an_error_with_the_nearest_name() {
        let e = places().text("-c {checkpiont}").expect_err("unknown");
        assert!(e.to_string().contains("`{checkpiont}` stands for nothing"));
        assert!(e.hint().is_some_and(|h| h.contains("`{checkpoint}`")));
    }

    #[test]
    fn a_line_for_the_shell_gets_variables_and_no_words() {
        let line = Command::Shell("echo {checkpoint} ${EVOLVE_CHECKPOINT}".to_owned());
        let words = places().fill(&line).expect("filled");
        assert_eq!(
            words,
            ["sh", "-c", "echo {checkpoint} ${EVOLVE_CHECKPOINT}"]
        );
        let variables = places().environment();
        let names: Vec<_> = variables.keys().collect();
        assert_eq!(names, ["EVOLVE_CHECKPOINT", "EVOLVE_MODEL"]);
    }
}
